// SPDX-License-Identifier: Apache-2.0
//! The dispatched instruction goes to its unit, which begins when it has all of its rounds.

use gpurf_blocks::{CollectorId, WarpId};
use gpurf_trace::RegisterSet;

use super::super::context::Context;
use super::Core;
use crate::engines::RunsSubCore;
use crate::words::CycleOut;

impl<E: RunsSubCore> Core<E> {
    /// Sends the dispatched instruction, if there is one, to its unit. `dispatched`, `occupied`: a bit per
    /// collector.
    #[inline(always)]
    pub(super) fn dispatch<const PLAIN: bool>(
        &mut self,
        dispatched: u8,
        outputs: &CycleOut<u32>,
        occupied: u8,
        context: &mut Context,
    ) {
        let Some(collector) = CollectorId::first_of(dispatched) else { return };
        if dispatched.count_ones() > 1 || dispatched & occupied == 0 {
            let index = self.shape.index;
            context.records.stage_error(context.clock.now, move || {
                format!("sub-core {index}: dispatch {dispatched:#b}, collectors {occupied:#b} occupied")
            });
            return;
        }
        let caches = !PLAIN && self.cached.cache.is_some();
        if !PLAIN && self.end_save(collector, outputs) {
            return;
        }
        if caches && self.holds_prefetch(collector) {
            self.end_prefetch(collector, outputs);
            return;
        }
        let held = self.collectors.last(collector).expect("there is such a collector");
        let executing = held.instruction();
        let Context { code, clock, records, .. } = context;
        let decoded = code.of(&executing.instruction);
        self.check_instruction(outputs, executing, decoded, clock, records);
        let round = decoded.round(held.round);
        let operand = |slot| self.operand(outputs, collector, slot);
        let lanes = if caches { executing.instruction.mask } else { u32::MAX };
        Self::check_operands(operand, lanes, executing, (decoded.pc, round), &held.expected, clock, records);
        let (warp, serial, idle) = (executing.warp, executing.serial, executing.is_idle());
        if caches && self.takes_in(collector) {
            self.fill(warp, collector, (round.sources(), &round.positions), outputs);
        }

        clock.progress();
        let now = clock.now;
        self.collectors.leave(collector);
        self.read_on(warp);
        if decoded.last_round() > 0 && !self.has_gathered(warp, serial) {
            return;
        }

        self.units.enter(decoded.unit, now + decoded.timing.initiation);
        let (in_memory, completion) = (decoded.memory.is_some(), now + decoded.timing.latency);
        records.show(move |pipeline| match idle {
            true => pipeline.leave(now, serial),
            false => pipeline.dispatch(now, serial),
        });
        if idle && !(in_memory && context.memory.takes_idle) {
            // No lane is active: it read its operands, and that is all.
            self.complete_part(warp, context);
            return;
        }
        let executing = *self.collectors.last(collector).expect("there is such a collector").instruction();
        if self.renamed.is_some() {
            return self.leave_renamed(executing, completion, context);
        }
        if in_memory {
            context.send_to_memory(executing, None);
        } else {
            context.completions.plan(completion, &executing);
        }
    }

    /// The unit has every round of a warp's instruction. Rounds that lie in several collectors come in any
    /// order.
    #[inline(never)]
    fn has_gathered(&self, warp: WarpId, serial: u32) -> bool {
        self.warps[warp.index()].next_serial() != serial && !self.collectors.hold(serial)
    }

    /// Notes that a warp's pending reads have changed.
    pub(super) fn read_on(&mut self, warp: WarpId) {
        let reading = self.reading(warp);
        self.warps[warp.index()].dispatch(reading);
        self.situation.look_again(warp, self.situation.states.dependence);
    }

    /// Operands of the warp's instructions that are still in collectors.
    fn reading(&self, warp: WarpId) -> RegisterSet {
        let filling =
            self.cached.cache.as_ref().map_or_else(RegisterSet::default, |cache| cache.filling(warp));
        let of_warp = self.collectors.iter().filter(|held| held.warp == warp);
        of_warp.fold(filling, |set, held| set.union(held.reads))
    }
}
