// SPDX-License-Identifier: Apache-2.0
//! Questions of a scheduler of the whole SM to a sub-core.

use gpurf_blocks::{WarpId, WarpSet};

use super::super::context::Context;
use super::permission::{Candidates, Permission};
use super::Core;
use crate::engines::RunsSubCore;

impl<E: RunsSubCore> Core<E> {
    /// The warps among which a scheduler of the whole SM may choose in this cycle.
    pub fn candidates(&mut self, context: &mut Context) -> Candidates {
        self.classify(context);
        Candidates {
            waits: self.situation.waits(self.situation.ready & !self.launched),
            free_collector: self.collectors.occupied != self.collectors.all,
        }
    }

    /// Returns true if the warp's next instruction begins a new strand.
    pub fn ends_strand(&mut self, warp: WarpId, context: &Context) -> bool {
        self.warps[warp.index()].ends_strand(context.code.decoded())
    }

    /// Number of the warp's first instruction in the run: older warps have lower ones, except for the
    /// overflow.
    pub fn first_serial(&self, warp: WarpId) -> u32 {
        self.warps[warp.index()].first_serial
    }

    /// A scheduler of the whole SM lets the warps of `issue`, a bit each, issue in this cycle; `active` of
    /// them might. `any`: it lets some warp of the SM.
    pub fn permit(&mut self, issue: WarpSet, active: WarpSet, any: bool) {
        self.permission = Some(Permission { issue, active, any });
    }
}
