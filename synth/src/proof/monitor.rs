// SPDX-License-Identifier: Apache-2.0
//! Proofs by monitors: see [`gpurf_hw::dialect::Monitor`]. All that a monitor says is proved together, by
//! induction over cycles, or else by ABC.

use std::collections::HashSet;
use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{bail, ensure, Result};
use gpurf_blocks::Setting;
use gpurf_verilog::Hierarchy;

use super::abc;
use super::design::{signals_of, without_rows};
use super::smt::{self, Question, SolverAnswer};
use super::{counterexample, Holds, RuleProof};
use crate::programs::Z3;
use crate::yosys::Yosys;

/// The purpose of a signal in a monitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropertyKind {
    /// The driver owes it.
    Assume,
    /// It is high in every cycle.
    Prove,
    /// The same, for the proofs of others.
    Lemma,
    /// It can be high.
    Cover,
}

/// A signal of a monitor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// Its purpose.
    pub kind: PropertyKind,
    /// The name, which begins with the purpose.
    pub name: String,
    /// The comment above it.
    pub text: String,
}

/// A monitor, read for one size of its module.
#[derive(Clone, Debug)]
pub struct Watched {
    /// In the order of declaration.
    pub properties: Vec<Property>,
    /// The module's parameters in capitals, and their values.
    constants: Vec<(String, usize)>,
    /// It is proved by z3, as it says.
    by_z3: bool,
    /// Runs of so many cycles are looked at, and none beyond.
    pub within: Option<u64>,
    /// Paths of signals inside the module.
    inside: Vec<String>,
    body: String,
}

/// The line of a monitor that z3 is to prove.
const BY_Z3: &str = "// By z3.";
/// The line of one whose runs are looked at for some cycles: `// Within 20 cycles.`
const WITHIN: [&str; 2] = ["// Within ", " cycles."];
const DESIGN: &str = "design.v";
const MONITOR: &str = "monitor.v";
const BASE: &str = "base.il";
const CIRCUIT: &str = "circuit.aig";
const SAID: &str = "said.txt";
/// The module around the design, and names in it that no monitor has.
const AROUND: &str = "gpurf_monitor";
const COUNTS: &str = "gpurf_counts";
const BROKEN: &str = "gpurf_broken";
const FELL: &str = "gpurf_fell";
/// A property is broken; it is, and none was before.
const LOW: &str = "low";
const FIRST: &str = "first";
const REACHED: &str = "gpurf_reached";
/// The scope of the watched module's own signals.
const OWN: &str = "inside.";
/// Cycles that are looked at together in an inductive step.
const DEPTH: usize = 2;
/// Cycles within which what can happen has to.
const REACH: usize = 40;
/// Cycles that are looked at where no proof is found.
const BOUND: usize = 20;

impl Watched {
    /// Each size that a monitor names, by its settings; without any, the default one.
    pub fn sizes(text: &str) -> Vec<Vec<String>> {
        let named = text.lines().filter_map(|line| size(line.trim()));
        let sizes: Vec<Vec<String>> =
            named.map(|size| size.split_whitespace().map(String::from).collect()).collect();
        if sizes.is_empty() {
            vec![vec![]]
        } else {
            sizes
        }
    }

    /// Reads a monitor for a module with these parameters.
    ///
    /// # Errors
    /// If it proves nothing, a property has no comment, or a condition is of no parameter.
    pub fn read(text: &str, parameters: &[Setting]) -> Result<Self> {
        let text = &conditional(text, parameters)?;
        let (mut properties, mut above) = (vec![], vec![]);
        let by_z3 = text.lines().any(|line| line.trim() == BY_Z3);
        let is_of_all = |line: &&str| *line == BY_Z3 || size(line).is_some() || cycles(line).is_some();
        for line in text.lines().map(str::trim).filter(|line| !is_of_all(line)) {
            if let Some(comment) = line.strip_prefix("//") {
                above.push(comment.trim());
                continue;
            } else if let Some((kind, name)) = property(line) {
                let text = above.join(" ").trim_end_matches('.').to_string();
                ensure!(!text.is_empty(), "{name} has no comment that says what it is");
                properties.push(Property { kind, name, text });
            }
            above.clear();
        }
        ensure!(
            properties.iter().any(|property| property.kind == PropertyKind::Prove),
            "a monitor that proves nothing: no signal is called prove_NAME"
        );
        let (mut inside, mut body) = (vec![], String::new());
        for line in text.lines() {
            let code = line.split("//").next().unwrap_or_default();
            body += &with_paths(code, &mut inside);
            body.push('\n');
        }
        let constants =
            parameters.iter().map(|setting| (setting.name.to_uppercase(), setting.number)).collect();
        let within = text.lines().find_map(|line| cycles(line.trim()));
        Ok(Watched { properties, constants, by_z3, within, inside, body })
    }

