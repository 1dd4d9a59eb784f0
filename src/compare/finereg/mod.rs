//! FineReg's evaluation: more resident thread blocks than scheduling allows. R §VI.
//!
//! The machine is R's (`sim/config/finereg.toml`).

mod claims;
mod kinds;
mod metrics;
mod tables;
mod variants;

use anyhow::{ensure, Result};
use gpurf_sim::config::{Config, FINEREG};
use gpurf_sim::sm::{Design, Family};
use gpurf_workloads::Options;

use super::csv::csv;
use super::jobs::{self, Outcome, Variant};
use super::plot::Plot;
use super::study::Study;
use super::Arguments;
use crate::output::write;
use crate::Verdict;
use kinds::Profile;
use metrics::METRICS;
pub use tables::claimed;

/// Runs the designs and prints the tables.
pub fn run(arguments: &Arguments) -> Result<Verdict> {
    ensure!(!arguments.sthld, "--sthld belongs to --study malekeh; leave it out");
    let config =
        Config::load_over(FINEREG, arguments.machine.config.as_deref(), &arguments.machine.settings)?;
    let inputs = arguments.inputs()?;
    let designs = designs(&arguments.designs);
    let ablations = if arguments.ablations { variants::ablations(&config) } else { vec![] };
    let (mut profiles, mut fitting, mut left_out) = (vec![], vec![], vec![]);
    for input in inputs {
        let workload = input.workload(arguments.emulation.size, Options::default())?;
        match Profile::of(&workload, &config)? {
            Some(profile) => {
                profiles.push(profile.named(input.name()));
                fitting.push(input);
            }
            None => left_out.push(input.name().to_string()),
        }
    }
    let planned: Vec<Variant> =
        designs.iter().copied().flat_map(variants::of).chain(ablations.clone()).collect();
    let outcomes = jobs::run(&fitting, &planned, &config, arguments)?;

    arguments.json.write(&outcomes)?;
    if let Some(path) = &arguments.csv {
        write(path, &csv(&outcomes, &tables::COLUMNS)?)?;
    }
    let mut compared: Vec<Outcome> =
        designs.iter().flat_map(|&design| variants::best(design, &outcomes)).collect();
    let is_ablation = |outcome: &&Outcome| ablations.iter().any(|variant| variant.label == outcome.label);
    compared.extend(outcomes.iter().filter(is_ablation).cloned());
    if arguments.json.leaves_tables() {
        println!("Workloads by what limits their thread blocks (R Table II)\n{}\n", kinds::print(&profiles));
        if !left_out.is_empty() {
            println!("Left out, a block does not fit on the SM: {}\n", left_out.join(", "));
        }
        tables::print(&compared, &designs, &profiles, &ablations);
    }
    if let Some(folder) = &arguments.out {
        study(&compared, &designs, &profiles).save(folder)?;
    }
    Ok(jobs::verdict(&outcomes))
}

fn study(outcomes: &[Outcome], designs: &[Design], profiles: &[Profile]) -> Study {
    let (mut findings, mut plots) = (vec![], vec![]);
    for metric in METRICS {
        let concerned = designs.iter().filter(|design| metric.concerns(&design.name()));
        let series: Vec<_> = concerned.map(|design| metric.of(outcomes, &design.name())).collect();
        findings.extend(tables::findings(metric, &series, profiles));
        plots.push(Plot::bars(format!("finereg_{}", metric.file()), metric.title(), series));
    }
    plots.retain(Plot::has_data);
    let inputs = profiles.iter().map(|profile| profile.workload.clone()).collect();
    Study::new("finereg", inputs, findings, plots)
}

/// The baseline, which the others are compared with, and those named.
fn designs(named: &[Design]) -> Vec<Design> {
    let named = match named.is_empty() {
        true => Design::family(Family::FineReg).collect(),
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
