//! `gpurf sim`: an instruction stream through a streaming multiprocessor.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{bail, ensure, Result};
use clap::{Args, FromArgMatches, ValueEnum};
use comfy_table::Table;
use gpurf_blocks::ports::{SubCoreIn, SubCoreOut};
use gpurf_blocks::{Clocked, SUB_CORES};
use gpurf_sim::config::Config;
use gpurf_sim::sm::{CollectorKind, Design, Gpu, Residency, SharedLoads, SmError};
use gpurf_sim::statistics::{Stalls, Statistics};
use gpurf_trace::{Command, Kernel, Reuse, ReuseMode, Workload};
use gpurf_workloads::Options;

use gpurf_testbenches::sub_core_engine::{self, Finish, SubCoreHardware, Trio};

use crate::engines::Engines;
use crate::input::EmulationArguments;
use crate::output::{grouped, progress, table, JsonArgument};
use crate::settings::MachineArguments;
use crate::units::{Differences, Units};
use crate::Verdict;

#[derive(Args)]
#[command(after_help = "Examples:
  gpurf sim sgemm
  gpurf sim bfs nn --size medium --design traditional
  gpurf sim saxpy.toml --design malekeh-gto
  gpurf sim sgemm --design traditional --engine rtl --cycles 2000 --vcd stage.vcd
  gpurf sim traces/bfs --design baseline --engine lockstep --json bfs.json
  gpurf sim traces/bfs --set collectors=4 --set l1.latency=28")]
pub struct Arguments {
    /// Built-in workloads (see `gpurf workloads`), launch files, trace files, kernel lists, or folders
    /// holding one
    #[arg(required = true)]
    input: Vec<String>,
    #[command(flatten)]
    emulation: EmulationArguments,
    /// Register-file design: baseline (operand collector units, greedy-then-oldest), traditional (caching
    /// collector units, least recently used replacement), malekeh-gto (the same with Malekeh's cache
    /// policies), malekeh, malekeh-pr (a collector per warp), bow (bypassing operand collectors), rfc and
    /// software-rfc (the baseline under two-level schedulers), virtual-thread, reg-dram, vt-regmutex and finereg
    /// (the baseline with more resident thread blocks), iwma, darsie and iwma-darsie (the baseline with loads from
    /// shared memory multicast to two warps, or shared in a sub-core by renaming, or both)
    #[arg(long, default_value = "baseline")]
    design: String,
    /// What runs the hardware of the sub-cores
    #[arg(long, value_enum, default_value_t = Engines::Model)]
    engine: Engines,
    /// How near and far reuse is known
    #[arg(long, value_enum, default_value_t = ReuseKind::Profile)]
    reuse: ReuseKind,
    #[command(flatten)]
    machine: MachineArguments,
    /// Of the hardware's random choices among free collectors, modulo 256
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Stop after so many cycles
    #[arg(long)]
    cycles: Option<u64>,
    /// Waveform of sub-core 0: every signal with the engine rtl, else its ports. Cycles
    /// in which it is idle are left out
    #[arg(long, value_name = "FILE")]
    vcd: Option<PathBuf>,
    #[command(flatten)]
    json: JsonArgument,
}

/// How near and far reuse is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ReuseKind {
    /// The majority over the first few warps of a kernel, per static operand
    Profile,
    /// Exact distances
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
        let command = Arguments::augment_args(clap::Command::new("sim").no_binary_name(true));
        Ok(Arguments::from_arg_matches(&command.try_get_matches_from(line)?)?)
    }

    /// Runs one of the inputs.
    pub fn simulate(&self, input: &str) -> Result<(String, Statistics)> {
        let Some(design) = Design::named(&self.design) else {
            let names: Vec<_> = Design::every().map(|design| design.name).collect();
            bail!("--design {}: there is no such design; there are {}", self.design, names.join(", "));
        };
        let config = self.machine.load()?;
        let digests = design.shared_loads != SharedLoads::APART;
        let workload = self.emulation.open(input, Options { digests, ..Options::default() })?;
        let job = Job { arguments: self, config: &config, design, workload };
        let statistics = job.run()?;
        Ok((job.workload.name, statistics))
    }
}

