// SPDX-License-Identifier: Apache-2.0
//! `gpurf sim`: an instruction stream through a streaming multiprocessor.

mod checkpoint;
pub mod events;
mod konata;
pub mod recording;
pub mod runs;
mod sample;
pub mod views;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{bail, ensure, Context, Result};
use clap::{Args, ValueEnum};
use comfy_table::Table;
use gpurf_blocks::{Lockstep, SUB_CORES};
use gpurf_sim::config::Config;
use gpurf_sim::engines::{RunsSubCore, SubCoreEngine};
use gpurf_sim::sm::{Design, Gpu, Sampling, SharedLoads, SmError};
use gpurf_sim::statistics::{ratio, Stalls, Statistics};
use gpurf_trace::{Command, Reuse, ReuseMode, Workload};
use gpurf_verilog::{Events, ModuleWaveform, Occurrence, Values};
use gpurf_workloads::Options;
use serde::Serialize;

use gpurf_testbenches::sub_core_engine::{self, InstructionTexts, Pair, SubCoreHardware, SubCoreRtl, Trio};
use gpurf_testbenches::tap::{self, Drawn, EventPlace, RecordingOptions, WaveformRecording};

use crate::compare::study::{Study, StudyRecordArgument, Titled};
use crate::control::with_control_bits;
use crate::designs::DesignParser;
use crate::engines::Engines;
use crate::input::{EmulationArguments, Input};
use crate::output::{from_one, grouped, progress, say, table, JsonArgument};
use crate::processor_time::ProcessorTime;
use crate::program::{self, Properties};
use crate::settings::MachineArguments;
use crate::units::{Differences, Notes, Units};
use crate::verdict::Verdict;

use checkpoint::{CheckpointArguments, CheckpointPlace, Checkpoints};
use events::EventLog;
use konata::Konata;
use recording::{RecordingArguments, Trigger, Watch};
use sample::SampleArguments;
use views::Views;

#[derive(Args)]
#[command(after_help = "Examples:
  gpurf sim sgemm                                                                                # a second
  gpurf sim bfs nn --size medium --design traditional                                            # minutes
  gpurf sim hgemm --design malekeh+iwma+finereg                                                  # a second
  gpurf sim docs/examples/stencil.toml --design malekeh-gto                                      # a second
  gpurf sim sgemm --design traditional --engine rtl --cycles 2000 --waveform stage.fst           # a second
  gpurf sim sgemm --design malekeh --engine rtl --around replacement --waveform replacement.fst  # seconds
  gpurf sim bfs --design finereg --around switch --pipeline switch.kanata                        # a second
  gpurf sim fixtures/traces/stencil --design traditional --engine lockstep --json stencil.json   # seconds
  gpurf sim sgemm --size large --sample 16                                                       # minutes
  gpurf sim sgemm --size large --design malekeh --checkpoint sgemm.checkpoint --json sgemm.json  # minutes
  gpurf sim sgemm --design modern                                                                # a second
  gpurf sim nn --design modern --engine lockstep                                                 # seconds
  gpurf sim fixtures/traces/stencil --set collectors=4 --set l1.latency=28                       # a second")]
