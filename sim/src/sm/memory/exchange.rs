// SPDX-License-Identifier: Apache-2.0
//! Requests of an SM to an L2 that all SMs share, until they are answered.
//!
//! The answer depends on what other SMs ask before, so it is not known at once. What is known is the cycle
//! before which no reply can come. Until then the SM runs on by itself.

use gpurf_trace::MemoryAccess;

use super::coalescer::SectorAccess;
use super::fills::Sector;

/// Requests of an SM, in their order.
#[derive(Default)]
pub(in crate::sm) struct Exchange {
    requests: Vec<L2Request>,
    /// Requests that are answered.
    pub answered: usize,
    /// The present cycle of the SM.
    pub now: u64,
    /// The first cycle in which a reply may be there that is not known.
    horizon: Option<u64>,
}

/// A request, and its answer.
#[derive(Clone, Copy)]
pub(super) struct L2Request {
    /// The SM's cycle.
    pub cycle: u64,
    /// When it is at the end of the SM's link.
    pub sent: u64,
    /// No reply is there before this cycle.
    pub least: u64,
    pub access: SectorAccess,
    pub purpose: Purpose,
    /// When the reply is there, and whether L2 had the sector.
    pub reply: (u64, bool),
}

/// Who waits for the reply.
#[derive(Clone, Copy)]
pub(super) enum Purpose {
    /// A sector of L1.
    Load(Sector),
    /// The store of this number.
    Store(u32),
    /// The atomic operation of this number.
    Update(u32),
    /// Nobody: the tags take note of an access that is not simulated.
    Warm(MemoryAccess),
}

impl Exchange {
    pub(super) fn ask(&mut self, sent: u64, least: u64, access: SectorAccess, purpose: Purpose) {
        if !matches!(purpose, Purpose::Warm(_)) {
            self.horizon = Some(self.horizon.map_or(least, |horizon| horizon.min(least)));
        }
        self.requests.push(L2Request { cycle: self.now, sent, least, access, purpose, reply: (0, false) });
    }

    /// No reply that is not known is there before this cycle.
    #[inline]
    pub fn horizon(&self) -> Option<u64> {
        self.horizon
    }

    /// Nothing waits for an answer, nor does an answer wait to be taken note of.
    pub fn is_empty(&self) -> bool {
        self.requests.is_empty()
    }

    /// The cycles of the requests that are not answered, in their order.
    pub fn open(&self) -> impl Iterator<Item = u64> + '_ {
        self.requests[self.answered..].iter().map(|request| request.cycle)
    }

    /// The first request that is not answered. The caller answers it.
    pub(super) fn next(&mut self) -> &mut L2Request {
        self.answered += 1;
        &mut self.requests[self.answered - 1]
    }

    /// An answered request.
    pub(super) fn answer(&self, number: usize) -> L2Request {
        self.requests[number]
    }

    /// All answers have been taken note of.
    pub fn forget(&mut self) {
        self.requests.drain(..std::mem::take(&mut self.answered));
        let waits = self.requests.iter().filter(|request| !matches!(request.purpose, Purpose::Warm(_)));
        self.horizon = waits.map(|request| request.least).min();
    }
}
