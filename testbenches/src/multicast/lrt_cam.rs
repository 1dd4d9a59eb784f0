// SPDX-License-Identifier: Apache-2.0
//! Testbench of the load request table, all entries at once.

use gpurf_blocks::ports::{LrtIn, LrtOut};
use gpurf_blocks::Parameters;
use gpurf_hw::multicast::LrtCam;

use super::lrt::{drain, load, lone, of_all_bits, of_both, run, LrtStimulus};
use crate::{at_most_one, expect, expect_eq, register, Engine, Scenario, Stimulus, Testbench};

impl<const V: usize, const A: usize> Testbench for LrtCam<V, A> {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::multicast::LrtCam::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(LrtStimulus::new(parameters.lrt_entries))
    }

    fn protocol(_: &Parameters) -> Vec<String> {
        // No two entries are alike, so that a load has one partner at most.
        vec![at_most_one("partners")]
    }

    fn scenarios() -> Vec<Scenario<Self::In, Self::Out>> {
        scenarios()
    }
}

register!(LrtCam<V, A>);

fn scenarios() -> Vec<Scenario<LrtIn, LrtOut>> {
    let mut scenarios = of_both();
    scenarios.push(Scenario {
        name: "all_entries_in_one_cycle",
        rule: "I 3.1: comparators check every LRT entry upon every request",
        play: |bench| {
            for held in 0..bench.parameters.lrt_entries {
                let search = run(bench, LrtIn { insert: false, ..load([63, 0xfff0, 7, 7]) })?;
                expect_eq!(search.cycles, 1, format!("{held}: {} cycles", search.cycles))?;
                expect_eq!(run(bench, lone(held as u32))?.cycles, 1, "and to insert")?;
            }
            Ok(())
        },
    });
    scenarios.push(Scenario {
        name: "every_bit_of_every_entry_is_compared",
        rule: "I 3.1: comparators check every LRT entry upon every request",
        play: |bench| {
            for inverted in [false, true] {
                let of_entry = |number| of_all_bits(number, inverted);
                let entries = bench.parameters.lrt_entries as u32;
                for number in 0..entries {
                    run(bench, load(of_entry(number)))?;
                }
                for number in 0..entries {
                    let own @ [warp, address, source, destination] = of_entry(number);
                    let another = |bit: u32| warp ^ 1 << (bit % 6);
                    let differing = (0..16)
                        .map(|bit| [another(bit), address ^ 1 << bit, source, destination])
                        .chain((0..8).map(|bit| [another(bit), address, source ^ 1 << bit, destination]))
                        // A load of that destination may be there, of the warp that differs in the same bit.
                        .chain((0..8).map(|bit| [another(bit + 1), address, source, destination ^ 1 << bit]));
                    for other in differing {
                        let answer = run(bench, LrtIn { insert: false, ..load(other) })?;
                        let alone = !answer.last.matched && answer.left.is_empty();
                        expect(alone, format!("{other:?} has nothing to do with {own:?}"))?;
                    }
                    for bit in 0..6 {
                        let partner = run(bench, load([another(bit), address, source, destination]))?;
                        let found = partner.last.matched && partner.last.matched_warp == warp;
                        expect(found, format!("{own:?} is found"))?;
                        run(bench, load(own))?;
                    }
                    let repeat = [warp, !address & 0xffff, source, destination];
                    expect_eq!(run(bench, load(repeat))?.left, [own], format!("{own:?} leaves"))?;
                    expect_eq!(run(bench, load(own))?.left, [repeat], format!("{repeat:?} leaves"))?;
                }
                for warp in 0..64 {
                    run(bench, drain(warp))?;
                }
            }
            Ok(())
        },
    });
    scenarios
}
