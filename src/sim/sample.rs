// SPDX-License-Identifier: Apache-2.0
//! Simulating some thread blocks of each launch for all.

use std::time::{Duration, Instant};

use anyhow::Result;
use clap::Args;
use comfy_table::Table;
use gpurf_sim::sm::Sampling;
use gpurf_sim::statistics::{ratio, Estimate, Sample, Statistics};
use serde::Serialize;

use super::{Arguments, Simulated};
use crate::compare::study::{Study, Titled};
use crate::output::{all, grouped, say, table};
use crate::verdict::Verdict;

#[derive(Args)]
pub struct SampleArguments {
    /// Simulate one in EVERY clusters of thread blocks of each launch, which --seed draws, and estimate the
    /// whole run. A cluster is as many blocks as are resident at a time. At least 24 clusters of a launch
    /// are drawn; a launch is simulated whole if that is more than half of it
    #[arg(long, value_name = "EVERY", value_parser = clap::value_parser!(u64).range(2..), conflicts_with = "cycles")]
    sample: Option<u64>,
    /// Also simulate each input whole, and set what is estimated beside what is true
    #[arg(long, requires = "sample", conflicts_with_all = ["waveform", "pipeline"])]
    pub beside_whole: bool,
}

impl SampleArguments {
    /// Returns true if not all is simulated.
    pub fn is_given(&self) -> bool {
        self.sample.is_some()
    }

    /// The sampling, if not all is simulated.
    pub fn sampling(&self, seed: u64) -> Option<Sampling> {
        self.sample.map(|every| Sampling { every, seed })
    }
}

/// The estimates of a sample for the whole run, for people.
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
    row("IPC", &sample.ipc, 1.0, 3, "instructions/cycle");
    row("hits", &sample.hits, 1.0, 0, "registers");
    row("hit ratio", &sample.hit_ratio, 100.0, 2, "%");
    row("bank reads", &sample.bank_reads, 1.0, 0, "registers");
    row("bank writes", &sample.bank_writes, 1.0, 0, "registers");
    let mut known = |what: &str, value: u64, unit: &str| {
        rows.add_row([what, &grouped(value), "0", "counted in the whole stream", unit]);
    };
    known("warp instructions", sample.warp_instructions, "");
    known("operand reads", sample.operand_reads, "registers");
    rows
}

/// How much of the run was simulated.
pub fn extent(sample: &Sample) -> String {
    let Sample { launches, sampled_launches, blocks, simulated_blocks, share, .. } = sample;
    if *sampled_launches == 0 {
        return "all was simulated: no launch has enough clusters of thread blocks to estimate an error from a part of \
                them"
            .into();
    }
    format!(
        "{} of {} thread blocks simulated ({:.1}%), drawn from {} of {} launches; the others were simulated whole",
        grouped(*simulated_blocks),
        grouped(*blocks),
        100.0 * share,
        grouped(*sampled_launches),
        grouped(*launches)
    )
}

/// A warning if a sampled run differs from the whole one in a way that is no part of the errors.
pub fn caveat(statistics: &Statistics) -> Option<&'static str> {
    let sampled = statistics.sample.as_ref().is_some_and(|sample| sample.sampled_launches > 0);
    let controlled = statistics.intervals.iter().any(|interval| interval.state > 0);
    (sampled && controlled).then_some(
        "STHLD's controller has fewer intervals than in the whole run, which no standard error tells of; fix STHLD with \
         --set sthld=N, or simulate the whole",
    )
}

/// An input that was simulated whole, and a sample.
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
    /// How long the whole took and how long the sample, emulation included; not among the results, which do
    /// not depend on the machine.
    #[serde(skip)]
    times: [Duration; 2],
}

impl Beside {
    /// The errors relative to the true IPC, and in hits per read.
    fn errors(&self) -> [f64; 2] {
        [self.sample.ipc.value / self.ipc - 1.0, self.sample.hit_ratio.value - self.hit_ratio]
    }

    /// Tells for IPC and hit ratio whether the interval holds the true value.
    fn holds(&self) -> [bool; 2] {
        [(self.sample.ipc, self.ipc), (self.sample.hit_ratio, self.hit_ratio)].map(|(estimate, truth)| {
            // What is known exactly may have been divided in another order.
            let slack = 1e-12 * truth;
            (estimate.low - slack..=estimate.high + slack).contains(&truth)
        })
    }
}

