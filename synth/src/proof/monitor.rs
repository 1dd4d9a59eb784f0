//! Proofs by monitors: see [`gpurf_hw::dialect::Monitor`]. All that a monitor says is proved together, by induction over cycles,
//! or else by ABC.

use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{ensure, Result};
use gpurf_verilog::Hierarchy;

use super::abc;
use super::design::{range_of, without_rows};
use super::{counterexample, Holds, RuleProof};
use crate::yosys::Yosys;

/// The purpose of a signal in a monitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
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
    pub kind: Kind,
    /// The name, which begins with the purpose.
    pub name: String,
    /// The comment above it.
    pub text: String,
}

/// A monitor, read.
#[derive(Clone, Debug)]
pub struct Watched {
    /// Each size that it names, by its settings.
    pub sizes: Vec<Vec<String>>,
    /// In the order of declaration.
    pub properties: Vec<Property>,
    /// Paths of signals inside the module.
    inside: Vec<String>,
    body: String,
}

const DESIGN: &str = "design.v";
const MONITOR: &str = "monitor.v";
const BASE: &str = "base.il";
const CIRCUIT: &str = "circuit.aig";
const SAID: &str = "said.txt";
/// The module around the design, and names in it that no monitor has.
const AROUND: &str = "gpurf_monitor";
const COUNTS: &str = "gpurf_counts";
const BROKEN: &str = "gpurf_broken";
const REACHED: &str = "gpurf_reached";
/// The scope of the watched module's own signals.
const OWN: &str = "inside.";
/// Cycles that are looked at together in an inductive step.
const DEPTH: usize = 2;
/// Cycles within which what can happen has to.
const REACH: usize = 40;

