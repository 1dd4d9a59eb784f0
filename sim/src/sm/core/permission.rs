//! What a sub-core tells a scheduler of the whole SM, and what that lets it do.

use gpurf_blocks::ports::{SubCoreIn, SubCoreOut};
use gpurf_blocks::Clocked;

use super::super::context::Context;
use super::Core;

/// The decision of a scheduler of the whole SM; a bit per warp.
#[derive(Clone, Copy)]
pub(super) struct Permission {
    pub issue: u8,
    pub active: u8,
    /// It lets some warp of the SM issue.
    pub any: bool,
}

/// What a scheduler of the whole SM has to know; a bit per warp.
pub(in crate::sm) struct Candidates {
    pub ready: u8,
    /// Waiting for something other than memory.
    pub dependence: u8,
    pub free_collector: bool,
}

impl<E> Core<E>
where
    E: Clocked<In = SubCoreIn<u32>, Out = SubCoreOut<u32>>,
{
    /// The warps among which a scheduler of the whole SM may choose in this cycle.
    pub fn candidates(&mut self, context: &mut Context) -> Candidates {
        self.classify(context);
        Candidates {
            ready: self.situation.ready & !self.launched,
            dependence: self.situation.dependence | self.situation.prefetch,
            free_collector: self.occupied != self.all_collectors,
        }
    }

    /// Whether the warp's next instruction begins a new strand.
    pub fn ends_strand(&mut self, warp: usize, context: &Context) -> bool {
        self.warps[warp].ends_strand(&context.decoded)
    }

    /// Grows with the time since the warp's launch.
    pub fn age(&self, warp: usize, context: &Context) -> u32 {
        context.serial.wrapping_sub(self.warps[warp].first_serial)
    }

    /// A scheduler of the whole SM lets the warps of `issue`, a bit each, issue in this cycle; `active` of them
    /// might. `any`: it lets some warp of the SM.
    pub fn permit(&mut self, issue: u8, active: u8, any: bool) {
        self.permission = Some(Permission { issue, active, any });
    }
}
