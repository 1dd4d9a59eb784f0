// SPDX-License-Identifier: Apache-2.0
//! Runs the launches that were measured, under the baseline and under the sub-core that ships.

use std::path::Path;

use anyhow::Result;
use gpurf_sim::config::Config;
use gpurf_sim::engines::{Engines, SubCoreEngine};
use gpurf_sim::sm::{Design, Gpu};
use gpurf_trace::{Command, Kernel, Workload};
use serde::Serialize;

use super::measured::{function_of, Launch, Measured, Place};
use crate::control::with_control_bits;
use crate::input::{EmulationArguments, Input, KEEP_BYTES};
use crate::output::say;

/// The machine of the card, and how much of it is simulated.
pub struct Machine {
    pub baseline: Config,
    pub modern: Config,
    /// SMs of the card.
    pub of: usize,
    /// Caches are empty at each launch.
    pub caches_emptied: bool,
}

impl Machine {
    /// With so many SMs of the card's; all of them without a number.
    pub fn new(card: &Config, sms: Option<usize>, caches_emptied: bool) -> Result<Machine> {
        let settings =
            |settings: &[&str]| settings.iter().map(|setting| setting.to_string()).collect::<Vec<_>>();
        let modern = card.with(&[format!("sms={}", sms.unwrap_or(card.sms))])?;
        // H's front and memory pipeline are those of a sub-core without collectors.
        let baseline = modern.with(&settings(&["front.kind=ideal", "memory.pipeline=queues"]))?;
        Ok(Machine { baseline, modern, of: card.sms, caches_emptied })
    }

    pub fn sms(&self) -> usize {
        self.modern.sms
    }

    /// The launch in memory, with the blocks of the SMs that are simulated: blocks are dealt to SMs in turn.
    fn share_of(&self, kernel: &Kernel) -> Result<Kernel> {
        let (sms, of) = (self.sms() as u64, self.of as u64);
        Ok(kernel.kept(|number| number % of < sms)?)
    }
}

/// Cycles of a launch here, or of several on average.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Modelled {
    pub cycles: f64,
    /// Checks that failed.
    pub errors: Vec<String>,
}

/// A measured kernel that ran.
pub struct Ran {
    /// Launches that count.
    pub launches: u64,
    /// Counted in one launch, on average.
    pub warp_instructions: f64,
    pub baseline: Modelled,
    pub modern: Modelled,
    pub modern_design: String,
}

/// A program, and those kernels of it that were measured.
pub struct MeasuredProgram<'a> {
    pub place: &'a Place,
    pub kernels: Vec<&'a Measured>,
}

/// Measured kernels by program, in the order of the file.
pub fn programs(kernels: &[Measured]) -> Vec<MeasuredProgram<'_>> {
    let mut programs: Vec<MeasuredProgram> = vec![];
    for kernel in kernels {
        match programs.iter_mut().find(|program| *program.place == kernel.place) {
            Some(program) => program.kernels.push(kernel),
            None => programs.push(MeasuredProgram { place: &kernel.place, kernels: vec![kernel] }),
        }
    }
    programs
}

/// A program that can run here, or the reason why it cannot.
type Found = std::result::Result<(Workload, bool), String>;

/// The commands of a program, and whether its code has control bits.
fn find(place: &Place, traces: Option<&Path>) -> Result<Found> {
    match place {
        Place::NotRun(reason) => Ok(Err(reason.clone())),
        Place::Workload { name, size } => {
            let input = Input::find(name)?;
            let options = gpurf_workloads::Options { keep_bytes: KEEP_BYTES, ..Default::default() };
            let mut emulation = EmulationArguments::default();
            emulation.size = *size;
            Ok(Ok((emulation.stream(&input, options)?, true)))
        }
        Place::Trace(name) => {
            let Some(traces) = traces else {
                return Ok(Err("its trace is asked for; name the folder of traces with --traces DIR".into()));
            };
            let path = traces.join(name);
            if !path.is_dir() {
                return Ok(Err(format!("there is no trace {name} in the folder of traces")));
            }
            let mut workload = gpurf_trace::open_with(&path, |note| say!("note: {note}"))?;
            let listing = path.join(LISTING);
            if listing.is_file() {
                workload = with_control_bits(&workload, &listing)?;
            }
            Ok(Ok((workload, listing.is_file())))
        }
    }
}

/// The listing that the CUDA runtime leaves beside a trace: control bits.
const LISTING: &str = "code.sass";

/// A copy or a launch of the program.
struct Step<'a> {
    command: &'a Command,
    /// The kernels that it counts for, by their numbers in the program.
    counts_for: Vec<usize>,
}