impl Watched {
    /// Reads a monitor.
    ///
    /// # Errors
    /// If it proves nothing, or a property has no comment.
    pub fn read(text: &str) -> Result<Self> {
        let (mut sizes, mut properties, mut above) = (vec![], vec![], vec![]);
        for line in text.lines().map(str::trim) {
            if let Some(size) = line.strip_prefix("// At ").filter(|size| size.contains('=')) {
                sizes.push(size.trim_end_matches('.').split_whitespace().map(String::from).collect());
            } else if let Some(comment) = line.strip_prefix("//") {
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
            properties.iter().any(|property| property.kind == Kind::Prove),
            "a monitor that proves nothing: no signal is called prove_NAME"
        );
        let (mut inside, mut body) = (vec![], String::new());
        for line in text.lines() {
            let code = line.split("//").next().unwrap_or_default();
            body += &with_paths(code, &mut inside);
            body.push('\n');
        }
        Ok(Watched { sizes, properties, inside, body })
    }

    fn of(&self, kind: Kind) -> impl Iterator<Item = &Property> {
        self.properties.iter().filter(move |property| property.kind == kind)
    }

    /// The module around the design.
    fn around(&self, hierarchy: &Hierarchy, parameters: &[(&str, usize)]) -> Result<String> {
        let top = hierarchy.top_module();
        let named = |name: &str| range_of(hierarchy, name);
        let clocks = ["clock", "reset"].into_iter().filter(|name| named(name).is_some());
        let mut inputs: Vec<String> = clocks.map(String::from).collect();
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
        for (number, _) in self.of(Kind::Cover).enumerate() {
            writeln!(text, "  output wire {REACHED}_{number},")?;
        }
        writeln!(text, "  output wire {BROKEN}\n);")?;
        for (name, value) in parameters {
            writeln!(text, "  localparam {} = {value};", name.to_uppercase())?;
        }
        for name in &outputs {
            writeln!(text, "  wire {} {name};", declared(name))?;
        }
        let mut connected: Vec<String> =
            inputs.iter().chain(outputs).map(|name| format!(".{name}({name})")).collect();
        for path in &self.inside {
            let name = path.strip_prefix(OWN).unwrap_or(path);
            let Some(range) = named(name) else {
                anyhow::bail!("{path} is no signal of {}", top.name);
            };
            writeln!(text, "  wire {range} {};", flat(path))?;
            connected.push(format!(".\\{name} ({})", flat(path)));
        }
        writeln!(text, "  {} design ({});", top.name, connected.join(", "))?;
        text += &self.body;

        let all = |kind| self.of(kind).map(|property| format!(" & {}", property.name)).collect::<String>();
        let is_port = |name: &str| top.ports.iter().any(|port| port.name == name);
        let driver = top.contract.iter().filter(|rule| rule.is_of_driver && words(&rule.broken).all(is_port));
        let kept: String = driver.map(|rule| format!(" & !({})", rule.broken)).collect();
        writeln!(text, "  wire gpurf_kept = 1'b1{}{kept};", all(Kind::Assume))?;
        let reset = if inputs.iter().any(|name| name == "reset") { "reset" } else { "1'b0" };
        match inputs.iter().any(|name| name == "clock") {
            true => {
                writeln!(text, "  reg {COUNTS} = 1'b0;")?;
                writeln!(
                    text,
                    "  always @(posedge clock) {COUNTS} <= {reset} | ({COUNTS} & gpurf_kept);\n  \
                     wire gpurf_now = {COUNTS} & gpurf_kept & !{reset};"
                )?;
            }
            false => writeln!(text, "  wire gpurf_now = gpurf_kept;")?,
        }
        writeln!(text, "  assign {BROKEN} = gpurf_now & !(1'b1{}{});", all(Kind::Prove), all(Kind::Lemma))?;
        for (number, cover) in self.of(Kind::Cover).enumerate() {
            writeln!(text, "  assign {REACHED}_{number} = gpurf_now & {};", cover.name)?;
        }
        Ok(text + "endmodule\n")
    }
}

/// Tries to prove what a monitor says of a module, with so many seconds of processor time for each way, and to reach what it says
/// can happen. A run that breaks it is written as a waveform, if a file for that is given.
///
/// A run begins in any state. Inputs are free in every cycle, the reset too, and what comes before the first reset counts for
/// nothing. The monitor has the module's parameters as constants.
///
/// # Errors
/// If Yosys is missing, or does not read the Verilog; if the monitor names what the module does not have.
pub fn prove_monitor(
    hierarchy: &Hierarchy,
    watched: &Watched,
    parameters: &[(&str, usize)],
    seconds: u64,
    waveform: Option<&Path>,
) -> Result<Vec<RuleProof>> {
    let yosys = Yosys::new()?;
    let began = Instant::now();
    let modules: Vec<String> = hierarchy.modules.iter().map(without_rows).collect();
    yosys.write(DESIGN, &format!("`default_nettype none\n\n{}", modules.join("\n")))?;
    yosys.write(MONITOR, &watched.around(hierarchy, parameters)?)?;
    let top = &hierarchy.top;
    let exposed: String = watched
        .inside
        .iter()
        .map(|path| format!("expose {top}/w:{}\n", path.strip_prefix(OWN).unwrap_or(path)))
        .collect();
    let made = yosys.run(
        &format!(
            "read_verilog -sv -noblackbox -DSYNTHESIS {DESIGN}; hierarchy -top {top}; proc; flatten\n{exposed}\
             read_verilog -formal {MONITOR}; hierarchy -top {AROUND}; proc; flatten; opt_clean\n\
             memory_map; opt; simplemap; techmap; opt; dffunmap; simplemap; opt_clean\n\
             setundef -undriven -anyseq; write_rtlil {BASE}"
        ),
        None,
    )?;
    if !made {
        return Err(yosys.failure());
    }
    let limit = Duration::from_secs(seconds);
    // Registers begin as they like, and nothing counts. What has no clock begins nowhere.
    let is_clocked = range_of(hierarchy, "clock").is_some();
    let start = if is_clocked { format!("-set-init {COUNTS} 0") } else { String::new() };
    let (holds, method) = prove_all(&yosys, &start, limit)?;
    if let (Some(path), Holds::Not { cycles }) = (waveform, holds) {
        counterexample(&yosys, BASE, BROKEN, &start, cycles, path)?;
    }
    let together = began.elapsed().as_secs_f64();
    let mut proofs = vec![];
    for property in &watched.properties {
        if matches!(property.kind, Kind::Prove | Kind::Lemma) {
            let rule = property.text.clone();
            proofs.push(RuleProof { rule, holds, method: method.clone(), seconds: together });
        }
    }
    for (number, property) in watched.of(Kind::Cover).enumerate() {
        let began = Instant::now();
        let holds = match abc::run(&yosys, BASE, CIRCUIT, &format!("{REACHED}_{number}"), &reach(), limit)? {
            Holds::Not { cycles } => Holds::Reached { cycles },
            _ => Holds::Open,
        };
        let seconds = began.elapsed().as_secs_f64();
        proofs.push(RuleProof { rule: property.text.clone(), holds, method: reach(), seconds });
    }
    Ok(proofs)
}

fn reach() -> String {
    format!("bmc3 -F {REACH}")
}

/// The result for all together, and what gave it.
fn prove_all(yosys: &Yosys, start: &str, limit: Duration) -> Result<(Holds, String)> {
    let way = if start.is_empty() { String::new() } else { format!("-tempinduct {start} -maxsteps {DEPTH}") };
    yosys.write(SAID, "")?;
    yosys.run(
        &format!("read_rtlil {BASE}; tee -q -o {SAID} sat -prove {BROKEN} 0 {way} {AROUND}"),
        Some(limit),
    )?;
    let said = yosys.read(SAID)?;
    if said.contains("Induction step proven: SUCCESS") {
        let steps = said.matches("Trying induction with length").count();
        return Ok((Holds::Always, format!("induction over {steps}")));
    }
    if said.contains("no model found: SUCCESS") {
        return Ok((Holds::Always, "no state".to_string()));
    }
    if said.contains("model found for base case: FAIL") {
        let cycles = said.matches("Trying induction with length").count() as u64;
        return Ok((Holds::Not { cycles }, "induction".to_string()));
    }
    if said.contains("model found: FAIL") {
        return Ok((Holds::Not { cycles: 1 }, "no state".to_string()));
    }
    for way in ["bmc3 -F 12", "scorr; dc2; pdr"] {
        match abc::run(yosys, BASE, CIRCUIT, BROKEN, way, limit)? {
            Holds::Open => {}
            decided => return Ok((decided, way.to_string())),
        }
    }
    Ok((Holds::Open, String::new()))
}

/// The property that a line declares.
fn property(line: &str) -> Option<(Kind, String)> {
    let line = ["wire ", "reg "].iter().find_map(|kind| line.strip_prefix(kind))?;
    let name = line.split(|letter: char| !is_of_word(letter)).next()?;
    let kind = match name.split_once('_')?.0 {
        "assume" => Kind::Assume,
        "prove" => Kind::Prove,
        "lemma" => Kind::Lemma,
        "cover" => Kind::Cover,
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
    use super::*;

    #[test]
    fn a_monitor_is_read() {
        let watched = Watched::read(
            "// At entries=4 slots=3.\n// At rest\n// it waits.\nwire assume_waits = !go;\n// A tag\n// is known.\nreg prove_tag;\n\
             always @* prove_tag = table.tag[7:0] == inside.own; // table.other\n",
        )
        .unwrap();
        assert_eq!(watched.sizes, [["entries=4", "slots=3"]]);
        let property = |kind, name: &str, text: &str| Property { kind, name: name.into(), text: text.into() };
        assert_eq!(
            watched.properties,
            [
                property(Kind::Assume, "assume_waits", "At rest it waits"),
                property(Kind::Prove, "prove_tag", "A tag is known")
            ]
        );
        assert_eq!(watched.inside, ["table.tag", "inside.own"]);
        assert!(watched.body.contains("prove_tag = table__tag[7:0] == inside__own;"), "{}", watched.body);
        assert!(Watched::read("wire prove_it = 1;")
            .unwrap_err()
            .to_string()
            .contains("prove_it has no comment"));
        assert!(Watched::read("// x\nwire lemma_it = 1;")
            .unwrap_err()
            .to_string()
            .contains("proves nothing"));
    }
}
