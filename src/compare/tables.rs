// SPDX-License-Identifier: Apache-2.0
//! Results for people, and as CSV: what a study's file asks for.

use anyhow::Result;
use comfy_table::Table;

use super::definition::{Column, Metric, Statistic, TableOf};
use super::evaluation::Evaluation;
use super::finding::findings_table;
use super::metrics::value;
use super::pair::Pair;
use super::plot::Drawing;
use super::series::{by_workload, percent, Series};
use super::study::Titled;
use crate::output::table;

/// A table for the terminal, with its title, and the claims under it.
pub struct Printed {
    pub title: String,
    pub text: String,
    /// It is printed for a part of the inputs, too.
    pub is_main: bool,
}

impl From<&Titled> for Printed {
    fn from(one: &Titled) -> Self {
        Printed { title: one.title.clone(), text: one.table().to_string(), is_main: false }
    }
}

/// Prints the tables, or the main ones and the titles of the others.
pub fn print(tables: &[Printed], all: bool) {
    let (shown, others): (Vec<&Printed>, Vec<&Printed>) =
        tables.iter().partition(|table| all || table.is_main);
    for Printed { title, text, .. } in shown {
        println!("{title}\n{text}\n");
    }
    if !others.is_empty() {
        println!("{} more with --all-tables, and in the files of --out and --record:", others.len());
        others.iter().for_each(|table| println!("  {}", table.title));
    }
}

/// All tables of an evaluation: one per metric, the curves, and `further` ones.
pub fn printed(evaluation: &Evaluation, further: &[Titled]) -> Vec<Printed> {
    let of_metric = |metric: &Metric| {
        let (series, findings) = (evaluation.series(metric), evaluation.findings(metric));
        if series.is_empty() || !metric.table && findings.is_empty() {
            return None;
        }
        let mut parts: Vec<String> = vec![];
        if metric.table {
            parts.extend(by_metric(evaluation, metric, &series).map(|rows| rows.to_string()));
        }
        if !findings.is_empty() {
            parts.push(findings_table(&findings).to_string());
        }
        Some(Printed { title: metric.title.clone(), text: parts.join("\n"), is_main: metric.main })
    };
    let heading = evaluation.heading.split_once('\n').map(|(title, text)| Printed {
        title: title.into(),
        text: text.trim_end().into(),
        is_main: false,
    });
    let mut tables: Vec<Printed> = heading.into_iter().collect();
    tables.extend(evaluation.study.metric.iter().filter_map(of_metric));
    for curve in &evaluation.study.curve {
        let plot = evaluation.curve(curve);
        if let (Drawing::Curve(lines), true) = (&plot.drawing, plot.has_data()) {
            tables.push(Printed::from(&Titled::new(format!("{}, average", plot.title), &lines.table())));
        }
    }
    tables.extend(further.iter().map(Printed::from));
    tables
}

/// The ones of metrics, as they stand among the [`printed`] ones.
pub fn of_metrics(evaluation: &Evaluation) -> Vec<Titled> {
    let titled = |metric: &Metric| {
        let series = evaluation.series(metric);
        let rows = (!series.is_empty()).then(|| by_metric(evaluation, metric, &series));
        let titled = rows.into_iter().flatten().map(|rows| Titled::new(&metric.title, &rows));
        titled.collect::<Vec<_>>()
    };
    evaluation.study.metric.iter().filter(|metric| metric.table).flat_map(titled).collect()
}

/// By workload, and by group if there are any.
fn by_metric(evaluation: &Evaluation, metric: &Metric, series: &[Series]) -> impl Iterator<Item = Table> {
    let groups = by_group(evaluation, metric, series);
    std::iter::once(by_workload(&evaluation.workloads, series)).chain(groups)
}

/// The ones that the study's file asks for.
pub fn of(evaluation: &Evaluation) -> Vec<Titled> {
    let titled =
        |wanted: &TableOf| by_variant(evaluation, wanted).map(|rows| Titled::new(&wanted.title, &rows));
    evaluation.study.table.iter().filter_map(titled).collect()
}

