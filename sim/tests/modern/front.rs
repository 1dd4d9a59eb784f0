// SPDX-License-Identifier: Apache-2.0
//! Instruction buffers, L0 caches and the stream buffer of the sub-core that ships.

use std::sync::Arc;

use gpurf_sim::config::Config;
use gpurf_sim::statistics::Statistics;
use gpurf_trace::{Command, Control, ListedControl, Workload};

use super::workloads::{assert_cycles_may_be_left_out, assert_right, run, run_on, workload};
use crate::streams::{header, kernel, Line, ALL, EXIT};

const CACHES: &str = "front.kind=caches";

/// So many warps of one sub-core, each with as many independent instructions.
fn straight(warps: usize, length: usize, settings: &[&str]) -> Statistics {
    let mut lines: Vec<Line> = vec![("IADD3", Some(8), &[2, 5][..], ALL, &[][..]); length];
    lines.push(EXIT);
    // Warps of other sub-cores have nothing but their end.
    let block = (0..4 * warps).map(|warp| if warp % 4 == 0 { lines.clone() } else { vec![EXIT] }).collect();
    controlled(kernel(header(128 * warps as u32), &[block]), length + 1, settings)
}

fn controlled(bare: Workload, places: usize, settings: &[&str]) -> Statistics {
    let listed = ListedControl { control: Control::PLAIN.with_stall(1), limit: None, operands: vec![] };
    let places = Arc::new((0..places).map(|place| (16 * place as u32, listed.clone())).collect());
    let commands = vec![Command::Kernel(bare.kernels().next().unwrap().with_control_bits(places))];
    let settings: Vec<String> = settings.iter().map(|setting| setting.to_string()).collect();
    let config = Config::load(None, &settings).unwrap();
    let statistics = run_on(&config, &Workload { name: "straight".into(), commands }, "modern");
    assert!(statistics.is_sound(), "{:?}", statistics.errors);
    statistics
}

fn cycles(statistics: &Statistics) -> u64 {
    statistics.summary.counters.cycles
}

/// Cycles of 64 instructions, which are 8 lines: with a stream buffer only the first one is waited for.
#[test]
fn a_stream_buffer_hides_all_lines_but_the_first() {
    let fast = ["int.initiation=1", "front.l1_latency=100"];
    let with = |more: &[&str]| cycles(&straight(1, 64, &[&fast, more].concat()));
    let ideal = with(&[]);
    let streamed = with(&[CACHES]);
    let alone = with(&[CACHES, "front.stream_buffer=0"]);
    assert!((ideal + 100..ideal + 110).contains(&streamed), "{streamed} and {ideal}");
    // The ninth has the end of the warp. A warp issues what its buffer has while it waits.
    assert!((ideal + 9 * 95..ideal + 9 * 102).contains(&alone), "{alone} and {ideal}");
    // A place that an issue frees is filled in its cycle: two would do.
    assert_eq!(with(&[CACHES, "front.buffer=2"]), streamed);
}

/// Warps of a sub-core share L0, and find what the first one has brought.
#[test]
fn a_line_comes_once_for_all_warps() {
    let settings = ["int.initiation=1", CACHES, "front.stream_buffer=0"];
    let [one, four] = [1, 4].map(|warps| straight(warps, 64, &settings));
    assert!(cycles(&four) < cycles(&one) + 3 * 80, "{} and {}", cycles(&four), cycles(&one));
    assert!(one.summary.stalls.instructions > 500 && four.summary.stalls.instructions > 0);
}

/// A cache of two lines does not hold a loop of three, and each turn of it waits.
#[test]
fn what_l0_does_not_hold_comes_again() {
    let run = |settings: &[&str]| {
        let body: Vec<Line> = vec![("IADD3", Some(8), &[2, 4][..], ALL, &[][..]); 24];
        let bare = kernel(header(32), &[vec![body]]);
        let Some(Command::Kernel(kernel)) = bare.commands.first() else { panic!() };
        let mut reader = kernel.open().unwrap();
        let block = reader.next_block().unwrap().unwrap();
        let mut repeated = gpurf_trace::ThreadBlock::new([0; 3]);
        repeated.begin_warp(0);
        for _ in 0..10 {
            for instruction in &block.warps[0].instructions {
                repeated.push(instruction.static_index, ALL, &[]);
            }
        }
        let looped =
            gpurf_trace::Kernel::in_memory(kernel.header().clone(), reader.program().clone(), vec![repeated]);
        let workload = Workload { name: "loop".into(), commands: vec![Command::Kernel(looped)] };
        cycles(&controlled(workload, 24, settings))
    };
    let large = run(&[CACHES, "front.stream_buffer=0"]);
    let small = run(&[CACHES, "front.stream_buffer=0", "front.l0_sets=1", "front.l0_ways=2"]);
    assert!(small > large + 9 * 3 * 70, "{small} and {large}");
}

/// A branch that is taken takes its fetch with it: ideal fronts do not notice.
#[test]
fn loops_wait_for_their_branches() {
    let workload = workload("hotspot");
    let of = |branch: &str| {
        let statistics = run(&workload, "modern", &[CACHES, branch]);
        assert_right(branch, &statistics);
        cycles(&statistics)
    };
    assert!(of("front.branch=40") > of("front.branch=4"));
}

/// Whole workloads name constants at fixed addresses; caches with all of them make no one wait.
#[test]
fn constants_are_waited_for() {
    for name in ["hotspot", "nn"] {
        let workload = workload(name);
        let of = |settings: &[&str]| {
            let statistics = run(&workload, "modern", &[&[CACHES], settings].concat());
            assert_right(name, &statistics);
            statistics.summary.stalls.constants
        };
        assert_eq!(of(&["front.constant_ways=0"]), 0, "{name}");
        assert!(of(&["front.constant_ways=2"]) > 0, "{name}");
        let ideal = run(&workload, "modern", &[]).summary.stalls;
        assert_eq!((ideal.constants, ideal.instructions), (0, 0), "{name}");
    }
}

#[test]
fn cycles_may_be_left_out_with_caches() {
    for design in ["modern", "modern+dependences=scoreboard"] {
        let config = Config::load(None, &[CACHES.into()]).unwrap();
        assert_cycles_may_be_left_out(&config, "nn", design);
    }
}
