// SPDX-License-Identifier: Apache-2.0
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
    /// The paper says that it is at most the number.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_most: bool,
    /// The paper says that it is at least the number.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_least: bool,
    /// The cause of the difference, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The README has it.
    #[serde(skip)]
    pub headline: bool,
    /// The group of workloads or the workload that it is about; all without.
    #[serde(skip)]
    pub of: Option<String>,
    /// Ends of names of conditions. For each of them, the first condition whose name ends so has a verdict;
    /// without any, the first condition.
    #[serde(skip)]
    pub verdicts: Vec<String>,
    pub here: Vec<Here>,
}

/// A number measured under a condition; none if what it needs was not run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Here {
    pub condition: String,
    pub value: Option<f64>,
    /// The inputs, if they are not those that the claim is held against.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<StudyPart>,
}

/// Inputs that are not all of a study's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StudyPart {
    /// Inputs of the study that were run.
    pub run: usize,
    /// All inputs of the study.
    pub all: usize,
    /// Other inputs.
    pub others: usize,
}

impl StudyPart {
    /// `None` if the inputs are all of the study's own, and no others.
    pub fn of(own: &[String], inputs: &[String]) -> Option<StudyPart> {
        let run = inputs.iter().filter(|input| own.contains(input)).count();
        let part = StudyPart { run, all: own.len(), others: inputs.len() - run };
        (part.run < part.all || part.others > 0).then_some(part)
    }
}

impl fmt::Display for StudyPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            StudyPart { run: 0, others: 1, .. } => write!(f, "1 other input"),
            StudyPart { run: 0, others, .. } => write!(f, "{others} other inputs"),
            StudyPart { run, all, others: 0 } => write!(f, "{run} of {all} inputs"),
            StudyPart { run, all, others } => write!(f, "{run} of {all} inputs and {others} more"),
        }
    }
}

/// Relation of a measured number to a claimed one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    WithinAThird,
    AtMost,
    AtLeast,
    SameDirection,
    DirectionOnly,
    Differs,
    OnAPart,
    NotMeasured,
}

/// A number is near another one if it differs by no more than this part of it.
const NEAR: f64 = 1.0 / 3.0;
/// Or by no more than this much.
const UNIT: f64 = 1.0;
/// Two changes agree in more than their direction if neither is more than this many times the other.
const FAR: f64 = 3.0;

impl Judgement {
    pub const ALL: [Judgement; 8] = [
        Judgement::WithinAThird,
        Judgement::AtMost,
        Judgement::AtLeast,
        Judgement::SameDirection,
        Judgement::DirectionOnly,
        Judgement::Differs,
        Judgement::OnAPart,
        Judgement::NotMeasured,
    ];

    /// The meaning of the word.
    pub fn meaning(self) -> String {
        match self {
            Judgement::WithinAThird => format!(
                "Our number differs from the paper's by at most a third of the paper's ({:.0}%), or by at most {UNIT} unit.",
                100.0 * NEAR
            ),
            Judgement::AtMost => "The paper gives a maximum. Our number is further below it.".into(),
            Judgement::AtLeast => "The paper gives a minimum. Our number is further above it.".into(),
            Judgement::SameDirection => format!(
                "Both numbers are gains, or both are losses. They differ by more than a third, and neither is more than {FAR} times the other."
            ),
            Judgement::DirectionOnly => format!(
                "Both numbers are gains, or both are losses. One is more than {FAR} times the other."
            ),
            Judgement::Differs => {
                "The numbers differ by more than a third, and in direction if they are changes.".into()
            }
            Judgement::OnAPart => {
                "The paper's number is of all its workloads. Ours is of some of them, or of others.".into()
            }
            Judgement::NotMeasured => "There is no number of ours. The command beside it measures one.".into(),
        }
    }
}

impl fmt::Display for Judgement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Judgement::WithinAThird => "within a third",
            Judgement::AtMost => "at most that",
            Judgement::AtLeast => "at least that",
            Judgement::SameDirection => "same direction",
            Judgement::DirectionOnly => "direction only",
            Judgement::Differs => "differs",
            Judgement::OnAPart => "no verdict",
            Judgement::NotMeasured => "not measured",
        })
    }
}

impl Finding {
    /// Returns true if both are about the same number of a paper.
    pub fn is_of(&self, claim: &Finding) -> bool {
        (&self.paper, &self.section, &self.what) == (&claim.paper, &claim.section, &claim.what)
    }

    /// The number of the first condition whose name ends so, among those under which there is one.
    fn number(&self, ending: &str) -> Option<(&Here, f64)> {
        let named = self.here.iter().filter(|here| here.condition.ends_with(ending));
        named.into_iter().find_map(|here| Some((here, here.value?)))
    }

    /// The number that the verdict is of.
    pub fn judged(&self) -> Option<(&Here, f64)> {
        let first = self.verdicts.first().and_then(|ending| self.number(ending));
        first.or_else(|| self.number(""))
    }

    pub fn judgement(&self) -> Judgement {
        self.judged().map_or(Judgement::NotMeasured, |(here, value)| self.judge(here, value))
    }

    fn judge(&self, here: &Here, value: f64) -> Judgement {
        match (value - self.claimed).abs() {
            _ if here.part.is_some() => Judgement::OnAPart,
            distance if distance <= (self.claimed.abs() * NEAR).max(UNIT) => Judgement::WithinAThird,
            _ if self.at_most && value <= self.claimed => Judgement::AtMost,
            _ if self.at_least && value >= self.claimed => Judgement::AtLeast,
            _ if self.is_change && value * self.claimed > 0.0 => {
                let (one, other) = (value.abs(), self.claimed.abs());
                let is_far = one.max(other) > FAR * one.min(other);
                if is_far {
                    Judgement::DirectionOnly
                } else {
                    Judgement::SameDirection
                }
            }
            _ => Judgement::Differs,
        }
    }