/// A row per series, a column per group of workloads: averages.
fn by_group(evaluation: &Evaluation, metric: &Metric, series: &[Series]) -> Option<Table> {
    // Some workloads of a group are not the group.
    let is_whole = |name: &String| {
        let members = evaluation.study.groups.get(name);
        members.is_none_or(|all| all.iter().all(|member| evaluation.workloads.contains(member)))
    };
    let all =
        evaluation.groups.iter().filter(|(name, _)| metric.of.as_ref() != Some(*name) && is_whole(name));
    let of = |one: &Series, group: &str| {
        let values = evaluation.on(Some(group), one.clone());
        (!values.values.is_empty()).then(|| percent(values.average()))
    };
    let has_any = |group: &&str| series.iter().any(|one| of(one, group).is_some());
    let groups: Vec<&str> = all.map(|(name, _)| name.as_str()).filter(has_any).collect();
    let mut rows = table(&[&["average of"], &groups[..]].concat());
    for one in series {
        let averages = groups.iter().map(|group| of(one, group).unwrap_or_default());
        rows.add_row(std::iter::once(one.label.clone()).chain(averages));
    }
    (!groups.is_empty()).then_some(rows)
}

/// A row per variant, for variants with at least one number.
fn by_variant(evaluation: &Evaluation, wanted: &TableOf) -> Option<Table> {
    let names: Vec<&str> = wanted.columns.iter().map(|column| column.name.as_str()).collect();
    let is_changed = wanted.rows != "designs";
    let first: &[&str] = if is_changed { &["", "workloads", "against"] } else { &[""] };
    let mut rows = table(&[first, &names[..]].concat());
    let mut any = false;
    for (own, reference) in evaluation.rows(&wanted.rows, wanted.first.as_deref()) {
        let series: Vec<Series> = wanted
            .columns
            .iter()
            .map(|column| {
                let own = if column.of_reference { &reference } else { &own };
                let against = column.against.as_deref().unwrap_or(&reference);
                evaluation.on(wanted.of.as_deref(), evaluation.of(&column.value, own, against))
            })
            .collect();
        let Some(most) = series.iter().map(|series| series.values.len()).max().filter(|most| *most > 0)
        else {
            continue;
        };
        let mut row = vec![own];
        if is_changed {
            row.extend([most.to_string(), reference]);
        }
        row.extend(wanted.columns.iter().zip(&series).map(|(column, series)| cell(column, series)));
        rows.add_row(row);
        any = true;
    }
    any.then_some(rows)
}

fn cell(column: &Column, series: &Series) -> String {
    let number = |value: f64| format!("{value:.*}", column.decimals);
    match column.is {
        _ if series.values.is_empty() => String::new(),
        Statistic::Average => number(series.average()),
        Statistic::Geometric => number(series.geometric()),
        Statistic::Maximum => number(series.maximum()),
        Statistic::Minimum => number(series.minimum()),
        Statistic::Interval => series.interval().map(number).map(|end| end.replace('-', "−")).join(" to "),
        Statistic::Sum => format!("{:.0}", series.values.iter().map(|(_, value)| value).sum::<f64>()),
    }
}

/// A line per run: what all have, then the study's columns, then its metrics.
pub fn csv(evaluation: &Evaluation) -> Result<String> {
    const ALL: [&str; 5] = ["workload", "variant", "cycles", "warp_instructions", "ipc"];
    let study = evaluation.study;
    let places = || study.columns.iter().map(String::as_str).chain(["counters.token_errors"]);
    let metrics = || study.metric.iter().map(|metric| metric.name.as_str());
    let mut writer = csv::Writer::from_writer(vec![]);
    let column = |place: &str| place.trim_start_matches("counters.").replace('.', "_");
    let names = ALL.iter().map(|name| name.to_string()).chain(places().map(column));
    writer.write_record(names.chain(metrics().map(|name| format!("metric_{name}"))))?;
    for run in &evaluation.all {
        let reference = evaluation.reference_of(run);
        let [machine, reference_machine] = [run, reference].map(|of| evaluation.machine(&of.label));
        let pair = Pair { run, reference, machine, reference_machine };
        let number = |name: &str| value(name, &pair).map_or(String::new(), |value| value.to_string());
        let counters = &run.counters;
        let first = [
            run.workload.clone(),
            run.label.clone(),
            counters.cycles.to_string(),
            counters.warp_instructions.to_string(),
            run.ipc.to_string(),
        ];
        writer.write_record(first.into_iter().chain(places().chain(metrics()).map(number)))?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}
