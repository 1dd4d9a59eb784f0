// SPDX-License-Identifier: Apache-2.0
//! Testbench of DARSIE's skip table.

use gpurf_blocks::ports::{SkipTableIn, SkipTableOut};
use gpurf_blocks::Parameters;
use gpurf_hw::multicast::SkipTable;

use crate::{expect, expect_eq, register, Drive, Engine, Random, Scenario, Stimulus, Testbench};

impl Testbench for SkipTable {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::multicast::SkipTable::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(SkipTableStimulus {
            warps: parameters.warps,
            entries: entries(parameters),
            kept: vec![],
            sections: [0; 3],
            codes: 4,
            loads: 30,
            ends: 5,
        })
    }

    fn protocol(parameters: &Parameters) -> Vec<String> {
        vec![format!("warp < {}", parameters.warps), "request + loaded + opens + forget <= 1".into()]
    }

    fn scenarios() -> Vec<Scenario<Self::In, Self::Out>> {
        scenarios()
    }
}

register!(SkipTable);

/// Most entries of a table: those of the largest banks.
const MOST: usize = 256;

/// An entry for every four registers.
fn entries(parameters: &Parameters) -> usize {
    parameters.rows * parameters.banks / 4
}

/// A load that is kept, as the account has it.
#[derive(Clone, Debug)]
struct Kept {
    place: usize,
    pc: u32,
    warp: u32,
    cta: u32,
    section: u32,
    has_come: bool,
    followers: Vec<u32>,
}

/// Loads of few instructions and CTAs, whose data come late or soon, and sections that end; the account of
/// the loads that are kept, the oldest first, is the check.
struct SkipTableStimulus {
    warps: usize,
    entries: usize,
    kept: Vec<Kept>,
    /// By CTA: its present section.
    sections: [u32; 3],
    /// Instructions that load.
    codes: usize,
    /// Chances that data come, and that a section ends, in percent.
    loads: usize,
    ends: usize,
}

impl SkipTableStimulus {
    /// The number of the load that these inputs find: the newest that does the same.
    fn finds(&self, inputs: &SkipTableIn) -> Option<usize> {
        self.kept.iter().rposition(|kept| {
            (kept.pc, kept.cta, kept.section) == (inputs.pc, inputs.cta, inputs.section)
                && kept.warp != inputs.warp
                && inputs.alike[kept.place]
        })
    }
}

impl Stimulus<SkipTableIn, SkipTableOut> for SkipTableStimulus {
    fn next(&mut self, random: &mut Random) -> SkipTableIn {
        if random.percent(1) {
            self.codes = random.pick(&[1, 4, 40, 400]);
            self.loads = random.pick(&[0, 5, 30, 60]);
            self.ends = random.pick(&[0, 1, 5, 30]);
        }
        let cta = random.below(self.sections.len());
        let present = self.sections[cta];
        let mut inputs = SkipTableIn {
            pc: 7 * random.below(self.codes) as u32,
            warp: random.below(self.warps) as u32,
            cta: 40 * cta as u32,
            section: present,
            ..SkipTableIn::default()
        };
        let density = random.pick(&[100, 100, 70, 25]);
        inputs.alike[..self.entries].fill_with(|| random.percent(density));
        let under_way: Vec<&Kept> = self.kept.iter().filter(|kept| !kept.has_come).collect();
        if random.percent(self.loads) {
            inputs.loaded = true;
            if let (false, true) = (under_way.is_empty(), random.percent(90)) {
                let kept = random.pick(&under_way);
                (inputs.pc, inputs.warp) = (kept.pc, kept.warp);
            }
        } else if random.percent(self.ends) {
            // A new CTA comes into the place of one that has ended.
            self.sections[cta] = (present + random.pick(&[1, 1, 1, 2])) & 0xff;
            (inputs.opens, inputs.section) = (true, self.sections[cta]);
        } else if random.percent(self.ends / 4) {
            inputs.forget = under_way.iter().all(|kept| kept.cta != inputs.cta);
        } else if random.percent(80) {
            // Some loads are from before the barrier.
            inputs.section = present.wrapping_sub(u32::from(random.percent(20))) & 0xff;
            // A warp has one load of an instruction under way.
            inputs.request = !under_way.iter().any(|kept| (kept.pc, kept.warp) == (inputs.pc, inputs.warp));
        }
        inputs
    }

