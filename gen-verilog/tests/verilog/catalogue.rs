//! Every module of the catalogue, as other tools see it.

use gpurf_blocks::Parameters;
use gpurf_hw::catalogue::{build, CATALOGUE};
use gpurf_verilog::tools::ToolError;
use gpurf_verilog::{check, emit, Design};

fn all_pass(check: fn(&Design) -> Result<(), ToolError>, settings: &[(&str, &str)]) {
    let mut parameters = Parameters::default();
    settings.iter().for_each(|(name, value)| parameters.set(name, value).unwrap());
    for entry in CATALOGUE {
        let design = emit(&*build(entry.name, &parameters));
        let design = design.unwrap_or_else(|error| panic!("{error}"));
        check(&design).unwrap_or_else(|error| panic!("{}: {error}", entry.name));
    }
}

/// Another choice for every parameter that there is a choice for.
const OTHERWISE: &[(&str, &str)] = &[
    ("width", "32"),
    ("entries", "4"),
    ("slots", "3"),
    ("collectors", "4"),
    ("banks", "4"),
    ("replacement", "lru"),
    ("cache_far", "true"),
    ("invalidate", "false"),
    ("d_ports", "2"),
    ("window", "2"),
    ("destinations", "4"),
    ("scheduling", "lrr"),
    ("occupied", "stall"),
    ("allocation", "own_else_any_free"),
    ("waiting", "up_to"),
    ("seed", "90"),
    ("interval", "77"),
];

#[test]
fn icarus_has_no_warning() {
    all_pass(check::iverilog_wall, &[("width", "32")]);
    all_pass(check::iverilog_wall, OTHERWISE);
}

#[test]
fn verilator_has_no_warning() {
    all_pass(check::verilator_lint, &[("width", "32")]);
    all_pass(check::verilator_lint, OTHERWISE);
}

#[test]
fn yosys_finds_no_problem_and_no_latch() {
    all_pass(check::yosys_check, &[("width", "32")]);
    all_pass(check::yosys_check, OTHERWISE);
}

#[test]
fn the_widest_hardware_passes_too() {
    all_pass(check::verilator_lint, &[("width", "1024")]);
}
