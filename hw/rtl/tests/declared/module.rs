// SPDX-License-Identifier: Apache-2.0
//! A module for the tests of kernels whose parameters decide something.

#[block(title = "Module with options", parameters(slots, wide))]
pub struct Declared {
    /// An input that is always there.
    pub first: In<Bit>,
    /// An input that is there where `wide` is set.
    #[when(wide)]
    pub second: In<Bit>,
    /// The only output.
    pub x: Out<Bit>,
    /// An output that is a register.
    pub shown: Out<Register<Bit>>,
    #[when(slots == 2)]
    held: Register<Bits<8>>,
    level: Register<Bits<8>>,
    levels: Register<[Bits<8>; slots]>,
    grid: Register<[[Bits<8>; slots]; 2]>,
    pairs: [Pair<Held>; slots],
    pair: Pair<Local>,
    number: Local<Bits<8>>,
}

/// Wires that are registers in a module.
#[bundle]
pub struct Pair {
    /// The first.
    pub first: Bits<8>,
    /// The second.
    pub second: Bits<8>,
}
