// SPDX-License-Identifier: Apache-2.0
//! Results of proofs that take long. A proof is of one text of the hardware and one of the monitor: while
//! both stay as they are, so does its result, and it is not sought again. Short ones are always sought: they
//! test the provers.
//!
//! `make monitors` proves all of them and writes the file; `make soak` proves all of them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{LazyLock, Mutex};
use std::time::Duration;

use gpurf_synth::{read_lines, write_lines};
use serde::{Deserialize, Serialize};

/// A proof that takes no longer is not kept.
pub const SHORT: Duration = Duration::from_secs(1);

/// The result of a monitor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// All rules hold, and all that can happen is reached.
    Proved,
    /// This rule is broken.
    Refuted(String),
    /// This rule was not decided in time.
    Open(String),
}

/// A line of the file.
#[derive(Clone, Serialize, Deserialize)]
pub struct Line {
    pub module: String,
    /// Digest of the Verilog and of what the monitor says.
    pub source: String,
    pub outcome: Outcome,
}

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/known_proofs.jsonl");
/// The value `all` has everything proved. The value `record` also keeps the results in the file.
const VARIABLE: &str = "GPURF_PROVE";

fn is_asked_for(what: &str) -> bool {
    std::env::var(VARIABLE).is_ok_and(|value| value == what)
}

/// The result for this digest, if it is in the file and may be taken from there.
pub fn known(source: &str) -> Option<Outcome> {
    static KNOWN: LazyLock<Vec<Line>> =
        LazyLock::new(|| read_lines(Path::new(FILE), "result of a proof").expect("the file is whole"));

    if is_asked_for("all") || is_asked_for("record") {
        return None;
    }
    KNOWN.iter().find(|line| line.source == source).map(|line| line.outcome.clone())
}

/// Keeps a result if that is asked for: those of other texts of the module stay until the file is made again.
pub fn keep(line: Line) {
    static KEPT: Mutex<BTreeMap<(String, String), Line>> = Mutex::new(BTreeMap::new());

    if !is_asked_for("record") || matches!(line.outcome, Outcome::Open(_)) {
        return;
    }
    let mut kept = KEPT.lock().expect("nobody panics with it in hand");
    kept.insert((line.module.clone(), line.source.clone()), line);
    let lines: Vec<&Line> = kept.values().collect();
    write_lines(Path::new(FILE), &lines).expect("the file can be written");
}
