// SPDX-License-Identifier: Apache-2.0
//! A sub-core's work for blocks that become pending or active: its warps' contexts leave and come, and
//! their registers are written into the banks ([`super::leaving`]: are read from them).

use gpurf_blocks::{Row, WarpId, WarpSet};
use gpurf_trace::RegisterId;

use super::super::code::Code;
use super::super::context::Context;
use super::super::names::BlockId;
use super::super::pool::{Change, Pool};
use super::super::warp::{State, Warp};
use super::results::WaitingResult;
use super::warp_states::WarpStates;
use super::Core;
use crate::config::Stalled;
use crate::engines::RunsSubCore;

impl<E: RunsSubCore> Core<E> {
    /// Warps that wait for a load, or for registers; and those that are stalled, or not there. One bit each.
    /// Blocks that are switched need all that is under way to be such a load, and one that takes long.
    pub fn stalled(&self, switching: bool, context: &Context) -> (WarpSet, WarpSet) {
        match context.config.finereg.stalled {
            _ if switching => self.stalled_long(context),
            Stalled::Missed => self.stalled_long(context),
            Stalled::Loads => {
                let WarpStates { memory, shared, barrier, .. } = self.situation.states;
                (memory | shared, memory | shared | barrier | !self.resident())
            }
            Stalled::Any => (self.resident(), !self.situation.states.ready),
        }
    }

    fn resident(&self) -> WarpSet {
        self.ages.iter().fold(0, |set, warp| set | warp.bit())
    }

    /// The ones that wait for a load that takes long; and the ones with nothing else under way. A warp at a
    /// barrier, or at its end, is among the latter only.
    fn stalled_long(&self, context: &Context) -> (WarpSet, WarpSet) {
        let collecting = self.collectors.iter().fold(0, |set, held| set | held.warp.bit());
        let WarpStates { memory, barrier, issued, pool, .. } = self.situation.states;
        let candidates = (memory | barrier | issued | pool) & !collecting & !self.situation.changed;
        let (mut waiting, mut stalled) = (0, !self.resident());
        for warp in WarpId::all_of(candidates) {
            if self.warps[warp.index()].is_quiet() {
                let waits =
                    pool & warp.bit() != 0 || self.warps[warp.index()].waits_long(context.code.decoded());
                waiting |= WarpSet::from(waits) << warp.0;
                stalled |= warp.bit();
            }
        }
        (waiting, stalled)
    }

    /// A kernel is launched whose warps share registers, or do not.
    pub fn share_registers(&mut self, pool: Option<Pool>) {
        let prefetches = self.cached.cache.as_ref().is_some_and(|cache| cache.is_filled_ahead);
        let is_settled = !self.shape.switches && !prefetches && pool.is_none();
        self.situation.unsettled = if is_settled { 0 } else { WarpSet::MAX };
        self.pool = pool;
    }

    /// The state of a warp in view of the pool.
    pub(super) fn ask_pool(&mut self, warp: WarpId, state: State, context: &mut Context) -> State {
        let (Some(pool), Some(liveness)) = (&mut self.pool, &context.code.liveness) else { return state };
        let slot = &mut self.warps[warp.index()];
        let (state, change) = pool.update(slot, state, liveness, context.code.decoded());
        match change {
            Change::None => {}
            Change::Taken => context.records.blocks.pool_acquired += 1,
            Change::Returned => self.situation.changed |= self.situation.states.pool,
        }
        state
    }

    /// These warps have come to their end, perhaps with registers of the pool.
    pub(super) fn leave_pool(&mut self, leaving: WarpSet) {
        let Some(pool) = &mut self.pool else { return };
        for warp in WarpId::all_of(leaving) {
            if std::mem::take(&mut self.warps[warp.index()].holds_pool) {
                pool.free_one();
                self.situation.changed |= self.situation.states.pool;
            }
        }
    }

    /// If a warp waits for registers, lets the pool have more of them; whether one does. If `blocks_circle`,
    /// the warps that wait may be those of pending blocks: then it is enough that the pool has none left.
    pub fn overdraw(&mut self, blocks_circle: bool) -> bool {
        let waits = self.situation.states.pool != 0;
        let Some(pool) = self.pool.as_mut().filter(|pool| waits || blocks_circle && pool.is_empty()) else {
            return false;
        };
        pool.free_one();
        self.situation.changed |= self.situation.states.pool;
        true
    }

    /// The warps in its slots.
    pub fn resident_warps(&self) -> impl Iterator<Item = &Warp> {
        self.ages.iter().map(|&warp| &self.warps[warp.index()])
    }

    /// A load of a warp turns out to take long.
    pub fn takes_long(&mut self, warp: WarpId, destinations: &[RegisterId]) {
        self.warps[warp.index()].takes_long(destinations);
    }

    /// A warp's context leaves its slot, for which `spare` is left; `None` if no warp of this block is there.
    /// What the register cache has of it is written back from now on.
    pub fn take_warp(
        &mut self,
        warp: WarpId,
        block: BlockId,
        code: &Code,
        spare: &mut Vec<Warp>,
    ) -> Option<Warp> {
        if !self.ages.contains(&warp) || self.warps[warp.index()].block != block {
            return None;
        }
        self.ages.retain(|&other| other != warp);
        self.situation.forget(warp.bit());
        if let Some(active) = &mut self.schedulers.active {
            active.leave(warp.bit().into());
        }
        self.vacate_cache(warp, code);
        // Until another warp comes, what is written back goes where this one's registers are.
        let mut spare = spare.pop().unwrap_or_else(Warp::empty);
        spare.base = self.warps[warp.index()].base;
        Some(std::mem::replace(&mut self.warps[warp.index()], spare))
    }

    /// A warp's context comes into a slot, with its registers from row `base` on. `again`: the scheduler
    /// takes it for a new warp, the youngest.
    pub fn put_warp(
        &mut self,
        warp: WarpId,
        mut context: Warp,
        base: Row,
        again: bool,
        spare: &mut Vec<Warp>,
    ) {
        context.base = base;
        context.has_come_back |= again;
        self.cached.come(warp);
        spare.push(std::mem::replace(&mut self.warps[warp.index()], context));
        self.ages.push(warp);
        self.situation.renew(warp);
        self.situation.launched |= WarpSet::from(again) << warp.0;
    }

    /// Writes a register of a warp whose context has yet to come.
    pub fn restore_register(&mut self, warp: WarpId, register: RegisterId, base: Row, token: u32) {
        let near = false;
        self.results.push(WaitingResult { warp, register, near, token, serial: 0, base, restored: true });
    }

    /// Registers that are still to be written.
    pub fn is_restoring(&self) -> bool {
        self.results.is_restoring()
    }
}
