// SPDX-License-Identifier: Apache-2.0
//! Definition of a study: a file in `papers`, built into the tool. Runs, metrics, tables, plots and claims
//! stand there; how a metric is computed stands in [`super::metrics`].

use std::collections::BTreeMap;
use std::sync::LazyLock;

use gpurf_sim::sm::{Design, DesignError};
use gpurf_workloads::suite::MALEKEH;
use serde::{Deserialize, Serialize};

use super::claim::Claim;
use super::finding::StudyPart;
use super::register_cache::claims::TrafficClaim as Counted;

/// All studies, in the order in which help lists them.
pub static STUDIES: LazyLock<Vec<Definition>> = LazyLock::new(|| {
    let files = [
        include_str!("../../papers/malekeh-evaluation.toml"),
        include_str!("../../papers/multicast-evaluation.toml"),
        include_str!("../../papers/finereg-evaluation.toml"),
        include_str!("../../papers/register-cache-evaluation.toml"),
        include_str!("../../papers/operand-stage-evaluation.toml"),
        include_str!("../../papers/collector-clock-evaluation.toml"),
        include_str!("../../papers/modern-evaluation.toml"),
        include_str!("../../papers/designs-evaluation.toml"),
    ];
    files.map(|file| toml::from_str(file).unwrap_or_else(|error| panic!("{error}"))).into()
});

/// A study.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Definition {
    /// As the command line names it.
    pub name: String,
    pub about: String,
    /// The letter by which the paper is cited, for claims that do not name one.
    #[serde(default)]
    pub paper: String,
    /// The preset that its runs have; the default machine without.
    #[serde(default)]
    pub machine: String,
    pub inputs: Inputs,
    /// The first is what the others are compared with.
    #[serde(default)]
    pub designs: Vec<Named>,
    /// Constants of all runs, beside those of conditions.
    #[serde(default)]
    pub set: Vec<String>,
    /// Designs that are tuned for each workload: of runs with these constants the one with the highest IPC
    /// counts.
    #[serde(default)]
    pub tuned: BTreeMap<String, Vec<Vec<String>>>,
    /// Under each of them all designs run. The first is the study's own.
    #[serde(default)]
    pub condition: Vec<Condition>,
    /// Runs that are made on request, by name.
    #[serde(default)]
    pub also: BTreeMap<String, Vec<Runs>>,
    /// Workloads by group.
    #[serde(default)]
    pub groups: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    pub metric: Vec<Metric>,
    #[serde(default)]
    pub table: Vec<TableOf>,
    #[serde(default)]
    pub plot: Vec<PlotOf>,
    #[serde(default)]
    pub curve: Vec<Curve>,
    #[serde(default)]
    pub front: Vec<Front>,
    /// Parts of each run that go into a CSV file beside the metrics: places in its JSON, such as
    /// `counters.hits`.
    #[serde(default)]
    pub columns: Vec<String>,
    #[serde(default)]
    pub claim: Vec<Claim>,
    /// How the names of the conditions or records end that verdicts are of; the first ones without. Of a
    /// claim without such a number the verdict is of its first.
    #[serde(default)]
    pub verdicts: Vec<String>,
    /// Numbers of the paper without one of ours.
    #[serde(default)]
    pub unmeasured: Vec<Unmeasured>,
    /// The claims on what is counted without an SM.
    #[serde(default)]
    pub counted: Vec<Counted>,
}

/// A number of a paper without one of ours.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unmeasured {
    /// The study's without.
    pub paper: Option<String>,
    pub section: String,
    /// The quantity, and the number as the paper has it.
    pub says: String,
    /// Why there is none.
    pub why: String,
}

/// Workloads that a study runs if none is named.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Inputs {
    Suite(Suite),
    Named(Vec<String>),
    /// The ones of the study of this name.
    Of {
        of: String,
    },
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Suite {
    /// The built-in workloads of Malekeh's evaluation.
    Malekeh,
}

/// A design as a study writes it, which is what its results call it: with constants behind it if it has its
/// own, as in
/// `baseline collectors=8`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub struct Named {
    pub label: String,
    pub design: Design,
    pub set: Vec<String>,
}

impl TryFrom<String> for Named {
    type Error = DesignError;

    fn try_from(label: String) -> Result<Named, DesignError> {
        let mut words = label.split(' ');
        let design = words.next().unwrap_or_default().parse()?;
        Ok(Named { design, set: words.map(String::from).collect(), label })
    }
}

impl From<Design> for Named {
    fn from(design: Design) -> Named {
        Named { label: design.name(), design, set: vec![] }
    }
}

