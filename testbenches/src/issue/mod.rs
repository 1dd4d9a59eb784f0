// SPDX-License-Identifier: Apache-2.0
//! Testbenches of the issue stage and its parts.

gpurf_hw::dialect::modules!("src/issue");