    /// The judgement, how far the number is from the paper's, and which number it is of if there are several;
    /// then the same of further numbers that verdicts are of.
    pub fn verdict(&self) -> String {
        let Some((first, value)) = self.judged() else { return Judgement::NotMeasured.to_string() };
        let others = self.verdicts.iter().skip(1).filter_map(|ending| self.number(ending));
        let others = others.filter(|(here, _)| here.condition != first.condition);
        let all = std::iter::once((first, value)).chain(others);
        all.map(|(here, value)| self.words(here, value)).collect::<Vec<_>>().join("; ")
    }

    fn words(&self, here: &Here, value: f64) -> String {
        let judgement = self.judge(here, value);
        let far = match here.part {
            Some(part) => part.to_string(),
            None => self.distance(value),
        };
        let several = self.here.iter().filter(|here| here.value.is_some()).count() > 1;
        let column = if several { format!(" ({})", here.condition) } else { String::new() };
        format!("{judgement}: {far}{column}")
    }

    /// In percent of the paper's number; of one below a unit, the difference.
    fn distance(&self, value: f64) -> String {
        let difference = value - self.claimed;
        let text = match self.claimed.abs() {
            claimed if claimed < UNIT => format!("{difference:+.1}"),
            claimed => format!("{:+.0}%", 100.0 * difference / claimed),
        };
        match text.trim_start_matches(['+', '-']) {
            zero @ ("0%" | "0.0") => zero.into(),
            _ => text.replace('-', "−"),
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
        rows.add_row(name.into_iter().chain(here).chain([finding.verdict()]));
    }
    let last = header.len() - 1;
    rows.column_mut(last).expect("the verdict").set_cell_alignment(CellAlignment::Left);
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(claimed: f64, values: &[Option<f64>]) -> Finding {
        let here = |(number, value): (usize, &Option<f64>)| Here {
            condition: format!("condition {number}"),
            value: *value,
            part: None,
        };
        Finding {
            paper: "F".into(),
            section: "§1".into(),
            what: "IPC".into(),
            claimed,
            is_change: true,
            at_most: false,
            at_least: false,
            why: None,
            headline: false,
            of: None,
            verdicts: vec![],
            here: values.iter().enumerate().map(here).collect(),
        }
    }

    #[test]
    fn a_verdict_says_how_far_and_of_which_number() {
        let verdict = |claimed, value| finding(claimed, &[Some(value)]).verdict();
        assert_eq!(verdict(46.4, 34.6), "within a third: −25%");
        assert_eq!(verdict(28.3, 28.4), "within a third: 0%");
        assert_eq!(verdict(6.1, 2.1), "same direction: −66%");
        assert_eq!(verdict(6.1, 1.5), "direction only: −75%");
        assert_eq!(verdict(-28.3, 19.0), "differs: +167%");
        assert_eq!(verdict(-0.8, -10.3), "direction only: −9.5");
        assert_eq!(verdict(0.5, 1.2), "within a third: +0.7");
        assert_eq!(finding(20.0, &[None]).verdict(), "not measured");
        let several = [None, Some(20.0), Some(40.0)];
        assert_eq!(finding(40.0, &several).verdict(), "same direction: −50% (condition 1)");
        let maximum = Finding { at_most: true, ..finding(40.0, &[Some(5.0)]) };
        assert_eq!(maximum.verdict(), "at most that: −88%");
        let minimum = Finding { at_least: true, ..finding(40.0, &[Some(80.0)]) };
        assert_eq!(minimum.verdict(), "at least that: +100%");
        assert_eq!(Finding { at_most: true, ..minimum.clone() }.judgement(), Judgement::AtLeast);
    }

    #[test]
    fn verdicts_are_of_the_conditions_that_a_study_names() {
        let of = |verdicts: &[&str]| {
            let verdicts = verdicts.iter().map(|ending| ending.to_string()).collect();
            Finding { verdicts, ..finding(40.0, &[Some(10.0), None, Some(41.0)]) }
        };
        assert_eq!(of(&["2"]).verdict(), "within a third: +2% (condition 2)");
        assert_eq!(of(&["2"]).judgement(), Judgement::WithinAThird);
        assert_eq!(of(&["1"]).verdict(), "direction only: −75% (condition 0)", "condition 1 has no number");
        let both = "direction only: −75% (condition 0); within a third: +2% (condition 2)";
        assert_eq!(
            (of(&["", "2"]).verdict().as_str(), of(&["", "2"]).judgement()),
            (both, Judgement::DirectionOnly)
        );
        assert_eq!(of(&["2", "2"]).verdict(), of(&["2"]).verdict());
    }

    #[test]
    fn there_is_no_verdict_on_a_part() {
        let own: Vec<String> = ["a", "b", "c"].map(String::from).into();
        let part = |inputs: &[&str]| {
            StudyPart::of(&own, &inputs.iter().map(|input| input.to_string()).collect::<Vec<_>>())
        };
        assert_eq!(part(&["c", "b", "a"]), None);
        let mut of_part = finding(20.0, &[Some(20.0)]);
        for (inputs, words) in [
            (&["b"][..], "no verdict: 1 of 3 inputs"),
            (&["x", "y"], "no verdict: 2 other inputs"),
            (&["a", "b", "c", "x"], "no verdict: 3 of 3 inputs and 1 more"),
        ] {
            of_part.here[0].part = part(inputs);
            assert_eq!((of_part.judgement(), of_part.verdict().as_str()), (Judgement::OnAPart, words));
        }
    }
}