/// A condition under which claims are looked at: the common constants of all its runs.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// As findings call it.
    pub name: String,
    /// Text behind the names of its runs' designs; the constants without.
    pub label: Option<String>,
    pub set: Vec<String>,
    /// The group of workloads that it is of; all of them without it.
    pub of: Option<String>,
}

/// Designs, each with each of these sets of constants.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Runs {
    pub designs: Vec<Named>,
    #[serde(default = "no_constants")]
    pub sets: Vec<Vec<String>>,
    #[serde(default)]
    pub exact_reuse: bool,
    /// Seeds of the hardware's random choices; the command line's without.
    #[serde(default)]
    pub seeds: Vec<u64>,
    /// Label of what they are compared with; the study's own reference without.
    pub reference: Option<String>,
    /// The runs that they are compared with have the constants of the set too.
    #[serde(default)]
    pub of_all: bool,
    /// The group of workloads that it is of; all of them without it.
    pub of: Option<String>,
}

fn no_constants() -> Vec<Vec<String>> {
    vec![vec![]]
}

/// A number per workload and variant.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Metric {
    pub name: String,
    /// Over tables and plots.
    pub title: String,
    /// Its name in claims; the title without.
    #[serde(default)]
    pub claim: String,
    /// Its sign says in which direction it goes.
    #[serde(default)]
    pub is_change: bool,
    /// It is of the reference itself.
    #[serde(default)]
    pub of_reference: bool,
    /// It is of a group of workloads; of all without.
    pub of: Option<String>,
    /// A table by workload.
    #[serde(default = "yes")]
    pub table: bool,
    /// The table is printed for a part of the inputs, too.
    #[serde(default)]
    pub main: bool,
    /// Bars by workload, in a file of this name.
    pub plot: Option<String>,
}

fn yes() -> bool {
    true
}

/// A row for each variant.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableOf {
    pub title: String,
    /// The designs, or the runs of a name in `also`, after the design of `first`.
    pub rows: String,
    pub first: Option<String>,
    /// It is of a group of workloads, or of one; of all without.
    pub of: Option<String>,
    pub columns: Vec<Column>,
}

/// A metric or a place in the JSON of a run, over the workloads.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Column {
    pub name: String,
    pub value: String,
    #[serde(default)]
    pub is: Statistic,
    /// Label of what it is compared with, if not with what the row's runs are.
    pub against: Option<String>,
    /// It is of what the row's runs are compared with.
    #[serde(default)]
    pub of_reference: bool,
    #[serde(default = "one")]
    pub decimals: usize,
}

fn one() -> usize {
    1
}

/// The number made of the values of all workloads.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Statistic {
    #[default]
    Average,
    /// For changes in percent: of the ratios behind them.
    Geometric,
    Maximum,
    Minimum,
    Sum,
    /// The interval that the average lies in with 95% if the workloads were drawn again.
    Interval,
}

/// Lines.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PlotOf {
    pub file: String,
    pub title: String,
    pub axes: [String; 2],
    #[serde(flatten)]
    pub over: Over,
}

/// The designs as points, and the line of those that no other beats.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Front {
    /// The picture's file.
    pub name: String,
    pub title: String,
    pub axes: [String; 2],
    /// The metric that is to be small.
    pub x: String,
    /// The metric that is to be large.
    pub y: String,
}

/// The axis that lines are over.
#[derive(Debug, Deserialize)]
pub enum Over {
    /// A metric over runs on request, at these places: a line per workload, and their mean.
    #[serde(rename = "over-runs")]
    Runs { metric: String, runs: String, at: Vec<f64> },
    /// A metric over the conditions, at these places: a line per design. `against`: label of what all are
    /// compared with; the first design under the same condition without.
    #[serde(rename = "over-conditions")]
    Conditions { metric: String, at: Vec<f64>, against: Option<String> },
    /// Values of a variant's intervals: a line per workload.
    #[serde(rename = "over-time")]
    Time { variant: String, of: String },
}

/// A metric of some runs over a constant of the machine: what decides a claim, with the papers' numbers
/// beside it. Its runs are made on request, by its name or with all [`CURVES`].
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Curve {
    /// The name of the request, and of the picture's file.
    pub name: String,
    pub title: String,
    pub axes: [String; 2],
    /// `{}` in it is the place, for a metric that has a number in its name.
    pub metric: String,
    /// The metric of the claims that stand beside it; the same without.
    pub beside: Option<String>,
    /// A group of workloads; all without.
    pub of: Option<String>,
    /// Places, and as what they are shown.
    pub at: Vec<f64>,
    #[serde(default)]
    pub shown: Vec<f64>,
    /// Constants at a place, `{}` being the place.
    #[serde(default)]
    pub set: Vec<String>,
    /// The reference of the runs has these constants too.
    #[serde(default)]
    pub of_all: bool,
    pub lines: Vec<CurveLine>,
}

