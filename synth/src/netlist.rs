// SPDX-License-Identifier: Apache-2.0
//! The netlist of a design in cells of a library, to be run and measured.
//!
//! The cells' models come from the Liberty file's own functions by way of Yosys; that of a clock gate, which
//! has a state table there and no function, from the names of its pins. Names are those of the design where
//! it has one, and `u1`, `u2` for what Yosys made, behind the instance that it stands in:
//! `queues[0].each.u17`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use gpurf_files::NewFolder;
use gpurf_verilog::cache;
use gpurf_verilog::tools::Tool;

use crate::circuit::Circuit;
use crate::liberty::Library;
use crate::synthesis::{
    clock_gating, constraints, mapping, prepare, quoted, trimmed, Job, Options, Structure,
};
use crate::yosys::Yosys;

const JSON: &str = "netlist.json";
const VERILOG: &str = "netlist.v";
const MODELS: &str = "models.v";

/// A design mapped to cells of a library: one flat module under the design's name.
#[derive(Clone, Debug)]
pub struct Netlist {
    /// Name of the module.
    pub top: String,
    /// Verilog of the module.
    pub module: String,
    /// Verilog of the cells that it consists of.
    pub models: String,
    /// The module as Yosys' JSON.
    json: String,
}

impl Netlist {
    /// Maps a design. What was mapped before is read from `$GPURF_CACHE`, by default `gpurf` in the user's
    /// cache folder.
    ///
    /// # Errors
    /// If Yosys is missing or fails; see [`synthesize`](crate::synthesize).
    pub fn map(job: &Job, options: &Options) -> Result<Netlist> {
        let library = &options.library;
        let script = script(job, options);
        let key = cache::key(&[
            job.source,
            &script,
            &constraints(library)?,
            &clock_gating(library),
            &library.key,
            &Tool::Yosys.version()?,
        ]);
        let kept = cache::folder().join(format!("{}-{key}.netlist", job.top));
        if let Ok(netlist) = Netlist::read(job.top, &kept) {
            return Ok(netlist);
        }
        let yosys = Yosys::new()?;
        prepare(&yosys, job, library)?;
        if !yosys.run(&script, None)? {
            return Err(yosys.failure()).with_context(|| job.top.to_string());
        }
        let models = used_models(&yosys.read(VERILOG)?, &yosys.read(MODELS)?, library);
        yosys.write(MODELS, &models)?;
        let netlist = Netlist::read(job.top, yosys.path())?;
        // A cache that cannot be written costs time, and nothing else.
        if let Ok(folder) = NewFolder::create(&kept) {
            let copy = |name| fs::copy(yosys.path().join(name), folder.temporary().join(name)).is_ok();
            if [JSON, VERILOG, MODELS].into_iter().all(copy) {
                let _ = folder.finish();
            }
        }
        Ok(netlist)
    }

    fn read(top: &str, folder: &Path) -> Result<Netlist> {
        let read = |name: &str| {
            let path = folder.join(name);
            fs::read_to_string(&path).with_context(|| format!("{}: cannot be read", path.display()))
        };
        Ok(Netlist { top: top.to_string(), module: read(VERILOG)?, models: read(MODELS)?, json: read(JSON)? })
    }

    /// Verilog of the module and its cells, for a simulator.
    pub fn verilog(&self) -> String {
        format!("{}\n{}", self.models, self.module)
    }

    /// The cells and nets, to be evaluated one by one.
    ///
    /// # Errors
    /// If there is something in it that the library or the evaluation does not know.
    pub fn circuit<'a>(&self, library: &'a Library) -> Result<Circuit<'a>> {
        Circuit::read(&self.json, &self.top, library).with_context(|| format!("{}: netlist", self.top))
    }
}

fn script(job: &Job, options: &Options) -> String {
    let flatten = if job.structure == Structure::Kept { "flatten" } else { "" };
    let liberty = quoted(&options.library.path);
    mapping(job, options)
        + &trimmed(&format!(
            "attrmap -remove src -remove hdlname
             rename -enumerate -pattern u%
             {flatten}
             opt_clean
             write_json {JSON}
             write_verilog -noattr {VERILOG}
             design -reset
             read_liberty -ignore_miss_func {liberty}
             write_verilog -noattr {MODELS}
            "
        ))
}

/// The models of the cells that stand in a netlist.
fn used_models(netlist: &str, models: &str, library: &Library) -> String {
    let used: BTreeSet<&str> = netlist.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let mut text = String::new();
    for model in models.split_inclusive("endmodule\n") {
        let declared = model.lines().find_map(|line| line.strip_prefix("module "));
        let name = declared.and_then(|rest| rest.split('(').next());
        if name.is_some_and(|name| used.contains(name.trim())) {
            text += model;
        }
    }
    for (name, cell) in &library.cells {
        if let (Some(gate), true) = (&cell.clock_gate, used.contains(name.as_str())) {
            let test = gate.test.as_ref();
            let (port, open) = (
                test.map_or(String::new(), |pin| format!(", input {pin}")),
                test.map_or(gate.enable.clone(), |pin| format!("{} | {pin}", gate.enable)),
            );
            let (clock, output) = (&gate.clock, &gate.output);
            text += &format!(
                "module {name}(input {clock}, input {}{port}, output {output});\n  reg open;\n\
                 \x20 always @* if (!{clock}) open = {open};\n  assign {output} = {clock} & open;\nendmodule\n",
                gate.enable
            );
        }
    }
    text
}
