//! Testbenches of inter-warp multicasting.

gpurf_hw::dialect::modules!("src/multicast");
