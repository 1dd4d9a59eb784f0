// SPDX-License-Identifier: Apache-2.0
//! Scenarios of the inter-warp multicasting unit.

use std::collections::HashMap;

use gpurf_blocks::ports::{IwmuIn, IwmuOut};
use gpurf_blocks::{Parameters, Search, PENDING, QUEUE_DEPTH, SCAN_LANES, SUB_CORES};

use crate::multicast::lrt::of_all_bits;
use crate::{expect, expect_eq, Drive, Scenario};

type Bench<'a> = Drive<'a, IwmuIn, IwmuOut>;

/// A load: warp, address, source register, destination register, as I Fig. 8c writes it.
type Load = [u32; 4];

/// I Fig. 8c.
const WARP_0: Load = [0, 0x0000, 56, 56];
const WARP_1: Load = [1, 0x0000, 56, 56];
const WARP_2: Load = [2, 0x4000, 40, 112];
const WARP_3: Load = [3, 0x4080, 40, 112];

/// Cycles in which most scenarios' loads meet their partners.
const SHORT_AGE: usize = 50;

/// An access of shared memory: the warps, and the fields that they share.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Access {
    warps: Vec<u32>,
    fields: [u32; 3],
}

fn plain([warp, fields @ ..]: Load) -> Access {
    Access { warps: vec![warp], fields }
}

fn pair([first, fields @ ..]: Load, second: u32) -> Access {
    Access { warps: vec![first, second], fields }
}

/// The unit between sub-cores and a shared memory that do what a scenario wants.
struct Unit<'a, 'b> {
    bench: &'a mut Bench<'b>,
    /// Warp and register that the scoreboard keeps.
    in_use: Option<(u32, u32)>,
    ready: bool,
    accesses: Vec<Access>,
    /// The cycle of each, and cycles so far.
    times: Vec<usize>,
    now: usize,
    /// Events so far: multicast, inserted, repeats, barriers, aged, rejected.
    events: [u32; 6],
    occupancy: u32,
    /// Both sub-cores were asked about these.
    asked: Vec<(u32, u32)>,
}

impl<'a, 'b> Unit<'a, 'b> {
    fn new(bench: &'a mut Bench<'b>) -> Self {
        let (accesses, times, asked) = (vec![], vec![], vec![]);
        Unit {
            bench,
            in_use: None,
            ready: true,
            accesses,
            times,
            now: 0,
            events: [0; 6],
            occupancy: 0,
            asked,
        }
    }

    /// None if loads may leave by age before their partners come.
    fn ahead_of_ages(bench: &'a mut Bench<'b>) -> Option<Self> {
        (!ages_within(bench, SHORT_AGE)).then(|| Unit::new(bench))
    }

    fn cycle(&mut self, mut inputs: IwmuIn) -> Result<IwmuOut, String> {
        // The questions are state: they are known before they must be answered.
        let questions = self.bench.peek(IwmuIn::default())?;
        for sub_core in (0..SUB_CORES).filter(|s| questions.ask_valid[*s]) {
            let question = (questions.ask_warp[sub_core], questions.ask_register[sub_core]);
            inputs.enable[sub_core] = self.in_use != Some(question);
            self.asked.push(question);
        }
        inputs.load_ready = self.ready;
        let out = self.bench.cycle(inputs)?;
        expect_eq!(out, questions, "outputs do not depend on the inputs of their cycle")?;
        self.now += 1;
        if out.load_valid && self.ready {
            self.times.push(self.now);
            let second = out.load_second_valid.then_some(out.load_second_warp);
            self.accesses.push(Access {
                warps: [out.load_first_warp].into_iter().chain(second).collect(),
                fields: [out.load_address, out.load_source, out.load_destination],
            });
        }
        let released = [out.released_repeat, out.released_barrier, out.released_age];
        let events = [[out.multicast, out.inserted].as_slice(), &released, &[out.rejected]].concat();
        self.events.iter_mut().zip(events).for_each(|(count, event)| *count += u32::from(event));
        self.occupancy = out.occupancy;
        Ok(out)
    }