/// Runs a program. For each of its measured kernels what it took, or why there is nothing to compare.
pub fn run(
    program: &MeasuredProgram,
    traces: Option<&Path>,
    machine: &Machine,
    launches: u64,
) -> Result<Vec<std::result::Result<Ran, String>>> {
    let (workload, has_control_bits) = match find(program.place, traces)? {
        Ok(found) => found,
        Err(reason) => return Ok(program.kernels.iter().map(|_| Err(reason.clone())).collect()),
    };
    let modern = match has_control_bits {
        true => "modern",
        false => "modern+dependences=scoreboard",
    };
    let modern: Design = modern.parse().expect("it is a design");
    let names = names_of(&workload);
    let functions: Vec<_> = program.kernels.iter().map(|kernel| named(&names, &kernel.kernel)).collect();
    let (steps, counted) = steps(&workload, program, &functions, launches);
    let mut benches = [(&machine.baseline, Design::BASELINE), (&machine.modern, modern)]
        .map(|(config, design)| Bench::new(config, design, counted.len()));
    for Step { command, counts_for } in &steps {
        match command {
            Command::MemcpyHtoD { .. } if machine.caches_emptied => {}
            Command::MemcpyHtoD { address, bytes } => {
                benches.iter_mut().for_each(|bench| bench.gpu.copy_to_device(*address, *bytes));
            }
            Command::Kernel(_) if machine.caches_emptied && counts_for.is_empty() => {}
            Command::Kernel(kernel) => {
                let share = machine.share_of(kernel)?;
                benches.iter_mut().for_each(|bench| bench.launch(&share, counts_for, machine));
            }
        }
    }
    let [baseline, shipped] = benches.map(|bench| bench.sums);
    let kernels =
        functions.into_iter().zip(&program.kernels).enumerate().map(|(number, (function, kernel))| {
            function?;
            let launches = counted[number];
            if launches == 0 {
                return Err(format!(
                    "launch {} of the kernel is not in the program as it ran here",
                    kernel.launch
                ));
            }
            let (baseline, shipped) = (&baseline[number], &shipped[number]);
            if let Some(refused) = baseline.refused.as_ref().or(shipped.refused.as_ref()) {
                return Err(refused.clone());
            }
            let mean = |sum: &Sum| Modelled {
                cycles: sum.cycles as f64 / launches as f64,
                errors: sum.errors.clone(),
            };
            Ok(Ran {
                launches,
                warp_instructions: baseline.warp_instructions as f64 / launches as f64,
                baseline: mean(baseline),
                modern: mean(shipped),
                modern_design: modern.name(),
            })
        });
    Ok(kernels.collect())
}

/// Names of the program's kernels, each once.
fn names_of(workload: &Workload) -> Vec<String> {
    let mut names: Vec<String> = workload.kernels().map(|kernel| kernel.header().name.clone()).collect();
    names.sort();
    names.dedup();
    names
}

/// The program's kernel that a measured one is: by its whole name, or by its function, if there is but one of
/// it.
fn named(names: &[String], kernel: &str) -> std::result::Result<String, String> {
    if let Some(name) = names.iter().find(|name| *name == kernel) {
        return Ok(name.clone());
    }
    let function = function_of(kernel);
    let of_function: Vec<_> = names.iter().filter(|name| function_of(name) == function).collect();
    match of_function[..] {
        [name] => Ok(name.clone()),
        [] => Err("the program as it ran here launches no kernel of this name".into()),
        _ => Err("the program as it ran here has several kernels of this name".into()),
    }
}

/// The commands up to the last that counts, and how many launches count for each measured kernel.
fn steps<'a>(
    workload: &'a Workload,
    program: &MeasuredProgram,
    functions: &[std::result::Result<String, String>],
    most: u64,
) -> (Vec<Step<'a>>, Vec<u64>) {
    let (mut launched, mut counted) = (vec![0; functions.len()], vec![0; functions.len()]);
    let mut steps: Vec<Step> = vec![];
    for command in &workload.commands {
        let mut counts_for = vec![];
        if let Command::Kernel(kernel) = command {
            let name = &kernel.header().name;
            for (number, measured) in program.kernels.iter().enumerate() {
                if functions[number].as_ref() != Ok(name) {
                    continue;
                }
                launched[number] += 1;
                let counts = match measured.launch {
                    Launch::Number(launch) => launch == launched[number],
                    Launch::Mean => launched[number] <= most,
                };
                if counts {
                    counted[number] += 1;
                    counts_for.push(number);
                }
            }
        }
        steps.push(Step { command, counts_for });
    }
    let end = steps.iter().rposition(|step| !step.counts_for.is_empty()).map_or(0, |last| last + 1);
    steps.truncate(end);
    (steps, counted)
}

/// Sums over the launches that count for a kernel.
#[derive(Clone, Debug, Default)]
struct Sum {
    cycles: u64,
    warp_instructions: u64,
    errors: Vec<String>,
    /// Why one of them does not run.
    refused: Option<String>,
}

/// The machine under a design.
struct Bench<'a> {
    config: &'a Config,
    design: Design,
    gpu: Gpu<SubCoreEngine>,
    sums: Vec<Sum>,
    /// Kernels that the GPU has run.
    ran: usize,
}

impl<'a> Bench<'a> {
    fn new(config: &'a Config, design: Design, kernels: usize) -> Self {
        let sums = vec![Sum::default(); kernels];
        Bench { config, design, gpu: Bench::gpu(config, design), sums, ran: 0 }
    }

    fn gpu(config: &Config, design: Design) -> Gpu<SubCoreEngine> {
        Gpu::new(config, design, 1, Engines::models(config, design, 1))
    }

    fn launch(&mut self, kernel: &Kernel, counts_for: &[usize], machine: &Machine) {
        if machine.caches_emptied {
            (self.gpu, self.ran) = (Bench::gpu(self.config, self.design), 0);
        }
        if let Err(error) = self.run(kernel) {
            // Where launches stand for themselves, one that does not run takes no other with it.
            let all: Vec<usize> = (0..self.sums.len()).collect();
            for &number in if machine.caches_emptied { counts_for } else { &all } {
                self.sums[number].refused = Some(format!("{error:#}"));
            }
            return;
        }
        let statistics = self.gpu.statistics("model", 0);
        let counters = &statistics.kernels[self.ran - 1].summary.counters;
        for &number in counts_for {
            let sum = &mut self.sums[number];
            sum.cycles += counters.cycles;
            sum.warp_instructions += counters.warp_instructions;
            if !statistics.is_sound() {
                sum.errors.extend(statistics.errors.clone());
            }
        }
    }

    fn run(&mut self, kernel: &Kernel) -> Result<()> {
        self.gpu.launch(kernel, None)?;
        while self.gpu.advance_in_parallel(u64::MAX)? {}
        self.ran += 1;
        Ok(())
    }
}
