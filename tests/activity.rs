// SPDX-License-Identifier: Apache-2.0
//! Activity of a netlist's nets, as `gpurf power` writes it, beside their activity in Icarus Verilog.
//!
//! Skipped, with a note, where Yosys or Icarus is missing or the cell library cannot be fetched.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use assert_cmd::Command;
use gpurf_blocks::Parameters;
use gpurf_synth::nangate;
use gpurf_testbenches::workbench;
use gpurf_verilog::tools::{run, Tool};
use gpurf_verilog::Port;
use vcd::{Command as Change, Parser, ScopeItem, Value};

const CYCLES: u64 = 300;
/// Picoseconds of a cycle where nothing else is said.
const PERIOD: u64 = 2000;

/// Changes of each net by its name: when, and to what.
type Waves = BTreeMap<String, Vec<(u64, Value)>>;

fn is_skipped() -> bool {
    let missing = [Tool::Yosys, Tool::Iverilog, Tool::Vvp].iter().find_map(|tool| tool.find().err());
    let reason = missing.map(anyhow::Error::from).or_else(|| nangate::liberty().err());
    reason.inspect(|error| gpurf_fixtures::skipped(format!("{error:#}"))).is_some()
}

fn gpurf(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("gpurf").expect("the binary is built");
    command.args(arguments);
    command
}

/// The waves of a VCD in the scope that holds the nets, bit by bit.
fn waves(path: &Path, scopes: &[&str]) -> Waves {
    let text = fs::read(path).unwrap();
    let mut parser = Parser::new(&text[..]);
    let header = parser.parse_header().unwrap();
    let mut names: BTreeMap<_, Vec<Vec<String>>> = BTreeMap::new();
    for item in &header.find_scope(scopes).expect("the nets have a scope").items {
        let ScopeItem::Var(variable) = item else { continue };
        let name = variable.reference.trim_start_matches('\\');
        // `q [7:0]` is a vector, its highest bit first.
        let bits = match variable.size {
            1 => vec![format!("{name}{}", variable.index.map_or(String::new(), |index| index.to_string()))],
            size => (0..size).rev().map(|bit| format!("{name}[{bit}]")).collect(),
        };
        names.entry(variable.code).or_default().push(bits);
    }
    let mut time = 0;
    let mut waves = Waves::new();
    let mut note = |time: u64, name: &String, value: Value| {
        let changes = waves.entry(name.clone()).or_default();
        if changes.last().is_none_or(|(_, last)| *last != value) {
            changes.push((time, value));
        }
    };
    for command in parser {
        match command.unwrap() {
            Change::Timestamp(now) => time = now,
            Change::ChangeScalar(code, value) => {
                names.get(&code).into_iter().flatten().for_each(|bits| note(time, &bits[0], value));
            }
            Change::ChangeVector(code, values) => {
                for bits in names.get(&code).into_iter().flatten() {
                    // Leading zeros, or leading unknowns, are left out.
                    let missing = bits.len() - values.len();
                    let extended = match values.get(0) {
                        Some(Value::V1) | None => Value::V0,
                        Some(value) => value,
                    };
                    let all = std::iter::repeat_n(extended, missing).chain(values.iter());
                    bits.iter().zip(all).for_each(|(name, value)| note(time, name, value));
                }
            }
            _ => {}
        }
    }
    waves
}

/// The value at a time.
fn at(changes: &[(u64, Value)], time: u64) -> Value {
    let before = changes.iter().take_while(|(when, _)| *when <= time);
    before.last().expect("every net has a value at the start").1
}

