// SPDX-License-Identifier: Apache-2.0
//! Where things appear among generic addresses.

/// Where shared and local memory appear among generic addresses.
pub(crate) const SHARED_WINDOW: u64 = 0x7f10_0000_0000;
pub(crate) const LOCAL_WINDOW: u64 = 0x7f11_0000_0000;

/// Where what a listing lacks seems to be, 16 bytes apart.
pub(crate) const MISSING: u64 = 0x7e10_0000_0000;
