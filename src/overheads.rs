// SPDX-License-Identifier: Apache-2.0
//! `gpurf overheads`: the papers' storage and area claims beside what the RTL has.

use std::path::PathBuf;
use std::slice;

use anyhow::{bail, Context, Result};
use clap::Args;
use gpurf_blocks::Parameters;
use gpurf_hw::catalogue::find;
use gpurf_synth::{
    audit, count, digest, Area, Audit, Built, MeasuredModule, Memories, Overheads, Paper, Records, Registers,
    Synthesis,
};
use gpurf_testbenches::workbench;
use gpurf_verilog::{emit, Hierarchy};
use serde::Serialize;

use crate::output::{progress, say, JsonArgument};
use crate::program;
use crate::records::RecordArguments;
use crate::synth::{options, synthesize, Design, StructureArguments};
use crate::verdict::Verdict;

#[derive(Args)]
#[command(after_help = "Examples:
  gpurf overheads                                  # hours
  gpurf overheads W F                              # hours
  gpurf overheads --no-area --json overheads.json  # a second
  gpurf overheads --by-module                      # hours
  gpurf overheads --last synth/areas.jsonl         # seconds")]
pub struct Arguments {
    /// The letters of papers: W and F (Malekeh, the workshop paper and the full one), I (inter-warp
    /// multicasting), R (FineReg); without any, all papers
    #[arg(value_name = "PAPER")]
    papers: Vec<String>,
    /// Only count registers, and synthesize nothing
    #[arg(long)]
    no_area: bool,
    /// Use this cell library; without it, the Nangate 45 nm library (typical), which is fetched from PyPI
    /// once
    #[arg(long, value_name = "FILE")]
    liberty: Option<PathBuf>,
    /// Synthesize only the modules that took up to 20 seconds when they were last measured; of the modules
    /// that took longer, show the figures of this file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["no_area", "by_module"])]
    last: Option<PathBuf>,
    #[command(flatten)]
    structure: StructureArguments,
    #[command(flatten)]
    records: RecordArguments,
    #[command(flatten)]
    json: JsonArgument,
}

/// Seconds of Yosys for which a module counts as one that takes long.
const LONG: f64 = 20.0;

/// Results that are written as JSON.
#[derive(Serialize)]
struct Results {
    #[serde(flatten)]
    overheads: Overheads,
    /// The synthesis of the modules that are built, each once; empty without areas.
    synthesis: Vec<Synthesis>,
}

