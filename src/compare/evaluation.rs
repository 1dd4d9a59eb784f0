// SPDX-License-Identifier: Apache-2.0
//! A study that is run in the SM: its jobs, and what is made of their outcomes, as its file says.

use std::collections::BTreeMap;

use anyhow::{bail, Result};
use gpurf_sim::config::Config;
use gpurf_sim::sm::Design;

use super::arguments::Arguments;
use super::claim::Claim;
use super::claims;
use super::definition::{
    label, Condition, Curve, CurveLine, Definition, Front, Metric, Named, Over, PlotOf, Runs, CURVES,
};
use super::finding::Finding;
use super::finereg::Sorted;
use super::jobs::{self, Listed, Variant};
use super::metrics::value;
use super::outcome::Outcome;
use super::pair::Pair;
use super::plot::{Plot, PlotLine, Point};
use super::series::Series;
use super::stream;
use super::study::Study;
use crate::input::Input;

/// The runs of a study, and their results.
pub struct Evaluation {
    pub study: &'static Definition,
    /// Constants of the machine, before those of variants.
    pub config: Config,
    /// Names of what it ran on.
    pub workloads: Vec<String>,
    /// The inputs that it was given instead of its own, as they were named.
    given: Option<Vec<String>>,
    /// The first is what the others are compared with.
    pub designs: Vec<Named>,
    conditions: Vec<Condition>,
    /// Runs on request, by the name of the request.
    also: BTreeMap<String, Vec<Variant>>,
    /// Workloads by group.
    pub groups: BTreeMap<String, Vec<String>>,
    /// A heading over everything else.
    pub heading: String,
    pub outcomes: Vec<Outcome>,
    /// All runs, those too whose best alone counts.
    pub all: Vec<Outcome>,
    /// Constants of the variants, and what they are compared with, by label.
    machines: BTreeMap<String, Config>,
    references: BTreeMap<String, String>,
}

/// A study before it runs: what runs on what.
pub struct StudyPlan {
    evaluation: Evaluation,
    inputs: Vec<Input>,
    /// Each with the group of workloads that it is of.
    jobs: Vec<(Option<String>, Variant)>,
}

impl StudyPlan {
    pub fn new(
        study: &'static Definition,
        config: Config,
        arguments: &Arguments,
        given: Option<Vec<String>>,
        Sorted { inputs, groups, heading }: Sorted,
    ) -> Result<StudyPlan> {
        let groups: BTreeMap<_, _> = study.groups.clone().into_iter().chain(groups).collect();
        let mut evaluation = Evaluation {
            study,
            config,
            workloads: inputs.iter().map(|input| input.name().to_string()).collect(),
            given,
            designs: designs(study, &arguments.designs),
            conditions: study.conditions(),
            also: BTreeMap::new(),
            groups,
            heading,
            outcomes: vec![],
            all: vec![],
            machines: BTreeMap::new(),
            references: BTreeMap::new(),
        };
        let mut jobs: Vec<(Option<String>, Variant)> = vec![];
        for condition in &evaluation.conditions {
            let of_condition = evaluation.designs.iter().flat_map(|named| evaluation.runs(named, condition));
            jobs.extend(of_condition.map(|variant| (condition.of.clone(), variant)));
        }
        for name in &arguments.also {
            let curves: Vec<&Curve> =
                study.curve.iter().filter(|curve| name == CURVES || curve.name == *name).collect();
            let runs = study.also.get(name);
            if runs.is_none() && curves.is_empty() {
                bail!("--also {name}: {} can also run {}", study.name, listed(&study.requests()));
            }
            let runs = runs.into_iter().flatten().flat_map(|runs| evaluation.requested(runs));
            let of_curves = curves.into_iter().flat_map(|curve| evaluation.along(curve));
            let mut variants = vec![];
            for (of, variant) in runs.chain(of_curves) {
                variants.push(variant.clone());
                // What a table shows again is not run again.
                if jobs.iter().all(|(_, other)| other.label != variant.label) {
                    jobs.push((of, variant));
                }
            }
            evaluation.also.insert(name.clone(), variants);
        }
        for (_, variant) in &jobs {
            let machine = evaluation.config.with(&variant.settings)?;
            evaluation.machines.insert(variant.label.clone(), machine);
            evaluation.references.insert(variant.label.clone(), variant.reference.clone());
        }
        Ok(StudyPlan { evaluation, inputs, jobs })
    }

