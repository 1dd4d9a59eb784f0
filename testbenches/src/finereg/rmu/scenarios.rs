// SPDX-License-Identifier: Apache-2.0
//! Scenarios of the register management unit, with an ACRF and a memory around it that answer at once.

use std::collections::{BTreeMap, VecDeque};
use std::mem;

use gpurf_blocks::ports::{RmuIn, RmuOut};
use gpurf_blocks::{Data, Parameters, CTA_WARPS};

use crate::{expect, expect_eq, value, Drive, Random, Scenario};

type Bench<'a, D> = Drive<'a, RmuIn<D>, RmuOut<D>>;

/// A warp of the outgoing CTA: its number, PC and live registers.
#[derive(Clone, Copy)]
struct Warp {
    warp: u32,
    pc: u32,
    live: u64,
}

/// A CTA and its warps.
struct Cta {
    number: u32,
    warps: Vec<Warp>,
}

impl Cta {
    /// So many live registers, from register 0 of warp 0 on.
    fn of(number: u32, registers: usize) -> Self {
        let warps = registers.div_ceil(64).max(1);
        let live = |warp: usize| match registers - 64 * warp {
            0 => 0,
            left => !0 >> (64 - left.min(64)),
        };
        let warp =
            |warp: usize| Warp { warp: warp as u32, pc: 16 * (warp as u32 + 32 * number), live: live(warp) };
        Cta { number, warps: (0..warps).map(warp).collect() }
    }

    fn with(number: u32, warps: &[(u32, u64)]) -> Self {
        let warp = |&(warp, live): &(u32, u64)| Warp { warp, pc: 16 * (warp + 32 * number), live };
        Cta { number, warps: warps.iter().map(warp).collect() }
    }

    /// The same warps at other PCs.
    fn at(mut self, pc: impl Fn(&Warp) -> u32) -> Self {
        self.warps.iter_mut().for_each(|warp| warp.pc = pc(warp));
        self
    }

    /// The registers, warp by warp.
    fn registers(&self) -> Vec<(u32, u32)> {
        let of = |warp: &Warp| {
            let Warp { warp, live, .. } = *warp;
            (0..64).filter(move |register| live >> register & 1 == 1).map(move |register| (warp, register))
        };
        self.warps.iter().flat_map(of).collect()
    }
}

/// The course of a switch.
#[derive(Debug, Default)]
struct SwitchCourse {
    refused: bool,
    cycles: usize,
    /// Registers that went out and came in, in their order; and in which cycle each came.
    saved: Vec<(u32, u32)>,
    restored: Vec<(u32, u32)>,
    came: Vec<usize>,
    hits: usize,
    misses: usize,
    /// Free entries afterwards.
    free: u32,
}

/// The value of a CTA's register.
fn content(cta: u32, warp: u32, register: u32) -> u32 {
    cta << 11 | warp << 6 | register
}

/// One switch. The ACRF holds the outgoing CTA; each restored register must have the value of the incoming
/// one, and must not overwrite one that is live and not saved.
fn switch<D: Data>(
    bench: &mut Bench<D>,
    outgoing: Option<&Cta>,
    incoming: Option<u32>,
) -> Result<SwitchCourse, String> {
    play(bench, request_of(outgoing, incoming), outgoing, 0)
}

/// The request of a switch.
fn request_of<D: Data>(outgoing: Option<&Cta>, incoming: Option<u32>) -> RmuIn<D> {
    RmuIn {
        request: true,
        store: outgoing.is_some(),
        outgoing: outgoing.map_or(0, |cta| cta.number),
        restore: incoming.is_some(),
        incoming: incoming.unwrap_or(0),
        ..Default::default()
    }
}

