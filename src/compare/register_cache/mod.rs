// SPDX-License-Identifier: Apache-2.0
//! The evaluation of register caches: traffic and energy of C Table VI's caches on C's workloads, counted
//! without an SM. C §VI.

pub mod claims;
mod price;

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::{ensure, Context, Result};
use comfy_table::Table;
use gpurf_sim::register_traffic::{Configuration, Reach, Rules};
use gpurf_trace::Workload;
use gpurf_workloads::Options;
use serde::Serialize;

use super::arguments::Arguments;
use super::definition::{Definition, Inputs};
use super::finding::{findings_table, Finding, Here};
use super::jobs;
use super::plot::Plot;
use super::series::Series;
use super::study::{Study, Titled};
use super::tables::{print as print_tables, Printed};
use crate::input::{Input, KEEP_BYTES};
use crate::output::{all, progress, table, write, write_json, write_text};
use crate::register_cache::tables::{csv, percent};
use crate::register_cache::TrafficOutcome;
use crate::verdict::Verdict;
use claims::TrafficClaim;
use claims::TrafficMetric;
use price::Prices;

/// One way to count all of it.
#[derive(Serialize)]
struct Reading {
    name: &'static str,
    #[serde(skip)]
    rules: Rules,
    #[serde(skip)]
    reach: Reach,
    outcomes: Vec<TrafficOutcome>,
}

impl Reading {
    /// C's silence about lookups allows two; RFC-sim's numbers are the third.
    fn all() -> [Reading; 3] {
        let reading = |name, rules, reach| Reading { name, rules, reach, outcomes: vec![] };
        [
            reading("reach set", Rules::PAPER, Reach::Set),
            reading("reach cache", Rules::PAPER, Reach::Cache),
            reading("as rfc-sim", Rules::RFC_SIM, Reach::Set),
        ]
    }

    fn count(&mut self, workload: &Workload, input: &str) -> Result<()> {
        let mut outcome =
            TrafficOutcome::of(workload, input, &Configuration::table_vi(self.reach), self.rules, None)?;
        // Rows of both reaches have the names that claims use.
        for (row, configuration) in outcome.rows.iter_mut().zip(Configuration::table_vi(Reach::Set)) {
            row.label = configuration.label();
        }
        self.outcomes.push(outcome);
        Ok(())
    }

    /// Tables of its counts, by workload and cache.
    fn tables(&self) -> impl Iterator<Item = Titled> + '_ {
        let titled = |(metric, name)| {
            Titled::new(format!("{}: {name}, %", self.name), &by_workload(&self.outcomes, metric))
        };
        TrafficMetric::ALL.into_iter().map(titled)
    }
}

/// A claim and what each reading counted.
#[derive(Serialize)]
struct Compared {
    #[serde(flatten)]
    claim: TrafficClaim,
    counted: Vec<(&'static str, Option<f64>)>,
}

impl Compared {
    /// `verdicts`: those of the study.
    fn finding(&self, verdicts: &[String]) -> Finding {
        let TrafficClaim { section, says, why, headline, metric, statistic, claimed, .. } = &self.claim;
        let here = self.counted.iter().map(|(name, value)| Here {
            condition: name.to_string(),
            value: *value,
            part: None,
        });
        Finding {
            paper: "C".into(),
            section: section.clone(),
            what: says.clone(),
            claimed: *claimed,
            is_change: *metric == TrafficMetric::EnergyReduction && !statistic.is_count(),
            at_most: false,
            at_least: false,
            why: why.clone(),
            headline: *headline,
            of: None,
            verdicts: verdicts.to_vec(),
            here: here.collect(),
        }
    }
}

/// The paper's claims, as far as they are counted without an SM.
pub fn claimed(study: &Definition) -> impl Iterator<Item = Finding> + '_ {
    let uncounted = |claim: &TrafficClaim| Compared { claim: claim.clone(), counted: vec![] };
    study.counted.iter().map(move |claim| uncounted(claim).finding(&study.verdicts))
}

