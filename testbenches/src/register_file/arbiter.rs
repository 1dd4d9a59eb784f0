// SPDX-License-Identifier: Apache-2.0
//! Testbench of the register-file arbiter.

use gpurf_blocks::ports::{ArbiterIn, ArbiterOut};
use gpurf_blocks::{Parameters, MAX_WARPS};
use gpurf_hw::register_file::Arbiter;

use crate::crowd::Crowd;
use crate::{expect, expect_eq, register, Drive, Engine, Random, Scenario, Stimulus, Testbench};

impl<const C: usize> Testbench for Arbiter<C> {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::register_file::Arbiter::new(parameters, true))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(ArbiterStimulus::new(*parameters))
    }

    fn scenarios() -> Vec<Scenario<Self::In, Self::Out>> {
        scenarios()
    }
}

register!(Arbiter<C>);

/// Instructions for collectors whose earlier reads have all been granted, results for every bank, and
/// owners that change at random.
struct ArbiterStimulus {
    parameters: Parameters,
    /// Reads that each collector waits for.
    pending: Vec<usize>,
    owners: Vec<Option<u32>>,
    crowd: Crowd,
    /// The register that stands at the port: warp, register, base.
    leaves: Option<[u32; 3]>,
}

impl ArbiterStimulus {
    fn new(parameters: Parameters) -> Self {
        let collectors = parameters.collectors;
        ArbiterStimulus {
            parameters,
            pending: vec![0; collectors],
            owners: vec![None; collectors],
            crowd: Crowd::new(parameters.banks),
            leaves: None,
        }
    }
}

impl Stimulus<ArbiterIn, ArbiterOut> for ArbiterStimulus {
    fn next(&mut self, random: &mut Random) -> ArbiterIn {
        let mut inputs = ArbiterIn::default();
        self.crowd.advance(random);
        let collector = random.below(self.parameters.collectors);
        if self.pending[collector] == 0 && random.percent(70) {
            inputs.issue[collector] = true;
            inputs.warp = random.below(MAX_WARPS) as u32;
            inputs.base = random.below(256) as u32;
            for slot in 0..self.parameters.slots {
                let crowded = self.crowd.source(inputs.warp, slot, 256);
                inputs.request[slot] = crowded.is_some() || random.percent(50);
                inputs.source_register[slot] = crowded.unwrap_or(random.below(256) as u32);
                inputs.lender_valid[slot] = self.parameters.lenders > 0 && random.percent(50);
                if inputs.lender_valid[slot] {
                    inputs.lender_warp[slot] = random.below(MAX_WARPS) as u32;
                    inputs.lender_base[slot] = random.below(256) as u32;
                }
            }
        }
        if random.percent(20) {
            self.owners[collector] = Some(random.below(MAX_WARPS) as u32);
        }
        for (number, owner) in self.owners.iter().enumerate() {
            inputs.owned[number] = owner.is_some();
            inputs.held_warp[number] = owner.unwrap_or(0);
        }
        for bank in 0..self.parameters.banks {
            inputs.write_valid[bank] = self.crowd.writes(bank) || random.percent(30);
            // Often several results of a warp that has a collector.
            inputs.write_warp[bank] = match self.owners[random.below(self.owners.len())] {
                Some(owner) if random.percent(70) => owner,
                _ => random.below(MAX_WARPS) as u32,
            };
            inputs.write_register[bank] = random.below(256) as u32;
            inputs.write_base[bank] = random.below(256) as u32;
            inputs.write_near[bank] = random.percent(60);
        }
        if self.parameters.transfer_ports > 0 {
            if self.leaves.is_none() && random.percent(60) {
                self.leaves = Some([MAX_WARPS, 256, 256].map(|range| random.below(range) as u32));
            }
            if let Some([warp, register, base]) = self.leaves {
                (inputs.transfer_valid, inputs.transfer_warp) = ([true], [warp]);
                (inputs.transfer_register, inputs.transfer_base) = ([register], [base]);
            }
        }
        inputs
    }

    fn observe(&mut self, inputs: &ArbiterIn, outputs: &ArbiterOut) -> Result<(), String> {
        if let Some(collector) = inputs.issue.iter().position(|issue| *issue) {
            self.pending[collector] += inputs.request.iter().filter(|request| **request).count();
        }
        for bank in 0..self.parameters.banks {
            for (collector, _, _) in reads(outputs, bank) {
                let pending = &mut self.pending[collector as usize];
                *pending =
                    pending.checked_sub(1).ok_or(format!("bank {bank} reads what nobody asked for"))?;
            }
        }
        self.observe_transfer(inputs, outputs)
    }
}

