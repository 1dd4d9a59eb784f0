// SPDX-License-Identifier: Apache-2.0
//! Common part of the testbenches of both readings of the load request table: stimulus, with the rules
//! checked on the answers alone, and scenarios.

use gpurf_blocks::ports::{LrtIn, LrtOut};
use gpurf_blocks::SCAN_LANES;

use crate::{expect, expect_eq, Drive, Neighbours, Random, Scenario, Stimulus};

/// A load in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TableLoad {
    warp: u32,
    address: u32,
    source: u32,
    destination: u32,
}

/// Loads and releases, one after the other, answered at once or late. First the table fills to its last
/// entry; then there are phases of few and of many different loads, and some have to do with one that is in
/// the table already. In crowded phases loads differ in so few bits that few drive each other out, and each
/// has neighbours that differ from it in a single one, in a table that is nearly full.
pub struct LrtStimulus {
    entries: usize,
    operation: Option<LrtIn>,
    table: Vec<TableLoad>,
    /// The table has yet to be full for the first time.
    fills: bool,
    warps: Neighbours,
    addresses: Neighbours,
    sources: Neighbours,
    destinations: Neighbours,
    related: usize,
    busy: usize,
    ready: usize,
}

impl LrtStimulus {
    pub fn new(entries: usize) -> Self {
        let table = Vec::with_capacity(entries);
        LrtStimulus {
            entries,
            operation: None,
            table,
            fills: true,
            warps: Neighbours::all(6),
            addresses: Neighbours::all(16),
            sources: Neighbours::all(8),
            destinations: Neighbours::all(8),
            related: 0,
            busy: 100,
            ready: 100,
        }
    }

    /// The next one: any, or one that has to do with one in the table, or would except for a bit.
    fn load(&self, random: &mut Random) -> TableLoad {
        let new = TableLoad {
            warp: self.warps.any(random),
            address: self.addresses.any(random),
            source: self.sources.any(random),
            destination: self.destinations.any(random),
        };
        if self.table.is_empty() || !random.percent(self.related) {
            return new;
        }
        let mut load = self.table[random.below(self.table.len())];
        let (repeat, bit) = (TableLoad { address: new.address, ..load }, random.below(32));
        let another = load.warp ^ random.pick(&[1, 2, 4, 8, 16, 32, 63]);
        match random.below(8) {
            0 => return repeat,
            1 => return TableLoad { destination: load.destination ^ 1 << (bit % 8), ..repeat },
            2 => return TableLoad { warp: another, ..repeat },
            3 => {}
            _ if bit < 8 => load.source ^= 1 << bit,
            _ if bit < 16 => load.destination ^= 1 << (bit - 8),
            _ => load.address ^= 1 << (bit - 16),
        }
        TableLoad { warp: another, ..load }
    }

    fn check(&mut self, inputs: &LrtIn, outputs: &LrtOut) -> Option<String> {
        let held = self.table.len();
        if outputs.occupancy as usize != held || outputs.full != (held == self.entries) {
            return Some(format!("{held} entries of {}, not as reported", self.entries));
        }
        let LrtIn { warp, address, source, destination, .. } = *inputs;
        let load = TableLoad { warp, address, source, destination };
        if outputs.evict {
            let left = TableLoad {
                warp: outputs.evict_warp,
                address: outputs.evict_address,
                source: outputs.evict_source,
                destination: outputs.evict_destination,
            };
            let Some(place) = self.table.iter().position(|entry| *entry == left) else {
                return Some(format!("{left:?} leaves and is not there"));
            };
            let driven_out =
                inputs.search && left.warp == warp && (inputs.drain || left.destination == destination);
            if !outputs.evict_aged && !driven_out {
                return Some(format!("nothing drives {left:?} out"));
            }
            if inputs.evict_ready {
                self.table.remove(place);
            }
        }
        if !outputs.done {
            return outputs.matched.then(|| "a match before the search is done".into());
        }
        if outputs.evict || !inputs.search {
            return Some("done, but with what?".into());
        }
        let own =
            |entry: &TableLoad| entry.warp == warp && (inputs.drain || entry.destination == destination);
        if let Some(stays) = self.table.iter().find(|entry| own(entry)) {
            return Some(format!("{stays:?} is older and still there"));
        }
        let mut partners = self
            .table
            .iter()
            .filter(|entry| !inputs.drain && entry.warp != warp && TableLoad { warp, ..**entry } == load);
        let partner = partners.next().copied();
        if partners.next().is_some() {
            return Some(format!("{load:?} has two partners"));
        }
        if (outputs.matched, outputs.matched_warp) != (partner.is_some(), partner.map_or(0, |p| p.warp)) {
            return Some(format!("the partner of {load:?} is {partner:?}"));
        }
        if inputs.done_ready {
            if let Some(partner) = partner {
                self.table.retain(|entry| *entry != partner);
            } else if inputs.insert && held < self.entries {
                self.table.push(load);
            }
        }
        None
    }
}

