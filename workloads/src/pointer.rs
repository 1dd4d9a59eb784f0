// SPDX-License-Identifier: Apache-2.0
//! Addresses in device memory.

/// An address in device memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pointer(pub u64);

impl Pointer {
    /// The address `bytes` further on.
    pub fn offset(self, bytes: u64) -> Pointer {
        Pointer(self.0 + bytes)
    }
}
