// SPDX-License-Identifier: Apache-2.0
//! What a hardware module is called when it is exported.

use rust_hdl::atom::{Atom, AtomKind};
use rust_hdl::constraint::PinConstraint;
use rust_hdl::prelude::*;
use serde::{Deserialize, Serialize};

use super::Declared;
use crate::catalogue::Port;

/// The name under which a module is exported, with its parameters and origin.
///
/// rust-hdl names modules by their place in the tree; people read and synthesize modules by type.
/// Two instances with the same type and parameters have equal identities and share one Verilog module.
/// In the tree of blocks it is a constant without bits: it costs nothing in simulation.
#[derive(Clone, Debug)]
pub struct Identity {
    /// What it is, in Verilog: `cache_table`.
    pub module: &'static str,
    /// Its title and the sections of the papers that it implements.
    pub origin: String,
    /// What it is made with, which distinguishes it from others of its kind.
    pub parameters: Vec<(&'static str, usize)>,
    /// Ports whose docs are comments above them in Verilog.
    pub ports: &'static [Port],
}

/// What a probe reads from an [`Identity`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Described {
    /// Name of the module in Verilog, with its parameters.
    pub verilog_name: String,
    /// Title and sections of the papers.
    pub origin: String,
    /// Name and value of each parameter.
    pub parameters: Vec<(String, usize)>,
    /// Name and comment of each port.
    pub port_docs: Vec<(String, String)>,
}

impl Identity {
    /// Of a module without comments for its ports.
    pub fn new(module: &'static str, origin: &str, parameters: &[(&'static str, usize)]) -> Self {
        Identity { module, origin: origin.to_string(), parameters: parameters.to_vec(), ports: &[] }
    }

    /// Of a module as its declaration has it, with the values of its parameters.
    pub fn declared<M: Declared>(parameters: Vec<(&'static str, usize)>) -> Self {
        Identity { module: M::NAMING.module, origin: M::NAMING.origin(), parameters, ports: M::PORTS }
    }

    /// Module name in Verilog: the type, then each parameter's first letters and value,
    /// `request_queue_depth14_collector1`.
    pub fn verilog_name(&self) -> String {
        let parameters = self.parameters.iter().map(|(name, value)| format!("_{name}{value}"));
        format!("{}{}", self.module, parameters.collect::<String>())
    }
}

/// Before the JSON that an identity's descriptor carries as its name.
const MARK: &str = "identity ";

impl Identity {
    /// Reads an identity back from the descriptor of an [`Atom`] met by a probe.
    pub fn of(atom: &dyn Atom) -> Option<Described> {
        // Descriptors of signals cost more than their bits, which no identity has.
        if atom.bits() > 0 {
            return None;
        }
        serde_json::from_str(atom.descriptor().name.strip_prefix(MARK)?).ok()
    }
}

impl Logic for Identity {
    fn update(&mut self) {}
}

impl Block for Identity {
    fn connect_all(&mut self) {}
    fn update_all(&mut self) {}
    fn has_changed(&self) -> bool {
        false
    }
    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        probe.visit_atom(name, self);
    }
}

impl Atom for Identity {
    fn bits(&self) -> usize {
        0
    }
    fn connected(&self) -> bool {
        true
    }
    fn changed(&self) -> bool {
        false
    }
    fn kind(&self) -> AtomKind {
        AtomKind::Constant
    }
    fn descriptor(&self) -> TypeDescriptor {
        let documented = self.ports.iter().filter(|port| !port.doc.is_empty());
        let described = Described {
            verilog_name: self.verilog_name(),
            origin: self.origin.clone(),
            parameters: self.parameters.iter().map(|(name, value)| (name.to_string(), *value)).collect(),
            port_docs: documented.map(|port| (port.name.to_string(), port.doc.to_string())).collect(),
        };
        let json = serde_json::to_string(&described).expect("strings and numbers are JSON");
        TypeDescriptor { name: format!("{MARK}{json}"), kind: TypeKind::Bits(0) }
    }
    fn vcd(&self) -> VCDValue {
        VCDValue::Vector(vec![])
    }
    fn id(&self) -> usize {
        // Zero is never given to a signal: rust-hdl counts from one.
        0
    }
    fn verilog(&self) -> VerilogLiteral {
        false.into()
    }
    fn constraints(&self) -> Vec<PinConstraint> {
        vec![]
    }
}