impl Stimulus<LrtIn, LrtOut> for LrtStimulus {
    fn next(&mut self, random: &mut Random) -> LrtIn {
        self.fills &= self.table.len() < self.entries;
        if !self.fills && random.below(500) == 499 {
            let crowded = random.percent(60);
            let mut of = |bits, few: &[u32], crowd| {
                let free = if crowded { crowd } else { random.pick(few) };
                Neighbours::draw(random, bits, free)
            };
            self.warps = of(6, &[1, 2, 6], 6);
            self.addresses = of(16, &[0, 2, 16], 4);
            self.sources = of(8, &[0, 2, 8], 2);
            self.destinations = of(8, &[0, 2, 8], 4);
            self.related = random.pick(&[0, 50, 90]);
            (self.busy, self.ready) =
                if crowded { (100, 100) } else { (random.pick(&[10, 60, 100]), random.pick(&[20, 100])) };
        }
        if self.operation.is_none() && random.percent(self.busy) {
            let TableLoad { warp, address, source, destination } = self.load(random);
            let drain = !self.fills && random.percent(2);
            self.operation =
                Some(LrtIn { search: true, drain, warp, address, source, destination, ..Default::default() });
        }
        let operation = self.operation.unwrap_or_default();
        LrtIn {
            evict_ready: random.percent(self.ready),
            done_ready: random.percent(self.ready),
            insert: operation.search && !operation.drain && random.percent(95),
            tick: !self.fills && random.below(1000) == 999,
            ..operation
        }
    }

    fn observe(&mut self, inputs: &LrtIn, outputs: &LrtOut) -> Result<(), String> {
        let wrong = self.check(inputs, outputs);
        if outputs.done && inputs.done_ready {
            self.operation = None;
        }
        wrong.map_or(Ok(()), Err)
    }
}

/// Case 1 and case 2 of I Fig. 8c: {warp, address, source, destination}.
const WARP_0: [u32; 4] = [0, 0x0000, 56, 56];

const WARP_1: [u32; 4] = [1, 0x0000, 56, 56];

const WARP_2: [u32; 4] = [2, 0x4000, 40, 112];

const WARP_3: [u32; 4] = [3, 0x4080, 40, 112];

/// Nothing is asked; what leaves is taken.
const TAKING: LrtIn = LrtIn {
    search: false,
    drain: false,
    warp: 0,
    address: 0,
    source: 0,
    destination: 0,
    insert: false,
    evict_ready: true,
    done_ready: false,
    tick: false,
};

pub fn load([warp, address, source, destination]: [u32; 4]) -> LrtIn {
    LrtIn { search: true, warp, address, source, destination, insert: true, done_ready: true, ..TAKING }
}

/// The same of the next warp.
pub fn of_next_warp(load: LrtIn) -> LrtIn {
    LrtIn { warp: (load.warp + 1) % 64, ..load }
}

pub fn drain(warp: u32) -> LrtIn {
    LrtIn { search: true, drain: true, warp, done_ready: true, ..TAKING }
}

/// One of many loads that have nothing to do with each other.
pub fn lone(number: u32) -> LrtIn {
    load([number % 64, 16 * number, 1, number])
}

/// Loads without a common address or destination between any two. Those of one number are opposite in every
/// bit.
pub fn of_all_bits(number: u32, inverted: bool) -> [u32; 4] {
    let all = if inverted { [63, 0xffff, 255, 255] } else { [0; 4] };
    let [warp, address, source, destination] = all;
    [
        (number % 64) ^ warp,
        (number * 0x9e37 % 0x10000) ^ address,
        (number * 61 % 256) ^ source,
        number ^ destination,
    ]
}