/// A bench that gives a netlist one cycle of reset, and then in each cycle the inputs that stand in
/// `stimulus.txt`. They change at the clock's edge, where registers do.
fn bench(top: &str, inputs: &[Port]) -> String {
    let (mut low, mut connections) = (0, String::new());
    for port in inputs {
        let bits = port.width * port.count;
        write!(connections, ", .{}(inputs[{}:{low}])", port.name, low + bits - 1).unwrap();
        low += bits;
    }
    format!(
        "`timescale 1ps/1ps
         module bench;
           reg clock = 0, reset = 1;
           reg [{high}:0] stimulus[0:{last}];
           reg [{high}:0] inputs = 0;
           integer cycle;
           {top} dut(.clock(clock), .reset(reset){connections});
           initial begin
             $readmemb(\"stimulus.txt\", stimulus);
             $dumpfile(\"icarus.vcd\");
             $dumpvars(1, dut);
             #{PERIOD};
             for (cycle = 0; cycle <= {CYCLES}; cycle = cycle + 1) begin
               clock = 1;
               reset <= 0;
               if (cycle < {CYCLES}) inputs <= stimulus[cycle];
               #{half} clock = 0;
               #{half};
             end
             $finish;
           end
         endmodule\n",
        high = low - 1,
        last = CYCLES - 1,
        half = PERIOD / 2,
    )
}

/// Every net of a module's netlist does in Icarus what `gpurf power` wrote, and SAIF counts it.
fn nets_do_what_is_written(module: &str, parameters: &Parameters, options: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    gpurf(&["synth", module]).args(options).arg("--netlist").arg(path("gates")).assert().success();
    let mut power = gpurf(&["power", module, "--flatten", "--cycles", &CYCLES.to_string()]);
    power.args(options).arg("--vcd").arg(path("ours.vcd")).arg("--saif").arg(path("ours.saif"));
    power.assert().success();

    let design = workbench(module, parameters).verilog().unwrap();
    let ours = waves(&path("ours.vcd"), &[&design.top]);
    let is_data = |port: &&Port| port.is_input && !["clock", "reset"].contains(&&port.name[..]);
    let inputs: Vec<Port> = design.top_module().ports.iter().filter(is_data).cloned().collect();
    let bits = inputs.iter().flat_map(|port| {
        let bits = port.width * port.count;
        (0..bits).map(move |bit| match bits {
            1 => port.name.clone(),
            _ => format!("{}[{bit}]", port.name),
        })
    });
    let bits: Vec<String> = bits.collect();
    let row = |cycle: u64| {
        let letter = |name: &String| match ours.get(name).map(|changes| at(changes, cycle * PERIOD)) {
            Some(Value::V1) => '1',
            _ => '0',
        };
        bits.iter().rev().map(letter).chain(['\n']).collect::<String>()
    };
    fs::write(path("stimulus.txt"), (0..CYCLES).map(row).collect::<String>()).unwrap();
    let text = fs::read_to_string(path("gates").join(format!("{}.v", design.top))).unwrap();
    assert!(text.contains("  reg IQ;"), "registers have a model");
    // Registers without reset start as zero there, as they do here. Some versions of Yosys give a model one
    // for each output.
    let started =
        text.lines().map(|line| match line.strip_prefix("  reg ").and_then(|rest| rest.strip_suffix(';')) {
            Some(name) => format!("  reg {name} = 1'b0;\n"),
            None => format!("{line}\n"),
        });
    fs::write(path("netlist.v"), started.collect::<String>()).unwrap();
    fs::write(path("bench.v"), bench(&design.top, &inputs)).unwrap();
    let at_work = |tool: Tool, arguments: &[&str]| {
        run(tool.command().unwrap().current_dir(folder.path()).args(arguments)).unwrap()
    };
    at_work(Tool::Iverilog, &["-g2005", "-s", "bench", "-o", "bench.vvp", "bench.v", "netlist.v"]);
    at_work(Tool::Vvp, &["-n", "bench.vvp"]);
    let theirs = waves(&path("icarus.vcd"), &["bench", "dut"]);

    // What comes before the first whole cycle differs: here the clock is low in it.
    let settled = |changes: &[(u64, Value)], start: u64| -> Vec<(u64, Value)> {
        let later = changes.iter().filter(|(when, _)| *when >= start + PERIOD);
        let first = at(changes, start + PERIOD - 1);
        [(0, first)].into_iter().chain(later.map(|(when, value)| (when - start, *value))).collect()
    };
    let saif = fs::read_to_string(path("ours.saif")).unwrap();
    let (mut compared, mut changes) = (0, 0);
    for (name, wave) in &ours {
        let other = theirs.get(name).unwrap_or_else(|| panic!("{module}: Icarus has no net {name}"));
        let (ours, theirs) = (settled(wave, 0), settled(other, PERIOD));
        // There the edge behind the last cycle shows what registers take over; here it ends the waveform.
        let in_cycles = |changes: &[(u64, Value)]| -> Vec<(u64, Value)> {
            changes.iter().filter(|(when, _)| *when < CYCLES * PERIOD).copied().collect()
        };
        assert_eq!(in_cycles(&ours), in_cycles(&theirs), "{module}: net {name}");
        compared += 1;
        changes += ours.len() - 1;

        let escaped = name.chars().map(|letter| match letter.is_ascii_alphanumeric() || letter == '_' {
            true => letter.to_string(),
            false => format!("\\{letter}"),
        });
        let start = format!("    ({} (T0 ", escaped.collect::<String>());
        let line = saif.lines().find(|line| line.starts_with(&start)).expect("SAIF has the net");
        let count = line.split("(TC ").nth(1).and_then(|rest| rest.split(')').next()).unwrap();
        // The edges of clocks that end the first cycle come before a pair of cycles that is counted.
        let is_pulse = |pair: &[(u64, Value)]| pair[1].0 == PERIOD + PERIOD / 2;
        let first = if ours.windows(2).any(is_pulse) { 2 } else { 0 };
        assert_eq!(count.parse(), Ok(ours.len() - 1 - first), "{module}: changes of {name}");
    }
    assert!(compared > 15 && changes > compared * 10, "{module}: {compared} nets, {changes} changes");
}

#[test]
fn nets_do_in_icarus_what_the_evaluation_says() {
    if is_skipped() {
        return;
    }
    nets_do_what_is_written("round_robin", &Parameters::default(), &[]);
    let narrow = Parameters { width: 32, ..Parameters::default() };
    nets_do_what_is_written("ocu", &narrow, &["--set", "width=32", "--clock-gating"]);
}
