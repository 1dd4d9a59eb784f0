// SPDX-License-Identifier: Apache-2.0
//! Faults in the code, so that tests can show that comparing engines finds them.

use super::chunks::Chunks;
use super::design::ModuleTree;
use super::nodes::{NodeId, Op};

/// A fault in the machine code of a module. The number chooses one of all places where it can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A choice between two values takes the other one.
    SwappedInputs(usize),
    /// A choice between neighbours in memory takes the one before.
    IndexOffByOne(usize),
    /// A value changes, and nobody is told.
    ForgottenChange(usize),
}

impl Fault {
    /// The node whose code is faulty, if the fault is in one.
    pub fn put_in(self, design: &ModuleTree, chunks: &mut Chunks) -> Option<NodeId> {
        let chosen = |place: usize, is_candidate: fn(&Op) -> bool| {
            let candidates = chunks.nodes.iter().filter(|node| is_candidate(design.nodes.op(**node)));
            let mut candidates: Vec<NodeId> = candidates.copied().collect();
            candidates.sort();
            assert!(!candidates.is_empty(), "there is no place for {self:?}");
            Some(candidates[place % candidates.len()])
        };
        match self {
            Fault::SwappedInputs(place) => chosen(place, |op| matches!(op, Op::Mux(..))),
            Fault::IndexOffByOne(place) => chosen(place, |op| matches!(op, Op::Choose(_))),
            Fault::ForgottenChange(place) => {
                let mut read: Vec<NodeId> = chunks.readers.keys().copied().collect();
                read.sort();
                chunks.readers.get_mut(&read[place % read.len()]).expect("a node that is read").clear();
                None
            }
        }
    }
}
