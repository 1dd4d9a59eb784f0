// SPDX-License-Identifier: Apache-2.0
//! A register cache between the collectors of a sub-core and its register file: C §IV, Fig. 1c.
//!
//! C shows the cache beside the register file, near the units, "bypassing the route from RF, operand buffer,
//! and the interconnect", and gives neither ports nor cycles. What is decided here:
//! - **Sources** are looked up in the cycle of their instruction's issue. Those that hit in all active lanes
//!   make no request of the banks. They are read in the next cycle and wait in latches for the others; an
//!   instruction whose sources all hit can be dispatched in that cycle, as from a caching collector.
//! - **Lanes that miss** are read from the bank with the whole row, and put together with those that hit at
//!   dispatch.
//! - **Fills** go back into the cache when their instruction is dispatched. Until a fill is taken in, its
//!   instruction counts as reading: no younger one of the warp writes its register. A fill that the result of
//!   its own instruction overtakes is given up.
//! - **Results** enter the cache one in a cycle, in the lanes that are active, and are free to read from the
//!   next cycle on. What leaves the cache is written into its bank before any read.
//! - **A source on its way back** to the register file costs the cycle's issue.
//! - **The end of a warp** drops its values. Its slot does not issue until that is done.
//!
//! RFC and software RFC cache registers of active warps only. A warp that becomes pending is flushed, and
//! does not issue meanwhile; results that it still gets go to the banks, past the cache. Software RFC's
//! compiler knows which values live on at the end of a strand: the others are not written back.
//!
//! LTRF fetches a warp's registers before it needs them: see [`super::prefetch`].
//!
//! Where blocks of more warps than there are slots take turns, a warp that leaves its slot is flushed, and
//! nothing else of the switch begins before its last value is in the banks: the next warp's values have its
//! place in the cache. Registers that come back are written into the banks, past the cache.
//!
//! Banks of real register files write single lanes. The hardware here writes whole rows; what a bank holds is
//! kept beside it, and lanes that are not written are written as they are.

use std::collections::VecDeque;

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::{
    BankId, CacheAllocation, CacheWrite, CollectorId, Parameters, Refill, Row, WarpId, WarpSet, CACHED_WARPS,
    MAX_BANKS, MAX_COLLECTORS, MAX_SLOTS,
};
use gpurf_trace::{RegisterId, RegisterSet};

use super::code::Code;
use super::warp::Warp;
use crate::bits::{all, count_lanes};
use crate::checkpoint::checkpoint;
use crate::config::Config;
use crate::design::{Caching, Design};
use crate::engines::RegisterCacheEngine;
use crate::register_cache::{Flush, IssuedSources, LookedUp, Moved, Offer, RegisterLanes};
use crate::register_file::home;
use crate::statistics::Counters;

/// A value on its way into the cache, or past it into a bank.
#[derive(Clone, Copy, BorshSerialize, BorshDeserialize)]
pub(super) struct RegisterWrite {
    pub warp: WarpId,
    pub register: RegisterId,
    pub lanes: u32,
    pub value: u32,
    /// The position of a fill.
    pub position: u8,
    /// For a result: the number of its instruction.
    pub serial: u32,
}

/// Findings of an instruction's sources.
#[derive(Clone, Copy, Default, BorshSerialize, BorshDeserialize)]
pub(super) struct SourceFindings {
    pub lanes: LookedUp,
    /// Bit s: no lane of slot s has to be read from the banks.
    pub whole: u8,
    /// The data of the lanes that hit, once they are read.
    pub data: [u32; MAX_SLOTS],
}

impl RegisterWrite {
    fn value(&self) -> RegisterLanes<u32> {
        RegisterLanes { warp: self.warp, register: self.register, lanes: self.lanes, data: self.value }
    }
}

impl SourceFindings {
    /// The operand of a slot, if the banks gave `read` for it.
    #[inline]
    pub fn operand(&self, slot: usize, read: Option<u32>) -> Option<u32> {
        let SourceFindings { whole, lanes: LookedUp { hit, .. }, data } = self;
        match whole >> slot & 1 == 1 {
            true => Some(data[slot]),
            false => read.map(|value| value & !hit[slot] | data[slot] & hit[slot]),
        }
    }
}

