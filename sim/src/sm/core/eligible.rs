// SPDX-License-Identifier: Apache-2.0
//! Which of the ready warps the hardware may choose from in a cycle.

use gpurf_blocks::WarpSet;

use super::super::context::Context;
use super::super::register_cache::RegisterCacheUnit;
use super::Core;
use crate::engines::RunsSubCore;
use crate::words::Leaver;

/// The choice that the hardware is left.
#[derive(Default)]
pub(super) struct Eligible {
    /// The ones that may issue, one bit each.
    pub ready: WarpSet,
    /// A warp is ready that is not active.
    pub pending_ready: bool,
    /// The SM's one scheduler has another sub-core issue.
    pub elsewhere: bool,
    /// A warp is ready whose values are leaving the register cache.
    pub emptying: bool,
    /// A register that leaves with its block is at the head of its warp's buffer.
    pub saves: Option<Leaver>,
}

impl<E: RunsSubCore> Core<E> {
    /// A warp is known to the scheduler from the cycle after its launch on.
    #[inline]
    pub(super) fn eligible<const PLAIN: bool>(&mut self, context: &mut Context) -> Eligible {
        let ready = self.situation.states.ready & !self.situation.launched;
        match PLAIN || self.is_open() {
            true => Eligible { ready, ..Eligible::default() },
            false => self.narrow(ready, context),
        }
    }

    /// Returns true if nothing else decides, in this cycle, what may issue.
    #[inline]
    fn is_open(&self) -> bool {
        let empties = self.cached.cache.as_ref().is_some_and(|cache| cache.emptying() != 0);
        self.schedulers.active.is_none()
            && self.schedulers.permission.is_none()
            && !empties
            && self.leaving.to_be_issued().is_none()
    }

    /// Applies all else that decides whether one of these warps may issue.
    #[inline(never)]
    fn narrow(&mut self, mut ready: WarpSet, context: &mut Context) -> Eligible {
        let saves = self.leaving.to_be_issued();
        let mut pending_ready = false;
        if let Some(active) = &mut self.schedulers.active {
            let waits = self.situation.states.waits(ready);
            let warps = &mut self.warps;
            let ends_strand = |warp: usize| warps[warp].ends_strand(context.code.decoded());
            let allowed = active.update(waits, ends_strand) as WarpSet;
            pending_ready = ready & !allowed != 0;
            ready &= allowed;
            let (left, active) = (active.take_left() as WarpSet, active.active() as WarpSet);
            self.activate(left, active, context);
        }
        let mut elsewhere = false;
        if let Some(permission) = self.schedulers.permission {
            pending_ready = ready & !permission.active != 0;
            elsewhere = permission.any && ready & permission.active != 0;
            ready &= permission.issue;
        }
        let emptying = ready & self.cached.cache.as_ref().map_or(0, RegisterCacheUnit::emptying);
        ready &= !emptying;
        if let Some(save) = saves {
            self.situation.presented &= !save.warp.bit();
            self.present_reads(save.warp, save.base, &[save.register]);
            ready |= save.warp.bit();
        }
        Eligible { ready, pending_ready, elsewhere, emptying: emptying != 0, saves }
    }
}
