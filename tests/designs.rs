// SPDX-License-Identifier: Apache-2.0
//! Designs put together, on the command line and on real code.

use assert_cmd::Command;
use gpurf_sim::sm::{Design, PRESETS};
use predicates::str::contains;
use rayon::prelude::*;
use serde_json::Value;

fn sim(arguments: &[&str]) -> Vec<u8> {
    let mut command = Command::cargo_bin("gpurf").expect("the tool is built");
    let assert = command.arg("sim").args(arguments).args(["--json", "-"]).assert().code(0);
    assert.get_output().stdout.clone()
}

/// Few block slots, so that blocks take turns, and warps that all designs have room for.
const MACHINE: [&str; 6] = ["--config", "finereg", "--set", "sm.blocks=2", "--set", "sm.warps=32"];

#[test]
fn a_design_has_one_name_in_any_order() {
    let names = ["finereg+iwma+malekeh", "malekeh+iwma+finereg", "iwma+malekeh+finereg+baseline"];
    let [one, others @ ..] = names.map(|name| sim(&[&["backprop", "--design", name], &MACHINE[..]].concat()));
    others.iter().for_each(|other| assert_eq!(*other, one));
    let statistics: Value = serde_json::from_slice(&one).expect("JSON");
    assert_eq!(statistics["design"], "malekeh+iwma+finereg");
    let count = |path: &str| statistics.pointer(path).and_then(Value::as_u64).unwrap_or(0);
    for used in ["/hits", "/token_checks", "/residency/switched_out"] {
        assert!(count(used) > 0, "{used}");
    }
}

#[test]
fn what_makes_no_sense_ends_with_2_and_both_names() {
    for (design, parts) in [
        ("malekeh+bow", ["`malekeh` and `bow`", "`collector` is ccu in the one and boc in the other"]),
        ("iwma+virtual-thread+finereg", ["`virtual-thread` and `finereg`", "`residency`"]),
        ("rfc+malekeh", ["`malekeh` and `rfc`", "older values"]),
        ("ltrf+vt-regmutex", ["`ltrf` and `vt-regmutex`", "shared register pool"]),
        ("malekeh+best", ["best: there is no such design", "finereg"]),
    ] {
        for command in
            [&["sim", "nn", "--design", design][..], &["compare", "malekeh", "nn", "--designs", design]]
        {
            let mut tool = Command::cargo_bin("gpurf").expect("the tool is built");
            let failed = tool.args(command).assert().code(2);
            parts.iter().fold(failed, |failed, part| failed.stderr(contains(*part)));
        }
    }
}

/// Model and RTL side by side while blocks take turns, and in the design with most parts the emitted Verilog.
#[test]
fn engines_agree_on_designs_put_together() {
    let runs = [
        ("malekeh+iwma+finereg", "b+tree", "lockstep-verilator"),
        ("bow+virtual-thread", "nn", "lockstep"),
        ("ltrf+finereg", "nn", "lockstep"),
    ];
    runs.par_iter().for_each(|&(design, workload, engine)| {
        let run = ["--design", design, "--engine", engine, "--cycles", "3000"];
        let statistics = sim(&[&[workload][..], &run, &MACHINE].concat());
        let statistics: Value = serde_json::from_slice(&statistics).expect("JSON");
        assert_eq!(statistics["divergences"], 0, "{design}");
        assert_eq!(statistics["token_errors"], 0, "{design}");
        assert!(statistics["residency"]["switched_out"].as_u64() > Some(0), "{design}");
    });
}

/// Every two presets that can be put together, on some workloads. Takes minutes: `make soak`.
#[test]
#[ignore = "takes minutes"]
fn every_pair_is_right_on_real_code() {
    let pairs = PRESETS.iter().enumerate().flat_map(|(number, first)| {
        PRESETS[..number].iter().map(move |second| format!("{}+{}", first.name, second.name))
    });
    let designs: Vec<String> = pairs.filter(|name| name.parse::<Design>().is_ok()).collect();
    assert!(designs.len() > 80, "{}", designs.len());
    designs.par_iter().for_each(|design| {
        for workload in ["hotspot", "lud", "b+tree", "pathfinder", "backprop"] {
            sim(&[&[workload, "--design", design], &MACHINE[..]].concat());
        }
    });
}