/// The register file takes whatever leaves.
const NOTHING: Offer<u32> = Offer { result: None, fill: None, flush: None, register_ready: true };

/// Data that moves in a cycle.
#[derive(Default)]
pub(super) struct CacheIntake {
    /// A result, and whether the cache takes it. If not, it goes past.
    pub result: Option<RegisterWrite>,
    pub is_kept: bool,
    pub fill: Option<RegisterWrite>,
}

/// The cache of a sub-core, what waits for it, and what lies behind it.
pub(super) struct RegisterCacheUnit {
    engine: RegisterCacheEngine,
    /// Its offer in this cycle, and whether it is asked for anything.
    offer: Offer<u32>,
    asked: bool,
    pub results: VecDeque<RegisterWrite>,
    pub fills: VecDeque<RegisterWrite>,
    /// It keeps registers of pending warps too.
    pub of_all_warps: bool,
    /// Warps whose results are kept, one bit each. Those of the others go past the cache.
    keeps: WarpSet,
    /// Warps whose part is still to be flushed, and to be dropped.
    flushes: WarpSet,
    drops: WarpSet,
    /// Warps that have issued nothing and got nothing into the cache since they were flushed.
    clean: WarpSet,
    /// Warps become active that wait, and pending again at once: to flush them whenever they do, though they
    /// are clean, would keep their results from coming past forever.
    skips_clean: bool,
    /// The flush under way.
    flushing: Option<WarpId>,
    /// Registers that live on, for each warp of `known`: only they are written back.
    live: [RegisterSet; CACHED_WARPS],
    known: WarpSet,
    /// Findings of the issuing instruction, and the collector that the data of the next cycle belong to.
    found: SourceFindings,
    pub reading: Option<CollectorId>,
    /// Findings of the instruction in each collector.
    pub held: [SourceFindings; MAX_COLLECTORS],
    /// Something moved in the last cycle.
    stirred: bool,
    /// The warp whose value left in the last cycle.
    leaving: Option<WarpId>,
    /// Only what lives on is written back at a flush.
    knows_live: bool,
    /// Registers are fetched into it before they are needed.
    pub is_filled_ahead: bool,
    /// Contents of the banks, row by row.
    rows: [Vec<u32>; MAX_BANKS],
    banks: usize,
    /// A result can go to the register file at once; then nothing else leaves in its cycle.
    pub writes_through: bool,
}

checkpoint! {
    [] RegisterCacheUnit {
        values: results fills keeps flushes drops clean flushing live known found reading held stirred leaving rows;
        engines: engine;
        fixed: offer asked skips_clean of_all_warps knows_live is_filled_ahead banks writes_through;
    }
}

impl RegisterCacheUnit {
    /// The one of a design, if it has one; `engine` makes what runs it.
    pub fn new(
        design: &Design,
        config: &Config,
        engine: impl FnOnce() -> RegisterCacheEngine,
    ) -> Option<Self> {
        let caching = design.register_cache?;
        let Parameters { banks, rows, rc_write, rc_allocation, refill, .. } = design.parameters(config, 0);
        Some(RegisterCacheUnit {
            engine: engine(),
            offer: NOTHING,
            asked: false,
            results: VecDeque::with_capacity(64),
            fills: VecDeque::with_capacity(MAX_SLOTS),
            of_all_warps: caching == Caching::AllWarps,
            keeps: if caching == Caching::AllWarps { WarpSet::MAX } else { 0 },
            flushes: 0,
            drops: 0,
            clean: 0,
            skips_clean: refill == Refill::GpgpuSim,
            flushing: None,
            live: [RegisterSet::default(); CACHED_WARPS],
            known: 0,
            found: SourceFindings::default(),
            reading: None,
            held: [SourceFindings::default(); MAX_COLLECTORS],
            stirred: false,
            leaving: None,
            knows_live: caching == Caching::Strands,
            is_filled_ahead: caching == Caching::Intervals,
            rows: std::array::from_fn(|_| vec![0; rows]),
            banks,
            writes_through: rc_write == CacheWrite::Through || rc_allocation == CacheAllocation::Read,
        })
    }

