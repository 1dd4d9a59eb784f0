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
