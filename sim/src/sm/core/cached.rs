// SPDX-License-Identifier: Apache-2.0
//! How a sub-core works with a register cache: see [`super::super::register_cache`]. Most designs have none:
//! what is done in every cycle with one stays out of the loop of those without.

use gpurf_blocks::{BankId, CollectorId, Row, WarpId, WarpSet, MAX_SLOTS};
use gpurf_trace::RegisterId;

use super::super::code::Code;
use super::super::context::Context;
use super::super::executing::Executing;
use super::super::prefetch::Prefetcher;
use super::super::register_cache::{CacheIntake, RegisterCacheUnit, RegisterWrite, SourceFindings};
use super::super::warp::token;
use super::results::WaitingResult;
use super::Core;
use crate::bits::{count_lanes, members};
use crate::checkpoint::checkpoint;
use crate::engines::RunsSubCore;
use crate::register_cache::RegisterLanes;
use crate::words::CycleOut;

/// The way of registers through a register cache.
pub(super) struct CachePath {
    pub cache: Option<RegisterCacheUnit>,
    /// The part that fetches registers into it.
    pub prefetcher: Option<Prefetcher>,
    /// Warps that have left their slots while the register cache may have values of theirs, one bit each.
    pub vacated: WarpSet,
}

checkpoint! {
    [] CachePath {
        values: vacated;
        parts: cache prefetcher;
    }
}

impl CachePath {
    pub fn new(cache: Option<RegisterCacheUnit>, prefetcher: Option<Prefetcher>) -> Self {
        CachePath { cache, prefetcher, vacated: 0 }
    }

    /// Another warp comes into a slot.
    pub fn come(&mut self, warp: WarpId) {
        if let Some(prefetcher) = &mut self.prefetcher {
            prefetcher.forget(warp);
        }
        self.vacated &= !warp.bit();
    }
}

impl<E: RunsSubCore> Core<E> {
    /// Results and fills enter the cache, and what leaves it is written into the banks.
    #[inline(never)]
    pub(super) fn write_into_cache(&mut self, context: &mut Context) {
        let Some(cache) = &mut self.cached.cache else { return };
        self.hardware.inputs.results.banks = 0;
        if cache.is_busy() || !self.shape.skips {
            self.move_values(context);
        }
        if !self.results.is_empty() {
            self.write_restored(context);
        }
    }

    /// Both, where there is anything.
    fn move_values(&mut self, context: &mut Context) {
        let Some(cache) = &mut self.cached.cache else { return };
        let moved = cache.offer();
        if let Some(collector) = cache.reading.take() {
            cache.held[collector.index()].data = moved.data;
        }
        let CacheIntake { result, is_kept, fill } = cache.take(&moved, &mut context.records.counters);
        let (is_live, writes_through) = (cache.is_live(moved.leaving.as_ref()), cache.writes_through);
        if let Some(RegisterLanes { warp, register, lanes, data: value }) = moved.leaving {
            // What a warp that has ended leaves is read by nobody.
            let is_read = self.ages.contains(&warp) || self.cached.vacated & warp.bit() != 0;
            if is_read && is_live {
                let written_back = !(writes_through && is_kept && result.is_some());
                context.records.counters.rc_write_backs += u64::from(written_back);
                let leaving = RegisterWrite { warp, register, lanes, value, position: 0, serial: 0 };
                self.write_lanes(&leaving, context);
            } else if is_read {
                context.records.counters.rc_dead_values += 1;
            }
        }
        if let Some(result) = &result {
            let RegisterWrite { warp, register, serial, .. } = *result;
            if !is_kept {
                self.write_lanes(result, context);
            }
            self.warps[warp.index()].write(register);
            self.situation.look_again(warp, self.situation.states.pending());
            let now = context.clock.now;
            context.records.show(|pipeline| pipeline.write(now, serial));
            self.complete_part(warp, context);
        }
        if let Some(RegisterWrite { warp, .. }) = result.filter(|_| is_kept).or(fill) {
            self.read_on(warp);
        }
    }

    /// Registers of a block that comes go past the cache, into banks that nothing else is written into.
    fn write_restored(&mut self, context: &mut Context) {
        for bank in members(self.shape.banks & !self.hardware.inputs.results.banks) {
            let Some(WaitingResult { warp, register, token, base, .. }) =
                self.results.pop(BankId(bank as u8))
            else {
                continue;
            };
            let write =
                RegisterWrite { warp, register, lanes: u32::MAX, value: token, position: 0, serial: 0 };
            self.write_row(base, &write);
            context.records.counters.bank_writes += 1;
            context.records.blocks.registers_restored += 1;
        }
    }

    /// A bank is written in some lanes.
    fn write_lanes(&mut self, write: &RegisterWrite, context: &mut Context) {
        self.write_row(self.warps[write.warp.index()].base, write);
        context.records.counters.bank_writes += 1;
        context.records.counters.rc_lane_file_writes += count_lanes(write.lanes);
    }

    /// The same for a warp whose registers lie from row `base` on.
    fn write_row(&mut self, base: Row, write: &RegisterWrite) {
        let Some(cache) = &mut self.cached.cache else { return };
        let (bank, value) = cache.write_row(base, write);
        self.hardware.inputs.results.put(bank.index(), (write.warp, write.register, base), false, value);
    }

