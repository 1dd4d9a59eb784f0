// SPDX-License-Identifier: Apache-2.0
//! Memory side of the SM: the load/store unit with L1, shared memory, L2 and DRAM behind it.
//!
//! When a sector arrives is known as soon as the unit takes the instruction that asks for it: caches note the
//! arrival of what is on its way, queues and links when they are free again. Nothing is asked again while it
//! waits. Left out: DRAM banks, pages and refresh, instruction and constant misses.

mod access;
mod bank_queue;
mod cache;
mod coalescer;
mod exchange;
mod fills;
mod l1;
mod l2;
mod latencies;
mod link;
mod load_store;
mod local;
mod miss_table;
mod partitions;
mod shared;
mod slots;

pub(super) use access::{Access, Served};
pub(super) use coalescer::SectorAccess;
pub(super) use exchange::Exchange;
pub(super) use load_store::{LoadStoreUnit, WaitsForL2};
pub(super) use local::Threads;
pub(super) use partitions::Partitions;
