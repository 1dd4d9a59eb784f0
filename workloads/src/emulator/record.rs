// SPDX-License-Identifier: Apache-2.0
//! The execution of a block, as an instruction stream.

use gpurf_trace::{Operands, Program, RegisterId, ThreadBlock};

use super::access::Touched;
use super::operation::Lanes;
use super::warp::Warp;

/// Collects what the warps of a block execute.
pub(super) struct Recorder<'a> {
    /// A block of each warp alone.
    warps: Vec<ThreadBlock>,
    /// The kernel's instructions, if values of registers are recorded, too.
    valued: Option<&'a Program>,
    /// Digests of the sources of the instruction that is about to be executed.
    sources: Vec<u64>,
}

impl<'a> Recorder<'a> {
    pub fn new(warps: usize, valued: Option<&'a Program>) -> Recorder<'a> {
        let recording = |number| {
            let mut block = ThreadBlock::default();
            block.begin_warp(number as u32);
            block
        };
        Recorder { warps: (0..warps).map(recording).collect(), valued, sources: vec![] }
    }

    /// An instruction of a warp is about to be executed.
    #[inline]
    pub fn before(&mut self, warp: &Warp, index: u32) {
        let Some(program) = self.valued else { return };
        let sources = &program[index].sources;
        self.sources.clear();
        self.sources.extend(sources.iter().map(|source| Operands::digest(value(warp, source))));
    }

    /// The operands of an instruction that was pushed.
    #[inline]
    pub fn after(&mut self, number: usize, warp: &Warp, index: u32) {
        let Some(program) = self.valued else { return };
        let destinations = &program[index].destinations;
        let values = destinations.iter().map(|destination| *value(warp, destination));
        self.warps[number].push_operands(&self.sources, values);
    }

    #[inline]
    pub fn push(&mut self, warp: usize, index: u32, mask: u32, touched: &Touched) {
        let addresses = &touched.addresses[..touched.count];
        match touched.digest {
            Some(digest) => self.warps[warp].push_digested(index, mask, addresses, digest),
            None => self.warps[warp].push(index, mask, addresses),
        }
    }

    pub fn finish(self, id: [u32; 3]) -> ThreadBlock {
        let mut block = ThreadBlock::new(id);
        self.warps.into_iter().for_each(|warp| block.adopt(warp));
        block
    }
}

fn value<'w>(warp: &'w Warp, register: &RegisterId) -> &'w Lanes {
    &warp.registers[register.index()]
}
