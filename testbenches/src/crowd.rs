//! Times in which everything is for one bank of the registers.

use crate::Random;

/// Now and then, for some cycles, all reads are for one bank, and in the last of these cycles it writes without a pause: its
/// queue fills to the last place.
#[derive(Debug)]
pub struct Crowd {
    banks: usize,
    bank: Option<usize>,
    /// Cycles until that is over.
    left: usize,
}

/// So long that the next instruction of each warp is for the bank,
const GATHERS: usize = 40;
/// and then that one enters each collector.
const WRITES: usize = 20;

impl Crowd {
    /// In a register file of so many banks. Nothing happens before [`Crowd::advance`].
    pub fn new(banks: usize) -> Self {
        Crowd { banks, bank: None, left: 0 }
    }

    /// Goes on to the next cycle.
    pub fn advance(&mut self, random: &mut Random) {
        if self.left > 0 {
            self.left -= 1;
        } else {
            self.bank = (random.below(200) == 1).then(|| random.below(self.banks));
            self.left = self.bank.map_or(0, |_| GATHERS + WRITES);
        }
    }

    /// All reads of this cycle are for one bank.
    pub fn is_on(&self) -> bool {
        self.bank.is_some()
    }

    /// The bank writes in this cycle, whatever else.
    pub fn writes(&self, bank: usize) -> bool {
        self.bank == Some(bank) && self.left <= WRITES
    }

    /// A warp's register: this one, or one beside it in the bank that everything is for.
    pub fn register(&self, warp: u32, register: u32) -> u32 {
        let banks = self.banks as u32;
        // A register lives in bank (register + 1 + warp) mod banks.
        self.bank.map_or(register, |bank| {
            register / banks * banks + (bank as u32 + 2 * banks - 1 - warp % banks) % banks
        })
    }
}
