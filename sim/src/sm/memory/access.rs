// SPDX-License-Identifier: Apache-2.0
//! An instruction's request to the load/store unit, and the traffic that it makes.

use gpurf_trace::{Memory, MemoryAccess, MemorySpace};

use crate::statistics::Counters;

use super::Threads;

/// An instruction's request to the unit.
#[derive(Clone, Copy, Debug)]
pub(in crate::sm) struct Access<'a> {
    pub memory: Memory,
    /// Bytes a lane moves.
    pub width: u64,
    /// The addresses of the active lanes; none for constants and textures.
    pub addresses: &'a [u64],
    /// No regular register is in the address.
    pub uniform: bool,
    /// The data go to shared memory.
    pub copies: bool,
    /// How often shared memory transfers the data.
    pub transfers: u64,
    /// The lanes, as local memory tells them apart.
    pub threads: Threads,
    /// The place of its completion among all of them.
    pub order: u64,
}

/// The outcome of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sm) struct Served {
    /// The cycle of its completion, unless it waits for sectors, see [`super::LoadStoreUnit::arrive`], or for
    /// replies of an L2 that all SMs share, see [`super::LoadStoreUnit::take_replies`].
    pub completion: Option<u64>,
    /// Nothing had to come from beyond L1.
    pub hit: bool,
}

impl Served {
    pub fn hit(completion: u64) -> Self {
        Served { completion: Some(completion), hit: true }
    }
}

impl Access<'_> {
    /// No lane takes part in it.
    pub(super) fn is_idle(&self) -> bool {
        self.addresses.is_empty() && self.threads.mask == 0
    }

    /// Adds it to the traffic between the register files and L1 or shared memory. An atomic operation counts
    /// as a store, local memory as global.
    pub(super) fn count(&self, counters: &mut Counters) {
        let Access { memory, width, addresses, transfers, .. } = *self;
        let (requests, bytes) = match (memory.space, memory.access) {
            _ if addresses.is_empty() => return,
            (MemorySpace::Constant, _) => return,
            (MemorySpace::Shared, MemoryAccess::Load) => {
                (&mut counters.shared_loads, &mut counters.shared_load_bytes)
            }
            (MemorySpace::Shared, _) => (&mut counters.shared_stores, &mut counters.shared_store_bytes),
            (_, MemoryAccess::Load) => (&mut counters.global_loads, &mut counters.global_load_bytes),
            _ => (&mut counters.global_stores, &mut counters.global_store_bytes),
        };
        *requests += transfers;
        *bytes += transfers * width * addresses.len() as u64;
    }
}
