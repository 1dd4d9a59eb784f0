// SPDX-License-Identifier: Apache-2.0
//! Testbench of the load request table, four entries per cycle.

use gpurf_blocks::ports::{LrtIn, LrtOut};
use gpurf_blocks::{Parameters, SCAN_LANES};
use gpurf_hw::multicast::LrtScan;

use super::lrt::{
    drain, fill_with_lane, load, lone, of_both, of_lane, of_next_warp, run, LrtStimulus, OF_OTHERS,
};
use crate::{expect, expect_eq, register, Engine, Scenario, Stimulus, Testbench};

impl<const V: usize, const A: usize> Testbench for LrtScan<V, A> {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::multicast::LrtScan::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(LrtStimulus::new(parameters.lrt_entries))
    }

    fn scenarios() -> Vec<Scenario<Self::In, Self::Out>> {
        scenarios()
    }
}

register!(LrtScan<V, A>);

fn scenarios() -> Vec<Scenario<LrtIn, LrtOut>> {
    let mut scenarios = of_both();
    scenarios.push(Scenario {
        name: "four_entries_per_cycle",
        rule: "I 3.1: four comparators check every entry; ours: no further than the last row in use",
        play: |bench| {
            let entries = bench.parameters.lrt_entries;
            for held in 0..entries {
                let rows = held.div_ceil(SCAN_LANES).max(1);
                let after_insert = run(bench, LrtIn { insert: false, ..load([63, 0xfff0, 7, 7]) })?.cycles;
                let again = run(bench, LrtIn { insert: false, ..load([63, 0xfff0, 7, 7]) })?.cycles;
                let expected = (rows + usize::from(held > 0), rows);
                let first = held == 0 || (after_insert, again) == expected;
                expect(first && again == rows, format!("{held}: {after_insert} and {again} cycles"))?;
                // After the last row the first one is compared.
                if held > 0 {
                    let answer = run(bench, of_next_warp(lone(0)))?.last;
                    expect(answer.matched && answer.matched_warp == 0, "the first entry is the partner")?;
                    run(bench, lone(0))?;
                }
                run(bench, lone(held as u32))?;
            }
            Ok(())
        },
    });
    scenarios.push(Scenario {
        name: "one_entry_makes_a_row",
        rule: "our decision: a search ends with the last row in use, whichever entry of it is",
        play: |bench| {
            let rows = bench.parameters.lrt_entries / SCAN_LANES;
            for lane in 0..SCAN_LANES {
                fill_with_lane(bench, lane as u32)?;
                run(bench, drain(OF_OTHERS))?;
                for row in (0..rows).rev() {
                    let last = of_lane(lane as u32, (SCAN_LANES * row + lane) as u32);
                    let answer = run(bench, of_next_warp(last))?;
                    expect(answer.last.matched, "the last entry is the partner")?;
                    expect_eq!(answer.cycles, row + 1, format!("row {row}: {} cycles", answer.cycles))?;
                }
            }
            Ok(())
        },
    });
    scenarios
}
