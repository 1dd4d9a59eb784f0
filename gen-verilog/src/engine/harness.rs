// SPDX-License-Identifier: Apache-2.0
//! The top module that an engine talks to.

use gpurf_blocks::{Field, PortLayout};

use crate::{Hierarchy, Style};

/// A port of the design, or an element of one, and where its value stands in the packed words.
pub struct Wire {
    /// Name of the design's port.
    port: String,
    /// The port is an array, and this its element.
    index: Option<usize>,
    /// Name in the harness, which every tool keeps as it is.
    pub name: String,
    pub width: usize,
    pub first_word: usize,
}

/// The ports of the top module that these fields name, in their order.
///
/// Elements of an array past the module's own count are left out.
fn wires(hierarchy: &Hierarchy, fields: &[Field], prefix: &str) -> Vec<Wire> {
    let ports = &hierarchy.top_module().ports;
    let wires = fields.iter().filter_map(|field| {
        let port = ports.iter().find(|port| port.name == field.name.field)?;
        let (index, first_word) = (field.name.index, field.first_word);
        let name = format!("{prefix}{first_word}");
        let is_there = index.unwrap_or(0) < port.count;
        is_there.then(|| Wire { port: port.name.clone(), index, name, width: port.width, first_word })
    });
    wires.collect()
}

/// Name of the harness module.
pub const MODULE: &str = "gpurf_harness";

/// A design and the ports by which an engine drives it.
pub struct Harness<'a> {
    pub hierarchy: &'a Hierarchy,
    pub inputs: Vec<Wire>,
    pub outputs: Vec<Wire>,
    /// Words of the packed inputs and outputs.
    pub words: (usize, usize),
}

impl<'a> Harness<'a> {
    pub fn new(hierarchy: &'a Hierarchy, layout: &PortLayout) -> Self {
        let inputs = wires(hierarchy, &layout.inputs, "in");
        let outputs = wires(hierarchy, &layout.outputs, "out");
        Harness { hierarchy, inputs, outputs, words: layout.words() }
    }

    /// Connections of the design's ports, as of an instance, to the harness's names. An array's elements are
    /// joined, the first one lowest.
    pub fn connections(&self) -> String {
        let wires: Vec<_> = self.inputs.iter().chain(&self.outputs).collect();
        let ports = wires.chunk_by(|one, other| one.port == other.port);
        let wires = ports.map(|elements| {
            let names: Vec<_> = elements.iter().rev().map(|wire| wire.name.as_str()).collect();
            format!(",\n    .{}({{{}}})", elements[0].port, names.join(", "))
        });
        // A module without state has no clock.
        let has = |name: &str| self.hierarchy.top_module().ports.iter().any(|port| port.name == name);
        let Style { clock, reset, .. } = &self.hierarchy.style;
        let level = if reset.is_low { "!reset" } else { "reset" };
        let control = [(&clock.0, "clock"), (&reset.name, level)].into_iter().filter(|(name, _)| has(name));
        let control = control.map(|(name, value)| format!(",\n    .{name}({value})"));
        control.chain(wires).collect::<String>().trim_start_matches(",\n").to_string()
    }

    /// The name of the port, or of its element, whose value stands at this output word.
    pub fn output_at(&self, word: usize) -> String {
        let mut wires = self.outputs.iter().rev();
        wires.find(|wire| wire.first_word <= word).map_or(String::new(), |wire| match wire.index {
            Some(index) => format!("{}[{index}]", wire.port),
            None => wire.port.clone(),
        })
    }
}
