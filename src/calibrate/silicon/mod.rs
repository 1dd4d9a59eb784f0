// SPDX-License-Identifier: Apache-2.0
//! Cycles of kernels on a real GPU beside those of as many SMs here, under the baseline and the sub-core that
//! ships.

mod hw_perf;
mod measured;
mod published;
mod runs;
mod tables;

use std::path::Path;

use anyhow::{bail, ensure, Result};
use gpurf_sim::config::Config;
use rayon::prelude::*;
use serde::Serialize;

use super::measure::CalibrationSummary;
use super::Arguments;
use crate::compare::study::Study;
use crate::output::{all, progress, say};
use crate::verdict::Verdict;
pub use measured::Measurements;
use measured::{Card, Measured, Place};
use published::Published;
use runs::{Machine, Modelled, Ran};

/// The findings of the command.
#[derive(Serialize)]
struct Results {
    card: Card,
    /// SMs that are simulated, with their share of blocks, L2 and DRAM.
    sms: usize,
    /// SMs of the card.
    of: usize,
    /// Launches of a kernel that stand for the mean of all.
    launches: u64,
    suites: Vec<Suite>,
    kernels: Vec<Compared>,
    not_run: Vec<NotRun>,
    published: Vec<BesidePublished>,
    config: Config,
}

/// How near the kernels of a suite are.
#[derive(Debug, Serialize)]
struct Suite {
    suite: String,
    baseline: CalibrationSummary,
    modern: CalibrationSummary,
    /// Kernels that were measured and did not run here.
    not_run: usize,
}

/// A kernel's cycles beside the card's.
#[derive(Debug, Serialize)]
struct Compared {
    #[serde(flatten)]
    measured: Measured,
    /// Launches here that count.
    launches: u64,
    warp_instructions: f64,
    baseline: Modelled,
    /// Signed, as a fraction of the card's cycles.
    baseline_error: f64,
    modern: Modelled,
    modern_error: f64,
    modern_design: String,
}

#[derive(Debug, Serialize)]
struct NotRun {
    #[serde(flatten)]
    measured: Measured,
    reason: String,
}

/// A program's signed errors beside those that others published for it.
#[derive(Debug, Serialize)]
struct BesidePublished {
    input: String,
    baseline_error: f64,
    modern_error: f64,
    published: Published,
}

impl Compared {
    fn new(measured: &Measured, ran: Ran) -> Compared {
        let error = |modelled: &Modelled| modelled.cycles / measured.cycles - 1.0;
        let Ran { launches, warp_instructions, baseline, modern, modern_design } = ran;
        let (baseline_error, modern_error) = (error(&baseline), error(&modern));
        let measured = measured.clone();
        Compared {
            measured,
            launches,
            warp_instructions,
            baseline,
            baseline_error,
            modern,
            modern_error,
            modern_design,
        }
    }
}

/// Refuses options that are for cycles of simulators.
fn check(arguments: &Arguments) -> Result<()> {
    let Arguments { variant, minimum, without, ablate, plot, reference, .. } = arguments;
    for (option, is_given) in [
        ("--variant", variant.is_some()),
        ("--minimum", minimum.is_some()),
        ("--without", !without.is_empty()),
        ("--ablate", *ablate),
        ("--plot", plot.is_some()),
    ] {
        ensure!(
            !is_given,
            "{}: {option} is for the cycles of a simulator, and these are a card's; leave it out",
            reference.display()
        );
    }
    Ok(())
}

