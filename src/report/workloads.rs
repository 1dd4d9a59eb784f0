// SPDX-License-Identifier: Apache-2.0
//! The composition of the workloads, and each design's results on them.

use anyhow::Result;
use gpurf_workloads::suite::SUITE;
use gpurf_workloads::Options;
use indicatif::ParallelProgressIterator;
use maud::html;
use rayon::prelude::*;

use super::page::{command, Section};
use super::table::{folded, table, Cell};
use crate::compare::evaluation::Evaluation;
use crate::input::{EmulationArguments, Input};
use crate::output::progress;
use crate::profile::Profile;

/// The composition of each input; it is executed for it.
pub fn profiles(names: &[String], emulation: &EmulationArguments) -> Result<Vec<Profile>> {
    let inputs = Input::find_all(names)?;
    let bar = progress(inputs.len() as u64, "workloads");
    bar.set_message("reuse distances");
    let profile = |input: &Input| Profile::of(&input.workload(emulation, Options::default())?);
    let profiles: Vec<_> = inputs.par_iter().progress_with(bar.clone()).map(profile).collect();
    bar.finish_and_clear();
    profiles.into_iter().collect()
}

pub fn section(evaluation: &Evaluation, profiles: &[Profile], line: &str) -> Section {
    let about =
        |name: &str| SUITE.iter().find(|benchmark| benchmark.name == name).map_or("", |found| found.about);
    let rows: Vec<Vec<Cell>> = profiles
        .iter()
        .map(|profile| {
            vec![
                profile.name.as_str().into(),
                about(&profile.name).into(),
                profile.kernels.into(),
                profile.launches.into(),
                profile.thread_blocks.into(),
                profile.warp_instructions.into(),
                Cell::Number(f64::from(profile.registers), 0),
                Cell::Number(profile.per_instruction(profile.active_lanes), 1),
                Cell::Number(profile.per_instruction(profile.operand_reads), 2),
                Cell::Number(100.0 * profile.reuses_within(3), 1),
                Cell::Number(100.0 * profile.reuses_within(10), 1),
            ]
        })
        .collect();
    let heads = [
        "workload",
        "what it is",
        "kernels",
        "launches",
        "thread blocks",
        "warp instructions",
        "registers",
        "active lanes",
        "operand reads",
        "reuses ≤ 3, %",
        "reuses ≤ 10, %",
    ];
    let body = html! {
        p.note { "Active lanes and source operands are per instruction; reuses are of the operands whose value is read "
            "again." }
        (command("gpurf workloads"))
        (table(&heads, &rows))
        h3 { "Under each design" }
        (command(line))
        (runs(evaluation))
        @for metric in &evaluation.study.metric {
            @let series = evaluation.series(metric);
            @if series.iter().any(|series| !series.values.is_empty()) {
                @let labels: Vec<&str> = series.iter().map(|series| series.label.as_str()).collect();
                @let rows: Vec<Vec<Cell>> = profiles.iter().map(|profile| {
                    let values = series.iter().map(|series| Cell::number(series.get(&profile.name), 1));
                    std::iter::once(Cell::from(profile.name.as_str())).chain(values).collect()
                }).collect();
                (folded(&metric.title, &[&["workload"], &labels[..]].concat(), &rows))
            }
        }
    };
    Section { id: "workloads", title: "Workloads", body }
}

/// Every run.
fn runs(evaluation: &Evaluation) -> maud::Markup {
    let rows: Vec<Vec<Cell>> = evaluation
        .outcomes
        .iter()
        .map(|outcome| {
            let counters = &outcome.counters;
            vec![
                outcome.workload.as_str().into(),
                outcome.label.as_str().into(),
                counters.cycles.into(),
                Cell::Number(outcome.ipc, 3),
                Cell::Number(100.0 * outcome.hit_ratio, 1),
                counters.bank_reads.into(),
                counters.bank_writes.into(),
                counters.bank_conflicts.into(),
                Cell::Number(outcome.energy_pj.total / 1e3, 0),
                counters.token_checks.into(),
                counters.token_errors.into(),
            ]
        })
        .collect();
    let heads = [
        "workload",
        "design",
        "cycles",
        "IPC",
        "hit ratio, %",
        "bank reads",
        "bank writes",
        "bank conflicts",
        "energy, nJ",
        "operands checked",
        "wrong",
    ];
    folded("every run", &heads, &rows)
}
