//! Reference models of the FineReg modules, written from R §V.

mod cta_status_monitor;
mod free_space_monitor;
mod live_register_cache;
mod pcrf;
mod pcrf_pointer_table;
mod register_index_decoder;
mod rmu;

pub use cta_status_monitor::{Candidate, CtaStatusMonitor, Location, Status};
pub use free_space_monitor::FreeSpaceMonitor;
pub use live_register_cache::LiveRegisterCache;
pub use pcrf::{Entry, Pcrf};
pub use pcrf_pointer_table::{Line, PcrfPointerTable};
pub use register_index_decoder::RegisterIndexDecoder;
pub use rmu::Rmu;

/// A live-register vector from its two ports.
fn vector(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// The two ports of a live-register vector.
fn halves(vector: u64) -> (u32, u32) {
    (vector as u32, (vector >> 32) as u32)
}
