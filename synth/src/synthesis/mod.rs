// SPDX-License-Identifier: Apache-2.0
//! Synthesis of Verilog with Yosys onto a cell library.
//!
//! Every distinct module is mapped once, by itself, wherever it is instanced and in however many designs: the
//! sum over its instances tells where the area goes. A design may be flattened and mapped as one besides,
//! which is what it costs: only there is logic shared and simplified across the borders of modules. That
//! takes the longer the larger the whole is, minutes or hours where the sum takes seconds. A module with no
//! other below it is mapped once for both. Memories stay memories and are counted in bits; they have no area
//! here.
//!
//! Depth and longest path are of the flattened design, or where there is none, of the mapped modules joined:
//! what no command has changed across the borders, so that the path is that of the cells that were counted.
//!
//! A run whose Verilog, script, library and tools are those of an earlier one is not repeated: what Yosys
//! reported is kept in `$GPURF_CACHE`, by default `gpurf` in the user's cache folder. The Verilog of a module
//! by itself is its own and the ports of the modules in it, so that a change in one of them maps that one
//! again.

mod parts;
mod run;
mod schedule;
mod script;
mod statistics;
mod tables;
mod tree;

use std::collections::BTreeMap;

use anyhow::{bail, Result};
use serde::{Deserialize, Serialize};

use self::run::RunReport;
pub use self::run::YosysStep;
pub use self::schedule::{synthesize, synthesize_all, Event};
pub use self::script::LOAD_FF;
pub(crate) use self::script::{clock_gating, constraints, mapping, prepare, quoted, trimmed};
pub use self::tables::table;
pub(crate) use self::tables::{grouped, memory_columns, MEMORY_COLUMNS};
use self::tree::ReportTree;
use crate::liberty::Library;
use crate::memories::MemoryArray;
use crate::origin::Origin;

/// A module to be synthesized, and how.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// Verilog of the top module and of all modules below it.
    pub source: &'a str,
    /// The module that is synthesized.
    pub top: &'a str,
    /// ABC merges what its SAT solver proves equal. With hundreds of wide comparators that takes very long
    /// and gains nothing: to random vectors, their outputs all look alike.
    pub sat_sweeping: bool,
    /// True if it is flattened besides.
    pub structure: Structure,
}

impl<'a> Job<'a> {
    /// With SAT sweeping, flattened.
    pub fn new(source: &'a str, top: &'a str) -> Self {
        Job { source, top, sat_sweeping: true, structure: Structure::Flattened }
    }
}

/// The treatment of the borders of modules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Structure {
    /// They stay: each module is mapped by itself, and what is in it can be told apart afterwards.
    Kept,
    /// They are dissolved before mapping: logic is shared and simplified across them.
    #[default]
    Flattened,
}

/// How it is synthesized.
#[derive(Clone, Debug)]
pub struct Options {
    /// Cells to map to.
    pub library: Library,
    /// Delay that buffering and sizing aim at, in picoseconds.
    pub delay_target_ps: u32,
    /// Registers of eight bits and more with an enable get a clock gate instead of a multiplexer per
    /// bit, where the library has clock gates.
    pub clock_gating: bool,
}

/// Delay that buffering and sizing aim at where nothing else is said, in picoseconds.
pub const DELAY_TARGET_PS: u32 = 2000;

impl Options {
    /// The usual delay target, no clock gating.
    pub fn new(library: Library) -> Options {
        Options { library, delay_target_ps: DELAY_TARGET_PS, clock_gating: false }
    }
}

/// The cost of a module. Areas are in µm², gate equivalents (GE) in areas of one NAND of two inputs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Synthesis {
    /// The module.
    pub top: String,
    /// Digest of the Verilog that was synthesized.
    pub source: String,
    /// When it was measured; none in the run that measures it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<Origin>,
    /// Yosys and its version.
    pub tool: String,
    /// Cell library.
    pub library: String,
    /// In µm².
    pub gate_equivalent_um2: f64,
    /// Delay that buffering and sizing aimed at, in picoseconds.
    pub delay_target_ps: u32,
    /// True if registers have clock gates.
    pub clock_gating: bool,
    /// True if ABC merged what its SAT solver proves equal.
    pub sat_sweeping: bool,
    /// The kind of the figures: of the flattened design, or sums over its modules.
    #[serde(default)]
    pub structure: Structure,
    /// Area of all cells. Memories are not in it; [`Memories::area`](crate::Memories::area) has theirs.
    pub area_um2: f64,
    /// The same in gate equivalents.
    pub gate_equivalents: f64,
    /// Part of the area that flip-flops take.
    pub flip_flop_area_um2: f64,
    /// Flip-flops; each holds one bit.
    pub flip_flops: u64,
    /// Bits of memories, which are not mapped to cells.
    pub memory_bits: u64,
    /// Memories by rows, width and ports, as the design declares them; left out of records.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memories: Vec<MemoryArray>,
    /// Cells of the library.
    pub cells: u64,
    /// The same by kind; left out of records.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub cells_by_type: BTreeMap<String, u64>,
    /// Cells on the longest combinational path.
    pub logic_depth: u64,
    /// The longest path between registers or ports, with ideal clock and no wires, if OpenSTA is there.
    /// Paths through memories are not timed.
    pub longest_path_ns: Option<f64>,
    /// Each mapped by itself; the top comes first, then by falling area.
    pub modules: Vec<ModuleArea>,
    /// Seconds that all runs of Yosys took, summed.
    pub seconds: f64,
    /// The ones of them that mapped the distinct modules.
    #[serde(default)]
    pub seconds_by_module: f64,
}

