// SPDX-License-Identifier: Apache-2.0
//! Testbench of DARSIE's renaming table.

use std::collections::HashMap;

use gpurf_blocks::ports::{RenamingTableIn, RenamingTableOut};
use gpurf_blocks::{Parameters, MAX_WARPS};
use gpurf_hw::multicast::RenamingTable;

use crate::{expect, expect_eq, register, Drive, Engine, Random, Scenario, Stimulus, Testbench};

impl Testbench for RenamingTable {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::multicast::RenamingTable::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(RenamingTableStimulus::new(*parameters))
    }

    fn protocol(parameters: &Parameters) -> Vec<String> {
        vec![format!("warp < {}", parameters.warps), format!("leader < {}", parameters.warps)]
    }

    fn scenarios() -> Vec<Scenario<Self::In, Self::Out>> {
        scenarios()
    }
}

register!(RenamingTable);

/// Warps of CTAs that write registers of theirs and skip loads of their peers. The account has the value of
/// each row and of each register in program order: what a warp reads must be what it was given last.
struct RenamingTableStimulus {
    parameters: Parameters,
    /// Warps of a CTA: those whose numbers leave the same remainder.
    ctas: usize,
    /// By warp and register: its value, and by warp and register the value in its home. Those that are not
    /// there are the warp's own from the start.
    values: HashMap<(u32, u32), u32>,
    rows: HashMap<(u32, u32), u32>,
    next_value: u32,
    /// Registers that are renamed, as many as the table has entries, and one more that is not.
    registers: Vec<u32>,
    /// In a hundred cycles: those in which a load is skipped, and in which warps come.
    skips: usize,
    comes: usize,
    moved: u64,
    free: u32,
}

impl RenamingTableStimulus {
    fn new(parameters: Parameters) -> Self {
        RenamingTableStimulus {
            parameters,
            ctas: 1,
            values: HashMap::new(),
            rows: HashMap::new(),
            next_value: 1000,
            registers: vec![],
            skips: 30,
            comes: 0,
            moved: 0,
            free: parameters.renaming_entries as u32,
        }
    }

    /// The value of a register of a warp before anything is written: that of its home.
    fn initial(warp: u32, register: u32) -> u32 {
        0x8000_0000 | warp << 8 | register
    }

    fn value(&self, warp: u32, register: u32) -> u32 {
        let value = self.values.get(&(warp, register)).copied();
        value.unwrap_or_else(|| Self::initial(warp, register))
    }

    fn row(&self, home: u32, register: u32) -> u32 {
        self.rows.get(&(home, register)).copied().unwrap_or_else(|| Self::initial(home, register))
    }

    fn cta(&self, warp: usize) -> usize {
        warp % self.ctas
    }

    fn peers(&self, warp: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.parameters.warps).filter(move |&peer| self.cta(peer) == self.cta(warp))
    }

    /// Another CTA comes into the place of one, or of all.
    fn come(&mut self, inputs: &mut RenamingTableIn, warp: usize) {
        self.peers(warp).for_each(|peer| inputs.forget[peer] = true);
    }
}

impl Stimulus<RenamingTableIn, RenamingTableOut> for RenamingTableStimulus {
    fn next(&mut self, random: &mut Random) -> RenamingTableIn {
        let mut inputs = RenamingTableIn::default();
        let warps = self.parameters.warps;
        if self.registers.is_empty() || random.below(300) == 0 {
            let count =
                random.pick(&[1, 3, self.parameters.renaming_entries, self.parameters.renaming_entries + 9]);
            self.registers = (0..count).map(|_| random.below(256) as u32).collect();
            self.skips = random.pick(&[10, 30, 60]);
            self.comes = random.pick(&[0, 0, 1, 5]);
        }
        let warp = random.below(warps);
        inputs.warp = warp as u32;
        inputs.register = random.pick(&self.registers);
        for slot in 0..self.parameters.slots {
            let any = random.below(256) as u32;
            let other = random.pick(&self.registers);
            inputs.source_register[slot] = random.pick(&[any, inputs.register, other]);
        }
        if random.below(1000) == 0 {
            // All CTAs end, and others come.
            self.ctas = random.pick(&[1, 2, 4]);
            inputs.forget[..warps].fill(true);
        } else if random.percent(self.comes) {
            self.come(&mut inputs, warp);
        } else if random.percent(self.skips) && self.free > 0 {
            // The leader's value lies in the home of any warp of the CTA.
            let peers: Vec<usize> = self.peers(warp).collect();
            inputs.skip = true;
            inputs.leader = random.pick(&peers) as u32;
        } else if random.percent(70) {
            inputs.write = true;
            for peer in 0..warps {
                inputs.peers[peer] = self.cta(peer) == self.cta(warp);
            }
        }
        inputs
    }