pub struct Arguments {
    /// Built-in workloads (see `gpurf workloads`), launch files, trace files, kernel lists, or folders that
    /// hold one
    #[arg(required = true)]
    input: Vec<String>,
    #[command(flatten)]
    emulation: EmulationArguments,
    /// The register-file design. Several designs are put together with `+`, in any order, as in
    /// malekeh+iwma+finereg; a part CHOICE=VALUE makes one choice, as in traditional+allocation=any_free
    #[arg(long, default_value_t = Design::BASELINE, value_parser = DesignParser)]
    design: Design,
    /// The engine that runs the hardware of the sub-cores
    #[arg(long, value_enum, default_value_t = Engines::Model)]
    engine: Engines,
    /// How it is known which reuses are near and which are far
    #[arg(long, value_enum, default_value_t = ReuseKind::Profile)]
    reuse: ReuseKind,
    /// A listing of the input's cubin, as `nvdisasm -hex` prints it: control bits for kernels of a trace,
    /// which has none
    #[arg(long, value_name = "LISTING")]
    control: Option<PathBuf>,
    #[command(flatten)]
    machine: MachineArguments,
    /// The seed of the hardware's random choices among free collectors, modulo 256, and of what --sample
    /// draws
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Stop after this number of cycles
    #[arg(long, value_parser = from_one, allow_negative_numbers = true)]
    cycles: Option<u64>,
    #[command(flatten)]
    sample: SampleArguments,
    #[command(flatten)]
    record: RecordingArguments,
    #[command(flatten)]
    checkpoint: CheckpointArguments,
    #[command(flatten)]
    results: StudyRecordArgument,
    #[command(flatten)]
    json: JsonArgument,
}

/// How near and far reuse is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ReuseKind {
    /// By a profile: for each static operand, the majority over the first few warps of a kernel
    Profile,
    /// By exact distances
    Exact,
}

impl ReuseKind {
    fn reuse(self, threshold: u32) -> Reuse {
        match self {
            ReuseKind::Profile => Reuse { threshold, ..Reuse::default() },
            ReuseKind::Exact => Reuse { threshold, mode: ReuseMode::Exact },
        }
    }
}

impl Arguments {
    /// As a command line has them.
    pub fn of(line: &[&str]) -> Result<Arguments> {
        crate::arguments_of("sim", line)
    }

    /// The inputs that are run, by name.
    pub fn inputs(&self) -> &[String] {
        &self.input
    }

    /// Runs one of the inputs.
    pub fn simulate(&self, input: &Input) -> Result<Simulated> {
        self.simulate_blocks(input, self.sample.sampling(self.seed))
    }

    /// The inputs; all of their thread blocks if some of these are drawn.
    pub fn found(&self) -> Result<Vec<Input>> {
        let found = Input::find_all(&self.input)?.into_iter();
        Ok(found.map(|input| if self.sample.is_given() { input.whole() } else { input }).collect())
    }

    /// Runs all thread blocks of an input, or those drawn.
    fn simulate_blocks(&self, input: &Input, sampling: Option<Sampling>) -> Result<Simulated> {
        let (design, config) = (self.design, self.machine.load()?);
        let digests = design.shared_loads() != SharedLoads::APART;
        self.checkpoint.check(self.engine, self.input.len())?;
        let digest = if self.checkpoint.is_given() { input.digest()? } else { String::new() };
        let workload = self.emulation.stream(input, Options { digests, ..Options::default() })?;
        let workload = match &self.control {
            Some(listing) => with_control_bits(&workload, listing)?,
            None => workload,
        };
        let mut job = Job {
            digest,
            arguments: self,
            config: &config,
            design,
            workload,
            sampling,
            recorded: None,
            event: None,
            texts: InstructionTexts::default(),
            events: EventLog::default(),
        };
        ensure!(
            self.record.around.is_none() || self.record.file().is_some(),
            "--around says which cycles are recorded; add --waveform FILE or --pipeline FILE"
        );
        ensure!(
            !self.record.count_events || self.engine == Engines::Rtl,
            "--count-events takes --engine rtl, which has the events"
        );
        if self.record.file().is_some() {
            job.event = job.find_event()?;
            let cycle = job.event.as_ref().map(|event| event.cycle);
            job.recorded = Some(self.record.cycles(cycle));
        }
        let statistics = job.run()?;
        let events = self.record.count_events.then(|| job.events.counts());
        Ok(Simulated { name: job.workload.name, statistics, events })
    }
}