pub fn run(arguments: Arguments) -> Result<Verdict> {
    ensure!(
        arguments.input.len() == 1 || (!arguments.json.is_given() && arguments.vcd.is_none()),
        "--json and --vcd name one file, which takes one input; run the inputs one by one",
    );
    arguments.emulation.set_threads()?;
    let mut verdict = Verdict::Holds;
    for input in &arguments.input {
        let (name, statistics) = arguments.simulate(input)?;
        arguments.json.write(&statistics)?;
        if arguments.json.leaves_tables() {
            println!("{}", report(&name, &statistics));
            for error in &statistics.errors {
                println!("error: {error}");
            }
        }
        if !statistics.is_sound() {
            verdict = Verdict::Fails;
        }
    }
    Ok(verdict)
}

type RunKernel<E> = fn(&mut Gpu<E>, &Kernel, Option<&Reuse>) -> Result<(), SmError>;

/// One workload under one design and engine.
struct Job<'a> {
    arguments: &'a Arguments,
    config: &'a Config,
    design: Design,
    workload: Workload,
}

impl Job<'_> {
    fn run(&self) -> Result<Statistics> {
        let (config, design, seed) = (self.config, &self.design, self.arguments.seed);
        let kind = self.arguments.engine;
        let count = SUB_CORES * config.sms;
        if kind == Engines::Lockstep {
            ensure!(self.arguments.vcd.is_none(), "--vcd takes one engine: model, rtl or verilator");
            let engines = (0..count).map(|_| sub_core_engine::lockstep(config, design, seed));
            return self.simulate(engines.collect::<Result<Vec<_>>>()?, divergences, Gpu::run_kernel);
        }
        if kind == Engines::Model && self.arguments.vcd.is_none() {
            let engines = (0..count).map(|_| design.model(config, seed)).collect();
            return self.simulate(engines, |_| (0, vec![]), Gpu::run_kernel_in_parallel);
        }
        let engine = || -> Result<SubCoreHardware> {
            Ok(match kind {
                Engines::Rtl => sub_core_engine::rtl(config, design, seed),
                Engines::Verilator => sub_core_engine::verilator(config, design, seed)?,
                Engines::Model | Engines::Lockstep => Box::new(design.model(config, seed)),
            })
        };
        let mut finish: Option<Finish> = None;
        let mut engines = vec![];
        for sub_core in 0..count {
            engines.push(match &self.arguments.vcd {
                Some(path) if sub_core == 0 => {
                    let (engine, finished) = match kind {
                        Engines::Rtl => sub_core_engine::recorded_rtl(config, design, seed, path)?,
                        _ => sub_core_engine::recorded_ports(config, design, seed, path, engine()?)?,
                    };
                    finish = Some(finished);
                    engine
                }
                _ => engine()?,
            });
        }
        let statistics = self.simulate(engines, |_| (0, vec![]), Gpu::run_kernel)?;
        finish.map_or(Ok(()), |finish| finish())?;
        Ok(statistics)
    }

    /// Has the units of each SM that the design uses run by the engine.
    fn set_units<E>(&self, gpu: &mut Gpu<E>, units: Units) -> Result<()>
    where
        E: Clocked<In = SubCoreIn<u32>, Out = SubCoreOut<u32>>,
    {
        if self.design.shared_loads.multicast {
            gpu.set_multicasting_units(for_each_sm(self.config, || units.multicasting_unit(&self.design))?);
        }
        if self.design.residency == Residency::FineReg {
            gpu.drive_rmu(for_each_sm(self.config, || units.rmu())?);
        }
        if self.design.residency != Residency::Baseline {
            gpu.drive_status_monitor(for_each_sm(self.config, || units.status_monitor())?);
        }
        Ok(())
    }

    /// Runs the workload; `divergences` reads from the engines in how many cycles some differed, and
    /// says where.
    fn simulate<E>(
        &self,
        engines: Vec<E>,
        divergences: impl Fn(&E) -> (u64, Vec<String>),
        run_kernel: RunKernel<E>,
    ) -> Result<Statistics>
    where
        E: Clocked<In = SubCoreIn<u32>, Out = SubCoreOut<u32>>,
    {
        let mut engines = engines.into_iter();
        let mut gpu = Gpu::new(self.config, self.design, self.arguments.seed, |_| {
            engines.next().expect("an engine per sub-core")
        });
        if let Some(cycles) = self.arguments.cycles {
            gpu.limit_cycles(cycles);
        }
        let kind = self.arguments.engine;
        if kind == Engines::Lockstep || self.arguments.vcd.is_some() {
            gpu.clock_every_cycle();
        }
        let differences = Differences::default();
        self.set_units(&mut gpu, Units { kind, config: self.config, differences: &differences })?;
        let reuse = self.arguments.reuse.reuse(self.config.rthld);
        let bar = progress(self.workload.kernels().count() as u64, "kernels");
        bar.set_message(self.workload.name.clone());
        let start = Instant::now();
        for command in &self.workload.commands {
            match command {
                Command::MemcpyHtoD { address, bytes } => gpu.copy_to_device(*address, *bytes),
                Command::Kernel(kernel) => {
                    run_kernel(&mut gpu, kernel, Some(&reuse))?;
                    bar.inc(1);
                }
            }
        }
        bar.finish_and_clear();
        let (mut total, mut messages) = differences.take();
        for (sub_core, engine) in gpu.engines().enumerate() {
            let (count, found) = divergences(engine);
            total += count;
            messages.extend(found.into_iter().map(|message| format!("sub-core {sub_core}: {message}")));
        }
        let mut statistics = gpu.statistics(self.arguments.engine.name(), total);
        statistics.errors.extend(messages);
        let rate = statistics.summary.counters.warp_instructions as f64 / start.elapsed().as_secs_f64();
        eprintln!("{}: {} warp instructions/s", self.workload.name, grouped(rate as u64));
        Ok(statistics)
    }
}