    fn observe(&mut self, inputs: &SkipTableIn, outputs: &SkipTableOut) -> Result<(), String> {
        let found = self.finds(inputs).filter(|_| inputs.request);
        let shown = outputs.found.then_some((outputs.entry as usize, outputs.under_way));
        let expected = found.map(|number| (self.kept[number].place, !self.kept[number].has_come));
        if shown != expected {
            return Err(format!("{shown:?} is found instead of {expected:?}"));
        }
        if let Some(number) = found.filter(|&number| !self.kept[number].has_come) {
            self.kept[number].followers.push(inputs.warp);
        }
        if inputs.request && found.is_none() {
            let oldest = self.kept.iter().position(|kept| kept.has_come);
            if outputs.kept != (self.kept.len() < self.entries || oldest.is_some()) {
                return Err(format!("with {} loads another one is kept: {}", self.kept.len(), outputs.kept));
            }
            let removed = outputs.removed as usize;
            if outputs.kept {
                let victim = self.kept.iter().position(|kept| kept.place == removed);
                let expected = oldest.filter(|_| self.kept.len() == self.entries);
                if victim != expected {
                    return Err(format!("load {victim:?} makes room instead of {expected:?}"));
                }
                victim.map(|victim| self.kept.remove(victim));
                let behind = self.kept.iter_mut().filter(|kept| kept.place > removed);
                behind.for_each(|kept| kept.place -= 1);
                let SkipTableIn { pc, warp, cta, section, .. } = *inputs;
                let (place, has_come, followers) = (self.entries - 1, false, vec![]);
                self.kept.push(Kept { place, pc, warp, cta, section, has_come, followers });
            }
        }
        if inputs.loaded {
            let is_it = |kept: &&mut Kept| !kept.has_come && (kept.pc, kept.warp) == (inputs.pc, inputs.warp);
            let load = self.kept.iter_mut().find(is_it);
            let expected = load.as_ref().map(|load| load.place);
            let shown = outputs.arrived.then_some(outputs.entry as usize);
            if shown != expected {
                return Err(format!("data come for entry {shown:?} instead of {expected:?}"));
            }
            let mut followers = load.map_or(vec![], |load| {
                load.has_come = true;
                std::mem::take(&mut load.followers)
            });
            followers.sort();
            followers.dedup();
            let shown: Vec<u32> =
                (0..self.warps as u32).filter(|&warp| outputs.followers[warp as usize]).collect();
            if shown != followers {
                return Err(format!("{shown:?} go on instead of {followers:?}"));
            }
        }
        let is_over = |kept: &Kept| inputs.section.wrapping_sub(kept.section) & 0xff > 1;
        let drops = |kept: &Kept| inputs.forget || inputs.opens && kept.has_come && is_over(kept);
        self.kept.retain(|kept| kept.cta != inputs.cta || !drops(kept));
        Ok(())
    }
}

type Bench<'a> = Drive<'a, SkipTableIn, SkipTableOut>;

/// A load of CTA 3 in its section 5 that does the same as all others of its instruction.
fn load(warp: u32, pc: u32) -> SkipTableIn {
    SkipTableIn { request: true, pc, warp, cta: 3, section: 5, alike: [true; MOST], ..SkipTableIn::default() }
}

fn data(warp: u32, pc: u32) -> SkipTableIn {
    SkipTableIn { loaded: true, pc, warp, ..SkipTableIn::default() }
}

fn opens(section: u32) -> SkipTableIn {
    SkipTableIn { opens: true, cta: 3, section, ..SkipTableIn::default() }
}

/// As many loads lead as there are entries.
fn fill(bench: &mut Bench) -> Result<(), String> {
    for pc in 0..entries(&bench.parameters) as u32 {
        let out = bench.cycle(load(0, pc))?;
        expect(out.kept && !out.found, "it leads")?;
        expect_eq!(out.removed, 0, "what is empty makes room")?;
    }
    Ok(())
}