pub fn run(arguments: Arguments) -> Result<Verdict> {
    if arguments.sample.beside_whole {
        arguments.emulation.set_threads()?;
        return sample::beside_whole(&arguments);
    }
    let file = arguments.json.is_given().then_some("--json").or(arguments.record.file());
    if let (Some(file), 2..) = (file, arguments.input.len()) {
        bail!("{file} names one file, which takes one input; run the inputs one by one");
    }
    arguments.emulation.set_threads()?;
    let mut verdict = Verdict::Holds;
    let mut rows = table(&runs::HEADER);
    for input in &arguments.found()? {
        let start = ProcessorTime::now();
        let Simulated { name, statistics, events } = arguments.simulate(input)?;
        if statistics.config.sms > 1 {
            let alone = ProcessorTime::now().alone(&start);
            say!("{name}: {alone:.1}% of the processor's time on one thread alone");
        }
        rows.add_row(runs::row(&name, &statistics));
        if let Some(waveform) = &arguments.record.waveform {
            let [gtkwave, surfer] = views::files(waveform).map(|path| path.display().to_string());
            let waveform = waveform.display();
            say!("{name}: gtkwave {waveform} {gtkwave}, or surfer --command-file {surfer} {waveform}");
        }
        if let Some(caveat) = sample::caveat(&statistics) {
            say!("{name}: {caveat}");
        }
        let written = arguments.json.write(&Counted { statistics: &statistics, events: &events });
        if arguments.json.leaves_tables() {
            if let Some(events) = &events {
                let mut rows = table(&["event", "count"]);
                for (kind, count) in events {
                    rows.add_row([kind.clone(), grouped(*count)]);
                }
                println!("{rows}");
            }
            println!("{}", report(&name, &statistics));
            if let Some(drawn) = &statistics.sample {
                println!("{name}: {}\n{}", sample::extent(drawn), sample::estimates(&name, drawn));
            }
            for error in &statistics.errors {
                println!("error: {error}");
            }
            println!("gpurf {}", program::version());
        }
        written?;
        if !statistics.is_sound() {
            verdict = Verdict::Fails;
        }
    }
    let tables = vec![Titled::new("Runs", &rows)];
    arguments.results.write(&Study::of_tables("sim", arguments.input, tables))?;
    Ok(verdict)
}

/// The results of a run of an input.
pub struct Simulated {
    pub name: String,
    pub statistics: Statistics,
    /// How many events of each kind the RTL had, where they were counted.
    pub events: Option<BTreeMap<String, u64>>,
}

/// The same as JSON.
#[derive(Serialize)]
struct Counted<'a> {
    #[serde(flatten)]
    statistics: &'a Statistics,
    #[serde(skip_serializing_if = "Option::is_none")]
    events: &'a Option<BTreeMap<String, u64>>,
}

/// Runs a launched kernel until a cycle; whether it goes on.
type Advance<E> = fn(&mut Gpu<E>, u64) -> Result<bool, SmError>;

/// One workload under one design and engine.
struct Job<'a> {
    arguments: &'a Arguments,
    config: &'a Config,
    design: Design,
    /// The digest of the input; empty without checkpoints.
    digest: String,
    workload: Workload,
    sampling: Option<Sampling>,
    /// The cycles that are written down.
    recorded: Option<Range<u64>>,
    /// The event that they are around.
    event: Option<EventPlace>,
    texts: InstructionTexts,
    events: EventLog,
}

