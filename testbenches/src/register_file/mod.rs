// SPDX-License-Identifier: Apache-2.0
//! Testbenches of the banks, their queues and the arbiter.

gpurf_hw::dialect::modules!("src/register_file");
