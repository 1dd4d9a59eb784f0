// SPDX-License-Identifier: Apache-2.0
//! The Yosys scripts, and what they read beside the design.

use std::path::Path;

use anyhow::Result;

use super::{Job, Options, Structure};
use crate::files::{CELLS, CLOCK_GATING, CONSTRAINTS, DEPTH, DESIGN, MEMORIES, NETLIST};
use crate::latches::{has_latches, in_cells};
use crate::liberty::Library;
use crate::yosys::Yosys;

/// ABC's script, except for the commands that call a SAT solver (`&fraig`, `scorr`, `&dch`).
const WITHOUT_SWEEPING: &str =
    "+strash;rewrite,-l;balance,-l;rewrite,-l;balance,-l;dc2;dretime;retime,-o,{D};\
                                strash;&get,-n;&nf,{D};&put;buffer;upsize,{D};dnsize,{D};stime,-p";

/// Load of each output, in femtofarads: a few gates of a 45 nm library.
pub const LOAD_FF: f64 = 10.0;

pub(crate) fn constraints(library: &Library) -> Result<String> {
    Ok(format!("set_driving_cell {}\nset_load {LOAD_FF}\n", library.buffer()?))
}

/// Maps and counts; writes the netlist of a module whose hierarchy is kept, measures the paths of one that is
/// flattened.
pub(super) fn synthesis(job: &Job, options: &Options) -> String {
    let top = job.top;
    let mut script = mapping(job, options) + &format!("tee -q -o {CELLS} stat -json -top {top}\n");
    script += &match job.structure {
        Structure::Kept => format!(
            "select {top}
             setattr -unset src
             write_rtlil -selected {NETLIST}
            "
        ),
        Structure::Flattened => paths(top, options),
    };
    trimmed(&script)
}

/// Joins mapped modules, which lie in these files, and measures the paths of the whole.
pub(super) fn composition(top: &str, files: &[String], options: &Options) -> String {
    let read: String = files.iter().map(|file| format!("read_rtlil {file}\n")).collect();
    let liberty = quoted(&options.library.path);
    let paths = paths(top, options);
    trimmed(&format!(
        "{read}
         read_liberty -lib -ignore_miss_func {liberty}
         hierarchy -check -top {top}
         flatten
         opt_clean -purge
         {paths}"
    ))
}

/// Depth by Yosys, and a netlist for OpenSTA.
fn paths(top: &str, options: &Options) -> String {
    // A path begins and ends at whatever holds state.
    let state = options.library.sequential().map(|cell| format!(" t:{cell} %d")).collect::<String>();
    // OpenSTA reads no concatenation on the left of an assignment.
    format!(
        "cd {top}
         select -set logic *{state} t:$mem* %d
         tee -q -o {DEPTH} ltp -noff @logic
         delete t:$mem*
         cd ..
         write_verilog -noattr -noexpr -simple-lhs {NETLIST}
        "
    )
}

/// The steps from the design to cells of the library.
///
/// Memories are collected but not mapped: the steps are those of `synth` without `memory_map`.
pub(crate) fn mapping(job: &Job, options: &Options) -> String {
    let top = job.top;
    let liberty = quoted(&options.library.path);
    let flatten = if job.structure == Structure::Flattened { "flatten" } else { "" };
    let gate = options.clock_gating && options.library.clock_gate().is_some();
    let gate = if gate { format!("techmap -map {CLOCK_GATING}") } else { String::new() };
    let target = options.delay_target_ps;
    // Cells of latches stand in the source: what they are is read first.
    let read = format!("read_liberty -lib -ignore_miss_func {liberty}");
    let (first, last) =
        if has_latches(job.source) { (format!("{read}\n"), String::new()) } else { (String::new(), read) };
    let mapping = if job.sat_sweeping { String::new() } else { format!("-script {WITHOUT_SWEEPING}") };
    trimmed(&format!(
        "{first}read_verilog -sv {DESIGN}
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
         {last}
         check -assert
        "
    ))
}

/// Writes what [`mapping`] reads into the folder.
pub(crate) fn prepare(yosys: &Yosys, job: &Job, library: &Library) -> Result<()> {
    yosys.write(DESIGN, &in_cells(job.source, library)?)?;
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