impl Job<'_> {
    /// The event that is asked for; it is looked for in a run of its own.
    fn find_event(&self) -> Result<Option<EventPlace>> {
        let Some(trigger) = &self.arguments.record.around else { return Ok(None) };
        let watch = Watch::new(trigger.clone());
        self.check_scopes()?;
        // The hardware does the same in all engines, unless something is wrong.
        let engine = match trigger {
            Trigger::Error => self.arguments.engine,
            Trigger::Inside(_) => Engines::Rtl,
            Trigger::Pc(_) | Trigger::Register(_) | Trigger::Switch => Engines::Model,
        };
        self.run_on(engine, Some(&watch))?;
        let event = watch.found.place().with_context(|| {
            format!(
                "--around: {} in {} under this design{}; nothing is recorded",
                watch.found.missing(),
                self.workload.name,
                self.arguments
                    .cycles
                    .map_or(String::new(), |cycles| format!(" in its first {cycles} cycles"))
            )
        })?;
        let told = if event.text.is_empty() { String::new() } else { format!(": {}", event.text) };
        say!("{}: the event is in cycle {}{told}", self.workload.name, event.cycle);
        Ok(Some(event.clone()))
    }

    /// A search may take long, and the waveform behind it is opened by name of its scopes.
    fn check_scopes(&self) -> Result<()> {
        let Arguments { record, engine, seed, .. } = self.arguments;
        let Some(path) = record.waveform.as_ref().filter(|_| !record.scopes.is_empty()) else {
            return Ok(());
        };
        if *engine == Engines::Rtl {
            let observed = sub_core_engine::observed(self.config, &self.design, *seed)?;
            ModuleWaveform::check_scopes(path, observed.scopes(), &record.scopes)?;
        }
        Ok(())
    }

    fn run(&self) -> Result<Statistics> {
        self.run_on(self.arguments.engine, None)
    }

    fn run_on(&self, kind: Engines, watch: Option<&Watch>) -> Result<Statistics> {
        let (config, design, seed) = (self.config, &self.design, self.arguments.seed);
        let count = SUB_CORES * config.sms;
        let waveform = self.arguments.record.waveform.as_ref().zip(self.recorded.clone());
        let is_lockstep = matches!(kind, Engines::Lockstep | Engines::LockstepVerilator);
        ensure!(
            !is_lockstep || waveform.is_none(),
            "--waveform takes one engine: model, rtl, rust-hdl or verilator"
        );
        if design.reads_in_window() {
            // The sub-cores are among the units.
            let none: Vec<SubCoreEngine> = vec![];
            return self.simulate(kind, none, watch, |_| (0, vec![]), Gpu::advance_in_parallel);
        }
        let looks_inside = watch.is_some_and(|watch| watch.query().is_some());
        let record = &self.arguments.record;
        let hears =
            watch.is_none() && kind == Engines::Rtl && (record.count_events || record.pipeline.is_some());
        let is_observed = waveform.is_some() || looks_inside || hears;
        let runs_rtl = matches!(kind, Engines::Rtl | Engines::Lockstep | Engines::LockstepVerilator);
        let compiled = runs_rtl.then(|| sub_core_engine::compiled(config, design, seed)).transpose()?;
        let observed =
            (runs_rtl && is_observed).then(|| sub_core_engine::observed(config, design, seed)).transpose()?;
        let rtl = || -> SubCoreRtl {
            Box::new(compiled.as_ref().expect("the RTL is compiled for those that run it").engine())
        };
        if kind == Engines::Lockstep {
            let engines = (0..count).map(|_| Lockstep::new(design.model(config, seed), rtl())).collect();
            return self.simulate(kind, engines, watch, of_pair, Gpu::advance_in_parallel);
        }
        if kind == Engines::LockstepVerilator {
            let verilog = sub_core_engine::verilog(config, design, seed)?;
            let rtl = compiled.as_ref().expect("it is compiled");
            let engines = (0..count)
                .map(|_| sub_core_engine::trio(config, design, seed, rtl, &verilog))
                .collect::<Result<_>>()?;
            return self.simulate(kind, engines, watch, of_trio, Gpu::advance);
        }
        if let Some((observed, watch)) = observed.as_ref().zip(watch.filter(|watch| watch.query().is_some()))
        {
            let mut engines: Vec<SubCoreHardware> = vec![Box::new(watch.in_sub_core(observed)?)];
            engines.extend((1..count).map(|_| -> SubCoreHardware { rtl() }));
            return self.simulate(kind, engines, Some(watch), |_| (0, vec![]), Gpu::advance);
        }
        if kind == Engines::Rtl && waveform.is_none() && !hears {
            let engines = (0..count).map(|_| rtl()).collect();
            return self.simulate(kind, engines, watch, |_| (0, vec![]), Gpu::advance_in_parallel);
        }
        if kind == Engines::Model && waveform.is_none() {
            let engines = (0..count).map(|_| design.model(config, seed)).collect();
            return self.simulate(kind, engines, watch, |_| (0, vec![]), Gpu::advance_in_parallel);
        }
        let verilog = match kind {
            Engines::Verilator => Some(sub_core_engine::verilog(config, design, seed)?),
            _ => None,
        };
        let engine = || -> Result<SubCoreHardware> {
            Ok(match (kind, &verilog) {
                (Engines::Rtl, _) => rtl(),
                (Engines::RustHdl, _) => sub_core_engine::rust_hdl(config, design, seed)?,
                (_, Some(verilog)) => sub_core_engine::verilator(verilog)?,
                _ => Box::new(design.model(config, seed)),
            })
        };
        let mut recording: Option<WaveformRecording> = None;
        let mut engines = vec![];
        for sub_core in 0..count {
            engines.push(match &waveform {
                Some((path, cycles)) if sub_core == 0 => {
                    let record = &self.arguments.record;
                    let (cycles, scopes, loads) = (cycles.clone(), &record.scopes[..], record.loads);
                    let options = RecordingOptions { path, cycles, scopes, loads };
                    let texts = self.texts.clone();
                    let (engine, recorded) = match &observed {
                        Some(observed) => {
                            let log = self.events.clone();
                            let hear = move |_, event: &Occurrence| log.hear(event);
                            let (engine, recorded) =
                                sub_core_engine::recorded_rtl(observed, &options, texts, hear)?;
                            (Box::new(engine) as SubCoreHardware, recorded)
                        }
                        None => {
                            let (engine, recorded) = sub_core_engine::recorded_ports(
                                config,
                                design,
                                seed,
                                &options,
                                texts,
                                engine()?,
                            )?;
                            (Box::new(engine) as SubCoreHardware, recorded)
                        }
                    };
                    recording = Some(recorded);
                    engine
                }
                _ => match observed.as_ref().filter(|_| hears && sub_core < SUB_CORES) {
                    Some(observed) => {
                        let log = self.events.clone();
                        let look = move |_, events: &Events, values: &dyn Values| {
                            events.visit(values, |event| log.hear(event));
                        };
                        sub_core_engine::typed(Box::new(tap::listen(observed, look)?))
                    }
                    None => engine()?,
                },
            });
        }
        let statistics = self.simulate(kind, engines, watch, |_| (0, vec![]), Gpu::advance)?;
        if let Some((recording, (path, cycles))) = recording.zip(waveform) {
            self.finish(recording, path, &cycles, &views::SUB_CORE)?;
        }
        Ok(statistics)
    }

    /// Everything that is to be written down of sub-cores without collectors.
    fn notes(&self, kind: Engines) -> Option<Notes<'_>> {
        let record = &self.arguments.record;
        let (scopes, loads) = (&record.scopes[..], record.loads);
        let waveform = record.waveform.as_ref().zip(self.recorded.clone());
        let hears = kind == Engines::Rtl && record.count_events;
        self.design.reads_in_window().then(|| Notes {
            options: waveform.map(|(path, cycles)| RecordingOptions { path, cycles, scopes, loads }),
            texts: self.texts.clone(),
            events: hears.then(|| self.events.clone()),
            ..Notes::default()
        })
    }

    /// Completes a waveform, and writes the views that show it.
    fn finish(
        &self,
        recording: WaveformRecording,
        waveform: &Path,
        asked: &Range<u64>,
        groups: &views::Groups,
    ) -> Result<()> {
        let Drawn { variables, cycles } = recording.finish(asked)?;
        Views { waveform, variables: &variables, cycles, event: self.event.as_ref(), groups }.write()
    }

    /// Runs the workload; `divergences` reads from the engines in how many cycles some differed, and
    /// says where.
    fn simulate<E: RunsSubCore>(
        &self,
        kind: Engines,
        engines: Vec<E>,
        watch: Option<&Watch>,
        divergences: impl Fn(&E) -> (u64, Vec<String>),
        advance: Advance<E>,
    ) -> Result<Statistics> {
        let differences = Differences::default();
        let (config, design) = (self.config, self.design);
        let notes = self.notes(kind).filter(|_| watch.is_none());
        let units = Units { kind, config, design, differences: &differences, watch, notes: notes.as_ref() };
        let engines = units.around(engines)?;
        watch.map_or(Ok(()), Watch::check)?;
        let mut gpu = Gpu::new(config, design, self.arguments.seed, engines);
        if let Some(cycles) = self.arguments.cycles {
            gpu.limit_cycles(cycles);
        }
        if let Some(sampling) = self.sampling {
            gpu.sample(sampling);
        }
        let waveform = self.recorded.is_some() && self.arguments.record.waveform.is_some();
        let looks_inside = watch.is_some_and(|watch| watch.query().is_some());
        if kind == Engines::Lockstep || waveform || looks_inside {
            gpu.clock_every_cycle();
        }
        let pipeline = self.arguments.record.pipeline.as_ref().zip(self.recorded.clone());
        let create = |(path, cycles): (&PathBuf, _)| Konata::create(path, cycles, self.events.clone());
        let konata = pipeline.map(create).transpose()?;
        if let Some(konata) = &konata {
            gpu.listen(Box::new(konata.clone()));
        }
        if let Some(watch) = watch {
            gpu.listen(Box::new(watch.clone()));
        }
        if waveform {
            gpu.listen(Box::new(self.texts.clone()));
        }
        let start = Instant::now();
        let known = self.go_on(&mut gpu, advance, watch)?;
        if let Some(konata) = konata {
            let instructions = konata.finish()?;
            say!("{}: the pipeline of {} instructions", self.workload.name, grouped(instructions));
        }
        if let Some(Notes { options: Some(options), recording, .. }) = notes {
            if let Some(recording) = recording.take() {
                self.finish(recording, options.path, &options.cycles, &views::MODERN_SUB_CORE)?;
            }
        }
        let (mut total, mut messages) = differences.take();
        for (sub_core, engine) in gpu.engines().enumerate() {
            let (count, found) = divergences(engine);
            total += count;
            messages.extend(found.into_iter().map(|message| format!("sub-core {sub_core}: {message}")));
        }
        let mut statistics = gpu.statistics(kind.name(), total);
        statistics.errors.extend(messages);
        let instructions = statistics.summary.counters.warp_instructions - known;
        let rate = instructions as f64 / start.elapsed().as_secs_f64();
        say!("{}: {} warp instructions/s", self.workload.name, grouped(rate as u64));
        Ok(statistics)
    }

    /// Runs the workload from its beginning, or from a checkpoint; the warp instructions that had been run by
    /// then.
    fn go_on<E: RunsSubCore>(
        &self,
        gpu: &mut Gpu<E>,
        advance: Advance<E>,
        watch: Option<&Watch>,
    ) -> Result<u64> {
        let Workload { name, commands } = &self.workload;
        let mut checkpoints = self.arguments.checkpoint.of(|| self.properties())?;
        let kept = checkpoints.as_ref().map_or(Ok(None), Checkpoints::read)?;
        let begin = kept.as_ref().map_or(0, |(place, _)| place.command);
        let reuse = self.arguments.reuse.reuse(self.config.rthld);
        let mut launched = false;
        if let Some((place, state)) = kept {
            let under_way = match commands.get(begin) {
                Some(Command::Kernel(kernel)) if place.launched => Some((kernel, Some(&reuse))),
                _ => None,
            };
            launched = under_way.is_some();
            gpu.restore(&state, under_way)?;
            say!("{name}: goes on from cycle {} of its checkpoint", gpu.cycles());
        }
        let known = gpu.warp_instructions();
        let mut save = |gpu: &Gpu<E>, command: usize, launched: bool| match &mut checkpoints {
            Some(checkpoints) => checkpoints.consider(gpu, CheckpointPlace { command, launched }),
            None => Ok(()),
        };
        let is_kernel = |command: &&Command| matches!(command, Command::Kernel(_));
        let bar = progress(self.workload.kernels().count() as u64, "kernels");
        bar.set_position(commands.iter().take(begin).filter(is_kernel).count() as u64);
        bar.set_message(name.clone());
        for (number, command) in commands.iter().enumerate().skip(begin) {
            match command {
                Command::MemcpyHtoD { address, bytes } => gpu.copy_to_device(*address, *bytes),
                Command::Kernel(kernel) => {
                    if !std::mem::take(&mut launched) {
                        gpu.launch(kernel, Some(&reuse))?;
                    }
                    while advance(gpu, u64::MAX)? {
                        let instructions = gpu.warp_instructions();
                        bar.set_message(format!("{name}, {} warp instructions", grouped(instructions)));
                        if watch.is_some_and(|watch| watch.found.place().is_some()) {
                            bar.finish_and_clear();
                            return Ok(known);
                        }
                        save(gpu, number, true)?;
                    }
                    save(gpu, number + 1, false)?;
                    bar.inc(1);
                }
            }
        }
        bar.finish_and_clear();
        checkpoints.map_or(Ok(()), Checkpoints::remove)?;
        Ok(known)
    }

    /// Properties that tell this run from others, by name and value.
    fn properties(&self) -> Result<Properties> {
        let Arguments { emulation, reuse, seed, cycles, sample, .. } = self.arguments;
        let properties = [
            ("input", self.workload.name.clone()),
            ("--design", self.design.name()),
            ("--reuse", format!("{reuse:?}")),
            ("--seed", seed.to_string()),
            ("--cycles", format!("{cycles:?}")),
            ("--sample", format!("{:?}", sample.sampling(*seed))),
            ("machine", toml::to_string(self.config).expect("constants are TOML")),
        ];
        let told = properties.into_iter().chain(emulation.properties());
        let told = told.map(|(name, value)| (name.to_string(), value));
        Ok(program::properties(&self.digest)?.into_iter().chain(told).collect())
    }
}

