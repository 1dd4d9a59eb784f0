// SPDX-License-Identifier: Apache-2.0
//! Other transitions of the STHLD controller that obey the papers' text, beside the project's, in the
//! workloads of Malekeh's evaluation.

use assert_cmd::Command;
use gpurf_blocks::SthldTable;
use gpurf_fixtures::measured;
use rayon::prelude::*;
use serde_json::Value;

/// Choices that the text leaves open.
#[derive(Clone, Copy, PartialEq)]
struct Steps {
    climb: i32,
    /// Out of the climb, and out of rest.
    speculative: [i32; 2],
    /// Back after a step that was wrong, and on down.
    retreat: [i32; 2],
    approach: i32,
}

impl Steps {
    /// The project's.
    const OURS: Steps = Steps { climb: 2, speculative: [2, 2], retreat: [4, 2], approach: 1 };

    /// The first retreat takes the climb and the speculative step back, or two more.
    fn all() -> Vec<Steps> {
        let choices: [&[i32]; 6] = [&[1, 2], &[1, 2, 4], &[1, 2], &[0, 2], &[1, 2, 4], &[0, 1]];
        let mut all = vec![vec![]];
        for choice in choices {
            let each = |front: &Vec<i32>| {
                choice.iter().map(|step| [&front[..], &[*step]].concat()).collect::<Vec<_>>()
            };
            all = all.iter().flat_map(each).collect();
        }
        let named = |steps: Vec<i32>| {
            let [climb, step, from_rest, more, further, approach] = steps[..] else { unreachable!() };
            Steps { climb, speculative: [step, from_rest], retreat: [climb + step + more, further], approach }
        };
        all.into_iter().map(named).collect()
    }

    fn table(self) -> SthldTable {
        let Steps { climb, speculative: [step, from_rest], retreat: [retreat, further], approach } = self;
        let mut table = SthldTable::default();
        let mut set = |state: usize, small: i32, large: i32| {
            let edges = &mut table.state[state - 1];
            (edges.small.step, edges.large.step) = (small, large);
        };
        set(1, climb, climb);
        set(2, climb, step);
        set(3, climb, -retreat);
        set(4, approach, -further);
        set(5, approach, 0);
        set(6, 0, from_rest);
        table
    }

    fn name(self) -> String {
        let Steps { climb, speculative: [step, from_rest], retreat: [retreat, further], approach } = self;
        format!(
            "climb {climb}, speculative step {step} and {from_rest}, retreat {retreat} and {further}, approach {approach}"
        )
    }
}

/// Averages of IPC over the baseline and of the hit ratio, in percent.
fn averages(setting: &str) -> [f64; 2] {
    let mut command = Command::cargo_bin("gpurf").expect("the tool is built");
    command.args([
        "compare",
        "malekeh",
        "--designs",
        "malekeh",
        "--threads",
        "1",
        "--json",
        "-",
        "--set",
        setting,
    ]);
    let output = command.output().expect("it starts");
    assert!(output.status.success(), "{setting}: {}", String::from_utf8_lossy(&output.stderr));
    let outcomes: Vec<Value> = serde_json::from_slice(&output.stdout).expect("JSON");
    let of = |design: &str, what: &str| -> Vec<f64> {
        let runs = outcomes.iter().filter(|run| run["label"] == design);
        runs.map(|run| run[what].as_f64().expect("a number")).collect()
    };
    let gains = of("malekeh", "ipc")
        .into_iter()
        .zip(of("baseline", "ipc"))
        .map(|(ipc, baseline)| ipc / baseline - 1.0);
    let average = |values: Vec<f64>| 100.0 * values.iter().sum::<f64>() / values.len() as f64;
    [average(gains.collect()), average(of("malekeh", "hit_ratio"))]
}

#[test]
fn the_projects_table_is_among_those_that_the_text_allows() {
    assert_eq!(Steps::OURS.table(), SthldTable::default());
    assert!(Steps::all().contains(&Steps::OURS));
}

/// Takes ten minutes: `make soak`.
#[test]
#[ignore = "takes ten minutes"]
fn no_table_reaches_a_threshold_that_never_moves() {
    let folder = tempfile::tempdir().expect("a folder");
    let measure = |(number, steps): (usize, Steps)| {
        let file = folder.path().join(format!("{number}.toml"));
        std::fs::write(&file, toml::to_string(&steps.table()).expect("a table is TOML")).expect("written");
        (steps, averages(&format!("sthld_table={}", file.display())))
    };
    let found: Vec<(Steps, [f64; 2])> = Steps::all().into_par_iter().enumerate().map(measure).collect();
    let row = |name: String, [ipc, hits]: [f64; 2]| [name, format!("{ipc:.2}"), format!("{hits:.1}")];
    let header = ["", "IPC over the baseline, %", "hit ratio, %"];
    let rows = found.iter().map(|(steps, averages)| row(steps.name(), *averages));
    measured::file!["sthld/tables.csv"].assert_eq(&measured::table(header, rows));

    let by_ipc = |a: &&(Steps, [f64; 2]), b: &&(Steps, [f64; 2])| a.1[0].total_cmp(&b.1[0]);
    let others = || found.iter().filter(|(steps, _)| *steps != Steps::OURS);
    let (worst, best) = (others().min_by(by_ipc), others().max_by(by_ipc));
    let (worst, best) = (worst.expect("there are others"), best.expect("there are others"));
    let ours = found.iter().find(|(steps, _)| *steps == Steps::OURS).expect("it is among them");
    let fixed = averages("sthld=0");
    let rows = [
        row(format!("worst of {} others: {}", found.len() - 1, worst.0.name()), worst.1),
        row(format!("this project's: {}", ours.0.name()), ours.1),
        row(format!("best of the others: {}", best.0.name()), best.1),
        row("STHLD fixed at 0".to_string(), fixed),
    ];
    measured::file!["sthld/extremes.csv"].assert_eq(&measured::table(header, rows));
    assert!(best.1[0] < fixed[0], "{} gains more than a fixed threshold", best.0.name());
}
