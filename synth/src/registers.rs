// SPDX-License-Identifier: Apache-2.0
//! State of a module, counted in its registers before synthesis.

use std::collections::BTreeMap;

use comfy_table::Table;
use gpurf_blocks::LANES;
use gpurf_hw::dialect::{Described, Identity, REGISTER};
use rust_hdl::atom::Atom;
use rust_hdl::prelude::*;
use serde::Serialize;

use crate::memories::{MemoryArray, Ports};
use crate::synthesis::{grouped, table};

/// Registers and memories of a module, in bits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Registers {
    /// By the registers' place and name, array indices left out: `cache_table.tag`.
    pub groups: BTreeMap<String, RegisterGroup>,
    /// The memory bits of all memories.
    pub memory_bits: u64,
    /// Memories by rows, width and ports, the most bits first.
    pub memories: Vec<MemoryArray>,
}

/// Registers of one name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RegisterGroup {
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
        let wide = |group: &&RegisterGroup| group.bits >= width * group.count;
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
    counter.registers.memories.sort_by_key(|one| (std::cmp::Reverse(one.bits()), one.rows));
    counter.registers
}

/// The registers of some modules by name, in bits, and what all of them and the memories have. What lies in
/// one module deeper than in another stands in one row.
pub fn by_name(modules: &[(&str, &Registers)]) -> Table {
    let names: Vec<&str> = modules.iter().map(|(name, _)| *name).collect();
    let mut table = table(&[&["bits of registers"], &names[..]].concat());
    let shallow = |name: &String| modules.iter().any(|(_, of)| of.groups.contains_key(name));
    let mut rows: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for (column, (_, registers)) in modules.iter().enumerate() {
        for (name, group) in &registers.groups {
            let last = name.rsplit('.').next().expect("a name").to_string();
            let name = if shallow(&last) { last } else { name.clone() };
            rows.entry(name).or_insert_with(|| vec![0; names.len()])[column] += group.bits;
        }
    }
    let all = |bits: fn(&Registers) -> u64| modules.iter().map(|(_, of)| bits(of)).collect::<Vec<_>>();
    let sums = [("all registers", all(Registers::bits)), ("memories", all(|of| of.memory_bits))];
    let sums = sums.into_iter().map(|(name, bits)| (name.to_string(), bits));
    for (name, bits) in rows.into_iter().chain(sums.filter(|(_, bits)| bits.iter().any(|bits| *bits > 0))) {
        let bits = bits.iter().map(|bits| if *bits == 0 { String::new() } else { grouped(*bits as f64) });
        table.add_row(std::iter::once(name).chain(bits));
    }
    table
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
        let name = name.split('$').next().unwrap_or(name);
        self.path.push(name.strip_suffix(REGISTER).unwrap_or(name).to_string());
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
        if module == format!("register_w{width}") {
            let group = self.registers.groups.entry(self.path[1..].join(".")).or_default();
            group.count += 1;
            group.bits += width;
        } else if let Some((kind, _)) = module.split_once(&format!("_w{width}_rows{rows}")) {
            self.registers.memory_bits += width * rows;
            let (ports, count) = match kind {
                "memory" => (Ports::ONE, 1),
                "memory_of_two_accesses" => (Ports { reads: 1, ..Ports::ONE }, 1),
                "two_port_memory" => (Ports::TWO, 1),
                "lane_memory" => (Ports { reads: parameter("reads") as usize, ..Ports::TWO }, LANES as u64),
                _ => panic!("{kind} is no memory whose ports are known here"),
            };
            let (rows, width) = (rows as usize, (width / count) as usize);
            let memories = &mut self.registers.memories;
            match memories.iter_mut().find(|one| (one.rows, one.width, one.ports) == (rows, width, ports)) {
                Some(known) => known.count += count,
                None => memories.push(MemoryArray { rows, width, ports, count }),
            }
        }
    }
}