    /// Looks up the issuing instruction in the cache. The hardware is not asked for what the cache has: its
    /// outputs change. Returns true if the issue fails because a source can be read nowhere.
    #[inline(never)]
    pub(super) fn look_up(
        &mut self,
        ready: WarpSet,
        outputs: &mut CycleOut<u32>,
        context: &mut Context,
    ) -> bool {
        if self.cached.cache.is_none() || !outputs.issued {
            return false;
        }
        let warp = WarpId(outputs.issued_warp as u8);
        let saves = self.leaving.to_be_issued().is_some_and(|leaver| leaver.warp == warp);
        if ready & warp.bit() == 0 || saves {
            return false;
        }
        let prefetch = self.prefetches(warp).then(|| self.pick_prefetch(warp));
        let Some(cache) = &mut self.cached.cache else { return false };
        let counters = &mut context.records.counters;
        let found = if let Some(batch) = &prefetch {
            // All that is missing comes back, whatever the allocation takes in.
            let mut found = cache.look_up(warp, batch, 0, u32::MAX, counters);
            if let Some(found) = &mut found {
                found.lanes.take = found.lanes.miss;
            }
            found
        } else {
            let slot = &self.warps[warp.index()];
            let (&instruction, _) = slot.head();
            let round = context.code.of(&instruction).round(slot.round());
            let lanes = instruction.mask;
            let found = cache.look_up(warp, round.sources(), round.reuse, lanes, counters);
            if let Some(found) = &found {
                let hits = found.lanes.hit.iter().map(|hit| count_lanes(*hit));
                counters.rc_lane_reads += count_lanes(lanes) * round.sources().len() as u64;
                counters.rc_lane_read_hits += hits.sum::<u64>();
            }
            found
        };
        let Some(&mut SourceFindings { whole, .. }) = found else {
            self.hardware.inputs.ready = 0;
            *outputs = CycleOut::default();
            self.decide(outputs);
            return true;
        };
        if whole == 0 && prefetch.is_none() {
            return false;
        }
        self.hardware.inputs.heads[warp.index()].sources &= !whole;
        *outputs = CycleOut::default();
        self.decide(outputs);
        false
    }

    /// An operand of the instruction that is dispatched, from its bank and from the cache.
    #[inline]
    pub(super) fn operand(
        &self,
        outputs: &CycleOut<u32>,
        collector: CollectorId,
        slot: usize,
    ) -> Option<u32> {
        let read = outputs.operand(slot);
        match &self.cached.cache {
            Some(cache) => cache.held[collector.index()].operand(slot, read),
            None => read,
        }
    }

    /// Returns true if the cache takes in a source of what a collector holds.
    #[inline]
    pub(super) fn takes_in(&self, collector: CollectorId) -> bool {
        self.cached
            .cache
            .as_ref()
            .is_some_and(|cache| cache.held[collector.index()].lanes.take != [0; MAX_SLOTS])
    }

    /// Sources that the cache takes in are on their way to it.
    #[inline(never)]
    pub(super) fn fill(
        &mut self,
        warp: WarpId,
        collector: CollectorId,
        (sources, positions): (&[RegisterId], &[u8]),
        outputs: &CycleOut<u32>,
    ) {
        let Some(cache) = self.cached.cache.as_mut().filter(|cache| cache.keeps(warp)) else { return };
        let found = &cache.held[collector.index()];
        for (slot, (&register, &position)) in sources.iter().zip(positions).enumerate() {
            let lanes = found.lanes.take[slot];
            if let (1.., Some(value)) = (lanes, found.operand(slot, outputs.operand(slot))) {
                cache.fills.push_back(RegisterWrite { warp, register, lanes, value, position, serial: 0 });
            }
        }
    }

    /// The instruction's results wait for the cache. `false` if there is none.
    pub(super) fn send_to_cache(&mut self, executing: &Executing, destinations: &[RegisterId]) -> bool {
        let Some(cache) = &mut self.cached.cache else { return false };
        let (warp, lanes) = (executing.warp, executing.instruction.mask);
        cache.results.extend(destinations.iter().map(|&register| {
            let value = token(executing.serial, register);
            RegisterWrite { warp, register, lanes, value, position: 0, serial: executing.serial }
        }));
        true
    }

    /// Warps that have become pending, and those that are active now; a bit each.
    pub fn activate(&mut self, left: WarpSet, active: WarpSet, context: &Context) {
        let Some(cache) = self.cached.cache.as_mut().filter(|cache| !cache.of_all_warps) else { return };
        for warp in WarpId::all_of(left) {
            let slot = &self.warps[warp.index()];
            if !slot.is_issued() {
                cache.flush(warp, cache.live(slot, &context.code));
            }
        }
        cache.keep(active);
        for warp in WarpId::all_of(left) {
            if let Some(prefetcher) = &mut self.cached.prefetcher {
                prefetcher.forget(warp);
            }
            self.situation.renew(warp);
            self.read_on(warp);
        }
    }

    /// A warp leaves its slot: its values leave the cache. Those of one that has issued everything are read
    /// by nobody.
    pub(super) fn vacate_cache(&mut self, warp: WarpId, code: &Code) {
        let Some(cache) = &mut self.cached.cache else { return };
        let slot = &self.warps[warp.index()];
        if slot.is_issued() {
            cache.end(warp);
        } else {
            cache.flush(warp, cache.live(slot, code));
            self.cached.vacated |= warp.bit();
        }
    }

    /// Nothing is left in the cache of a warp that has left its slot, or come to its end there.
    pub fn has_emptied(&self, warp: WarpId) -> bool {
        self.cached.cache.as_ref().is_none_or(|cache| !cache.has_any_of(warp))
    }
}
