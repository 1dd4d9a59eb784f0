// SPDX-License-Identifier: Apache-2.0
//! Proofs of contracts: what a module owes at its ports holds in every cycle, as long as its driver keeps the rules.

use std::time::{Duration, Instant};

use anyhow::Result;
use gpurf_verilog::{Hierarchy, VerilogModule};

use crate::mutants::rows;
use crate::yosys::Yosys;

/// The result of the proof of a rule that a module owes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// In every cycle after a reset, for all inputs that keep the driver's rules.
    Always,
    /// Not: it is broken this many cycles after the beginning.
    Not {
        /// Cycles of the shortest run that ABC found.
        cycles: u64,
    },
    /// The time did not suffice.
    Open,
}

/// A rule and what is known of it.
#[derive(Clone, Debug)]
pub struct RuleProof {
    /// The rule, in words.
    pub rule: String,
    /// The result.
    pub holds: Holds,
    /// Seconds by the clock.
    pub seconds: f64,
}

const DESIGN: &str = "design.v";
const BASE: &str = "base.il";
const CIRCUIT: &str = "circuit.aig";
const PROVE: &str = "prove.sh";
const SAID: &str = "said.txt";
/// The module around the design, and names in it that no module has.
const AROUND: &str = "gpurf_contract";
const BROKEN: &str = "gpurf_broken";

/// Tries to prove each rule that the top module owes, with so many seconds of processor time for each.
///
/// A run begins with all registers at zero. Inputs are free in every cycle, the reset too; a rule counts from the first reset on,
/// for as long as the driver has kept its own rules. Memories answer anything. ABC proves by property-directed
/// reachability (`pdr`); what that does not end for, it tries again with registers merged that are always alike (`scorr`).
///
/// # Errors
/// If Yosys is missing, or does not read the Verilog.
pub fn prove_contract(hierarchy: &Hierarchy, seconds: u64) -> Result<Vec<RuleProof>> {
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
        let holds = prove_one(&yosys, number, Duration::from_secs(seconds))?;
        Ok(RuleProof { rule: rule.text.clone(), holds, seconds: began.elapsed().as_secs_f64() })
    });
    proofs.collect()
}

fn prove_one(yosys: &Yosys, number: usize, limit: Duration) -> Result<Holds> {
    let others = format!("o:* o:{BROKEN}_{number} %d");
    let script = format!(
        "read_rtlil {BASE}; select -set others {others}; delete -output @others; opt_clean\n\
         setundef -undriven -anyseq; aigmap; write_aiger -zinit {CIRCUIT}"
    );
    if !yosys.run(&script, None)? {
        return Ok(Holds::Open);
    }
    // Where little has a part in a rule, merging registers takes longer than the proof.
    for (way, limit) in [("pdr", limit / 4), ("scorr; dc2; pdr", limit)] {
        let prove = format!("yosys-abc -c 'read_aiger {CIRCUIT}; strash; {way}' > {SAID}\n");
        yosys.write(PROVE, &prove)?;
        yosys.write(SAID, "")?;
        yosys.run(&format!("exec -q -- sh {PROVE}"), Some(limit.max(Duration::from_secs(1))))?;
        match read(&yosys.read(SAID)?) {
            Holds::Open => {}
            decided => return Ok(decided),
        }
    }
    Ok(Holds::Open)
}

/// Reads ABC's answer.
fn read(said: &str) -> Holds {
    if said.contains("Property proved") {
        return Holds::Always;
    }
    // `Output 0 of miter "circuit" was asserted in frame 3.`
    let frame = said.split_once("was asserted in frame ").and_then(|(_, rest)| {
        rest.split(|letter: char| !letter.is_ascii_digit()).next()?.parse::<u64>().ok()
    });
    frame.map_or(Holds::Open, |frame| Holds::Not { cycles: frame + 1 })
}

/// The design, with an output for each rule that is broken, and a module around it whose other outputs are gone.
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

/// A memory keeps its ports only, and answers anything.
fn without_rows(module: &VerilogModule) -> String {
    match module.code.split_once("\n);\n").filter(|_| rows(module).is_some()) {
        Some((head, _)) => format!("{}\n);\nendmodule\n", head.replace("output reg", "output wire")),
        None => module.code.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_abc_says_is_read() {
        assert_eq!(read("Property proved.  Time =     0.00 sec"), Holds::Always);
        let broken = "Output 0 of miter \"circuit\" was asserted in frame 3.  Time = 0.01 sec";
        assert_eq!(read(broken), Holds::Not { cycles: 4 });
        assert_eq!(read("Property UNDECIDED"), Holds::Open);
        assert_eq!(read(""), Holds::Open);
    }
}
