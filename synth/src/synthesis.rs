//! Synthesis of Verilog with Yosys onto a cell library.
//!
//! Every module is synthesized twice, at the same time: with its hierarchy kept, which tells where the
//! area goes, and flattened, which is what it costs: only there is logic shared and simplified across
//! the borders of modules. Memories stay memories and are counted in bits; they have no area here.
//!
//! A run whose Verilog, script, library and tools are those of an earlier one is not repeated: what Yosys reported
//! is kept in `$GPURF_CACHE`, by default `gpurf` in the user's cache folder.

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{anyhow, bail, ensure, Context, Result};
use comfy_table::{presets, CellAlignment, Table};
use gpurf_verilog::cache;
use gpurf_verilog::tools::Tool;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::files::{CELLS, CLOCK_GATING, CONSTRAINTS, DEPTH, DESIGN, MEMORIES, NETLIST};
use crate::liberty::Library;
use crate::origin::Origin;
use crate::timing;
use crate::yosys::Yosys;

/// What is synthesized.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// Verilog of the top module and of all modules below it.
    pub source: &'a str,
    /// The module that is synthesized.
    pub top: &'a str,
    /// ABC merges what its SAT solver proves equal. With hundreds of wide comparators that takes very long and gains
    /// nothing: to random vectors, their outputs all look alike.
    pub sat_sweeping: bool,
}

impl<'a> Job<'a> {
    /// With SAT sweeping.
    pub fn new(source: &'a str, top: &'a str) -> Self {
        Job { source, top, sat_sweeping: true }
    }
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

impl Options {
    /// A delay target of 2 ns, no clock gating.
    pub fn new(library: Library) -> Options {
        Options { library, delay_target_ps: 2000, clock_gating: false }
    }
}

/// What a module costs. Areas are in µm², gate equivalents (GE) in areas of one NAND of two inputs.
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
    /// Whether registers have clock gates.
    pub clock_gating: bool,
    /// Whether ABC merged what its SAT solver proves equal.
    pub sat_sweeping: bool,
    /// Area of all cells, flattened. Memories are not in it.
    pub area_um2: f64,
    /// The same in gate equivalents.
    pub gate_equivalents: f64,
    /// Part of the area that flip-flops take.
    pub flip_flop_area_um2: f64,
    /// Flip-flops; each holds one bit.
    pub flip_flops: u64,
    /// Bits of memories, which are not mapped to cells.
    pub memory_bits: u64,
    /// Cells of the library, flattened.
    pub cells: u64,
    /// The same by kind; left out of records.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub cells_by_type: BTreeMap<String, u64>,
    /// Cells on the longest combinational path.
    pub logic_depth: u64,
    /// The longest path between registers or ports, with ideal clock and no wires, if OpenSTA is there.
    /// Paths through memories are not timed.
    pub longest_path_ns: Option<f64>,
    /// With the hierarchy kept; the top comes first, then by falling area.
    pub modules: Vec<ModuleArea>,
    /// Seconds that the two runs took, summed.
    pub seconds: f64,
}

/// One distinct module of the design, its hierarchy kept.
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
    /// Of one instance with all that is in it.
    pub flip_flops: u64,
    /// Of one instance with all that is in it.
    pub memory_bits: u64,
}

/// Synthesizes one module.
///
/// # Errors
/// If Yosys is missing or fails, if the design has a latch, a combinational loop, or a wire that is
/// undriven or driven twice. The log is kept and named.
pub fn synthesize(job: Job, options: &Options) -> Result<Synthesis> {
    synthesize_all(&[job], options, |_| {}).remove(0)
}

