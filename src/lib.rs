// SPDX-License-Identifier: Apache-2.0
//! gpurf: GPU register-file hardware, simulated, exported and measured.
//!
//! One file per subcommand. Exit code 0 on success, 1 when something checked does not hold, 2 on
//! unusable input.

#![deny(clippy::print_stderr)]

mod calibrate;
mod chart;
mod compare;
mod control;
mod demonstrator;
mod designs;
mod docs;
mod doctor;
mod engines;
mod equivalence;
mod input;
mod layout;
mod mutants;
pub mod names;
mod output;
mod overheads;
mod plot;
mod power;
mod processor_time;
mod products;
mod profile;
mod program;
mod prove;
mod records;
mod register_cache;
mod repeat;
mod report;
mod settings;
mod shell;
mod sim;
mod speeds;
mod synth;
mod testbench;
mod trace;
mod units;
mod verdict;
mod verilog;
mod windows;
mod workloads;

use std::ffi::OsString;
use std::sync::OnceLock;

use clap::{Parser, Subcommand};
use output::say;
pub use program::Program;
use verdict::Verdict;

/// GPU register-file hardware from research papers, as synthesizable RTL: it is simulated inside a streaming
/// multiprocessor, exported as Verilog, and measured in gates.
#[derive(Parser)]
#[command(version = program::version(), max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Show what workloads consist of, or check their answers
    Workloads(workloads::Arguments),
    /// Write instruction streams as Accel-Sim traces
    Trace(trace::Arguments),
    /// Run an instruction stream through a streaming multiprocessor
    Sim(sim::Arguments),
    /// Run designs on workloads and set them beside the papers' evaluations
    Compare(compare::Arguments),
    /// Set the cycles of the SM beside those of a reference, kernel by kernel
    Calibrate(calibrate::Arguments),
    /// Set cycles of short sequences on silicon beside those of the sub-core that ships, or measure them on a
    /// GPU
    Windows(windows::Arguments),
    /// Count the traffic and the energy of register caches over an instruction stream, without a streaming
    /// multiprocessor
    RegisterCache(register_cache::Arguments),
    /// Run the cycle testbenches of hardware modules
    Testbench(testbench::Arguments),
    /// Put faults into hardware modules and see whether their testbenches find them
    Mutants(mutants::Arguments),
    /// Export hardware modules as Verilog
    Verilog(verilog::Arguments),
    /// Synthesize hardware modules and report their area
    Synth(synth::Arguments),
    /// Write a sub-core with the inputs of a run as a design for an FPGA that counts hits
    Demonstrator(demonstrator::Arguments),
    /// Place and route small hardware modules, and report how much longer their paths are with wires
    Layout(layout::Arguments),
    /// Prove that netlists do what their Verilog says
    Equivalence(equivalence::Arguments),
    /// Prove that modules keep their contracts, for all inputs
    Prove(prove::Arguments),
    /// Run the netlists of hardware modules and report their energy
    Power(power::Arguments),
    /// Set the papers' claims of storage and area beside what the RTL has
    Overheads(overheads::Arguments),
    /// Write one page with all results: claims, workloads, plots, areas and waveforms
    Report(report::Arguments),
    /// Run the commands behind recorded results again, and tell which of these they still give
    Repeat(repeat::Arguments),
    /// Show how fast the engines, the SM, the emulator and the trace reader were under `cargo bench`
    Speeds(speeds::Arguments),
    /// Write the tables of the documents from what they describe
    Docs(docs::Arguments),
    /// List what the command line knows by name: workloads, modules, scenarios, designs, studies
    Names(names::Arguments),
    /// Tell which other programs are installed, and what each is needed for
    Doctor(doctor::Arguments),
    /// Print the completions for a shell
    Completions(shell::CompletionsArguments),
    /// Write the manual pages of the tool
    Manual(shell::ManualArguments),
}

/// The command line of this process.
static LINE: OnceLock<String> = OnceLock::new();

/// Runs a command with these arguments, and gives back the exit code. Results and messages go to standard
/// output and standard error.
pub fn run(program: Program, arguments: impl IntoIterator<Item = OsString>) -> u8 {
    program::is(program);
    gpurf_verilog::is_written_by(&format!("gpurf {}", program::version()));
    let line: Vec<OsString> = std::iter::once("gpurf".into()).chain(arguments).collect();
    let command = match Cli::try_parse_from(&line) {
        Ok(cli) => cli.command,
        Err(error) => {
            // Where nothing can be printed, nothing can be said about it either.
            let _ = error.print();
            return error.exit_code() as u8;
        }
    };
    let _ = LINE.set(line.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" "));
    let result = match command {
        Command::Workloads(arguments) => workloads::run(arguments),
        Command::Trace(arguments) => trace::run(arguments),
        Command::Sim(arguments) => sim::run(arguments),
        Command::Compare(arguments) => compare::run(arguments),
        Command::Calibrate(arguments) => calibrate::run(arguments),
        Command::Windows(arguments) => windows::run(arguments),
        Command::RegisterCache(arguments) => register_cache::run(arguments),
        Command::Testbench(arguments) => testbench::run(arguments),
        Command::Mutants(arguments) => mutants::run(arguments),
        Command::Verilog(arguments) => verilog::run(arguments),
        Command::Synth(arguments) => synth::run(arguments),
        Command::Demonstrator(arguments) => demonstrator::run(arguments),
        Command::Layout(arguments) => layout::run(arguments),
        Command::Equivalence(arguments) => equivalence::run(arguments),
        Command::Prove(arguments) => prove::run(arguments),
        Command::Power(arguments) => power::run(arguments),
        Command::Overheads(arguments) => overheads::run(arguments),
        Command::Report(arguments) => report::run(arguments),
        Command::Repeat(arguments) => repeat::run(arguments),
        Command::Speeds(arguments) => speeds::run(arguments),
        Command::Docs(arguments) => docs::run(arguments),
        Command::Names(arguments) => names::run(arguments),
        Command::Doctor(arguments) => doctor::run(arguments),
        Command::Completions(arguments) => shell::completions(arguments),
        Command::Manual(arguments) => shell::manual(arguments),
    };
    match result {
        Ok(Verdict::Holds) => 0,
        Ok(Verdict::Fails) => 1,
        Err(error) => {
            say!("error: {error:#}");
            if input::is_wrong_answer(&error) {
                1
            } else {
                2
            }
        }
    }
}

/// The arguments of a command as these words give them.
fn arguments_of<A: clap::Args>(command: &'static str, words: &[&str]) -> anyhow::Result<A> {
    let command = A::augment_args(clap::Command::new(command).no_binary_name(true));
    Ok(A::from_arg_matches(&command.try_get_matches_from(words)?)?)
}
