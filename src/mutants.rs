//! `gpurf mutants`: how many small faults in its Verilog a module's testbench finds.

use anyhow::{ensure, Error, Result};
use clap::Args;
use gpurf_synth::{Equivalence, Fault, Mutants};
use gpurf_testbenches::EngineKind::{Model, Verilator};
use gpurf_testbenches::{workbench, Random, Workbench};
use serde::Serialize;

use crate::output::{progress, table, JsonArgument};
use crate::testbench::StimulusArguments;
use crate::verilog::{modules, ModuleArguments};
use crate::Verdict;

#[derive(Args)]
#[command(after_help = "Examples:
  gpurf mutants ccu
  gpurf mutants arbiter iwmu --count 200 --draw 7 --cycles 20000 --json -

Each mutant is the module with one fault that Yosys draws: a port of a cell inverted, constant or exchanged. A mutant
is killed if its testbench tells it from the reference model: in random stimulus, in a scenario, or in either after a
reset in mid-stimulus. A survivor is proved equivalent if Yosys or its ABC finds that no inputs tell it from the
module; the others are listed with their places.")]
pub struct Arguments {
    #[command(flatten)]
    modules: ModuleArguments,
    /// Faults of each module
    #[arg(long, default_value_t = 100)]
    count: usize,
    /// Decides which faults are drawn
    #[arg(long, default_value_t = 1)]
    draw: u64,
    #[command(flatten)]
    stimulus: StimulusArguments,
    /// Time for the proof that a survivor is equivalent, in seconds; 0 proves nothing
    #[arg(long, default_value_t = 30)]
    proof: u64,
    #[command(flatten)]
    json: JsonArgument,
}

#[derive(Serialize)]
struct Report {
    module: &'static str,
    verilog: String,
    draw: u64,
    seed: u64,
    cycles: u64,
    mutants: usize,
    killed: usize,
    equivalent: usize,
    survivors: Vec<Survivor>,
}

/// A mutant that nothing told from the module, and where its fault is.
#[derive(Serialize)]
struct Survivor {
    mode: String,
    wire: Option<String>,
    /// Lines of the module's Verilog.
    text: Vec<String>,
}

pub fn run(arguments: Arguments) -> Result<Verdict> {
    let (entries, parameters) = modules(&arguments.modules)?;
    ensure!(arguments.count > 0, "--count 0: there is nothing to draw");
    let mut reports = vec![];
    for entry in entries {
        reports.push(report(entry.name, workbench(entry.name, &parameters), &arguments)?);
    }
    arguments.json.write(&reports)?;
    if arguments.json.leaves_tables() {
        print(&reports);
    }
    Ok(Verdict::Holds)
}

fn report(module: &'static str, mut bench: Box<dyn Workbench>, arguments: &Arguments) -> Result<Report> {
    let design = bench.verilog()?;
    let mutants = Mutants::draw(&design, arguments.count, arguments.draw)?;
    bench.read_verilog(mutants.source()?);
    ensure!(
        !differs(&*bench, arguments)?,
        "{module}: the module itself fails; see `gpurf testbench {module}`"
    );
    let mut checks: Vec<Check> = vec![differs];
    for check in AFTER_RESET {
        // A module that shows tables without a reset fails there itself.
        if !check(&*bench, arguments)? {
            checks.push(check);
        }
    }
    let mut report = Report {
        module,
        verilog: design.top.clone(),
        draw: arguments.draw,
        seed: arguments.stimulus.seed,
        cycles: arguments.stimulus.cycles,
        mutants: mutants.faults.len(),
        killed: 0,
        equivalent: 0,
        survivors: vec![],
    };
    let source = design.source();
    let lines: Vec<&str> = source.lines().collect();
    let bar = progress(mutants.faults.len() as u64, module);
    for (fault, number) in mutants.faults.iter().zip(1..) {
        mutants.select(number)?;
        if checks
            .iter()
            .try_fold(false, |killed, check| Ok::<_, Error>(killed || check(&*bench, arguments)?))?
        {
            report.killed += 1;
        } else if arguments.proof > 0 && mutants.equivalence(number, arguments.proof)? == Equivalence::Proved
        {
            report.equivalent += 1;
        } else {
            report.survivors.push(survivor(fault, &lines));
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(report)
}

/// Whether something tells the Verilog that is selected now from the reference model.
type Check = fn(&dyn Workbench, &Arguments) -> Result<bool>;

/// What tells those whose reset leaves something over.
const AFTER_RESET: [Check; 2] = [differs_after_reset, fails_a_scenario_after_reset];

/// In mid-stimulus: cycles until the reset. They are several, since a register may be where a reset would put it.
const UNTIL_RESET: [u64; 6] = [1, 2, 7, 50, 300, 3000];

fn differs(bench: &dyn Workbench, arguments: &Arguments) -> Result<bool> {
    let engines = [Model, Verilator];
    let StimulusArguments { seed, cycles, .. } = arguments.stimulus;
    let outcome = bench.run(&engines, &mut Random::seeded(seed), cycles, None)?;
    Ok(!outcome.passed() || !bench.play(&engines)?.is_empty())
}

fn differs_after_reset(bench: &dyn Workbench, arguments: &Arguments) -> Result<bool> {
    let StimulusArguments { seed, cycles, .. } = arguments.stimulus;
    for until_reset in UNTIL_RESET {
        if !bench.run_after_reset(&[Verilator], seed, until_reset, cycles.min(1000))?.passed() {
            return Ok(true);
        }
    }
    Ok(false)
}

fn fails_a_scenario_after_reset(bench: &dyn Workbench, arguments: &Arguments) -> Result<bool> {
    Ok(!bench.play_after_reset(&[Verilator], arguments.stimulus.seed, 300)?.is_empty())
}

fn survivor(fault: &Fault, lines: &[&str]) -> Survivor {
    let text = fault.lines.iter().filter_map(|line| lines.get(line - 1));
    Survivor {
        mode: fault.mode.clone(),
        wire: fault.wire.clone(),
        text: text.map(|line| line.trim().to_string()).collect(),
    }
}

fn print(reports: &[Report]) {
    let mut rows =
        table(&["module", "mutants", "killed", "equivalent", "survivors", "killed of the others %"]);
    for report in reports {
        let others = report.mutants - report.equivalent;
        rows.add_row([
            report.verilog.clone(),
            report.mutants.to_string(),
            report.killed.to_string(),
            report.equivalent.to_string(),
            report.survivors.len().to_string(),
            match others {
                0 => "-".to_string(),
                others => format!("{:.1}", 100.0 * report.killed as f64 / others as f64),
            },
        ]);
    }
    println!("{rows}");
    for report in reports {
        println!(
            "{}: faults drawn with {}, stimulus with {}, {} cycles",
            report.module, report.draw, report.seed, report.cycles
        );
        for survivor in &report.survivors {
            let wire = survivor.wire.as_deref().unwrap_or("-");
            println!("  {:7} {wire}", survivor.mode);
            for line in &survivor.text {
                println!("            {line}");
            }
        }
    }
}