impl ArbiterStimulus {
    /// A register leaves from its bank and row, exactly in a cycle in which the bank's first access does
    /// nothing else.
    fn observe_transfer(&mut self, inputs: &ArbiterIn, outputs: &ArbiterOut) -> Result<(), String> {
        let banks = self.parameters.banks as u32;
        let (mut expected, mut place) = (0, None);
        if let Some([warp, register, base]) = self.leaves {
            let bank = (register + 1 + warp) % banks;
            if !inputs.write_valid[bank as usize] && !outputs.bank_read[bank as usize] {
                (expected, place) = (1 << bank, Some((bank as usize, (base + register / banks) % 256)));
            }
        }
        if outputs.transfer_bank[0] != expected {
            return Err(format!("banks {:#b} read what leaves, not {expected:#b}", outputs.transfer_bank[0]));
        }
        if let Some((bank, row)) = place {
            self.leaves = None;
            if outputs.bank_row[bank] != row {
                return Err(format!("row {} of bank {bank} leaves, not {row}", outputs.bank_row[bank]));
            }
        }
        Ok(())
    }
}

/// Reads of a bank in a cycle, in the order of its accesses: collector, slot and row.
fn reads(out: &ArbiterOut, bank: usize) -> impl Iterator<Item = (u32, u32, u32)> {
    let first = (out.bank_collector[bank], out.bank_slot[bank], out.bank_row[bank]);
    let second = (out.second_collector[bank], out.second_slot[bank], out.second_row[bank]);
    [out.bank_read[bank].then_some(first), out.second_read[bank].then_some(second)].into_iter().flatten()
}

/// An instruction of warp 0 in a collector; register r lives in bank (r + 1) mod banks.
fn issue(collector: usize, registers: &[u32]) -> ArbiterIn {
    let mut inputs = ArbiterIn::default();
    inputs.issue[collector] = true;
    for (slot, register) in registers.iter().enumerate() {
        inputs.request[slot] = true;
        inputs.source_register[slot] = *register;
    }
    inputs
}

/// Issues an instruction; the first cycle in which its reads can be granted.
fn first_grant(bench: &mut Drive<ArbiterIn, ArbiterOut>, issue: ArbiterIn) -> Result<ArbiterOut, String> {
    let out = bench.cycle(issue)?;
    if bench.parameters.grant_at_issue {
        return Ok(out);
    }
    let any = out.bank_read.contains(&true) || out.second_read.contains(&true);
    expect(!any, "no read is granted before it is in a queue")?;
    bench.cycle(ArbiterIn::default())
}

/// A result of a warp; it must live in the bank.
fn write(mut inputs: ArbiterIn, bank: usize, warp: u32, near: bool) -> ArbiterIn {
    inputs.write_valid[bank] = true;
    inputs.write_warp[bank] = warp;
    inputs.write_near[bank] = near;
    inputs
}

/// Collector 0 belongs to the warp.
fn owned(mut inputs: ArbiterIn, warp: u32) -> ArbiterIn {
    inputs.owned[0] = true;
    inputs.held_warp[0] = warp;
    inputs
}

/// While a bank writes, all other collectors ask it for so many registers, in their order, and then this one
/// for those of its slots from the first on; all of them are read when the bank is free.
fn fill_queue(
    bench: &mut Drive<ArbiterIn, ArbiterOut>,
    bank: usize,
    collector: usize,
    before: usize,
    first: usize,
) -> Result<(), String> {
    let Parameters { collectors, slots, banks, .. } = bench.parameters;
    let others = (0..collectors).filter(|other| *other != collector);
    let earlier = others.flat_map(|other| (0..slots).map(move |slot| (other, slot))).take(before);
    let order: Vec<_> = earlier.chain((first..slots).map(|slot| (collector, slot))).collect();
    // Rows that differ in all bits, from one collector to the next and from one slot to the next.
    let row = |collector: usize, slot: usize| [slot, 0x7f - slot][(slot + collector) % 2] as u32;
    let of_bank = |row: u32| row * banks as u32 + (bank + banks - 1) as u32 % banks as u32;
    for issued in order.chunk_by(|one, other| one.0 == other.0) {
        let mut inputs = ArbiterIn::default();
        inputs.issue[issued[0].0] = true;
        for (collector, slot) in issued {
            inputs.request[*slot] = true;
            inputs.source_register[*slot] = of_bank(row(*collector, *slot) % (256 / banks as u32));
        }
        let out = bench.cycle(write(inputs, bank, 0, true))?;
        expect(!out.bank_read[bank], "the bank writes")?;
    }
    for (collector, slot) in order {
        let out = bench.cycle(ArbiterIn::default())?;
        let read = (out.bank_collector[bank] as usize, out.bank_slot[bank] as usize);
        expect(out.bank_read[bank] && read == (collector, slot), "in their order")?;
        let expected = row(collector, slot) % (256 / banks as u32);
        expect_eq!(out.bank_row[bank], expected, "each its own row")?;
    }
    let out = bench.cycle(ArbiterIn::default())?;
    expect(!out.bank_read[bank], "and none is left")
}