    fn idle(&mut self, cycles: usize) -> Result<(), String> {
        (0..cycles).try_for_each(|_| self.cycle(IwmuIn::default()).map(|_| ()))
    }

    /// Offers a request until it is taken.
    fn send(&mut self, [warp, address, source, destination]: Load, release: bool) -> Result<(), String> {
        let sub_core = warp as usize % SUB_CORES;
        let mut inputs = IwmuIn::default();
        (inputs.request_valid[sub_core], inputs.request_release[sub_core]) = (true, release);
        (inputs.request_warp[sub_core], inputs.request_address[sub_core]) = (warp, address);
        (inputs.request_source[sub_core], inputs.request_destination[sub_core]) = (source, destination);
        for _ in 0..1000 {
            if self.cycle(inputs)?.request_ready[sub_core] {
                return Ok(());
            }
        }
        Err("the request is never taken".into())
    }

    /// Loads one after the other, each searched for before the next one comes.
    fn loads(&mut self, loads: &[Load]) -> Result<(), String> {
        loads.iter().try_for_each(|load| {
            self.send(*load, false)?;
            self.settle()
        })
    }

    fn release(&mut self, warp: u32) -> Result<(), String> {
        self.send([warp, 0, 0, 0], true)
    }

    /// Releases every warp, and lets so many cycles pass.
    fn release_all(&mut self, cycles: usize) -> Result<(), String> {
        (0..64).try_for_each(|warp| self.release(warp))?;
        self.idle(cycles)
    }

    /// Cycles after which whatever was taken has been searched for and, if nothing stands in its way, left.
    fn settle(&mut self) -> Result<(), String> {
        let rows = self.occupancy as usize / SCAN_LANES + 1;
        self.idle(2 * rows + 10)
    }

    /// Two warps' load into register 99 waits for that register of the first of them, in the place that all
    /// others leave free.
    fn hold(&mut self, place: u32, [first, second]: [u32; 2]) -> Result<(), String> {
        self.in_use = Some((first, 99));
        self.ready = false;
        for other in 0..place {
            self.loads(&[[1, 16 * other, 1, other], [2, 16 * other, 1, other]])?;
        }
        self.loads(&[into_99(first, 20), into_99(second, 20)])?;
        self.ready = true;
        self.idle(2 * PENDING)
    }

    fn expect_accesses(&self, expected: &[Access]) -> Result<(), String> {
        expect_eq!(self.accesses, expected, format!("{expected:?}, not {:?}", self.accesses))
    }

    fn never_ages(&self) -> bool {
        self.bench.parameters.release_age == 0
    }
}

/// Loads may leave by age in less than so many cycles.
fn ages_within(bench: &Bench, cycles: usize) -> bool {
    (1..cycles).contains(&bench.parameters.release_age)
}

/// A warp's load of one tile into register 99.
fn into_99(warp: u32, tile: u32) -> Load {
    [warp, 16 * tile, 1, 99]
}

/// One of many loads that have nothing to do with each other.
fn lone(number: u32) -> Load {
    [number % 64, 16 * number, 1, number]
}

fn fill(unit: &mut Unit) -> Result<(), String> {
    let entries = unit.bench.parameters.lrt_entries as u32;
    (0..entries).try_for_each(|number| unit.send(lone(number), false))?;
    for _ in 0..10 {
        unit.settle()?;
    }
    expect(unit.occupancy == entries && unit.accesses.is_empty(), "the table is full, and nothing has left")
}

pub fn all() -> Vec<Scenario<IwmuIn, IwmuOut>> {
    pairing().into_iter().chain(waiting()).chain(releases()).collect()
}

