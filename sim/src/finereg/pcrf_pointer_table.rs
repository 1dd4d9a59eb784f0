// SPDX-License-Identifier: Apache-2.0
//! Reference model of the PCRF pointer table: R §V-C.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{PcrfPointerTableIn, PcrfPointerTableOut};
use gpurf_blocks::{Clocked, Parameters};

/// Where a CTA's chain begins, and how many registers it has at least.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct ChainStart {
    /// The first entry of the chain.
    pub pointer: usize,
    /// Registers in the chain.
    pub count: usize,
}

/// A line per CTA, and the one read last.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct PcrfPointerTable {
    lines: Vec<ChainStart>,
    /// The largest count that a line holds.
    most: usize,
    read: ChainStart,
    #[borsh(skip)]
    inputs: PcrfPointerTableIn,
}

impl PcrfPointerTable {
    /// After reset, with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { ctas, count_bits, .. } = *parameters;
        PcrfPointerTable {
            lines: vec![ChainStart::default(); ctas],
            most: (1 << count_bits) - 1,
            read: ChainStart::default(),
            inputs: Default::default(),
        }
    }

    /// The lines of every CTA.
    pub fn lines(&self) -> &[ChainStart] {
        &self.lines
    }

    /// The line read last.
    pub fn line(&self) -> ChainStart {
        self.read
    }

    /// Reads the line of a CTA.
    pub fn read(&mut self, cta: usize) {
        self.read = self.lines[cta];
    }

    /// Writes the line of a CTA.
    pub fn write(&mut self, cta: usize, line: ChainStart) {
        self.lines[cta] = ChainStart { count: line.count.min(self.most), ..line };
    }
}

impl Clocked for PcrfPointerTable {
    type In = PcrfPointerTableIn;
    type Out = PcrfPointerTableOut;

    fn settle(&mut self, inputs: &PcrfPointerTableIn) -> PcrfPointerTableOut {
        self.inputs = *inputs;
        PcrfPointerTableOut { pointer: self.read.pointer as u32, count: self.read.count as u32 }
    }

    fn tick(&mut self) {
        let PcrfPointerTableIn { read, write, cta, write_pointer, write_count } = self.inputs;
        if write {
            let line = ChainStart { pointer: write_pointer as usize, count: write_count as usize };
            self.write(cta as usize, line);
        } else if read {
            self.read(cta as usize);
        }
    }
}
