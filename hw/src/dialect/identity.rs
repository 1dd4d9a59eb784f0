// SPDX-License-Identifier: Apache-2.0
//! The identity of a hardware module when it is exported.

use gpurf_blocks::Setting;
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
    /// Its kind, in Verilog: `cache_table`.
    pub module: &'static str,
    /// Its title and the sections of the papers that it implements.
    pub origin: String,
    /// Text of its file: what it does, its timing and its protocol.
    pub about: &'static str,
    /// Parameters and sizes that distinguish it from others of its kind.
    pub settings: Vec<Setting>,
    /// Ports whose docs are comments above them in Verilog.
    pub ports: &'static [Port],
}

/// An [`Identity`] as a probe reads it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Described {
    /// Its kind, in Verilog, without its parameters.
    pub module: String,
    /// Name of the module in Verilog, with the parameters that are not at their defaults.
    pub verilog_name: String,
    /// Title and sections of the papers.
    pub origin: String,
    /// Its function, timing and protocol; empty where nothing is said.
    pub about: String,
    /// Short name and number of each parameter.
    pub parameters: Vec<(String, usize)>,
    /// Full name and value of each parameter.
    pub values: Vec<(String, String)>,
    /// Name and comment of each port, and what is said of a bundle above its first.
    pub port_docs: Vec<PortDoc>,
}

/// The comment of a port.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PortDoc {
    /// Its name in Verilog.
    pub name: String,
    /// The bundle that begins with it; else empty.
    pub bundle: String,
    /// The port itself.
    pub doc: String,
}

impl Identity {
    /// Identity of a module without comments for its ports.
    pub fn new(module: &'static str, origin: &str, sizes: &[(&'static str, usize)]) -> Self {
        let settings = sizes.iter().map(|(name, number)| Setting::size(name, *number)).collect();
        Identity { module, origin: origin.to_string(), about: "", settings, ports: &[] }
    }

    /// Identity of a module as its declaration has it, with the values of its parameters.
    pub fn declared<M: Declared>(settings: Vec<Setting>) -> Self {
        let (module, origin) = (M::NAMING.module, M::NAMING.origin());
        Identity { module, origin, about: M::ABOUT, settings, ports: M::PORTS }
    }

    /// Module name in Verilog: the type, then the short name and the number of each parameter that is not at
    /// its default, `ccu_e16_d2`.
    pub fn verilog_name(&self) -> String {
        let told = self.settings.iter().filter(|setting| !setting.is_default);
        let told = told.map(|Setting { short, number, .. }| format!("_{short}{number}"));
        format!("{}{}", self.module, told.collect::<String>())
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

impl From<&Port> for PortDoc {
    fn from(port: &Port) -> Self {
        PortDoc { name: port.name.into(), bundle: port.bundle.into(), doc: port.doc.into() }
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
        let settings = self.settings.iter();
        let described = Described {
            module: self.module.to_string(),
            verilog_name: self.verilog_name(),
            origin: self.origin.clone(),
            about: self.about.to_string(),
            parameters: settings.clone().map(|one| (one.short.to_string(), one.number)).collect(),
            values: settings.map(|one| (one.name.to_string(), one.text.clone())).collect(),
            port_docs: documented.map(PortDoc::from).collect(),
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
