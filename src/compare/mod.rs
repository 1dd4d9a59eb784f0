// SPDX-License-Identifier: Apache-2.0
//! `gpurf compare`: the papers' evaluations beside what they report. A study is a file in `papers`: what
//! runs, what is computed of it and shown, and the paper's claims. One driver runs all of them.

mod arguments;
mod bars;
mod claim;
mod claims;
mod definition;
pub mod evaluation;
pub mod finding;
mod finereg;
mod hardware;
pub mod jobs;
mod kept;
mod lines;
mod malekeh;
mod metrics;
mod multicast;
mod operand_stage;
pub mod outcome;
mod pair;
pub mod plot;
mod register_cache;
mod scatter;
pub mod series;
pub mod stream;
pub mod study;
mod tables;

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{ensure, Context, Result};
use gpurf_blocks::suggestion;
use gpurf_sim::config::{Config, PRESETS};
use gpurf_workloads::suite::MALEKEH;

use crate::input::Input;
use crate::output::{all, table, write_text};
use crate::verdict::Verdict;
pub use arguments::Arguments;
pub use definition::{Definition, Unmeasured, STUDIES};
use definition::{Inputs, Suite};
use evaluation::{Evaluation, StudyPlan};
use finding::Finding;
use jobs::Listed;
use study::Titled;