pub fn run(arguments: &Arguments) -> Result<Verdict> {
    ensure!(
        arguments.designs.is_empty()
            && arguments.also.is_empty()
            && arguments.machine.config.is_none()
            && arguments.machine.settings.is_empty(),
        "compare register-cache: --designs, --also, --config and --set belong to another study; leave them out, or use \
         `gpurf register-cache` for other caches",
    );
    let inputs = match (&arguments.inputs, &arguments.input[..], &arguments.study.inputs) {
        (Some(folder), ..) => Input::paths_in(folder)?,
        (None, [], Inputs::Named(names)) => names.clone(),
        (None, names, _) => names.to_vec(),
    };
    let mut readings = Reading::all();
    let bar = progress(inputs.len() as u64, "workloads");
    for input in &Input::find_all(&inputs)? {
        let name = input.name().to_string();
        bar.set_message(name.clone());
        let options = Options { keep_bytes: KEEP_BYTES, ..Options::default() };
        let workload = arguments.emulation.stream(input, options)?;
        for reading in &mut readings {
            reading.count(&workload, &name)?;
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    let claims = arguments.study.counted.iter().cloned().map(|claim| {
        let counted = readings.iter().map(|reading| (reading.name, claim.counted(&reading.outcomes)));
        Compared { counted: counted.collect(), claim }
    });
    let claims: Vec<Compared> = claims.collect();
    let priced = arguments.area.map(|width| price::run(arguments, width)).transpose()?;
    let (prices, outcomes) = priced.unwrap_or_default();
    let mut study = study(&readings, &claims, &prices);
    if let Some(width) = arguments.area {
        let title = "In the SM, means over the workloads; GE and µm² of a sub-core's collectors and of the cache's tags and \
                     buffer (Nangate 45 nm, no wires; a bit of memory at 0.7 µm²)";
        study.tables.push(Titled::new(title, &price::table_of(&prices.designs, width)));
    }
    if let Some(table) = prices.caches.table() {
        let title = "Dynamic energy of register caches, of their cells in every cycle and for each event, and of their memories";
        study.tables.push(Titled::new(title, &table));
    }
    let counted = readings.iter().flat_map(Reading::tables).collect::<Vec<_>>();
    let saved = save(arguments, &study, &readings, &claims, &prices);
    // The report draws what was counted; documents have no other place for the numbers.
    let tables = counted.iter().chain(&study.tables).cloned().collect();
    let written = all([saved, arguments.record.write(&Study { tables, ..study.clone() })]);
    let notes = readings.iter().flat_map(|reading| &reading.outcomes).flat_map(|outcome| &outcome.notes);
    let notes: BTreeSet<&String> = notes.collect();
    if arguments.json.leaves_tables() {
        let mut tables: Vec<Printed> = counted.iter().map(Printed::from).collect();
        tables[0].is_main = true;
        let names: Vec<String> = readings[0].outcomes.iter().map(|outcome| outcome.input.clone()).collect();
        let given = arguments.given(names.into_iter());
        let is_whole = given.is_none_or(|inputs| arguments.study.part(None, &inputs).is_none());
        let findings: Vec<Finding> =
            claims.iter().map(|claim| claim.finding(&arguments.study.verdicts)).collect();
        tables.push(Printed {
            title: "C's claims".into(),
            text: findings_table(&findings).to_string(),
            is_main: false,
        });
        tables.extend(study.tables.iter().map(Printed::from));
        print_tables(&tables, arguments.all_tables || is_whole);
        notes.iter().for_each(|note| println!("{note}"));
        println!("gpurf {}", study.version);
    }
    written?;
    Ok(jobs::verdict(&outcomes))
}

fn save(
    arguments: &Arguments,
    study: &Study,
    readings: &[Reading],
    claims: &[Compared],
    prices: &Prices,
) -> Result<()> {
    let rows = readings.iter().flat_map(|reading| {
        let rows = reading.outcomes.iter().flat_map(|outcome| &outcome.rows);
        rows.map(|row| (row, reading.name))
    });
    let text = csv(rows)?;
    let results = serde_json::json!({
        "readings": readings, "claims": claims, "prices": prices.designs, "register_caches": prices.caches
    });
    let in_folder = |folder: &PathBuf| {
        write(&folder.join("register_cache.csv"), text.as_bytes()).context("--out")?;
        write_json(&folder.join("register_cache.json"), &results).context("--out")?;
        study.save(folder)
    };
    all([
        write_text(arguments.csv.as_deref(), || Ok(text.clone())),
        arguments.json.write(&results),
        arguments.out.as_ref().map_or(Ok(()), in_folder),
    ])
}

fn study(readings: &[Reading], claims: &[Compared], prices: &Prices) -> Study {
    let plots = readings.iter().zip(["reach_set", "reach_cache", "rfc_sim"]).flat_map(|(reading, file)| {
        TrafficMetric::ALL.into_iter().map(move |(metric, name)| {
            let title = format!("Register caches, {}: {name}, %", reading.name);
            Plot::bars(
                format!("{file}_{}", name.replace([' ', '-'], "_")),
                title,
                series(&reading.outcomes, metric),
            )
        })
    });
    let mut plots: Vec<Plot> = plots.chain([price::plot(&prices.designs)]).collect();
    plots.retain(Plot::has_data);
    let inputs = readings[0].outcomes.iter().map(|outcome| outcome.input.clone()).collect();
    Study::new("register-cache", inputs, claims.iter().map(|claim| claim.finding(&[])).collect(), plots)
}

/// A series per cache.
fn series(outcomes: &[TrafficOutcome], metric: TrafficMetric) -> Vec<Series> {
    let caches = outcomes.first().map(|outcome| outcome.rows.len()).unwrap_or(0);
    let of = |cache: usize| Series {
        label: outcomes[0].rows[cache].label.clone(),
        values: outcomes
            .iter()
            .map(|outcome| (outcome.input.clone(), metric.of(&outcome.rows[cache])))
            .collect(),
    };
    (0..caches).map(of).collect()
}

/// A row per workload, a column per cache.
fn by_workload(outcomes: &[TrafficOutcome], metric: TrafficMetric) -> Table {
    let labels = outcomes.first().map(|outcome| outcome.rows.iter().map(|row| row.label.replace(' ', "\n")));
    let header: Vec<String> =
        std::iter::once("workload".to_string()).chain(labels.into_iter().flatten()).collect();
    let mut lines = table(&header.iter().map(String::as_str).collect::<Vec<_>>());
    for TrafficOutcome { input, rows, .. } in outcomes {
        lines.add_row(std::iter::once(input.clone()).chain(rows.iter().map(|row| percent(metric.of(row)))));
    }
    lines
}
