// SPDX-License-Identifier: Apache-2.0
//! Energy of the memories of a netlist, from how often they are read and written.

use anyhow::Result;

use super::Energy;
use crate::circuit::{Activity, Circuit};
use crate::memories::{Memories, MemoryEnergy, ProcessNode};

/// Energies of each memory of a circuit, in its order: figures of an access, and energy of a cycle. An
/// access counts as one of a whole row, whatever part of it is written and whatever the data are.
///
/// # Errors
/// Of each memory: if nothing is known of its size.
pub fn memories(
    circuit: &Circuit,
    activity: &Activity,
    figures: &Memories,
    node: &ProcessNode,
) -> Vec<Result<(MemoryEnergy, Energy)>> {
    let cycles = (activity.cycles as f64).max(1.0);
    let of_each = circuit.memories.iter().zip(&activity.accesses).map(|(memory, (reads, writes))| {
        let each = figures.access(memory.rows, memory.width, memory.ports())?.at(node);
        let accesses = *reads as f64 * each.read_fj + *writes as f64 * each.write_fj;
        let energy =
            Energy { internal_fj: accesses / cycles, leakage_nw: each.leakage_nw, ..Energy::default() };
        Ok((each, energy))
    });
    of_each.collect()
}
