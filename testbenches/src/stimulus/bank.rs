//! Stimulus of a register bank.

use gpurf_blocks::Data;
use gpurf_hw::register_file::BankIn;

use super::Stimulus;
use crate::Random;

/// Reads and writes, mostly of few rows, so that reads meet what was written.
pub struct BankStimulus {
    pub rows: usize,
    pub collectors: usize,
}

impl<D: Data, O> Stimulus<BankIn<D>, O> for BankStimulus {
    fn next(&mut self, random: &mut Random) -> BankIn<D> {
        let write = random.percent(40);
        let range = if random.percent(20) { self.rows } else { self.rows.min(8) };
        BankIn {
            read: !write && random.percent(70),
            write,
            row: random.below(range) as u32,
            write_data: random.data(),
            collector: random.below(self.collectors) as u32,
            slot: random.below(7) as u32,
        }
    }
}