/// The runs of one line.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CurveLine {
    pub name: String,
    pub run: Named,
    /// Its reference; the study's first design without.
    pub against: Option<Named>,
}

impl Runs {
    /// Its seeds, each with what the names of its runs have of it.
    pub fn seeded(&self) -> Vec<(Option<u64>, Vec<String>)> {
        match self.seeds.is_empty() {
            true => vec![(None, vec![])],
            false => self.seeds.iter().map(|seed| (Some(*seed), vec![format!("--seed {seed}")])).collect(),
        }
    }
}

/// The name that asks for the runs of all curves of a study.
pub const CURVES: &str = "curves";

impl Curve {
    /// A text with the place in it.
    fn with(text: &str, at: f64) -> String {
        text.replace("{}", &at.to_string())
    }

    /// The metric, and the constants beside a line's own, at a place.
    pub fn at(&self, at: f64) -> (String, Vec<String>) {
        (Curve::with(&self.metric, at), self.set.iter().map(|set| Curve::with(set, at)).collect())
    }

    /// Places, and as what they are shown.
    pub fn places(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let shown = if self.shown.is_empty() { &self.at } else { &self.shown };
        self.at.iter().copied().zip(shown.iter().copied())
    }

    /// Numbers of the study's papers that stand beside it: averages of the designs on its lines.
    pub fn levels(&self, study: &Definition) -> Vec<(String, f64)> {
        let metric = self.beside.as_ref().unwrap_or(&self.metric);
        let of = |claim: &&Claim| {
            let named = study.designs.iter().find(|named| named.label == claim.design);
            let is_drawn = |named: &Named| self.lines.iter().any(|line| line.run.design == named.design);
            let is_of_design = claim.over.is_none() && !claim.at_least && named.is_some_and(is_drawn);
            claim.metric == *metric && claim.of == self.of && is_of_design
        };
        let level = |claim: &Claim| {
            let paper = claim.paper.as_ref().unwrap_or(&study.paper);
            Some((format!("{paper} {}: {}", claim.section, claim.design), claim.average?))
        };
        study.claim.iter().filter(of).filter_map(level).collect()
    }
}

impl Condition {
    /// The name of a design under it in results.
    pub fn of(&self, design: &str) -> String {
        match &self.label {
            Some(label) => format!("{design} {label}"),
            None => label(design, &self.set),
        }
    }
}

/// A design's name and what is changed.
pub fn label(design: &str, set: &[String]) -> String {
    [&[design.to_string()][..], set].concat().join(" ")
}

impl Definition {
    /// The study of this name.
    pub fn named(name: &str) -> Option<&'static Definition> {
        STUDIES.iter().find(|study| study.name == name)
    }

    /// The workloads, which may be those of another study.
    pub fn workloads(&self) -> &Inputs {
        match &self.inputs {
            Inputs::Of { of } => Definition::named(of).expect("there is such a study").workloads(),
            inputs => inputs,
        }
    }

    /// The study's own inputs, by name.
    pub fn own(&self) -> Vec<String> {
        match self.workloads() {
            Inputs::Suite(Suite::Malekeh) => MALEKEH.iter().map(|benchmark| benchmark.name.into()).collect(),
            Inputs::Named(names) => names.clone(),
            Inputs::Of { .. } => unreachable!("another study's are looked up"),
        }
    }

    /// The part of its own inputs, or of a group of them or one, that these inputs are. `None` if they are
    /// all of it.
    pub fn part(&self, of: Option<&str>, inputs: &[String]) -> Option<StudyPart> {
        let own = self.own();
        // Groups of other names are found when all inputs are known.
        let wanted = match of {
            Some(group) if self.groups.contains_key(group) => self.groups[group].clone(),
            Some(one) if own.iter().any(|name| name == one) => vec![one.into()],
            _ => own,
        };
        let of_group: Vec<String> = match of {
            Some(_) => inputs.iter().filter(|input| wanted.contains(input)).cloned().collect(),
            None => inputs.to_vec(),
        };
        StudyPart::of(&wanted, &of_group)
    }

    /// Labels of its designs and of its runs on request.
    #[cfg(test)]
    fn runs(&self) -> Vec<String> {
        let of = |runs: &Runs| {
            let exact = runs.exact_reuse.then(|| "reuse=exact".to_string());
            let seeds = runs.seeded();
            let of_set = |set: &Vec<String>| {
                let of_seed =
                    |(_, shown): &(Option<u64>, Vec<String>)| [&set[..], exact.as_slice(), shown].concat();
                seeds.iter().map(of_seed).collect::<Vec<_>>()
            };
            let sets: Vec<Vec<String>> = runs.sets.iter().flat_map(of_set).collect();
            let designs = runs.designs.clone();
            sets.into_iter()
                .flat_map(move |set| designs.clone().into_iter().map(move |named| label(&named.label, &set)))
        };
        let own = self.designs.iter().map(|named| named.label.clone());
        own.chain(self.also.values().flatten().flat_map(of)).collect()
    }

    /// Names that can be asked for beside its own runs.
    pub fn requests(&self) -> Vec<&str> {
        let all = (!self.curve.is_empty()).then_some(CURVES);
        let also = self.also.keys().map(String::as_str);
        also.chain(all).chain(self.curve.iter().map(|curve| curve.name.as_str())).collect()
    }

    /// The metrics that are the register file's energy, each by other energies of an event.
    pub fn ways_to_count(&self) -> impl Iterator<Item = &Metric> {
        self.metric.iter().filter(|metric| metric.name.starts_with("energy"))
    }

    /// Conditions under which the designs run: one that changes nothing, if the study names none.
    pub fn conditions(&self) -> Vec<Condition> {
        match self.condition.is_empty() {
            true => vec![Condition { name: "here".into(), ..Condition::default() }],
            false => self.condition.clone(),
        }
    }
}

