// SPDX-License-Identifier: Apache-2.0
//! `gpurf power`: the energy of hardware modules under a stimulus, and of operand stages under what code
//! really moves, from their netlists.

mod chart;
mod report;
pub mod storage;
pub mod table;

use std::path::PathBuf;

use anyhow::{ensure, Context, Result};
use clap::Args;
use gpurf_blocks::{Parameters, PortLayout};
use gpurf_hw::catalogue::{find, CatalogueEntry};
use gpurf_power::constants::Constants;
use gpurf_power::stage::{stage, MeasuredStages, Measurement};
use gpurf_power::{difference, usual_setting, Netlists, NODE_NM, TRANSITION_NS};
use gpurf_sim::config::Config;
use gpurf_sim::sm::Design;
use gpurf_synth::power::{memories, saif, Chances, Meter, Setting, Vcd};
use gpurf_synth::{Activity, Circuit, Gates, Library, Memories, Options, ProcessNode, Structure};
use gpurf_testbenches::{workbench, EngineKind, Random, Sample};
use gpurf_trace::Workload;
use gpurf_verilog::tools::Tool;
use gpurf_verilog::Hierarchy;
use rayon::prelude::*;

use crate::input::{EmulationArguments, Input};
use crate::output::{all, progress, say, write, write_text, JsonArgument, NewFile};
use crate::synth::SynthesisArguments;
use crate::verdict::Verdict;
use crate::verilog::{modules, ModuleArguments};
use report::{Circumstances, PowerReport};

#[derive(Args)]
#[command(after_help = "Examples:
  gpurf power ocu --set width=32                                                                # seconds
  gpurf power ocu ccu --clock-gating --plot energy.svg --json energy.json                       # minutes
  gpurf power arbiter --scenario oldest_first --set width=32 --saif arbiter.saif                # seconds
  gpurf power round_robin --cycles 200 --vcd round_robin.vcd                                    # seconds
  gpurf power malekeh sgemm --clock-gating                                                      # minutes
  gpurf power baseline malekeh traditional sgemm bfs hotspot --clock-gating --json energy.json  # minutes
  gpurf power baseline malekeh bow sgemm bfs --clock-gating --constants energies.toml           # minutes

With modules, the RTL runs under its testbench; its netlist is evaluated cell by cell on the same inputs, and its outputs are
held against those of the RTL in every cycle.

With designs and inputs, the inputs' code is executed, the SM runs its stream under each design, and the netlist of the operand stage
of one sub-core is evaluated, at 1,024 bits, on the values that the instructions really read and write, in windows over
the run. Designs are compared with the first one.

Memories have energies of CACTI. Glitches and the clock tree have none here.")]
pub struct Arguments {
    #[command(flatten)]
    modules: ModuleArguments,
    #[command(flatten)]
    synthesis: SynthesisArguments,
    /// Map the module as a whole, as `gpurf synth` does for its summary; without the option, each module
    /// inside is mapped by itself, so that energies can be told apart
    #[arg(long)]
    flatten: bool,
    #[command(flatten)]
    emulation: EmulationArguments,
    /// The number of windows over the run of a design on an input
    #[arg(long, default_value_t = 30)]
    windows: u64,
    /// The number of cycles of a window
    #[arg(long, default_value_t = 100)]
    window_cycles: u64,
    /// Follow only so many cycles of the run of a design on an input, from its beginning. Energies are those
    /// of these cycles, and may be far from those of the whole run
    #[arg(long, value_name = "CYCLES")]
    first: Option<u64>,
    /// The number of cycles of random stimulus
    #[arg(long, default_value_t = 1000)]
    cycles: u64,
    /// The seed of the random stimulus
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Leave values of registers out of the random stimulus: they are zero, and all else is what it is with
    /// them. The energy that is left does not depend on data
    #[arg(long, conflicts_with = "scenario")]
    no_data: bool,
    /// Run this scenario of the module instead of random stimulus
    #[arg(long, value_name = "NAME")]
    scenario: Option<String>,
    /// The clock period in nanoseconds, to which leakage and watts refer
    #[arg(long, value_name = "NS", default_value_t = 2.0)]
    period: f64,
    /// The transition time of the clock and the inputs in nanoseconds
    #[arg(long, value_name = "NS", default_value_t = TRANSITION_NS)]
    transition: f64,
    /// Leave out the capacitance of the wires
    #[arg(long)]
    no_wires: bool,
    /// Leave out the energy of the memories
    #[arg(long)]
    no_memories: bool,
    /// The node in nanometres to which memories are scaled; it is that of the cell library
    #[arg(long, value_name = "NM", default_value_t = NODE_NM)]
    node: u32,
    /// Take the pins of a cell to be independent of each other, as tools that read an activity file do
    #[arg(long)]
    independent: bool,
    /// The number of the most expensive nets and instances that are listed
    #[arg(long, default_value_t = 10)]
    list: usize,
    /// Write the activity of all nets to this file as SAIF. The option takes one module
    #[arg(long, value_name = "FILE", value_parser = crate::output::file())]
    saif: Option<PathBuf>,
    /// Write the values of all nets in each cycle to this file as VCD. The option takes one module
    #[arg(long, value_name = "FILE", value_parser = crate::output::file())]
    vcd: Option<PathBuf>,
    /// Draw the energies into this file, as SVG
    #[arg(long, value_name = "FILE", value_parser = crate::output::file())]
    plot: Option<PathBuf>,
    /// Write the energies per event to this file, as constants of the simulation in TOML. The option takes
    /// designs, one with each kind of collector
    #[arg(long, value_name = "FILE", value_parser = crate::output::file())]
    constants: Option<PathBuf>,
    #[command(flatten)]
    json: JsonArgument,
}

