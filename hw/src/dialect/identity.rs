//! What a hardware module is called when it is exported.

use rust_hdl::core::atom::{Atom, AtomKind};
use rust_hdl::core::constraint::PinConstraint;
use rust_hdl::prelude::*;
use serde::{Deserialize, Serialize};

/// Where a module comes from: its title and the sections of the papers it implements.
pub type Origin = &'static str;

/// The name under which a module is exported, with its parameters and origin.
///
/// rust-hdl names modules by their place in the tree; people read and synthesize modules by type.
/// Two instances with the same type and parameters have equal identities and share one Verilog module.
/// In the tree of blocks it is a constant without bits: it costs nothing in simulation.
#[derive(Clone, Debug)]
pub struct Identity {
    pub module: &'static str,
    pub origin: Origin,
    pub parameters: Vec<(&'static str, usize)>,
    /// What is said about ports, by field: a comment above each in Verilog.
    pub port_docs: &'static [(&'static str, &'static str)],
}

/// What a probe reads from an [`Identity`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Described {
    pub verilog_name: String,
    pub origin: String,
    pub parameters: Vec<(String, usize)>,
    pub port_docs: Vec<(String, String)>,
}

impl Identity {
    pub fn new(module: &'static str, origin: Origin, parameters: &[(&'static str, usize)]) -> Self {
        Identity { module, origin, parameters: parameters.to_vec(), port_docs: &[] }
    }

    /// The same with what is said about its ports, by field.
    pub fn with_port_docs(self, port_docs: &'static [(&'static str, &'static str)]) -> Self {
        Identity { port_docs, ..self }
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
        let texts = |(name, doc): &(&str, &str)| (name.to_string(), doc.to_string());
        let described = Described {
            verilog_name: self.verilog_name(),
            origin: self.origin.to_string(),
            parameters: self.parameters.iter().map(|(name, value)| (name.to_string(), *value)).collect(),
            port_docs: self.port_docs.iter().map(texts).collect(),
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
