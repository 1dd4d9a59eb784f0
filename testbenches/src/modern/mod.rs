// SPDX-License-Identifier: Apache-2.0
//! Testbenches of the sub-core that ships.

gpurf_hw::dialect::modules!("src/modern");
