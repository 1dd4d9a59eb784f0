// SPDX-License-Identifier: Apache-2.0
//! Directed scenarios of the register cache. All hold under any parameters: where a policy decides, they say
//! what each does.

use gpurf_blocks::ports::{RegisterCacheIn, RegisterCacheOut};
use gpurf_blocks::{
    CacheAllocation, CacheReplacement, CacheWrite, Data, DestinationMapping, Parameters, LANES,
};

use crate::{expect, expect_eq, value, Drive, Scenario};

type Bench<'a, D> = Drive<'a, RegisterCacheIn<D>, RegisterCacheOut<D>>;

const ALL: u32 = !0;

fn takes_results(parameters: &Parameters) -> bool {
    parameters.rc_allocation != CacheAllocation::Read
}

/// Registers that go into one set, as destinations.
fn of_one_set(parameters: &Parameters, number: u32) -> u32 {
    let sets = (parameters.rc_entries / parameters.rc_ways) as u32;
    match parameters.rc_mapping {
        DestinationMapping::Linear => number,
        DestinationMapping::Interleaving => number * sets,
    }
}

/// A register file that takes everything.
fn idle<D: Data>() -> RegisterCacheIn<D> {
    RegisterCacheIn { register_ready: true, ..Default::default() }
}

fn result<D: Data>(register: u32, lanes: u32, number: u32) -> RegisterCacheIn<D> {
    RegisterCacheIn {
        write: true,
        write_warp: 3,
        write_register: register,
        write_lanes: lanes,
        write_data: value(number),
        ..idle()
    }
}

fn source<D: Data>(register: u32, reuse: bool) -> RegisterCacheIn<D> {
    let mut inputs = RegisterCacheIn { read_warp: 3, read_lanes: ALL, ..idle() };
    (inputs.read[0], inputs.read_register[0], inputs.read_reuse[0]) = (true, register, reuse);
    inputs
}

/// One cycle, in which the cache must be ready for a result or a fill.
fn write<D: Data>(bench: &mut Bench<D>, inputs: RegisterCacheIn<D>) -> Result<RegisterCacheOut<D>, String> {
    let out = bench.cycle(inputs)?;
    expect(if inputs.write { out.write_ready } else { out.fill_ready }, "it is taken")?;
    Ok(out)
}

/// Values that the register file is given until nothing is left: register, lanes, value.
fn drain<D: Data>(bench: &mut Bench<D>) -> Result<Vec<(u32, u32, D)>, String> {
    let mut leaving = vec![];
    loop {
        let out = bench.cycle(idle())?;
        if out.register_write {
            leaving.push((out.register_number, out.register_lanes, out.register_data));
        } else if !out.flushing {
            return Ok(leaving);
        }
    }
}

