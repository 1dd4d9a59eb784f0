// SPDX-License-Identifier: Apache-2.0
//! Contracts in the emitted Verilog: a testbench of a stranger's own that breaks a rule of a module's page is
//! told so.

use std::fs;
use std::process::Stdio;

use gpurf_blocks::Parameters;
use gpurf_hw::collector::Ocu;
use gpurf_hw::multicast::LrtCam;
use gpurf_verilog::tools::{run, Tool};
use gpurf_verilog::{emit, Hierarchy};

/// The output of Icarus on a run of this testbench beside a module, and whether it ends with exit code 0.
fn simulated(hierarchy: &Hierarchy, testbench: &str) -> (String, bool) {
    let folder = tempfile::tempdir().unwrap();
    let (source, program) = (folder.path().join("bench.v"), folder.path().join("bench.vvp"));
    fs::write(&source, format!("{}\n`default_nettype wire\n{testbench}", hierarchy.source())).unwrap();
    let mut compiler = Tool::Iverilog.command().expect("Icarus is there");
    run(compiler.args(["-g2005", "-s", "bench", "-o"]).arg(&program).arg(&source)).expect("it compiles");
    let output = Tool::Vvp.command().unwrap().arg(&program).stdin(Stdio::null()).output().unwrap();
    (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.success())
}

/// A clock, a reset of two cycles, and the ports that a bench speaks of.
fn bench(top: &str, ports: &[&str], steps: &str) -> String {
    let declared: String = ports.iter().map(|port| format!("  reg {port} = 0;\n")).collect();
    let connected: String = ports
        .iter()
        .map(|port| port.rsplit(' ').next().unwrap())
        .map(|name| format!(", .{name}({name})"))
        .collect();
    format!(
        "module bench;\n  reg clock = 0;\n  reg reset = 1;\n{declared}  \
         {top} dut(.clock(clock), .reset(reset){connected});\n  \
         always #5 clock = !clock;\n  \
         initial begin\n    #20 reset = 0;\n    @(negedge clock);\n{steps}    \
         repeat (3) @(negedge clock);\n    $display(\"end\");\n    $finish;\n  end\nendmodule\n"
    )
}

#[test]
fn a_load_request_table_that_is_told_to_insert_a_release_says_so() {
    let table = LrtCam::<6, 16>::new(&Parameters::default());
    let hierarchy = emit(&table).unwrap();
    let of = |steps: &str| {
        let ports = ["search", "drain", "insert", "done_ready", "evict_ready", "tick", "[5:0] warp"];
        simulated(&hierarchy, &bench(&hierarchy.top, &ports, steps))
    };
    let search = "    search = 1; done_ready = 1; insert = 1; evict_ready = 1; warp = 3;\n";
    let (right, succeeds) = of(&format!("{search}    @(negedge clock) search = 0; insert = 0;\n"));
    assert_eq!((right.trim(), succeeds), ("end", true));
    let (wrong, succeeds) = of(&format!("{search}    drain = 1;\n"));
    assert!(!succeeds, "{wrong}");
    assert!(wrong.contains("dut.contract: misuse: a release is inserted"), "{wrong}");
    assert!(!wrong.contains("end\n"), "{wrong}");
}

#[test]
fn the_head_of_a_module_says_what_it_does_and_how_it_is_driven() {
    let collector = Ocu::<32>::new(&Parameters { width: 32, slots: 3, ..Parameters::default() });
    let design = emit(&collector).unwrap();
    assert_eq!(design.top, "ocu_w32_slots3");
    let head = design.top_module().text.split_once("\nmodule ").unwrap().0;
    for line in ["//   slots = 3", "//   dispatch_on_arrival = false", "// Whoever drives it avoids:"] {
        assert!(head.contains(line), "{line}\n{head}");
    }
    assert!(head.contains("// Operand collector unit (OCU), the baseline: W 2, F II."), "{head}");
    assert!(head.contains("an instruction leaves before its sources are there"), "{head}");
}

#[test]
fn a_collector_that_is_driven_against_its_page_says_which_rule() {
    let collector = Ocu::<32>::new(&Parameters { width: 32, slots: 3, ..Parameters::default() });
    let hierarchy = emit(&collector).unwrap();
    let of = |steps: &str| {
        let ports = ["issue", "dispatch", "s_valid", "[2:0] s_slot", "[2:0] source_valid"];
        simulated(&hierarchy, &bench(&hierarchy.top, &ports, steps))
    };
    let issue = "    issue = 1; source_valid = 1;\n    @(negedge clock) issue = 0;\n";
    let arrives = "    s_valid = 1;\n    @(negedge clock) s_valid = 0;\n";
    let leaves = "    dispatch = 1;\n    @(negedge clock) dispatch = 0;\n";
    let (right, succeeds) = of(&format!("{issue}{arrives}{leaves}"));
    assert_eq!((right.trim(), succeeds), ("end", true));
    let rules = [
        (format!("{issue}{leaves}"), "an instruction leaves before its sources are there"),
        (format!("{issue}{issue}"), "an instruction enters beside another"),
        (arrives.to_string(), "a value arrives for no instruction"),
        (format!("{issue}    s_slot = 5;\n{arrives}"), "a value arrives for slot 5, which is not there"),
    ];
    for (steps, rule) in rules {
        let (told, succeeds) = of(&steps);
        assert!(!succeeds && told.contains(&format!("misuse: {rule}")), "{rule}: {told}");
    }
}