    /// Each job on the workloads of its group.
    fn variants(&self, input: &Input) -> Vec<Variant> {
        let is_of = |group: &Option<String>| match group {
            Some(group) => {
                let of = self.evaluation.groups.get(group);
                of.is_some_and(|of| of.iter().any(|name| name == input.name()))
            }
            None => true,
        };
        let of_input = self.jobs.iter().filter(|(group, _)| is_of(group));
        of_input.map(|(_, variant)| variant.clone()).collect()
    }

    /// Its runs, and which of them need not be repeated.
    pub fn list(&self, arguments: &Arguments) -> Result<Vec<Listed>> {
        jobs::list(&self.inputs, |input| self.variants(input), &self.evaluation.config, arguments)
    }

    /// Runs the designs on the inputs, or reads what earlier runs left.
    pub fn run(mut self, arguments: &Arguments) -> Result<Evaluation> {
        let config = &self.evaluation.config;
        self.evaluation.all = jobs::run(&self.inputs, |input| self.variants(input), config, arguments)?;
        self.evaluation.outcomes = self.evaluation.best();
        Ok(self.evaluation)
    }
}

impl Evaluation {
    /// The runs of a design under a condition.
    fn runs(&self, named: &Named, condition: &Condition) -> Vec<Variant> {
        let reference = condition.of(&self.designs[0].label);
        let tuned = self.study.tuned.get(&named.label).cloned().unwrap_or_else(|| vec![vec![]]);
        let run = |more: Vec<String>| Variant {
            design: named.design,
            label: label(&condition.of(&named.label), &more),
            settings: [&self.study.set[..], &named.set, &condition.set, &more].concat(),
            exact_reuse: false,
            seed: None,
            reference: reference.clone(),
            observe: self.observes(named),
            profile: self.profiles(named),
        };
        tuned.into_iter().map(run).collect()
    }

    /// Runs on request, with the group of workloads that they are of.
    fn requested<'a>(&'a self, runs: &'a Runs) -> impl Iterator<Item = (Option<String>, Variant)> + 'a {
        let own = &self.designs[0];
        let reference = runs.reference.clone().unwrap_or_else(|| self.conditions[0].of(&own.label));
        let designs = runs.of_all.then_some(own).into_iter().chain(&runs.designs);
        let pairs = designs.flat_map(|named| runs.sets.iter().map(move |set| (named, set)));
        let pairs = pairs.flat_map(|pair| runs.seeded().into_iter().map(move |seed| (pair, seed)));
        pairs.map(move |((named, set), (seed, shown))| {
            let exact: &[String] = if runs.exact_reuse { &["reuse=exact".to_string()] } else { &[] };
            let of_all = || label(&own.label, &[&set[..], &shown].concat());
            let variant = Variant {
                design: named.design,
                label: label(&named.label, &[&set[..], exact, &shown].concat()),
                settings: [&self.study.set[..], &named.set, set].concat(),
                exact_reuse: runs.exact_reuse,
                seed,
                reference: if runs.of_all { of_all() } else { reference.clone() },
                observe: self.observes(named),
                profile: false,
            };
            (runs.of.clone(), variant)
        })
    }