/// One switch, in whose first cycles the ACRF cannot be read.
fn play<D: Data>(
    bench: &mut Bench<D>,
    request: RmuIn<D>,
    outgoing: Option<&Cta>,
    waits: usize,
) -> Result<SwitchCourse, String> {
    expect(bench.cycle(request)?.ready, "the RMU is ready")?;
    let mut warps: VecDeque<Warp> = outgoing.map_or(vec![], |cta| cta.warps.clone()).into();
    let vectors: BTreeMap<u32, u64> = warps.iter().map(|warp| (warp.pc, warp.live)).collect();
    let mut unsaved = outgoing.map_or(vec![], Cta::registers);
    let (mut asked, mut read) = (None, None);
    let mut report = SwitchCourse::default();
    for cycle in 1..100_000 {
        let mut inputs = RmuIn { memory_ready: true, acrf_write_ready: true, ..Default::default() };
        inputs.acrf_read_ready = cycle > waits;
        if let Some(&Warp { warp, pc, .. }) = warps.front() {
            (inputs.warp_valid, inputs.warp, inputs.pc) = (true, warp, pc);
            inputs.warp_last = warps.len() == 1;
        }
        if let Some(pc) = asked.take() {
            let live = vectors[&pc];
            (inputs.memory_answer, inputs.memory_low, inputs.memory_high) =
                (true, live as u32, (live >> 32) as u32);
        }
        if let Some((warp, register)) = read.take() {
            inputs.acrf_answer = true;
            inputs.acrf_answer_data = value(content(request.outgoing, warp, register));
        }
        let out = bench.cycle(inputs)?;
        if out.warp_ready {
            warps.pop_front();
        }
        asked = out.memory_request.then_some(out.memory_pc);
        report.hits += usize::from(out.cache_hit);
        report.misses += usize::from(out.cache_miss);
        if out.acrf_read && cycle > waits {
            let place = (out.acrf_read_warp, out.acrf_read_register);
            let index = unsaved.iter().position(|&other| other == place);
            unsaved.remove(index.ok_or(format!("{place:?} is not live, or saved already"))?);
            report.saved.push(place);
            read = Some(place);
        }
        if out.acrf_write {
            let place = (out.acrf_write_warp, out.acrf_write_register);
            expect(!unsaved.contains(&place), format!("{place:?} is overwritten before it is saved"))?;
            let expected = value(content(request.incoming, place.0, place.1));
            expect_eq!(out.acrf_write_data, expected, format!("{place:?} gets {:x?}", out.acrf_write_data))?;
            report.restored.push(place);
            report.came.push(cycle);
        }
        if out.done || out.refused {
            expect(out.refused || unsaved.is_empty(), format!("{unsaved:?} are not saved"))?;
            let live = outgoing.map_or(0, |cta| cta.registers().len());
            expect_eq!(out.live_count as usize, live, format!("{live} live registers"))?;
            (report.refused, report.cycles) = (out.refused, cycle);
            let out = bench.peek(RmuIn::default())?;
            expect(out.ready, "ready in the next cycle")?;
            report.free = out.free_count;
            return Ok(report);
        }
    }
    Err("the switch has no end".into())
}

/// Stores, which must fit.
fn store<D: Data>(bench: &mut Bench<D>, cta: &Cta) -> Result<SwitchCourse, String> {
    let report = switch(bench, Some(cta), None)?;
    expect(!report.refused, format!("CTA {} fits", cta.number))?;
    expect_eq!(report.saved, cta.registers(), format!("{:?} are saved", report.saved))?;
    Ok(report)
}

/// Restores, and checks that exactly the CTA's registers come back.
fn restore<D: Data>(bench: &mut Bench<D>, cta: &Cta) -> Result<SwitchCourse, String> {
    let report = switch(bench, None, Some(cta.number))?;
    complete(&report, cta)?;
    Ok(report)
}

/// One CTA is stored, and comes in as another goes out. The ACRF can be read when the first register has
/// come, so that all others of its warp are still there.
fn come_before_any_has_left<D: Data>(bench: &mut Bench<D>, coming: &Cta, going: &Cta) -> Result<(), String> {
    let _ = store(bench, coming)?;
    let report = play(bench, request_of(Some(going), Some(coming.number)), Some(going), 100)?;
    complete(&report, coming)?;
    let first = coming.registers()[0];
    expect_eq!(report.saved[0], first, format!("{first:?} is in the way, and goes first"))?;
    expect_eq!(report.saved.len(), going.registers().len(), "each goes once")?;
    let _ = restore(bench, going)?;
    Ok(())
}

/// After a reset: a vector is fetched into one entry of the cache after the other, and found there by the
/// next warp.
fn fill_cache<D: Data>(bench: &mut Bench<D>, entries: impl Iterator<Item = u32>) -> Result<(), String> {
    for entry in entries {
        let cta = Cta::with(1, &[(0, 1), (1, 1)]).at(|_| 16 * entry);
        let report = store(bench, &cta)?;
        expect_eq!((report.misses, report.hits), (1, 1), format!("entry {entry} is fetched once"))?;
        let _ = restore(bench, &cta)?;
    }
    Ok(())
}

