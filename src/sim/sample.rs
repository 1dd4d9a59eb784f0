//! Simulating some thread blocks of each launch for all.

use anyhow::Result;
use clap::Args;
use comfy_table::Table;
use gpurf_sim::sm::Sampling;
use gpurf_sim::statistics::{ratio, Estimate, Sample, Statistics};
use serde::Serialize;

use super::Arguments;
use crate::output::{grouped, table};
use crate::Verdict;

#[derive(Args)]
pub struct SampleArguments {
    /// Simulate one in EVERY clusters of thread blocks of each launch, which --seed draws, and estimate the whole run. A
    /// cluster is as many blocks as are resident at a time; 8 are drawn of a launch at least, and one with fewer is
    /// simulated whole
    #[arg(long, value_name = "EVERY", value_parser = clap::value_parser!(u64).range(2..), conflicts_with = "cycles")]
    sample: Option<u64>,
    /// Simulate each input whole too, and set what is estimated beside what is true
    #[arg(long, requires = "sample", conflicts_with_all = ["waveform", "pipeline"])]
    pub beside_whole: bool,
}

impl SampleArguments {
    /// Whether not all is simulated.
    pub fn is_given(&self) -> bool {
        self.sample.is_some()
    }

    /// What is drawn, if not all is simulated.
    pub fn sampling(&self, seed: u64) -> Option<Sampling> {
        self.sample.map(|every| Sampling { every, seed })
    }
}

/// What a sample says of the whole run, for people.
pub fn estimates(name: &str, sample: &Sample) -> Table {
    let mut rows = table(&[&format!("{name}, the whole run"), "estimate", "standard error", "95%", "unit"]);
    let mut row = |what: &str, estimate: &Estimate, scale: f64, digits: usize, unit: &str| {
        let number = |value: f64| match digits {
            0 => grouped(value.max(0.0).round() as u64),
            _ => format!("{:.digits$}", scale * value),
        };
        let Estimate { value, standard_error, low, high } = *estimate;
        let interval = format!("{} to {}", number(low), number(high));
        rows.add_row([what, &number(value), &number(standard_error), &interval, unit]);
    };
    row("cycles", &sample.cycles, 1.0, 0, "cycles");
    row("warp instructions", &sample.warp_instructions, 1.0, 0, "");
    row("IPC", &sample.ipc, 1.0, 3, "instructions/cycle");
    row("operand reads", &sample.operand_reads, 1.0, 0, "registers");
    row("hits", &sample.hits, 1.0, 0, "registers");
    row("hit ratio", &sample.hit_ratio, 100.0, 2, "%");
    row("bank reads", &sample.bank_reads, 1.0, 0, "registers");
    row("bank writes", &sample.bank_writes, 1.0, 0, "registers");
    rows
}

/// How much of the run was simulated.
pub fn extent(sample: &Sample) -> String {
    let Sample { launches, sampled_launches, blocks, simulated_blocks, share, .. } = sample;
    format!(
        "{} of {} thread blocks simulated ({:.1}%), drawn from {} of {} launches",
        grouped(*simulated_blocks),
        grouped(*blocks),
        100.0 * share,
        grouped(*sampled_launches),
        grouped(*launches)
    )
}

/// An input of which all was simulated, and a sample.
#[derive(Serialize)]
struct Beside {
    input: String,
    /// IPC of all of it.
    ipc: f64,
    /// Hit ratio of all of it.
    hit_ratio: f64,
    /// Warp instructions of all of it.
    warp_instructions: u64,
    /// Share of the warp instructions that the sample has.
    simulated: f64,
    sample: Sample,
}

impl Beside {
    fn of(input: String, whole: &Statistics, sampled: &Statistics) -> Option<Beside> {
        let [all, some] = [whole, sampled].map(|statistics| statistics.summary.counters.warp_instructions);
        Some(Beside {
            input,
            ipc: whole.summary.ipc,
            hit_ratio: whole.summary.hit_ratio,
            warp_instructions: all,
            simulated: ratio(some, all),
            sample: sampled.sample.clone()?,
        })
    }
}

/// Simulates each input whole and sampled.
pub fn beside_whole(arguments: &Arguments) -> Result<Verdict> {
    let mut verdict = Verdict::Holds;
    let mut beside = vec![];
    for input in &arguments.input {
        let (name, sampled) = arguments.simulate(input)?;
        let (_, whole) = arguments.simulate_blocks(input, None)?;
        for error in sampled.errors.iter().chain(&whole.errors) {
            println!("{name}: error: {error}");
        }
        if !(sampled.is_sound() && whole.is_sound()) {
            verdict = Verdict::Fails;
        }
        beside.extend(Beside::of(name, &whole, &sampled));
    }
    arguments.json.write(&beside)?;
    if arguments.json.leaves_tables() {
        println!("{}", errors(&beside));
    }
    Ok(verdict)
}

fn errors(beside: &[Beside]) -> Table {
    let mut rows = table(&[
        "workload",
        "warp instructions",
        "simulated %",
        "launches sampled",
        "IPC",
        "estimate",
        "95%",
        "error %",
        "hit ratio %",
        "estimate",
        "95%",
        "error, points",
    ]);
    for Beside { input, ipc, hit_ratio, warp_instructions, simulated, sample } in beside {
        let interval = |Estimate { low, high, .. }: Estimate, scale: f64, digits: usize| {
            format!("{:.digits$} to {:.digits$}", scale * low, scale * high)
        };
        rows.add_row([
            input.clone(),
            grouped(*warp_instructions),
            format!("{:.1}", 100.0 * simulated),
            format!("{} of {}", sample.sampled_launches, sample.launches),
            format!("{ipc:.3}"),
            format!("{:.3}", sample.ipc.value),
            interval(sample.ipc, 1.0, 3),
            format!("{:+.1}", 100.0 * (sample.ipc.value / ipc - 1.0)),
            format!("{:.2}", 100.0 * hit_ratio),
            format!("{:.2}", 100.0 * sample.hit_ratio.value),
            interval(sample.hit_ratio, 100.0, 2),
            format!("{:+.2}", 100.0 * (sample.hit_ratio.value - hit_ratio)),
        ]);
    }
    rows
}
