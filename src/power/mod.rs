//! `gpurf power`: the energy of hardware modules, from their netlists under a stimulus.

mod chart;
mod report;

use std::path::PathBuf;

use anyhow::{ensure, Context, Result};
use clap::Args;
use gpurf_blocks::{Field, Parameters};
use gpurf_hw::catalogue::Entry;
use gpurf_synth::power::{memories, power, saif, Chances, Setting, Vcd};
use gpurf_synth::{Activity, Circuit, Gates, Memories, Node, Options, Structure};
use gpurf_testbenches::{workbench, EngineKind, Random, Sample};
use gpurf_verilog::Hierarchy;

use crate::output::{progress, write, JsonArgument, NewFile};
use crate::synth::SynthesisArguments;
use crate::verilog::{modules, ModuleArguments};
use crate::Verdict;
use report::{Circumstances, Report};

#[derive(Args)]
#[command(after_help = "Examples:
  gpurf power ocu --set width=32
  gpurf power ocu ccu --clock-gating --plot energy.svg --json energy.json
  gpurf power arbiter --scenario NAME --saif arbiter.saif
  gpurf power round_robin --cycles 200 --vcd round_robin.vcd

The module's RTL runs under its testbench; its netlist is evaluated cell by cell on the same inputs, and its outputs are held
against those of the RTL in every cycle. Memories have energies of CACTI. Glitches and the clock tree have none here.")]
pub struct Arguments {
    #[command(flatten)]
    modules: ModuleArguments,
    #[command(flatten)]
    synthesis: SynthesisArguments,
    /// Map the module as a whole, as `gpurf synth` does for its summary; without it, each module inside by itself, so that
    /// energies can be told apart
    #[arg(long)]
    flatten: bool,
    /// Cycles of random stimulus
    #[arg(long, default_value_t = 1000)]
    cycles: u64,
    /// Decides the random stimulus
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// One of the module's scenarios in the place of random stimulus
    #[arg(long, value_name = "NAME")]
    scenario: Option<String>,
    /// Clock period in nanoseconds: what leakage and watts refer to
    #[arg(long, value_name = "NS", default_value_t = 2.0)]
    period: f64,
    /// Transition time of clock and inputs in nanoseconds
    #[arg(long, value_name = "NS", default_value_t = 0.02)]
    transition: f64,
    /// Leave out the capacitance of wires
    #[arg(long)]
    no_wires: bool,
    /// Leave out the energy of memories
    #[arg(long)]
    no_memories: bool,
    /// Node to which memories are scaled, in nanometres: that of the cell library
    #[arg(long, value_name = "NM", default_value_t = 45)]
    node: u32,
    /// Take the pins of a cell to have nothing to do with each other, as tools do that read an activity file
    #[arg(long)]
    independent: bool,
    /// Most expensive nets and instances to list
    #[arg(long, default_value_t = 10)]
    list: usize,
    /// Activity of all nets as SAIF; takes one module
    #[arg(long, value_name = "FILE")]
    saif: Option<PathBuf>,
    /// Values of all nets in each cycle as VCD; takes one module
    #[arg(long, value_name = "FILE")]
    vcd: Option<PathBuf>,
    /// Energies as a picture (SVG)
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    json: JsonArgument,
}

impl Arguments {
    fn period_ps(&self) -> u64 {
        (self.period * 1000.0).round() as u64
    }
}

pub fn run(arguments: Arguments) -> Result<Verdict> {
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
    if let Some(path) = &arguments.plot {
        write(path, chart::energies(&reports)?.as_bytes())?;
    }
    arguments.json.write(&reports)?;
    if arguments.json.leaves_tables() {
        reports.iter().for_each(|report| report.print(arguments.list));
    }
    differences.iter().for_each(|difference| eprintln!("{difference}"));
    Ok(if differences.is_empty() { Verdict::Holds } else { Verdict::Fails })
}

