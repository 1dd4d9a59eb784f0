//! Inter-warp multicasting: I §3. Loads of the same data by several warps leave shared memory once.
//!
//! The inter-warp multicasting unit ([`Iwmu`]) stands between the sub-cores and shared memory. It keeps
//! multicasting loads (MLDS) in the load request table (LRT) until another warp asks for the same data into
//! the same register; then one access serves both. The table has two readings: [`LrtScan`], a memory that
//! four comparators search row by row, and [`LrtCam`], whose entries are all compared at once.
//!
//! `V`: bits of a warp's number; `A`: bits of a shared-memory address. The paper has 6 and 16.

mod decision_unit;
mod entry_state;
mod holding_arbiter;
mod iwmu;
mod load_queue;
mod lrt_cam;
mod lrt_scan;
mod pending_loads;

pub use decision_unit::DecisionUnit;
pub use entry_state::EntryState;
pub use holding_arbiter::HoldingArbiter;
pub use iwmu::{Iwmu, IwmuIn, IwmuOut};
pub use load_queue::LoadQueue;
pub use lrt_cam::LrtCam;
pub use lrt_scan::{LrtScan, LrtScanIn as LrtIn, LrtScanOut as LrtOut};
pub use pending_loads::PendingLoads;

/// Sub-cores of an SM. A warp belongs to the sub-core of its number modulo this.
pub const SUB_CORES: usize = 4;
/// Requests that the queue holds for each sub-core: "double buffering" (I §5.2.3).
pub const QUEUE_DEPTH: usize = 2;
/// Entries that are searched in a cycle: "four comparators" (I §3.1).
pub const LANES: usize = 4;
/// Entries that a load request table can have.
pub const MIN_ENTRIES: usize = 16;
pub const MAX_ENTRIES: usize = 192;
/// Loads that wait for scoreboards.
pub const PENDING: usize = 4;
/// Bits of a warp's number and of a shared-memory address (I §5.2.3).
pub const WARP_BITS: usize = 6;
pub const ADDRESS_BITS: usize = 16;

/// How the table is searched. I §3.1 and §5.2.3 name "four comparators" and "SRAM"; I §3.1 "check every
/// entry" of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    /// Four entries per cycle, in a memory.
    Scan,
    /// All entries at once, in registers.
    Cam,
}

/// Sizes and rules of the inter-warp multicasting unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IwmuParameters {
    /// Of the load request table: 16 to 192, a multiple of four.
    pub entries: usize,
    pub search: Search,
    /// Cycles after which an unpaired load may leave as a plain one; after twice as many it does. At most
    /// 65,535; 0: never. Our rule.
    pub release_age: usize,
}

impl Default for IwmuParameters {
    /// The paper's table (I §5.2.3), as the memory that it calls it.
    fn default() -> Self {
        IwmuParameters { entries: 192, search: Search::Scan, release_age: 256 }
    }
}
