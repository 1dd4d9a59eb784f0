// SPDX-License-Identifier: Apache-2.0
//! Issue stage of a sub-core: which warp issues, into which collector, and how long it waits for one.

crate::dialect::modules!("src/issue");
