// SPDX-License-Identifier: Apache-2.0
//! Prefetch of register intervals into the register cache: LTRF.
//!
//! The compiler cuts a kernel into intervals whose registers all fit into a warp's part of the cache
//! ([`gpurf_trace::Intervals`]). Before its first instruction of an interval, and when it becomes active, an
//! active warp fetches the interval's registers that are live there and that it does not have; it issues
//! again when all have come. Meanwhile the other active warps issue. An engine runs the
//! [hardware](gpurf_blocks::ports::IntervalPrefetcherIn) that knows what a warp still has to ask for. F and C
//! name LTRF and give none of its hardware, so this is decided here:
//! - A prefetch reads up to as many registers as a collector has slots, through issue, collector and banks as
//!   an instruction with these sources would, and ends at its dispatch, where what the cache did not have
//!   becomes fills.
//! - Registers still to be written are left out: their results enter the cache themselves.
//! - The cache has 16 entries in two sets, by the number's lowest bit, for results and fills alike. An
//!   interval has at most 8 registers of each. LRU, so that looking for what is there keeps it there.
//! - An instruction that has more registers is an interval by itself: those of the 16 lowest numbers are
//!   fetched.
//! - Warps become active and pending as under RFC, and a pending warp is flushed.

use std::collections::BTreeMap;

use gpurf_blocks::ports::{IntervalPrefetcherIn, IntervalPrefetcherOut};
use gpurf_blocks::{Parameters, WarpId, WarpSet, INTERVAL_REGISTERS};
use gpurf_trace::{Intervals, Liveness, RegisterId, RegisterSet, Registers};

use crate::checkpoint::checkpoint;
use crate::engines::PrefetcherEngine;

/// The register intervals of a kernel, as they stand beside its code: by place.
pub(super) struct IntervalLists(BTreeMap<u32, IntervalList>);

/// The interval of an instruction.
pub(super) struct IntervalList {
    number: u32,
    /// Registers of the interval, lowest first.
    registers: [u32; INTERVAL_REGISTERS],
    /// Bit i: the register at place i is live at the instruction.
    live: u16,
}

impl IntervalLists {
    /// The lists of a kernel with these live registers.
    pub fn new(liveness: &Liveness, parameters: &Parameters) -> Self {
        let intervals = Intervals::of(liveness, |registers| fits(registers, parameters));
        let list = |(pc, at): (u32, RegisterSet)| {
            let (number, all) = intervals.at(pc)?;
            let (mut registers, mut live) = ([0; INTERVAL_REGISTERS], 0);
            for (place, register) in all.iter().take(INTERVAL_REGISTERS).enumerate() {
                registers[place] = register.0.into();
                live |= u16::from(at.contains(register)) << place;
            }
            Some((pc, IntervalList { number: number as u32 & 0xffff, registers, live }))
        };
        IntervalLists(liveness.places().filter_map(list).collect())
    }

    /// The list of the instruction at `pc`.
    pub fn at(&self, pc: u32) -> Option<&IntervalList> {
        self.0.get(&pc)
    }
}

impl IntervalList {
    /// Returns true if these registers are all in it, and live.
    pub fn has(&self, registers: &[RegisterId]) -> bool {
        let place = |register: &RegisterId| self.registers.iter().position(|&one| one == register.0.into());
        registers.iter().all(|register| place(register).is_some_and(|place| self.live >> place & 1 == 1))
    }
}

/// Registers of one read.
pub(super) type Batch = Registers;

/// The prefetcher of a sub-core.
///
/// The hardware is told of a warp's next instruction when something has changed for the warp.
pub(super) struct Prefetcher {
    engine: PrefetcherEngine,
    inputs: IntervalPrefetcherIn,
    /// There is something in the inputs.
    told: bool,
    /// Warps at the head of whose buffers a prefetch stands, one bit each.
    asking: WarpSet,
    /// The one of the warp that issue has picked.
    batch: Batch,
}

checkpoint! {
    [] Prefetcher {
        values: told asking;
        ports: inputs;
        engines: engine;
        fixed: batch;
    }
}

/// The situation of a warp that could issue.
pub(super) enum Fetching {
    /// It has registers to ask for.
    Asks,
    /// It has asked for all, and not all has come.
    Waits,
    /// All is there.
    Done,
}