/// What [`synthesize_all`] tells of its runs of Yosys, two for each module.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// A run begins, of this module.
    Begins(&'a str, Structure),
    /// It ended.
    Ends(&'a str, Structure),
}

/// Synthesizes several modules, as many Yosys processes at a time as there are processors, and tells when each run
/// begins and ends.
pub fn synthesize_all(
    jobs: &[Job],
    options: &Options,
    watch: impl Fn(Event) + Sync,
) -> Vec<Result<Synthesis>> {
    let runs = jobs.iter().flat_map(|job| [(job, Structure::Kept), (job, Structure::Flattened)]);
    let runs = Mutex::new(runs.enumerate());
    let results: Mutex<Vec<Option<Result<Run>>>> = Mutex::new((0..2 * jobs.len()).map(|_| None).collect());
    let worker = || loop {
        let next = runs.lock().expect("no panic").next();
        let Some((index, (job, structure))) = next else {
            return;
        };
        watch(Event::Begins(job.top, structure));
        let result = run_once(job, structure, options);
        watch(Event::Ends(job.top, structure));
        results.lock().expect("no panic")[index] = Some(result);
    };
    let workers = thread::available_parallelism().map_or(2, NonZeroUsize::get);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(worker);
        }
    });
    let mut results = results.into_inner().expect("no panic").into_iter().map(|result| result.expect("ran"));
    jobs.iter()
        .map(|job| {
            let mut next = || results.next().expect("two runs per job");
            let (kept, flat) = (next(), next());
            let synthesis = kept.and_then(|kept| combine(job, options, kept, flat?));
            synthesis.with_context(|| job.top.to_string())
        })
        .collect()
}

/// Whether modules are mapped one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Structure {
    /// Each by itself: what is in it can be told apart afterwards.
    Kept,
    /// Dissolved before mapping: logic is shared and simplified across their borders.
    Flattened,
}

/// What one run of Yosys reports.
#[derive(Serialize, Deserialize)]
struct Run {
    tool: String,
    modules: Modules,
    logic_depth: u64,
    longest_path_ns: Option<f64>,
    time: Duration,
}

/// What Yosys has ABC do, but for the commands that call a SAT solver (`&fraig`, `scorr`, `&dch`).
const WITHOUT_SWEEPING: &str =
    "+strash;rewrite,-l;balance,-l;rewrite,-l;balance,-l;dc2;dretime;retime,-o,{D};\
                                strash;&get,-n;&nf,{D};&put;buffer;upsize,{D};dnsize,{D};stime,-p";

/// Load of each output, in femtofarads: a few gates of a 45 nm library.
pub const LOAD_FF: f64 = 10.0;

/// The report of an earlier run with the same inputs, or of a new one.
fn run_once(job: &Job, structure: Structure, options: &Options) -> Result<Run> {
    let version = Tool::Yosys.version()?;
    let timed = Tool::Sta.find().map(|path| path.display().to_string()).unwrap_or_default();
    let (script, constraints) = (script(job, structure, options), constraints(&options.library)?);
    let clock_gating = clock_gating(&options.library);
    let library = &options.library.key;
    let key = cache::key(&[job.source, &script, &constraints, &clock_gating, library, &version, &timed]);
    let kept = cache::folder().join(format!("{}-{key}.json", job.top));
    let earlier = fs::read_to_string(&kept).ok().and_then(|text| serde_json::from_str(&text).ok());
    if let Some(earlier) = earlier {
        return Ok(earlier);
    }
    let new = run(job, structure, options)?;
    // A cache that cannot be written costs time, and nothing else.
    if fs::create_dir_all(cache::folder()).is_ok() {
        if let Ok(mut file) = tempfile::NamedTempFile::new_in(cache::folder()) {
            if serde_json::to_writer(&mut file, &new).is_ok() {
                let _ = file.persist(&kept);
            }
        }
    }
    Ok(new)
}

pub(crate) fn constraints(library: &Library) -> Result<String> {
    Ok(format!("set_driving_cell {}\nset_load {LOAD_FF}\n", library.buffer()?))
}

fn run(job: &Job, structure: Structure, options: &Options) -> Result<Run> {
    let start = Instant::now();
    let yosys = Yosys::new()?;
    let library = &options.library;
    prepare(&yosys, job, library)?;
    if !yosys.run(&script(job, structure, options), None)? {
        return Err(yosys.failure());
    }
    let (mut modules, tool) = Modules::parse(&yosys.read(CELLS)?, job.top)?;
    modules.add_memories(&yosys.read(MEMORIES)?)?;
    let (mut logic_depth, mut longest_path_ns) = (0, None);
    if structure == Structure::Flattened {
        logic_depth = parse_depth(&yosys.read(DEPTH)?)?;
        longest_path_ns = timing::longest_path_ns(yosys.path(), job.top, library)?;
    }
    Ok(Run { tool, modules, logic_depth, longest_path_ns, time: start.elapsed() })
}