    /// All that a proof rests on beside the module: the cycles that are looked at, the values that are named,
    /// and the text.
    pub fn code(&self) -> String {
        let within = self.within.map(|cycles| format!("within {cycles}\n"));
        let named: HashSet<&str> = words(&self.body).collect();
        let constants = self.constants.iter().filter(|(name, _)| named.contains(name.as_str()));
        let constants = constants.map(|(name, value)| format!("{name} = {value};\n"));
        within.into_iter().chain(constants).chain([self.body.clone()]).collect()
    }

    fn of(&self, kind: PropertyKind) -> impl Iterator<Item = &Property> {
        self.properties.iter().filter(move |property| property.kind == kind)
    }

    /// Properties that are to be proved.
    fn rules(&self) -> impl Iterator<Item = &Property> {
        self.properties
            .iter()
            .filter(|property| matches!(property.kind, PropertyKind::Prove | PropertyKind::Lemma))
    }

    /// The module around the design.
    fn around(&self, hierarchy: &Hierarchy) -> Result<String> {
        let top = hierarchy.top_module();
        let named = |name: &str| signals_of(hierarchy, name).pop().map(|signal| signal.range);
        // A module without a reset gets one that the monitor alone sees.
        let clocks: &[&str] = if named("clock").is_some() { &["clock", "reset"] } else { &[] };
        let mut inputs: Vec<String> = clocks.iter().map(ToString::to_string).collect();
        let is_missing = |name: &String, inputs: &[String]| !inputs.contains(name);
        for port in top.ports.iter().filter(|port| port.is_input) {
            if is_missing(&port.name, &inputs) {
                inputs.push(port.name.clone());
            }
        }
        let outputs: Vec<&String> =
            top.ports.iter().filter(|port| !port.is_input).map(|port| &port.name).collect();
        let declared = |name: &str| named(name).unwrap_or_default();
        let mut text = format!("module {AROUND} (\n");
        for name in &inputs {
            writeln!(text, "  input wire {} {name},", declared(name))?;
        }
        for (number, _) in self.of(PropertyKind::Cover).enumerate() {
            writeln!(text, "  output wire {REACHED}_{number},")?;
        }
        for name in self.rules().map(|rule| &rule.name) {
            writeln!(text, "  output wire {LOW}_{name}, output wire {FIRST}_{name},")?;
        }
        writeln!(text, "  output wire {BROKEN}\n);")?;
        for (name, value) in &self.constants {
            writeln!(text, "  localparam {name} = {value};")?;
        }
        for name in &outputs {
            writeln!(text, "  wire {} {name};", declared(name))?;
        }
        let ports = inputs.iter().chain(outputs).filter(|name| named(name).is_some());
        let mut connected: Vec<String> = ports.map(|name| format!(".{name}({name})")).collect();
        for path in &self.inside {
            let signals = signals_of(hierarchy, path.strip_prefix(OWN).unwrap_or(path));
            let name = flat(path);
            match &signals[..] {
                [] => bail!("{path} is no signal of {}", top.name),
                [signal] => {
                    writeln!(text, "  wire {} {name};", signal.range)?;
                    connected.push(format!(".\\{} ({name})", signal.name));
                }
                // Side by side, as arrays are.
                _ => {
                    let high =
                        signals[0].range.trim_matches(['[', ']']).split(':').next().unwrap_or_default();
                    let width = if high.is_empty() { "1".to_string() } else { format!("({high} + 1)") };
                    writeln!(text, "  wire [{} * {width} - 1:0] {name};", signals.len())?;
                    for (number, signal) in signals.iter().enumerate() {
                        let part = format!("{name}[{number} * {width} +: {width}]");
                        connected.push(format!(".\\{} ({part})", signal.name));
                    }
                }
            }
        }
        writeln!(text, "  {} design ({});", top.name, connected.join(", "))?;
        text += &self.body;

        let all = |kind| self.of(kind).map(|property| format!(" & {}", property.name)).collect::<String>();
        let is_port = |name: &str| top.ports.iter().any(|port| port.name == name);
        let driver = top.contract.iter().filter(|rule| rule.is_of_driver && words(&rule.broken).all(is_port));
        let kept: String = driver.map(|rule| format!(" & !({})", rule.broken)).collect();
        writeln!(text, "  wire gpurf_kept = 1'b1{}{kept};", all(PropertyKind::Assume))?;
        match inputs.iter().any(|name| name == "clock") {
            true => {
                writeln!(text, "  reg {COUNTS} = 1'b0;")?;
                writeln!(
                    text,
                    "  reg {FELL} = 1'b0;\n  \
                     always @(posedge clock) {COUNTS} <= reset | ({COUNTS} & gpurf_kept);\n  \
                     always @(posedge clock) {FELL} <= {FELL} | {BROKEN};\n  \
                     wire gpurf_now = {COUNTS} & gpurf_kept & !reset;"
                )?;
            }
            false => writeln!(text, "  wire gpurf_now = gpurf_kept;\n  wire {FELL} = 1'b0;")?,
        }
        for name in self.rules().map(|rule| &rule.name) {
            writeln!(text, "  assign {LOW}_{name} = gpurf_now & !{name};")?;
            writeln!(text, "  assign {FIRST}_{name} = {LOW}_{name} & !{FELL};")?;
        }
        writeln!(
            text,
            "  assign {BROKEN} = gpurf_now & !(1'b1{}{});",
            all(PropertyKind::Prove),
            all(PropertyKind::Lemma)
        )?;
        for (number, cover) in self.of(PropertyKind::Cover).enumerate() {
            writeln!(text, "  assign {REACHED}_{number} = gpurf_now & {};", cover.name)?;
        }
        Ok(text + "endmodule\n")
    }
}

