// SPDX-License-Identifier: Apache-2.0
//! `gpurf layout`: small hardware modules placed and routed.

use std::path::PathBuf;

use anyhow::{ensure, Context, Result};
use clap::Args;
use gpurf_synth::{count, lay_out, Layout, Layouts};
use gpurf_testbenches::workbench;

use crate::output::{each, write, JsonArgument};
use crate::program;
use crate::records::origin;
use crate::verdict::Verdict;
use crate::verilog::{hierarchy, modules, ModuleArguments};

#[derive(Args)]
#[command(after_help = "Examples:
  gpurf layout collector_allocator                              # minutes
  gpurf layout age_matrix warp_scheduler --json layouts.json    # minutes
  gpurf layout collector_allocator --picture allocator.svg      # minutes
  gpurf layout ocu --set width=32 --record synth/layouts.jsonl  # minutes

The cells are those of OSU at 0.18 µm, the only ones that qflow comes with: what counts is how much longer a path is with
its wires. docs/wires.md has what was laid out.")]
pub struct Arguments {
    #[command(flatten)]
    modules: ModuleArguments,
    /// Draw the layout into this file, as SVG. The option takes one module
    #[arg(long, value_name = "FILE", value_parser = crate::output::file())]
    picture: Option<PathBuf>,
    /// Keep the figures in this file: a line of JSON for each module, instead of the one that it has of
    /// the module
    #[arg(long, value_name = "FILE", value_parser = crate::output::file())]
    record: Option<PathBuf>,
    #[command(flatten)]
    json: JsonArgument,
}

pub fn run(arguments: Arguments) -> Result<Verdict> {
    let (entries, parameters) = modules(&arguments.modules)?;
    ensure!(
        arguments.picture.is_none() || entries.len() == 1,
        "--picture: the file takes the layout of one module, and {} are given; name one",
        entries.len()
    );
    for entry in &entries {
        ensure!(
            count(&*workbench(entry.name, &parameters).block()).memories.is_empty(),
            "{}: it has memories, and the library has no cells for them; name modules without",
            entry.name
        );
    }
    let record = arguments.record.as_deref();
    let mut known = record.map(Layouts::read).transpose()?;
    let layouts = each(
        entries,
        "layouts",
        |entry| entry.name,
        |entry| {
            let hierarchy = hierarchy(entry, &parameters)?;
            let (layout, physical) = lay_out(&hierarchy.code(), &hierarchy.top)?;
            if let Some(picture) = &arguments.picture {
                write(picture, physical.svg())?;
            }
            if let (Some(path), Some(known)) = (record, &mut known) {
                known.replace(&layout, &origin());
                known.write(path).with_context(|| entry.name)?;
            }
            Ok(layout)
        },
    )?;
    let written = arguments.json.write_list(&layouts);
    if arguments.json.leaves_tables() {
        println!("{}", Layout::summary(&layouts));
        let tools = layouts.first().map_or("", |layout| layout.tools.as_str());
        println!("{tools}; cells of OSU, 0.18 µm, without a clock tree. Paths with the wires' resistances and capacitances.");
        println!("gpurf {}", program::version());
    }
    written?;
    Ok(Verdict::Holds)
}
