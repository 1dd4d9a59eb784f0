// SPDX-License-Identifier: Apache-2.0
//! Live registers of each place in a kernel's code: what FineReg's compiler gives its hardware
//! (R §IV-B, §V-A).
//!
//! A register is live at a place if some path from there reads it before it is written: standard liveness
//! before the instruction, by backward data flow over the control-flow graph. It is that of one thread. A
//! write kills only if it always happens; one under a guard may not.
//!
//! R's wording differs in three points:
//! - It calls a register alive "until it is used again as a destination". On a straight line, as in R Fig. 7,
//!   that is the same. An instruction that reads what it writes has it alive before: it reads first.
//! - It has the compiler traverse the blocks of a diverging branch in sequence (R Fig. 9a: B1, B2, B3, B4).
//!   Read literally, a write in B2 would end the life of a register that only B3 reads. Here the paths are
//!   joined.
//! - It says that at B2 only B2 and B4 need to be visited. That holds for the threads in B2. A diverged warp
//!   also has threads that wait at the start of B3 or at B4, and its registers are stored for all threads at
//!   once. The live registers of a warp are therefore the union over the places at which it has threads:
//!   [`Liveness::of_warp`].
//!
//! A loop needs no special care: the iteration goes on until nothing changes.
//!
//! Where there is a listing, its control flow is used ([`crate::Kernel::with_liveness`]). A trace alone does
//! not tell it; then the graph is what the trace itself shows: an edge from each instruction to the next one
//! of the same thread, and of the same warp. A guard that failed for some threads is seen as a way past the
//! instruction, one that failed for a whole warp takes its kills away. Such live registers are too few for
//! what the kernel could have done, and enough for what it did.

use std::collections::{BTreeMap, HashSet};

use crate::block::DynamicInstruction;
use crate::program::Program;
use crate::registers::RegisterSet;

/// A node of a control-flow graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlowNode {
    /// Byte offset of the instruction in the kernel's code.
    pub pc: u32,
    /// Vector registers that it reads.
    pub reads: RegisterSet,
    /// Vector registers that it writes whenever it is passed.
    pub kills: RegisterSet,
    /// Vector registers that it may write.
    pub writes: RegisterSet,
    /// Indices of the nodes that may follow.
    pub successors: Vec<u32>,
}

/// Where the control-flow graph comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The kernel's listing: all paths there are.
    Listing,
    /// The trace itself: the paths that were taken.
    Observed,
}

/// Live registers by place.
#[derive(Clone, Debug, PartialEq)]
pub struct Liveness {
    /// The origin of the flow of control.
    pub origin: Origin,
    /// By program counter.
    live: BTreeMap<u32, RegisterSet>,
    nodes: Vec<FlowNode>,
}

impl Liveness {
    /// Solves the data flow over a graph. Nodes at one program counter are one place.
    pub fn of(origin: Origin, nodes: Vec<FlowNode>) -> Liveness {
        let mut live = vec![RegisterSet::default(); nodes.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for (index, node) in nodes.iter().enumerate().rev() {
                let after = node.successors.iter().map(|&successor| live[successor as usize]);
                let after = after.fold(RegisterSet::default(), RegisterSet::union);
                let before = after.difference(node.kills).union(node.reads);
                changed |= before != live[index];
                live[index] = before;
            }
        }
        let mut by_pc = BTreeMap::<u32, RegisterSet>::new();
        for (node, live) in nodes.iter().zip(live) {
            let place = by_pc.entry(node.pc).or_default();
            *place = place.union(live);
        }
        Liveness { origin, live: by_pc, nodes }
    }

    /// The control-flow graph.
    pub fn nodes(&self) -> &[FlowNode] {
        &self.nodes
    }

    /// Registers that are live before the instruction at `pc`.
    pub fn at(&self, pc: u32) -> RegisterSet {
        self.live.get(&pc).copied().unwrap_or_default()
    }

    /// Places in the code.
    pub fn places(&self) -> impl Iterator<Item = (u32, RegisterSet)> + Clone + '_ {
        self.live.iter().map(|(&pc, &live)| (pc, live))
    }

    /// Registers of a warp that are live before the first of `rest`, the instructions it has left: those at
    /// the places at which its threads are. `threads` are those that still execute anything.
    pub fn of_warp(&self, program: &Program, rest: &[DynamicInstruction], threads: u32) -> RegisterSet {
        let mut live = RegisterSet::default();
        visit_places(rest, threads, |instruction| {
            live = live.union(self.at(program[instruction.static_index].pc));
        });
        live
    }
}

/// Visits the instructions at which a warp's threads are, before the first of `rest`. For a thread that does
/// not execute the first one it is the next that it does. An instruction at which no thread does anything,
/// because its guard fails for all of them, counts as well: its operands are read.
pub fn visit_places(rest: &[DynamicInstruction], threads: u32, mut visit: impl FnMut(&DynamicInstruction)) {
    let mut met = 0;
    for (number, instruction) in rest.iter().enumerate() {
        if number == 0 || instruction.mask == 0 || instruction.mask & !met != 0 {
            visit(instruction);
        }
        met |= instruction.mask;
        if threads & !met == 0 {
            break;
        }
    }
}