fn scenarios() -> Vec<Scenario<ArbiterIn, ArbiterOut>> {
    vec![
        Scenario {
            name: "oldest_first",
            rule: "F II: every cycle, the oldest request of each queue is granted",
            play: |bench| {
                let banks = bench.parameters.banks as u32;
                // Three registers of bank 0.
                let mut out = first_grant(bench, issue(0, &[banks - 1, 2 * banks - 1, 3 * banks - 1]))?;
                let mut slots = 0..3;
                while !slots.is_empty() {
                    for slot in slots.by_ref().take(bench.parameters.accesses).collect::<Vec<_>>() {
                        let access = slot as usize % bench.parameters.accesses;
                        let read = reads(&out, 0).nth(access).ok_or("as many as it has accesses")?;
                        expect_eq!(read.1, slot, "slots in their order")?;
                        expect_eq!(read.2, slot, "row = register / banks")?;
                    }
                    out = bench.cycle(ArbiterIn::default())?;
                }
                expect_eq!(reads(&out, 0).count(), 0, "then nothing is left")
            },
        },
        Scenario {
            name: "a_free_bank_reads_at_once",
            rule: "F II: conflicting reads are stored in a queue; under grant_at_issue the others are not",
            play: |bench| {
                let at_once = bench.parameters.grant_at_issue;
                let out = bench.cycle(issue(0, &[0]))?;
                expect_eq!(out.bank_read[1], at_once, "in the cycle of issue, if it may")?;
                let out = bench.cycle(ArbiterIn::default())?;
                expect(out.bank_read[1] != at_once, "and once")?;
                // An older read of the bank goes first.
                bench.cycle(write(issue(0, &[0]), 1, 0, true))?;
                if bench.parameters.collectors > 1 && bench.parameters.accesses == 1 {
                    let out = bench.cycle(issue(1, &[0]))?;
                    expect(out.bank_read[1] && out.bank_collector[1] == 0, "the oldest")?;
                    let out = bench.cycle(ArbiterIn::default())?;
                    expect(out.bank_read[1] && out.bank_collector[1] == 1, "then the next")?;
                }
                Ok(())
            },
        },
        Scenario {
            name: "banks_work_side_by_side",
            rule: "F II: each bank serves one request per cycle",
            play: |bench| {
                if bench.parameters.collectors < 2 {
                    return Ok(());
                }
                let both = [bench.cycle(issue(0, &[0]))?, bench.cycle(issue(1, &[1]))?];
                let out = if bench.parameters.grant_at_issue { both[0] } else { both[1] };
                expect(out.bank_read[1] && out.bank_collector[1] == 0, "bank 1 reads for collector 0")?;
                let out = match bench.parameters.grant_at_issue {
                    true => both[1],
                    false => bench.cycle(ArbiterIn::default())?,
                };
                let bank = 2 % bench.parameters.banks;
                expect(out.bank_read[bank] && out.bank_collector[bank] == 1, "the other for collector 1")
            },
        },
        Scenario {
            name: "writes_have_priority",
            rule: "F II: writes always have priority and are granted access immediately",
            play: |bench| {
                if bench.parameters.accesses > 1 {
                    return Ok(());
                }
                bench.cycle(write(issue(0, &[0]), 1, 0, true))?;
                for _ in 0..3 {
                    let out = bench.cycle(write(ArbiterIn::default(), 1, 0, true))?;
                    expect(!out.bank_read[1] && out.bank_conflict[1], "the read waits for the write")?;
                }
                let out = bench.cycle(ArbiterIn::default())?;
                expect(out.bank_read[1] && !out.bank_conflict[1], "and goes when the bank is free")
            },
        },
        Scenario {
            name: "every_place_of_a_queue_is_needed",
            rule: "F II: conflicting reads are stored in a queue; our decision: it has room for all sources of all \
                   collectors, since writes can keep a bank while they come",
            play: |bench| {
                // A second access serves one while the first writes.
                if bench.parameters.accesses > 1 {
                    return Ok(());
                }
                // Any slot comes to any place that it can come to, in every queue; in large ones to the last
                // of them.
                let Parameters { collectors, slots, banks, .. } = bench.parameters;
                let (all, last) = ((collectors - 1) * slots, [banks - 1]);
                for bank in (0..banks).filter(|bank| collectors <= 2 || last.contains(bank)) {
                    for collector in [0, collectors - 1] {
                        for before in (0..=all).filter(|before| collectors <= 2 || *before == all) {
                            for first in 0..slots {
                                fill_queue(bench, bank, collector, before, first)?;
                            }
                        }
                    }
                }
                Ok(())
            },
        },
        Scenario {
            name: "one_value_per_collector",
            rule: "F II: granted only if the port of the OCU and the bank it needs are available",
            play: |bench| {
                let mut out = first_grant(bench, issue(0, &[0, 1, 2]))?;
                let mut reads = 0;
                for _ in 0..8 {
                    for accesses in [out.bank_read, out.second_read] {
                        let now = accesses.iter().filter(|read| **read).count();
                        expect(now <= 1, "port S of collector 0 takes one value per access")?;
                        reads += now;
                    }
                    out = bench.cycle(ArbiterIn::default())?;
                }
                expect_eq!(reads, 3, "all three are read in the end")
            },
        },
        Scenario {
            name: "banks_take_turns_at_a_port",
            rule: "our decision: banks that want the same collector take turns",
            play: |bench| {
                let banks = bench.parameters.banks as u32;
                // Two registers of bank 0, one of bank 1.
                let first = first_grant(bench, issue(0, &[banks - 1, 2 * banks - 1, 0]))?;
                let second = bench.cycle(ArbiterIn::default())?;
                expect(first.bank_read[0] && first.bank_conflict[1], "bank 0 starts")?;
                let waits = bench.parameters.accesses == 1;
                expect(second.bank_read[1] && second.bank_conflict[0] == waits, "bank 1 is next")
            },
        },
        Scenario {
            name: "a_bank_reads_two_registers_in_a_cycle",
            rule: "our decision: with two accesses per cycle a bank grants the head of its queue and the one behind it",
            play: |bench| {
                if bench.parameters.accesses == 1 {
                    return Ok(());
                }
                let banks = bench.parameters.banks as u32;
                let out = first_grant(bench, issue(0, &[banks - 1, 2 * banks - 1]))?;
                expect(reads(&out, 0).eq([(0, 0, 0), (0, 1, 1)]), "both, in the order of their slots")?;
                expect(!out.bank_conflict[0], "and none waits")?;
                expect_eq!(reads(&bench.cycle(ArbiterIn::default())?, 0).count(), 0, "once")
            },
        },
        Scenario {
            name: "a_port_takes_values_of_two_banks_in_a_cycle",
            rule: "our decision: with two accesses per cycle port S takes a value of a first and one of a second",
            play: |bench| {
                if bench.parameters.accesses == 1 {
                    return Ok(());
                }
                // Register 0 lives in bank 1, and the other one in bank 0.
                let out = first_grant(bench, issue(0, &[0, bench.parameters.banks as u32 - 1]))?;
                expect(out.bank_read[0] && !out.bank_read[1], "bank 0 has the first access")?;
                expect(out.second_read[1] && !out.second_read[0], "bank 1 the second")?;
                expect(out.bank_slot[0] == 1 && out.second_slot[1] == 0, "each for its slot")?;
                expect(!out.bank_conflict.contains(&true), "none waits for the next cycle")
            },
        },
        Scenario {
            name: "a_write_leaves_one_read",
            rule: "F II: writes always have priority; our decision: with two accesses per cycle a read goes beside one",
            play: |bench| {
                if bench.parameters.accesses == 1 {
                    return Ok(());
                }
                let banks = bench.parameters.banks as u32;
                let reading = issue(0, &[0, banks, 2 * banks]);
                let at_once = bench.parameters.grant_at_issue;
                let mut out = bench.cycle(write(reading, 1, 0, true))?;
                if !at_once {
                    out = bench.cycle(write(ArbiterIn::default(), 1, 0, true))?;
                }
                for slot in 0..3 {
                    expect(!out.bank_read[1], "the first access is the write's")?;
                    expect(out.second_read[1] && out.second_slot[1] == slot, "the second reads, oldest first")?;
                    out = bench.cycle(write(ArbiterIn::default(), 1, 0, true))?;
                }
                expect(!out.second_read[1], "then none is left")
            },
        },
        Scenario {
            name: "a_queue_keeps_its_order",
            rule: "F II: conflicting reads are stored in a FIFO queue associated with each bank",
            play: |bench| {
                let Parameters { collectors, slots, banks, .. } = bench.parameters;
                let of_bank_0: Vec<u32> = (1..=slots as u32).map(|number| number * banks as u32 - 1).collect();
                let mut expected = (0..collectors as u32).flat_map(|c| (0..slots as u32).map(move |s| (c, s)));
                for cycle in 0..collectors * (slots + 1) + 1 {
                    let inputs = match cycle {
                        cycle if cycle < collectors => issue(cycle, &of_bank_0),
                        _ => ArbiterIn::default(),
                    };
                    let out = bench.cycle(inputs)?;
                    for (collector, slot, _) in reads(&out, 0) {
                        let next = expected.next().ok_or("no more than were asked for")?;
                        let read = (collector, slot);
                        expect_eq!(read, next, format!("{next:?}, collector and slot, is next, not {read:?}"))?;
                    }
                }
                expect(expected.next().is_none(), "all are read")
            },
        },
        Scenario {
            name: "what_leaves_comes_last",
            rule:
                "R V-C: register indices are sent to the ACRF through arbitrator; our decision: last in order",
            play: |bench| {
                if bench.parameters.transfer_ports == 0 {
                    return Ok(());
                }
                // Register 0 of warp 0 lives in bank 1.
                let leaving = |mut inputs: ArbiterIn| {
                    (inputs.transfer_valid, inputs.transfer_base) = ([true], [7]);
                    inputs
                };
                let out = bench.cycle(leaving(write(ArbiterIn::default(), 1, 0, true)))?;
                expect_eq!(out.transfer_bank[0], 0, "a write goes first")?;
                // As many as are read at once, and one more.
                let banks = bench.parameters.banks as u32;
                let registers: Vec<u32> = (0..=bench.parameters.accesses as u32).map(|n| n * banks).collect();
                first_grant(bench, issue(0, &registers))?;
                let out = bench.cycle(leaving(ArbiterIn::default()))?;
                expect(out.bank_read[1] && out.transfer_bank[0] == 0, "an operand too")?;
                let out = bench.cycle(leaving(ArbiterIn::default()))?;
                expect(out.transfer_bank[0] == 2 && out.bank_row[1] == 7, "then it is read")
            },
        },
        Scenario {
            name: "near_result_to_port_d",
            rule: "F IV-A2: the data is also written in the CCU only if its reuse is near",
            play: |bench| {
                let out = bench.cycle(owned(write(ArbiterIn::default(), 1, 5, true), 5))?;
                expect(out.d_bank[0] == 2 && out.write_cached[1], "bank 1's result goes to collector 0")?;
                expect(!out.write_filtered[1], "and is not kept out")
            },
        },
        Scenario {
            name: "far_result_is_filtered",
            rule: "F IV-A2: writes with far reuse distance are not cached",
            play: |bench| {
                if bench.parameters.cache_far {
                    return Ok(());
                }
                let out = bench.cycle(owned(write(ArbiterIn::default(), 1, 5, false), 5))?;
                expect(out.d_bank[0] == 0 && out.filtered_bank[0] == 2, "kept out, and said so")?;
                expect(out.write_filtered[1] && !out.write_cached[1], "as an event too")
            },
        },
        Scenario {
            name: "first_near_result_wins",
            rule: "W 4.2: the write policy selects the first write slot containing a near register",
            play: |bench| {
                let both = write(write(ArbiterIn::default(), 0, 5, true), 1, 5, true);
                let out = bench.cycle(owned(both, 5))?;
                match bench.parameters.d_ports {
                    1 => {
                        let wins = out.d_bank[0] == 1 && out.filtered_bank[0] == 2;
                        expect(wins, "bank 0 wins, bank 1 is kept out")?
                    }
                    _ => expect(out.d_bank[0] == 3 && out.filtered_bank[0] == 0, "each has a port D")?,
                }
                if bench.parameters.cache_far {
                    return Ok(());
                }
                let near_second = write(write(ArbiterIn::default(), 0, 5, false), 1, 5, true);
                let out = bench.cycle(owned(near_second, 5))?;
                expect(out.d_bank[0] == 2 && out.filtered_bank[0] == 1, "a far one before it does not")
            },
        },
        Scenario {
            name: "no_collector_no_cache",
            rule: "W 4.2: for a warp not having any CCU, the request would only be directed to the banks",
            play: |bench| {
                let out = bench.cycle(owned(write(ArbiterIn::default(), 1, 6, true), 5))?;
                expect(out.d_bank[0] == 0 && out.filtered_bank[0] == 0, "another warp's collector")?;
                let out = bench.cycle(write(ArbiterIn::default(), 1, 0, true))?;
                expect(out.d_bank[0] == 0 && out.filtered_bank[0] == 0, "nobody's collector")
            },
        },
    ]
}
