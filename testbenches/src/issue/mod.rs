//! Testbenches of the issue stage and its parts.

gpurf_hw::dialect::modules!("src/issue");