pub fn run(arguments: &Arguments) -> Result<Verdict> {
    check(arguments)?;
    let path = &arguments.reference;
    let Measurements { card, kernels } = Measurements::read(path)?;
    let named = arguments.config.as_deref().map_or_else(|| of_card(&card, path), Path::to_path_buf);
    let config = Config::load(Some(&named), &arguments.settings)?;
    let sms = arguments.sms.map(|sms| sms as usize);
    if let Some(sms) = sms.filter(|&sms| sms > config.sms) {
        bail!("--sms {sms}: the card has {}; give at most as many", config.sms);
    }
    let machine = Machine::new(&config, sms, card.caches_emptied)?;

    let traces = match kernels.iter().any(|kernel| matches!(kernel.place, Place::Trace(_))) {
        true => super::folder_of_traces(arguments)?,
        false => None,
    };
    if let Some(folder) = traces.as_ref().filter(|folder| !folder.is_dir()) {
        bail!("{}: there is no such folder of traces; name it with --traces DIR", folder.display());
    }
    let programs = runs::programs(&kernels);
    let bar = progress(programs.len() as u64, "programs");
    let ran = programs.par_iter().map(|program| {
        let ran = runs::run(program, traces.as_deref(), &machine, arguments.launches.unwrap_or(1));
        bar.inc(1);
        ran
    });
    let ran = ran.collect::<Result<Vec<_>>>()?;
    bar.finish_and_clear();

    let results = results(card, &machine, arguments.launches.unwrap_or(1), &kernels, &programs, ran);
    let tables = tables::of(&results);
    let inputs = inputs_of(&results);
    let written = all([
        arguments.json.write(&results),
        arguments.record.write(&Study::of_tables("calibrate", inputs, tables.clone())),
    ]);
    if arguments.json.leaves_tables() {
        tables.iter().for_each(|table| println!("{table}\n"));
    }
    written?;
    ensure!(
        !results.kernels.is_empty(),
        "{}: none of its {} kernels ran here; the reasons stand above",
        path.display(),
        kernels.len()
    );
    let mut verdict = Verdict::Holds;
    for Compared { measured, baseline, modern, .. } in &results.kernels {
        for error in baseline.errors.iter().chain(&modern.errors) {
            say!("{}, {}: a check failed: {error}", measured.program, measured.kernel);
            verdict = Verdict::Fails;
        }
    }
    Ok(verdict)
}

/// A preset, or a file beside that of the measurements.
fn of_card(card: &Card, path: &Path) -> std::path::PathBuf {
    let is_preset = gpurf_sim::config::PRESETS.iter().any(|(name, _)| *name == card.machine);
    let folder = path.parent().unwrap_or(Path::new(""));
    if is_preset {
        (&card.machine).into()
    } else {
        folder.join(&card.machine)
    }
}

fn results(
    card: Card,
    machine: &Machine,
    launches: u64,
    measured: &[Measured],
    programs: &[runs::MeasuredProgram],
    ran: Vec<Vec<std::result::Result<Ran, String>>>,
) -> Results {
    let (mut kernels, mut not_run) = (vec![], vec![]);
    for (program, ran) in programs.iter().zip(ran) {
        for (kernel, ran) in program.kernels.iter().zip(ran) {
            match ran {
                Ok(ran) => kernels.push(Compared::new(kernel, ran)),
                Err(reason) => not_run.push(NotRun { measured: (*kernel).clone(), reason }),
            }
        }
    }
    let mut names: Vec<&str> = vec![];
    for kernel in measured {
        if !names.contains(&kernel.suite.as_str()) {
            names.push(&kernel.suite);
        }
    }
    let mut suites: Vec<Suite> = vec![];
    for name in names {
        let of = |kernel: &&Compared| kernel.measured.suite == name;
        let left = not_run.iter().filter(|left| left.measured.suite == name).count();
        suites.push(Suite::of(name, kernels.iter().filter(of), left));
    }
    suites.push(Suite::of("all", &kernels, not_run.len()));
    let published = published::all().into_iter().filter_map(|it| BesidePublished::of(it, &kernels)).collect();
    let (sms, of, config) = (machine.sms(), machine.of, machine.modern.clone());
    Results { card, sms, of, launches, suites, kernels, not_run, published, config }
}

impl Suite {
    fn of<'a>(name: &str, kernels: impl IntoIterator<Item = &'a Compared>, not_run: usize) -> Suite {
        let kernels: Vec<&Compared> = kernels.into_iter().collect();
        let summary = |of: fn(&Compared) -> f64| {
            CalibrationSummary::of(kernels.iter().map(|kernel| (of(kernel), kernel.measured.cycles)))
        };
        Suite {
            suite: name.into(),
            baseline: summary(|kernel| kernel.baseline.cycles),
            modern: summary(|kernel| kernel.modern.cycles),
            not_run,
        }
    }
}

