// SPDX-License-Identifier: Apache-2.0
//! Register intervals: parts of a kernel's code that a warp enters at one place and that use few registers,
//! so that all of them can be fetched at entry. What LTRF's compiler gives its hardware.
//!
//! LTRF is known to this project from the papers that compare themselves with it; this is interval analysis
//! of a control-flow graph with a limit to registers:
//! 1. An interval begins at a header, at first the kernel's entry. A place joins it if all its predecessors
//!    are in it and its registers fit beside the interval's. What follows the finished interval are headers
//!    of others. The header of a loop has a predecessor that cannot be in the interval before it, so a loop's
//!    turns stay in its interval.
//! 2. An interval that is entered from one other only is joined with it, if the registers of both fit, until
//!    none is.

use std::collections::{BTreeMap, BTreeSet};

use crate::liveness::Liveness;
use crate::registers::RegisterSet;

/// Register intervals by place.
#[derive(Clone, Debug, PartialEq)]
pub struct Intervals {
    number: BTreeMap<u32, usize>,
    registers: Vec<RegisterSet>,
}

/// Places in the code, by program counter.
struct Graph {
    registers: BTreeMap<u32, RegisterSet>,
    successors: BTreeMap<u32, BTreeSet<u32>>,
    predecessors: BTreeMap<u32, BTreeSet<u32>>,
}

impl Intervals {
    /// Intervals whose registers fit, as `fits` says. An instruction whose own registers do not is an
    /// interval alone.
    pub fn of(liveness: &Liveness, fits: impl Fn(RegisterSet) -> bool) -> Intervals {
        let graph = Graph::of(liveness);
        let mut intervals = Intervals { number: BTreeMap::new(), registers: vec![] };
        let entry = |pc: &u32| graph.predecessors[pc].is_empty();
        let first = graph.registers.keys().next().copied();
        let mut headers: BTreeSet<u32> = graph.registers.keys().copied().filter(entry).chain(first).collect();
        while intervals.number.len() < graph.registers.len() {
            // Code that nothing reaches begins an interval too.
            let missing = || graph.registers.keys().find(|pc| !intervals.number.contains_key(pc)).copied();
            let header = headers.pop_first().or_else(missing).expect("a place is missing");
            if !intervals.number.contains_key(&header) {
                headers.extend(intervals.grow(&graph, header, &fits));
            }
        }
        intervals.join(&graph, fits);
        intervals
    }

    /// The interval of an instruction, and its registers.
    pub fn at(&self, pc: u32) -> Option<(usize, RegisterSet)> {
        let &number = self.number.get(&pc)?;
        Some((number, self.registers[number]))
    }

    /// Adds the interval of a header; what follows it.
    fn grow(&mut self, graph: &Graph, header: u32, fits: impl Fn(RegisterSet) -> bool) -> BTreeSet<u32> {
        let number = self.registers.len();
        self.registers.push(graph.registers[&header]);
        self.number.insert(header, number);
        let mut next = graph.successors[&header].clone();
        loop {
            let joins = |pc: &u32| {
                let inside = |from: &u32| self.number.get(from) == Some(&number);
                let all = self.registers[number].union(graph.registers[pc]);
                !self.number.contains_key(pc) && graph.predecessors[pc].iter().all(inside) && fits(all)
            };
            let Some(pc) = next.iter().copied().find(joins) else { return next };
            self.registers[number] = self.registers[number].union(graph.registers[&pc]);
            self.number.insert(pc, number);
            next.remove(&pc);
            next.extend(&graph.successors[&pc]);
        }
    }

    fn join(&mut self, graph: &Graph, fits: impl Fn(RegisterSet) -> bool) {
        loop {
            let mut entered: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); self.registers.len()];
            for (pc, successors) in &graph.successors {
                let from = self.number[pc];
                let others = successors.iter().map(|to| self.number[to]).filter(|&to| to != from);
                others.for_each(|to| {
                    entered[to].insert(from);
                });
            }
            let entry = graph.registers.keys().next().map(|pc| self.number[pc]);
            let joint = entered.iter().enumerate().find_map(|(number, from)| {
                let &into = from.first().filter(|_| from.len() == 1 && Some(number) != entry)?;
                fits(self.registers[into].union(self.registers[number])).then_some((number, into))
            });
            let Some((number, into)) = joint else { return };
            self.registers[into] = self.registers[into].union(self.registers[number]);
            self.number.values_mut().filter(|of| **of == number).for_each(|of| *of = into);
        }
    }
}

