// SPDX-License-Identifier: Apache-2.0
//! An instruction that the hardware has taken, or a round of it, leaves its warp's buffer.

use gpurf_blocks::{CollectorId, WarpId, WarpSet};

use super::super::context::Context;
use super::super::executing::Executing;
use super::collectors::Place;
use super::Core;
use crate::bits::all;
use crate::engines::RunsSubCore;
use crate::words::CycleOut;

impl<E: RunsSubCore> Core<E> {
    // In the loop of plain sub-cores, and in that of the others.
    #[inline(always)]
    pub(super) fn issue<const PLAIN: bool>(
        &mut self,
        outputs: &CycleOut<u32>,
        ready: WarpSet,
        occupied: u8,
        context: &mut Context,
    ) {
        let warp = WarpId(outputs.issued_warp as u8);
        if self.shape.has_latches {
            return self.enter_latch::<PLAIN>(warp, ready, context);
        }
        let entered = outputs.issue & self.collectors.all;
        let enters = entered.count_ones() == 1 && entered & occupied == 0 && ready & warp.bit() != 0;
        let Some(collector) = CollectorId::first_of(entered).filter(|_| enters) else {
            return self.refuse(warp, ready, entered, occupied, context);
        };
        context.clock.progress();
        let executing = self.take_head::<PLAIN>(warp, Place::Collector(collector), context);
        let found = self.cached.cache.as_mut().filter(|_| !PLAIN).map_or(0, |cache| cache.enter(collector));
        self.count_entry(collector, outputs, found, context);
        let round = self.collectors.last(collector).map_or(0, |held| held.round);
        self.show_issue(&executing, round, found | outputs.hit, context);
        self.show_next(&executing, round, context);
    }

    #[cold]
    fn refuse(&self, warp: WarpId, ready: WarpSet, entered: u8, occupied: u8, context: &mut Context) {
        let index = self.shape.index;
        context.records.stage_error(context.clock.now, move || {
            format!(
                "sub-core {index}: warp {} of ready {ready:#b} enters collectors {entered:#b}, \
                 {occupied:#b} occupied",
                warp.0
            )
        });
    }

    /// The instruction at the head of a warp's buffer, or its next round, goes to a collector or a latch.
    #[inline(always)]
    pub(super) fn take_head<const PLAIN: bool>(
        &mut self,
        warp: WarpId,
        place: Place,
        context: &mut Context,
    ) -> Executing {
        let slot = &mut self.warps[warp.index()];
        let (serial, round) = (slot.head().1, slot.round());
        let held = self.collectors.take(place);
        let by_lane = !PLAIN && self.cached.cache.is_some();
        let instruction = slot.issue(context.code.decoded(), by_lane, &mut held.expected);
        let decoded = context.code.of(&instruction);
        let is_last = round == decoded.last_round();

        let (block, number) = (slot.block, slot.number);
        let executing = Executing { sub_core: self.shape.index, warp, block, number, serial, instruction };
        self.leave_buffer(executing, is_last, context);
        let held = self.collectors.take(place);
        let decoded = context.code.of(&instruction);
        (held.warp, held.executing) = (warp, Some(executing));
        (held.round, held.reads) = (round, decoded.round(round).reads);
        held.prefetch.clear();
        self.situation.renew(warp);
        if is_last {
            context.records.counters.warp_instructions += 1;
            context.records.counters.named_operand_reads += u64::from(decoded.named_count);
        } else {
            context.records.stalls.rounds += 1;
        }
        executing
    }

    /// Counts the operands of what has entered a collector. `found`: slots that the register cache has, a bit
    /// each.
    #[inline(always)]
    pub(super) fn count_entry(
        &self,
        collector: CollectorId,
        outputs: &CycleOut<u32>,
        found: u8,
        context: &mut Context,
    ) {
        let Some(held) = self.collectors.last(collector) else { return };
        let entering = context.code.of(&held.instruction().instruction).round(held.round);
        let sources = entering.sources().len();
        // A collector that caches asks once for a register: a repetition finds it.
        let repeats = if self.shape.caches_operands { entering.repeats } else { 0 };
        let hits = (outputs.hit | found | repeats) & all(sources);
        let counters = &mut context.records.counters;
        counters.operand_reads += sources as u64;
        counters.hits += u64::from(hits.count_ones());
        counters.named_hits += u64::from((hits & entering.named).count_ones());
    }

    /// Tells its block and others that an instruction leaves its warp's buffer. `is_last`: no round of it
    /// follows.
    #[inline(always)]
    pub(super) fn leave_buffer(&mut self, executing: Executing, is_last: bool, context: &mut Context) {
        let Executing { warp, instruction, .. } = executing;
        let slot = &mut self.warps[warp.index()];
        let decoded = context.code.of(&instruction);
        let resident = context.blocks.get_mut(slot.block);
        resident.first_issue.get_or_insert(context.clock.now);
        resident.diverged = false;
        let opens = if !is_last {
            false
        } else if slot.is_issued() {
            resident.finish_warp()
        } else if decoded.barrier && instruction.mask != 0 {
            slot.at_barrier = true;
            // Without collectors it arrives when it leaves its queue.
            self.window.is_none() && resident.arrive()
        } else {
            false
        };
        if opens {
            context.blocks.opened.insert(slot.block);
        }
        if let Some(usage) = context.records.usage.as_mut().filter(|_| is_last) {
            usage.issue(self.shape.index, warp, decoded.touches);
        }
        if decoded.multicasts && instruction.mask != 0 && is_last {
            context.memory.issue_load(&executing);
        }
    }
}
