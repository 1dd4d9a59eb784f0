//! Testbenches of the banks, their queues and the arbiter.

gpurf_hw::dialect::modules!("src/register_file");
