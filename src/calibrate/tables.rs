// SPDX-License-Identifier: Apache-2.0
//! The findings of a calibration, for people.

use comfy_table::{CellAlignment, Table};

use super::measure::{CalibrationSummary, MeasuredKernel};
use super::{Ablation, Results};
use crate::output::{grouped, table};

/// By kernel, by what bounds them, and without each mechanism.
pub fn of(results: &Results) -> Vec<(&'static str, Table)> {
    let mut kernels = table(&["trace", "kernel", "group", "ours", "reference", "ratio"]);
    for column in kernels.column_iter_mut().take(3) {
        column.set_cell_alignment(CellAlignment::Left);
    }
    for MeasuredKernel { trace, file, group, cycles, reference, ratio, .. } in &results.kernels {
        let ratio = format!("{ratio:.3}");
        kernels.add_row([trace, file, group, &grouped(*cycles), &grouped(*reference), &ratio]);
    }

    let header =
        ["", "kernels", "ours", "reference", "mean error", "within 10%", "correlation of logarithms"];
    let mut groups = table(&header);
    for (group, summary) in &results.groups {
        let name = if group.is_empty() { "(no group)" } else { group };
        groups.add_row(row(name, summary));
    }
    groups.add_row(row("all", &results.summary));

    let mut tables = vec![("Kernels", kernels), ("Groups", groups)];
    if !results.ablation.is_empty() {
        let mut without = table(&[&["without", "what it is for"], &header[1..]].concat());
        without.column_mut(1).expect("there is one").set_cell_alignment(CellAlignment::Left);
        let mut add = |name: &str, what: &str, summary: &CalibrationSummary| {
            let mut row = row(name, summary);
            row.insert(1, what.into());
            without.add_row(row);
        };
        add("(nothing)", "", &results.summary);
        for Ablation { mechanism, summary } in &results.ablation {
            add(mechanism.name, mechanism.what, summary);
        }
        tables.push(("Without one mechanism each", without));
    }
    tables
}

fn row(name: &str, summary: &CalibrationSummary) -> Vec<String> {
    let CalibrationSummary { kernels, cycles, reference, mean_error, correlation, within_tenth } = *summary;
    vec![
        name.into(),
        kernels.to_string(),
        grouped(cycles),
        grouped(reference),
        format!("{:.1}%", 100.0 * mean_error),
        format!("{within_tenth} of {kernels}"),
        correlation.map_or(String::new(), |correlation| format!("{correlation:.4}")),
    ]
}
