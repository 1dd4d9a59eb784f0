// SPDX-License-Identifier: Apache-2.0
//! Schedulers that leave the hardware only some of the ready warps: the sub-core's two-level scheduler, or
//! one of the whole SM with its questions.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::{WarpId, WarpSet};

use super::super::context::Context;
use super::permission::{Candidates, Permission};
use super::Core;
use crate::config::{Config, Organisation};
use crate::design::Design;
use crate::engines::RunsSubCore;
use crate::issue::ActiveSet;

/// Schedulers beside that of the hardware, if there are any.
#[derive(BorshSerialize, BorshDeserialize)]
pub(super) struct Schedulers {
    /// The warps that may issue, under a two-level scheduler of the sub-core.
    pub active: Option<ActiveSet>,
    /// The decision of the SM's one scheduler in this cycle, if it has such a scheduler.
    pub permission: Option<Permission>,
}

impl Schedulers {
    pub fn new(config: &Config, design: &Design) -> Self {
        let active = match config.organisation {
            Organisation::SubCores => {
                design.two_level.map(|policy| ActiveSet::new(&config.hardware, policy.cuts_strands()))
            }
            Organisation::Monolithic => None,
        };
        Schedulers { active, permission: None }
    }
}

impl<E: RunsSubCore> Core<E> {
    /// The warps among which a scheduler of the whole SM may choose in this cycle.
    pub fn candidates(&mut self, context: &mut Context) -> Candidates {
        self.classify(context);
        Candidates {
            waits: self.situation.states.waits(self.situation.states.ready & !self.situation.launched),
            free_collector: self.shape.has_latches || self.collectors.occupied != self.collectors.all,
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
        self.schedulers.permission = Some(Permission { issue, active, any });
    }
}
