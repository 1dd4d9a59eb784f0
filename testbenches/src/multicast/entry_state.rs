// SPDX-License-Identifier: Apache-2.0
//! Testbench of the use and age of a load request table's entries.

use gpurf_blocks::ports::{EntryStateIn, EntryStateOut};
use gpurf_blocks::{Parameters, SCAN_LANES};
use gpurf_hw::multicast::EntryState;

use crate::{expect, expect_eq, register, Drive, Engine, Random, Scenario, Stimulus, Testbench};

impl Testbench for EntryState {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::multicast::EntryState::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        let used = vec![false; parameters.lrt_entries];
        Box::new(EntryStateStimulus { used, fills: true, aging: 10, due: None, obeys: 0 })
    }

    fn protocol(parameters: &Parameters) -> Vec<String> {
        let rows = parameters.lrt_entries / SCAN_LANES;
        ["evict_row", "partner_row"].map(|row| format!("{row} < {rows}")).into()
    }

    fn scenarios() -> Vec<Scenario<Self::In, Self::Out>> {
        vec![
            Scenario {
                name: "due_after_the_second_tick",
                rule:
                    "I 3.3: an entry that waits for too long is released; here after more than one interval",
                play: |bench| {
                    bench.cycle(EntryStateIn { tick: true, ..INSERTION })?;
                    for _ in 0..2 {
                        let out = bench.cycle(EntryStateIn { tick: true, ..Default::default() })?;
                        expect(out.occupancy == 1 && !out.any_due, "too young")?;
                    }
                    let out = bench.cycle(leaves(0, 0))?;
                    expect(out.any_due && (out.due_row, out.due_lanes) == (0, 1), "due")?;
                    let out = bench.cycle(EntryStateIn::default())?;
                    expect(out.occupancy == 0 && !out.any_due, "and gone")
                },
            },
            Scenario {
                name: "an_entry_that_is_taken_again_is_young",
                rule: "our decision: an entry's age is that of its load, and no other entry's",
                play: |bench| {
                    let rows = (bench.parameters.lrt_entries / SCAN_LANES) as u32;
                    let tick = EntryStateIn { tick: true, ..Default::default() };
                    for lane in 0..SCAN_LANES as u32 {
                        (0..rows * SCAN_LANES as u32).try_for_each(|_| bench.cycle(INSERTION).map(|_| ()))?;
                        // Two lanes of each row again, when the others are due after another tick, and when
                        // they are due.
                        let anew = [lane, (lane + 1) % SCAN_LANES as u32];
                        for _ in 0..2 {
                            bench.cycle(tick)?;
                            for row in 0..rows {
                                for lane in anew {
                                    bench.cycle(leaves(row, lane))?;
                                }
                                for _ in anew {
                                    bench.cycle(INSERTION)?;
                                }
                            }
                        }
                        let young = anew.map(|lane| 1 << lane).into_iter().sum::<u32>();
                        for due in [0xf & !young, young] {
                            for row in 0..rows {
                                all_due_leave(bench, row, due)?;
                            }
                            for _ in 0..2 {
                                let out = bench.cycle(tick)?;
                                expect(!out.any_due, "no other is due before its second tick")?;
                            }
                        }
                        expect_eq!(bench.cycle(EntryStateIn::default())?.occupancy, 0, "all have left")?;
                    }
                    Ok(())
                },
            },
            Scenario {
                name: "others_of_a_row_get_older_as_one_of_them_leaves",
                rule: "our decision: an entry's age is that of its load, and no other entry's",
                play: |bench| {
                    let rows = (bench.parameters.lrt_entries / SCAN_LANES) as u32;
                    for (lane, row) in
                        (0..SCAN_LANES as u32).flat_map(|lane| (0..rows).map(move |row| (lane, row)))
                    {
                        while !bench.cycle(INSERTION)?.full {}
                        // In the first step an entry leaves this row, in the second one the next row.
                        let both = [row, (row + 1) % rows];
                        for row in both {
                            bench.cycle(EntryStateIn { tick: true, ..leaves(row, lane) })?;
                        }
                        for row in 0..=both[0].max(both[1]) {
                            let left = if both.contains(&row) { 1 << lane } else { 0 };
                            all_due_leave(bench, row, 0xf & !left)?;
                        }
                    }
                    Ok(())
                },
            },
            Scenario {
                name: "the_lowest_free_entry_is_taken",
                rule: "I 3.1: a load without a partner is inserted into the table",
                play: |bench| {
                    let entries = bench.parameters.lrt_entries;
                    for entry in 0..entries {
                        let out = bench.cycle(INSERTION)?;
                        let free = out.free_row as usize * SCAN_LANES + out.free_lane as usize;
                        expect(!out.full && free == entry, format!("entry {entry} is the next"))?;
                    }
                    let out = bench.cycle(INSERTION)?;
                    expect(out.full && out.finishes && !out.writes, "then it is full, and takes no more")
                },
            },
            Scenario {
                name: "a_partner_leaves_in_place_of_an_insertion",
                rule: "I 3.1: of two loads that match, one is performed and no entry stays",
                play: |bench| {
                    bench.cycle(INSERTION)?;
                    let pairs = EntryStateIn { any_partner: true, ..INSERTION };
                    let out = bench.cycle(EntryStateIn { done_ready: false, ..pairs })?;
                    expect(out.done && out.matched && !out.finishes, "its operation has to wait")?;
                    let out = bench.cycle(pairs)?;
                    expect(
                        out.occupancy == 1 && out.finishes && !out.writes,
                        "so the entry stayed until now",
                    )?;
                    expect_eq!(bench.cycle(EntryStateIn::default())?.occupancy, 0, "and both are gone")
                },
            },
        ]
    }
}