/// One operation: its last answer, the cycles of its search, and what left before it.
pub struct LrtOperation {
    pub last: LrtOut,
    pub cycles: usize,
    pub left: Vec<[u32; 4]>,
}

type Bench<'a> = Drive<'a, LrtIn, LrtOut>;

pub fn run(bench: &mut Bench, operation: LrtIn) -> Result<LrtOperation, String> {
    let mut left = vec![];
    for cycles in 1..500 {
        let out = bench.cycle(operation)?;
        if out.evict {
            left.push([out.evict_warp, out.evict_address, out.evict_source, out.evict_destination]);
        }
        if out.done {
            return Ok(LrtOperation { last: out, cycles, left });
        }
    }
    Err("the search has no end".into())
}

/// An interval is over.
const TICK: LrtIn = LrtIn { tick: true, ..TAKING };

/// Warps of the loads of one lane of each row, and of the other lanes.
const OF_LANE: u32 = 1;

pub const OF_OTHERS: u32 = 2;

/// The load that is in the lane of its row, in a table that is filled in order.
fn is_of(lane: u32, number: u32) -> bool {
    number % SCAN_LANES as u32 == lane
}

/// Loads that have nothing to do with each other, as [`fill_with_lane`] numbers them.
pub fn of_lane(lane: u32, number: u32) -> LrtIn {
    load([if is_of(lane, number) { OF_LANE } else { OF_OTHERS }, 16 * number, 1, number])
}

/// Fills the table so that one warp has one lane of each row, and another warp the others.
pub fn fill_with_lane(bench: &mut Bench, lane: u32) -> Result<(), String> {
    let entries = bench.parameters.lrt_entries;
    fill(bench, entries, |number| of_lane(lane, number))
}

/// The numbers of those that leave by their age.
fn leaving(bench: &mut Bench) -> Result<Vec<u32>, String> {
    let mut left = vec![];
    for _ in 0..4 * bench.parameters.lrt_entries {
        let out = bench.cycle(TAKING)?;
        left.extend(out.evict.then_some(out.evict_destination));
    }
    Ok(left)
}

/// The ones of the table that are such have left, and no others.
fn all_leave(bench: &Bench, mut left: Vec<u32>, are_such: impl Fn(u32) -> bool) -> Result<(), String> {
    left.sort();
    let due: Vec<_> = (0..bench.parameters.lrt_entries as u32).filter(|number| are_such(*number)).collect();
    expect_eq!(left, due, format!("{due:?} are due, not {left:?}"))
}

/// Fills the table with so many of these loads.
fn fill(bench: &mut Bench, entries: usize, of: impl Fn(u32) -> LrtIn) -> Result<(), String> {
    for number in 0..entries as u32 {
        run(bench, of(number))?;
    }
    let held = bench.cycle(TAKING)?.occupancy as usize;
    expect_eq!(held, entries, format!("{held} of {entries} entries are in use"))
}