/// Tries to prove what a monitor says of a module, with so many seconds of processor time for each way, and
/// to reach what it says can happen. A run that breaks it is written as a waveform, if a file for that is
/// given.
///
/// A run begins in any state. Inputs are free in every cycle, the reset too, and what comes before the first
/// reset counts for nothing.
///
/// # Errors
/// If Yosys is missing, or does not read the Verilog; if the monitor names what the module does not have.
pub fn prove_monitor(
    hierarchy: &Hierarchy,
    watched: &Watched,
    seconds: u64,
    waveform: Option<&Path>,
) -> Result<Vec<RuleProof>> {
    let yosys = Yosys::new()?;
    let modules: Vec<String> = hierarchy.modules.iter().map(without_rows).collect();
    yosys.write(DESIGN, &format!("`default_nettype none\n\n{}", modules.join("\n")))?;
    yosys.write(MONITOR, &watched.around(hierarchy)?)?;
    let top = &hierarchy.top;
    let inside = watched.inside.iter().map(|path| path.strip_prefix(OWN).unwrap_or(path));
    // Brackets are patterns in a selection.
    let exposed: String = inside
        .flat_map(|path| signals_of(hierarchy, path))
        .map(|signal| format!("expose {top}/w:{}\n", signal.name.replace(['[', ']'], "?")))
        .collect();
    let words = match watched.by_z3 {
        true => format!(
            "design -push-copy; dffunmap; opt_clean; setundef -undriven -anyseq; write_smt2 -wires {}; design -pop\n",
            smt::DESIGN
        ),
        false => String::new(),
    };
    let made = yosys.run(
        &format!(
            "read_verilog -sv -noblackbox -DSYNTHESIS {DESIGN}; hierarchy -top {top}; proc; flatten\n{exposed}\
             read_verilog -formal {MONITOR}; hierarchy -top {AROUND}; proc; flatten; opt_clean\n\
             memory_map; opt\n{words}\
             simplemap; techmap; dffunmap; simplemap; opt_clean\n\
             setundef -undriven -anyseq; write_rtlil {BASE}; {}",
            abc::write(CIRCUIT)
        ),
        None,
    )?;
    if !made {
        return Err(yosys.failure());
    }
    let limit = Duration::from_secs(seconds);
    // Registers begin as they like, and nothing counts. What has no clock begins nowhere.
    let start = if is_clocked(&yosys)? { format!("-set-init {COUNTS} 0") } else { String::new() };
    let rules: Vec<&Property> = watched.rules().collect();
    let mut proofs = match watched.within {
        Some(cycles) => look_for(&yosys, &rules, cycles, limit)?,
        None if watched.by_z3 => prove_on_words(&yosys, &rules, limit)?,
        None => prove_all(&yosys, &rules, limit)?,
    };
    if let (Some(path), Some(Holds::Not { cycles })) = (waveform, proofs.first().map(|proof| proof.holds)) {
        counterexample(&yosys, BASE, BROKEN, &start, cycles, path)?;
    }
    for (number, property) in watched.of(PropertyKind::Cover).enumerate() {
        let began = Instant::now();
        let (holds, method) = reach(&yosys, &format!("{REACHED}_{number}"), limit)?;
        let seconds = began.elapsed().as_secs_f64();
        proofs.push(RuleProof { rule: property.text.clone(), holds, method, seconds });
    }
    Ok(proofs)
}

