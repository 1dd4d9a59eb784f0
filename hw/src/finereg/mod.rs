//! FineReg: live registers of stalled CTAs in a register file of their own. R §V.
//!
//! R is *FineReg: Fine-Grained Register File Management for Augmenting GPU Throughput*. The
//! [`CtaStatusMonitor`] says which pending CTA goes on; the [`Rmu`] moves registers between the register
//! file of active CTAs (ACRF, the ordinary banks) and that of pending CTAs, the [`Pcrf`].

mod cta_status_monitor;
mod free_space_monitor;
mod live_register_cache;
mod pcrf;
mod pcrf_pointer_table;
mod register_index_decoder;
mod rmu;

pub use cta_status_monitor::{CtaStatusMonitor, CtaStatusMonitorIn, CtaStatusMonitorOut};
pub use free_space_monitor::{FreeSpaceMonitor, FreeSpaceMonitorIn, FreeSpaceMonitorOut};
pub use live_register_cache::{LiveRegisterCache, LiveRegisterCacheIn, LiveRegisterCacheOut};
pub use pcrf::{Pcrf, PcrfIn, PcrfOut};
pub use pcrf_pointer_table::{PcrfPointerTable, PcrfPointerTableIn, PcrfPointerTableOut};
pub use register_index_decoder::{RegisterIndexDecoder, RegisterIndexDecoderIn, RegisterIndexDecoderOut};
pub use rmu::{Rmu, RmuIn, RmuOut};

/// Most CTAs of an SM. R §V-F.
pub const MAX_CTAS: usize = 128;
/// Most entries of a PCRF: 256 KB.
pub const MAX_ENTRIES: usize = 2048;
/// Most warps of a CTA. R §V-D.
pub const CTA_WARPS: usize = 32;
/// Registers of a thread, bits of a live-register vector. R §V-A.
pub const REGISTERS: usize = 64;
/// Entries of the live-register bit-vector cache. R §V-C.
pub const CACHE_ENTRIES: usize = 32;
/// Flags in one word of the free space monitor, CTAs in one word of the status monitor.
pub const WORD: usize = 32;

/// Which of several CTAs that could resume goes first. R does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tie {
    /// The one with the lowest number.
    Lowest,
    /// The next after the one selected last, around.
    RoundRobin,
}

/// Sizes and policies of the FineReg modules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FineRegParameters {
    /// Registers that the PCRF holds: a multiple of 32, 64 to 2048.
    pub entries: usize,
    /// CTAs of the SM, up to 128.
    pub ctas: usize,
    /// Cycles from reading a PCRF entry until its register is there, 1 to 8.
    pub latency: usize,
    /// Cycles until its next pointer is there, 1 to `latency`: registers of a chain follow each other in so
    /// many cycles.
    pub next_latency: usize,
    /// Bits of a live register count in the pointer table, 6 or 12. A larger count saturates.
    pub count_bits: usize,
    pub tie: Tie,
}

impl Default for FineRegParameters {
    /// R §V: 1024 entries, 128 CTAs, four cycles, of which the chain takes all. 12 bits of count, so that
    /// every count fits; R has 6.
    fn default() -> Self {
        FineRegParameters {
            entries: 1024,
            ctas: MAX_CTAS,
            latency: 4,
            next_latency: 4,
            count_bits: 12,
            tie: Tie::Lowest,
        }
    }
}

impl FineRegParameters {
    /// Bits of a PCRF pointer: 10 for 1024 entries.
    pub fn pointer_bits(&self) -> usize {
        self.entries.next_power_of_two().trailing_zeros() as usize
    }
}