/// The Yosys script.
fn script(job: &Job, structure: Structure, options: &Options) -> String {
    let top = job.top;
    let mut script = mapping(job, structure, options) + &format!("tee -q -o {CELLS} stat -json -top {top}\n");
    if structure == Structure::Flattened {
        // A path begins and ends at whatever holds state.
        let state = options.library.sequential().map(|cell| format!(" t:{cell} %d")).collect::<String>();
        // OpenSTA reads no concatenation on the left of an assignment.
        script += &format!(
            "cd {top}
             select -set logic *{state} t:$mem* %d
             tee -q -o {DEPTH} ltp -noff @logic
             delete t:$mem*
             cd ..
             write_verilog -noattr -noexpr -simple-lhs {NETLIST}
            "
        );
    }
    trimmed(&script)
}

/// The steps from the design to cells of the library.
///
/// Memories are collected but not mapped: the steps are those of `synth` without `memory_map`.
pub(crate) fn mapping(job: &Job, structure: Structure, options: &Options) -> String {
    let top = job.top;
    let liberty = quoted(&options.library.path);
    let flatten = if structure == Structure::Flattened { "flatten" } else { "" };
    let gate = options.clock_gating && options.library.clock_gate().is_some();
    let gate = if gate { format!("techmap -map {CLOCK_GATING}") } else { String::new() };
    let target = options.delay_target_ps;
    let mapping = if job.sat_sweeping { String::new() } else { format!("-script {WITHOUT_SWEEPING}") };
    trimmed(&format!(
        "read_verilog -sv {DESIGN}
         hierarchy -check -top {top}
         proc
         select -assert-none t:$dlatch t:$adlatch t:$dlatchsr
         check -assert
         tee -q -o {MEMORIES} stat -json
         {flatten}
         synth -run coarse:fine
         {gate}
         opt -fast -full
         opt -full
         techmap
         opt -fast
         dfflibmap -liberty {liberty}
         abc -liberty {liberty} -constr {CONSTRAINTS} -D {target} {mapping}
         setundef -zero
         opt_clean -purge
         read_liberty -lib -ignore_miss_func {liberty}
         check -assert
        "
    ))
}

/// Writes what [`mapping`] reads into the folder.
pub(crate) fn prepare(yosys: &Yosys, job: &Job, library: &Library) -> Result<()> {
    yosys.write(DESIGN, job.source)?;
    yosys.write(CONSTRAINTS, &constraints(library)?)?;
    yosys.write(CLOCK_GATING, &clock_gating(library))
}

/// Without the indentation of this file.
pub(crate) fn trimmed(script: &str) -> String {
    script.lines().map(|line| format!("{}\n", line.trim())).collect()
}

/// Verilog that puts a clock gate before a register with enable, and before one with reset as well.
///
/// The gate opens for a reset, too, because the reset is synchronous and wins over the enable.
pub(crate) fn clock_gating(library: &Library) -> String {
    let Some((gate, pins)) = library.clock_gate() else {
        return String::new();
    };
    let test = pins.test.as_ref().map(|pin| format!(", .{pin}(1'b0)")).unwrap_or_default();
    let gate = |open: &str| {
        format!(
            "  {gate} gate (.{}(CLK), .{}({open}), .{}(gated){test});",
            pins.clock, pins.enable, pins.output
        )
    };
    let (enabled, reset) = (gate("EN == EN_POLARITY"), gate("(EN == EN_POLARITY) | (SRST == SRST_POLARITY)"));
    format!(
        r#"(* techmap_celltype = "$dffe" *)
module gate_enabled (CLK, EN, D, Q);
  parameter WIDTH = 1;
  parameter CLK_POLARITY = 1'b1;
  parameter EN_POLARITY = 1'b1;
  input CLK, EN;
  input [WIDTH-1:0] D;
  output [WIDTH-1:0] Q;
  wire _TECHMAP_FAIL_ = WIDTH < 8 || !CLK_POLARITY;
  wire gated;
{enabled}
  \$dff #(.WIDTH(WIDTH), .CLK_POLARITY(1'b1)) state (.CLK(gated), .D(D), .Q(Q));
endmodule

(* techmap_celltype = "$sdffe" *)
module gate_enabled_reset (CLK, SRST, EN, D, Q);
  parameter WIDTH = 1;
  parameter CLK_POLARITY = 1'b1;
  parameter EN_POLARITY = 1'b1;
  parameter SRST_POLARITY = 1'b1;
  parameter SRST_VALUE = 0;
  input CLK, SRST, EN;
  input [WIDTH-1:0] D;
  output [WIDTH-1:0] Q;
  wire _TECHMAP_FAIL_ = WIDTH < 8 || !CLK_POLARITY;
  wire gated;
{reset}
  \$sdff #(.WIDTH(WIDTH), .CLK_POLARITY(1'b1), .SRST_POLARITY(SRST_POLARITY), .SRST_VALUE(SRST_VALUE))
    state (.CLK(gated), .SRST(SRST), .D(D), .Q(Q));
endmodule
"#
    )
}

