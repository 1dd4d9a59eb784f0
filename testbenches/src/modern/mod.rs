//! Testbenches of the sub-core that ships.

gpurf_hw::dialect::modules!("src/modern");
