// SPDX-License-Identifier: Apache-2.0
//! Register values on signals of rust-hdl.

use gpurf_blocks::{Data, Wide};
use rust_hdl::prelude::*;

/// A signal type that carries [`Data`]: which plain type it has, and how values cross over.
pub trait Word: Synth {
    /// The same as plain data.
    type Data: Data;

    /// From plain data.
    fn from_data(data: &Self::Data) -> Self;
    /// As plain data.
    fn to_data(&self) -> Self::Data;
}

impl Word for Bits<32> {
    type Data = u32;

    fn from_data(data: &u32) -> Self {
        (*data as u64).into()
    }

    fn to_data(&self) -> u32 {
        self.index() as u32
    }
}

impl Word for Bits<1024> {
    type Data = Wide<32>;

    fn from_data(data: &Wide<32>) -> Self {
        let mut bits: Bits<1024> = 0.into();
        for (index, word) in data.0.iter().enumerate() {
            let word: Bits<32> = (*word as u64).into();
            bits.set_bits(32 * index, word);
        }
        bits
    }

    fn to_data(&self) -> Wide<32> {
        Wide(std::array::from_fn(|index| self.get_bits::<32>(32 * index).index() as u32))
    }
}