    /// The runs of a curve, and what they are compared with, with the group of workloads that they are of.
    fn along<'a>(&'a self, curve: &'a Curve) -> impl Iterator<Item = (Option<String>, Variant)> + 'a {
        let places = curve.lines.iter().flat_map(|line| curve.at.iter().map(move |&at| (line, at)));
        places.flat_map(move |(line, at)| {
            let [own, reference] = self.compared(curve, line, at);
            let run = |(named, set): (&Named, Vec<String>)| Variant {
                design: named.design,
                label: label(&named.label, &set),
                settings: [&self.study.set[..], &named.set, &set].concat(),
                exact_reuse: false,
                seed: None,
                reference: label(&reference.0.label, &reference.1),
                observe: self.observes(named),
                profile: false,
            };
            [reference.clone(), own].map(|one| (curve.of.clone(), run(one)))
        })
    }

    /// The run of a line at a place, and its reference: each with the constants of the place.
    fn compared<'a>(&'a self, curve: &Curve, line: &'a CurveLine, at: f64) -> [(&'a Named, Vec<String>); 2] {
        let set = curve.at(at).1;
        let against = line.against.as_ref().unwrap_or(&self.designs[0]);
        let of_reference = if curve.of_all { set.clone() } else { vec![] };
        [(&line.run, set), (against, of_reference)]
    }

    /// Returns true if resident blocks are counted too under a design that does not switch them, so that it
    /// can be compared.
    fn observes(&self, named: &Named) -> bool {
        !self.study.tuned.is_empty() && !named.design.switches()
    }

    /// Returns true if the instruction stream is counted too: once, under what the others are compared with.
    fn profiles(&self, named: &Named) -> bool {
        let of_stream = |metric: &Metric| stream::METRICS.contains(&metric.name.as_str());
        *named == self.designs[0] && self.study.metric.iter().any(of_stream)
    }

    /// The runs, of those of a tuned design the best for each workload under the design's own name.
    fn best(&self) -> Vec<Outcome> {
        let mut outcomes = self.all.clone();
        for named in self.designs.iter().filter(|named| self.study.tuned.contains_key(&named.label)) {
            for condition in &self.conditions {
                let own = condition.of(&named.label);
                let labels: Vec<_> =
                    self.runs(named, condition).into_iter().map(|variant| variant.label).collect();
                for workload in &self.workloads {
                    let of =
                        |outcome: &&Outcome| outcome.workload == *workload && labels.contains(&outcome.label);
                    let best =
                        self.all.iter().filter(of).reduce(
                            |best, other| {
                                if other.ipc > best.ipc {
                                    other
                                } else {
                                    best
                                }
                            },
                        );
                    outcomes.extend(best.map(|best| best.called(&own)));
                }
            }
        }
        outcomes
    }

    /// Labels of the designs' runs under every condition, that of the reference first.
    fn labels(&self) -> Vec<(String, String)> {
        let of = |condition: &Condition| {
            let reference = condition.of(&self.designs[0].label);
            let labels = self.designs.iter().map(|named| condition.of(&named.label));
            labels.map(move |own| (own, reference.clone())).collect::<Vec<_>>()
        };
        self.conditions.iter().flat_map(of).collect()
    }

    /// The constants of a variant.
    pub fn machine(&self, label: &str) -> &Config {
        self.machines.get(label).unwrap_or(&self.config)
    }

    /// The reference of a run: itself if it has none.
    pub fn reference_of<'a>(&'a self, run: &'a Outcome) -> &'a Outcome {
        let reference = self.references.get(&run.label);
        let is_reference =
            |other: &&Outcome| other.workload == run.workload && Some(&other.label) == reference;
        self.all.iter().find(is_reference).unwrap_or(run)
    }

    /// A metric, or a place in the JSON of runs, of a variant against another.
    pub fn of(&self, metric: &str, own: &str, reference: &str) -> Series {
        let (machine, reference_machine) = (self.machine(own), self.machine(reference));
        Series::new(&self.outcomes, own, reference, |run, reference| {
            value(metric, &Pair { run, reference, machine, reference_machine })
        })
    }

    /// A number per workload for each design to which the metric applies, under every condition.
    pub fn series(&self, metric: &Metric) -> Vec<Series> {
        let labels =
            self.labels().into_iter().filter(|(own, reference)| metric.of_reference || own != reference);
        let series = labels.map(|(own, reference)| {
            let series = self.of(&metric.name, &own, &reference);
            self.on(metric.of.as_deref(), series)
        });
        series.filter(|series| !series.values.is_empty()).collect()
    }

    /// Values of a group of workloads, or of one.
    pub fn on(&self, group: Option<&str>, mut series: Series) -> Series {
        if let Some(group) = group {
            let of = self.groups.get(group);
            series.values.retain(|(workload, _)| of.map_or(workload == group, |of| of.contains(workload)));
        }
        series
    }

    /// Returns true if it ran on all of the study's own inputs, and on no others.
    pub fn is_whole(&self) -> bool {
        self.given.as_ref().is_none_or(|inputs| self.study.part(None, inputs).is_none())
    }

    /// The claims about a metric beside what was measured, for the designs that were run.
    pub fn findings(&self, metric: &Metric) -> Vec<Finding> {
        claims::findings(self.study, metric, self.given.as_deref(), |claim| self.claimed(metric, claim))
            .into_iter()
            .filter(|finding| finding.here.iter().any(|here| here.value.is_some()))
            .collect()
    }

    fn claimed(&self, metric: &Metric, claim: &Claim) -> Vec<(String, Series)> {
        let of = |condition: &Condition| {
            let reference = condition.of(&self.designs[0].label);
            let own = condition.of(&claim.design);
            let series = match claim.over.as_ref().map(|over| condition.of(over)) {
                Some(over) if metric.is_change => self.of(&metric.name, &own, &over),
                Some(over) => {
                    self.of(&metric.name, &own, &reference).less(&self.of(&metric.name, &over, &reference))
                }
                None => self.of(&metric.name, &own, self.references.get(&own).unwrap_or(&reference)),
            };
            let series = self.on(metric.of.as_deref(), series);
            (condition.name.clone(), self.on(claim.of.as_deref(), series))
        };
        self.conditions.iter().map(of).collect()
    }

    /// Variants that a table has a row for, with what they are compared with.
    pub fn rows(&self, rows: &str, first: Option<&str>) -> Vec<(String, String)> {
        if rows == "designs" {
            return self.labels();
        }
        let Some(variants) = self.also.get(rows) else { return vec![] };
        let reference = self.conditions[0].of(&self.designs[0].label);
        let first = first.map(|first| (self.conditions[0].of(first), reference));
        let compared = variants.iter().filter(|variant| variant.label != variant.reference);
        let variants = compared.map(|variant| (variant.label.clone(), variant.reference.clone()));
        first.into_iter().chain(variants).collect()
    }

    /// Findings and plots; `more` plots beside those of the study's file.
    pub fn saved(&self, more: Vec<Plot>) -> Study {
        let metrics = &self.study.metric;
        let findings = metrics.iter().flat_map(|metric| self.findings(metric)).collect();
        let bars = metrics.iter().filter_map(|metric| {
            let file = metric.plot.as_ref()?;
            Some(Plot::bars(file, &metric.title, self.series(metric)))
        });
        let lines = self.study.plot.iter().map(|plot| self.lines(plot));
        let curves = self.study.curve.iter().map(|curve| self.curve(curve));
        let fronts = self.study.front.iter().map(|front| self.front(front));
        let mut plots: Vec<Plot> = bars.chain(lines).chain(curves).chain(fronts).chain(more).collect();
        plots.retain(Plot::has_data);
        Study::new(&self.study.name, self.workloads.clone(), findings, plots)
    }

    /// The designs that have both numbers, under the first condition.
    fn front(&self, front: &Front) -> Plot {
        let condition = &self.conditions[0];
        let reference = condition.of(&self.designs[0].label);
        let point = |named: &Named| {
            let average = |metric: &str| {
                let series = self.of(metric, &condition.of(&named.label), &reference);
                (!series.values.is_empty()).then(|| series.average())
            };
            Some(Point { name: named.label.clone(), x: average(&front.x)?, y: average(&front.y)? })
        };
        let points = self.designs.iter().filter_map(point).collect();
        Plot::front(&front.name, &front.title, &front.axes, points)
    }

    /// Averages over its workloads, as far as its runs were made.
    pub fn curve(&self, curve: &Curve) -> Plot {
        let line = |line: &CurveLine| {
            let points = curve.places().filter_map(|(at, shown)| {
                let labels = self.compared(curve, line, at).map(|(named, set)| label(&named.label, &set));
                let series = self.of(&curve.at(at).0, &labels[0], &labels[1]);
                let series = self.on(curve.of.as_deref(), series);
                (!series.values.is_empty()).then(|| (shown, series.average()))
            });
            PlotLine::new(&line.name, points).bold()
        };
        let lines = curve.lines.iter().map(line).collect();
        Plot::curve(&curve.name, &curve.title, &curve.axes, lines, curve.levels(self.study))
    }

    fn lines(&self, plot: &PlotOf) -> Plot {
        let lines = match &plot.over {
            Over::Runs { metric, runs, at } => self.over_runs(metric, runs, at),
            Over::Conditions { metric, at, against } => self.over_conditions(metric, at, against.as_deref()),
            Over::Time { variant, of } => self.over_time(variant, of),
        };
        Plot::lines(&plot.file, &plot.title, plot.axes.each_ref().map(String::as_str), lines)
    }

    fn over_runs(&self, metric: &str, runs: &str, at: &[f64]) -> Vec<PlotLine> {
        let series: Vec<Series> =
            self.rows(runs, None).iter().map(|(own, reference)| self.of(metric, own, reference)).collect();
        let points = || at.iter().copied().zip(&series);
        let of_workload = |workload: &String| {
            PlotLine::new(workload, points().filter_map(|(at, series)| Some((at, series.get(workload)?))))
        };
        let average = PlotLine::new("average", points().map(|(at, series)| (at, series.average()))).bold();
        match series.is_empty() {
            true => vec![],
            false => self.workloads.iter().map(of_workload).chain([average]).collect(),
        }
    }

    fn over_conditions(&self, metric: &str, at: &[f64], against: Option<&str>) -> Vec<PlotLine> {
        let reference = &self.designs[0].label;
        let line = |named: &Named| {
            let of = |condition: &Condition| {
                let against = against.map_or_else(|| condition.of(reference), String::from);
                self.of(metric, &condition.of(&named.label), &against).average()
            };
            let mut points: Vec<_> = at.iter().copied().zip(self.conditions.iter().map(of)).collect();
            points.sort_by(|one, other| one.0.total_cmp(&other.0));
            PlotLine::new(&named.label, points).bold()
        };
        self.designs.iter().map(line).collect()
    }

    fn over_time(&self, variant: &str, of: &str) -> Vec<PlotLine> {
        let line = |outcome: &Outcome| {
            let intervals = serde_json::to_value(&outcome.intervals).expect("intervals are JSON");
            let number = |value: &serde_json::Value| value.as_f64().unwrap_or(0.0);
            let intervals = intervals.as_array().cloned().unwrap_or_default();
            let points = intervals.iter().map(|interval| (number(&interval["cycle"]), number(&interval[of])));
            PlotLine::new(&outcome.workload, points)
        };
        self.outcomes.iter().filter(|outcome| outcome.label == variant).map(line).collect()
    }
}

/// The study's reference, and the designs that are named, or its own.
fn designs(study: &Definition, named: &[Design]) -> Vec<Named> {
    let mut designs: Vec<Named> = study.designs[..1].to_vec();
    let named: Vec<Named> = match named.is_empty() {
        true => study.designs.clone(),
        false => named.iter().copied().map(Named::from).collect(),
    };
    for other in named {
        if designs.iter().all(|known| (known.design, &known.set) != (other.design, &other.set)) {
            designs.push(other);
        }
    }
    designs
}

fn listed(names: &[&str]) -> String {
    if names.is_empty() {
        "nothing".into()
    } else {
        names.join(", ")
    }
}