/// Simulates each input whole and sampled.
pub fn beside_whole(arguments: &Arguments) -> Result<Verdict> {
    let mut verdict = Verdict::Holds;
    let mut beside = vec![];
    for input in &arguments.found()? {
        let start = Instant::now();
        let Simulated { name, statistics: sampled, .. } = arguments.simulate(input)?;
        let part = start.elapsed();
        let whole = arguments.simulate_blocks(input, None)?.statistics;
        let times = [start.elapsed() - part, part];
        for error in sampled.errors.iter().chain(&whole.errors) {
            println!("{name}: error: {error}");
        }
        if let Some(caveat) = caveat(&sampled) {
            say!("{name}: {caveat}");
        }
        if !(sampled.is_sound() && whole.is_sound()) {
            verdict = Verdict::Fails;
        }
        let Statistics { summary, .. } = &whole;
        let [all, some] = [&whole, &sampled].map(|statistics| statistics.summary.counters.warp_instructions);
        beside.push(Beside {
            input: name,
            ipc: summary.ipc,
            hit_ratio: summary.hit_ratio,
            warp_instructions: all,
            simulated: ratio(some, all),
            sample: sampled.sample.expect("--beside-whole requires --sample"),
            times,
        });
    }
    let errors = errors(&beside);
    let title = format!("Samples beside whole runs. {}", coverage(&beside));
    let tables = vec![Titled::new(title.trim_end_matches('.'), &errors)];
    let names = beside.iter().map(|one| one.input.clone()).collect();
    let written = all([
        arguments.json.write_list(&beside),
        arguments.results.write(&Study::of_tables("sim", names, tables)),
    ]);
    if arguments.json.leaves_tables() {
        println!("{errors}\n{}\n{}", times(&beside), coverage(&beside));
    }
    written.map(|()| verdict)
}

/// How many of the intervals hold what is true.
fn coverage(beside: &[Beside]) -> String {
    let [ipc, hit_ratio] = [0, 1].map(|which| beside.iter().filter(|input| input.holds()[which]).count());
    let count = beside.len();
    format!("The interval of 95% holds the true IPC of {ipc} of {count} inputs, the true hit ratio of {hit_ratio}.")
}

fn errors(beside: &[Beside]) -> Table {
    let mut rows = table(&[
        "workload",
        "launches sampled",
        "simulated %",
        "IPC",
        "estimate",
        "95%",
        "error %",
        "hit ratio %",
        "estimate",
        "95%",
        "error, points",
    ]);
    for input in beside {
        let Beside { ipc, hit_ratio, simulated, sample, .. } = input;
        let [of_ipc, of_hits] = input.errors();
        let [in_ipc, in_hits] = input.holds();
        let interval = |Estimate { low, high, .. }: Estimate, scale: f64, digits: usize, holds: bool| {
            let misses = if holds { "" } else { ", misses" };
            format!("{:.digits$} to {:.digits$}{misses}", scale * low, scale * high)
        };
        rows.add_row([
            input.input.clone(),
            format!("{} of {}", sample.sampled_launches, sample.launches),
            format!("{:.1}", 100.0 * simulated),
            format!("{ipc:.3}"),
            format!("{:.3}", sample.ipc.value),
            interval(sample.ipc, 1.0, 3, in_ipc),
            format!("{:+.2}", 100.0 * of_ipc),
            format!("{:.2}", 100.0 * hit_ratio),
            format!("{:.2}", 100.0 * sample.hit_ratio.value),
            interval(sample.hit_ratio, 100.0, 2, in_hits),
            format!("{:+.2}", 100.0 * of_hits),
        ]);
    }
    rows
}

/// Seconds, which no record has.
fn times(beside: &[Beside]) -> Table {
    let mut rows = table(&["workload", "whole, s", "sampled, s"]);
    for Beside { input, times, .. } in beside {
        let [whole, part] = times.map(|time| format!("{:.1}", time.as_secs_f64()));
        rows.add_row([input, &whole, &part]);
    }
    rows
}
