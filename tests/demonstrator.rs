// SPDX-License-Identifier: Apache-2.0
//! The design for an FPGA, simulated whole: it finds what the model counted, and not what it did not.

use std::fs;
use std::path::Path;
use std::process::Command;

use assert_cmd::Command as Tested;
use gpurf_fixtures::skipped;
use gpurf_verilog::tools::Tool;
use serde_json::Value;

const BENCH: &str = "module bench;
  reg clock = 0, reset = 1;
  wire [15:0] hits, instructions;
  wire [31:0] signature;
  wire done, passed;
  demonstrator whole(clock, reset, hits, instructions, signature, done, passed);
  always #1 clock = !clock;
  initial begin
    #8 reset = 0;
    wait (done) #2;
    $display(\"%0d %0d %0d %0d\", hits, instructions, signature, passed);
    $finish;
  end
  initial #100000 $finish;
endmodule
";

/// The top's output at its end: hits, instructions, signature, and whether they are right. Contracts are left
/// out, as in hardware: they end the run of a sub-core that is broken.
fn simulated(folder: &Path, text: &str) -> Vec<u64> {
    fs::write(folder.join("all.v"), format!("{text}\n{BENCH}")).expect("written");
    let run = |program: Tool, arguments: &[&str]| {
        let mut command: Command = program.command().expect("it is there");
        let output = command.args(arguments).current_dir(folder).output().expect("it runs");
        assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    run(Tool::Iverilog, &["-g2005-sv", "-DSYNTHESIS", "-o", "all.vvp", "-s", "bench", "all.v"]);
    let printed = run(Tool::Vvp, &["all.vvp"]);
    let numbers = printed
        .lines()
        .find_map(|line| line.split_whitespace().map(|word| word.parse().ok()).collect::<Option<Vec<u64>>>());
    numbers.unwrap_or_else(|| panic!("{printed}"))
}

#[test]
fn hits_are_those_of_the_model() {
    if Tool::Iverilog.find().is_err() || Tool::Vvp.find().is_err() {
        return skipped("there is no Icarus Verilog");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Tested::cargo_bin("gpurf").expect("the tool is built");
    command.args(["demonstrator", "sgemm", "--json", "-", "--out"]).arg(folder.path());
    let output = command.assert().success().get_output().stdout.clone();
    let report: Value = serde_json::from_slice(&output).expect("JSON");
    let number = |name: &str| report["counted"][name].as_u64().expect("a number");
    let (hits, instructions, signature) = (number("hits"), number("instructions"), number("signature"));
    assert!(hits > 50 && instructions > 100, "something happens: {report}");
    let text = fs::read_to_string(folder.path().join("demonstrator.v")).expect("written");
    assert_eq!(simulated(folder.path(), &text), [hits, instructions, signature, 1]);

    // A sub-core that finds nothing is found.
    let broken = text.replacen("hit[s] = 1'd1;", "hit[s] = 1'd0;", 1);
    assert_ne!(broken, text);
    let found = simulated(folder.path(), &broken);
    assert_eq!((found[0] < hits, found[3]), (true, 0), "{found:?}");
}
