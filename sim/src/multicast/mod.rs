//! Reference models of inter-warp multicasting, written from I §3 and the rules of [`gpurf_hw::multicast`].

mod iwmu;
mod lrt;
mod lrt_cam;
mod lrt_scan;

pub use iwmu::Iwmu;
pub use lrt_cam::LrtCam;
pub use lrt_scan::LrtScan;