/// The shortest run at whose end an output is high, if one is found, and how.
fn reach(yosys: &Yosys, output: &str, limit: Duration) -> Result<(Holds, String)> {
    if is_clocked(yosys)? {
        let way = format!("bmc3 -F {REACH}");
        return Ok(match abc::run(yosys, BASE, CIRCUIT, output, &way, limit)? {
            Holds::Not { cycles } => (Holds::Reached { cycles }, way),
            _ => (Holds::Open, way),
        });
    }
    yosys.write(SAID, "")?;
    yosys.run(&format!("read_rtlil {BASE}; tee -q -o {SAID} sat -set {output} 1 {AROUND}"), Some(limit))?;
    let is_found = yosys.read(SAID)?.contains("- model found");
    Ok((if is_found { Holds::Reached { cycles: 1 } } else { Holds::Open }, "no state".to_string()))
}

/// The result for each rule: for all together, or else for each with all others in the cycles before.
fn prove_all(yosys: &Yosys, rules: &[&Property], limit: Duration) -> Result<Vec<RuleProof>> {
    let began = Instant::now();
    let together = |holds: Holds, method: &str| Ok(alike(rules, holds, method, began));
    let bounded = format!("bmc3 -F {BOUND}");
    let mut within = Holds::Open;
    if is_clocked(yosys)? {
        // Together they end soon or not at all.
        match abc::is_inductive(yosys, BASE, CIRCUIT, BROKEN, limit / 5)? {
            Some(true) => return together(Holds::Always, "induction over 1"),
            Some(false) => {}
            None => {
                if let Some(proofs) = prove_each(yosys, rules, limit)? {
                    return Ok(proofs);
                }
            }
        }
        within = abc::run(yosys, BASE, CIRCUIT, BROKEN, &bounded, limit)?;
        if matches!(within, Holds::Not { .. }) {
            return together(within, &bounded);
        }
    }
    let mut steps = vec![];
    match by_yosys(yosys, BROKEN, rules, limit)? {
        Induction::Proved { method } => return together(Holds::Always, &method),
        Induction::Broken { cycles } => return together(Holds::Not { cycles }, "induction"),
        Induction::Fails { rules: low } => {
            let step = |rule: &&Property| if low.contains(&rule.name) { "its step fails" } else { "" };
            steps.extend(rules.iter().map(|rule| (false, step(rule).to_string(), began.elapsed())));
        }
        Induction::Open => {
            for rule in rules {
                let began = Instant::now();
                let (holds, method) = match induction(yosys, &format!("{FIRST}_{}", rule.name), limit)? {
                    Induction::Proved { method } => (true, format!("{method}, the others before it")),
                    Induction::Broken { cycles } => return together(Holds::Not { cycles }, "induction"),
                    Induction::Fails { .. } => (false, "its step fails".to_string()),
                    Induction::Open => (false, "its step does not end".to_string()),
                };
                steps.push((holds, method, began.elapsed()));
            }
        }
    }
    // Each holds in a cycle if all held in those before it: so all hold.
    let all_hold = steps.iter().all(|(holds, ..)| *holds);
    let mut otherwise = Holds::Always;
    if !all_hold {
        otherwise = within;
        let way = "scorr; dc2; pdr";
        match abc::run(yosys, BASE, CIRCUIT, BROKEN, way, limit)? {
            Holds::Open | Holds::Bounded { .. } => {}
            decided => return together(decided, way),
        }
    }
    let proofs = rules.iter().zip(steps).map(|(rule, (holds, method, time))| {
        let method = if holds && !all_hold { format!("its step holds: {method}") } else { method };
        RuleProof { rule: rule.text.clone(), holds: otherwise, method, seconds: time.as_secs_f64() }
    });
    Ok(proofs.collect())
}

