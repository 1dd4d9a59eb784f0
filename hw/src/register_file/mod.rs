// SPDX-License-Identifier: Apache-2.0
//! Register file of a sub-core: single-ported banks, their read queues, and the arbiter.

crate::dialect::modules!("src/register_file");
