// SPDX-License-Identifier: Apache-2.0
//! Instructions that read more registers than a collector has slots: matrix products of newer GPUs, whose
//! sources enter the collectors in rounds.

use gpurf_fixtures::{AMPERE_TRACE, HOPPER_TRACE};
use gpurf_sim::config::Config;
use gpurf_sim::sm::Design;
use gpurf_trace::{open, Workload};
use rayon::prelude::*;

use crate::compositions::{designs, without_control_bits, SMALL};
use crate::sound::run;

/// The demand of a stream on collectors with so many slots.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Asked {
    instructions: u64,
    sources: u64,
    /// Beyond the first of each instruction.
    rounds: u64,
    /// Sources of the instruction that has most.
    most: usize,
}

fn asked(workload: &Workload, slots: usize) -> Asked {
    let mut asked = Asked { instructions: 0, sources: 0, rounds: 0, most: 0 };
    for kernel in workload.kernels() {
        let mut reader = kernel.open().unwrap();
        while let Some(block) = reader.next_block().unwrap() {
            for instruction in block.warps.iter().flat_map(|warp| &warp.instructions) {
                let sources = reader.program()[instruction.static_index].sources.len();
                asked.instructions += 1;
                asked.sources += sources as u64;
                asked.rounds += (sources.div_ceil(slots).max(1) - 1) as u64;
                asked.most = asked.most.max(sources);
            }
        }
    }
    asked
}

#[test]
fn products_of_newer_gpus_are_right_under_every_design() {
    let together = designs();
    let every: Vec<Design> = Design::every().map(without_control_bits).collect();
    // Two banks and a scheduler for each sub-core are all that the others have.
    let collecting: Vec<Design> = Design::every().filter(|design| !design.reads_in_window()).collect();
    for (path, most) in [(AMPERE_TRACE, 13), (HOPPER_TRACE, 132)] {
        let workload = open(path).unwrap();
        let least = asked(&workload, 7).rounds;
        for (settings, slots, designs) in [
            (&[][..], 7, &together),
            (&["slots=3", "entries=4", "collectors=1"], 3, &every),
            (&["slots=8", "entries=16", "collectors=8", "banks=4", "accesses=2"], 8, &collecting),
            (&["organisation=monolithic", "issue_on_dispatch=false", "occupied=stall"], 7, &collecting),
        ] {
            let expected = asked(&workload, slots);
            assert_eq!(expected.most, most);
            let settings: Vec<String> =
                SMALL.iter().chain(settings).map(|setting| setting.to_string()).collect();
            let config = Config::load(None, &settings).unwrap();
            designs.par_iter().for_each(|&design| {
                let statistics = run(&workload, design, &config, false);
                let counters = &statistics.summary.counters;
                let found = Asked {
                    instructions: counters.warp_instructions,
                    sources: counters.operand_reads,
                    rounds: statistics.summary.stalls.rounds,
                    most,
                };
                // A read window has its own ports, and takes one register of an operand and bank in a round.
                if design.reads_in_window() {
                    assert!(found.rounds >= least, "{design} {settings:?}: {found:?}");
                    let expected = Asked { rounds: found.rounds, ..expected };
                    assert_eq!(found, expected, "{design} {settings:?}");
                } else {
                    assert_eq!(found, expected, "{design} {settings:?}");
                }
                assert_eq!(
                    counters.token_checks + counters.uninitialised_reads,
                    expected.sources,
                    "{design}"
                );
                assert_eq!(statistics, run(&workload, design, &config, true), "{design}");
            });
        }
    }
}
