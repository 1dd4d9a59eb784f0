//! Malekeh's evaluation: all designs of register-file caches on all workloads. F §VI.

mod claims;
pub mod metrics;
mod plots;
pub mod tables;
mod variants;

use anyhow::Result;
use gpurf_sim::sm::{Design, Family};

use super::csv::csv;
use super::finding::Finding;
use super::jobs::{self, Outcome, Variant};
use super::series::Series;
use super::study::Study;
use super::Arguments;
use crate::output::write;
use crate::Verdict;
use metrics::Metric;
use tables::METRICS;

/// What was run, and what came out.
pub struct Evaluation {
    pub designs: Vec<Design>,
    pub variants: Vec<Variant>,
    pub outcomes: Vec<Outcome>,
}

impl Evaluation {
    /// Runs the designs, or reads what earlier runs left.
    pub fn new(arguments: &Arguments) -> Result<Evaluation> {
        let config = arguments.machine.load()?;
        let inputs = arguments.inputs()?;
        let designs = designs(&arguments.designs);
        let mut variants: Vec<Variant> = designs.iter().map(|&design| Variant::plain(design)).collect();
        if arguments.sthld {
            variants.extend(variants::static_sthld());
        }
        if arguments.ablations {
            variants.extend(variants::ablations());
        }
        let outcomes = jobs::run(&inputs, &variants, &config, arguments)?;
        Ok(Evaluation { designs, variants, outcomes })
    }

    /// Names of what it ran on.
    fn inputs(&self) -> Vec<String> {
        let baseline = self.outcomes.iter().filter(|outcome| outcome.label == Design::BASELINE.name());
        baseline.map(|outcome| outcome.workload.clone()).collect()
    }

    /// A number per workload for each design that a metric concerns.
    pub fn series(&self, metric: Metric) -> Vec<Series> {
        let concerned = self.designs.iter().filter(|design| metric.concerns(&design.name()));
        concerned.map(|design| metric.of(&self.outcomes, &design.name())).collect()
    }

    pub fn study(&self) -> Study {
        let findings =
            METRICS.into_iter().flat_map(|metric| claims::findings(metric, &self.series(metric))).collect();
        Study::new(
            "malekeh",
            self.inputs(),
            findings,
            plots::all(&self.outcomes, &self.designs, &self.variants),
        )
    }
}

/// What the papers report.
pub fn claimed() -> Vec<Finding> {
    claims::all(&METRICS)
}

/// Runs the designs and prints the tables.
pub fn run(arguments: &Arguments) -> Result<Verdict> {
    let evaluation = Evaluation::new(arguments)?;
    let Evaluation { designs, variants, outcomes } = &evaluation;
    arguments.json.write(outcomes)?;
    if let Some(path) = &arguments.csv {
        write(path, &csv(outcomes, &tables::COLUMNS)?)?;
    }
    if arguments.json.leaves_tables() {
        tables::print(outcomes, designs, variants)?;
    }
    if let Some(folder) = &arguments.out {
        evaluation.study().save(folder)?;
    }
    Ok(jobs::verdict(outcomes))
}

/// The baseline, which the others are compared with, and those named.
fn designs(named: &[Design]) -> Vec<Design> {
    let named = match named.is_empty() {
        true => Design::family(Family::Malekeh).collect(),
        false => named.to_vec(),
    };
    let mut designs = vec![Design::BASELINE];
    for design in named {
        if !designs.contains(&design) {
            designs.push(design);
        }
    }
    designs
}