fn pairing() -> Vec<Scenario<IwmuIn, IwmuOut>> {
    vec![
        Scenario {
            name: "case_1",
            rule:
                "I 3.2, Fig. 8c: warp 1 asks for what warp 0 asked for: multicast, and the entry is deleted",
            play: |bench| {
                let Some(mut unit) = Unit::ahead_of_ages(bench) else { return Ok(()) };
                unit.loads(&[WARP_0, WARP_2, WARP_1])?;
                unit.expect_accesses(&[pair(WARP_0, 1)])?;
                expect_eq!(unit.events, [1, 2, 0, 0, 0, 0], format!("events {:?}", unit.events))?;
                expect_eq!(unit.occupancy, 1, "the entry of warp 2 stays")
            },
        },
        Scenario {
            name: "case_2",
            rule:
                "I 3.2, Fig. 8c: warp 3 asks for what nobody asked for: its request is written to the table",
            play: |bench| {
                let Some(mut unit) = Unit::ahead_of_ages(bench) else { return Ok(()) };
                unit.loads(&[WARP_0, WARP_3])?;
                unit.expect_accesses(&[])?;
                expect(unit.events == [0, 2, 0, 0, 0, 0] && unit.occupancy == 2, "both are in the table")
            },
        },
        Scenario {
            name: "three_and_four_warps",
            rule: "I 3.1: two requests make a pair; the third finds no entry, the fourth finds the third",
            play: |bench| {
                let Some(mut unit) = Unit::ahead_of_ages(bench) else { return Ok(()) };
                let load = |warp| [warp, 0x0200, 8, 16];
                unit.loads(&[load(0), load(1), load(2)])?;
                unit.expect_accesses(&[pair(load(0), 1)])?;
                expect_eq!(unit.occupancy, 1, "the third waits")?;
                unit.loads(&[load(3)])?;
                unit.expect_accesses(&[pair(load(0), 1), pair(load(2), 3)])?;
                expect_eq!(unit.occupancy, 0, "nobody is left")
            },
        },
        Scenario {
            name: "four_at_once",
            rule: "I 3.1, Fig. 8a: requests of four sub-cores in one cycle",
            play: |bench| {
                let Some(mut unit) = Unit::ahead_of_ages(bench) else { return Ok(()) };
                let mut inputs = IwmuIn { request_valid: [true; SUB_CORES], ..Default::default() };
                inputs.request_warp = [4, 5, 6, 7];
                inputs.request_address = [0x80; SUB_CORES];
                unit.cycle(inputs)?;
                unit.idle(30)?;
                unit.expect_accesses(&[pair([4, 0x80, 0, 0], 5), pair([6, 0x80, 0, 0], 7)])
            },
        },
        Scenario {
            name: "own_repeat",
            rule: "our rule: the older load leaves alone, before the younger one",
            play: |bench| {
                let Some(mut unit) = Unit::ahead_of_ages(bench) else { return Ok(()) };
                unit.loads(&[WARP_0, WARP_0])?;
                unit.expect_accesses(&[plain(WARP_0)])?;
                unit.loads(&[WARP_1])?;
                unit.expect_accesses(&[plain(WARP_0), pair(WARP_0, 1)])?;
                expect_eq!(unit.events, [1, 2, 1, 0, 0, 0], format!("events {:?}", unit.events))
            },
        },
        Scenario {
            name: "order_of_one_register",
            rule: "our rule: a warp's loads into one register reach memory in their order",
            play: |bench| {
                let Some(mut unit) = Unit::ahead_of_ages(bench) else { return Ok(()) };
                let (older, younger) = ([4, 0x0100, 8, 16], [4, 0x0200, 8, 16]);
                // The younger one has a partner, the older one has none, and the register is in use.
                unit.loads(&[[1, 0x0200, 8, 16], older])?;
                unit.in_use = Some((4, 16));
                unit.loads(&[younger])?;
                unit.idle(20)?;
                unit.expect_accesses(&[])?;
                unit.in_use = None;
                unit.idle(20)?;
                unit.expect_accesses(&[plain(older), pair([1, 0x0200, 8, 16], 4)])
            },
        },
        Scenario {
            name: "every_entry_is_found_and_leaves",
            rule: "I 3.1: comparators check every LRT entry upon every request",
            play: |bench| {
                let entries = bench.parameters.lrt_entries;
                // Otherwise entries leave by age before all of them are asked for.
                if bench.parameters.search == Search::Scan || ages_within(bench, entries + 50) {
                    return Ok(());
                }
                for inverted in [false, true] {
                    let loads = || (0..entries as u32).map(|number| of_all_bits(number, inverted));
                    let mut unit = Unit::new(bench);
                    // With partners whose warps differ from theirs in each bit.
                    for turn in 0..6 {
                        let partner = |[warp, .., number]: Load| warp ^ (1 << ((number + turn) % 6));
                        loads().try_for_each(|load| unit.send(load, false))?;
                        loads().try_for_each(|load| {
                            let [_, address, source, destination] = load;
                            unit.send([partner(load), address, source, destination], false)
                        })?;
                        unit.settle()?;
                        let paired = |load| unit.accesses.contains(&pair(load, partner(load)));
                        expect(loads().all(paired), "each is paired")?;
                        expect(unit.accesses.len() == entries && unit.occupancy == 0, "and once")?;
                        unit.accesses.clear();
                    }
                    loads().try_for_each(|load| unit.send(load, false))?;
                    unit.release_all(2 * entries)?;
                    let left = |load: Load| unit.accesses.contains(&plain(load));
                    expect(loads().all(left), "each leaves as it came")?;
                    expect(unit.accesses.len() == entries && unit.occupancy == 0, "and once")?;
                }
                Ok(())
            },
        },
        Scenario {
            name: "every_entry_differs_from_what_is_almost_its_partner",
            rule: "I 3.1: comparators check every LRT entry upon every request, all of its fields",
            play: |bench| {
                let entries = bench.parameters.lrt_entries;
                // Otherwise entries leave by age before all of them are asked for.
                if bench.parameters.search == Search::Scan || ages_within(bench, entries + 50) {
                    return Ok(());
                }
                for (inverted, field) in
                    [false, true].into_iter().flat_map(|inverted| [1, 2, 3].map(|field| (inverted, field)))
                {
                    let loads = || (0..entries as u32).map(|number| of_all_bits(number, inverted));
                    // Of another warp than the one whose load it is almost the partner of, and than that
                    // which has its destination.
                    let almost = |(mut load, number): (Load, usize)| {
                        load[0] ^= 1 << (number % 6);
                        load[field] ^= 1 << ((number + 1) % 8);
                        load
                    };
                    let almost = || loads().zip(0..).map(almost);
                    let mut unit = Unit::new(bench);
                    loads().chain(almost()).try_for_each(|load| unit.send(load, false))?;
                    unit.release_all(4 * entries)?;
                    let left = |load: Load| unit.accesses.contains(&plain(load));
                    expect(loads().chain(almost()).all(left), "each leaves alone")?;
                    expect(unit.accesses.len() == 2 * entries && unit.occupancy == 0, "and once")?;
                }
                Ok(())
            },
        },
        Scenario {
            name: "full_table",
            rule: "our rule: a load that finds the table full leaves at once",
            play: |bench| {
                let mut unit = Unit::new(bench);
                // Otherwise entries leave by age before a scanned table is full.
                if !unit.never_ages() {
                    return Ok(());
                }
                fill(&mut unit)?;
                let entries = unit.bench.parameters.lrt_entries as u32;
                let extra = [63, 0xff00, 3, 4];
                unit.loads(&[extra])?;
                unit.expect_accesses(&[plain(extra)])?;
                expect(unit.events[5] == 1 && unit.occupancy == entries, "it was not inserted")?;
                let [warp, fields @ ..] = lone(entries - 1);
                let partner = (warp + 1) % 64;
                unit.loads(&[[partner, fields[0], fields[1], fields[2]]])?;
                unit.expect_accesses(&[plain(extra), pair(lone(entries - 1), partner)])?;
                expect_eq!(unit.occupancy, entries - 1, "a match makes room")?;
                unit.loads(&[lone(0)])?;
                expect(unit.events[2] == 1 && unit.occupancy == entries - 1, "so does a repeat")
            },
        },
    ]
}