impl Arguments {
    /// As a command line has them.
    pub fn of(line: &[String]) -> Result<Arguments> {
        crate::arguments_of("compare", &line.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// The study's machine, as a file and settings change it; a preset takes its place.
    fn machine(&self, study: &Definition) -> Result<Config> {
        let file = self.machine.config.as_deref();
        let preset = |name: &str| PRESETS.iter().find(|(known, _)| *known == name).map(|(_, text)| *text);
        let own = match file.and_then(Path::to_str).and_then(preset) {
            Some(_) => "",
            None => preset(&study.machine).unwrap_or_default(),
        };
        Ok(Config::load_over(own, file, &self.machine.settings)?)
    }

    /// The inputs that are named, or the study's own; under `--run`, those that it names runs of.
    fn inputs(&self) -> Result<Vec<Input>> {
        let find = |name: &String| multicast::input(name).map_or_else(|| Input::find(name), Ok);
        let mut inputs: Vec<Input> = match (&self.inputs, &self.input[..], self.study.workloads()) {
            (Some(folder), ..) => Input::find_all(&Input::paths_in(folder)?)?,
            (None, [], Inputs::Suite(Suite::Malekeh)) => {
                MALEKEH.iter().copied().map(Input::BuiltIn).collect()
            }
            (None, [], Inputs::Named(names)) => names.iter().map(find).collect::<Result<_>>()?,
            (None, names, _) => names.iter().map(find).collect::<Result<_>>()?,
        };
        inputs.retain(|input| {
            let prefix = jobs::prefix(input);
            self.run.is_empty() || self.run.iter().any(|run| run.starts_with(&prefix))
        });
        Ok(inputs)
    }

    /// The inputs as they are named, if they are not the study's own. `names` are those of a folder's.
    pub fn given(&self, names: impl Iterator<Item = String>) -> Option<Vec<String>> {
        match (&self.inputs, &self.input[..]) {
            // A trace may have the name of a built-in workload, and is another program.
            (Some(folder), _) => Some(names.map(|name| folder.join(name).display().to_string()).collect()),
            (None, []) => None,
            (None, named) => Some(named.to_vec()),
        }
    }

    /// Returns true if a run of this name is to be made.
    fn runs(&self, name: &str) -> bool {
        self.run.is_empty() || self.run.iter().any(|run| run == name)
    }

    fn plan(&self) -> Result<StudyPlan> {
        let (inputs, config) = (self.inputs()?, self.machine(self.study)?);
        let given = self.given(inputs.iter().map(|input| input.name().to_string()));
        let sorted = match self.study.name.as_str() {
            "finereg" => finereg::sorted(inputs, self, &config)?,
            _ => finereg::Sorted { inputs, groups: BTreeMap::new(), heading: String::new() },
        };
        StudyPlan::new(self.study, config, self, given, sorted)
    }

    /// The evaluation that the arguments ask for.
    pub fn evaluate(&self) -> Result<Evaluation> {
        self.plan()?.run(self)
    }

    /// Lists the runs.
    fn print_list(&self) -> Result<()> {
        let listed = self.plan()?.list(self)?;
        self.json.write_list(&listed)?;
        if self.json.leaves_tables() {
            let mut rows = table(&["run", "workload", "design", "result"]);
            for Listed { run, workload, label, state, difference } in &listed {
                let state = match difference {
                    Some(difference) => format!("{state}: {difference}"),
                    None => state.to_string(),
                };
                rows.add_row([run, workload, label, &state]);
            }
            println!("{rows}");
        }
        Ok(())
    }

    /// Makes the runs that are named. What their checks say stands in their results, and the study says it.
    fn make_runs(&self) -> Result<()> {
        let plan = self.plan()?;
        let known = plan.list(self)?;
        for name in &self.run {
            ensure!(
                known.iter().any(|listed| listed.run == *name),
                "--run {name}: there is no such run{}",
                suggestion(name, known.iter().map(|listed| listed.run.as_str()), "`--list` lists them")
            );
        }
        plan.run(self)?;
        Ok(())
    }
}

/// Claims of the evaluations of all papers, by study: findings without a number of ours.
pub fn claimed() -> Vec<(&'static Definition, Vec<Finding>)> {
    let of = |study: &'static Definition| {
        let of_metric = |metric| claims::findings(study, metric, None, |_| vec![]);
        let findings = study.metric.iter().flat_map(of_metric).chain(register_cache::claimed(study));
        (study, findings.collect())
    };
    STUDIES.iter().map(of).collect()
}

pub fn run(arguments: Arguments) -> Result<Verdict> {
    arguments.emulation.set_threads()?;
    if let Some(folder) = &arguments.out {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("{}: cannot be made; check the folder above it", folder.display()))?;
    }
    let name = arguments.study.name.as_str();
    let has_area = matches!(name, "operand-stage" | operand_stage::COLLECTORS | "register-cache");
    ensure!(
        arguments.area.is_none() || has_area,
        "--area belongs to the studies operand-stage, collector-clock and register-cache; leave it out, or use `gpurf synth`",
    );
    ensure!(
        !arguments.energy || name == "register-cache",
        "--energy belongs to the study register-cache; leave it out, or use `gpurf power`"
    );
    if name == "register-cache" {
        let in_parts = arguments.list || !arguments.run.is_empty();
        ensure!(!in_parts, "compare register-cache counts in one pass; leave --list and --run out");
        return register_cache::run(&arguments);
    }
    if arguments.list {
        arguments.print_list()?;
        return Ok(Verdict::Holds);
    }
    if !arguments.run.is_empty() {
        arguments.make_runs()?;
        return Ok(Verdict::Holds);
    }
    let evaluation = arguments.evaluate()?;
    let costs = arguments.area.map(|width| {
        let Arguments { structure, delay, .. } = &arguments;
        operand_stage::Costs::of(&evaluation, width, structure.structure(), delay)
    });
    let costs = costs.transpose()?;
    let study = saved(&evaluation, costs.as_ref());
    // The report draws the metrics; documents have no other place for their numbers.
    let recorded = [tables::of_metrics(&evaluation), study.tables.clone()].concat();
    let written = all([
        match &costs {
            Some(costs) => {
                arguments.json.write(&serde_json::json!({ "outcomes": evaluation.all, "hardware": costs }))
            }
            None => arguments.json.write_list(&evaluation.all),
        },
        write_text(arguments.csv.as_deref(), || tables::csv(&evaluation)),
        arguments.out.as_ref().map_or(Ok(()), |folder| study.save(folder)),
        arguments.record.write(&study::Study { tables: recorded, ..study.clone() }),
    ]);
    if arguments.json.leaves_tables() {
        let all = tables::printed(&evaluation, &study.tables);
        tables::print(&all, arguments.all_tables || evaluation.is_whole());
        println!("gpurf {}", study.version);
    }
    written?;
    Ok(jobs::verdict(&evaluation.all))
}

/// Findings, tables and plots: what the study's file asks for, and what it cannot say.
pub fn saved(evaluation: &Evaluation, costs: Option<&operand_stage::Costs>) -> study::Study {
    let mut tables = tables::of(evaluation);
    let mut plots = vec![];
    if evaluation.study.name == "malekeh" {
        let title = "Half and twice of a constant: energy, average change over the baseline, %";
        tables.extend(malekeh::sensitivity(evaluation).map(|rows| Titled::new(title, &rows)));
        let title = "Energy by part: averages, % of the baseline's";
        tables.extend(malekeh::parts(evaluation).map(|rows| Titled::new(title, &rows)));
        plots.push(malekeh::curves());
    }
    tables.extend(costs.into_iter().flat_map(|costs| costs.tables(evaluation)));
    plots.extend(costs.map(|costs| costs.plot(evaluation)));
    study::Study { tables, ..evaluation.saved(plots) }
}