/// A path as a word of a Yosys script.
pub(crate) fn quoted(path: &Path) -> String {
    format!("\"{}\"", path.display())
}

/// Cells of every module, as `stat -json` counts them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Modules {
    top: String,
    cells: BTreeMap<String, BTreeMap<String, u64>>,
    memory_bits: BTreeMap<String, u64>,
}

impl Modules {
    /// Reads the output of `stat -json`; the second value is Yosys and its version.
    fn parse(text: &str, top: &str) -> Result<(Modules, String)> {
        let stat = json(text)?;
        let mut modules = Modules { top: top.to_string(), ..Modules::default() };
        for (name, module) in stat["modules"].as_object().context("Yosys reports no modules")? {
            let types = module["num_cells_by_type"].as_object().context("Yosys reports no cells by type")?;
            let count = |(kind, count): (&String, &Value)| Ok((plain(kind), number(count)?));
            modules.cells.insert(plain(name), types.iter().map(count).collect::<Result<_>>()?);
        }
        ensure!(modules.cells.contains_key(top), "Yosys reports nothing about module {top}");
        let tool = stat["creator"].as_str().unwrap_or("Yosys").to_string();
        Ok((modules, tool))
    }

    fn add_memories(&mut self, text: &str) -> Result<()> {
        for (name, module) in json(text)?["modules"].as_object().context("Yosys reports no modules")? {
            let bits = number(&module["num_memory_bits"])?;
            self.memory_bits.insert(plain(name), bits);
        }
        Ok(())
    }

    /// Sums `own` over a module and all instances below it.
    fn sum(&self, module: &str, own: &impl Fn(&str) -> f64) -> f64 {
        let below = self.cells.get(module).into_iter().flatten();
        let below = below.filter(|(cell, _)| self.cells.contains_key(*cell));
        own(module) + below.map(|(cell, count)| *count as f64 * self.sum(cell, own)).sum::<f64>()
    }

    /// How often `module` stands in the design.
    fn instances(&self, module: &str) -> u64 {
        let one = |name: &str| (name == module) as u64 as f64;
        self.sum(&self.top, &one) as u64
    }

    /// Sums a property of the library's cells over those directly in `module`.
    fn own(&self, module: &str, of: impl Fn(&str) -> f64) -> f64 {
        let cells = self.cells.get(module).into_iter().flatten();
        cells.map(|(cell, count)| *count as f64 * of(cell)).sum()
    }
}

/// Reads what `stat -json` wrote.
///
/// Yosys 0.23 puts lines of its plain report between those of the JSON: they begin like no line of JSON.
fn json(text: &str) -> Result<Value> {
    let lines = text.lines().filter(|line| line.trim_start().starts_with(['{', '}', '"']));
    let text = lines.collect::<Vec<_>>().join("\n");
    serde_json::from_str(&text).context("the statistics of Yosys cannot be read")
}

fn number(value: &Value) -> Result<u64> {
    value.as_u64().or_else(|| value["count"].as_u64()).with_context(|| format!("Yosys counts {value}"))
}

fn plain(name: &str) -> String {
    name.trim_start_matches('\\').to_string()
}

fn parse_depth(text: &str) -> Result<u64> {
    // No path at all means no logic.
    let Some((_, rest)) = text.split_once("(length=") else {
        return Ok(0);
    };
    let digits = rest.split(')').next().unwrap_or("");
    digits.parse().map_err(|_| anyhow!("the longest path of Yosys cannot be read: length={digits}"))
}