/// Differences of model and hardware, and of hardware and Verilog.
fn of_pair(engine: &Pair) -> (u64, Vec<String>) {
    let found = engine.divergence.iter().map(|found| format!("model and RTL: {found}"));
    (engine.divergent_cycles, found.collect())
}

fn of_trio(engine: &Trio) -> (u64, Vec<String>) {
    let of_model = engine.divergence.iter().map(|found| format!("model and RTL: {found}"));
    let hardware = &engine.second;
    let of_verilog = hardware.divergence.iter().map(|found| format!("RTL and Verilog: {found}"));
    (engine.divergent_cycles + hardware.divergent_cycles, of_model.chain(of_verilog).collect())
}

/// A table of statistics, for people.
pub fn report(name: &str, statistics: &Statistics) -> Table {
    let Statistics { summary, .. } = statistics;
    let counters = &summary.counters;
    let mut rows = table(&[name, "", "unit"]);
    let mut row = |what: &str, value: String, unit: &str| {
        rows.add_row([what, &value, unit]);
    };
    row("design", statistics.design.clone(), "");
    row("engine", statistics.engine.clone(), "");
    row("seed", statistics.seed.to_string(), "");
    row("kernels", grouped(statistics.kernels.len() as u64), "");
    row("cycles", grouped(counters.cycles), "cycles");
    row("warp instructions", grouped(counters.warp_instructions), "");
    row("IPC", format!("{:.3}", summary.ipc), "instructions/cycle");
    row("operand reads", grouped(counters.operand_reads), "registers");
    row("hits", grouped(counters.hits), "registers");
    let design: Design = statistics.design.parse().expect("what has run is a design");
    let cached = design.has_caching_collectors() || design.register_cache.is_some();
    let unit = if cached { "%" } else { "%: the design has no cache" };
    row("hit ratio", format!("{:.1}", 100.0 * summary.hit_ratio), unit);
    let drain_free = match summary.fed_ipc {
        0.0 => "all blocks at once".into(),
        ipc => format!("{ipc:.3}"),
    };
    row("IPC to the last block", drain_free, "instructions/cycle");
    row("bank reads", grouped(counters.bank_reads), "registers");
    row("bank writes", grouped(counters.bank_writes), "registers");
    row("bank conflicts", grouped(counters.bank_conflicts), "bank cycles");
    row("cache writes", grouped(counters.cache_writes), "registers");
    row("cache writes filtered", grouped(counters.cache_writes_filtered), "registers");
    row("near ones among them", grouped(counters.cache_writes_lost), "registers");
    if counters.rc_lane_reads > 0 {
        let percent = |part: u64, whole: u64| format!("{:.1}", 100.0 * ratio(part, whole));
        row(
            "register cache: read hits",
            percent(counters.rc_lane_read_hits, counters.rc_lane_reads),
            "% of lanes",
        );
        row("write hits", percent(counters.rc_lane_write_hits, counters.rc_lane_writes), "% of lanes");
        row("reads avoided", percent(counters.hits, counters.operand_reads), "% of registers read");
        let avoided = counters.rc_lane_writes - counters.rc_lane_file_writes;
        row("writes avoided", percent(avoided, counters.rc_lane_writes), "% of lanes");
        row("write-backs", grouped(counters.rc_write_backs), "registers");
        row("fills", grouped(counters.rc_fills), "registers");
        row("flushes", grouped(counters.rc_flushes), "warps");
        row("dead values not written back", grouped(counters.rc_dead_values), "registers");
        row("drops", grouped(counters.rc_drops), "warps");
        row("issues that failed", grouped(counters.rc_conflicts), "");
    }
    row("shared-memory loads", grouped(counters.shared_loads), "transfers");
    row("shared-memory stores", grouped(counters.shared_stores), "transfers");
    row("global loads", grouped(counters.global_loads), "transfers");
    row("global stores", grouped(counters.global_stores), "transfers");
    row("memory I/O busy", grouped(counters.io_cycles), "cycles");
    if counters.delivery_checks + counters.multicast_requests > 0 {
        row("multicasting loads", grouped(counters.multicast_requests), "requests");
        row("multicasts", grouped(counters.multicasts), "accesses");
        row("loads renamed", grouped(counters.renamed_loads), "loads");
        row("delivery checks", grouped(counters.delivery_checks), "loads");
        row("delivery errors", grouped(counters.delivery_errors), "loads");
    }
    for (cause, cycles) in by_cause(&statistics.summary.stalls) {
        row(&format!("stall: {cause}"), grouped(cycles), "sub-core cycles");
    }
    row("token checks", grouped(counters.token_checks), "operands");
    row("token errors", grouped(counters.token_errors), "operands");
    row("divergences", grouped(statistics.divergences), "cycles");
    rows
}

/// Stall cycles by cause, as the statistics name them.
pub fn by_cause(stalls: &Stalls) -> Vec<(String, u64)> {
    let stalls = serde_json::to_value(stalls).expect("counters are JSON");
    let stalls = stalls.as_object().expect("named counters").clone();
    stalls
        .into_iter()
        .map(|(cause, cycles)| (cause.replace('_', " "), cycles.as_u64().unwrap_or(0)))
        .collect()
}