fn scenarios() -> Vec<Scenario<SkipTableIn, SkipTableOut>> {
    vec![
        Scenario {
            name: "later_warps_follow_the_first",
            rule: "I 5.2.2: the accessing instruction that is run later is guided to the RF instead of SMEM",
            play: |bench| {
                let out = bench.cycle(load(0, 9))?;
                expect(out.kept && !out.found, "warp 0 leads")?;
                for warp in [1, 3] {
                    let out = bench.cycle(load(warp, 9))?;
                    expect(out.found && out.under_way && !out.kept, format!("warp {warp} follows"))?;
                }
                let out = bench.cycle(data(1, 9))?;
                expect(!out.arrived, "warp 1 leads nobody")?;
                let out = bench.cycle(data(0, 9))?;
                let followers: Vec<usize> = (0..8).filter(|&warp| out.followers[warp]).collect();
                expect(out.arrived, "the data come")?;
                expect_eq!(followers, [1, 3], "both go on")?;
                let out = bench.cycle(load(2, 9))?;
                expect(out.found && !out.under_way, "warp 2 finds the value")
            },
        },
        Scenario {
            name: "only_what_is_alike_is_found",
            rule: "our decision: the same instruction, CTA and section, of another warp",
            play: |bench| {
                bench.cycle(load(0, 9))?;
                bench.cycle(data(0, 9))?;
                let others = [
                    load(0, 9),
                    SkipTableIn { pc: 10, ..load(1, 9) },
                    SkipTableIn { cta: 4, ..load(2, 9) },
                    SkipTableIn { section: 6, ..load(3, 9) },
                    SkipTableIn { alike: [false; MOST], ..load(4, 9) },
                ];
                for other in others {
                    let out = bench.cycle(other)?;
                    expect(!out.found && out.kept, format!("{other:?} leads"))?;
                }
                Ok(())
            },
        },
        Scenario {
            name: "a_barrier_ends_what_is_shared",
            rule: "our decision: values stay until the section after has ended too",
            play: |bench| {
                bench.cycle(load(0, 9))?;
                bench.cycle(data(0, 9))?;
                bench.cycle(opens(6))?;
                let out = bench.cycle(load(1, 9))?;
                expect(out.found, "a load from before the barrier comes late")?;
                bench.cycle(opens(7))?;
                let out = bench.cycle(load(2, 9))?;
                expect(!out.found, "it is over")
            },
        },
        Scenario {
            name: "what_is_under_way_outlives_its_section",
            rule: "our decision: followers get their data whenever these come",
            play: |bench| {
                bench.cycle(load(0, 9))?;
                bench.cycle(load(1, 9))?;
                for section in [6, 7, 8] {
                    bench.cycle(opens(section))?;
                }
                let out = bench.cycle(data(0, 9))?;
                expect(out.arrived && out.followers[1], "warp 1 goes on")?;
                bench.cycle(opens(9))?;
                let out = bench.cycle(load(2, 9))?;
                expect(!out.found, "then it is dropped")
            },
        },
        Scenario {
            name: "the_oldest_value_makes_room",
            rule: "our decision: an entry without a value, else the oldest whose data have come",
            play: |bench| {
                fill(bench)?;
                let out = bench.cycle(load(0, 1000))?;
                expect(!out.found && !out.kept, "all are under way")?;
                for pc in [7, 5] {
                    bench.cycle(data(0, pc))?;
                }
                let out = bench.cycle(load(0, 2000))?;
                expect(out.kept, "it is kept")?;
                expect_eq!(out.removed, 5, "the older value makes room")?;
                let out = bench.cycle(load(1, 7))?;
                expect(out.found && !out.under_way, "the other one stays")?;
                expect_eq!(out.entry, 6, "it has moved up")?;
                let out = bench.cycle(load(1, 2000))?;
                expect(out.found && out.under_way, "the new one is found")?;
                expect_eq!(out.entry, entries(&bench.parameters) as u32 - 1, "it is the last")
            },
        },
        Scenario {
            name: "a_cta_that_leaves_takes_its_values_with_it",
            rule: "our decision: its registers may leave the sub-core",
            play: |bench| {
                for cta in [3, 4] {
                    bench.cycle(SkipTableIn { cta, ..load(0, 9) })?;
                    bench.cycle(data(0, 9))?;
                }
                bench.cycle(SkipTableIn { forget: true, cta: 3, ..SkipTableIn::default() })?;
                let out = bench.cycle(load(1, 9))?;
                expect(!out.found, "it is gone")?;
                let out = bench.cycle(SkipTableIn { cta: 4, ..load(1, 9) })?;
                expect(out.found, "another's stays")
            },
        },
        Scenario {
            name: "the_newest_is_found",
            rule: "our decision: of several loads alike",
            play: |bench| {
                bench.cycle(load(0, 9))?;
                bench.cycle(data(0, 9))?;
                bench.cycle(load(0, 9))?;
                let out = bench.cycle(load(1, 9))?;
                expect(out.found && out.under_way, "that under way, not the one that has come")
            },
        },
    ]
}