pub fn all<D: Data>() -> Vec<Scenario<RegisterCacheIn<D>, RegisterCacheOut<D>>> {
    vec![
        Scenario {
            name: "a_result_is_found",
            rule: "C IV-B, Table II: destinations are taken in, but under read-allocate",
            play: |bench| {
                let out = write(bench, result(7, ALL, 1))?;
                let takes = takes_results(&bench.parameters);
                expect_eq!(
                    out.register_write, (!takes || bench.parameters.rc_write == CacheWrite::Through),
                    "to the register file at once",
                )?;
                let out = bench.cycle(source(7, false))?;
                expect(out.hit[0] == if takes { ALL } else { 0 }, "where a source looks for it")?;
                expect_eq!(out.miss[0], !out.hit[0], "every other lane misses")?;
                let data = bench.cycle(idle())?.data[0];
                expect(
                    data == if takes { value(1) } else { D::default() },
                    "its value, a cycle later",
                )?;
                expect_eq!(bench.cycle(idle())?.data[0], D::default(), "for one cycle")
            },
        },
        Scenario {
            name: "sources_by_allocation",
            rule: "C IV-B, Table II: all sources, none, or those with the compiler's reuse flag are taken in",
            play: |bench| {
                let (plain, reused) = match bench.parameters.rc_allocation {
                    CacheAllocation::Write => (0, 0),
                    CacheAllocation::Read | CacheAllocation::ReadWrite => (ALL, ALL),
                    CacheAllocation::CompilerAided => (0, ALL),
                };
                expect_eq!(bench.cycle(source(9, false))?.take[0], plain, "a source without a flag")?;
                expect_eq!(bench.cycle(source(9, true))?.take[0], reused, "a source with a flag")
            },
        },
        Scenario {
            name: "a_fill_is_found",
            rule: "C IV-B: a source that was taken in is read in the cache from then on, and is clean",
            play: |bench| {
                let fill = RegisterCacheIn {
                    fill: true,
                    fill_warp: 3,
                    fill_register: 9,
                    fill_position: 2,
                    fill_lanes: ALL,
                    fill_data: value(5),
                    ..idle()
                };
                write(bench, fill)?;
                expect_eq!(bench.cycle(source(9, false))?.hit[0], ALL, "it is there")?;
                expect_eq!(bench.cycle(idle())?.data[0], value(5), "with its value")?;
                bench.cycle(RegisterCacheIn { flush: true, flush_warp: 3, ..idle() })?;
                expect(drain(bench)?.is_empty(), "the register file has it")
            },
        },
        Scenario {
            name: "the_first_or_the_least_recently_used_leaves",
            rule: "C IV-E: FIFO, or LRU; written back on replacement",
            play: |bench| {
                let parameters = bench.parameters;
                if !takes_results(&parameters) {
                    return Ok(());
                }
                let ways = parameters.rc_ways as u32;
                for number in 0..ways {
                    write(bench, result(of_one_set(&parameters, number), ALL, number))?;
                }
                expect_eq!(
                    bench.cycle(source(of_one_set(&parameters, 0), false))?.hit[0], ALL,
                    "the first is read",
                )?;
                write(bench, result(of_one_set(&parameters, ways), ALL, ways))?;
                let gone = match parameters.rc_replacement {
                    CacheReplacement::Fifo => 0,
                    CacheReplacement::Lru => 1,
                };
                let register = of_one_set(&parameters, gone);
                let leaving = drain(bench)?;
                let expected = match parameters.rc_write {
                    CacheWrite::Back => vec![(register, ALL, value(gone))],
                    CacheWrite::Through => vec![],
                };
                expect_eq!(leaving, expected, format!("{expected:x?} leaves, not {leaving:x?}"))?;
                expect_eq!(bench.cycle(source(register, false))?.hit[0], 0, "and is no longer there")?;
                let kept = of_one_set(&parameters, 1 - gone);
                expect_eq!(bench.cycle(source(kept, false))?.hit[0], ALL, "the other one is")
            },
        },
        Scenario {
            name: "lanes_are_kept_apart",
            rule: "C V-A: the mask says which lanes an instruction concerns",
            play: |bench| {
                if !takes_results(&bench.parameters) {
                    return Ok(());
                }
                let half = 0x0000_ffff;
                write(bench, result(7, half, 1))?;
                let out = bench.cycle(source(7, false))?;
                expect(out.hit[0] == half && out.miss[0] == !half, "the lanes that were written hit")?;
                let data = bench.cycle(idle())?.data[0];
                expect_eq!(
                    data, D::default().with_lanes(&value(1), half),
                    "with their values alone",
                )?;
                write(bench, result(7, !half, 2))?;
                expect_eq!(bench.cycle(source(7, false))?.hit[0], ALL, "then all of them")?;
                let data = bench.cycle(idle())?.data[0];
                expect_eq!(data, value::<D>(1).with_lanes(&value(2), !half), "each with its own")
            },
        },
        Scenario {
            name: "every_slot_reads_every_bank",
            rule: "C VI-B: banks are counted for each source; all slots and all lanes at once are the most there can be",
            play: |bench| {
                let parameters = bench.parameters;
                if !takes_results(&parameters) {
                    return Ok(());
                }
                write(bench, result(7, ALL, 1))?;
                let mut inputs = source(7, false);
                inputs.read[..parameters.slots].fill(true);
                inputs.read_register[..parameters.slots].fill(7);
                let reads = bench.cycle(inputs)?.bank_reads;
                let most = (parameters.slots * LANES / parameters.rc_bank_lanes) as u32;
                expect_eq!(reads, most, format!("{reads} reads of banks, of {most}"))
            },
        },
        Scenario {
            name: "a_result_replaces_its_value_wherever_it_lies",
            rule: "our decision: a register lies in the cache at most once",
            play: |bench| {
                for position in 0..4 {
                    let register = 64 * position + 1;
                    let fill = RegisterCacheIn {
                        fill: true,
                        fill_warp: 3,
                        fill_register: register,
                        fill_position: position,
                        fill_lanes: ALL,
                        fill_data: value(5),
                        ..idle()
                    };
                    write(bench, fill)?;
                    let out = write(bench, result(register, ALL, 6))?;
                    expect_eq!(out.write_hit, ALL, "the result finds the register")?;
                    bench.cycle(source(register, false))?;
                    expect_eq!(bench.cycle(idle())?.data[0], value(6), "the last value is read")?;
                }
                Ok(())
            },
        },
        Scenario {
            name: "a_flush_writes_back",
            rule: "C IV-E: dirty values reach the register file; issue rules of RFC flush a warp",
            play: |bench| {
                write(bench, result(7, ALL, 1))?;
                write(bench, result(8, ALL, 2))?;
                let out = bench.cycle(RegisterCacheIn { flush: true, flush_warp: 3, ..idle() })?;
                expect(out.flush_ready && !out.write_ready, "the flush begins, and nothing is written")?;
                let mut leaving = drain(bench)?;
                leaving.sort_by_key(|(register, ..)| *register);
                let expected =
                    match takes_results(&bench.parameters) && bench.parameters.rc_write == CacheWrite::Back {
                        true => vec![(7, ALL, value(1)), (8, ALL, value(2))],
                        false => vec![],
                    };
                expect_eq!(leaving, expected, format!("{expected:x?} leave, not {leaving:x?}"))?;
                expect_eq!(bench.cycle(source(7, false))?.hit[0], 0, "the cache is empty")
            },
        },
        Scenario {
            name: "a_warp_that_ends_is_dropped",
            rule: "our decision: registers of a warp that has ended are dead",
            play: |bench| {
                write(bench, result(7, ALL, 1))?;
                bench.cycle(RegisterCacheIn { flush: true, flush_warp: 3, flush_drop: true, ..idle() })?;
                expect(drain(bench)?.is_empty(), "nothing is written back")?;
                expect_eq!(bench.cycle(source(7, false))?.hit[0], 0, "the cache is empty")
            },
        },
        Scenario {
            name: "a_source_waits_for_its_value",
            rule: "our decision: what is on its way to the register file can be read nowhere",
            play: |bench| {
                let parameters = bench.parameters;
                if !takes_results(&parameters) || parameters.rc_write == CacheWrite::Through {
                    return Ok(());
                }
                for number in 0..=parameters.rc_ways as u32 {
                    write(bench, result(of_one_set(&parameters, number), ALL, number))?;
                }
                let first = source(of_one_set(&parameters, 0), false);
                for _ in 0..3 {
                    let out = bench.cycle(RegisterCacheIn { register_ready: false, ..first })?;
                    expect(out.conflict && out.hit[0] | out.miss[0] == 0, "the first one is on its way")?;
                    expect(!out.write_ready, "and no other can leave")?;
                }
                expect(bench.cycle(first)?.register_write, "it is taken")?;
                let out = bench.cycle(first)?;
                expect(!out.conflict && out.miss[0] == ALL, "then the register file has it")
            },
        },
    ]
}