fn combine(job: &Job, options: &Options, kept: Run, flat: Run) -> Result<Synthesis> {
    let library = &options.library;
    let gate = library.gate_equivalent()?;
    let cell = |name: &str| library.cells.get(name);
    let area = |name: &str| cell(name).map_or(0.0, |cell| cell.area);
    let flip_flop = |name: &str| cell(name).is_some_and(|cell| cell.flip_flop);
    let unmapped =
        flat.modules.cells[job.top].keys().find(|name| cell(name).is_none() && !name.starts_with("$mem"));
    if let Some(name) = unmapped {
        bail!("Yosys left a cell {name} that library {} does not have", library.name);
    }

    let modules = &kept.modules;
    let own_area = |module: &str| modules.own(module, area);
    let own_flip_flops = |module: &str| modules.own(module, |cell| flip_flop(cell) as u64 as f64);
    let own_memory = |module: &str| modules.memory_bits.get(module).copied().unwrap_or(0) as f64;
    let mut areas: Vec<ModuleArea> = modules
        .cells
        .keys()
        .map(|module| {
            let area_um2 = modules.sum(module, &own_area);
            ModuleArea {
                module: module.clone(),
                instances: modules.instances(module),
                area_um2,
                gate_equivalents: area_um2 / gate,
                own_area_um2: own_area(module),
                flip_flops: modules.sum(module, &own_flip_flops) as u64,
                memory_bits: modules.sum(module, &own_memory) as u64,
            }
        })
        .filter(|module| module.instances > 0)
        .collect();
    areas.sort_by(|a, b| {
        (b.module == job.top, b.area_um2)
            .partial_cmp(&(a.module == job.top, a.area_um2))
            .expect("areas are numbers")
    });

    let cells_by_type = flat.modules.cells[job.top].clone();
    let area_um2 = flat.modules.own(job.top, area);
    Ok(Synthesis {
        top: job.top.to_string(),
        source: digest(job.source),
        measured: None,
        tool: flat.tool,
        library: library.name.clone(),
        gate_equivalent_um2: gate,
        delay_target_ps: options.delay_target_ps,
        clock_gating: options.clock_gating,
        sat_sweeping: job.sat_sweeping,
        area_um2,
        gate_equivalents: area_um2 / gate,
        flip_flop_area_um2: flat.modules.own(job.top, |name| if flip_flop(name) { area(name) } else { 0.0 }),
        flip_flops: flat.modules.own(job.top, |name| flip_flop(name) as u64 as f64) as u64,
        memory_bits: areas.first().map_or(0, |top| top.memory_bits),
        cells: cells_by_type.iter().filter(|(name, _)| cell(name).is_some()).map(|(_, count)| count).sum(),
        cells_by_type,
        logic_depth: flat.logic_depth,
        longest_path_ns: flat.longest_path_ns,
        modules: areas,
        seconds: (kept.time + flat.time).as_secs_f64(),
    })
}

/// Of the Verilog of a module and all below it: what a measurement is of.
pub fn digest(source: &str) -> String {
    cache::key(&[source])
}

impl Synthesis {
    /// What measured it, and when, if that was not now.
    pub fn provenance(&self) -> String {
        match &self.measured {
            Some(Origin { date, commit }) => format!("{}, {date}, commit {commit}", self.tool),
            None => self.tool.clone(),
        }
    }

    /// One line per synthesized module: what it costs flattened.
    pub fn summary(all: &[Synthesis]) -> Table {
        let mut table =
            table(&["module", "area µm²", "GE", "flip-flops", "of area", "memory bits", "depth", "path ns"]);
        for synthesis in all {
            table.add_row([
                synthesis.top.clone(),
                grouped(synthesis.area_um2),
                grouped(synthesis.gate_equivalents),
                grouped(synthesis.flip_flops as f64),
                format!(
                    "{:.0}%",
                    100.0 * synthesis.flip_flop_area_um2 / synthesis.area_um2.max(f64::MIN_POSITIVE)
                ),
                grouped(synthesis.memory_bits as f64),
                synthesis.logic_depth.to_string(),
                synthesis.longest_path_ns.map_or("-".to_string(), |path| format!("{path:.3}")),
            ]);
        }
        table
    }

    /// One line per distinct module inside: where the area goes, hierarchy kept.
    pub fn hierarchy(&self) -> Table {
        let mut table = table(&[
            "module",
            "instances",
            "area µm²",
            "without submodules",
            "GE",
            "flip-flops",
            "memory bits",
        ]);
        for module in &self.modules {
            table.add_row([
                module.module.clone(),
                module.instances.to_string(),
                grouped(module.area_um2),
                grouped(module.own_area_um2),
                grouped(module.gate_equivalents),
                grouped(module.flip_flops as f64),
                grouped(module.memory_bits as f64),
            ]);
        }
        table
    }

