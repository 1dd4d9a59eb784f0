//! Malekeh's evaluation: all designs of register-file caches on all workloads. F §VI.

mod claims;
mod metrics;
mod plots;
mod tables;
mod variants;

use anyhow::{bail, Result};
use gpurf_sim::sm::Design;

use super::csv::csv;
use super::jobs::{self, Variant};
use super::Arguments;
use crate::output::write;
use crate::Verdict;

/// Runs the designs and prints the tables.
pub fn run(arguments: &Arguments) -> Result<Verdict> {
    let config = arguments.machine.load()?;
    let inputs = arguments.inputs()?;
    let designs = designs(&arguments.designs)?;
    let mut variants: Vec<Variant> = designs.iter().map(|&design| Variant::plain(design)).collect();
    if arguments.sthld {
        variants.extend(variants::static_sthld());
    }
    if arguments.ablations {
        variants.extend(variants::ablations());
    }
    let outcomes = jobs::run(&inputs, &variants, &config, arguments)?;

    arguments.json.write(&outcomes)?;
    if let Some(path) = &arguments.csv {
        write(path, &csv(&outcomes, &tables::COLUMNS)?)?;
    }
    if arguments.json.leaves_tables() {
        tables::print(&outcomes, &designs, &variants)?;
    }
    if let Some(folder) = &arguments.out {
        plots::write_all(folder, &outcomes, &designs, &variants)?;
        println!("Plots and results: {}", folder.display());
    }
    Ok(jobs::verdict(&outcomes))
}

/// The baseline, which the others are compared with, and those named.
fn designs(names: &[String]) -> Result<Vec<Design>> {
    let mut designs = vec![Design::BASELINE];
    if names.is_empty() {
        designs.extend(Design::ALL.into_iter().filter(|design| *design != Design::BASELINE));
    }
    for name in names {
        let Some(design) = Design::named(name) else {
            let names: Vec<_> = Design::ALL.iter().map(|design| design.name).collect();
            bail!("--designs {name}: there is no such design; there are {}", names.join(", "));
        };
        if !designs.contains(&design) {
            designs.push(design);
        }
    }
    Ok(designs)
}