impl Graph {
    fn of(liveness: &Liveness) -> Graph {
        let places = || liveness.nodes().iter().map(|node| node.pc);
        let mut graph = Graph {
            registers: places().map(|pc| (pc, RegisterSet::default())).collect(),
            successors: places().map(|pc| (pc, BTreeSet::new())).collect(),
            predecessors: places().map(|pc| (pc, BTreeSet::new())).collect(),
        };
        for node in liveness.nodes() {
            let registers = graph.registers.entry(node.pc).or_default();
            *registers = registers.union(node.reads).union(node.writes);
            for &to in &node.successors {
                let to = liveness.nodes()[to as usize].pc;
                graph.successors.entry(node.pc).or_default().insert(to);
                graph.predecessors.entry(to).or_default().insert(node.pc);
            }
        }
        graph
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::liveness::{FlowNode, Origin};
    use crate::registers::RegisterId;

    /// Registers and successors of each place.
    fn intervals(lines: &[(&[u8], &[u32])], limit: u32) -> Vec<usize> {
        let node = |(place, (registers, successors)): (usize, &(&[u8], &[u32]))| FlowNode {
            pc: 16 * place as u32,
            reads: registers.iter().copied().map(RegisterId).collect(),
            successors: successors.to_vec(),
            ..FlowNode::default()
        };
        let nodes: Vec<FlowNode> = lines.iter().enumerate().map(node).collect();
        let found = Intervals::of(&Liveness::of(Origin::Listing, nodes), |set| set.len() <= limit);
        (0..lines.len()).map(|place| found.at(16 * place as u32).expect("every place has one").0).collect()
    }

    #[test]
    fn a_straight_line_is_cut_where_registers_do_not_fit() {
        let line: [(&[u8], &[u32]); 4] = [(&[0], &[1]), (&[0, 1], &[2]), (&[2], &[3]), (&[3], &[])];
        assert_eq!(intervals(&line, 4), [0, 0, 0, 0]);
        assert_eq!(intervals(&line, 2), [0, 0, 1, 1]);
        assert_eq!(intervals(&line, 1), [0, 1, 2, 3], "an instruction that does not fit stands alone");
    }

    #[test]
    fn a_loop_stays_in_its_interval_and_is_joined_with_what_precedes_it() {
        let looped: [(&[u8], &[u32]); 4] = [(&[0, 1], &[1]), (&[2], &[2]), (&[3], &[1, 3]), (&[0], &[])];
        assert_eq!(intervals(&looped, 8), [0, 0, 0, 0]);
        let cut = intervals(&looped, 2);
        assert!(cut[0] != cut[1] && cut[1] == cut[2] && cut[2] != cut[3], "{cut:?}");
    }

    #[test]
    fn every_interval_is_entered_at_one_place_and_fits() {
        // Random graphs: place p goes on to p + 1 and jumps anywhere.
        let mut state = 1u32;
        let mut random = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % below
        };
        for _ in 0..200 {
            let count = 2 + random(30);
            let lines: Vec<(Vec<u8>, Vec<u32>)> = (0..count)
                .map(|place| {
                    let registers = (0..1 + random(3)).map(|_| random(20) as u8).collect();
                    let mut successors: Vec<u32> = (place + 1..count).take(1).collect();
                    if random(3) == 0 {
                        successors.push(random(count));
                    }
                    (registers, successors)
                })
                .collect();
            let borrowed: Vec<(&[u8], &[u32])> = lines.iter().map(|(a, b)| (&a[..], &b[..])).collect();
            let limit = 3 + random(6);
            let found = intervals(&borrowed, limit);
            for number in 0..found.len() {
                let of_it = |place: &usize| found[*place] == number;
                let registers: RegisterSet = (0..found.len())
                    .filter(of_it)
                    .flat_map(|place| lines[place].0.iter().copied())
                    .map(RegisterId)
                    .collect();
                assert!(registers.len() <= limit, "{registers:?}");
                let mut entered = BTreeSet::new();
                for (from, (_, successors)) in
                    lines.iter().enumerate().filter(|(from, _)| found[*from] != number)
                {
                    entered.extend(
                        successors.iter().filter(|&&to| found[to as usize] == number).map(|&to| (to, from)),
                    );
                }
                let entries: BTreeSet<u32> = entered.iter().map(|&(to, _)| to).collect();
                let starts = entries.len() + usize::from(of_it(&0) && !entries.contains(&0));
                assert!(starts <= 1, "interval {number} is entered at {entries:?}");
            }
        }
    }
}
