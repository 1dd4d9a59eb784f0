//! An instruction that the hardware has taken leaves its warp's buffer.

use gpurf_blocks::{CollectorId, WarpId, WarpSet};

use super::super::context::Context;
use super::super::executing::Executing;
use super::Core;
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
        let (warp, entered) = (WarpId(outputs.issued_warp as u8), outputs.issue & self.collectors.all);
        let enters = entered.count_ones() == 1 && entered & occupied == 0 && ready & warp.bit() != 0;
        let Some(collector) = CollectorId::first_of(entered).filter(|_| enters) else {
            let index = self.index;
            context.records.stage_error(context.clock.now, move || {
                format!(
                    "sub-core {index}: warp {} of ready {ready:#b} enters collectors {entered:#b}, \
                     {occupied:#b} occupied",
                    warp.0
                )
            });
            return;
        };
        context.clock.progress();
        let slot = &mut self.warps[warp.index()];
        let serial = slot.head().1;
        let held = self.collectors.enter(collector);
        let by_lane = !PLAIN && self.cache.is_some();
        let instruction = slot.issue(context.code.decoded(), by_lane, &mut held.expected);
        let decoded = context.code.of(&instruction);

        let resident = context.blocks.get_mut(slot.block);
        resident.first_issue.get_or_insert(context.clock.now);
        resident.diverged = false;
        let opens = if slot.is_issued() {
            resident.finish_warp()
        } else if decoded.barrier && instruction.mask != 0 {
            slot.at_barrier = true;
            resident.arrive()
        } else {
            false
        };
        if opens {
            context.blocks.opened.insert(slot.block);
        }

        let (block, number) = (slot.block, slot.number);
        if let Some(usage) = &mut context.records.usage {
            usage.issue(self.index, warp, decoded.touches);
        }

        let executing = Executing { sub_core: self.index, warp, block, number, serial, instruction };
        if decoded.multicasts && instruction.mask != 0 {
            context.memory.issue_load(&executing);
        }
        let found = self.cache.as_mut().filter(|_| !PLAIN).map_or(0, |cache| cache.enter(collector));
        (held.warp, held.executing, held.reads) = (warp, Some(executing), decoded.reads);
        held.prefetch.clear();
        self.presented &= !warp.bit();
        self.changed |= warp.bit();

        let sources = decoded.sources().len();
        // A collector that caches asks once for a register: a repetition finds it.
        let repeats = if self.caches_operands { decoded.repeats } else { 0 };
        let hits = (u16::from(outputs.hit) | u16::from(found) | repeats) & ((1 << sources) - 1);
        let counters = &mut context.records.counters;
        counters.warp_instructions += 1;
        counters.operand_reads += sources as u64;
        counters.hits += u64::from(hits.count_ones());
        counters.named_operand_reads += u64::from(decoded.named_count);
        counters.named_hits += u64::from((hits & decoded.named).count_ones());
        self.show_issue(&executing, found, outputs.hit, context);
    }
}
