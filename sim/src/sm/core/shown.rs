// SPDX-License-Identifier: Apache-2.0
//! The reports of a sub-core to those who follow its instructions: see `pipeline`.

use gpurf_blocks::{BankId, CollectorId, WarpId};
use gpurf_trace::RegisterId;

use super::super::context::Context;
use super::super::executing::Executing;
use super::super::names::BlockId;
use super::collectors::Collecting;
use super::Core;
use crate::engines::RunsSubCore;
use crate::words::CycleOut;

impl<E: RunsSubCore> Core<E> {
    /// The warps of a resident block begin.
    pub fn begin_block(&self, block: BlockId, context: &mut Context) {
        if context.records.pipeline.is_some() {
            let starts = |warp: &&WarpId| self.warps[warp.index()].block == block;
            self.ages.iter().filter(starts).for_each(|&warp| self.begin_head(warp, context));
        }
    }

    /// The next instruction of a warp, if it has one left, comes to the head of its buffer.
    fn begin_head(&self, warp: WarpId, context: &mut Context) {
        let slot = &self.warps[warp.index()];
        if !slot.is_issued() {
            let (&instruction, serial) = slot.head();
            let (sub_core, block, number) = (self.shape.index, slot.block, slot.number);
            let executing = Executing { sub_core, warp, block, number, serial, instruction };
            let Context { blocks, clock, code, records, .. } = context;
            let (resident, decoded) = (&blocks.get(block).block, code.of(&instruction));
            let kernel = &code.header.name;
            records.show(|pipeline| pipeline.begin(clock.now, kernel, resident, decoded, &executing));
        }
    }

    /// A round of an instruction enters a collector; those of its sources that neither the collector nor the
    /// register cache has are read from their banks. `found`: bit s, one of them has all of slot s.
    #[inline]
    pub(super) fn show_issue(&self, executing: &Executing, round: u8, found: u8, context: &mut Context) {
        if context.records.pipeline.is_some() {
            self.show_reads_of(executing, round, found, context);
        }
    }

    #[cold]
    fn show_reads_of(&self, executing: &Executing, round: u8, found: u8, context: &mut Context) {
        let Executing { warp, serial, instruction, .. } = *executing;
        let decoded = context.code.of(&instruction);
        let sources = decoded.round(round).sources().iter().enumerate();
        let missed = sources.filter(|(slot, _)| found >> slot & 1 == 0);
        // The instruction that has entered is still at the head.
        let head = &self.hardware.inputs.heads[warp.index()];
        let banks = missed.map(|(slot, &register)| {
            let (lender, base) = head.lender(slot);
            self.results.home(lender, base, register).0
        });
        if let Some(pipeline) = &mut context.records.pipeline {
            pipeline.issue(self.shape.index, serial, banks);
        }
    }

    /// An instruction, or this round of it, has left its warp's buffer: what follows its last round comes to
    /// the head.
    #[inline]
    pub(super) fn show_next(&self, executing: &Executing, round: u8, context: &mut Context) {
        if context.records.pipeline.is_some() && round == context.code.of(&executing.instruction).last_round()
        {
            self.begin_head(executing.warp, context);
        }
    }

    /// A prefetch enters a collector; what the register cache does not have is read from the banks.
    pub(super) fn show_prefetch(&self, warp: WarpId, collector: CollectorId, context: &mut Context) {
        let Some(Collecting { prefetch, .. }) = self.collectors.last(collector) else { return };
        let found = self.cached.cache.as_ref().map_or(0, |cache| cache.held[collector.index()].whole);
        context.records.show(|pipeline| {
            for (slot, &register) in prefetch.iter().enumerate() {
                if found >> slot & 1 == 0 {
                    pipeline.save(self.shape.index, self.bank_of(warp, register));
                }
            }
        });
    }

    /// Where a register of a warp in its slot lives.
    fn bank_of(&self, warp: WarpId, register: RegisterId) -> BankId {
        self.results.home(warp, self.warps[warp.index()].base, register).0
    }

    /// The reads that go to their banks in a cycle. `issues`: an instruction of a warp was issued in it.
    pub(super) fn show_reads(&self, outputs: &CycleOut<u32>, issues: bool, context: &mut Context) {
        let now = context.clock.now;
        context.records.show(move |pipeline| {
            let entered = CollectorId::first_of(outputs.issue).filter(|_| issues);
            let issued = entered.and_then(|collector| self.collectors.last(collector)?.executing);
            let serial = issued.map(|executing| executing.serial);
            let banks = [outputs.bank_read, outputs.second_read];
            pipeline.read(now, self.shape.index, banks, serial);
        });
    }
}