/// As many engines as there are SMs.
fn for_each_sm<T>(config: &Config, engine: impl Fn() -> Result<T>) -> Result<impl FnMut(usize) -> T> {
    let mut engines = (0..config.sms).map(|_| engine()).collect::<Result<Vec<_>>>()?.into_iter();
    Ok(move |_| engines.next().expect("an engine per SM"))
}

/// Of model against hardware, and of hardware against Verilog.
fn divergences(engine: &Trio) -> (u64, Vec<String>) {
    let of_model = engine.divergence.iter().map(|found| format!("model and RTL: {found}"));
    let hardware = &engine.second;
    let of_verilog = hardware.divergence.iter().map(|found| format!("RTL and Verilog: {found}"));
    (engine.divergent_cycles + hardware.divergent_cycles, of_model.chain(of_verilog).collect())
}

/// What statistics say, for people.
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
    let cached =
        Design::named(&statistics.design).is_some_and(|design| design.collector != CollectorKind::Ocu);
    let unit = if cached { "%" } else { "%: the design has no cache" };
    row("hit ratio", format!("{:.1}", 100.0 * summary.hit_ratio), unit);
    row("bank reads", grouped(counters.bank_reads), "registers");
    row("bank writes", grouped(counters.bank_writes), "registers");
    row("bank conflicts", grouped(counters.bank_conflicts), "bank cycles");
    row("cache writes", grouped(counters.cache_writes), "registers");
    row("cache writes filtered", grouped(counters.cache_writes_filtered), "registers");
    row("near ones among them", grouped(counters.cache_writes_lost), "registers");
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
