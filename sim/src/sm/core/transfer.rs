// SPDX-License-Identifier: Apache-2.0
//! A sub-core's work for blocks that become pending or active: its warps' contexts leave and come, and
//! their registers are written into the banks ([`super::leaving`]: are read from them).

use gpurf_blocks::{Row, WarpId, WarpSet};
use gpurf_trace::{RegisterId, RegisterSet};

use super::super::code::Code;
use super::super::context::Context;
use super::super::names::BlockId;
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

    /// A kernel is launched whose warps have these registers to themselves, and share so many sections of the
    /// pool; or share nothing.
    pub fn share_registers(&mut self, shared: Option<(RegisterSet, usize)>) {
        let prefetches = self.cached.cache.as_ref().is_some_and(|cache| cache.is_filled_ahead);
        let is_settled = !self.shape.switches && !prefetches && shared.is_none();
        self.situation.unsettled = if is_settled { 0 } else { WarpSet::MAX };
        if let Some(pool) = &mut self.pool {
            pool.start_kernel(shared);
        }
    }

    /// The state of a warp in view of the pool, before that has decided.
    pub(super) fn ask_pool(&mut self, warp: WarpId, state: State, context: &Context) -> State {
        let (Some(pool), Some(liveness)) = (&mut self.pool, &context.code.liveness) else { return state };
        pool.ask(warp, &mut self.warps[warp.index()], state, liveness, context.code.decoded())
    }

    /// Warps that wait for a section of the pool go on if they get one.
    pub(super) fn take_sections(&mut self, context: &mut Context) {
        let Some(pool) = &mut self.pool else { return };
        let (granted, given) = pool.grants(self.situation.states.pool);
        for warp in WarpId::all_of(granted) {
            let section = given[warp.index()] as u8;
            if !self.pool.as_mut().is_some_and(|pool| pool.note(section)) {
                context.records.stage_error(context.clock.now, || {
                    format!("the register pool gives section {section} to warp {}: it is not free", warp.0)
                });
            }
            self.warps[warp.index()].section = Some(section);
            context.records.blocks.pool_acquired += 1;
            self.enter(warp, State::Ready, context);
        }
    }

    /// These warps have come to their end, perhaps with a section of the pool.
    pub(super) fn leave_pool(&mut self, leaving: WarpSet) {
        let Some(pool) = &mut self.pool else { return };
        for warp in WarpId::all_of(leaving) {
            if let Some(section) = self.warps[warp.index()].section.take() {
                pool.end(warp, section);
                self.situation.changed |= self.situation.states.pool;
            }
        }
    }

    /// If a warp waits for registers, lets the pool have more of them; whether one does. If `blocks_circle`,
    /// the warps that wait may be those of pending blocks: then it is enough that the pool has none left.
    pub fn overdraw(&mut self, blocks_circle: bool) -> bool {
        let waits = self.situation.states.pool != 0;
        let Some(pool) = &mut self.pool else { return false };
        let grows = (waits || blocks_circle && pool.is_empty()) && pool.grow();
        if grows {
            self.situation.changed |= self.situation.states.pool;
        }
        grows
    }

    /// A cycle ends in which blocks may have come and gone.
    pub fn end_cycle(&mut self) {
        if let Some(pool) = &mut self.pool {
            pool.end_cycle();
        }
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
        if let (Some(pool), Some(_)) = (&mut self.pool, self.warps[warp.index()].section) {
            pool.leave(warp);
        }
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
        context.is_to_be_flushed |= again;
        self.cached.come(warp);
        if let (Some(pool), Some(section)) = (&mut self.pool, context.section) {
            pool.come(warp, section);
        }
        spare.push(std::mem::replace(&mut self.warps[warp.index()], context));
        self.ages.push(warp);
        self.situation.renew(warp);
        self.situation.launched |= WarpSet::from(again) << warp.0;
    }

    /// Writes a register of a warp whose context has yet to come.
    pub fn restore_register(&mut self, warp: WarpId, register: RegisterId, base: Row, token: u32) {
        let near = false;
        let home = warp;
        self.results.push(WaitingResult {
            warp,
            register,
            home,
            near,
            token,
            serial: 0,
            base,
            restored: true,
        });
    }

    /// Registers that are still to be written.
    pub fn is_restoring(&self) -> bool {
        self.results.is_restoring()
    }
}