pub(crate) fn add_edges(instructions: &[DynamicInstruction], edges: &mut HashSet<(u32, u32)>) {
    let mut latest = [None; 32];
    let mut previous: Option<DynamicInstruction> = None;
    for instruction in instructions {
        let index = instruction.static_index;
        if let Some(previous) = previous {
            edges.insert((previous.static_index, index));
        }
        let together = previous.is_some_and(|previous| previous.mask == instruction.mask);
        for lane in (0..32).filter(|lane| instruction.mask >> lane & 1 == 1) {
            if let (false, Some(from)) = (together, latest[lane]) {
                edges.insert((from, index));
            }
            latest[lane] = Some(index);
        }
        previous = Some(*instruction);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registers::RegisterId;

    fn set(registers: &[u8]) -> RegisterSet {
        registers.iter().copied().map(RegisterId).collect()
    }

    /// Reads, writes, successors.
    type Line<'a> = (&'a [u8], &'a [u8], &'a [u32]);

    /// Places 8 bytes apart.
    fn graph(lines: &[Line]) -> Liveness {
        let node = |(place, line): (usize, &Line)| FlowNode {
            pc: 8 * place as u32,
            reads: set(line.0),
            kills: set(line.1),
            writes: set(line.1),
            successors: line.2.to_vec(),
        };
        Liveness::of(Origin::Listing, lines.iter().enumerate().map(node).collect())
    }

    #[test]
    fn as_in_fig_7_a_register_lives_from_its_definition_to_its_last_use() {
        // What the paper's text says of the figure: R0 is read at 0x0000, the others are written first, at
        // 0x0028, 0x0020 and 0x0038.
        let live = graph(&[
            (&[0], &[], &[1]),
            (&[0], &[], &[2]),
            (&[], &[], &[3]),
            (&[0], &[], &[4]),
            (&[0], &[2], &[5]),
            (&[0], &[1], &[6]),
            (&[1, 2], &[0], &[7]),
            (&[0], &[3], &[8]),
            (&[3], &[], &[]),
        ]);
        assert_eq!(live.at(0x00), set(&[0]), "a warp stalled at 0x0000 needs to keep only R0");
        assert_eq!(live.at(0x28), set(&[0, 2]));
        assert_eq!(live.at(0x30), set(&[1, 2]), "R0 is written there");
        assert_eq!(live.at(0x38), set(&[0]));
        assert_eq!(live.at(0x40), set(&[3]));
    }

    #[test]
    fn as_in_fig_9a_both_sides_of_a_branch_count() {
        // B1: 0; B2: 1, writes R1 and R2; B3: 2, reads R1 and R3; B4: 3, reads R2.
        let live =
            graph(&[(&[0], &[], &[1, 2]), (&[0], &[1, 2], &[3]), (&[1, 3], &[], &[3]), (&[2], &[], &[])]);
        assert_eq!(live.at(0), set(&[0, 1, 2, 3]), "a write in B2 saves nothing for B3");
        assert_eq!(live.at(8), set(&[0]), "its threads visit B2 and B4 only");
        assert_eq!(live.at(16), set(&[1, 2, 3]));
    }

    #[test]
    fn as_in_fig_9b_a_loop_keeps_what_its_next_turn_needs() {
        // B1: 0 to 2, the loop; B2: 3. R1 is read at the loop's start, written at its end.
        let live = graph(&[(&[1], &[2], &[1]), (&[2], &[3], &[2]), (&[4], &[1], &[0, 3]), (&[3], &[], &[])]);
        assert_eq!(live.at(8), set(&[2, 4]), "R1 is written before the next turn");
        assert_eq!(live.at(0), set(&[1, 4]), "R4 is for every turn");
        assert_eq!(live.at(16), set(&[3, 4]));
    }

    #[test]
    fn a_guarded_write_kills_nothing_and_a_read_comes_first() {
        let live = graph(&[(&[], &[], &[1]), (&[5], &[5], &[2]), (&[5, 6], &[], &[])]);
        assert_eq!(live.at(0), set(&[5, 6]));
    }

    fn instruction(static_index: u32, mask: u32) -> DynamicInstruction {
        let mut block = crate::ThreadBlock::new([0; 3]);
        block.begin_warp(0);
        block.push(static_index, mask, &[]);
        block.warps[0].instructions[0]
    }

    #[test]
    fn a_diverged_warp_is_at_several_places() {
        let places = |stream: &[(u32, u32)], threads| {
            let rest: Vec<_> = stream.iter().map(|&(index, mask)| instruction(index, mask)).collect();
            let mut places = vec![];
            visit_places(&rest, threads, |found| places.push(found.static_index));
            places
        };
        assert_eq!(places(&[(0, 15), (1, 15)], 15), [0]);
        assert_eq!(places(&[(1, 3), (2, 3), (4, 12), (5, 15)], 15), [1, 4], "threads 2 and 3 wait at 4");
        assert_eq!(places(&[(1, 3), (2, 0), (3, 3), (4, 12)], 15), [1, 2, 4], "place 2 is read by nobody");
        assert_eq!(places(&[(1, 3), (2, 3), (3, 3)], 3), [1], "the others have ended");
        assert_eq!(places(&[], 0), []);
    }

    #[test]
    fn an_observed_graph_lets_threads_pass_what_their_guard_forbids() {
        let mut edges = HashSet::new();
        add_edges(&[instruction(0, 3), instruction(1, 1), instruction(2, 0), instruction(3, 3)], &mut edges);
        let mut edges: Vec<_> = edges.into_iter().collect();
        edges.sort_unstable();
        assert_eq!(edges, [(0, 1), (0, 3), (1, 2), (1, 3), (2, 3)]);
    }
}
