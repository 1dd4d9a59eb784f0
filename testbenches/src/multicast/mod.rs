// SPDX-License-Identifier: Apache-2.0
//! Testbenches of inter-warp multicasting.

gpurf_hw::dialect::modules!("src/multicast");
