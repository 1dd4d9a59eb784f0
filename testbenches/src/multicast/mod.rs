//! Testbenches of inter-warp multicasting.

mod iwmu;
mod lrt;
mod lrt_cam;
mod lrt_scan;