register!(EntryState);

/// A load finds no partner and is inserted.
const INSERTION: EntryStateIn = EntryStateIn {
    evict: false,
    evict_ready: false,
    evict_row: 0,
    evict_lane: 0,
    ends: true,
    done_ready: true,
    any_partner: false,
    partner_row: 0,
    partner_lane: 0,
    insert: true,
    tick: false,
};

/// This entry leaves.
fn leaves(evict_row: u32, evict_lane: u32) -> EntryStateIn {
    EntryStateIn { evict: true, evict_ready: true, evict_row, evict_lane, ..Default::default() }
}

/// The lanes of this row that are due, of the lowest with any, leave one after another.
fn all_due_leave(bench: &mut Drive<EntryStateIn, EntryStateOut>, row: u32, due: u32) -> Result<(), String> {
    for lane in (0..SCAN_LANES as u32).filter(|lane| due >> lane & 1 == 1) {
        let out = bench.cycle(leaves(row, lane))?;
        let lanes = due & (!0 << lane);
        expect(
            out.any_due && (out.due_row, out.due_lanes) == (row, lanes),
            format!("lanes {lanes:#b} of row {row} are due"),
        )?;
    }
    Ok(())
}

/// Ends of searches with and without partners, and entries in use that leave. The table fills until it is
/// full for a while, and empties until little is in it; entries get old in most of these times, fast or
/// slowly. In some of them those that are due leave, row by row, and in others whatever entry.
struct EntryStateStimulus {
    used: Vec<bool>,
    fills: bool,
    /// Ticks in a hundred cycles.
    aging: usize,
    /// An entry that was due in the last cycle.
    due: Option<usize>,
    /// For a hundred entries that are due, those that leave next.
    obeys: usize,
}

impl Stimulus<EntryStateIn, EntryStateOut> for EntryStateStimulus {
    fn next(&mut self, random: &mut Random) -> EntryStateIn {
        let place = |entry: usize| ((entry / SCAN_LANES) as u32, (entry % SCAN_LANES) as u32);
        let used = self.used.iter().filter(|used| **used).count();
        let is_over = if self.fills { used == self.used.len() } else { used <= self.used.len() / 8 };
        if is_over && random.percent(5) {
            self.fills = !self.fills;
            self.aging = random.pick(&[0, 1, 10, 30]);
            self.obeys = random.pick(&[0, 90]);
        }
        let (any, partner) = (random.below(self.used.len()), random.below(self.used.len()));
        let due = self.due.filter(|&entry| self.used[entry]).filter(|_| random.percent(self.obeys));
        let leaving = due.unwrap_or(any);
        let often = due.is_some() || !self.fills;
        let evict = self.used[leaving] && random.percent(if often { 60 } else { 5 });
        let pairs = random.percent(if self.fills { 10 } else { 80 });
        let (evict_row, evict_lane) = place(leaving);
        let (partner_row, partner_lane) = place(partner);
        EntryStateIn {
            evict,
            evict_ready: random.percent(80),
            evict_row,
            evict_lane,
            ends: !evict && random.percent(80),
            done_ready: random.percent(80),
            any_partner: self.used[partner] && pairs,
            partner_row,
            partner_lane,
            insert: random.percent(if self.fills { 90 } else { 10 }),
            tick: random.percent(self.aging),
        }
    }

    fn observe(&mut self, inputs: &EntryStateIn, outputs: &EntryStateOut) -> Result<(), String> {
        let place = |row: u32, lane: u32| row as usize * SCAN_LANES + lane as usize;
        let first_due = place(outputs.due_row, outputs.due_lanes.trailing_zeros());
        self.due = outputs.any_due.then_some(first_due);
        if inputs.evict && inputs.evict_ready {
            self.used[place(inputs.evict_row, inputs.evict_lane)] = false;
        }
        if outputs.finishes && outputs.matched {
            self.used[place(inputs.partner_row, inputs.partner_lane)] = false;
        }
        if outputs.writes {
            let free = &mut self.used[place(outputs.free_row, outputs.free_lane)];
            if *free {
                return Err("the entry that is taken was in use".to_string());
            }
            *free = true;
        }
        Ok(())
    }
}