pub fn of_both() -> Vec<Scenario<LrtIn, LrtOut>> {
    vec![
        Scenario {
            name: "case_1",
            rule: "I 3.2: same address and registers, a different warp: multicast, and the entry is deleted",
            play: |bench| {
                run(bench, load(WARP_0))?;
                run(bench, load(WARP_2))?;
                let answer = run(bench, load(WARP_1))?;
                expect(answer.last.matched && answer.last.matched_warp == 0, "warp 0 is the partner")?;
                expect(answer.left.is_empty(), "nothing else leaves")?;
                expect_eq!(bench.cycle(TAKING)?.occupancy, 1, "its entry is deleted, and warp 1 has none")?;
                let again = run(bench, load([5, 0x4000, 40, 112]))?;
                expect(again.last.matched && again.last.matched_warp == 2, "the entry of warp 2 is untouched")
            },
        },
        Scenario {
            name: "case_2",
            rule: "I 3.2: no entry with the same address and registers: the request is written to the table",
            play: |bench| {
                run(bench, load(WARP_0))?;
                expect(!run(bench, load(WARP_3))?.last.matched, "warp 3 has no partner")?;
                expect_eq!(bench.cycle(TAKING)?.occupancy, 2, "and is written")
            },
        },
        Scenario {
            name: "every_field_counts",
            rule: "I 3.1: the same address, source register and destination register",
            play: |bench| {
                run(bench, load(WARP_0))?;
                for other in [[1, 0x8000, 56, 56], [1, 0x0000, 57, 56], [1, 0x0000, 56, 184]] {
                    let operation = LrtIn { insert: false, ..load(other) };
                    expect(!run(bench, operation)?.last.matched, format!("{other:?} differs"))?;
                }
                expect(run(bench, load(WARP_1))?.last.matched, "and this does not")
            },
        },
        Scenario {
            name: "own_repeat_drives_the_older_out",
            rule: "our rule: a load leaves before a younger one of its warp into the same register",
            play: |bench| {
                run(bench, load(WARP_0))?;
                let repeat = run(bench, load(WARP_0))?;
                expect(repeat.left == [WARP_0] && !repeat.last.matched, "the older one leaves alone")?;
                let other_address = run(bench, load([0, 0x0100, 9, 56]))?;
                expect_eq!(other_address.left, [WARP_0], "whatever the address")?;
                let other_register = run(bench, load([0, 0x0100, 9, 57]))?;
                expect(other_register.left.is_empty(), "but not with another destination")?;
                expect_eq!(bench.cycle(TAKING)?.occupancy, 2, "both are there")
            },
        },
        Scenario {
            name: "repeat_and_partner_at_once",
            rule: "our rule: the older load leaves first, then the younger one meets its partner",
            play: |bench| {
                fill(bench, 9, lone)?;
                run(bench, load([7, 0x0300, 8, 200]))?;
                run(bench, load([6, 0x0400, 8, 200]))?;
                let answer = run(bench, load([7, 0x0400, 8, 200]))?;
                expect_eq!(answer.left, [[7, 0x0300, 8, 200]], "the older load of warp 7")?;
                expect(answer.last.matched && answer.last.matched_warp == 6, "then warp 6 is the partner")?;
                expect_eq!(bench.cycle(TAKING)?.occupancy, 9, "both entries are gone")
            },
        },
        Scenario {
            name: "full",
            rule: "our rule: a full table inserts nothing; matches and repeats go on",
            play: |bench| {
                let entries = bench.parameters.lrt_entries;
                fill(bench, entries, lone)?;
                let none = run(bench, load([1, 0xffff, 2, 3]))?;
                expect(none.last.full && !none.last.matched, "there is no room")?;
                expect_eq!(bench.cycle(TAKING)?.occupancy as usize, entries, "and nothing is written")?;
                let last = entries as u32 - 1;
                let repeat = run(bench, lone(last))?;
                expect(repeat.left.len() == 1 && !repeat.last.full, "a repeat makes its own room")?;
                let pair = run(bench, of_next_warp(lone(last)))?;
                expect(
                    pair.last.matched && pair.last.matched_warp == lone(last).warp,
                    "and the last entry is found",
                )?;
                expect_eq!(bench.cycle(TAKING)?.occupancy as usize, entries - 1, "which makes room")
            },
        },
        Scenario {
            name: "release_of_a_warp",
            rule: "our rule: a release makes every load of the warp leave, and no other",
            play: |bench| {
                for number in 0..12 {
                    run(bench, load([number % 3, 16 * number, 1, number]))?;
                }
                let answer = run(bench, drain(1))?;
                let expected: Vec<_> = (0..4).map(|n| [1, 16 * (3 * n + 1), 1, 3 * n + 1]).collect();
                expect_eq!(answer.left, expected, format!("all of warp 1, not {:?}", answer.left))?;
                expect(!answer.last.matched, "a release has no partner")?;
                expect_eq!(bench.cycle(TAKING)?.occupancy, 8, "the others stay")?;
                expect(run(bench, drain(1))?.left.is_empty(), "nothing is left of it")
            },
        },
        Scenario {
            name: "due_after_two_ticks",
            rule: "our rule: an entry leaves after more than one and at most two intervals",
            play: |bench| {
                run(bench, load(WARP_0))?;
                bench.cycle(TICK)?;
                run(bench, load(WARP_2))?;
                bench.cycle(TICK)?;
                let mut left = vec![];
                for _ in 0..8 {
                    let out = bench.cycle(TAKING)?;
                    if out.evict {
                        expect(out.evict_aged, "because of its age")?;
                        left.push(out.evict_warp);
                    }
                }
                expect_eq!(left, [0], format!("only warp 0 is due, not {left:?}"))?;
                bench.cycle(TICK)?;
                let out = (0..8).map(|_| bench.cycle(TAKING)).collect::<Result<Vec<_>, _>>()?;
                expect(out.iter().any(|out| out.evict && out.evict_warp == 2), "then warp 2 is")?;
                expect_eq!(bench.cycle(TAKING)?.occupancy, 0, "and the table is empty")
            },
        },
        Scenario {
            name: "a_partner_in_any_row",
            rule: "I 3.2: same address and registers, a different warp: multicast, and the entry is deleted",
            play: |bench| {
                let entries = bench.parameters.lrt_entries;
                fill(bench, entries, lone)?;
                for number in (0..entries as u32).step_by(SCAN_LANES) {
                    let answer = run(bench, of_next_warp(lone(number)))?.last;
                    expect(answer.matched && answer.matched_warp == number % 64, "it is the partner")?;
                    expect(run(bench, lone(number))?.left.is_empty(), "and was deleted")?;
                    let held = bench.cycle(TAKING)?.occupancy as usize;
                    expect_eq!(held, entries, "and no other was")?;
                }
                Ok(())
            },
        },
        Scenario {
            name: "entries_age_one_by_one",
            rule: "our rule: an entry leaves after more than one and at most two intervals",
            play: |bench| {
                let entries = bench.parameters.lrt_entries as u32;
                for lane in 0..SCAN_LANES as u32 {
                    fill_with_lane(bench, lane)?;
                    bench.cycle(TICK)?;
                    run(bench, drain(OF_LANE))?;
                    for number in (0..entries).filter(|number| is_of(lane, *number)) {
                        run(bench, of_lane(lane, number))?;
                    }
                    for new in [false, true] {
                        bench.cycle(TICK)?;
                        let left = leaving(bench)?;
                        all_leave(bench, left, |number| is_of(lane, number) == new)?;
                    }
                }
                Ok(())
            },
        },
        Scenario {
            name: "others_of_a_row_stay_due",
            rule: "our rule: an entry leaves after more than one and at most two intervals",
            play: |bench| {
                fill_with_lane(bench, 0)?;
                bench.cycle(TICK)?;
                // A search that stands at its first entry when all become due.
                let waits = LrtIn { evict_ready: false, ..drain(OF_OTHERS) };
                (0..3).try_for_each(|_| bench.cycle(waits).map(|_| ()))?;
                bench.cycle(LrtIn { tick: true, ..waits })?;
                let mut left: Vec<_> =
                    run(bench, drain(OF_OTHERS))?.left.iter().map(|left| left[3]).collect();
                left.extend(leaving(bench)?);
                all_leave(bench, left, |_| true)
            },
        },
        Scenario {
            name: "waits_until_taken",
            rule: "our protocol: an entry that leaves, and the end of a search, stay until they are taken",
            play: |bench| {
                run(bench, load(WARP_0))?;
                run(bench, load(WARP_2))?;
                let untaken = |fields| LrtIn { evict_ready: false, done_ready: false, ..load(fields) };
                // Warp 2's own repeat: its older load waits at the door.
                let mut offered = vec![];
                for _ in 0..10 {
                    let out = bench.cycle(untaken([2, 0x0000, 56, 112]))?;
                    expect(!out.done, "the search cannot end before the older load has left")?;
                    offered.extend(out.evict.then_some(out.evict_warp));
                }
                expect(
                    offered.len() >= 8 && offered.iter().all(|warp| *warp == 2),
                    "it is offered all the time",
                )?;
                let answer = run(bench, load([2, 0x0000, 56, 112]))?;
                expect_eq!(answer.left, [WARP_2], "and leaves when it is taken")?;
                // A match that nobody takes.
                let mut ends = vec![];
                for _ in 0..10 {
                    let out = bench.cycle(untaken(WARP_1))?;
                    expect_eq!(out.occupancy, 2, "nothing is deleted")?;
                    ends.extend(out.done.then_some((out.matched, out.matched_warp)));
                }
                expect(ends.len() >= 8 && ends.iter().all(|end| *end == (true, 0)), "the answer stays")?;
                expect(run(bench, load(WARP_1))?.last.matched, "until it is taken")?;
                expect_eq!(bench.cycle(TAKING)?.occupancy, 1, "then the entry is deleted")
            },
        },
    ]
}