impl Metric {
    /// Its name in claims.
    pub fn claimed(&self) -> &str {
        if self.claim.is_empty() {
            &self.title
        } else {
            &self.claim
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::metrics::is_known;
    use super::*;

    #[test]
    fn what_studies_name_is_there() {
        for study in STUDIES.iter() {
            let name = &study.name;
            study.workloads();
            let metrics: Vec<&str> = study.metric.iter().map(|metric| metric.name.as_str()).collect();
            let groups = study.metric.iter().map(|metric| &metric.of);
            let groups = groups.chain(study.condition.iter().map(|condition| &condition.of)).flatten();
            groups.for_each(|group| assert!(study.groups.contains_key(group), "{name}: {group}"));
            for metric in &metrics {
                assert!(is_known(metric), "{name}: {metric}");
            }
            for claim in &study.claim {
                assert!(metrics.contains(&claim.metric.as_str()), "{name}: {}", claim.metric);
                let runs = study.runs();
                for design in [Some(&claim.design), claim.over.as_ref()].into_iter().flatten() {
                    assert!(runs.contains(design), "{name}: {design}");
                }
                let numbers = [claim.average, claim.maximum, claim.minimum];
                assert!(numbers.iter().any(Option::is_some), "{name}: {}", claim.section);
            }
            for curve in &study.curve {
                assert!(is_known(&curve.at(curve.at[0]).0), "{name}: {}", curve.metric);
                assert!(!curve.levels(study).is_empty(), "{name}: no claim stands beside {}", curve.name);
                assert!(curve.shown.is_empty() || curve.shown.len() == curve.at.len(), "{}", curve.name);
                let has_place = |text: &String| text.contains("{}");
                assert!(curve.set.iter().chain([&curve.metric]).any(has_place), "{}", curve.name);
                let known = |group: &String| study.groups.contains_key(group);
                assert!(curve.of.as_ref().is_none_or(known), "{name}: {:?}", curve.of);
            }
            let bars = study.metric.iter().filter_map(|metric| metric.plot.as_deref());
            let lines = study.plot.iter().map(|plot| plot.file.as_str());
            let curves = study.curve.iter().map(|curve| curve.name.as_str());
            for front in &study.front {
                assert!(is_known(&front.x) && is_known(&front.y), "{name}: {}", front.name);
            }
            let fronts = study.front.iter().map(|front| front.name.as_str());
            let mut files: Vec<&str> = bars.chain(lines).chain(curves).chain(fronts).collect();
            files.sort();
            assert!(
                files.windows(2).all(|pair| pair[0] != pair[1]),
                "{name}: two plots in a file: {files:?}"
            );
            for table in &study.table {
                assert!(
                    table.rows == "designs" || study.also.contains_key(&table.rows),
                    "{name}: {}",
                    table.rows
                );
                let is_workload =
                    |of: &String| matches!(study.workloads(), Inputs::Named(all) if all.contains(of));
                let is_there = |of: &String| study.groups.contains_key(of) || is_workload(of);
                assert!(table.of.as_ref().is_none_or(is_there), "{name}: {:?}", table.of);
                table
                    .columns
                    .iter()
                    .for_each(|column| assert!(is_known(&column.value), "{name}: {}", column.value));
            }
            let tuned =
                study.tuned.keys().filter(|design| study.designs.iter().all(|named| named.label != **design));
            assert_eq!(tuned.count(), 0, "{name}");
            assert!(name == "register-cache" || !study.designs.is_empty());
        }
    }
}