/// The result for all rules together in runs of so many cycles; open if it does not get so far.
fn look_for(yosys: &Yosys, rules: &[&Property], cycles: u64, limit: Duration) -> Result<Vec<RuleProof>> {
    let (began, way) = (Instant::now(), format!("bmc3 -F {cycles}"));
    let holds = abc::run(yosys, BASE, CIRCUIT, BROKEN, &way, limit)?;
    Ok(alike(rules, holds, &way, began))
}

/// The results if ABC's induction proves each rule with all others in the cycle before: so all hold.
fn prove_each(yosys: &Yosys, rules: &[&Property], limit: Duration) -> Result<Option<Vec<RuleProof>>> {
    let mut proofs = vec![];
    for rule in rules {
        let began = Instant::now();
        let output = format!("{FIRST}_{}", rule.name);
        if abc::is_inductive(yosys, BASE, CIRCUIT, &output, limit)? != Some(true) {
            return Ok(None);
        }
        proofs.extend(alike(&[rule], Holds::Always, "induction over 1, the others before it", began));
    }
    Ok(Some(proofs))
}

/// One result for all rules.
fn alike(rules: &[&Property], holds: Holds, method: &str, began: Instant) -> Vec<RuleProof> {
    let seconds = began.elapsed().as_secs_f64();
    let proof =
        |rule: &&Property| RuleProof { rule: rule.text.clone(), holds, method: method.into(), seconds };
    rules.iter().map(proof).collect()
}

/// The result for all rules together, by induction over as many cycles as suffice, and else by ABC. Without
/// z3 it is open.
fn prove_on_words(yosys: &Yosys, rules: &[&Property], limit: Duration) -> Result<Vec<RuleProof>> {
    let began = Instant::now();
    let all = |holds: Holds, method: &str| Ok(alike(rules, holds, method, began));
    if Z3.find().is_none() {
        return all(Holds::Open, &format!("z3 is missing: {}", Z3.remedy));
    }
    let mut said = "its step does not end";
    for last in 1..=DEPTH {
        let question = |of_base| Question { output: BROKEN, start: &[COUNTS, FELL], last, of_base };
        match smt::ask(yosys, AROUND, &question(true), limit)? {
            SolverAnswer::Found => break,
            SolverAnswer::Open => continue,
            SolverAnswer::Never => {}
        }
        match smt::ask(yosys, AROUND, &question(false), limit)? {
            SolverAnswer::Never => return all(Holds::Always, &format!("induction over {last}, z3")),
            SolverAnswer::Found => said = "its step fails",
            SolverAnswer::Open => {}
        }
    }
    match abc::run(yosys, BASE, CIRCUIT, BROKEN, &format!("bmc3 -F {BOUND}"), limit)? {
        Holds::Always | Holds::Open => all(Holds::Open, said),
        otherwise => all(otherwise, said),
    }
}

/// The design has a clock, or the monitor has.
fn is_clocked(yosys: &Yosys) -> Result<bool> {
    Ok(yosys.read(MONITOR)?.contains(&format!("reg {COUNTS} =")))
}

/// The result of an induction.
enum Induction {
    Proved {
        method: String,
    },
    Broken {
        cycles: u64,
    },
    /// The step does: in the last of some cycles these rules are broken.
    Fails {
        rules: Vec<String>,
    },
    Open,
}

