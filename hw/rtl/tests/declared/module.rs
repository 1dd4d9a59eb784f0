// SPDX-License-Identifier: Apache-2.0
//! A module for the tests of kernels whose parameters decide something.

#[block(title = "Module with options", parameters(slots, wide))]
pub struct Declared {
    /// What goes in.
    pub first: In<Bit>,
    /// What goes in beside it.
    #[when(wide)]
    pub second: In<Bit>,
    /// What comes out.
    pub x: Out<Bit>,
    #[when(slots == 2)]
    held: Register<Bits<8>>,
    number: Local<Bits<8>>,
}
