//! A claim of a paper's evaluation beside what was measured, the same for every study.

use std::fmt;

use comfy_table::{CellAlignment, Table};
use serde::{Deserialize, Serialize};

use super::series::percent;
use crate::output::table;

/// One number of a paper, and the same quantity measured here, perhaps under several conditions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The letter by which the paper is cited.
    pub paper: String,
    pub section: String,
    /// The quantity and what it is of.
    pub what: String,
    pub claimed: f64,
    /// The number is a change, whose sign says in which direction.
    pub is_change: bool,
    /// What decides the difference, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The README has it.
    #[serde(skip)]
    pub headline: bool,
    pub here: Vec<Here>,
}

/// A number measured under a condition; none if what it needs was not run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Here {
    pub condition: String,
    pub value: Option<f64>,
}

/// How a measured number stands to a claimed one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Judgement {
    /// Within a third of the claim, or within one unit of it.
    WithinAThird,
    /// Further away; both are gains, or both losses.
    SameDirection,
    Differs,
    NotMeasured,
}

impl fmt::Display for Judgement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Judgement::WithinAThird => "within a third",
            Judgement::SameDirection => "same direction",
            Judgement::Differs => "differs",
            Judgement::NotMeasured => "not measured",
        })
    }
}

impl Finding {
    /// Of the first condition under which there is a number.
    pub fn judgement(&self) -> Judgement {
        let Some(here) = self.here.iter().find_map(|here| here.value) else {
            return Judgement::NotMeasured;
        };
        match (here - self.claimed).abs() {
            distance if distance <= (self.claimed.abs() / 3.0).max(1.0) => Judgement::WithinAThird,
            _ if self.is_change && here * self.claimed > 0.0 => Judgement::SameDirection,
            _ => Judgement::Differs,
        }
    }
}

/// A row for each, a column for each condition. All have the same conditions.
pub fn findings_table(findings: &[Finding]) -> Table {
    let conditions = findings.first().map(|finding| &finding.here[..]).unwrap_or_default();
    let conditions = conditions.iter().map(|here| here.condition.as_str());
    let header: Vec<&str> = ["claim", "claimed"].into_iter().chain(conditions).chain(["verdict"]).collect();
    let mut rows = table(&header);
    for finding in findings {
        let Finding { paper, section, what, claimed, here, .. } = finding;
        let here = here.iter().map(|here| here.value.map_or(String::new(), percent));
        let name = [format!("{paper} {section}: {what}"), percent(*claimed)];
        rows.add_row(name.into_iter().chain(here).chain([finding.judgement().to_string()]));
    }
    let last = header.len() - 1;
    rows.column_mut(last).expect("the verdict").set_cell_alignment(CellAlignment::Left);
    rows
}