impl Prefetcher {
    pub fn new(engine: PrefetcherEngine) -> Self {
        let inputs = IntervalPrefetcherIn::default();
        Prefetcher { engine, inputs, told: false, asking: 0, batch: Batch::new() }
    }

    /// The warp is about to issue an instruction of this interval. The registers of `pending` are still to be
    /// written. `filling`: values that it has fetched have left their collectors, and the cache has not taken
    /// them in.
    pub fn reach(
        &mut self,
        warp: WarpId,
        list: Option<&IntervalList>,
        pending: RegisterSet,
        filling: bool,
    ) -> Fetching {
        let inputs = &mut self.inputs;
        if let Some(IntervalList { number, registers, live }) = list {
            let list = INTERVAL_REGISTERS * warp.index()..INTERVAL_REGISTERS * (warp.index() + 1);
            (inputs.arrive[warp.index()], inputs.interval[warp.index()]) = (true, *number);
            inputs.registers[list.clone()].copy_from_slice(registers);
            for (place, (wanted, &register)) in inputs.wanted[list].iter_mut().zip(registers).enumerate() {
                *wanted = live >> place & 1 == 1 && !pending.contains(RegisterId(register as u8));
            }
            self.told = true;
        }
        inputs.filling[warp.index()] = filling;
        let IntervalPrefetcherOut { asks, waits, .. } = self.engine.settle(inputs);
        self.asking &= !warp.bit();
        match (asks[warp.index()], waits[warp.index()]) {
            (true, _) => {
                self.asking |= warp.bit();
                Fetching::Asks
            }
            (false, true) => Fetching::Waits,
            (false, false) => Fetching::Done,
        }
    }

    /// A prefetch stands at the head of the warp's buffer.
    #[inline]
    pub fn asks(&self, warp: WarpId) -> bool {
        self.asking & warp.bit() != 0
    }

    /// The registers that a warp asks for which issue has picked.
    pub fn pick(&mut self, warp: WarpId) -> &Batch {
        self.inputs.warp = warp.0.into();
        let IntervalPrefetcherOut { batch, batch_valid, .. } = self.engine.settle(&self.inputs);
        let valid = batch.iter().zip(batch_valid).filter(|(_, valid)| *valid);
        self.batch = valid.map(|(&register, _)| RegisterId(register as u8)).collect();
        &self.batch
    }

    /// A collector takes what the picked warp asks for.
    pub fn issue(&mut self) -> &Batch {
        self.inputs.issue = true;
        self.told = true;
        &self.batch
    }

    /// A batch of a warp leaves its collector.
    pub fn leave(&mut self, warp: WarpId) {
        (self.inputs.leave, self.inputs.leave_warp) = (true, warp.0.into());
        self.told = true;
    }

    /// Another warp comes into a slot, or this one becomes pending.
    pub fn forget(&mut self, warp: WarpId) {
        (self.inputs.forget[warp.index()], self.inputs.arrive[warp.index()]) = (true, false);
        self.asking &= !warp.bit();
        self.told = true;
    }

    /// The hardware's clock edge, if it was told something.
    #[inline]
    pub fn end_cycle(&mut self) {
        if self.told {
            self.clock();
        }
    }

    #[inline(never)]
    fn clock(&mut self) {
        self.engine.settle(&self.inputs);
        self.engine.tick();
        let IntervalPrefetcherIn { arrive, forget, issue, leave, .. } = &mut self.inputs;
        arrive.fill(false);
        forget.fill(false);
        (*issue, *leave, self.told) = (false, false, false);
    }
}

/// The set of the cache that a register is fetched into, as a place in an instruction: that of a result.
pub(super) fn position(register: RegisterId) -> u8 {
    register.0 & 3
}

/// Returns true if an interval can have these registers.
fn fits(registers: RegisterSet, parameters: &Parameters) -> bool {
    let Parameters { rc_entries, rc_ways, .. } = *parameters;
    let sets = rc_entries / rc_ways;
    let of_set = |set: usize| registers.iter().filter(|&register| register.index() % sets == set).count();
    (0..sets).all(|set| of_set(set) <= rc_ways)
}
