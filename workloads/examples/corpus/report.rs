// SPDX-License-Identifier: Apache-2.0
//! The fates of kernels.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use gpurf_workloads::Error;

/// The fates of the kernels of a part of the corpus.
#[derive(Default)]
pub struct CorpusReport {
    pub right: usize,
    /// With what is wrong.
    pub wrong: Vec<String>,
    /// By what refuses them.
    pub refused: BTreeMap<String, Vec<String>>,
    /// As they must; with their messages.
    pub stopped: Vec<String>,
    /// They ran, but there is nothing to compare with.
    pub unanswered: Vec<String>,
}

pub enum Outcome {
    Right,
    Wrong(String),
    Refused(String),
    Stopped(String),
    Unanswered,
}

impl Outcome {
    /// The outcome of an error. A kernel with unknown instructions is refused before it starts.
    pub fn of(error: Error) -> Outcome {
        match error {
            Error::Fault { place, message, .. } if place.block.is_none() => {
                Outcome::Refused(format!("`{}`: {message}", place.instruction))
            }
            Error::Listing { message, .. } => Outcome::Refused(message),
            error => Outcome::Stopped(error.to_string()),
        }
    }
}

/// Above the rows of reports.
pub const HEADER: &str =
    "                                count   right   wrong  refused  stopped as they must  without an answer";

impl CorpusReport {
    pub fn add(&mut self, name: String, outcome: Outcome) {
        match outcome {
            Outcome::Right => self.right += 1,
            Outcome::Wrong(message) => self.wrong.push(format!("{name}: {message}")),
            Outcome::Refused(by) => self.refused.entry(by).or_default().push(name),
            Outcome::Stopped(message) => self.stopped.push(format!("{name}: {message}")),
            Outcome::Unanswered => self.unanswered.push(name),
        }
    }

    pub fn join(&mut self, other: CorpusReport) {
        self.right += other.right;
        self.wrong.extend(other.wrong);
        for (by, names) in other.refused {
            self.refused.entry(by).or_default().extend(names);
        }
        self.stopped.extend(other.stopped);
        self.unanswered.extend(other.unanswered);
    }

    fn refused(&self) -> usize {
        self.refused.values().map(Vec::len).sum()
    }

    pub fn count(&self) -> usize {
        self.right + self.wrong.len() + self.refused() + self.stopped.len() + self.unanswered.len()
    }

    pub fn is_wrong(&self) -> bool {
        !self.wrong.is_empty()
    }

    /// Counts in the columns of [`HEADER`].
    pub fn row(&self, name: &str) -> String {
        let [count, right, wrong] = [self.count(), self.right, self.wrong.len()];
        let [refused, stopped, unanswered] = [self.refused(), self.stopped.len(), self.unanswered.len()];
        format!("{name:<29}{count:>8}{right:>8}{wrong:>8}{refused:>9}{stopped:>22}{unanswered:>19}")
    }

    /// The reasons of refusals, each with the number of kernels.
    pub fn refusals(&self) -> String {
        let mut text = String::new();
        for (by, names) in &self.refused {
            writeln!(text, "refused by {by}: {}: {}", names.len(), names.join(", ")).expect("to memory");
        }
        text
    }
}

impl fmt::Display for CorpusReport {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.wrong.iter().try_for_each(|wrong| writeln!(f, "wrong: {wrong}"))?;
        f.write_str(&self.refusals())?;
        self.stopped.iter().try_for_each(|stopped| writeln!(f, "stopped: {stopped}"))?;
        match &self.unanswered[..] {
            [] => Ok(()),
            names => writeln!(f, "without an answer: {}", names.join(", ")),
        }
    }
}
