//! What the operand stages of a study's conditions cost in area and path.

use anyhow::Result;
use comfy_table::Table;
use gpurf_hw::catalogue;
use gpurf_synth::{Structure, Synthesis};
use serde::Serialize;

use super::definition::Condition;
use super::evaluation::Evaluation;
use super::plot::{Line, Plot};
use crate::output::table;
use crate::synth::{options, synthesize, Design};
use crate::verilog::hierarchy;

/// The stage of each design under every condition.
#[derive(Serialize)]
pub struct Costs {
    /// Designs, each with the stage that it is made of.
    stages: Vec<(String, &'static str)>,
    /// A condition, and its stages.
    rows: Vec<(Condition, Vec<Synthesis>)>,
}

impl Costs {
    /// With registers of so many bits.
    pub fn of(evaluation: &Evaluation, width: usize, structure: Structure) -> Result<Costs> {
        let stages: Vec<(String, &str)> = evaluation
            .designs
            .iter()
            .filter(|named| named.set.is_empty())
            .map(|named| (named.label.clone(), stage(named.design.collector)))
            .collect();
        let conditions = evaluation.study.conditions();
        let mut tops = vec![];
        for condition in &conditions {
            let mut parameters = evaluation.config.with(&condition.set)?.hardware;
            parameters.set("width", &width.to_string())?;
            for (_, module) in &stages {
                let entry = catalogue::find(module).expect("a stage of the catalogue");
                tops.push(Design {
                    hierarchy: hierarchy(entry, &parameters)?,
                    sat_sweeping: true,
                    structure,
                });
            }
        }
        let mut results = synthesize(&tops, &options(None)?)?.into_iter();
        let rows = conditions
            .into_iter()
            .map(|condition| (condition, results.by_ref().take(stages.len()).collect()));
        Ok(Costs { rows: rows.collect(), stages })
    }

    /// A row per condition.
    pub fn table(&self) -> Table {
        let heads = self.stages.iter().flat_map(|(_, module)| [format!("{module} GE"), "path".to_string()]);
        let heads: Vec<String> = std::iter::once("operand stage".to_string()).chain(heads).collect();
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

    /// Instructions per cycle over the longest path, a line per design; against the first condition's reference.
    pub fn plot(&self, evaluation: &Evaluation) -> Plot {
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
            Line::new(design, points).bold()
        };
        let lines = self.stages.iter().enumerate().map(line).collect();
        let title = "IPC over the baseline with the first stage, %";
        Plot::lines("operand_stage_path", title, ["longest path of the operand stage, ns", "%"], lines)
    }
}

fn stage(collector: gpurf_sim::sm::CollectorKind) -> &'static str {
    use gpurf_sim::sm::CollectorKind::{Boc, Ccu, Ocu};
    match collector {
        Ocu => "ocu_stage",
        Ccu => "ccu_stage",
        Boc => "boc_stage",
    }
}