fn waiting() -> Vec<Scenario<IwmuIn, IwmuOut>> {
    vec![
        Scenario {
            name: "both_scoreboards",
            rule: "I 3.1: the two sub-cores must check that their destination registers are available",
            play: |bench| {
                for held in [0, 1] {
                    let Some(mut unit) = Unit::ahead_of_ages(bench) else { return Ok(()) };
                    unit.in_use = Some((held, 56));
                    unit.loads(&[WARP_0, WARP_1])?;
                    unit.idle(20)?;
                    unit.expect_accesses(&[])?;
                    let both = [(0, 56), (1, 56)].iter().all(|question| unit.asked.contains(question));
                    expect(both, format!("both are asked, not {:?}", unit.asked))?;
                    unit.in_use = None;
                    unit.idle(3)?;
                    unit.expect_accesses(&[pair(WARP_0, 1)])?;
                }
                Ok(())
            },
        },
        Scenario {
            name: "one_scoreboard_for_a_plain_load",
            rule: "our rule: a load that leaves alone asks the sub-core of its warp",
            play: |bench| {
                let Some(mut unit) = Unit::ahead_of_ages(bench) else { return Ok(()) };
                unit.loads(&[WARP_3])?;
                unit.release(3)?;
                unit.settle()?;
                unit.expect_accesses(&[plain(WARP_3)])?;
                expect_eq!(unit.asked, [(3, 112)], format!("asked once, not {:?}", unit.asked))
            },
        },
        Scenario {
            name: "two_warps_of_one_sub_core",
            rule: "I 3.1: a different warp; ours: of the same sub-core too, which is then asked twice",
            play: |bench| {
                let Some(mut unit) = Unit::ahead_of_ages(bench) else { return Ok(()) };
                unit.loads(&[[1, 0x40, 2, 3], [5, 0x40, 2, 3]])?;
                unit.expect_accesses(&[pair([1, 0x40, 2, 3], 5)])?;
                unit.asked.sort();
                expect_eq!(unit.asked, [(1, 3), (5, 3)], format!("one after the other: {:?}", unit.asked))
            },
        },
        Scenario {
            name: "a_busy_register_holds_up_its_own_load",
            rule: "our rule: other loads pass one that waits for a scoreboard, of the same sub-core too",
            play: |bench| {
                let Some(mut unit) = Unit::ahead_of_ages(bench) else { return Ok(()) };
                unit.in_use = Some((0, 56));
                unit.loads(&[WARP_0, WARP_1])?;
                let mut expected = vec![];
                for number in 0..3 * PENDING as u32 {
                    let (first, second) = (4 * (number % 3) + 4, 4 * (number % 3) + 8);
                    unit.loads(&[[first, 16 * number, 1, number], [second, 16 * number, 1, number]])?;
                    expected.push(pair([first, 16 * number, 1, number], second));
                }
                unit.idle(20)?;
                unit.expect_accesses(&expected)?;
                unit.in_use = None;
                unit.idle(20)?;
                expected.push(pair(WARP_0, 1));
                unit.expect_accesses(&expected)
            },
        },
        Scenario {
            name: "warps_that_differ_in_one_bit",
            rule: "our rule: of the loads into one register only those of the same warp wait, whatever bit tells warps apart",
            play: |bench| {
                let Some(mut unit) = Unit::ahead_of_ages(bench) else { return Ok(()) };
                for (place, inverted) in (0..PENDING as u32).flat_map(|place| [(place, 0), (place, 63)]) {
                    let held = [inverted, 0b111000 ^ inverted];
                    unit.hold(place, held)?;
                    for (bit, [first, second]) in (0..6).flat_map(|bit| [(bit, held), (bit, [held[1], held[0]])]) {
                        unit.accesses.clear();
                        let (first, second) = (into_99(first ^ (1 << bit), 21), into_99(second ^ (1 << bit), 21));
                        unit.send(first, false)?;
                        unit.send(second, false)?;
                        unit.idle(6)?;
                        unit.expect_accesses(&[pair(first, second[0])])?;
                    }
                    unit.accesses.clear();
                    unit.in_use = None;
                    unit.idle(10)?;
                    unit.expect_accesses(&[pair(into_99(held[0], 20), held[1])])?;
                }
                Ok(())
            },
        },
        Scenario {
            name: "a_warp_in_common",
            rule: "our rule: a load waits for an older one into its register if one of its warps is the same, whichever of the two",
            play: |bench| {
                let Some(mut unit) = Unit::ahead_of_ages(bench) else { return Ok(()) };
                let held = [0, 0b111000];
                for (place, common) in (0..PENDING as u32).flat_map(|place| held.map(|common| (place, common))) {
                    for [first, second] in [[common, 21], [21, common]] {
                        unit.hold(place, held)?;
                        unit.accesses.clear();
                        unit.loads(&[into_99(first, 22), into_99(second, 22)])?;
                        unit.expect_accesses(&[])?;
                        unit.in_use = None;
                        unit.idle(10)?;
                        let older = pair(into_99(held[0], 20), held[1]);
                        unit.expect_accesses(&[older, pair(into_99(first, 22), second)])?;
                    }
                }
                Ok(())
            },
        },
        Scenario {
            name: "shared_memory_not_ready",
            rule: "our protocol: a load stays until it is taken, the queue fills, and nothing is lost",
            play: |bench| {
                let Some(mut unit) = Unit::ahead_of_ages(bench) else { return Ok(()) };
                unit.ready = false;
                let loads: Vec<Load> =
                    (0..2 * PENDING as u32).map(|n| [n % 2, 64 * (n / 2), 1, n / 2]).collect();
                unit.loads(&loads)?;
                let pairs = || (0..PENDING as u32).map(|n| pair([0, 64 * n, 1, n], 1));
                // All places are taken. Now the next pair waits in the table and in the queue.
                unit.loads(&[[0, 0x900, 1, 99], [1, 0x900, 1, 99]])?;
                expect_eq!(unit.occupancy, 1, "the partner is not deleted before its load can leave")?;
                let mut taken = 0;
                for number in 0..5 {
                    let mut inputs = IwmuIn::default();
                    inputs.request_valid[2] = true;
                    inputs.request_warp[2] = 2 + 4 * number;
                    inputs.request_address[2] = 0x1000;
                    let out = unit.cycle(inputs)?;
                    taken += usize::from(out.request_ready[2]);
                    expect(out.load_valid && out.load_first_warp == 0, "the first load stands")?;
                }
                expect_eq!(taken, QUEUE_DEPTH, format!("the queue takes two of a sub-core, not {taken}"))?;
                unit.ready = true;
                unit.idle(60)?;
                let expected = pairs().chain([pair([0, 0x900, 1, 99], 1), pair([2, 0x1000, 0, 0], 6)]);
                unit.expect_accesses(&expected.collect::<Vec<_>>())
            },
        },
        Scenario {
            name: "first_load_after_three_cycles",
            rule: "our timing: taken in t, searched for in t + 1, asks in t + 2, leaves in t + 3",
            play: |bench| {
                if bench.parameters.search != Search::Cam {
                    return Ok(());
                }
                let Some(mut unit) = Unit::ahead_of_ages(bench) else { return Ok(()) };
                unit.loads(&[WARP_0])?;
                unit.send(WARP_1, false)?;
                let outs = (1..=3).map(|_| unit.cycle(IwmuIn::default())).collect::<Result<Vec<_>, _>>()?;
                expect(outs[0].multicast, "the match in t + 1")?;
                expect_eq!(outs[1].ask_valid[..2], [true, true], "both questions in t + 2")?;
                expect(outs[2].load_valid, "the load in t + 3")
            },
        },
    ]
}

