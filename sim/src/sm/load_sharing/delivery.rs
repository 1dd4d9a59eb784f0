// SPDX-License-Identifier: Apache-2.0
//! A check that a warp that is served by another's load gets what it asked for.

use gpurf_trace::ThreadBlock;

use crate::sm::decoded::Decoded;
use crate::sm::executing::Executing;
use crate::statistics::Counters;

/// A load, with what is known of it.
#[derive(Clone, Copy)]
pub struct ExecutingLoad<'a> {
    pub executing: &'a Executing,
    pub decoded: &'a Decoded,
    pub block: &'a ThreadBlock,
}

impl ExecutingLoad<'_> {
    /// Both do the same to the same addresses, lane by lane.
    pub fn agrees_with(&self, other: &ExecutingLoad) -> bool {
        let (own, its) = (&self.executing.instruction, &other.executing.instruction);
        self.executing.block == other.executing.block
            && self.decoded.operation == other.decoded.operation
            && own.mask == its.mask
            && self.block.addresses(own) == other.block.addresses(its)
    }

    /// Counts that the data of this load go to `receiver`; whether they are what it asked for.
    pub fn deliver(&self, receiver: &ExecutingLoad, counters: &mut Counters) -> bool {
        let agree = self.agrees_with(receiver);
        let digest = |load: &ExecutingLoad| load.block.digest(&load.executing.instruction);
        let right = match (digest(self), digest(receiver)) {
            (Some(loaded), Some(asked)) => loaded == asked,
            _ => agree,
        };
        counters.delivery_checks += 1;
        counters.lane_mismatches += u64::from(!agree);
        counters.delivery_errors += u64::from(!right);
        right
    }
}
