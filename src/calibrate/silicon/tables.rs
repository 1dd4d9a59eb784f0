// SPDX-License-Identifier: Apache-2.0
//! The findings of a calibration against a card, for people.

use comfy_table::{CellAlignment, Table};

use super::measured::function_of;
use super::{BesidePublished, Compared, NotRun, Results, Suite};
use crate::calibrate::measure::CalibrationSummary;
use crate::compare::study::Titled;
use crate::output::{grouped, table};

/// By kernel, by suite, beside what others published, and what did not run.
pub fn of(results: &Results) -> Vec<Titled> {
    let mut tables = vec![];
    if !results.kernels.is_empty() {
        tables.push(Titled::new("Kernels", &kernels(results)));
        tables.push(Titled::new("Suites", &suites(results)));
    }
    if !results.published.is_empty() {
        tables
            .push(Titled::new("Programs beside what was published of other simulators", &published(results)));
    }
    if !results.not_run.is_empty() {
        tables.push(Titled::new("Measured, and not run here", &not_run(results)));
    }
    tables
}

fn kernels(results: &Results) -> Table {
    let card = format!("{}, cycles", results.card.name);
    let head = [
        "program",
        "kernel",
        "SMs",
        "launches",
        &card,
        "baseline",
        "error of baseline",
        "modern",
        "error of modern",
        "dependences",
    ];
    let mut rows = left(&head, &[0, 1, 9]);
    for Compared {
        measured, launches, baseline, modern, baseline_error, modern_error, modern_design, ..
    } in &results.kernels
    {
        rows.add_row([
            measured.program.clone(),
            function_of(&measured.kernel).into(),
            sms(results),
            format!("{launches}, for {}", measured.launch),
            cycles(measured.cycles),
            cycles(baseline.cycles),
            signed(*baseline_error),
            cycles(modern.cycles),
            signed(*modern_error),
            if modern_design == "modern" { "control bits" } else { "scoreboard" }.into(),
        ]);
    }
    rows
}

fn suites(results: &Results) -> Table {
    let head = [
        "suite",
        "design",
        "SMs",
        "kernels",
        "mean error",
        "within 10%",
        "correlation of logarithms",
        "not run",
    ];
    let mut rows = left(&head, &[0, 1]);
    for Suite { suite, baseline, modern, not_run } in &results.suites {
        for (design, summary) in [("baseline", baseline), ("modern", modern)] {
            let CalibrationSummary { kernels, mean_error, correlation, within_tenth, .. } = *summary;
            let mean_error = match kernels {
                0 => String::new(),
                _ => format!("{:.1}%", 100.0 * mean_error),
            };
            rows.add_row([
                suite.clone(),
                design.into(),
                sms(results),
                kernels.to_string(),
                mean_error,
                format!("{within_tenth} of {kernels}"),
                correlation.map_or(String::new(), |correlation| format!("{correlation:.4}")),
                not_run.to_string(),
            ]);
        }
    }
    rows
}

/// Errors of H's simulator and of Accel-Sim are those that H's authors publish.
fn published(results: &Results) -> Table {
    let here = format!("input on the {}", results.card.name);
    let head = [
        "program",
        &here,
        "baseline",
        "modern",
        "input of the others",
        "H, RTX 2080 Ti",
        "Accel-Sim, RTX 2080 Ti",
        "H, RTX 2070 Super",
        "Accel-Sim, RTX 2070 Super",
    ];
    let mut rows = left(&head, &[0, 1, 4]);
    for BesidePublished { input, baseline_error, modern_error, published } in &results.published {
        let percent = |error: f64| signed(error / 100.0);
        rows.add_row([
            published.program.clone(),
            input.clone(),
            signed(*baseline_error),
            signed(*modern_error),
            published.input.clone(),
            percent(published.rtx_2080_ti.h),
            percent(published.rtx_2080_ti.accel_sim),
            percent(published.rtx_2070_super.h),
            percent(published.rtx_2070_super.accel_sim),
        ]);
    }
    rows
}

fn not_run(results: &Results) -> Table {
    let card = format!("{}, cycles", results.card.name);
    let mut rows = left(&["suite", "program", "kernel", &card, "why"], &[0, 1, 2, 4]);
    for NotRun { measured, reason } in &results.not_run {
        rows.add_row([
            &measured.suite,
            &measured.program,
            function_of(&measured.kernel),
            &cycles(measured.cycles),
            reason,
        ]);
    }
    rows
}

/// A table whose columns of words stand left.
fn left(head: &[&str], words: &[usize]) -> Table {
    let mut rows = table(head);
    for &column in words {
        rows.column_mut(column).expect("there is one").set_cell_alignment(CellAlignment::Left);
    }
    rows
}

fn sms(results: &Results) -> String {
    match results.sms == results.of {
        true => results.of.to_string(),
        false => format!("{} of {}, a sample", results.sms, results.of),
    }
}

fn cycles(cycles: f64) -> String {
    grouped(cycles.round() as u64)
}

fn signed(error: f64) -> String {
    format!("{:+.1}%", 100.0 * error).replace('-', "−")
}