    /// Enters the issuing instruction into a collector. Bit s of the result: no lane of its slot s has to
    /// be read from the banks.
    pub fn enter(&mut self, collector: CollectorId) -> u8 {
        self.reading = Some(collector);
        self.held[collector.index()] = self.found;
        self.found.whole
    }

    /// Warps that must not issue: their parts are being emptied.
    pub fn emptying(&self) -> WarpSet {
        self.flushes | self.drops | self.flushing.map_or(0, WarpId::bit)
    }

    /// Values of a warp are still to leave, or may be.
    pub fn has_any_of(&self, warp: WarpId) -> bool {
        self.emptying() & warp.bit() != 0 || self.leaving == Some(warp)
    }

    /// Something is under way in it, or waits for it.
    pub fn is_busy(&self) -> bool {
        let waits = !self.results.is_empty() || !self.fills.is_empty() || self.emptying() != 0;
        waits || self.stirred || self.reading.is_some()
    }

    /// A warp has become active: its results are kept from now on.
    pub fn keep(&mut self, warps: WarpSet) {
        self.keeps |= warps;
    }

    /// The registers of a warp that live on, where that is known: software RFC's compiler does, LTRF's
    /// hardware does not.
    pub fn live(&self, warp: &Warp, code: &Code) -> Option<RegisterSet> {
        let liveness = code.liveness.as_ref().filter(|_| self.knows_live)?;
        Some(warp.live(liveness, code.decoded()))
    }

    /// A warp has become pending, or leaves its slot: its dirty values leave, except for those that are known
    /// to be dead.
    pub fn flush(&mut self, warp: WarpId, live: Option<RegisterSet>) {
        if !self.of_all_warps {
            self.keeps &= !warp.bit();
        }
        self.fills.retain(|fill| fill.warp != warp);
        if !self.skips_clean || self.clean & warp.bit() == 0 {
            self.flushes |= warp.bit();
            self.known &= !warp.bit();
            if let Some(live) = live {
                self.known |= warp.bit();
                self.live[warp.index()] = live;
            }
        }
    }

    /// A warp has come to its end.
    pub fn end(&mut self, warp: WarpId) {
        self.drops |= warp.bit();
        self.flushes &= !warp.bit();
        self.fills.retain(|fill| fill.warp != warp);
    }

    /// Registers of the warp that are still to be filled.
    #[inline]
    pub fn filling(&self, warp: WarpId) -> RegisterSet {
        if self.fills.is_empty() {
            return RegisterSet::default();
        }
        self.fills.iter().filter(|fill| fill.warp == warp).map(|fill| fill.register).collect()
    }

    /// The first half of a cycle: what is offered to the cache, without sources.
    #[inline]
    pub fn offer(&mut self) -> Moved<u32> {
        let flush = (self.flushing.is_none() && self.drops | self.flushes != 0).then(|| {
            let drop = self.drops != 0;
            let waiting = if drop { self.drops } else { self.flushes };
            Flush { warp: WarpId(waiting.trailing_zeros() as u8), drop }
        });
        self.offer = Offer {
            result: self.results.front().filter(|result| self.keeps(result.warp)).map(RegisterWrite::value),
            fill: self.fills.front().map(|fill| (fill.value(), fill.position)),
            flush,
            ..NOTHING
        };
        self.asked = true;
        self.engine.offer(&self.offer)
    }

