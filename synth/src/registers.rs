//! State of a module, counted in its registers before synthesis.

use std::collections::BTreeMap;

use gpurf_hw::dialect::{Described, Identity};
use rust_hdl::atom::Atom;
use rust_hdl::prelude::*;
use serde::Serialize;

/// Registers and memories of a module, in bits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Registers {
    /// By the registers' place and name, array indices left out: `cache_table.tag`.
    pub groups: BTreeMap<String, Group>,
    /// Of all memories.
    pub memory_bits: u64,
}

/// Registers of one name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Group {
    /// Registers of that name.
    pub count: u64,
    /// Bits of all of them.
    pub bits: u64,
}

impl Registers {
    /// Bits of all registers.
    pub fn bits(&self) -> u64 {
        self.groups.values().map(|group| group.bits).sum()
    }

    /// Bits of the registers that are `width` bits wide or more: register values.
    pub fn data_bits(&self, width: u64) -> u64 {
        let wide = |group: &&Group| group.bits >= width * group.count;
        self.groups.values().filter(wide).map(|group| group.bits).sum()
    }

    /// Bits of all other registers.
    pub fn control_bits(&self, width: u64) -> u64 {
        self.bits() - self.data_bits(width)
    }
}

/// Counts the registers of `module` and of all modules in it.
pub fn count(module: &dyn Block) -> Registers {
    let mut counter = Counter::default();
    module.accept("top", &mut counter);
    counter.registers
}

#[derive(Default)]
struct Counter {
    /// Names of the scopes around, the module's own first.
    path: Vec<String>,
    registers: Registers,
}

impl Probe for Counter {
    fn visit_start_scope(&mut self, name: &str, _: &dyn Block) {
        // rust-hdl names the elements of an array `tag$3`.
        self.path.push(name.split('$').next().unwrap_or(name).to_string());
    }

    fn visit_end_scope(&mut self, _: &str, _: &dyn Block) {
        self.path.pop();
    }

    fn visit_start_namespace(&mut self, name: &str, node: &dyn Block) {
        self.visit_start_scope(name, node);
    }

    fn visit_end_namespace(&mut self, name: &str, node: &dyn Block) {
        self.visit_end_scope(name, node);
    }

    fn visit_atom(&mut self, _: &str, atom: &dyn Atom) {
        let Some(Described { verilog_name: module, parameters, .. }) = Identity::of(atom) else {
            return;
        };
        let parameter =
            |name: &str| parameters.iter().find(|(n, _)| n == name).map_or(0, |(_, value)| *value as u64);
        let (width, rows) = (parameter("w"), parameter("rows"));
        let is_memory = module.contains(&format!("memory_w{width}_rows"));
        if module == format!("register_w{width}") {
            let group = self.registers.groups.entry(self.path[1..].join(".")).or_default();
            group.count += 1;
            group.bits += width;
        } else if is_memory {
            self.registers.memory_bits += width * rows;
        }
    }
}