/// A module's energies, or where its netlist differs from its RTL.
fn measure(
    entry: &'static Entry,
    parameters: &Parameters,
    options: &Options,
    arguments: &Arguments,
) -> Result<Result<Report, String>> {
    let bench = workbench(entry.name, parameters);
    let hierarchy = bench.verilog()?;
    let structure = if arguments.flatten { Structure::Flattened } else { Structure::Kept };
    let netlist = arguments.synthesis.map(&hierarchy, options, structure)?;
    let circuit = netlist.circuit(&options.library)?;
    let samples = match &arguments.scenario {
        Some(name) => bench.sample_scenario(EngineKind::Rtl, name)?,
        None => bench.sample(EngineKind::Rtl, &mut Random::seeded(arguments.seed), arguments.cycles)?,
    };
    ensure!(samples.len() > 1, "{}: the stimulus has {} cycles; changes need two", entry.name, samples.len());
    let activity = match replay(&circuit, &hierarchy, &bench.fields(), &samples, arguments)? {
        Ok(activity) => activity,
        Err(difference) => return Ok(Err(difference)),
    };
    let library = &options.library;
    let setting = Setting {
        input_transition_ns: arguments.transition,
        output_load_ff: gpurf_synth::LOAD_FF,
        wires: match (&library.default_wire_load, arguments.no_wires) {
            (Some(name), false) => library.wire_loads.get(name).cloned(),
            _ => None,
        },
        chances: if arguments.independent { Chances::Independent } else { Chances::Counted },
    };
    let found = power(&circuit, &activity, &setting);
    let in_memories = match arguments.no_memories {
        true => vec![],
        false => memories(&circuit, &activity, &Memories::default(), &Node::of(arguments.node)?),
    };
    if let Some(path) = &arguments.saif {
        write(path, saif(&circuit, &activity, arguments.period_ps()).as_bytes())?;
    }
    let operations = report::operations(&hierarchy, &bench.fields(), &samples);
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
            None => format!("random stimulus, seed {}", arguments.seed),
        },
        period_ns: arguments.period,
    };
    Ok(Ok(Report::of(&circuit, &activity, &found, in_memories, operations, measured)))
}

/// Evaluates the netlist on what the RTL was given: what its nets do, or the first answer that is not the RTL's. A waveform
/// is written if one is asked for and there is no such answer.
fn replay(
    circuit: &Circuit,
    hierarchy: &Hierarchy,
    fields: &(Vec<Field>, Vec<Field>),
    samples: &[Sample],
    arguments: &Arguments,
) -> Result<Result<Activity, String>> {
    let unwritable =
        || arguments.vcd.as_ref().map_or(String::new(), |path| format!("--vcd {}", path.display()));
    let mut file = arguments.vcd.as_deref().map(NewFile::create).transpose()?;
    let waveform = file.as_mut().map(|file| Vcd::new(file, circuit, arguments.period_ps()));
    let mut waveform = waveform.transpose().with_context(unwritable)?;
    let mut gates = Gates::new(circuit, &hierarchy.top_module().ports, fields)?;
    for (cycle, sample) in samples.iter().enumerate() {
        let outputs = gates.cycle(&sample.inputs);
        waveform.as_mut().map_or(Ok(()), |waveform| waveform.sample(&gates)).with_context(unwritable)?;
        if let Some(word) = (0..outputs.len()).find(|word| outputs[*word] != sample.outputs[*word]) {
            let field = fields.1.iter().rfind(|field| field.first_word <= word);
            let name = field.map_or(String::new(), |field| field.name.to_string());
            return Ok(Err(format!(
                "{}, cycle {cycle}: {name} is {:#x} in the RTL and {:#x} in the netlist",
                circuit.top, sample.outputs[word], outputs[word]
            )));
        }
    }
    waveform.map_or(Ok(()), Vcd::finish).with_context(unwritable)?;
    file.as_mut().map_or(Ok(()), NewFile::finish)?;
    Ok(Ok(gates.activity()))
}
