// SPDX-License-Identifier: Apache-2.0
//! Live registers against what warps do: whatever a warp reads before it writes is live.

use std::path::Path;

use gpurf_fixtures::measured;
use gpurf_trace::liveness::Origin;
use gpurf_trace::{DynamicInstruction, Kernel, Program, RegisterSet};
use gpurf_workloads::suite::{Size, SUITE};
use gpurf_workloads::{Device, Options};

/// Before each instruction: the registers that some thread reads before it writes them, and those that some
/// instruction names as an operand before any instruction with an active thread writes them. The first is
/// what the program needs, the second what a check of whole registers compares.
fn needed(program: &Program, instructions: &[DynamicInstruction]) -> Vec<RegisterSet> {
    let mut threads = [0u32; 256];
    let (mut by_threads, mut by_operands) = (RegisterSet::default(), RegisterSet::default());
    let mut needed = vec![RegisterSet::default(); instructions.len()];
    for (instruction, needed) in instructions.iter().zip(&mut needed).rev() {
        let place = &program[instruction.static_index];
        for &register in &place.destinations {
            let readers = &mut threads[register.index()];
            *readers &= !instruction.mask;
            if *readers == 0 {
                by_threads.remove(register);
            }
            if instruction.mask != 0 {
                by_operands.remove(register);
            }
        }
        for &register in &place.sources {
            threads[register.index()] |= instruction.mask;
            if instruction.mask != 0 {
                by_threads.insert(register);
            }
            by_operands.insert(register);
        }
        *needed = by_threads.union(by_operands);
    }
    needed
}

#[derive(Debug, Default)]
struct Sizes {
    places: u64,
    needed: u64,
    live: u64,
    allocated: u64,
}

fn check(name: &str, kernel: &Kernel, origin: Origin, sizes: &mut Sizes) {
    let liveness = kernel.liveness().unwrap();
    assert_eq!(liveness.origin, origin, "{name}");
    let mut reader = kernel.open().unwrap();
    while let Some(block) = reader.next_block().unwrap() {
        let program = reader.program();
        for warp in &block.warps {
            let instructions = &warp.instructions;
            let needed = needed(program, instructions);
            let mut threads = 0;
            for place in (0..instructions.len()).rev() {
                threads |= instructions[place].mask;
                let live = liveness.of_warp(program, &instructions[place..], threads);
                let lost = needed[place].difference(live);
                assert!(
                    lost.is_empty(),
                    "{name}, {}, block {:?}, warp {}, pc {:#06x}: R{:?} is read and not live",
                    kernel.header().name,
                    block.id,
                    warp.id,
                    program[instructions[place].static_index].pc,
                    lost.iter().collect::<Vec<_>>(),
                );
                sizes.places += 1;
                sizes.needed += u64::from(needed[place].len());
                sizes.live += u64::from(live.len());
                sizes.allocated += u64::from(kernel.header().nregs);
            }
        }
    }
}

/// Registers needed, live and allocated, on average over the executed instructions.
fn row(name: &str, sizes: &Sizes) -> [String; 4] {
    let mean = |registers: u64| format!("{:.1}", registers as f64 / sizes.places as f64);
    let Sizes { needed, live, allocated, .. } = *sizes;
    [name.into(), mean(needed), mean(live), mean(allocated)]
}

const HEADER: [&str; 4] = ["stream", "needed", "live", "allocated"];

#[test]
fn what_built_in_workloads_read_is_live() {
    let mut all = Sizes::default();
    for benchmark in SUITE {
        let mut device = Device::new(Options::default());
        (benchmark.run)(&mut device, Size::Small).unwrap();
        for kernel in device.into_workload(benchmark.name).kernels() {
            check(benchmark.name, kernel, Origin::Listing, &mut all);
        }
    }
    assert!(all.live * 100 < all.needed * 130, "far more is live than needed: {all:?}");
    let rows = [row("built-in workloads, small", &all)];
    measured::file!["live/built_in.csv"].assert_eq(&measured::table(HEADER, rows));
}

fn reads_what_is_live(name: &str, trace: impl AsRef<Path>) -> [String; 4] {
    let mut sizes = Sizes::default();
    let workload = gpurf_trace::open(trace).unwrap();
    workload.kernels().for_each(|kernel| check(name, kernel, Origin::Observed, &mut sizes));
    row(name, &sizes)
}

#[test]
fn what_our_own_trace_reads_is_live() {
    let rows = [reads_what_is_live("the project's own trace", gpurf_fixtures::OWN_TRACE)];
    measured::file!["live/own_trace.csv"].assert_eq(&measured::table(HEADER, rows));
}

#[test]
fn what_real_traces_read_is_live() {
    let Some(folder) = gpurf_fixtures::traces() else { return };
    let rows = [
        "rodinia-bfs-sm80",
        "rodinia-b+tree-sm90",
        "vectoradd-sm75",
        "minerva-nn-training-sm90",
        "simtune-ffma-1-32-40-sm90",
        "atax-v6-sm90",
    ]
    .map(|name| reads_what_is_live(name, folder.join(name)));
    measured::file!["live/traces.csv"].assert_eq(&measured::table(HEADER, rows));
}
