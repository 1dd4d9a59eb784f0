// SPDX-License-Identifier: Apache-2.0
//! Times in which everything is for one bank of the registers.

use crate::Random;

/// Now and then, for some cycles, all reads are for one bank. After some of these cycles it writes, for short
/// and for long, with pauses: whatever reads have just come, its queue fills to the last place.
#[derive(Debug)]
pub struct Crowd {
    banks: usize,
    bank: Option<usize>,
    /// A register that the next instruction may read.
    first: usize,
    /// Cycles until that is over.
    left: usize,
    /// The bank writes, or pauses, for so many more cycles.
    writing: bool,
    same: usize,
}

/// So long that the next instruction of each warp is for the bank,
const GATHERS: usize = 40;
/// and then that several enter each collector.
const WRITES: usize = 60;

impl Crowd {
    /// In a register file of so many banks. Nothing happens before [`Crowd::advance`].
    pub fn new(banks: usize) -> Self {
        Crowd { banks, bank: None, first: 0, left: 0, writing: false, same: 0 }
    }

    /// Goes on to the next cycle.
    pub fn advance(&mut self, random: &mut Random) {
        self.first = random.below(256);
        if self.left > 0 {
            self.left -= 1;
            if self.same > 0 {
                self.same -= 1;
            } else {
                self.writing = !self.writing;
                self.same = random.pick(&[1, 4, 20]);
            }
        } else {
            self.bank = (random.below(200) == 1).then(|| random.below(self.banks));
            self.left = self.bank.map_or(0, |_| GATHERS + WRITES);
            (self.writing, self.same) = (false, GATHERS);
        }
    }

    /// All reads are for one bank now.
    pub fn gathers(&self) -> bool {
        self.bank.is_some()
    }

    /// The bank writes in this cycle, whatever else.
    pub fn writes(&self, bank: usize) -> bool {
        self.bank == Some(bank) && self.writing
    }

    /// The register that a slot of a warp's instruction reads, if all are for one bank: as far as a warp has
    /// registers, each slot has another one.
    pub fn source(&self, warp: u32, slot: usize, registers: usize) -> Option<u32> {
        self.bank.map(|bank| self.in_bank(bank, warp, (self.first + slot * self.banks) % registers))
    }

    /// A register of a warp that a bank writes: this one or, if it writes all the time, one beside it that
    /// lives there.
    pub fn written(&self, bank: usize, warp: u32, register: usize) -> u32 {
        if self.writes(bank) {
            self.in_bank(bank, warp, register)
        } else {
            register as u32
        }
    }

    /// Register r of a warp lives in bank (r + 1 + warp) mod banks.
    fn in_bank(&self, bank: usize, warp: u32, register: usize) -> u32 {
        let banks = self.banks;
        (register / banks * banks + (bank + 2 * banks - 1 - warp as usize % banks) % banks) as u32
    }
}
