//! Outcomes for spreadsheets.

use anyhow::Result;

use super::jobs::Outcome;

/// What stands in a column, and its name.
pub type Column = (&'static str, fn(&Outcome) -> String);

const FIRST: [Column; 5] = [
    ("workload", |outcome| outcome.workload.clone()),
    ("variant", |outcome| outcome.label.clone()),
    ("cycles", |outcome| outcome.counters.cycles.to_string()),
    ("warp_instructions", |outcome| outcome.counters.warp_instructions.to_string()),
    ("ipc", |outcome| outcome.ipc.to_string()),
];
const LAST: [Column; 1] = [("token_errors", |outcome| outcome.counters.token_errors.to_string())];

/// A line per run, with a study's own columns among those that all have.
pub fn csv(outcomes: &[Outcome], columns: &[Column]) -> Result<Vec<u8>> {
    let columns = || FIRST.iter().chain(columns).chain(&LAST);
    let mut writer = csv::Writer::from_writer(vec![]);
    writer.write_record(columns().map(|(name, _)| name))?;
    for outcome in outcomes {
        writer.write_record(columns().map(|(_, value)| value(outcome)))?;
    }
    Ok(writer.into_inner()?)
}