    /// The parts of the offer that the cache takes: a result, a fill. A result that is not kept is taken by
    /// its bank.
    #[inline(always)]
    pub fn take(&mut self, moved: &Moved<u32>, counters: &mut Counters) -> CacheIntake {
        if !moved.flushing {
            self.flushing = None;
        }
        let flush = self.offer.flush.filter(|_| moved.flush_ready);
        if let Some(Flush { warp, drop }) = flush {
            if drop {
                self.drops &= !warp.bit();
                counters.rc_drops += 1;
            } else {
                self.flushes &= !warp.bit();
                self.clean |= warp.bit();
                self.flushing = Some(warp);
                counters.rc_flushes += 1;
            }
        }
        let mut taken = CacheIntake { is_kept: self.offer.result.is_some(), ..CacheIntake::default() };
        let takes_result = match self.results.front() {
            Some(_) if taken.is_kept => moved.write_ready,
            // It does not overtake an older value of its register.
            Some(result) => !self.keeps(result.warp) && self.can_pass(result.warp, moved),
            None => false,
        };
        if takes_result {
            taken.result = self.results.pop_front();
        }
        if self.offer.fill.is_some() && moved.fill_ready {
            taken.fill = self.fills.pop_front();
            counters.rc_fills += 1;
        }
        if let Some(fill) = &taken.fill {
            self.clean &= !fill.warp.bit();
        }
        if let Some(RegisterWrite { warp, register, lanes, .. }) = taken.result {
            counters.rc_lane_writes += count_lanes(lanes);
            if taken.is_kept {
                self.clean &= !warp.bit();
                counters.cache_writes += 1;
                counters.rc_lane_write_hits += count_lanes(moved.write_hit);
                self.fills.retain(|fill| (fill.warp, fill.register) != (warp, register));
            }
        }
        self.leaving = moved.leaving.map(|value| value.warp);
        self.stirred = flush.is_some()
            || moved.flushing
            || moved.leaving.is_some()
            || takes_result && taken.is_kept
            || taken.fill.is_some();
        counters.rc_bank_writes += u64::from(moved.bank_writes);
        taken
    }

    /// Returns true if the results of a warp enter the cache.
    pub fn keeps(&self, warp: WarpId) -> bool {
        self.keeps >> warp.0 & 1 == 1
    }

    fn can_pass(&self, warp: WarpId, moved: &Moved<u32>) -> bool {
        moved.leaving.is_none() && self.emptying() >> warp.0 & 1 == 0
    }

    /// Returns true if what leaves the cache is read again, as far as is known. That of a flush is known
    /// until the last value has left.
    pub fn is_live(&mut self, leaving: Option<&RegisterLanes<u32>>) -> bool {
        let flushed = self.flushes | self.flushing.map_or(0, WarpId::bit);
        self.known &= flushed | leaving.map_or(0, |value| value.warp.bit());
        leaving.is_none_or(|RegisterLanes { warp, register, .. }| {
            self.known & warp.bit() == 0 || self.live[warp.index()].contains(*register)
        })
    }

    /// The second half of a cycle: the sources of the instruction that issues are looked up. `None` if one of
    /// them is on its way to the register file.
    pub fn look_up(
        &mut self,
        warp: WarpId,
        sources: &[RegisterId],
        reuse: u8,
        lanes: u32,
        counters: &mut Counters,
    ) -> Option<&mut SourceFindings> {
        self.clean &= !warp.bit();
        let mut asked =
            IssuedSources { read: all(sources.len()), reuse, warp, lanes, ..IssuedSources::default() };
        asked.registers[..sources.len()].copy_from_slice(sources);
        if !std::mem::replace(&mut self.asked, true) {
            self.offer = NOTHING;
        }
        let found = &mut self.found;
        if !self.engine.look_up(&self.offer, &asked, &mut found.lanes) {
            self.stirred = true;
            counters.rc_conflicts += 1;
            return None;
        }
        let hits = found.lanes.hit.iter().take(sources.len()).enumerate();
        found.whole =
            hits.fold(0, |whole, (slot, hit)| whole | u8::from(lanes != 0 && *hit == lanes) << slot);
        counters.rc_bank_reads += u64::from(found.lanes.bank_reads);
        Some(found)
    }

    /// The clock edge, which the hardware sees only if it was asked for anything: it is idle in all other
    /// cycles.
    pub fn tick(&mut self) {
        if std::mem::take(&mut self.asked) {
            self.engine.tick();
        }
    }

    /// A bank takes lanes of a register: bank, and the row's value from now on.
    pub fn write_row(&mut self, base: Row, write: &RegisterWrite) -> (BankId, u32) {
        let (bank, row) = home(self.banks, write.warp, base, write.register);
        let kept = &mut self.rows[bank.index()][row.index()];
        *kept = *kept & !write.lanes | write.value & write.lanes;
        (bank, *kept)
    }
}
