//! Every module of the catalogue, as other tools see it.

use gpurf_blocks::{corners, Parameters};
use gpurf_hw::catalogue::catalogue;
use gpurf_verilog::tools::ToolError;
use gpurf_verilog::{check, emit, Design};

fn all_pass(check: fn(&Design) -> Result<(), ToolError>, parameters: Parameters) {
    for entry in catalogue() {
        let design = emit(&*(entry.build)(&parameters));
        let design = design.unwrap_or_else(|error| panic!("{error}"));
        check(&design).unwrap_or_else(|error| panic!("{}: {error}", entry.name));
    }
}

/// Defaults and corners of the parameters, with tokens of 32 bits as data.
fn tokens() -> [Parameters; 3] {
    [Parameters::default(), corners::smallest(), corners::largest()]
        .map(|corner| Parameters { width: 32, ..corner })
}

#[test]
fn icarus_has_no_warning() {
    for parameters in tokens() {
        all_pass(check::iverilog_wall, parameters);
    }
}

#[test]
fn verilator_has_no_warning() {
    for parameters in tokens() {
        all_pass(check::verilator_lint, parameters);
    }
}

#[test]
fn yosys_finds_no_problem_and_no_latch() {
    for parameters in tokens() {
        all_pass(check::yosys_check, parameters);
    }
}

#[test]
fn the_widest_hardware_passes_too() {
    all_pass(check::verilator_lint, Parameters::default());
}
