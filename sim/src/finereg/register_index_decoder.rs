// SPDX-License-Identifier: Apache-2.0
//! Reference model of the register index decoder: R §V-C.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{RegisterIndexDecoderIn, RegisterIndexDecoderOut};
use gpurf_blocks::Clocked;

use super::{halves, vector};

/// The registers of a warp that have not been shown yet.
#[derive(Clone, Debug, Default, BorshSerialize, BorshDeserialize)]
pub struct RegisterIndexDecoder {
    left: u64,
    #[borsh(skip)]
    inputs: RegisterIndexDecoderIn,
}

impl RegisterIndexDecoder {
    /// Takes a bit vector of live registers.
    pub fn load(&mut self, vector: u64) {
        self.left = vector;
    }

    /// Registers that are left, a bit each.
    pub fn left(&self) -> u64 {
        self.left
    }

    /// Returns true if this register is left.
    pub fn has(&self, register: usize) -> bool {
        self.left >> register & 1 == 1
    }

    /// The lowest register left.
    pub fn lowest(&self) -> Option<usize> {
        (self.left != 0).then(|| self.left.trailing_zeros() as usize)
    }

    /// This register has been dealt with.
    pub fn drop(&mut self, register: usize) {
        self.left &= !(1 << register);
    }
}

impl Clocked for RegisterIndexDecoder {
    type In = RegisterIndexDecoderIn;
    type Out = RegisterIndexDecoderOut;

    fn settle(&mut self, inputs: &RegisterIndexDecoderIn) -> RegisterIndexDecoderOut {
        self.inputs = *inputs;
        let found = inputs.want && self.has(inputs.wanted as usize);
        let index = if found { inputs.wanted } else { self.lowest().unwrap_or(0) as u32 };
        let (left_low, left_high) = halves(self.left);
        RegisterIndexDecoderOut {
            any: self.left != 0,
            last: self.left.count_ones() == 1,
            found,
            index,
            left_low,
            left_high,
        }
    }

    fn tick(&mut self) {
        let inputs = self.inputs;
        let index = self.settle(&inputs).index;
        if inputs.load {
            self.load(vector(inputs.load_low, inputs.load_high));
        } else if inputs.step {
            self.drop(index as usize);
        }
    }
}