/// An induction for an output that must stay low. It is low in cycle 0, where nothing counts.
fn induction(yosys: &Yosys, output: &str, limit: Duration) -> Result<Induction> {
    if is_clocked(yosys)? && abc::is_inductive(yosys, BASE, CIRCUIT, output, limit)? == Some(true) {
        return Ok(Induction::Proved { method: "induction over 1".to_string() });
    }
    by_yosys(yosys, output, &[], limit)
}

/// The same by Yosys, which says how it fails.
fn by_yosys(yosys: &Yosys, output: &str, rules: &[&Property], limit: Duration) -> Result<Induction> {
    yosys.write(SAID, "")?;
    let way = format!("-tempinduct -set-init {COUNTS} 0 -set-init {FELL} 0 -maxsteps {DEPTH}");
    let way = if is_clocked(yosys)? { way } else { String::new() };
    let shown: String = rules.iter().map(|rule| format!(" -show {LOW}_{}", rule.name)).collect();
    yosys.run(
        &format!("read_rtlil {BASE}; tee -q -o {SAID} sat -prove {output} 0 {way}{shown} {AROUND}"),
        Some(limit),
    )?;
    let said = yosys.read(SAID)?;
    let steps = said.matches("Trying induction with length").count();
    Ok(if said.contains("Induction step proven: SUCCESS") {
        Induction::Proved { method: format!("induction over {steps}") }
    } else if said.contains("no model found: SUCCESS") {
        Induction::Proved { method: "no state".to_string() }
    } else if said.contains("model found for base case: FAIL") {
        Induction::Broken { cycles: steps as u64 }
    } else if said.contains("model found: FAIL") {
        Induction::Broken { cycles: 1 }
    } else if said.matches("Induction step failed").count() == DEPTH {
        Induction::Fails { rules: broken_at_the_end(&said) }
    } else {
        Induction::Open
    })
}

/// The rules that are broken in the last table of values that Yosys prints: `   3 \low_prove_it   1   1   1`.
fn broken_at_the_end(said: &str) -> Vec<String> {
    let table = said.rsplit("Signal Name").next().unwrap_or_default();
    let broken = table.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        let (_, name, value) = (words.next()?, words.next()?, words.next()?);
        let name = name.strip_prefix(&format!("\\{LOW}_"))?;
        (value == "1").then(|| name.to_string())
    });
    broken.collect()
}

/// The size that a line names.
fn size(line: &str) -> Option<&str> {
    let size = line.strip_prefix("// At ").filter(|size| size.contains('='))?;
    Some(size.trim_end_matches('.'))
}

/// The cycles that a line names.
fn cycles(line: &str) -> Option<u64> {
    let [before, behind] = WITHIN;
    line.strip_prefix(before)?.strip_suffix(behind)?.parse().ok()
}

/// The lines of a monitor that its module's parameters leave: `` `ifdef SEARCH_SCAN `` begins those of
/// `search=scan`. Paths of signals must exist, so Yosys cannot do this.
fn conditional(text: &str, parameters: &[Setting]) -> Result<String> {
    let (mut kept, mut is_kept) = (String::new(), true);
    for line in text.lines() {
        match line.trim().strip_prefix('`') {
            Some("else") => is_kept = !is_kept,
            Some("endif") => is_kept = true,
            Some(directive) => {
                let name = directive.strip_prefix("ifdef ").unwrap_or_default().trim();
                let is_of = |setting: &&Setting| {
                    let of_it = name.strip_prefix(&setting.name.to_uppercase());
                    of_it.is_some_and(|value| value.starts_with('_'))
                };
                // The name of one parameter may begin that of another.
                let setting = parameters.iter().filter(is_of).max_by_key(|setting| setting.name.len());
                let Some(setting) = setting else {
                    bail!("`{directive}: a condition is `ifdef PARAMETER_VALUE, of a parameter of the module")
                };
                is_kept = name == format!("{}_{}", setting.name, setting.text).to_uppercase();
            }
            None if is_kept => {
                kept += line;
                kept.push('\n');
            }
            None => {}
        }
    }
    Ok(kept)
}

