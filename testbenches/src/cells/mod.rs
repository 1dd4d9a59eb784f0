//! Testbenches of the small cells.

gpurf_hw::dialect::modules!("src/cells");
