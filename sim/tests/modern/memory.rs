// SPDX-License-Identifier: Apache-2.0
//! H's Tables 1 and 2, cell by cell, on the SM with address units; and whole workloads on it.

use std::path::Path;
use std::sync::Arc;

use gpurf_sim::config::Config;
use gpurf_sim::modern::MemoryTables;
use gpurf_sim::statistics::Statistics;
use gpurf_trace::{Command, Control, DependenceLimit, ListedControl, Workload};
use rayon::prelude::*;

use super::workloads::{assert_cycles_may_be_left_out, assert_right, run, run_on, workload};
use crate::streams::{header, kernel, ALL, EXIT};

const PIPELINE: &str = "memory.pipeline=address_units";

fn config(settings: &[&str]) -> Config {
    let settings: Vec<String> = settings.iter().map(|setting| setting.to_string()).collect();
    Config::load(None, &settings).unwrap()
}

#[test]
fn memory_instructions_issue_as_in_table_1() {
    let config = config(&[PIPELINE]);
    let mut cells = 0;
    for rates in MemoryTables::of_h().rates {
        for (number, here) in rates.measure(&config, 14).iter().enumerate() {
            assert_eq!(
                *here,
                rates.cycles_of(number),
                "instruction {}, {} sub-cores",
                number + 1,
                rates.sub_cores
            );
            cells += 1;
        }
    }
    assert_eq!(cells, 4 * 14);
}

#[test]
fn latencies_are_those_of_table_2() {
    let config = config(&[PIPELINE]);
    let mut figures = 0;
    for latency in MemoryTables::of_h().latencies {
        for (place, width) in latency.widths().enumerate() {
            let name = format!("{}, {:?}", latency.name(width), latency.address);
            assert_eq!(latency.measure_war(&config, width), latency.war[place], "WAR of {name}");
            figures += 1;
            if let Some(&raw) = latency.raw.get(place) {
                assert_eq!(latency.measure_raw(&config, width), raw, "RAW of {name}");
                figures += 1;
            }
        }
    }
    assert_eq!(figures, 48);
}

/// Every operand is right on control bits alone, with the rates and latencies of either GPU.
#[test]
fn every_operand_is_right_with_address_units() {
    ["sgemm", "hgemm", "hotspot", "lud", "stencil", "bfs", "srad_v1"].par_iter().for_each(|name| {
        let workload = workload(name);
        assert_right(name, &run(&workload, "modern", &[PIPELINE]));
        assert_right(name, &run(&workload, "modern+dependences=scoreboard+iwma", &[PIPELINE]));
        for preset in ["modern-turing", "modern-ampere"] {
            let config = Config::load(Some(Path::new(preset)), &[]).unwrap();
            let statistics = run_on(&config, &workload, "modern");
            assert_right(&format!("{name} on {preset}"), &statistics);
        }
    });
}

#[test]
fn cycles_may_be_left_out_with_address_units() {
    for design in ["modern", "modern+dependences=scoreboard"] {
        assert_cycles_may_be_left_out(&config(&[PIPELINE]), "lud", design);
    }
}

/// A load that hits, one that does not, a `DEPBAR` on both, and work on the first one's result.
fn limited(control: Control, limit: Option<DependenceLimit>) -> Statistics {
    let load = |register, address| ("LDG.E", Some(register), &[2][..], ALL, address);
    let (near, far) = ([0; 32], [1 << 20; 32]);
    let mut lines = vec![load(8, &near[..]), ("NOP", None, &[], ALL, &[]), load(9, &near), load(10, &far)];
    lines.push(("DEPBAR", None, &[], ALL, &[]));
    lines.extend([("FADD", Some(12), &[9, 12][..], ALL, &[][..]); 60]);
    lines.extend([("FADD", Some(13), &[10][..], ALL, &[][..]), EXIT]);
    let raised = Control::PLAIN.with_stall(2).with_write_barrier(0);
    let plain = Control::PLAIN.with_stall(6);
    let last = lines.len() - 2;
    let controls = (0..lines.len()).map(|number| match number {
        0 | 2 | 3 => raised,
        1 => plain.with_wait_mask(1),
        4 => control,
        _ if number == last => plain.with_wait_mask(1),
        _ => plain,
    });
    let places = controls.enumerate().map(|(number, control)| {
        let limit = if number == 4 { limit } else { None };
        (16 * number as u32, ListedControl { control, limit, operands: vec![] })
    });
    let bare = kernel(header(32), &[vec![lines]]);
    let places = Arc::new(places.collect());
    let commands = vec![Command::Kernel(bare.kernels().next().unwrap().with_control_bits(places))];
    run_on(&config(&[]), &Workload { name: "limited".into(), commands }, "modern")
}

/// It waits until so many loads are left, and no longer. A trace has no limit, and waits for all.
#[test]
fn a_depbar_waits_for_its_limit() {
    let control = Control::PLAIN.with_stall(4);
    let limit = |value, mask| Some(DependenceLimit { counter: 0, value, mask });
    let [one, none, all, of_set] = [limit(1, 0), limit(0, 0), None, limit(1, 1)].map(|limit| {
        let statistics = limited(control, limit);
        assert_right("DEPBAR", &statistics);
        statistics.summary.counters.cycles
    });
    assert!(one + 200 < none, "{one} with a limit of 1, {none} with one of 0");
    // Without a limit it waits itself, rather than what comes behind it.
    assert!(of_set == none && (none..none + 6).contains(&all), "{one}, {none}, {all}, {of_set}");
    let lax = limited(control, limit(2, 0));
    assert!(lax.summary.counters.token_errors > 0, "the first load has not come");
}