/// The property that a line declares.
fn property(line: &str) -> Option<(PropertyKind, String)> {
    let line = ["wire ", "reg "].iter().find_map(|kind| line.strip_prefix(kind))?;
    let name = line.split(|letter: char| !is_of_word(letter)).next()?;
    let kind = match name.split_once('_')?.0 {
        "assume" => PropertyKind::Assume,
        "prove" => PropertyKind::Prove,
        "lemma" => PropertyKind::Lemma,
        "cover" => PropertyKind::Cover,
        _ => return None,
    };
    Some((kind, name.to_string()))
}

fn is_of_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// The names in an expression.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|letter: char| !is_of_word(letter) && letter != '\'');
    words.filter(|word| word.starts_with(|letter: char| letter.is_ascii_alphabetic()))
}

/// How a signal inside is called around the design.
fn flat(path: &str) -> String {
    path.replace('.', "__")
}

/// The line with a plain name for each path. New paths are added to `inside`.
fn with_paths(line: &str, inside: &mut Vec<String>) -> String {
    let is_of_path = |letter: char| is_of_word(letter) || letter == '.';
    let (mut text, mut rest) = (String::new(), line);
    while let Some(at) = rest.find(is_of_path) {
        let end = rest[at..].find(|letter| !is_of_path(letter)).map_or(rest.len(), |length| at + length);
        let word = &rest[at..end];
        let is_path = word.starts_with(|letter: char| letter.is_ascii_lowercase()) && word.contains('.');
        text += &rest[..at];
        text += &if is_path { flat(word) } else { word.to_string() };
        if is_path && !inside.iter().any(|path| path == word) {
            inside.push(word.to_string());
        }
        rest = &rest[end..];
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use gpurf_blocks::{Parameters, Search};

    use super::*;

    #[test]
    fn a_monitor_is_read() {
        let text =
            "// At entries=4 slots=3.\n// At rest\n// it waits.\nwire assume_waits = !go;\n// A tag\n// is known.\nreg prove_tag;\n\
             always @* prove_tag = table.tag[7:0] == inside.own; // table.other\n";
        let watched = Watched::read(text, &[]).unwrap();
        assert_eq!(Watched::sizes(text), [["entries=4", "slots=3"]]);
        assert_eq!(Watched::sizes("wire a;"), [[""; 0]]);
        let property = |kind, name: &str, text: &str| Property { kind, name: name.into(), text: text.into() };
        assert_eq!(
            watched.properties,
            [
                property(PropertyKind::Assume, "assume_waits", "At rest it waits"),
                property(PropertyKind::Prove, "prove_tag", "A tag is known")
            ]
        );
        assert_eq!(watched.inside, ["table.tag", "inside.own"]);
        assert!(watched.body.contains("prove_tag = table__tag[7:0] == inside__own;"), "{}", watched.body);
        assert!(Watched::read("wire prove_it = 1;", &[])
            .unwrap_err()
            .to_string()
            .contains("prove_it has no comment"));
        assert!(Watched::read("// x\nwire lemma_it = 1;", &[])
            .unwrap_err()
            .to_string()
            .contains("proves nothing"));
    }

    #[test]
    fn a_monitor_follows_the_parameters() {
        let text = "// Held.\n`ifdef SEARCH_SCAN\nwire prove_it = scan_0.row;\n`else\nwire prove_it = cam_0.row;\n`endif\nassign x = 1;";
        let settings = |value| vec![Parameters { search: value, ..Parameters::default() }.setting("search")];
        for (search, path) in [(Search::Scan, "scan_0.row"), (Search::Cam, "cam_0.row")] {
            let watched = Watched::read(text, &settings(search)).unwrap();
            assert_eq!(watched.inside, [path]);
            assert!(watched.body.contains("assign x"), "{}", watched.body);
        }
        let error = Watched::read(text, &[]).unwrap_err().to_string();
        assert!(error.contains("`ifdef SEARCH_SCAN"), "{error}");
        let other = text.replace("`ifdef", "`ifndef");
        assert!(Watched::read(&other, &settings(Search::Scan)).is_err());
    }

    #[test]
    fn what_is_broken_at_the_end_is_read() {
        let said =
            "  Time Signal Name  Dec\n     2 \\low_prove_a  1  1  1\n  Time Signal Name  Dec\n  ---- ----\n\
                    \x20    3 \\low_prove_b  0  0  0\n     3 \\low_lemma_c  1  1  1\n";
        assert_eq!(broken_at_the_end(said), ["lemma_c"]);
    }
}
