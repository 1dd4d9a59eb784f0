// SPDX-License-Identifier: Apache-2.0
//! Runs of the comparison: each workload under each variant of a design.

use anyhow::{Context, Result};
use gpurf_sim::config::Config;
use gpurf_sim::energy::EventEnergies;
use gpurf_sim::engines::Engines;
use gpurf_sim::sm::{Design, Gpu, SharedLoads};
use gpurf_trace::{Reuse, ReuseMode, Workload};
use gpurf_workloads::Options;
use indicatif::ProgressBar;
use rayon::prelude::*;
use serde::Serialize;

use super::arguments::Arguments;
use super::kept::{KeptPlace, KeptState};
use super::outcome::Outcome;
use super::stream::Stream;
use crate::input::{Input, KEEP_BYTES};
use crate::output::progress;
use crate::verdict::Verdict;

/// A design, perhaps with something changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    pub design: Design,
    /// As results name it: the design, and what is changed.
    pub label: String,
    /// Constants that differ, as `--set` takes them.
    pub settings: Vec<String>,
    pub exact_reuse: bool,
    /// Label of what it is compared with.
    pub reference: String,
    /// The seed of the hardware's random choices; the command line's without.
    pub seed: Option<u64>,
    /// Resident blocks are counted even if the design does not switch thread blocks.
    pub observe: bool,
    /// The composition of its instruction stream is counted too.
    pub profile: bool,
}

impl Variant {
    pub fn plain(design: Design) -> Variant {
        Variant {
            design,
            label: design.name(),
            settings: vec![],
            exact_reuse: false,
            seed: None,
            reference: "baseline".into(),
            observe: false,
            profile: false,
        }
    }
}

/// A run of a study, by name.
#[derive(Debug, Serialize)]
pub struct Listed {
    pub run: String,
    pub workload: String,
    pub label: String,
    /// The state of its result in the folder: `kept`, `missing`, `damaged`, or `other`, of another program or
    /// input or of other constants.
    pub state: &'static str,
    /// The property that differs.
    pub difference: Option<String>,
}

/// All inputs, each under its variants, workload by workload; the variants of one side by side. Variants with
/// fewer slots are left out where instructions enter collectors in rounds: their cost would be part of the
/// comparison. Of what `--run` names, nothing else is run.
pub fn run(
    inputs: &[Input],
    variants: impl Fn(&Input) -> Vec<Variant>,
    config: &Config,
    arguments: &Arguments,
) -> Result<Vec<Outcome>> {
    let variants: Vec<Vec<Variant>> = inputs.iter().map(variants).collect();
    let jobs = inputs.iter().zip(&variants).map(|(input, variants)| {
        let jobs = variants.iter().map(|variant| Job::new(input, variant, config, arguments));
        let jobs = jobs.collect::<Result<Vec<_>>>()?;
        Ok((input, jobs.into_iter().filter(|job| arguments.runs(&job.name)).collect()))
    });
    let jobs = jobs.collect::<Result<Vec<(&Input, Vec<Job>)>>>()?;
    let bar = progress(jobs.iter().map(|(_, jobs)| jobs.len()).sum::<usize>() as u64, "runs");
    let mut outcomes = vec![];
    for (input, jobs) in &jobs {
        bar.set_message(input.name().to_string());
        outcomes.extend(run_input(input, jobs, arguments, &bar)?);
    }
    bar.finish_and_clear();
    Ok(outcomes)
}

/// The runs that [`run`] would make.
pub fn list(
    inputs: &[Input],
    variants: impl Fn(&Input) -> Vec<Variant>,
    config: &Config,
    arguments: &Arguments,
) -> Result<Vec<Listed>> {
    let mut listed = vec![];
    for input in inputs {
        let variants = variants(input);
        let jobs = variants.iter().map(|variant| Job::new(input, variant, config, arguments));
        let jobs = jobs.collect::<Result<Vec<_>>>()?;
        // Traces are large: they are read only if there is a result to hold them against.
        let is_any = jobs.iter().filter_map(|job| job.place.as_ref()).any(KeptPlace::is_taken);
        let digest = if is_any { input.digest()? } else { String::new() };
        for job in jobs {
            let found = job.look(&digest)?;
            let (state, difference) = (found.name(), found.difference());
            let (workload, label) = (input.name().into(), job.variant.label.clone());
            listed.push(Listed { run: job.name, workload, label, state, difference });
        }
    }
    Ok(listed)
}

/// The beginning of the names of an input's runs.
pub fn prefix(input: &Input) -> String {
    file_name(input.name()) + "_"
}

fn file_name(name: &str) -> String {
    name.replace(['/', ' '], "_")
}