    fn observe(&mut self, inputs: &RenamingTableIn, outputs: &RenamingTableOut) -> Result<(), String> {
        let RenamingTableIn { warp, register, .. } = *inputs;
        for slot in 0..self.parameters.slots {
            let source = inputs.source_register[slot];
            let lender = outputs.lender[slot];
            if outputs.lent[slot] != (lender != warp) {
                return Err(format!("slot {slot}: lent by warp {lender} to warp {warp}"));
            }
            let (found, expected) = (self.row(lender, source), self.value(warp, source));
            if found != expected {
                return Err(format!(
                    "warp {warp} reads R{source} in the home of warp {lender}: {found:#x}, not {expected:#x}"
                ));
            }
        }
        self.free = outputs.free - u32::from(inputs.skip);
        if inputs.skip {
            // A home holds what was written there last, whoever reads it.
            self.values.insert((warp, register), self.row(inputs.leader, register));
        }
        if inputs.write {
            if !inputs.peers[outputs.row as usize] {
                return Err(format!("warp {warp} writes into the home of warp {}", outputs.row));
            }
            self.moved += u64::from(outputs.row != warp);
            self.next_value += 1;
            self.values.insert((warp, register), self.next_value);
            self.rows.insert((outputs.row, register), self.next_value);
        }
        for (number, _) in inputs.forget.iter().enumerate().filter(|(_, forgets)| **forgets) {
            let is_other = |(warp, _): &(u32, u32), _: &mut u32| *warp != number as u32;
            self.values.retain(is_other);
            self.rows.retain(is_other);
        }
        Ok(())
    }

    fn coverage(&self) -> Vec<(&'static str, u64)> {
        vec![("writes into other warps' homes", self.moved)]
    }
}

type Bench<'a> = Drive<'a, RenamingTableIn, RenamingTableOut>;

const REGISTER: u32 = 9;

/// A load of R9 whose value lies in the home of another warp is skipped.
fn skip(warp: u32, leader: u32) -> RenamingTableIn {
    RenamingTableIn { skip: true, warp, leader, register: REGISTER, ..RenamingTableIn::default() }
}

/// R9 of a warp is written, whose CTA has these warps.
fn write(warp: u32, peers: &[usize]) -> RenamingTableIn {
    let mut inputs = RenamingTableIn { write: true, warp, register: REGISTER, ..RenamingTableIn::default() };
    peers.iter().for_each(|&peer| inputs.peers[peer] = true);
    inputs
}

/// The warp in whose home R9 of a warp lies.
fn reads(bench: &mut Bench, warp: u32) -> Result<u32, String> {
    let mut inputs = RenamingTableIn { warp, ..RenamingTableIn::default() };
    (inputs.source_register[0], inputs.source_register[1]) = (REGISTER, REGISTER + 1);
    let out = bench.cycle(inputs)?;
    expect(!out.lent[1], "another register lies at home")?;
    expect_eq!(out.lent[0], out.lender[0] != warp, "the source is lent")?;
    Ok(out.lender[0])
}

