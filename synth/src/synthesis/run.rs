// SPDX-License-Identifier: Apache-2.0
//! One run of Yosys, or what is kept of an earlier one with the same inputs.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Result;
use gpurf_verilog::cache;
use gpurf_verilog::tools::Tool;
use serde::{Deserialize, Serialize};

use super::parts::SeparateModule;
use super::script::{self, clock_gating, constraints};
use super::statistics::{own_cells, own_memory_bits, parse_depth};
use super::{Job, Options, Structure};
use crate::files::{CELLS, CLOCK_GATING, CONSTRAINTS, DEPTH, DESIGN, MEMORIES, NETLIST};
use crate::kept;
use crate::latches::in_cells;
use crate::timing;
use crate::yosys::Yosys;

/// The purpose of a run of Yosys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum YosysStep {
    /// One module is mapped, those below it being black boxes.
    Module,
    /// A design is flattened and mapped as one.
    Flattened,
    /// Mapped modules are joined, to measure the paths of the whole.
    Composed,
}

/// The report of a run, of one module or a flattened design.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunReport {
    /// Yosys and its version.
    pub tool: String,
    /// Its own cells by kind, modules below it among them.
    pub cells: BTreeMap<String, u64>,
    /// Bits of its own memories; those of a flattened design stand with its modules.
    pub memory_bits: u64,
    /// The logic depth of the whole; of one module none.
    pub logic_depth: u64,
    /// The same.
    pub longest_path_ns: Option<f64>,
    pub time: Duration,
}

/// A run to be made.
pub struct YosysRun<'a> {
    pub step: YosysStep,
    pub top: &'a str,
    /// Names and texts of the files that the script reads.
    files: Vec<(String, &'a str)>,
    script: String,
    /// Its inputs, as a name for what it makes.
    pub key: String,
}

impl<'a> YosysRun<'a> {
    pub fn module(part: &'a SeparateModule, job: &Job, options: &Options) -> Result<Self> {
        let job = Job { top: &part.name, structure: Structure::Kept, ..*job };
        let script = script::synthesis(&job, options);
        YosysRun::new(YosysStep::Module, &part.name, vec![(DESIGN.into(), &part.source)], script, options)
    }

    pub fn flattened(job: &Job<'a>, options: &Options) -> Result<Self> {
        let script = script::synthesis(job, options);
        YosysRun::new(YosysStep::Flattened, job.top, vec![(DESIGN.into(), job.source)], script, options)
    }

    /// The result of the netlists that the runs of modules made.
    pub fn composed(top: &'a str, netlists: &[&'a str], options: &Options) -> Result<Self> {
        let named = |(number, netlist): (usize, &&'a str)| (format!("module{number}.il"), *netlist);
        let files: Vec<(String, &str)> = netlists.iter().enumerate().map(named).collect();
        let names: Vec<String> = files.iter().map(|(name, _)| name.clone()).collect();
        let script = script::composition(top, &names, options);
        YosysRun::new(YosysStep::Composed, top, files, script, options)
    }

    fn new(
        step: YosysStep,
        top: &'a str,
        files: Vec<(String, &'a str)>,
        script: String,
        options: &Options,
    ) -> Result<Self> {
        let version = Tool::Yosys.version()?;
        let timer = Tool::Sta.find().map(|path| path.display().to_string()).unwrap_or_default();
        let timer = if step == YosysStep::Module { "" } else { &timer };
        let (constraints, clock_gating) = (constraints(&options.library)?, clock_gating(&options.library));
        let mut texts: Vec<&str> = files.iter().map(|(_, text)| *text).collect();
        texts.extend([script.as_str(), &constraints, &clock_gating, &options.library.key, &version, timer]);
        let key = cache::key(&texts);
        Ok(YosysRun { step, top, files, script, key })
    }

    /// The product of an earlier run with the same inputs: its report, and the netlist if it is of one
    /// module.
    pub fn kept(&self) -> Option<(RunReport, String)> {
        kept::read(&self.place())
    }

    fn place(&self) -> PathBuf {
        cache::folder().join(format!("{}-{}.run", self.top, self.key))
    }

    /// Makes the same, and keeps it.
    ///
    /// # Errors
    /// As [`synthesize`](super::synthesize).
    pub fn make(&self, options: &Options) -> Result<(RunReport, String)> {
        let start = Instant::now();
        let yosys = Yosys::new()?;
        let library = &options.library;
        self.files.iter().try_for_each(|(name, text)| yosys.write(name, &in_cells(text, library)?))?;
        yosys.write(CONSTRAINTS, &constraints(library)?)?;
        yosys.write(CLOCK_GATING, &clock_gating(library))?;
        if !yosys.run(&self.script, None)? {
            return Err(yosys.failure());
        }
        let mut report = RunReport {
            tool: Tool::Yosys.version()?,
            cells: BTreeMap::new(),
            memory_bits: 0,
            logic_depth: 0,
            longest_path_ns: None,
            time: Duration::ZERO,
        };
        if self.step != YosysStep::Composed {
            (report.cells, report.tool) = own_cells(&yosys.read(CELLS)?, self.top)?;
            report.memory_bits = own_memory_bits(&yosys.read(MEMORIES)?, self.top)?;
        }
        let mut netlist = String::new();
        if self.step == YosysStep::Module {
            netlist = yosys.read(NETLIST)?;
        } else {
            report.logic_depth = parse_depth(&yosys.read(DEPTH)?)?;
            report.longest_path_ns = timing::longest_path_ns(yosys.path(), self.top, library)?;
        }
        report.time = start.elapsed();
        kept::write(&self.place(), &report, &netlist);
        Ok((report, netlist))
    }
}