fn complete(report: &SwitchCourse, cta: &Cta) -> Result<(), String> {
    let mut restored = report.restored.clone();
    restored.sort();
    let mut registers = cta.registers();
    registers.sort();
    expect_eq!(restored, registers, format!("of CTA {} {restored:?} came back", cta.number))
}

pub fn all<D: Data>() -> Vec<Scenario<RmuIn<D>, RmuOut<D>>> {
    vec![
        Scenario {
            name: "figure_11",
            rule: "R Fig. 11: CTA 0 on the entries 0, 1 and 4",
            play: |bench| {
                let entries = bench.parameters.pcrf_entries as u32;
                let (a, b, zero) = (Cta::of(7, 2), Cta::of(8, 2), Cta::with(0, &[(0, 0b101), (1, 0b10)]));
                let _ = (store(bench, &a)?, store(bench, &b)?);
                let _ = restore(bench, &a)?;
                expect_eq!(store(bench, &zero)?.free, entries - 5, "two and three registers are stored")?;
                let report = restore(bench, &zero)?;
                expect_eq!(report.restored, [(0, 0), (0, 2), (1, 1)], "in the order of the chain")?;
                let finereg = bench.parameters;
                let steps: Vec<_> = report.came.windows(2).map(|pair| pair[1] - pair[0]).collect();
                expect_eq!(steps, [finereg.next_latency; 2], format!("{steps:?} cycles apart"))?;
                expect_eq!(restore(bench, &b)?.free, entries, "all entries are free again")
            },
        },
        Scenario {
            name: "as_long_as_documented",
            rule: "docs/rmu.md: two cycles to look a warp up, two to drain it and one for each register",
            play: |bench| {
                let cta = Cta::with(1, &[(0, 0b11111), (1, 0b11111), (2, 0b11111)]);
                let _ = (store(bench, &cta)?, restore(bench, &cta)?);
                let report = store(bench, &cta)?;
                // The second read waits for the first one's entry if there is no place for it in the buffer.
                let expected = 2 * 3 + 1 + 3 * (2 + 5) + 2 + usize::from(!bench.parameters.streams);
                expect_eq!(report.cycles, expected, format!("{} cycles, not {expected}", report.cycles))?;
                let report = restore(bench, &cta)?;
                let latency = bench.parameters.pcrf_latency;
                expect_eq!(report.came[0], 1 + latency, format!("the first comes in cycle {}", report.came[0]))
            },
        },
        Scenario {
            name: "no_live_register",
            rule: "our decision: a CTA without live registers has no chain",
            play: |bench| {
                let entries = bench.parameters.pcrf_entries as u32;
                let none = Cta::with(3, &[(0, 0), (5, 0)]);
                expect_eq!(store(bench, &none)?.free, entries, "it takes no entry")?;
                let report = restore(bench, &none)?;
                expect(report.restored.is_empty() && report.free == entries, "nothing comes back")?;
                let one = Cta::of(4, 1);
                let _ = store(bench, &one)?;
                let report = switch(bench, Some(&none), Some(4))?;
                complete(&report, &one)?;
                expect_eq!(report.free, entries, "it goes out as another one comes in")
            },
        },
        Scenario {
            name: "exactly_full",
            rule: "R V-E: the number of free entries is greater than or equal to the live register count",
            play: |bench| {
                let entries = bench.parameters.pcrf_entries;
                let (all, one) = (Cta::of(1, entries), Cta::of(2, 1));
                expect_eq!(store(bench, &all)?.free, 0, "every entry is taken")?;
                let report = switch(bench, Some(&one), None)?;
                expect(report.refused && report.saved.is_empty(), "not one more register fits")?;
                expect_eq!(store(bench, &Cta::with(5, &[(0, 0)]))?.free, 0, "a CTA without registers does")?;
                expect_eq!(restore(bench, &all)?.free as usize, entries, "all come back")?;
                let most = Cta::of(3, entries - 1);
                expect_eq!(store(bench, &most)?.free, 1, "one entry is left")?;
                expect(switch(bench, Some(&Cta::of(4, 2)), None)?.refused, "two registers are one too many")?;
                expect_eq!(store(bench, &one)?.free, 0, "one fits")?;
                let _ = restore(bench, &most)?;
                expect_eq!(restore(bench, &one)?.free as usize, entries, "all entries are free again")
            },
        },
        Scenario {
            name: "fits_only_into_what_the_other_frees",
            rule: "R V-E: the count of readily empty slots and the ones that would become available",
            play: |bench| {
                let entries = bench.parameters.pcrf_entries;
                let (rest, inside) = (Cta::of(1, entries - 40), Cta::of(2, 40));
                let _ = (store(bench, &rest)?, store(bench, &inside)?);
                let report = switch(bench, Some(&Cta::of(3, 41)), Some(2))?;
                expect(report.refused && report.free == 0, "one register too many is refused")?;
                expect(report.saved.is_empty() && report.restored.is_empty(), "and nothing has moved")?;
                let outgoing = Cta::of(4, 40);
                let report = switch(bench, Some(&outgoing), Some(2))?;
                expect(!report.refused && report.free == 0, "as many fit")?;
                complete(&report, &inside)?;
                // Other rows than those that come in: a register is saved once an entry is free for it.
                let elsewhere = Cta::with(5, &[(9, !0 >> 30), (4, 0b111111)]);
                let report = switch(bench, Some(&elsewhere), Some(4))?;
                complete(&report, &outgoing)?;
                let report = switch(bench, Some(&inside), Some(5))?;
                complete(&report, &elsewhere)?;
                let _ = (restore(bench, &inside)?, restore(bench, &rest)?);
                Ok(())
            },
        },
        Scenario {
            name: "counts_of_one_bit",
            rule: "R V-E: the count of readily empty slots and the ones that would become available",
            play: |bench| {
                let Parameters { pcrf_entries, count_bits, .. } = bench.parameters;
                // A PC has one vector, so that each size has PCs of its own.
                let of = |number: u32, size: usize| Cta::of(number, size).at(|warp| warp.pc + ((size as u32) << 16));
                let sizes = (0..).map(|bit| 1 << bit).take_while(|size| 2 * size <= pcrf_entries + 1);
                let mut pending: Vec<Cta> = (0..).zip(sizes).map(|(number, size)| of(number, size)).collect();
                let sum: usize = pending.iter().map(|cta| cta.registers().len()).sum();
                let rest = of(14, pcrf_entries - sum);
                for cta in pending.iter().chain([&rest]) {
                    let _ = store(bench, cta)?;
                }
                // Nothing is free, so that one of the same size fits, and no larger one.
                let mut spare = 15;
                for cta in &mut pending {
                    let size = cta.registers().len();
                    if size < 1 << count_bits {
                        let larger = of(spare, size + 1);
                        expect(switch(bench, Some(&larger), Some(cta.number))?.refused, "one register too many")?;
                        let other = of(spare, size);
                        complete(&switch(bench, Some(&other), Some(cta.number))?, cta)?;
                        spare = mem::replace(cta, other).number;
                    }
                }
                for cta in pending.iter().chain([&rest]) {
                    let _ = restore(bench, cta)?;
                }
                Ok(())
            },
        },
        Scenario {
            name: "every_register_is_live",
            rule: "R V-E: it switches if the number of free entries is greater than or equal to that of live registers",
            play: |bench| {
                let Parameters { pcrf_entries, count_bits, .. } = bench.parameters;
                let all = Cta::of(1, 64 * CTA_WARPS);
                let fits = 64 * CTA_WARPS <= pcrf_entries && 64 * CTA_WARPS < 1 << count_bits;
                for _ in 0..2 {
                    let report = switch(bench, Some(&all), None)?;
                    expect(report.refused != fits, "2,048 registers and the PCRF's entries are compared")?;
                    if fits {
                        let _ = restore(bench, &all)?;
                    }
                }
                let one = Cta::of(2, 1);
                let _ = (store(bench, &one)?, restore(bench, &one)?);
                Ok(())
            },
        },
        Scenario {
            name: "all_registers_change_places",
            rule: "R IV-A: another CTA takes over the ACRF space of the evicted one",
            play: |bench| {
                let finereg = bench.parameters;
                let (one, other) = (Cta::of(1, finereg.pcrf_entries), Cta::of(2, finereg.pcrf_entries));
                let _ = store(bench, &one)?;
                let report = switch(bench, Some(&other), Some(1))?;
                if finereg.pcrf_entries >= 1 << finereg.count_bits {
                    return expect(report.refused, "the count of the table does not reach so far");
                }
                complete(&report, &one)?;
                let _ = restore(bench, &other)?;
                Ok(())
            },
        },
        Scenario {
            name: "both_ways_at_once",
            rule: "R V-E: meanwhile, the live registers of the stalled CTA are transferred; retrieving is pipelined",
            play: |bench| {
                let Parameters { streams, next_latency, pcrf_ports, .. } = bench.parameters;
                let (one, other) = (Cta::of(1, 24), Cta::of(2, 24));
                let _ = (store(bench, &other)?, restore(bench, &other)?, store(bench, &one)?);
                let report = switch(bench, Some(&other), Some(1))?;
                complete(&report, &one)?;
                if streams && next_latency == 1 && pcrf_ports == 2 {
                    let most = 24 + 12 + bench.parameters.pcrf_latency;
                    expect(report.cycles <= most, format!("{} cycles, at most {most}", report.cycles))?;
                }
                let _ = restore(bench, &other)?;
                Ok(())
            },
        },
        Scenario {
            name: "a_chain_in_another_order",
            rule: "docs/rmu.md: whatever the order of a chain, a register that comes back takes four cycles at most",
            play: |bench| {
                let Parameters { pcrf_entries, streams, next_latency, pcrf_ports, .. } = bench.parameters;
                // No register can go ahead of those that come, and the chain begins behind the first five.
                let rest = Cta::of(1, pcrf_entries - 63);
                let coming = Cta::with(2, &[(0, !0 << 5), (1, 0b1111)]);
                let going = Cta::of(3, 63);
                let _ = (store(bench, &going)?, restore(bench, &going)?);
                let _ = (store(bench, &rest)?, store(bench, &coming)?);
                let report = switch(bench, Some(&going), Some(2))?;
                complete(&report, &coming)?;
                if streams && next_latency == 1 && pcrf_ports == 2 {
                    let (least, most) = (3 * 63, 4 * 63 + bench.parameters.pcrf_latency + 8);
                    let is_so = (least..=most).contains(&report.cycles);
                    expect(is_so, format!("{} cycles, not {least} to {most}", report.cycles))?;
                }
                let _ = (restore(bench, &going)?, restore(bench, &rest)?);
                Ok(())
            },
        },
        Scenario {
            name: "a_warp_in_the_way_of_another",
            rule: "our decision: the vector of the warp being saved is put back for one that is in the way",
            play: |bench| {
                // Warp 0 is being saved as the first register of warp 2 comes, and then of warp 5.
                let coming = Cta::with(1, &[(2, 0b11), (5, 0b1011)]);
                let going = Cta::with(2, &[(0, !0 >> 32), (2, 0b110), (5, 0xf0_0000_000f)]);
                let _ = store(bench, &coming)?;
                let report = switch(bench, Some(&going), Some(1))?;
                complete(&report, &coming)?;
                expect_eq!(report.saved.len(), going.registers().len(), "each goes once")?;
                let _ = restore(bench, &going)?;
                Ok(())
            },
        },
        Scenario {
            name: "what_comes_in_waits_for_what_goes_out",
            rule: "our decision: a register in the way is saved before it is overwritten",
            play: |bench| {
                // Each row that comes in is one of the last that would go out by its place.
                let coming = Cta::with(1, &[(3, 0xf000_0000_0000_000f)]);
                let going = Cta::with(2, &[(0, 0xff), (3, 0x8000_0000_0000_0ff1), (4, 1)]);
                let _ = store(bench, &coming)?;
                let report = switch(bench, Some(&going), Some(1))?;
                complete(&report, &coming)?;
                if !bench.parameters.streams {
                    expect_eq!(report.saved[..2], [(3, 0), (3, 63)], "only those in the way go before the rest")?;
                }
                expect_eq!(report.saved.len(), going.registers().len(), "each goes once")?;
                let _ = restore(bench, &going)?;
                Ok(())
            },
        },
        Scenario {
            name: "the_last_comes_before_the_first_has_left",
            rule: "our decision: a register in the way is saved before it is overwritten",
            play: |bench| {
                let going = Cta::with(2, &[(6, !0)]);
                for register in [31, 63] {
                    let coming = Cta::with(1, &[(6, 1 << register)]).at(|warp| warp.pc + (register << 16));
                    come_before_any_has_left(bench, &coming, &going)?;
                }
                Ok(())
            },
        },
        Scenario {
            name: "any_register_is_in_the_way_of_the_rest_of_its_half",
            rule: "our decision: a register in the way is saved before it is overwritten, and no other is lost",
            play: |bench| {
                let Parameters { pcrf_entries, next_latency, .. } = bench.parameters;
                let fit = (pcrf_entries / 33).clamp(1, 16);
                // Fewer where each takes so many cycles.
                let registers: Vec<u32> = (0..64).step_by(next_latency).collect();
                for (part, registers) in registers.chunks(fit).enumerate() {
                    // Each in a warp of its own, whose others in the same half of its vector go out as well;
                    // of two parts, one has even warps.
                    let warps = |live: fn(u32) -> u64| -> Vec<_> {
                        let warp = |place: usize| (2 * place + part % 2) as u32;
                        registers.iter().enumerate().map(|(place, &register)| (warp(place), live(register))).collect()
                    };
                    let pc = |warp: &Warp| warp.pc + ((part as u32) << 16);
                    let coming = Cta::with(1, &warps(|register| 1 << register)).at(pc);
                    let going = Cta::with(2, &warps(|register| (!0 >> 32) << (register / 32 * 32))).at(pc);
                    come_before_any_has_left(bench, &coming, &going)?;
                }
                Ok(())
            },
        },
        Scenario {
            name: "more_registers_than_the_count_holds",
            rule: "our decision: a count that does not fit saturates, and the chain is whole",
            play: |bench| {
                let finereg = bench.parameters;
                if finereg.pcrf_entries < 256 {
                    return Ok(());
                }
                let cta = Cta::of(1, 100);
                let filler = Cta::of(2, finereg.pcrf_entries - 100);
                let _ = (store(bench, &cta)?, store(bench, &filler)?);
                let fitting = Cta::of(3, 64);
                let report = switch(bench, Some(&fitting), Some(1))?;
                expect_eq!(report.refused, (finereg.count_bits == 6), "six bits see 63 registers of the 100")?;
                let incoming = if report.refused { Cta::of(4, 63) } else { fitting };
                if report.refused {
                    complete(&switch(bench, Some(&incoming), Some(1))?, &cta)?;
                }
                let _ = restore(bench, &incoming)?;
                expect_eq!(restore(bench, &filler)?.free as usize, finereg.pcrf_entries, "no entry is lost")
            },
        },
        Scenario {
            name: "ctas_that_differ_in_a_bit",
            rule: "R V-C: each CTA has an entry of the pointer table, with its chain and its count",
            play: |bench| {
                let last = bench.parameters.ctas as u32 - 1;
                let powers = (0..).map(|bit| 1 << bit).take_while(|power| *power <= last);
                let numbers: Vec<u32> = [0].into_iter().chain(powers).collect();
                // One to four registers each, in either half of a warp that is its own.
                let of = |number: u32| Cta::with(number, &[(number % 32, (number as u64 % 4 * 2 + 1) << (number % 61))]);
                for &number in &numbers {
                    let _ = store(bench, &of(number))?;
                }
                // As one comes in, another with all bits of its number inverted goes out.
                for &number in &numbers {
                    let report = switch(bench, Some(&of(number ^ last)), Some(number))?;
                    complete(&report, &of(number))?;
                }
                let mut free = 0;
                for &number in &numbers {
                    free = restore(bench, &of(number ^ last))?.free as usize;
                }
                expect_eq!(free, bench.parameters.pcrf_entries, "all entries are free again")
            },
        },
        Scenario {
            name: "vectors_of_every_two_registers",
            rule: "R V-C, Fig. 10: the decoder finds the live registers of a vector, whatever else is live",
            play: |bench| {
                // Of any two registers, each is live without the other in some warp, as it is saved, and as
                // another that comes in finds it in the way.
                let mut random = Random::seeded(1);
                let mut vector = || u64::from(random.word()) << 32 | u64::from(random.word());
                let mut warps = || (0..16).map(|warp| (2 * warp + 1, vector())).collect::<Vec<_>>();
                let (coming, going) = (warps(), warps());
                let fit = (bench.parameters.pcrf_entries / 64).min(16);
                for (coming, going) in coming.chunks(fit).zip(going.chunks(fit)) {
                    let (coming, going) = (Cta::with(1, coming), Cta::with(2, going));
                    let _ = store(bench, &coming)?;
                    let report = switch(bench, Some(&going), Some(1))?;
                    // What comes in makes room for what goes out.
                    if report.refused {
                        let _ = (restore(bench, &coming)?, store(bench, &going)?);
                    } else {
                        complete(&report, &coming)?;
                    }
                    let _ = restore(bench, &going)?;
                }
                Ok(())
            },
        },
        Scenario {
            name: "every_entry_of_the_cache",
            rule: "R V-C: direct-mapped; the PC tag is compared with the current PC",
            play: |bench| {
                // A warp for each entry.
                let cta = |tag: u32| {
                    let warps: Vec<_> = (0..32).map(|warp| (warp, 1 << (warp + tag % 32))).collect();
                    Cta::with(1, &warps).at(|warp| 16 * warp.warp + (tag << 9))
                };
                // After a reset nothing is there; then what was fetched; then what differs from it in a bit
                // of the tag.
                for (tag, hits) in [(0, 0), (0, 32), (1, 0), (1 << 22, 0), (1 << 22, 32)] {
                    let report = store(bench, &cta(tag))?;
                    expect_eq!((report.misses, report.hits), (32 - hits, hits), format!("{hits} vectors are there"))?;
                    let _ = restore(bench, &cta(tag))?;
                }
                Ok(())
            },
        },
        Scenario {
            name: "the_cache_fills_from_its_first_entry_on",
            rule: "R V-C: what was fetched is found, whatever else is there",
            play: |bench| fill_cache(bench, 0..32),
        },
        Scenario {
            name: "the_cache_fills_from_its_last_entry_on",
            rule: "R V-C: what was fetched is found, whatever else is there",
            play: |bench| fill_cache(bench, (0..32).rev()),
        },
        Scenario {
            name: "one_vector_for_all_warps",
            rule: "R V-C: only a small number of instructions in a kernel are responsible for causing stalls",
            play: |bench| {
                let cta = Cta::with(1, &[(0, 5), (1, 5), (2, 5), (3, 5)]).at(|_| 0x120);
                let report = store(bench, &cta)?;
                expect_eq!((report.misses, report.hits), (1, 3), "one miss, then hits")?;
                let _ = restore(bench, &cta)?;
                let report = store(bench, &cta)?;
                expect_eq!((report.misses, report.hits), (0, 4), "and only hits later")
            },
        },
        Scenario {
            name: "conflicting_vectors",
            rule: "R V-C: direct-mapped; the PC tag is compared with the current PC",
            play: |bench| {
                let cta = Cta::with(1, &[(0, 0b11), (1, 0b1100), (2, 0b11), (3, 0b1100)]);
                let cta = cta.at(|warp| if warp.warp % 2 == 0 { 16 } else { 16 * 32 });
                let report = store(bench, &cta)?;
                expect_eq!((report.misses, report.hits), (4, 0), "each drives the other out")?;
                let _ = restore(bench, &cta)?;
                Ok(())
            },
        },
        Scenario {
            name: "discarded",
            rule: "our decision: a chain can be freed without being restored",
            play: |bench| {
                let entries = bench.parameters.pcrf_entries as u32;
                let (cta, other) = (Cta::of(1, 30), Cta::of(2, 10));
                let _ = store(bench, &cta)?;
                let discard =
                    RmuIn { request: true, restore: true, incoming: 1, discard: true, ..Default::default() };
                let report = play(bench, discard, None, 0)?;
                expect(report.restored.is_empty() && report.free == entries, "freed, and nothing written")?;
                expect_eq!(restore(bench, &Cta::of(1, 0))?.free, entries, "a second time nothing is there")?;
                let _ = store(bench, &cta)?;
                let report = play(bench, RmuIn { store: true, outgoing: 2, ..discard }, Some(&other), 0)?;
                expect(
                    report.restored.is_empty() && report.free == entries - 10,
                    "while another one goes out",
                )?;
                let _ = restore(bench, &other)?;
                Ok(())
            },
        },
    ]
}