impl Arguments {
    fn setting(&self, library: &Library) -> Setting {
        let usual = usual_setting(library);
        Setting {
            input_transition_ns: self.transition,
            wires: usual.wires.filter(|_| !self.no_wires),
            chances: if self.independent { Chances::Independent } else { usual.chances },
            ..usual
        }
    }

    fn random(&self) -> Random {
        match self.no_data {
            true => Random::dataless(self.seed),
            false => Random::seeded(self.seed),
        }
    }

    fn period_ps(&self) -> u64 {
        (self.period * 1000.0).round() as u64
    }
}

pub fn run(arguments: Arguments) -> Result<Verdict> {
    let (designs, inputs) = designs_and_inputs(arguments.modules.names());
    if !designs.is_empty() {
        return run_designs(&arguments, &designs, inputs);
    }
    ensure!(
        arguments.constants.is_none(),
        "--constants is for designs and inputs; leave it out with modules"
    );
    let (entries, parameters) = modules(&arguments.modules)?;
    let of_one = [
        ("saif", arguments.saif.is_some()),
        ("vcd", arguments.vcd.is_some()),
        ("scenario", arguments.scenario.is_some()),
    ];
    for (option, is_given) in of_one {
        ensure!(!is_given || entries.len() == 1, "--{option} takes one module; name it");
    }
    ensure!(arguments.cycles > 1, "--cycles {}: changes need two cycles", arguments.cycles);
    for (option, value) in [("period", arguments.period), ("transition", arguments.transition)] {
        ensure!(value > 0.0 && value.is_finite(), "--{option} {value}: a time in nanoseconds, above 0");
    }
    ensure!(
        arguments.period_ps() >= 2 || (arguments.saif.is_none() && arguments.vcd.is_none()),
        "--period {}: SAIF and VCD count picoseconds; give 0.002 or more",
        arguments.period
    );
    // Before the synthesis, which takes long.
    if let (Some(name), [entry]) = (&arguments.scenario, &entries[..]) {
        workbench(entry.name, &parameters).sample_scenario(EngineKind::Rtl, name)?;
    }
    let options = arguments.synthesis.options()?;
    let bar = progress(entries.len() as u64, "modules");
    let (mut reports, mut differences) = (vec![], vec![]);
    for entry in entries {
        bar.set_message(entry.name);
        match measure(entry, &parameters, &options, &arguments)? {
            Ok(report) => reports.push(report),
            Err(difference) => differences.push(difference),
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    let written = all([
        arguments.json.write_list(&reports),
        write_text(arguments.plot.as_deref(), || chart::energies(&reports)),
    ]);
    if arguments.json.leaves_tables() {
        reports.iter().for_each(|report| report.print(arguments.list));
    }
    written?;
    differences.iter().for_each(|difference| say!("{difference}"));
    Ok(if differences.is_empty() { Verdict::Holds } else { Verdict::Fails })
}

/// The designs at the front of the names, and the rest.
fn designs_and_inputs(names: &[String]) -> (Vec<Design>, &[String]) {
    let is_module = |name: &str| find(name).is_ok();
    let design = |name: &String| name.parse().ok().filter(|_| !is_module(name));
    let designs: Vec<Design> = names.iter().map_while(design).collect();
    let inputs = &names[designs.len()..];
    (designs, inputs)
}

/// The command that measures it again, except for where its results go.
pub fn command_of(measured: &MeasuredStages) -> String {
    let settings: String = measured.settings.iter().map(|setting| format!(" --set {setting}")).collect();
    let gating = if measured.clock_gating { " --clock-gating" } else { "" };
    let sweeping = if measured.sat_sweeping { "" } else { " --no-sat-sweeping" };
    let usual = measured.transition_ns == TRANSITION_NS;
    let transition = if usual { String::new() } else { format!(" --transition {}", measured.transition_ns) };
    let wires = if measured.wires { "" } else { " --no-wires" };
    let first = measured.first.map_or(String::new(), |cycles| format!(" --first {cycles}"));
    let MeasuredStages { windows, window_cycles, seed, .. } = measured;
    format!(
        "gpurf power {}{settings}{gating}{sweeping}{transition}{wires}{first} --windows {windows} --window-cycles {window_cycles} --seed {seed}",
        measured.names.join(" ")
    )
}

/// Tells whether an input has what netlists need.
fn check(input: &Input) -> Result<()> {
    ensure!(
        !matches!(input, Input::Trace { .. }),
        "{}: a trace has no values of registers; give a built-in workload or a launch file",
        input.name()
    );
    Ok(())
}

/// An input with the values that its instructions find and leave.
fn workload(input: &Input, emulation: &EmulationArguments) -> Result<Workload> {
    emulation.stream(input, gpurf_workloads::Options { values: true, ..Default::default() })
}

/// Each input under each design.
fn run_designs(arguments: &Arguments, designs: &[Design], inputs: &[String]) -> Result<Verdict> {
    ensure!(
        !inputs.is_empty(),
        "a design has the energy that an input makes: give inputs behind the designs"
    );
    for (option, is_given) in [
        ("saif", arguments.saif.is_some()),
        ("vcd", arguments.vcd.is_some()),
        ("no-data", arguments.no_data),
        ("scenario", arguments.scenario.is_some()),
        ("flatten", arguments.flatten),
    ] {
        ensure!(!is_given, "--{option} is for modules; leave it out with designs");
    }
    ensure!(arguments.windows > 1, "--windows {}: an error of the mean needs two", arguments.windows);
    ensure!(arguments.window_cycles > 1, "--window-cycles {}: changes need two", arguments.window_cycles);
    let inputs = Input::find_all(inputs)?;
    inputs.iter().try_for_each(check)?;
    arguments.emulation.set_threads()?;
    let config = Config::load(None, arguments.modules.settings())?;
    let options = arguments.synthesis.options()?;
    let measurement = Measurement {
        config: &config,
        memories: Memories::default(),
        node: ProcessNode::of(arguments.node)?,
        setting: arguments.setting(&options.library),
        period_ns: arguments.period,
        windows: arguments.windows,
        window_cycles: arguments.window_cycles,
        first: arguments.first,
        seed: arguments.seed,
    };
    let stages = designs.iter().map(|design| stage(design, &config, arguments.seed));
    let stages = stages.collect::<Result<Vec<_>>>()?;
    let bar = progress((designs.len() * (1 + inputs.len())) as u64, "runs");
    let mut netlists = vec![];
    for (module, parameters) in &stages {
        bar.set_message(*module);
        let sat_sweeping = arguments.synthesis.sat_sweeping();
        netlists.push(Netlists::map(find(module)?, parameters, sat_sweeping, &options)?);
        bar.inc(1);
    }
    let mut measured = MeasuredStages {
        names: arguments.modules.names().to_vec(),
        settings: arguments.modules.settings().to_vec(),
        clock_gating: options.clock_gating,
        sat_sweeping: arguments.synthesis.sat_sweeping(),
        period_ns: arguments.period,
        transition_ns: arguments.transition,
        wires: !arguments.no_wires,
        seed: arguments.seed,
        windows: arguments.windows,
        window_cycles: arguments.window_cycles,
        first: arguments.first,
        library: options.library.name.clone(),
        yosys: Tool::Yosys.version()?,
        runs: vec![],
    };
    for input in &inputs {
        let workload = workload(input, &arguments.emulation)?;
        bar.set_message(workload.name.clone());
        let of_designs = designs.par_iter().zip(&netlists).map(|(design, netlists)| {
            let run = measurement.run(*design, &workload, netlists);
            bar.inc(1);
            run
        });
        measured.runs.extend(of_designs.collect::<Result<Vec<_>>>()?);
        // What was measured is not lost with what comes behind it.
        if arguments.json.leaves_tables() {
            arguments.json.write(&measured)?;
        }
    }
    bar.finish_and_clear();
    if !arguments.json.leaves_tables() {
        arguments.json.write(&measured)?;
    }
    let constants = || -> Result<()> {
        let Some(path) = &arguments.constants else { return Ok(()) };
        let command = format!("{} --constants {}", command_of(&measured), path.display());
        let text = Constants::of(&measured)?.toml(&measured, &command, &measurement.memories.tool);
        Ok(write(path, text.as_bytes())?)
    };
    let written = constants();
    let runs = &measured.runs;
    if arguments.json.leaves_tables() {
        if runs.len() <= designs.len() {
            for run in runs {
                println!("{}\n{}", table::parts(run), table::nets(run, arguments.list));
            }
        }
        runs.iter().for_each(|run| println!("{}", table::note(run, arguments.period)));
        if designs.len() > 1 {
            println!("{}\n{}", table::beside(runs), table::balance(runs));
            println!("{}\n{}", table::sensitivity(runs), table::shares(runs));
        }
    }
    written.map(|()| Verdict::Holds)
}

/// A module's energies, or where its netlist differs from its RTL.
fn measure(
    entry: &'static CatalogueEntry,
    parameters: &Parameters,
    options: &Options,
    arguments: &Arguments,
) -> Result<Result<PowerReport, String>> {
    let bench = workbench(entry.name, parameters);
    let hierarchy = bench.verilog()?;
    let structure = if arguments.flatten { Structure::Flattened } else { Structure::Kept };
    let netlist = arguments.synthesis.map(&hierarchy, options, structure)?;
    let circuit = netlist.circuit(&options.library)?;
    let samples = match &arguments.scenario {
        Some(name) => bench.sample_scenario(EngineKind::Rtl, name)?,
        None => bench.sample(EngineKind::Rtl, &mut arguments.random(), arguments.cycles)?,
    };
    ensure!(samples.len() > 1, "{}: the stimulus has {} cycles; changes need two", entry.name, samples.len());
    let activity = match replay(&circuit, &hierarchy, bench.layout(), &samples, arguments)? {
        Ok(activity) => activity,
        Err(difference) => return Ok(Err(difference)),
    };
    let (library, setting) = (&options.library, arguments.setting(&options.library));
    let found = Meter::new(&circuit, &setting).power(&activity);
    let in_memories = match arguments.no_memories {
        true => vec![],
        false => memories(&circuit, &activity, &Memories::default(), &ProcessNode::of(arguments.node)?),
    };
    if let Some(path) = &arguments.saif {
        write(path, saif(&circuit, &activity, arguments.period_ps()).as_bytes())?;
    }
    let operations = report::operations(&hierarchy, bench.layout(), &samples);
    let measured = Circumstances {
        module: entry.name,
        width: parameters.width,
        verilog: hierarchy.top,
        library: library.name.clone(),
        clock_gating: options.clock_gating,
        flattened: arguments.flatten,
        wires: setting.wires.as_ref().and(library.default_wire_load.clone()),
        stimulus: match &arguments.scenario {
            Some(name) => format!("scenario {name}"),
            None if arguments.no_data => format!("random stimulus without data, seed {}", arguments.seed),
            None => format!("random stimulus, seed {}", arguments.seed),
        },
        period_ns: arguments.period,
    };
    Ok(Ok(PowerReport::of(&circuit, &activity, &found, in_memories, operations, measured)))
}

/// Evaluates the netlist on what the RTL was given: what its nets do, or the first answer that is not the
/// RTL's. A waveform is written if one is asked for and there is no such answer.
fn replay(
    circuit: &Circuit,
    hierarchy: &Hierarchy,
    layout: &PortLayout,
    samples: &[Sample],
    arguments: &Arguments,
) -> Result<Result<Activity, String>> {
    let unwritable =
        || arguments.vcd.as_ref().map_or(String::new(), |path| format!("--vcd {}", path.display()));
    let mut file = arguments.vcd.as_deref().map(NewFile::create).transpose()?;
    let waveform = file.as_mut().map(|file| Vcd::new(file, circuit, arguments.period_ps()));
    let mut waveform = waveform.transpose().with_context(unwritable)?;
    let mut gates = Gates::new(circuit, &hierarchy.top_module().ports, layout)?;
    for (cycle, sample) in samples.iter().enumerate() {
        let outputs = gates.cycle(&sample.inputs);
        waveform.as_mut().map_or(Ok(()), |waveform| waveform.sample(&gates)).with_context(unwritable)?;
        if let Some((name, netlist, rtl)) = difference(&layout.outputs, &outputs, &sample.outputs) {
            return Ok(Err(format!(
                "{}, cycle {cycle}: {name} is {rtl:#x} in the RTL and {netlist:#x} in the netlist",
                circuit.top
            )));
        }
    }
    waveform.map_or(Ok(()), Vcd::finish).with_context(unwritable)?;
    file.as_mut().map_or(Ok(()), NewFile::finish)?;
    Ok(Ok(gates.activity().clone()))
}