    /// What the numbers of modules synthesized together are and are not; goes under their table.
    pub fn notes(all: &[Synthesis]) -> String {
        let Some(Synthesis { tool, library, delay_target_ps, gate_equivalent_um2, clock_gating, .. }) =
            all.first()
        else {
            return String::new();
        };
        let gating = if *clock_gating { "with" } else { "without" };
        let unswept: Vec<_> =
            all.iter().filter(|one| !one.sat_sweeping).map(|one| one.top.as_str()).collect();
        let sweeping = match &unswept[..] {
            [] => String::new(),
            tops => format!(" Without SAT sweeping: {}.", tops.join(", ")),
        };
        format!(
            "{tool}, {library}, delay target {delay_target_ps} ps, {gating} clock gating; 1 GE = {gate_equivalent_um2} \
             µm². Areas are those of cells: without wires, and without memories, which are counted in bits. Paths: \
             ideal clock, no wires.{sweeping}{}",
            Synthesis::not_now(all)
        )
    }

    /// Which modules were not measured now.
    fn not_now(all: &[Synthesis]) -> String {
        let older = all.iter().filter(|one| one.measured.is_some());
        let older: Vec<_> = older.map(|one| format!("{} ({})", one.top, one.provenance())).collect();
        match older.is_empty() {
            true => String::new(),
            false => format!(" Not measured now, but last with: {}.", older.join("; ")),
        }
    }
}

/// A table in the style of all of the tool's: a border, and no lines between the rows. The first column is text, the
/// others are numbers.
pub fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::UTF8_BORDERS_ONLY).set_header(header);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// A number without decimals, digits in groups of three.
pub(crate) fn grouped(number: f64) -> String {
    let digits = format!("{:.0}", number.abs());
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|group| std::str::from_utf8(group).expect("digits")).collect();
    format!("{}{}", if number <= -0.5 { "-" } else { "" }, groups.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As Yosys 0.23 writes it for three levels, its stray lines included.
    const STAT: &str = r#"{
   "creator": "Yosys 0.23 (git sha1 7ce5011c24b)",
   "modules": {
      "\\top": {
         "num_memory_bits":   0,
         "num_cells_by_type": {
            "NAND2_X1": 2,
            "middle": 2
         }
      },
      "\\middle": {
         "num_memory_bits":   0,
         "num_cells_by_type": {
            "DFF_X1": 1,
            "leaf": 3
         }
      },
      "\\leaf": {
         "num_memory_bits":   16,
         "num_cells_by_type": {
            "$mem_v2": 1,
            "INV_X1": 4
         }
      }
   },
       leaf                          3
      "design": {
         "num_cells":         0
      }
}"#;

    #[test]
    fn cells_are_summed_over_the_hierarchy() {
        let (mut modules, tool) = Modules::parse(STAT, "top").unwrap();
        modules.add_memories(STAT).unwrap();
        assert_eq!(tool, "Yosys 0.23 (git sha1 7ce5011c24b)");
        assert_eq!(["top", "middle", "leaf"].map(|module| modules.instances(module)), [1, 2, 6]);
        let gate = |cell: &str| if cell.ends_with("_X1") { 1.0 } else { 0.0 };
        assert_eq!(modules.own("leaf", gate), 4.0);
        // 2 gates + 2 × (1 flip-flop + 3 × 4 inverters).
        assert_eq!(modules.sum("top", &|module| modules.own(module, gate)), 28.0);
        assert_eq!(modules.sum("top", &|module| modules.memory_bits[module] as f64), 96.0);
    }

    #[test]
    fn a_missing_top_is_named() {
        assert!(Modules::parse(STAT, "bottom").unwrap_err().to_string().contains("module bottom"));
    }

    #[test]
    fn the_depth_is_the_longest_path() {
        assert_eq!(parse_depth("Longest topological path in top (length=9):\n    0: \\a").unwrap(), 9);
        assert_eq!(parse_depth("nothing").unwrap(), 0);
    }

    #[test]
    fn digits_are_grouped() {
        assert_eq!([0.4, 999.6, 1234567.0, -1500.0].map(grouped), ["0", "1,000", "1,234,567", "-1,500"]);
    }
}
