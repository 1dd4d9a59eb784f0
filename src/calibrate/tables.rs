//! What a calibration finds, for people.

use comfy_table::CellAlignment;

use super::measure::{Measured, Summary};
use super::Results;
use crate::output::{grouped, table};

pub fn print(results: &Results) {
    let mut kernels = table(&["trace", "kernel", "group", "ours", "reference", "ratio"]);
    for column in kernels.column_iter_mut().take(3) {
        column.set_cell_alignment(CellAlignment::Left);
    }
    for Measured { trace, file, group, cycles, reference, ratio, .. } in &results.kernels {
        let ratio = format!("{ratio:.3}");
        kernels.add_row([trace, file, group, &grouped(*cycles), &grouped(*reference), &ratio]);
    }
    println!("{kernels}");

    let header =
        ["", "kernels", "ours", "reference", "mean error", "within 10%", "correlation of logarithms"];
    let mut groups = table(&header);
    for (group, summary) in &results.groups {
        let name = if group.is_empty() { "(no group)" } else { group };
        groups.add_row(row(name, summary));
    }
    groups.add_row(row("all", &results.summary));
    println!("{groups}");

    if !results.ablation.is_empty() {
        let mut without = table(&[&["without"], &header[1..]].concat());
        without.add_row(row("(nothing)", &results.summary));
        for ablation in &results.ablation {
            without.add_row(row(ablation.without, &ablation.summary));
        }
        println!("{without}");
    }
}

fn row(name: &str, summary: &Summary) -> Vec<String> {
    let Summary { kernels, cycles, reference, mean_error, correlation, within_tenth } = *summary;
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
