// SPDX-License-Identifier: Apache-2.0
//! How a sub-core fetches register intervals: see [`super::super::prefetch`].

use gpurf_blocks::{CollectorId, WarpId};
use gpurf_trace::Positions;

use super::super::context::Context;
use super::super::prefetch::{position, Batch, Fetching};
use super::super::warp::State;
use super::collectors::Collecting;
use super::Core;
use crate::engines::RunsSubCore;
use crate::words::CycleOut;

impl<E: RunsSubCore> Core<E> {
    /// The state of a warp that could issue, in view of its prefetch, which is put at the head of its buffer.
    pub(super) fn ask_prefetch(&mut self, warp: WarpId, context: &Context) -> State {
        let (Some(lists), Some(prefetcher)) = (&context.code.intervals, &mut self.cached.prefetcher) else {
            return State::Ready;
        };
        let slot = &self.warps[warp.index()];
        let list = lists.at(context.code.of(slot.head().0).pc);
        let filling = self.cached.cache.as_ref().is_some_and(|cache| !cache.filling(warp).is_empty());
        match prefetcher.reach(warp, list, slot.pending(), filling) {
            Fetching::Asks => {
                // The registers are known when issue has picked the warp.
                self.situation.presented |= warp.bit();
                self.present_reads(warp, self.warps[warp.index()].base, &[]);
                State::Ready
            }
            Fetching::Waits => State::Prefetch,
            Fetching::Done => State::Ready,
        }
    }

    /// Returns true if what the hardware takes of a warp is a prefetch.
    #[inline]
    pub(super) fn prefetches(&self, warp: WarpId) -> bool {
        self.cached.prefetcher.as_ref().is_some_and(|prefetcher| prefetcher.asks(warp))
    }

    /// The prefetch of the warp that issue has picked is put at the head of its buffer.
    pub(super) fn pick_prefetch(&mut self, warp: WarpId) -> Batch {
        let Some(prefetcher) = &mut self.cached.prefetcher else { return Batch::new() };
        let batch = prefetcher.pick(warp).clone();
        self.present_reads(warp, self.warps[warp.index()].base, &batch);
        batch
    }

    /// Notes that the hardware has taken a prefetch, which now is under way.
    #[inline(never)]
    pub(super) fn issue_prefetch(&mut self, outputs: &CycleOut<u32>, context: &mut Context) {
        let (Some(cache), Some(prefetcher)) = (&mut self.cached.cache, &mut self.cached.prefetcher) else {
            return;
        };
        let warp = WarpId(outputs.issued_warp as u8);
        let batch = prefetcher.issue().clone();
        let entered = CollectorId::first_of(outputs.issue & self.collectors.all);
        let collector = entered.expect("what is issued enters a collector");
        let read = batch.len() as u32 - cache.enter(collector).count_ones();
        context.records.counters.rc_prefetches += 1;
        context.records.counters.rc_prefetched += u64::from(read);
        context.records.stalls.prefetch += 1;
        context.clock.progress();
        self.check_prefetch(warp, &batch, context);
        let reads = batch.iter().copied().collect();
        *self.collectors.enter(collector) =
            Collecting { warp, prefetch: batch, reads, ..Collecting::default() };
        self.situation.renew(warp);
        self.show_prefetch(warp, collector, context);
    }

    /// Checks that a prefetch has registers of its warp's interval and no others.
    fn check_prefetch(&self, warp: WarpId, batch: &Batch, context: &mut Context) {
        let Context { code, records, clock, .. } = context;
        let list = code.intervals.as_ref().and_then(|lists| {
            let slot = &self.warps[warp.index()];
            lists.at(code.of(slot.head().0).pc)
        });
        let is_right = !batch.is_empty() && list.is_none_or(|list| list.has(batch));
        if !is_right {
            let index = self.shape.index;
            records.stage_error(clock.now, || {
                format!(
                    "sub-core {index}: the interval prefetcher has warp {} read {batch:?}, which is not of its \
                     interval",
                    warp.0
                )
            });
        }
    }

    /// Returns true if what a collector holds, or held last, is a prefetch and no instruction.
    #[inline]
    pub(super) fn holds_prefetch(&self, collector: CollectorId) -> bool {
        self.collectors.last(collector).is_some_and(|held| held.executing.is_none())
    }

    /// Fills the cache with the registers that a prefetch has read.
    #[inline(never)]
    pub(super) fn end_prefetch(&mut self, collector: CollectorId, outputs: &CycleOut<u32>) {
        let Some(held) = self.collectors.last(collector) else { return };
        let (warp, prefetch) = (held.warp, held.prefetch.clone());
        if let Some(prefetcher) = &mut self.cached.prefetcher {
            prefetcher.leave(warp);
        }
        let positions: Positions = prefetch.iter().map(|&register| position(register)).collect();
        self.fill(warp, collector, (&prefetch, &positions), outputs);
        self.collectors.leave(collector);
        self.read_on(warp);
    }
}
