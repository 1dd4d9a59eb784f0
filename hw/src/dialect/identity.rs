//! What a hardware module is called when it is exported.

use rust_hdl::core::atom::{Atom, AtomKind};
use rust_hdl::core::constraint::PinConstraint;
use rust_hdl::prelude::*;

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
}

impl Identity {
    pub fn new(module: &'static str, origin: Origin, parameters: &[(&'static str, usize)]) -> Self {
        Identity { module, origin, parameters: parameters.to_vec() }
    }

    /// Module name in Verilog: the type, then each parameter's first letters and value,
    /// `request_queue_depth14_collector1`.
    pub fn verilog_name(&self) -> String {
        let parameters = self.parameters.iter().map(|(name, value)| format!("_{name}{value}"));
        format!("{}{}", self.module, parameters.collect::<String>())
    }
}

/// A separator that stands in no title, so that a descriptor can carry all fields of an identity.
const SEPARATOR: char = '\u{1f}';

impl Identity {
    /// Reads an identity back from the descriptor of an [`Atom`] met by a probe.
    pub fn of(atom: &dyn Atom) -> Option<(String, String, Vec<(String, usize)>)> {
        let name = atom.descriptor().name;
        let mut fields = name.strip_prefix("identity")?.strip_prefix(SEPARATOR)?.split(SEPARATOR);
        let (verilog_name, origin) = (fields.next()?.to_string(), fields.next()?.to_string());
        let parameters = fields.filter_map(|field| {
            let (name, value) = field.split_once('=')?;
            Some((name.to_string(), value.parse().ok()?))
        });
        Some((verilog_name, origin, parameters.collect()))
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
        let parameters = self.parameters.iter().map(|(name, value)| format!("{SEPARATOR}{name}={value}"));
        let parameters = parameters.collect::<String>();
        let name = self.verilog_name();
        TypeDescriptor {
            name: format!("identity{SEPARATOR}{name}{SEPARATOR}{}{parameters}", self.origin),
            kind: TypeKind::Bits(0),
        }
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
