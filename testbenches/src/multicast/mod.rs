//! Testbenches of inter-warp multicasting.

mod decision_unit;
mod entry_state;
mod holding_arbiter;
mod iwmu;
mod load_queue;
mod lrt;
mod lrt_cam;
mod lrt_scan;
mod pending_loads;
