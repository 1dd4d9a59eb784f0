// SPDX-License-Identifier: Apache-2.0
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
        Box::new(BankStimulus { parameters: *parameters })
    }
}

register!(Bank<W, C>);

/// Reads and writes, mostly of few rows, so that reads meet what was written.
struct BankStimulus {
    parameters: Parameters,
}

impl<D: Data, O> Stimulus<BankIn<D>, O> for BankStimulus {
    fn next(&mut self, random: &mut Random) -> BankIn<D> {
        let write = random.percent(40);
        let Parameters { rows, collectors, accesses, transfer_ports, .. } = self.parameters;
        let range = if random.percent(20) { rows } else { rows.min(8) };
        let leaves = transfer_ports > 0 && !write && random.percent(30);
        BankIn {
            read: !write && !leaves && random.percent(70),
            write,
            transfer: [leaves],
            row: random.below(range) as u32,
            write_data: random.data(),
            collector: random.below(collectors) as u32,
            slot: random.below(7) as u32,
            second_read: [accesses > 1 && random.percent(60)],
            second_row: [random.below(range) as u32],
            second_collector: [random.below(collectors) as u32],
            second_slot: [random.below(7) as u32],
        }
    }
}
