// SPDX-License-Identifier: Apache-2.0
//! Testbenches of the small cells.

gpurf_hw::dialect::modules!("src/cells");