/// One distinct module of the design, mapped by itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ModuleArea {
    /// Its name.
    pub module: String,
    /// How often it stands in the whole design.
    pub instances: u64,
    /// Area of one instance with all that is in it.
    pub area_um2: f64,
    /// The same in gate equivalents.
    pub gate_equivalents: f64,
    /// Area of one instance without its submodules.
    pub own_area_um2: f64,
    /// The flip-flops of one instance with all that is in it.
    pub flip_flops: u64,
    /// The memory bits of one instance with all that is in it.
    pub memory_bits: u64,
}

/// Sums over the modules, and of the whole what was measured flattened or joined.
fn combine(job: &Job, options: &Options, tree: &ReportTree, whole: &RunReport) -> Result<Synthesis> {
    let library = &options.library;
    let gate = library.gate_equivalent()?;
    let is_flat = job.structure == Structure::Flattened && tree.modules.len() > 1;
    let cells_by_type = if is_flat { whole.cells.clone() } else { tree.cells() };
    let cell = |name: &str| library.cells.get(name);
    if let Some(name) = cells_by_type.keys().find(|name| cell(name).is_none() && !name.starts_with("$mem")) {
        bail!("Yosys left a cell {name} that library {} does not have", library.name);
    }
    let area = |name: &str| cell(name).map_or(0.0, |cell| cell.area);
    let is_flip_flop = |name: &str| cell(name).is_some_and(|cell| cell.flip_flop);
    let flip_flop = |name: &str| is_flip_flop(name) as u64 as f64;
    let flip_flop_area = |name: &str| if is_flip_flop(name) { area(name) } else { 0.0 };

    let mut modules: Vec<ModuleArea> = tree
        .instances()
        .into_iter()
        .map(|(module, instances)| {
            let area_um2 = tree.sum(module, &|report| total(&report.cells, area));
            ModuleArea {
                module: module.to_string(),
                instances,
                area_um2,
                gate_equivalents: area_um2 / gate,
                own_area_um2: total(&tree.modules[module].cells, area),
                flip_flops: tree.sum(module, &|report| total(&report.cells, flip_flop)) as u64,
                memory_bits: tree.sum(module, &|report| report.memory_bits as f64) as u64,
            }
        })
        .collect();
    modules.sort_by(|a, b| {
        (b.module == job.top).cmp(&(a.module == job.top)).then(b.area_um2.total_cmp(&a.area_um2))
    });

    let area_um2 = if is_flat { total(&cells_by_type, area) } else { modules[0].area_um2 };
    let seconds_by_module: f64 = tree.modules.values().map(|report| report.time.as_secs_f64()).sum();
    Ok(Synthesis {
        top: job.top.to_string(),
        source: crate::digest(job.source),
        measured: None,
        tool: tree.modules[job.top].tool.clone(),
        library: library.name.clone(),
        gate_equivalent_um2: gate,
        delay_target_ps: options.delay_target_ps,
        clock_gating: options.clock_gating,
        sat_sweeping: job.sat_sweeping,
        structure: job.structure,
        area_um2,
        gate_equivalents: area_um2 / gate,
        flip_flop_area_um2: total(&cells_by_type, flip_flop_area),
        flip_flops: total(&cells_by_type, flip_flop) as u64,
        memory_bits: modules[0].memory_bits,
        memories: vec![],
        cells: cells_by_type.iter().filter(|(name, _)| cell(name).is_some()).map(|(_, count)| count).sum(),
        cells_by_type,
        logic_depth: whole.logic_depth,
        longest_path_ns: whole.longest_path_ns,
        modules,
        seconds: seconds_by_module + whole.time.as_secs_f64(),
        seconds_by_module,
    })
}

/// Sums a property of cells.
fn total(cells: &BTreeMap<String, u64>, of: impl Fn(&str) -> f64) -> f64 {
    cells.iter().map(|(cell, count)| *count as f64 * of(cell)).sum()
}