pub fn run(arguments: Arguments) -> Result<Verdict> {
    let all = Paper::all();
    let papers = chosen(&all, &arguments.papers)?;
    arguments.records.check()?;
    let mut built = vec![];
    let bar = progress(papers.iter().map(|paper| paper.modules.len() as u64).sum(), "modules");
    for paper in &papers {
        for module in &paper.modules {
            bar.set_message(format!("Verilog of {}", module.module));
            built.push(build(paper, module)?);
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    let mut areas: Vec<Synthesis> = vec![];
    if !arguments.no_area {
        let mut designs: Vec<Design> = vec![];
        for (module, (_, registers, hierarchy)) in papers.iter().flat_map(|paper| &paper.modules).zip(&built)
        {
            if designs.iter().all(|other| other.hierarchy.top != hierarchy.top) {
                designs.push(Design {
                    hierarchy: hierarchy.clone(),
                    memories: registers.memories.clone(),
                    sat_sweeping: module.sat_sweeping,
                    structure: arguments.structure.structure(),
                });
            }
        }
        areas = synthesized(&designs, &arguments)?;
    }
    let mut built = built.into_iter();
    let mut audits = vec![];
    for paper in &papers {
        let modules = paper.modules.iter().zip(built.by_ref());
        let modules = modules.map(|(module, built)| measured(module, built, &areas));
        audits.push(audit(paper, &all, modules.collect::<Result<_>>()?)?);
    }
    let results = Results { overheads: Overheads { audits }, synthesis: areas };
    let written = arguments.json.write(&results);
    let Results { overheads, synthesis: areas } = &results;
    if arguments.json.leaves_tables() {
        if !areas.is_empty() {
            println!("{}\n{}\n", Synthesis::summary(areas), Synthesis::notes(areas));
            if let Some(table) = Synthesis::by_module(areas) {
                println!("{table}\n");
            }
        }
        println!("{overheads}\ngpurf {}", program::version());
    }
    let verdict = arguments.records.finish(areas);
    written?;
    verdict
}

/// Syntheses of the modules. With `--last`, those that take long are not measured but looked up, and those
/// that were never measured are left out.
fn synthesized(designs: &[Design], arguments: &Arguments) -> Result<Vec<Synthesis>> {
    let options = options(arguments.liberty.as_deref())?;
    let Some(path) = &arguments.last else {
        return synthesize(designs, &options);
    };
    let records = Records::read(path)?;
    let (mut short, mut long, mut unknown) = (vec![], vec![], vec![]);
    for design in designs {
        let source = digest(&design.hierarchy.code());
        match records.latest(&design.hierarchy.top, &source) {
            Some(last) if last.seconds <= LONG => {
                short.push(Design { structure: last.structure, ..design.clone() });
            }
            Some(last) => {
                if source != last.source {
                    say!(
                        "{}: the hardware has changed since it was measured; see `make overheads`",
                        last.top
                    );
                }
                let memories = design.memories.clone();
                long.push(Synthesis { memories, ..last.clone() });
            }
            None => unknown.push(design.hierarchy.top.as_str()),
        }
    }
    if !unknown.is_empty() {
        say!(
            "not in {}, and without area here; see `make overheads`: {}",
            path.display(),
            unknown.join(", ")
        );
    }
    let mut all = synthesize(&short, &options)?;
    all.extend(long);
    Ok(all)
}

/// All papers' claims beside registers, and beside areas where all modules of a paper are among those given.
pub fn audits(areas: &[Synthesis]) -> Result<Vec<Audit>> {
    let all = Paper::all();
    let audited = |paper: &Paper| {
        let modules = paper.modules.iter().map(|module| measured(module, build(paper, module)?, areas));
        audit(paper, &all, modules.collect::<Result<_>>()?)
    };
    all.iter().map(audited).collect()
}

/// The papers that are asked for, in their own order.
pub fn chosen<'a>(all: &'a [Paper], keys: &[String]) -> Result<Vec<&'a Paper>> {
    if let Some(unknown) = keys.iter().find(|key| all.iter().all(|paper| paper.key != **key)) {
        let known: Vec<_> =
            all.iter().filter(|paper| !paper.modules.is_empty()).map(|paper| paper.key.as_str()).collect();
        bail!("no paper is called `{unknown}`; there are {}", known.join(", "));
    }
    Ok(all.iter().filter(|paper| keys.is_empty() || keys.contains(&paper.key)).collect())
}

/// The claims of a paper beside registers, and beside areas as they were measured last.
pub fn recorded(key: &str, records: &Records) -> Result<Audit> {
    let all = Paper::all();
    let paper = chosen(&all, &[key.to_string()])?[0];
    let modules = paper.modules.iter().map(|module| {
        let built = build(paper, module)?;
        let last = records.latest(&built.2.top, &digest(&built.2.code()));
        measured(module, built, last.map_or(&[], slice::from_ref))
    });
    audit(paper, &all, modules.collect::<Result<_>>()?)
}

/// A module as a paper has it: its data width, its registers, its Verilog.
type Hardware = (u64, Registers, Hierarchy);

fn build(paper: &Paper, module: &Built) -> Result<Hardware> {
    let build = || -> Result<Hardware> {
        let mut parameters = Parameters::default();
        for (name, value) in module.settings() {
            parameters.set(name, &value)?;
        }
        let entry = find(&module.module)?;
        parameters.check()?;
        let block = workbench(entry.name, &parameters).block();
        Ok((parameters.width as u64, count(&*block), emit(&*block)?))
    };
    build().with_context(|| format!("paper {}, {}", paper.key, module.name))
}

fn measured(
    module: &Built,
    (data_width, registers, hierarchy): Hardware,
    areas: &[Synthesis],
) -> Result<MeasuredModule> {
    let area = areas.iter().find(|synthesis| synthesis.top == hierarchy.top).map(Area::from);
    let memory = Memories::default().area(&registers.memories).with_context(|| hierarchy.top.clone())?;
    Ok(MeasuredModule {
        name: module.name.clone(),
        verilog: hierarchy.top,
        data_width,
        registers,
        memory,
        area,
    })
}
