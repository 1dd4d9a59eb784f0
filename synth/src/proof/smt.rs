// SPDX-License-Identifier: Apache-2.0
//! Induction by z3 on words, where bits do not end: tables whose entries are compared with each other.

use std::fmt::Write;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::programs::Z3;
use crate::yosys::{limited, Yosys};

/// The design as Yosys writes it, and the questions to z3.
pub const DESIGN: &str = "words.smt2";
const QUESTION: &str = "question.smt2";

/// The answer to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolverAnswer {
    /// There is no such run.
    Never,
    /// There is one.
    Found,
    /// The time did not suffice.
    Open,
}

/// Asks for a run of a module that Yosys has written in which a property is broken. The limit is of processor
/// time.
///
/// # Errors
/// If z3 is missing or cannot be started.
pub fn ask(yosys: &Yosys, module: &str, question: &Question, limit: Duration) -> Result<SolverAnswer> {
    let Question { output, start, last, of_base } = question;
    let mut text = yosys.read(DESIGN)?;
    let high = |name: &str, cycle: usize| format!("(|{module}_n {name}| s{cycle})");
    for cycle in 0..=*last {
        writeln!(text, "(declare-fun s{cycle} () |{module}_s|)")?;
        writeln!(text, "(assert (|{module}_h| s{cycle}))\n(assert (|{module}_u| s{cycle}))")?;
        if cycle > 0 {
            writeln!(text, "(assert (|{module}_t| s{} s{cycle}))", cycle - 1)?;
        }
    }
    if *of_base {
        for name in *start {
            writeln!(text, "(assert (not {}))", high(name, 0))?;
        }
        let any: Vec<String> = (0..=*last).map(|cycle| high(output, cycle)).collect();
        writeln!(text, "(assert (or false {}))", any.join(" "))?;
    } else {
        for cycle in 0..*last {
            writeln!(text, "(assert (not {}))", high(output, cycle))?;
        }
        writeln!(text, "(assert {})", high(output, *last))?;
    }
    writeln!(text, "(check-sat)")?;
    yosys.write(QUESTION, &text)?;
    let mut command = limited(&Z3.command()?, limit);
    command.arg(QUESTION).current_dir(yosys.path());
    let output = command.stderr(Stdio::null()).output().context("z3 cannot be started")?;
    Ok(read(&String::from_utf8_lossy(&output.stdout)))
}

/// A question about the cycles 0 to `last`.
pub struct Question<'a> {
    /// The output that is high where the property is broken.
    pub output: &'a str,
    /// Outputs that are low in cycle 0 of a base case.
    pub start: &'a [&'a str],
    /// The last cycle.
    pub last: usize,
    /// A run from the start breaks it in any cycle; else one from anywhere does in the last cycle alone.
    pub of_base: bool,
}

fn read(said: &str) -> SolverAnswer {
    match said.lines().next().map(str::trim) {
        Some("unsat") => SolverAnswer::Never,
        Some("sat") => SolverAnswer::Found,
        _ => SolverAnswer::Open,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_z3_says_is_read() {
        assert_eq!(read("unsat\n"), SolverAnswer::Never);
        assert_eq!(read("sat\n"), SolverAnswer::Found);
        assert_eq!(read("timeout\n"), SolverAnswer::Open);
        assert_eq!(read("(error \"line 3\")\nunsat\n"), SolverAnswer::Open);
    }
}
