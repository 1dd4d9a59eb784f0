// SPDX-License-Identifier: Apache-2.0
//! Area and path of the operand stages or the collectors of a study's conditions.

use anyhow::Result;
use comfy_table::Table;
use gpurf_hw::catalogue;
use gpurf_synth::{Options, Structure, Synthesis};
use serde::Serialize;

use super::definition::Condition;
use super::evaluation::Evaluation;
use super::plot::{Plot, PlotLine};
use super::study::Titled;
use crate::output::table;
use crate::synth::{options, synthesize, DelayArgument, Design};

/// The stage or the collector of each design under every condition.
#[derive(Serialize)]
pub struct Costs {
    /// Collectors by themselves, not their stages.
    are_collectors: bool,
    /// Designs, each with the stage or the collector that it is made of.
    stages: Vec<(String, &'static str)>,
    /// A condition, and its stages.
    rows: Vec<(Condition, Vec<Synthesis>)>,
}

/// True if a study is of collectors by themselves.
pub const COLLECTORS: &str = "collector-clock";

impl Costs {
    /// With registers of so many bits.
    pub fn of(
        evaluation: &Evaluation,
        width: usize,
        structure: Structure,
        delay: &DelayArgument,
    ) -> Result<Costs> {
        let are_collectors = evaluation.study.name == COLLECTORS;
        let stages: Vec<(String, &str)> = evaluation
            .designs
            .iter()
            .filter(|named| named.set.is_empty())
            .map(|named| {
                let kind = named.design.collector;
                (named.label.clone(), if are_collectors { kind.module } else { kind.stage })
            })
            .collect();
        let conditions = evaluation.study.conditions();
        let mut tops = vec![];
        for condition in &conditions {
            let mut parameters = evaluation.config.with(&condition.set)?.hardware;
            parameters.set("width", &width.to_string())?;
            for (_, module) in &stages {
                let entry = catalogue::find(module).expect("a stage of the catalogue");
                tops.push(Design::new(entry, &parameters, true, structure)?);
            }
        }
        let options = Options { delay_target_ps: delay.delay, ..options(None)? };
        let mut results = synthesize(&tops, &options)?.into_iter();
        let rows = conditions
            .into_iter()
            .map(|condition| (condition, results.by_ref().take(stages.len()).collect()));
        Ok(Costs { are_collectors, rows: rows.collect(), stages })
    }

    /// Tables for the study, with their titles.
    pub fn tables(&self, evaluation: &Evaluation) -> Vec<Titled> {
        let title = "Hardware, GE and ns (Nangate 45 nm, no wires, memories without area)";
        let clock = "Clock, IPC and their product, of the last design";
        let clock = self.are_collectors.then(|| Titled::new(clock, &self.clock_table(evaluation)));
        std::iter::once(Titled::new(title, &self.table())).chain(clock).collect()
    }

    /// For each condition: clock in gigahertz, instructions per cycle, and their product, the latter two in
    /// percent of the first condition's. All of the last design.
    fn clocks(&self, evaluation: &Evaluation) -> Vec<(&Condition, [f64; 3])> {
        let (design, _) = self.stages.last().expect("a study has designs");
        let clock =
            |stages: &[Synthesis]| stages.last().and_then(|one| one.longest_path_ns).map(|path| 1.0 / path);
        let Some((first, Some(first_clock))) = self.rows.first().map(|(one, stages)| (one, clock(stages)))
        else {
            return vec![];
        };
        let rows = self.rows.iter().filter_map(|(condition, stages)| {
            let clock = clock(stages)?;
            let change = evaluation.of("ipc", &condition.of(design), &first.of(design)).average();
            Some((condition, [clock, 100.0 + change, (100.0 + change) * clock / first_clock]))
        });
        rows.collect()
    }

    fn clock_table(&self, evaluation: &Evaluation) -> Table {
        let mut rows = table(&["collector", "clock GHz", "IPC, %", "IPC × clock, %"]);
        for (condition, [clock, ipc, product]) in self.clocks(evaluation) {
            let cells = [format!("{clock:.2}"), format!("{ipc:.2}"), format!("{product:.0}")];
            rows.add_row(std::iter::once(condition.name.clone()).chain(cells));
        }
        rows
    }

    /// A row per condition.
    pub fn table(&self) -> Table {
        let heads = self.stages.iter().flat_map(|(_, module)| [format!("{module} GE"), "path".to_string()]);
        let rows_of = if self.are_collectors { "collector" } else { "operand stage" };
        let heads: Vec<String> = std::iter::once(rows_of.to_string()).chain(heads).collect();
        let mut rows = table(&heads.iter().map(String::as_str).collect::<Vec<_>>());
        for (condition, stages) in &self.rows {
            let cells = stages.iter().flat_map(|synthesis| {
                let path = synthesis.longest_path_ns.map_or("".into(), |path| format!("{path:.2}"));
                [format!("{:.0}", synthesis.gate_equivalents), path]
            });
            rows.add_row(std::iter::once(condition.name.clone()).chain(cells));
        }
        rows
    }

    /// Instructions per cycle over the longest path, a line per design; against the first condition's
    /// reference. Of collectors over the clock, with the product of both.
    pub fn plot(&self, evaluation: &Evaluation) -> Plot {
        if self.are_collectors {
            let clocks = self.clocks(evaluation);
            let line = |name: &str, place: usize| {
                let points = clocks.iter().map(|(_, figures)| (figures[0], figures[place])).collect();
                PlotLine::new(name, sorted(points)).bold()
            };
            let lines = vec![line("IPC", 1), line("IPC × clock", 2)];
            let title = "Caching collector: IPC, and IPC × clock, in % of the first";
            return Plot::lines("collector_clock", title, ["clock of the collector, GHz", "%"], lines);
        }
        let reference = self.rows[0].0.of(&evaluation.designs[0].label);
        let line = |(number, (design, _)): (usize, &(String, &str))| {
            let mut points: Vec<(f64, f64)> = self
                .rows
                .iter()
                .filter_map(|(condition, stages)| {
                    let own = condition.of(design);
                    Some((stages[number].longest_path_ns?, evaluation.of("ipc", &own, &reference).average()))
                })
                .collect();
            // From what brings least to what brings most: a path may grow and shrink on the way.
            points.sort_by(|one, other| one.1.total_cmp(&other.1));
            PlotLine::new(design, points).bold()
        };
        let lines = self.stages.iter().enumerate().map(line).collect();
        let title = "IPC over the baseline with the first stage, %";
        Plot::lines("operand_stage_path", title, ["longest path of the operand stage, ns", "%"], lines)
    }
}

fn sorted(mut points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    points.sort_by(|one, other| one.0.total_cmp(&other.0));
    points
}
