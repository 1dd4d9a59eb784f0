//! Testbench of a register bank.

use gpurf_blocks::ports::BankIn;
use gpurf_blocks::{Data, Parameters};
use gpurf_hw::dialect::Word;
use gpurf_hw::register_file::Bank;
use rust_hdl::prelude::Bits;

use crate::{register, Engine, Random, Stimulus, Testbench};

impl<const W: usize, const C: usize> Testbench for Bank<W, C>
where
    Bits<W>: Word,
{
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::register_file::Bank::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(BankStimulus { rows: parameters.rows, collectors: parameters.collectors })
    }
}

register!(Bank<W, C>);

/// Reads and writes, mostly of few rows, so that reads meet what was written.
struct BankStimulus {
    rows: usize,
    collectors: usize,
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
