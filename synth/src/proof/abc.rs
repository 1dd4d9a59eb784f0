// SPDX-License-Identifier: Apache-2.0
//! ABC on one output of a circuit.

use std::time::Duration;

use anyhow::{ensure, Result};

use super::Holds;
use crate::yosys::Yosys;

const RUN: &str = "abc.sh";
const SAID: &str = "abc.txt";

/// Runs commands of ABC on one output of a design that Yosys has written. They find out if it can ever be
/// high. The limit is of processor time.
pub fn run(
    yosys: &Yosys,
    design: &str,
    circuit: &str,
    output: &str,
    commands: &str,
    limit: Duration,
) -> Result<Holds> {
    let said = said(yosys, design, circuit, output, commands, limit)?;
    Ok(said.map_or(Holds::Always, |said| read(&said)))
}

/// True if an output that is low in one cycle is low in the next, in a run from any state. Rewriting before
/// the solver makes the question smaller; Yosys asks it as it is. None if it does not end.
///
/// # Errors
/// If Yosys or ABC cannot be started.
pub fn is_inductive(
    yosys: &Yosys,
    design: &str,
    circuit: &str,
    output: &str,
    limit: Duration,
) -> Result<Option<bool>> {
    let ask = |commands: &str, answers: [&str; 2]| -> Result<(Option<bool>, bool)> {
        let Some(said) = said(yosys, design, circuit, output, commands, limit)? else {
            return Ok((Some(true), false));
        };
        let [always, not] = answers.map(|answer| said.contains(answer));
        Ok(((always || not).then_some(always), said.contains("network is combinational")))
    };
    // Without registers there is no inductive step.
    match ask("dc2; dc2; ind -F 2", ["Networks are equivalent", "Networks are UNDECIDED"])? {
        (_, true) => Ok(ask("sat", ["UNSATISFIABLE", "SATISFIABLE"])?.0),
        (answer, false) => Ok(answer),
    }
}

/// Words of ABC after commands on one output of a circuit; none if Yosys found that the output is never high.
/// The circuit has all outputs, and is made once.
fn said(
    yosys: &Yosys,
    design: &str,
    circuit: &str,
    output: &str,
    commands: &str,
    limit: Duration,
) -> Result<Option<String>> {
    if !yosys.path().join(circuit).exists()
        && !yosys.run(&format!("read_rtlil {design}; {}", write(circuit)), None)?
    {
        return Ok(Some(String::new()));
    }
    let names = yosys.read(&names_of(circuit))?;
    let Some(number) = number(&names, output) else {
        ensure!(is_low(&yosys.read(design)?, output), "{output} is no output");
        return Ok(None);
    };
    let script = format!("read_aiger {circuit}; cone -s -O {number}; strash; {commands}");
    yosys.write(RUN, &format!("yosys-abc -c '{script}' > {SAID}\n"))?;
    yosys.write(SAID, "")?;
    yosys.run(&format!("exec -q -- sh {RUN}"), Some(limit.max(Duration::from_secs(1))))?;
    yosys.read(SAID).map(Some)
}

/// Commands of Yosys that write a circuit of the design that it has. What nothing drives is an input.
pub fn write(circuit: &str) -> String {
    let names = names_of(circuit);
    format!("setundef -undriven -anyseq; aigmap; write_aiger -zinit -map {names} {circuit}")
}

/// The file with the names of a circuit's inputs and outputs.
fn names_of(circuit: &str) -> String {
    format!("{circuit}.names")
}

/// True if Yosys found that an output is never high. Its list of names has no constant.
fn is_low(design: &str, output: &str) -> bool {
    let connected = format!("connect \\{output} 1'0");
    design.lines().any(|line| line.trim() == connected)
}

/// The number of an output in Yosys' list of names: `output 3 0 first_prove_it`.
fn number<'a>(names: &'a str, output: &str) -> Option<&'a str> {
    let mut outputs = names.lines().filter_map(|line| line.strip_prefix("output ")?.split_once(" 0 "));
    outputs.find(|(_, name)| *name == output).map(|(number, _)| number)
}

/// Reads ABC's answer.
fn read(said: &str) -> Holds {
    if said.contains("Property proved") {
        return Holds::Always;
    }
    let number_behind = |words: &str| {
        let (_, rest) = said.split_once(words)?;
        rest.split(|letter: char| !letter.is_ascii_digit()).next()?.parse::<u64>().ok()
    };
    // `Output 0 of miter "circuit" was asserted in frame 3.`
    if let Some(frame) = number_behind("was asserted in frame ") {
        return Holds::Not { cycles: frame + 1 };
    }
    // `No output asserted in 20 frames.`
    match number_behind("No output asserted in ") {
        Some(cycles) if cycles > 0 => Holds::Bounded { cycles },
        _ => Holds::Open,
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
        let bounded = "No output asserted in 20 frames. Resource limit reached";
        assert_eq!(read(bounded), Holds::Bounded { cycles: 20 });
        assert_eq!(read("Property UNDECIDED"), Holds::Open);
        assert_eq!(read(""), Holds::Open);
    }

    #[test]
    fn an_output_that_is_never_high_is_known_from_the_design() {
        let design = "  connect \\one 1'0\n  connect \\other 1'1\n  connect \\more \\one\n";
        assert!(is_low(design, "one"));
        assert!(!is_low(design, "other") && !is_low(design, "more") && !is_low(design, "on"));
    }

    #[test]
    fn an_output_is_found_by_its_name() {
        let names = "input 0 0 one\noutput 0 0 other\noutput 12 0 one\nlatch 3 0 one\n";
        assert_eq!(number(names, "one"), Some("12"));
        assert_eq!(number(names, "on"), None);
    }
}
