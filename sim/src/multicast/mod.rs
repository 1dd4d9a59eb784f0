//! Reference models of inter-warp multicasting, written from I §3 and the rules of [`gpurf_hw::multicast`].

mod iwmu;
mod lrt;

pub use iwmu::Iwmu;
pub use lrt::{LrtCam, LrtScan};
