// SPDX-License-Identifier: Apache-2.0
//! RFC-sim's counts of traces of real GPUs, in a file beside their folder.

use gpurf_fixtures::{found, traces};
use gpurf_sim::register_traffic::{Configuration, EnergyTable, Reach, Rules, Study};
use serde_json::Value;

/// Names of the file, in the order of C Table VI.
const NAMES: [&str; 8] = [
    "8w-write",
    "8w-cpl",
    "4w-write-lin",
    "4w-write-itl",
    "2w-write-lin",
    "2w-write-itl",
    "2w-cpl-lin",
    "2w-cpl-itl",
];

/// A number as RFC-sim prints it: with six digits.
fn printed(number: f64) -> f64 {
    format!("{number:.5e}").parse().expect("a number")
}

#[test]
fn rfc_sims_counts_are_met_exactly() {
    let (Some(traces), Some(file)) = (traces(), found("../rfc-sim-counts.json")) else { return };
    let text = std::fs::read_to_string(file).expect("a file of counts");
    let reference: Value = serde_json::from_str(&text).expect("a file of counts");
    let sets = reference["traces"].as_object().expect("trace sets");
    assert!(!sets.is_empty());
    for (set, expected) in sets {
        let workload = gpurf_trace::open(traces.join(set)).unwrap_or_else(|error| panic!("{error}"));
        let study =
            Study { configurations: Configuration::table_vi(Reach::Set), rules: Rules::RFC_SIM, flags: None };
        let report = study.run(&workload).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(report.notes, Vec::<String>::new(), "{set}");
        for ((name, configuration), traffic) in NAMES.iter().zip(&study.configurations).zip(&report.traffic) {
            let expected = &expected[name];
            let place = format!("{set}, {name}");
            for (key, count) in [
                ("cache_reads", traffic.cache_reads),
                ("cache_writes", traffic.cache_writes),
                ("register_file_reads", traffic.register_file_reads),
                ("register_file_writes", traffic.register_file_writes),
            ] {
                assert_eq!(Some(count), expected[key].as_u64(), "{place}: {key}");
            }
            let energy =
                EnergyTable::default().of(configuration, &study.rules, traffic).expect("in Table III");
            for (key, value) in [
                ("read_hit_percent", traffic.read_hit_percent()),
                ("write_hit_percent", traffic.write_hit_percent()),
                ("total_hit_percent", traffic.total_hit_percent()),
                ("register_file_reads_avoided_percent", traffic.reads_avoided_percent()),
                ("register_file_writes_avoided_percent", traffic.writes_avoided_percent()),
                ("energy_reduction_percent", energy.reduction_percent),
            ] {
                assert_eq!(Some(printed(value)), expected[key].as_f64(), "{place}: {key}");
            }
        }
    }
}
