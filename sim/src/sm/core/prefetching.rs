// SPDX-License-Identifier: Apache-2.0
//! How a sub-core fetches register intervals: see [`super::super::prefetch`].

use gpurf_blocks::{CollectorId, WarpId};
use gpurf_trace::Positions;

use super::super::context::Context;
use super::super::prefetch::position;
use super::super::warp::State;
use super::collectors::Collecting;
use super::Core;
use crate::engines::RunsSubCore;
use crate::words::CycleOut;

impl<E: RunsSubCore> Core<E> {
    /// The state of a warp that could issue, in view of its prefetch, which is put at the head of its buffer.
    pub(super) fn ask_prefetch(&mut self, warp: WarpId, context: &Context) -> State {
        let (Some(intervals), Some(liveness)) = (&context.code.intervals, &context.code.liveness) else {
            return State::Ready;
        };
        let slot = &self.warps[warp.index()];
        let pc = context.code.of(slot.head().0).pc;
        let prefetch = &mut self.cached.prefetches[warp.index()];
        prefetch.reach(pc, intervals, liveness, slot.pending());
        if !prefetch.is_complete() {
            let batch = prefetch.batch(self.shape.places.0);
            self.situation.presented |= warp.bit();
            self.present_reads(warp, self.warps[warp.index()].base, &batch);
            return State::Ready;
        }
        let filling = self.cached.cache.as_ref().is_some_and(|cache| !cache.filling(warp).is_empty());
        let mut held = self.collectors.iter();
        match filling || held.any(|held| held.warp == warp && !held.prefetch.is_empty()) {
            true => State::Prefetch,
            false => State::Ready,
        }
    }

    /// Returns true if what the hardware takes of a warp is a prefetch.
    #[inline]
    pub(super) fn prefetches(&self, warp: WarpId) -> bool {
        !self.cached.prefetches[warp.index()].is_complete()
    }

    /// Notes that the hardware has taken a prefetch, which now is under way.
    #[inline(never)]
    pub(super) fn issue_prefetch(&mut self, outputs: &CycleOut<u32>, context: &mut Context) {
        let Some(cache) = &mut self.cached.cache else { return };
        let warp = WarpId(outputs.issued_warp as u8);
        let batch = self.cached.prefetches[warp.index()].batch(self.shape.places.0);
        let entered = CollectorId::first_of(outputs.issue & self.collectors.all);
        let collector = entered.expect("what is issued enters a collector");
        let read = batch.len() as u32 - cache.enter(collector).count_ones();
        context.records.counters.rc_prefetches += 1;
        context.records.counters.rc_prefetched += u64::from(read);
        context.records.stalls.prefetch += 1;
        context.clock.progress();
        self.cached.prefetches[warp.index()].ask(&batch);
        let reads = batch.iter().copied().collect();
        *self.collectors.enter(collector) =
            Collecting { warp, prefetch: batch, reads, ..Collecting::default() };
        self.situation.renew(warp);
        self.show_prefetch(warp, collector, context);
    }

    /// Returns true if what a collector holds, or held last, is a prefetch.
    #[inline]
    pub(super) fn holds_prefetch(&self, collector: CollectorId) -> bool {
        self.collectors.last(collector).is_some_and(|held| !held.prefetch.is_empty())
    }

    /// Fills the cache with the registers that a prefetch has read.
    #[inline(never)]
    pub(super) fn end_prefetch(&mut self, collector: CollectorId, outputs: &CycleOut<u32>) {
        let Some(held) = self.collectors.last(collector) else { return };
        let (warp, prefetch) = (held.warp, held.prefetch.clone());
        let positions: Positions = prefetch.iter().map(|&register| position(register)).collect();
        self.fill(warp, collector, (&prefetch, &positions), outputs);
        self.collectors.leave(collector);
        self.read_on(warp);
    }
}