fn scenarios() -> Vec<Scenario<RenamingTableIn, RenamingTableOut>> {
    const CTA: [usize; 3] = [0, 2, 5];
    vec![
        Scenario {
            name: "a_follower_reads_the_leaders_row",
            rule: "I 5.2.2: the accessing instruction that is run later is guided to the RF by register renaming",
            play: |bench| {
                expect_eq!(reads(bench, 2)?, 2, "at home")?;
                bench.cycle(skip(2, 0))?;
                expect_eq!(reads(bench, 2)?, 0, "with the leader")?;
                expect_eq!(reads(bench, 0)?, 0, "the leader at home")?;
                expect_eq!(reads(bench, 5)?, 5, "another warp at home")
            },
        },
        Scenario {
            name: "a_leader_overwrites_nothing_that_is_read",
            rule: "our decision: a write goes to a home from which no warp of the CTA reads",
            play: |bench| {
                bench.cycle(skip(2, 0))?;
                let out = bench.cycle(write(0, &CTA))?;
                expect_eq!(out.row, 2, "the follower's own home is free")?;
                expect_eq!(reads(bench, 2)?, 0, "the follower reads on")?;
                expect_eq!(reads(bench, 0)?, 2, "the leader has gone there")
            },
        },
        Scenario {
            name: "a_follower_that_writes_reads_its_own",
            rule: "our decision: a write ends a renaming",
            play: |bench| {
                bench.cycle(skip(2, 0))?;
                let out = bench.cycle(write(2, &CTA))?;
                expect_eq!(out.row, 2, "it goes home")?;
                expect_eq!(reads(bench, 2)?, 2, "and reads there")?;
                let out = bench.cycle(RenamingTableIn::default())?;
                expect_eq!(out.free as usize, bench.parameters.renaming_entries, "all lies at home again")
            },
        },
        Scenario {
            name: "values_stay_as_long_as_there_are_other_homes",
            rule: "our decision: homes are taken in turn",
            play: |bench| {
                for follower in [2, 5] {
                    bench.cycle(skip(follower, 0))?;
                }
                // Homes 2 and 5 are free: two values on, the first one still lies at 0, and the second at 2.
                expect_eq!(bench.cycle(write(0, &CTA))?.row, 2, "the next home")?;
                expect_eq!(bench.cycle(write(0, &CTA))?.row, 5, "the one after it")?;
                bench.cycle(skip(2, 2))?;
                expect_eq!(reads(bench, 2)?, 2, "a follower skips to what nobody had read")?;
                bench.cycle(skip(5, 5))?;
                expect_eq!(bench.cycle(write(0, &CTA))?.row, 0, "in turn")
            },
        },
        Scenario {
            name: "a_warp_alone_stays_where_it_is",
            rule: "our decision: with a home for each warp, nothing moves",
            play: |bench| {
                expect_eq!(bench.cycle(write(5, &CTA))?.row, 5, "nothing is renamed")?;
                bench.cycle(skip(2, 0))?;
                bench.cycle(write(0, &CTA))?;
                // Warps 0 and 2 have exchanged homes.
                for (warp, home) in [(0, 2), (2, 0), (5, 5)] {
                    expect_eq!(bench.cycle(write(warp, &CTA))?.row, home, "each has one to itself")?;
                }
                Ok(())
            },
        },
        Scenario {
            name: "other_ctas_keep_theirs",
            rule: "our decision: homes of a CTA's warps are for it alone",
            play: |bench| {
                bench.cycle(skip(2, 0))?;
                bench.cycle(skip(1, 3))?;
                expect_eq!(bench.cycle(write(3, &[1, 3]))?.row, 1, "not the home that warp 2 has left")?;
                bench.cycle(forget(&CTA))?;
                expect_eq!(reads(bench, 2)?, 2, "another CTA has come")?;
                expect_eq!(reads(bench, 1)?, 3, "this one reads on")
            },
        },
        Scenario {
            name: "as_many_registers_as_there_are_entries",
            rule: "our decision: a register without an entry is not renamed",
            play: |bench| {
                let entries = bench.parameters.renaming_entries as u32;
                for register in 0..entries {
                    let out = bench.cycle(RenamingTableIn { register, ..skip(2, 0) })?;
                    expect_eq!(out.free, entries - register, "entries that are free")?;
                }
                expect_eq!(bench.cycle(RenamingTableIn::default())?.free, 0, "none is")?;
                let out = bench.cycle(forget(&(0..MAX_WARPS).collect::<Vec<_>>()))?;
                expect_eq!(out.free, 0, "warps come")?;
                expect_eq!(bench.cycle(RenamingTableIn::default())?.free, entries, "all are")
            },
        },
    ]
}

/// These warps come.
fn forget(warps: &[usize]) -> RenamingTableIn {
    let mut inputs = RenamingTableIn::default();
    warps.iter().for_each(|&warp| inputs.forget[warp] = true);
    inputs
}
