// SPDX-License-Identifier: Apache-2.0
//! Proofs of contracts: what a module owes at its ports holds in every cycle, as long as its driver keeps the
//! rules.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use gpurf_verilog::Hierarchy;

use super::abc;
use super::counterexample;
use super::design::without_rows;
use super::{Holds, RuleProof};
use crate::yosys::Yosys;

const DESIGN: &str = "design.v";
const BASE: &str = "base.il";
const CIRCUIT: &str = "circuit.aig";
/// The module around the design, and names in it that no module has.
const AROUND: &str = "gpurf_contract";
const BROKEN: &str = "gpurf_broken";

/// Tries to prove each rule that the top module owes, with so many seconds of processor time for each. A run
/// that breaks one is written as a waveform, if a file for that is given.
///
/// A run begins with all registers at zero. Inputs are free in every cycle, the reset too; a rule counts from
/// the first reset on, for as long as the driver has kept its own rules. Memories answer anything. ABC proves
/// by property-directed reachability (`pdr`); what that does not end for, it tries again with registers
/// merged that are always alike (`scorr`).
///
/// # Errors
/// If Yosys is missing, or does not read the Verilog.
pub fn prove_contract(
    hierarchy: &Hierarchy,
    seconds: u64,
    waveform: Option<&Path>,
) -> Result<Vec<RuleProof>> {
    let owed: Vec<_> = hierarchy.top_module().contract.iter().filter(|rule| !rule.is_of_driver).collect();
    if owed.is_empty() {
        return Ok(vec![]);
    }
    let yosys = Yosys::new()?;
    yosys.write(DESIGN, &with_monitor(hierarchy))?;
    let made = yosys.run(
        &format!(
            "read_verilog -sv -noblackbox -DSYNTHESIS {DESIGN}; hierarchy -top {AROUND}; proc; flatten; opt_clean\n\
             memory_map; opt; setundef -undriven -anyseq; simplemap; techmap; opt; dffunmap; simplemap; opt_clean\n\
             zinit -all; write_rtlil {BASE}"
        ),
        None,
    )?;
    if !made {
        return Err(yosys.failure());
    }
    let proofs = owed.iter().enumerate().map(|(number, rule)| -> Result<RuleProof> {
        let began = Instant::now();
        let (holds, method) = prove_one(&yosys, number, Duration::from_secs(seconds))?;
        let seconds = began.elapsed().as_secs_f64();
        if let (Some(path), Holds::Not { cycles }) = (waveform, holds) {
            counterexample(&yosys, BASE, &format!("{BROKEN}_{number}"), "-set-init-zero", cycles, path)?;
        }
        Ok(RuleProof { rule: rule.text.clone(), holds, method: method.to_string(), seconds })
    });
    proofs.collect()
}

/// The result, and what gave it.
fn prove_one(yosys: &Yosys, number: usize, limit: Duration) -> Result<(Holds, &'static str)> {
    // Where little has a part in a rule, merging registers takes longer than the proof.
    for (way, limit) in [("pdr", limit / 4), ("scorr; dc2; pdr", limit)] {
        match abc::run(yosys, BASE, CIRCUIT, &format!("{BROKEN}_{number}"), way, limit)? {
            Holds::Open => {}
            decided => return Ok((decided, way)),
        }
    }
    Ok((Holds::Open, ""))
}

/// The design, with an output for each rule that is broken, and a module around it whose other outputs are
/// gone.
fn with_monitor(hierarchy: &Hierarchy) -> String {
    let top = hierarchy.top_module();
    let (kept, owed): (Vec<_>, Vec<_>) = top.contract.iter().partition(|rule| rule.is_of_driver);
    let has_reset = top.code.contains("input wire reset");
    let reset = if has_reset { "reset" } else { "1'b0" };
    let broken_by_driver = kept.iter().map(|rule| format!(" || {}", rule.broken)).collect::<String>();
    let has_clock = top.code.contains("input wire clock");
    let mut monitor = format!("  wire {BROKEN}_by_driver = 1'b0{broken_by_driver};\n");
    monitor += &match has_clock {
        true => format!(
            "  reg {BROKEN}_counts = {begins};\n  \
             always @(posedge clock) {BROKEN}_counts <= {reset} | ({BROKEN}_counts & !{BROKEN}_by_driver);\n",
            begins = if has_reset { "1'b0" } else { "1'b1" },
        ),
        false => format!("  wire {BROKEN}_counts = 1'b1;\n"),
    };
    let (mut outputs, mut around) = (String::new(), String::new());
    for (number, rule) in owed.iter().enumerate() {
        let name = format!("{BROKEN}_{number}");
        outputs += &format!("  output wire {name},\n");
        around += &format!(", .{name}({name})");
        monitor += &format!(
            "  assign {name} = {BROKEN}_counts & !{reset} & !{BROKEN}_by_driver & ({});\n",
            rule.broken
        );
    }
    let inputs: Vec<_> = top.ports.iter().filter(|port| port.is_input).collect();
    let is_missing = |name: &&str| inputs.iter().all(|port| port.name != *name);
    let clocks = [("clock", has_clock), ("reset", has_reset)].into_iter().filter(|(_, there)| *there);
    let clocks: Vec<&str> = clocks.map(|(name, _)| name).filter(is_missing).collect();
    let declared = clocks.iter().map(|name| format!("  input wire {name},\n")).collect::<String>()
        + &inputs
            .iter()
            .map(|port| format!("  input wire [{}:0] {},\n", port.width * port.count - 1, port.name))
            .collect::<String>();
    let connected = clocks.iter().copied().chain(inputs.iter().map(|port| port.name.as_str()));
    let connected: Vec<_> = connected.map(|name| format!(".{name}({name})")).collect();
    let modules = hierarchy.modules.iter().map(|module| match module.name == top.name {
        true => {
            let head = format!("module {} (\n", module.name);
            let text = module.code.replacen(&head, &format!("{head}{outputs}"), 1);
            let body = text.trim_end().trim_end_matches("endmodule");
            format!("{body}{monitor}endmodule\n")
        }
        false => without_rows(module),
    });
    let modules = modules.collect::<Vec<_>>().join("\n");
    let list: Vec<_> = (0..owed.len()).map(|number| format!("  output wire {BROKEN}_{number}")).collect();
    format!(
        "`default_nettype none\n\n{modules}\nmodule {AROUND} (\n{declared}{}\n);\n  {} design ({}{around});\nendmodule\n",
        list.join(",\n"),
        top.name,
        connected.join(", "),
    )
}
