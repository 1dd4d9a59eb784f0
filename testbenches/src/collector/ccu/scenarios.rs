// SPDX-License-Identifier: Apache-2.0
//! Scenarios of the caching collector unit.

use gpurf_blocks::ports::{CollectorIn, CollectorOut};
use gpurf_blocks::{Data, Isolation, ReplacementPolicy};

use crate::collector::Bench;
use crate::{expect, expect_eq, value, Scenario};

const NEAR: bool = true;
const FAR: bool = false;

fn issue<D: Data>(warp: u32, sources: &[(u32, bool)]) -> CollectorIn<D> {
    let mut inputs = CollectorIn { issue: true, warp, ..Default::default() };
    for (slot, (register, near)) in sources.iter().enumerate() {
        inputs.source_valid[slot] = true;
        inputs.source_register[slot] = *register;
        inputs.source_near[slot] = *near;
    }
    inputs
}

fn arrive<D: Data>(slot: usize, data: D) -> CollectorIn<D> {
    CollectorIn { s_valid: true, s_slot: slot as u32, s_data: data, ..Default::default() }
}

fn result<D: Data>(register: u32, near: bool) -> CollectorIn<D> {
    with_result(CollectorIn::default(), 0, register, near)
}

/// The same at a port D together with other inputs.
fn with_result<D: Data>(
    mut inputs: CollectorIn<D>,
    port: usize,
    register: u32,
    near: bool,
) -> CollectorIn<D> {
    (inputs.d_valid[port], inputs.d_register[port]) = (true, register);
    (inputs.d_near[port], inputs.d_data[port]) = (near, value(register));
    inputs
}

fn dispatch<D: Data>() -> CollectorIn<D> {
    CollectorIn { dispatch: true, ..Default::default() }
}

fn entries_of<D: Data>(bench: &Bench<D>) -> u32 {
    bench.parameters.entries as u32
}

/// Issues an instruction, serves its requests with each register's value, and dispatches it. Returns
/// which sources hit.
fn run<D: Data>(bench: &mut Bench<D>, warp: u32, sources: &[(u32, bool)]) -> Result<Vec<bool>, String> {
    let issued = bench.cycle(issue(warp, sources))?;
    for (slot, (register, _)) in sources.iter().enumerate() {
        if issued.request[slot] {
            bench.cycle(arrive(slot, value(*register)))?;
        }
    }
    let out = bench.cycle(dispatch())?;
    expect(out.ready, "ready once all requests are served")?;
    for (slot, (register, _)) in sources.iter().enumerate() {
        let delivered = out.operand_data[slot] == value(*register);
        expect(delivered, format!("slot {slot} delivers R{register}"))?;
    }
    Ok(issued.hit[..sources.len()].to_vec())
}

/// Values arrive for an instruction that reads R10 and up, and it is dispatched with all of them.
fn leave<D: Data>(bench: &mut Bench<D>, slots: usize, what: &str) -> Result<(), String> {
    for slot in 0..slots {
        bench.cycle(arrive(slot, value(10 + slot as u32)))?;
    }
    let out = bench.cycle(dispatch())?;
    let intact = (0..slots).all(|slot| out.operand_data[slot] == value(10 + slot as u32));
    expect(out.ready && intact, what)
}

/// Fills all entries with results of warp 1, registers 100 and up, near or far by number.
fn fill<D: Data>(bench: &mut Bench<D>, near: impl Fn(u32) -> bool) -> Result<(), String> {
    run(bench, 1, &[])?;
    for number in 0..entries_of(bench) {
        bench.cycle(result(100 + number, near(number)))?;
    }
    Ok(())
}

/// Which of registers 100 to 100 + entries are in the table: asked without a clock edge.
fn present<D: Data>(bench: &mut Bench<D>) -> Result<Vec<bool>, String> {
    (0..entries_of(bench)).map(|number| Ok(bench.peek(issue(1, &[(100 + number, NEAR)]))?.hit[0])).collect()
}

