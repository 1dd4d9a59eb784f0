// SPDX-License-Identifier: Apache-2.0
//! The CTA status monitor of an SM: R §V-B. It is told where the context and the registers of each block are,
//! and selects which of the pending blocks that could resume goes on.
//!
//! It takes two updates a cycle, in the order in which they happen; more wait. A selection does not wait for
//! them: a block that has just been launched, or has left, is not among those that could resume. Without
//! updates and selection the monitor sees no clock edge.

use std::collections::VecDeque;

use gpurf_blocks::ports::CtaStatusMonitorIn;
use gpurf_blocks::FLAG_WORD;

use super::super::names::{BlockId, BlockSet};
use crate::checkpoint::checkpoint;
use crate::engines::StatusMonitorEngine;
use crate::finereg::{Candidate, Location, Status};

pub(in crate::sm) struct StatusMonitor {
    engine: StatusMonitorEngine,
    updates: VecDeque<(BlockId, Status)>,
}

checkpoint! {
    [] StatusMonitor {
        values: updates;
        engines: engine;
    }
}

impl StatusMonitor {
    pub fn new(engine: StatusMonitorEngine) -> Self {
        StatusMonitor { engine, updates: VecDeque::new() }
    }

    /// Where a block's context and its registers are from now on.
    pub fn set(&mut self, block: BlockId, context: Location, registers: Location) {
        self.updates.push_back((block, Status { context, registers }));
    }

    /// It need not be stepped.
    pub fn is_idle(&self) -> bool {
        self.updates.is_empty()
    }

    /// Returns true if it says so of a block, or has not been told everything yet.
    pub fn shows(&mut self, block: BlockId, context: Location, registers: Location) -> bool {
        let outputs = self
            .engine
            .settle(&CtaStatusMonitorIn { inspect: block.0 as u32, ..CtaStatusMonitorIn::default() });
        let shown = (outputs.inspected_context, outputs.inspected_registers);
        !self.is_idle() || shown == (context as u32, registers as u32)
    }

    /// One cycle. The pending block selected among these; all of them could resume.
    pub fn step(&mut self, among: BlockSet) -> Option<Candidate> {
        if among.is_empty() && self.is_idle() {
            return None;
        }
        let mut inputs = CtaStatusMonitorIn { select: !among.is_empty(), ..CtaStatusMonitorIn::default() };
        for (word, resumable) in inputs.resumable.iter_mut().enumerate() {
            *resumable = (among.0 >> (FLAG_WORD * word)) as u32;
        }
        for update in 0..inputs.update_cta.len() {
            let Some((block, status)) = self.updates.pop_front() else { break };
            inputs.update_cta[update] = block.0 as u32;
            (inputs.set_context[update], inputs.set_registers[update]) = (true, true);
            inputs.context_location[update] = status.context as u32;
            inputs.register_location[update] = status.registers as u32;
        }
        let outputs = self.engine.settle(&inputs);
        self.engine.tick();
        (!among.is_empty() && outputs.any_candidate)
            .then_some(Candidate { cta: outputs.candidate as usize, in_acrf: outputs.candidate_in_acrf })
    }
}
