// SPDX-License-Identifier: Apache-2.0
//! Testbench of the PCRF pointer table.

use gpurf_blocks::ports::{PcrfPointerTableIn, PcrfPointerTableOut};
use gpurf_blocks::Parameters;
use gpurf_hw::finereg::PcrfPointerTable;

use crate::{register, Engine, Random, Stimulus, Testbench};

impl<const P: usize> Testbench for PcrfPointerTable<P> {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::finereg::PcrfPointerTable::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(PcrfPointerTableStimulus(*parameters))
    }
}

register!(PcrfPointerTable<P>);

/// Reads and writes, mostly of few lines.
struct PcrfPointerTableStimulus(Parameters);

impl Stimulus<PcrfPointerTableIn, PcrfPointerTableOut> for PcrfPointerTableStimulus {
    fn next(&mut self, random: &mut Random) -> PcrfPointerTableIn {
        let Parameters { pcrf_entries: entries, ctas, .. } = self.0;
        let write = random.percent(50);
        // The counts of a warp, those of a whole PCRF, and all that the port carries.
        let most = random.pick(&[65, entries + 1, 1 << 12]);
        let range = if random.percent(20) { ctas } else { 4 };
        PcrfPointerTableIn {
            read: !write && random.percent(70),
            write,
            cta: random.below(range) as u32,
            write_pointer: random.below(entries) as u32,
            write_count: random.below(most) as u32,
        }
    }
}
