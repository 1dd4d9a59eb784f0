// SPDX-License-Identifier: Apache-2.0
//! Testbench of the free space monitor.

use bitvec::prelude::*;
use gpurf_blocks::ports::{FreeSpaceMonitorIn, FreeSpaceMonitorOut};
use gpurf_blocks::Parameters;
use gpurf_hw::finereg::FreeSpaceMonitor;

use crate::{expect, register, Engine, Random, Scenario, Stimulus, Testbench};

impl<const P: usize> Testbench for FreeSpaceMonitor<P> {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::finereg::FreeSpaceMonitor::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(FreeSpaceMonitorStimulus::new(parameters.pcrf_entries))
    }

    fn protocol(parameters: &Parameters) -> Vec<String> {
        // What is taken was free, and what becomes free was taken; so no more are in use than there are.
        let used = format!("used <= {}", parameters.pcrf_entries);
        vec!["!take | any_free".into(), "!free | used != 0".into(), used]
    }

    fn scenarios() -> Vec<Scenario<Self::In, Self::Out>> {
        vec![Scenario {
            name: "the_only_free_entry_is_found",
            rule: "R V-C: the monitor provides the number of empty slots and their location in the PCRF",
            play: |bench| {
                let take = FreeSpaceMonitorIn { take: true, ..Default::default() };
                let entries = bench.parameters.pcrf_entries as u32;
                for entry in 0..entries {
                    let out = bench.cycle(take)?;
                    expect(out.any_free && out.first_free == entry, "the lowest one first")?;
                }
                for entry in 0..entries {
                    let free = FreeSpaceMonitorIn { free: true, free_entry: entry, ..Default::default() };
                    let out = bench.cycle(free)?;
                    expect(!out.any_free && out.free_count == 0, "none is free")?;
                    let out = bench.cycle(take)?;
                    let is_found = out.any_free && out.first_free == entry && out.free_count == 1;
                    expect(is_found, format!("entry {entry} alone is free"))?;
                }
                Ok(())
            },
        }]
    }
}

register!(FreeSpaceMonitor<P>);

/// Entries taken and freed, with long tides from empty to full and back.
struct FreeSpaceMonitorStimulus {
    occupied: BitVec<u32>,
    rising: bool,
}

impl FreeSpaceMonitorStimulus {
    fn new(entries: usize) -> Self {
        FreeSpaceMonitorStimulus { occupied: bitvec![u32, Lsb0; 0; entries], rising: true }
    }

    fn used(&self) -> usize {
        self.occupied.count_ones()
    }
}

impl Stimulus<FreeSpaceMonitorIn, FreeSpaceMonitorOut> for FreeSpaceMonitorStimulus {
    fn next(&mut self, random: &mut Random) -> FreeSpaceMonitorIn {
        let (used, entries) = (self.used(), self.occupied.len());
        if used == entries || used == 0 {
            self.rising = used == 0;
        }
        let (take, free) = if self.rising { (95, 10) } else { (10, 95) };
        let start = random.below(entries);
        let mut around = (start..start + entries).map(|entry| entry % entries);
        let entry = around.find(|&entry| self.occupied[entry]);
        FreeSpaceMonitorIn {
            take: used < entries && random.percent(take),
            free: entry.is_some() && random.percent(free),
            free_entry: entry.unwrap_or(0) as u32,
        }
    }

    fn observe(&mut self, inputs: &FreeSpaceMonitorIn, outputs: &FreeSpaceMonitorOut) -> Result<(), String> {
        let shown = outputs.occupied.view_bits::<Lsb0>();
        if let Some(entry) = (0..self.occupied.len()).find(|&entry| shown[entry] != self.occupied[entry]) {
            return Err(format!("the flag of entry {entry} is {}", shown[entry]));
        }
        let zeros = self.occupied.len() - self.used();
        if outputs.free_count as usize != zeros || outputs.any_free != (zeros > 0) {
            return Err(format!("{zeros} entries are free, not {}", outputs.free_count));
        }
        let first = self.occupied.first_zero();
        if first.is_some_and(|first| outputs.first_free as usize != first) {
            return Err(format!("the first free entry is {first:?}, not {}", outputs.first_free));
        }
        if inputs.take {
            self.occupied.set(outputs.first_free as usize, true);
        }
        if inputs.free {
            self.occupied.set(inputs.free_entry as usize, false);
        }
        Ok(())
    }
}