impl BesidePublished {
    /// If all kernels of the program that were measured ran, their cycles together.
    fn of(published: Published, kernels: &[Compared]) -> Option<BesidePublished> {
        let is_its = |kernel: &&Compared| {
            kernel.measured.suite == published.suite && kernel.measured.program == published.program
        };
        let its: Vec<&Compared> = kernels.iter().filter(is_its).collect();
        let sum = |of: fn(&Compared) -> f64| its.iter().map(|kernel| of(kernel)).sum::<f64>();
        let card = sum(|kernel| kernel.measured.cycles);
        Some(BesidePublished {
            input: its.first()?.measured.input.clone(),
            baseline_error: sum(|kernel| kernel.baseline.cycles) / card - 1.0,
            modern_error: sum(|kernel| kernel.modern.cycles) / card - 1.0,
            published,
        })
    }
}

/// Programs that ran, each once.
fn inputs_of(results: &Results) -> Vec<String> {
    let mut inputs: Vec<String> =
        results.kernels.iter().map(|kernel| kernel.measured.program.clone()).collect();
    inputs.dedup();
    inputs
}

#[cfg(test)]
mod tests {
    use super::measured::Launch;
    use super::*;

    /// The numbers are made up.
    fn compared(suite: &str, program: &str, cycles: f64, baseline: f64, modern: f64) -> Compared {
        let measured = Measured {
            suite: suite.into(),
            program: program.into(),
            input: String::new(),
            kernel: "k".into(),
            launch: Launch::Mean,
            cycles,
            place: Place::Trace(program.into()),
        };
        let modelled = |cycles| Modelled { cycles, errors: vec![] };
        let (baseline, modern) = (modelled(baseline), modelled(modern));
        let modern_design = "modern".into();
        Compared::new(&measured, Ran { launches: 1, warp_instructions: 1.0, baseline, modern, modern_design })
    }

    #[test]
    fn errors_have_signs_and_their_means_have_none() {
        let kernels = [
            compared("a", "p", 1000.0, 1200.0, 950.0),
            compared("a", "q", 2000.0, 1000.0, 2190.0),
            compared("a", "r", 4000.0, 4000.0, 4400.4),
        ];
        let errors = kernels.iter().map(|kernel| (kernel.baseline_error, kernel.modern_error));
        let expected = [(0.2, -0.05), (-0.5, 0.095), (0.0, 0.1001)];
        for ((baseline, modern), (of_baseline, of_modern)) in errors.zip(expected) {
            assert!((baseline - of_baseline).abs() < 1e-9 && (modern - of_modern).abs() < 1e-9);
        }
        let Suite { baseline, modern, not_run, .. } = Suite::of("a", &kernels, 2);
        assert_eq!((baseline.kernels, baseline.cycles, baseline.reference, not_run), (3, 6200, 7000, 2));
        assert!((baseline.mean_error - 0.7 / 3.0).abs() < 1e-9, "{baseline:?}");
        assert!((modern.mean_error - 0.2451 / 3.0).abs() < 1e-9, "{modern:?}");
        assert_eq!((baseline.within_tenth, modern.within_tenth), (1, 2));
        // Computed by hand from the logarithms of 1.2, 1 and 4, and of 1, 2 and 4; a thousand is the unit.
        assert!((baseline.correlation.unwrap() - 0.7992).abs() < 1e-4, "{baseline:?}");
        assert!(Suite::of("b", &kernels[..2], 0).baseline.correlation.is_none());
    }

    #[test]
    fn published_errors_stand_beside_the_sum_of_a_programs_kernels() {
        let kernels = [
            compared("Rodinia 3.1", "backprop", 100.0, 50.0, 90.0),
            compared("Rodinia 3.1", "backprop", 300.0, 250.0, 330.0),
            compared("another suite", "bfs", 1.0, 1.0, 1.0),
        ];
        let beside: Vec<_> =
            published::all().into_iter().filter_map(|it| BesidePublished::of(it, &kernels)).collect();
        assert_eq!(beside.len(), 1, "{beside:?}");
        assert!(
            (beside[0].baseline_error + 0.25).abs() < 1e-9 && (beside[0].modern_error - 0.05).abs() < 1e-9
        );
        assert_eq!(beside[0].published.rtx_2080_ti.accel_sim, -46.9);
    }
}
