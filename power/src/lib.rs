// SPDX-License-Identifier: Apache-2.0
//! Energies of operand stages under what code really moves, and of register caches for each event: netlists
//! follow the streaming multiprocessor, or random stimulus.

pub mod constants;
#[cfg(test)]
mod known;
pub mod register_cache;
pub mod stage;
mod window;

use gpurf_blocks::Field;
use gpurf_synth::power::{Chances, Setting};
use gpurf_synth::Library;

pub use window::Netlists;

/// The node of the cell library in nanometres, unless another one is asked for.
pub const NODE_NM: u32 = 45;
/// Transition time of the clock and the inputs, unless another one is asked for.
pub const TRANSITION_NS: f64 = 0.02;

/// The setting that is taken for granted, unless something else is asked for.
pub fn usual_setting(library: &Library) -> Setting {
    let wires = library.default_wire_load.as_ref().and_then(|name| library.wire_loads.get(name).cloned());
    let (input_transition_ns, output_load_ff) = (TRANSITION_NS, gpurf_synth::LOAD_FF);
    Setting { input_transition_ns, output_load_ff, wires, chances: Chances::Counted }
}

/// The name of the port that a packed word belongs to.
fn port_of(fields: &[Field], word: usize) -> String {
    let field = fields.iter().rfind(|field| field.first_word <= word);
    field.map_or(String::new(), |field| field.name.to_string())
}

/// The first port that has another word than expected, with both words.
pub fn difference(fields: &[Field], found: &[u32], expected: &[u32]) -> Option<(String, u32, u32)> {
    let word = (0..found.len()).find(|word| found[*word] != expected[*word])?;
    Some((port_of(fields, word), found[word], expected[word]))
}
