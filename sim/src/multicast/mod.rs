//! Reference models of inter-warp multicasting, written from I §3 and the rules of the hardware, `hw/src/multicast`.

mod decision_unit;
mod entry_state;
mod holding_arbiter;
mod iwmu;
mod load_queue;
mod lrt;
mod lrt_cam;
mod lrt_scan;
mod pending_loads;

pub use decision_unit::DecisionUnit;
pub use entry_state::EntryState;
pub use holding_arbiter::HoldingArbiter;
pub use iwmu::Iwmu;
pub use load_queue::{LoadQueue, LoadRequest};
pub use lrt_cam::LrtCam;
pub use lrt_scan::LrtScan;
pub use pending_loads::{Load, PendingLoads};
