//! Testbench of the use and age of a load request table's entries.

use gpurf_blocks::ports::{EntryStateIn, EntryStateOut};
use gpurf_blocks::{Parameters, SCAN_LANES};
use gpurf_hw::multicast::EntryState;

use crate::{expect, register, Engine, Random, Scenario, Stimulus, Testbench};

impl Testbench for EntryState {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::multicast::EntryState::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(EntryStateStimulus { used: vec![false; parameters.lrt_entries] })
    }

    fn scenarios() -> Vec<Scenario<Self>> {
        vec![
            Scenario {
                name: "due_after_the_second_tick",
                rule:
                    "I 3.3: an entry that waits for too long is released; here after more than one interval",
                play: |bench| {
                    bench.cycle(EntryStateIn { insert: true, tick: true, ..Default::default() })?;
                    for _ in 0..2 {
                        let out = bench.cycle(EntryStateIn { tick: true, ..Default::default() })?;
                        expect(out.occupancy == 1 && !out.any_due, "too young")?;
                    }
                    let out = bench.cycle(EntryStateIn { clear: true, ..Default::default() })?;
                    expect(out.any_due && (out.due_row, out.due_lane) == (0, 0), "due")?;
                    let out = bench.cycle(EntryStateIn::default())?;
                    expect(out.occupancy == 0 && !out.any_due, "and gone")
                },
            },
            Scenario {
                name: "the_lowest_free_entry_is_taken",
                rule: "I 3.1: a load without a partner is inserted into the table",
                play: |bench| {
                    let entries = bench.parameters.lrt_entries;
                    for entry in 0..entries {
                        let out = bench.cycle(EntryStateIn { insert: true, ..Default::default() })?;
                        let free = out.free_row as usize * SCAN_LANES + out.free_lane as usize;
                        expect(!out.full && free == entry, format!("entry {entry} is the next"))?;
                    }
                    expect(bench.cycle(EntryStateIn::default())?.full, "then it is full")
                },
            },
        ]
    }
}

register!(EntryState);

/// Insertions while there is room, and releases of entries in use.
struct EntryStateStimulus {
    used: Vec<bool>,
}

impl Stimulus<EntryStateIn, EntryStateOut> for EntryStateStimulus {
    fn next(&mut self, random: &mut Random) -> EntryStateIn {
        let mut inputs = EntryStateIn { tick: random.percent(10), ..Default::default() };
        let entry = random.below(self.used.len());
        let density = random.pick(&[20, 50, 80]);
        if random.percent(density) {
            inputs.insert = self.used.contains(&false);
        } else if self.used[entry] {
            inputs.clear = true;
        }
        inputs.clear_row = (entry / SCAN_LANES) as u32;
        inputs.clear_lane = (entry % SCAN_LANES) as u32;
        inputs
    }

    fn observe(&mut self, inputs: &EntryStateIn, outputs: &EntryStateOut) -> Result<(), String> {
        if inputs.insert {
            self.used[outputs.free_row as usize * SCAN_LANES + outputs.free_lane as usize] = true;
        }
        if inputs.clear {
            self.used[inputs.clear_row as usize * SCAN_LANES + inputs.clear_lane as usize] = false;
        }
        Ok(())
    }
}