pub fn all<D: Data>() -> Vec<Scenario<CollectorIn<D>, CollectorOut<D>>> {
    vec![
        Scenario {
            name: "flush_on_another_warp",
            rule: "F III-C1: the CT is flushed if the warp id of the new instruction is different",
            play: |bench| {
                run(bench, 1, &[(4, NEAR)])?;
                expect_eq!(run(bench, 2, &[(4, NEAR)])?, [false], "R4 of warp 2 is not R4 of warp 1")?;
                expect_eq!(run(bench, 1, &[(4, NEAR)])?, [false], "warp 1's R4 has gone")
            },
        },
        Scenario {
            name: "flush_on_request",
            rule: "a warp that comes back finds values of another in its place",
            play: |bench| {
                run(bench, 1, &[(4, NEAR)])?;
                let idle = CollectorIn { flush: true, ..Default::default() };
                bench.cycle(idle)?;
                expect_eq!(run(bench, 1, &[(4, NEAR)])?, [true], "without an issue nothing goes")?;
                let flushed = CollectorIn { flush: true, ..issue(1, &[(4, NEAR)]) };
                expect(!bench.peek(flushed)?.hit[0], "R4 is another's")
            },
        },
        Scenario {
            name: "same_warp_keeps_values",
            rule: "F III-C1: all source operands are checked for presence in the CCU",
            play: |bench| {
                run(bench, 1, &[(4, NEAR), (5, FAR)])?;
                let hits = run(bench, 1, &[(5, FAR), (6, FAR), (4, NEAR)])?;
                expect_eq!(hits, [true, false, true], "R5 and R4 are there, R6 is not")
            },
        },
        Scenario {
            name: "requests_only_what_is_missing",
            rule: "F III-C1: read requests to the RF banks for all the missed values are sent",
            play: |bench| {
                run(bench, 1, &[(4, NEAR)])?;
                let out = bench.cycle(issue(1, &[(4, NEAR), (5, NEAR)]))?;
                expect_eq!(out.request[..2], [false, true], "a request for R5 alone")
            },
        },
        Scenario {
            name: "all_slots_miss_at_once",
            rule: "F III-C1: one new entry per missing source, all sources in one allocation",
            play: |bench| {
                let slots = bench.parameters.slots;
                let sources: Vec<_> = (0..slots as u32).map(|s| (10 + s, s % 2 == 0)).collect();
                let hits = run(bench, 1, &sources)?;
                expect(!hits.contains(&true), "an empty table hits nothing")?;
                let hits = run(bench, 1, &sources)?;
                expect(!hits.contains(&false), "each source had an entry of its own")
            },
        },
        Scenario {
            name: "register_named_twice",
            rule: "F III-C: indirect indexing eliminates redundant data values; one entry, one request",
            play: |bench| {
                let out = bench.cycle(issue(1, &[(9, NEAR), (9, NEAR), (9, NEAR)]))?;
                expect_eq!(out.request[..3], [true, false, false], "one request for R9")?;
                bench.cycle(arrive(0, value(9)))?;
                let out = bench.cycle(dispatch())?;
                let delivered = out.operand_data[..3] == [value(9); 3];
                expect(out.ready && delivered, "one value makes all three slots ready")
            },
        },
        Scenario {
            name: "ready_when_all_have_arrived",
            rule: "F III-C1: ready to be dispatched as soon as all source operands have been received",
            play: |bench| {
                bench.cycle(issue(1, &[(1, NEAR), (2, NEAR)]))?;
                expect(!bench.cycle(arrive(1, value(2)))?.ready, "R1 and R2 are missing")?;
                let passes = bench.parameters.dispatch_on_arrival;
                let out = bench.cycle(arrive(0, value(1)))?;
                expect_eq!(out.ready, passes, "R1 is not stored yet, and can leave only on arrival")?;
                // Operands may rest until the dispatch.
                let shows = passes && bench.parameters.isolation != Isolation::Operands;
                expect(!shows || out.operand_data[..2] == [value(1), value(2)], "each in its slot")?;
                expect(bench.cycle(CollectorIn::default())?.ready, "all there")
            },
        },
        Scenario {
            name: "all_hits_are_ready_in_the_next_cycle",
            rule: "F III-C1: the ready bit is set for the values found in the CT",
            play: |bench| {
                run(bench, 1, &[(1, NEAR), (2, NEAR)])?;
                bench.cycle(issue(1, &[(2, NEAR), (1, NEAR)]))?;
                let out = bench.cycle(dispatch())?;
                expect(out.ready, "no read is waited for")?;
                expect_eq!(out.operand_data[..2], [value(2), value(1)], "indices follow the slots")
            },
        },
        Scenario {
            name: "locked_entries_stay",
            rule: "F IV-A1: the policy first excludes all registers with the lock bit set",
            play: |bench| {
                let slots = bench.parameters.slots;
                let sources: Vec<_> = (0..slots as u32).map(|s| (10 + s, FAR)).collect();
                bench.cycle(issue(1, &sources))?;
                for slot in 0..slots {
                    bench.cycle(arrive(slot, value(10 + slot as u32)))?;
                }
                // More results than entries, while the instruction holds its operands.
                for number in 0..2 * entries_of(bench) {
                    bench.cycle(CollectorIn { random: number % entries_of(bench), ..result(100 + number, NEAR) })?;
                }
                let out = bench.cycle(dispatch())?;
                let kept = (0..slots).all(|slot| out.operand_data[slot] == value(10 + slot as u32));
                expect(out.ready && kept, "all operands survive")
            },
        },
        Scenario {
            name: "the_next_enters_as_one_leaves",
            rule: "F II: once dispatched, the unit will be released; what leaves is no longer locked",
            play: |bench| {
                let slots = bench.parameters.slots;
                let sources =
                    |first: u32| -> Vec<_> { (0..slots as u32).map(|s| (first + s, NEAR)).collect() };
                bench.cycle(issue(1, &sources(30)))?;
                for slot in 0..slots {
                    bench.cycle(arrive(slot, value(30 + slot as u32)))?;
                }
                let out = bench.cycle(CollectorIn { dispatch: true, ..issue(1, &sources(10)) })?;
                let left = (0..slots).all(|slot| out.operand_data[slot] == value(30 + slot as u32));
                expect(out.ready && left, "one instruction leaves with its operands")?;
                leave(bench, slots, "the next one has its own")
            },
        },
        Scenario {
            name: "dispatch_unlocks",
            rule: "F III-C: locked while the instruction is pending to be dispatched",
            play: |bench| {
                run(bench, 1, &[(10, FAR)])?;
                for number in 0..entries_of(bench) {
                    bench.cycle(result(100 + number, NEAR))?;
                }
                expect_eq!(run(bench, 1, &[(10, FAR)])?, [false], "R10 made room for later values")
            },
        },
        Scenario {
            name: "free_entries_first",
            rule: "our decision: a free entry before any value",
            play: |bench| {
                run(bench, 1, &[])?;
                for number in 0..entries_of(bench) - 1 {
                    bench.cycle(result(100 + number, FAR))?;
                }
                bench.cycle(result(99, FAR))?;
                let found = present(bench)?;
                let expected = found[..entries_of(bench) as usize - 1].iter().all(|there| *there);
                expect(expected, "the last free entry is taken before a far value")
            },
        },
        Scenario {
            name: "far_before_near",
            rule: "F IV-A1: selects one among those registers with a far reuse distance, if any exists",
            play: |bench| {
                if bench.parameters.replacement == ReplacementPolicy::Lru {
                    return Ok(());
                }
                // Entry 2 alone is far, and entry 0 the least recently used.
                fill(bench, |number| number != 2)?;
                bench.cycle(result(99, NEAR))?;
                let found = present(bench)?;
                expect(!found[2], "the far value goes")?;
                expect(found[0] && found[1] && found[3], "near values stay, the oldest included")
            },
        },
        Scenario {
            name: "random_among_far",
            rule: "F IV-A1: it randomly selects one among those registers with a far reuse distance",
            play: |bench| {
                if bench.parameters.replacement == ReplacementPolicy::Lru {
                    return Ok(());
                }
                fill(bench, |number| number % 2 == 0)?;
                bench.cycle(CollectorIn { random: 2, ..result(99, NEAR) })?;
                let found = present(bench)?;
                expect(found[1] && !found[3], "the first far entry at or after the random start goes")
            },
        },
        Scenario {
            name: "random_goes_around",
            rule: "F IV-A1: any far register can be selected",
            play: |bench| {
                if bench.parameters.replacement == ReplacementPolicy::Lru {
                    return Ok(());
                }
                fill(bench, |number| number != 1)?;
                bench.cycle(CollectorIn { random: 3, ..result(99, NEAR) })?;
                expect(!present(bench)?[1], "past the last entry the search starts over")
            },
        },
        Scenario {
            name: "least_recently_used_among_near",
            rule: "F IV-A1: if there are no far registers, the replacement is chosen according to LRU",
            play: |bench| {
                fill(bench, |_| NEAR)?;
                // R100, the oldest, is used again; R101 is the oldest now.
                run(bench, 1, &[(100, NEAR)])?;
                bench.cycle(result(99, NEAR))?;
                let found = present(bench)?;
                expect(found[0] && !found[1], "the least recently used goes")
            },
        },
        Scenario {
            name: "no_source_evicts_another",
            rule: "our decision: all look-ups see the table before replacement, and hits are kept",
            play: |bench| {
                // The last source hits the value that would go first for the other one's miss.
                fill(bench, |_| NEAR)?;
                let hits = run(bench, 1, &[(50, NEAR), (100, NEAR)])?;
                expect_eq!(hits, [false, true], "R100 is found although R50 needs an entry")
            },
        },
        Scenario {
            name: "result_updates_its_entry",
            rule: "F III-C1: the register id is looked up in the CT; the data is copied",
            play: |bench| {
                let old = bench.cycle(issue(1, &[(7, NEAR)]))?;
                expect(old.request[0], "R7 is not there yet")?;
                bench.cycle(arrive(0, value(1000)))?;
                bench.cycle(dispatch())?;
                bench.cycle(result(7, NEAR))?;
                expect_eq!(run(bench, 1, &[(7, NEAR)])?, [true], "R7 is found with the new value")
            },
        },
        Scenario {
            name: "result_takes_an_entry",
            rule: "F III-C1: in case of a miss, an entry is replaced and allocated to this write",
            play: |bench| {
                run(bench, 1, &[])?;
                bench.cycle(result(7, NEAR))?;
                expect_eq!(run(bench, 1, &[(7, NEAR)])?, [true], "a later read needs no bank")
            },
        },
        Scenario {
            name: "filtered_result_invalidates",
            rule: "our decision: a result that is kept out makes the old value of its register invalid",
            play: |bench| {
                if !bench.parameters.invalidate {
                    return Ok(());
                }
                run(bench, 1, &[(7, NEAR), (8, NEAR)])?;
                let mut kept_out = CollectorIn::default();
                (kept_out.filtered[0], kept_out.filtered_register[0]) = (true, 7);
                bench.cycle(kept_out)?;
                let hits = run(bench, 1, &[(7, NEAR), (8, NEAR)])?;
                expect_eq!(hits, [false, true], "R7 is read anew, R8 is still there")
            },
        },
        Scenario {
            name: "result_with_an_issue",
            rule: "our decision: a result comes after an instruction issued in the same cycle",
            play: |bench| {
                let slots = bench.parameters.slots;
                run(bench, 1, &[])?;
                let sources: Vec<_> = (0..slots as u32).map(|s| (10 + s, NEAR)).collect();
                bench.cycle(with_result(issue(1, &sources), 0, 99, NEAR))?;
                leave(bench, slots, "the result takes no operand's entry")?;
                expect_eq!(run(bench, 1, &[(99, NEAR)])?, [true], "and finds one of its own")
            },
        },
        Scenario {
            name: "result_of_the_old_warp",
            rule: "our decision: a result that meets the issue of another warp is not put into the table",
            play: |bench| {
                run(bench, 1, &[])?;
                bench.cycle(with_result(issue(2, &[]), 0, 7, NEAR))?;
                bench.cycle(dispatch())?;
                expect_eq!(run(bench, 2, &[(7, NEAR)])?, [false], "R7 of warp 1 is not R7 of warp 2")
            },
        },
        Scenario {
            name: "entries_are_taken_on_arrival",
            rule: "our extension: with allocate_on_arrival a missing source gets its entry when its value arrives",
            play: |bench| {
                // R100 is the oldest value, R101 the next.
                fill(bench, |_| NEAR)?;
                bench.cycle(issue(1, &[(50, NEAR), (51, NEAR), (50, NEAR)]))?;
                let kept = bench.parameters.allocate_on_arrival;
                let found = present(bench)?;
                expect_eq!(found[..2], [kept; 2], "nothing makes room before a value arrives")?;
                bench.cycle(arrive(1, value(51)))?;
                expect_eq!(present(bench)?[..2], [false, kept], "one value, one entry")?;
                bench.cycle(arrive(0, value(50)))?;
                let out = bench.cycle(dispatch())?;
                let delivered = out.operand_data[..3] == [value(50), value(51), value(50)];
                expect(out.ready && delivered, "each slot finds its entry")?;
                expect_eq!(run(bench, 1, &[(50, NEAR), (51, NEAR)])?, [true, true], "and they are kept")
            },
        },
        Scenario {
            name: "a_value_goes_before_a_result",
            rule: "our extension: with allocate_on_arrival results yield to an arriving value",
            play: |bench| {
                if !bench.parameters.allocate_on_arrival {
                    return Ok(());
                }
                fill(bench, |_| NEAR)?;
                bench.cycle(issue(1, &[(50, NEAR), (51, NEAR)]))?;
                // The entry of R100 goes to R50; a new result takes that of R101.
                bench.cycle(with_result(arrive(0, value(50)), 0, 100, NEAR))?;
                bench.cycle(with_result(arrive(1, value(51)), 0, 99, NEAR))?;
                let out = bench.cycle(dispatch())?;
                expect_eq!(out.operand_data[..2], [value(50), value(51)], "both values are there")?;
                let found = present(bench)?;
                expect_eq!(found[..4], [false, false, false, true], "R100, R101 and R102 made room")?;
                expect_eq!(run(bench, 1, &[(99, NEAR)])?, [true], "the new result has an entry")
            },
        },
        Scenario {
            name: "the_next_finds_what_arrives",
            rule: "our extension: what arrives as the next instruction enters is found by it",
            play: |bench| {
                if !bench.parameters.dispatch_on_arrival {
                    return Ok(());
                }
                // With allocate_on_arrival, R50 takes the entry of R100.
                fill(bench, |_| NEAR)?;
                bench.cycle(issue(1, &[(50, NEAR)]))?;
                let meets = CollectorIn {
                    dispatch: true,
                    s_valid: true,
                    s_data: value(50),
                    ..issue(1, &[(50, NEAR), (100, NEAR)])
                };
                let out = bench.cycle(meets)?;
                expect(out.ready && out.operand_data[0] == value(50), "one leaves with R50")?;
                expect_eq!(out.hit[..2], [true, false], "the next one finds R50, and R100 no more")?;
                bench.cycle(arrive(1, value(100)))?;
                let out = bench.cycle(dispatch())?;
                expect_eq!(out.operand_data[..2], [value(50), value(100)], "it leaves with both")
            },
        },
        Scenario {
            name: "two_results_at_once",
            rule: "our extension: a second port D puts two results of a cycle into the table",
            play: |bench| {
                if bench.parameters.d_ports < 2 {
                    return Ok(());
                }
                run(bench, 1, &[(7, NEAR)])?;
                bench.cycle(with_result(result(6, NEAR), 1, 7, FAR))?;
                let hits = run(bench, 1, &[(6, NEAR), (7, NEAR)])?;
                expect_eq!(hits, [true, true], "R6 has an entry, R7 its new value")
            },
        },
        Scenario {
            name: "second_result_goes_last",
            rule: "our extension: sources and the first result may take all entries from the second",
            play: |bench| {
                let slots = bench.parameters.slots;
                if bench.parameters.d_ports < 2 || slots + 1 != bench.parameters.entries {
                    return Ok(());
                }
                // R100 is the oldest, and its entry goes to the last source that needs one.
                fill(bench, |_| NEAR)?;
                let sources: Vec<_> = (0..slots as u32).map(|s| (10 + s, NEAR)).collect();
                let both = with_result(issue(1, &sources), 0, 98, NEAR);
                bench.cycle(with_result(both, 1, 100, NEAR))?;
                leave(bench, slots, "the results take no operand's entry")?;
                let hits = run(bench, 1, &[(98, NEAR), (100, NEAR)])?;
                expect_eq!(hits, [true, false], "the first result has an entry, the second one has none")
            },
        },
        Scenario {
            name: "near_bit_at_port_r",
            rule: "F III-C: a single bit is sent indicating whether the CCU contains any near value",
            play: |bench| {
                let out = bench.cycle(CollectorIn::default())?;
                expect(!out.owned && !out.any_near, "after reset it belongs to nobody")?;
                run(bench, 3, &[(4, FAR), (5, FAR)])?;
                let out = bench.cycle(CollectorIn::default())?;
                expect(out.owned && out.held_warp == 3 && !out.any_near, "warp 3, far values only")?;
                bench.cycle(result(6, NEAR))?;
                expect(bench.cycle(CollectorIn::default())?.any_near, "a near value")
            },
        },
        Scenario {
            name: "reuse_distance_of_the_new_instruction",
            rule:
                "F III-C1: only update the reuse distance of the registers belonging to the new instruction",
            play: |bench| {
                run(bench, 1, &[(4, NEAR)])?;
                run(bench, 1, &[(5, FAR)])?;
                expect(bench.cycle(CollectorIn::default())?.any_near, "R4 stays near")?;
                run(bench, 1, &[(4, FAR)])?;
                expect(!bench.cycle(CollectorIn::default())?.any_near, "R4 is far by its latest use")
            },
        },
    ]
}