fn run_input(input: &Input, jobs: &[Job], arguments: &Arguments, bar: &ProgressBar) -> Result<Vec<Outcome>> {
    // Before the input is read, so that what is read later is at least as new.
    let digest = if arguments.out.is_some() { input.digest()? } else { String::new() };
    let found: Vec<KeptState> = jobs.iter().map(|job| job.look(&digest)).collect::<Result<_>>()?;
    // Only if something is to be done is the workload executed.
    let workload = match found.iter().all(|found| matches!(found, KeptState::Kept(_))) {
        true => None,
        false => {
            let digests = jobs.iter().any(|job| job.variant.design.shared_loads() != SharedLoads::APART);
            let options = Options { digests, keep_bytes: KEEP_BYTES, ..Options::default() };
            Some(input.workload(&arguments.emulation, options)?)
        }
    };
    let outcomes: Vec<Result<Option<Outcome>>> = jobs
        .par_iter()
        .zip(found)
        .map(|(job, found)| {
            let outcome = match (found, &workload) {
                (KeptState::Kept(outcome), _) => outcome,
                (_, Some(workload)) => job.run(workload, &digest)?,
                (_, None) => None,
            };
            bar.inc(1);
            Ok(outcome)
        })
        .collect();
    outcomes.into_iter().filter_map(Result::transpose).collect()
}

/// Holds if all checks did; those that did not are printed.
pub fn verdict<'a>(outcomes: impl IntoIterator<Item = &'a Outcome>) -> Verdict {
    let mut verdict = Verdict::Holds;
    for Outcome { workload, label, errors, .. } in outcomes.into_iter().filter(|outcome| !outcome.sound) {
        println!("{workload}, {label}: a check failed: {}", errors.join("; "));
        verdict = Verdict::Fails;
    }
    verdict
}

struct Job<'a> {
    input: &'a Input,
    variant: &'a Variant,
    config: Config,
    seed: u64,
    /// Its name in lists and files.
    name: String,
    /// Where its result is kept.
    place: Option<KeptPlace>,
    /// Its collectors have fewer slots than those of the study's other runs.
    has_fewer_slots: bool,
}

impl<'a> Job<'a> {
    fn new(
        input: &'a Input,
        variant: &'a Variant,
        config: &Config,
        arguments: &Arguments,
    ) -> Result<Job<'a>> {
        let slots = config.hardware.slots;
        let config = config.with(&variant.settings)?;
        let has_fewer_slots = config.hardware.slots < slots;
        let constants = serde_json::to_string(&config)?;
        let seed = variant.seed.unwrap_or(arguments.seed);
        let run = [
            ("design", variant.design.name()),
            ("exact reuse", variant.exact_reuse.to_string()),
            ("stream", variant.profile.to_string()),
            ("--seed", seed.to_string()),
            ("machine", constants),
        ];
        let observed = if variant.observe { "_observed" } else { "" };
        let name = format!("{}{}{observed}", prefix(input), file_name(&variant.label));
        let place = arguments.out.as_ref().map(|folder| {
            let file = folder.join("results").join(format!("{name}.json"));
            let run = run.into_iter().chain(arguments.emulation.properties());
            KeptPlace { file, run: run.map(|(name, value)| (name.into(), value)).collect() }
        });
        Ok(Job { input, variant, config, seed, name, place, has_fewer_slots })
    }

    /// Its result, if an earlier run left it.
    fn look(&self, digest: &str) -> Result<KeptState> {
        self.place.as_ref().map_or(Ok(KeptState::Missing), |place| place.look(digest))
    }

    fn run(&self, workload: &Workload, digest: &str) -> Result<Option<Outcome>> {
        let outcome = self.simulate(workload)?;
        self.place.as_ref().map_or(Ok(()), |place| place.keep(digest, outcome.clone()))?;
        Ok(outcome)
    }

    /// `None` if its collectors have fewer slots, and an instruction enters them in rounds.
    fn simulate(&self, workload: &Workload) -> Result<Option<Outcome>> {
        let (design, config, seed) = (self.variant.design, &self.config, self.seed);
        let mode = if self.variant.exact_reuse { ReuseMode::Exact } else { Reuse::default().mode };
        let reuse = Reuse { threshold: config.rthld, mode };
        let mut gpu = Gpu::new(config, design, seed, Engines::models(config, design, seed));
        if self.variant.observe {
            gpu.observe_residency();
        }
        let place = || format!("{}, {}", self.input.name(), self.variant.label);
        gpu.run(workload, Some(&reuse)).with_context(place)?;
        let statistics = gpu.statistics("model", 0);
        let summary = &statistics.summary;
        if summary.stalls.rounds > 0 && self.has_fewer_slots {
            return Ok(None);
        }
        Ok(Some(Outcome {
            workload: self.input.name().into(),
            design: design.name(),
            label: self.variant.label.clone(),
            ipc: summary.ipc,
            hit_ratio: summary.hit_ratio,
            counters: summary.counters,
            stalls: summary.stalls,
            energy_pj: EventEnergies::default().of(&design, config, &summary.counters),
            sound: statistics.is_sound(),
            errors: statistics.errors.clone(),
            residency: statistics.residency,
            stream: self.variant.profile.then(|| Stream::of(workload, config.operands)).transpose()?,
            intervals: statistics.intervals,
        }))
    }
}