fn releases() -> Vec<Scenario<IwmuIn, IwmuOut>> {
    vec![
        Scenario {
            name: "barrier",
            rule: "our rule: a release makes the loads of a warp leave that it sent before, and no others",
            play: |bench| {
                let Some(mut unit) = Unit::ahead_of_ages(bench) else { return Ok(()) };
                let (first, last) = ([4, 0x0100, 1, 1], [4, 0x0200, 1, 2]);
                unit.loads(&[first, WARP_2])?;
                // Both through the same queue, without a pause.
                unit.send(last, false)?;
                unit.release(4)?;
                unit.idle(30)?;
                unit.expect_accesses(&[plain(first), plain(last)])?;
                expect_eq!(unit.events, [0, 3, 0, 2, 0, 0], format!("events {:?}", unit.events))?;
                expect_eq!(unit.occupancy, 1, "warp 2 stays")
            },
        },
        Scenario {
            name: "barrier_of_a_thread_block",
            rule: "our rule: at a barrier of eight warps what has no partner leaves, all else was paired",
            play: |bench| {
                let Some(mut unit) = Unit::ahead_of_ages(bench) else { return Ok(()) };
                for warp in 0..8 {
                    // Tile A of warps 2k and 2k + 1, tile B of three warps each.
                    unit.send([warp, 0x1000 + 0x100 * (warp / 2), 4, 8], false)?;
                    unit.send([warp, 0x2000 + 0x100 * (warp / 3), 5, 24], false)?;
                }
                (0..8).try_for_each(|warp| unit.release(warp))?;
                unit.idle(60)?;
                let served: usize = unit.accesses.iter().map(|access| access.warps.len()).sum();
                expect(served == 16 && unit.accesses.len() == 9, format!("{:?}", unit.accesses))?;
                expect(unit.events[0] == 7 && unit.events[3] == 2, format!("events {:?}", unit.events))?;
                expect_eq!(unit.occupancy, 0, "the table is empty")
            },
        },
        Scenario {
            name: "age",
            rule: "our rule: a load without a partner leaves after release_age to twice as many cycles, or never",
            play: |bench| {
                let age = bench.parameters.release_age;
                let mut unit = Unit::new(bench);
                unit.loads(&[WARP_0])?;
                if unit.never_ages() {
                    unit.idle(2000)?;
                    return expect(unit.occupancy == 1 && unit.accesses.is_empty(), "it stays");
                }
                let waited = (1..=2 * age + 20).find(|_| unit.idle(1).is_err() || !unit.accesses.is_empty());
                expect(waited.is_some_and(|cycles| cycles + 20 > age), format!("{waited:?} of {age}"))?;
                unit.expect_accesses(&[plain(WARP_0)])?;
                expect_eq!(unit.events, [0, 1, 0, 0, 1, 0], format!("events {:?}", unit.events))?;
                if ages_within(unit.bench, SHORT_AGE) {
                    return Ok(());
                }
                // What is younger stays longer.
                unit.loads(&[WARP_2])?;
                unit.idle(age / 2)?;
                expect_eq!(unit.occupancy, 1, "a young one stays")
            },
        },
        Scenario {
            name: "an_entry_that_is_taken_again_is_young",
            rule: "our rule: a load without a partner leaves after release_age to twice as many cycles",
            play: |bench| {
                let Parameters { lrt_entries: entries, release_age: age, search, .. } = bench.parameters;
                // The table fills within an interval, and many of them do not take forever.
                if search == Search::Scan || !(entries + 50..1024).contains(&age) {
                    return Ok(());
                }
                // More loads than there is room for: what leaves by age makes room for others at once.
                let mut unit = Unit::new(bench);
                let load = |number: u32| [number % 64, 4 * number, 1, number / 64];
                let mut sent = vec![];
                while unit.now < 10 * age {
                    unit.send(load(sent.len() as u32), false)?;
                    sent.push(unit.now);
                }
                unit.idle(2 * age + 2 * entries)?;
                let left: HashMap<_, _> =
                    unit.accesses.iter().map(|access| (access.warps[0], access.fields)).zip(&unit.times).collect();
                let mut old = 0;
                for (number, sent) in (0..).zip(&sent) {
                    let [warp, fields @ ..] = load(number);
                    let left = left.get(&(warp, fields)).ok_or("a load never leaves")?;
                    old += u32::from(*left - sent >= age);
                }
                let aged = unit.events[4];
                expect_eq!(old, aged, format!("{aged} left by age, {old} were in the table for so long"))?;
                expect(aged as usize > 3 * entries, format!("{aged} left by age, of {entries} at once"))
            },
        },
    ]
}
