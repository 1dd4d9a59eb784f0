// SPDX-License-Identifier: Apache-2.0
//! The time that the SM with reference models takes for the first cycles of a stream:
//! `speed WORKLOAD DESIGN TIMES CYCLES`.
//!
//! The workload is a built-in one at small size, or the path of a trace. The stream is annotated and in
//! memory before `measured` begins, so that a profiler can be told to look at that alone; the fastest of so
//! many times is printed.

use std::time::Instant;

use gpurf_sim::config::Config;
use gpurf_sim::engines::Engines;
use gpurf_sim::sm::{Design, Gpu};
use gpurf_trace::{Command, Kernel, Reuse, Workload};
use gpurf_workloads::suite::{named, Size};
use gpurf_workloads::Device;

fn parsed(workload: Workload) -> Workload {
    let commands = workload.commands.into_iter().map(|command| match command {
        Command::Kernel(kernel) => {
            let mut reader = kernel.open_annotated(&Reuse::default()).expect("opens");
            let mut blocks = Vec::new();
            while let Some(block) = reader.next_block().expect("whole") {
                blocks.push(block);
            }
            Command::Kernel(Kernel::in_memory(kernel.header().clone(), reader.program().clone(), blocks))
        }
        copy => copy,
    });
    Workload { name: workload.name, commands: commands.collect() }
}

fn built_in(name: &str) -> Workload {
    let mut device = Device::default();
    let product = named(name).expect("a built-in workload");
    (product.run)(&mut device, Size::Small).expect("right");
    device.into_workload(product.name)
}

fn workload(name: &str) -> Workload {
    match name.contains('/') {
        true => gpurf_trace::open(name).expect("trace"),
        false => built_in(name),
    }
}

#[inline(never)]
fn measured(workload: &Workload, config: &Config, design: Design, limit: u64) -> (u64, u64) {
    let mut sm = Gpu::new(config, design, 1, Engines::models(config, design, 1));
    sm.limit_cycles(limit);
    sm.run(workload, None).expect("runs");
    let counters = sm.statistics("model", 0).summary.counters;
    (counters.warp_instructions, counters.cycles)
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, design, times, limit] = &arguments[..] else {
        eprintln!("usage: speed WORKLOAD DESIGN TIMES CYCLES");
        std::process::exit(2);
    };
    let design: Design = design.parse().expect("a design");
    let (times, limit) = (times.parse::<u32>().expect("a number"), limit.parse().expect("a number"));
    let (workload, config) = (parsed(workload(name)), Config::default());
    let mut best = f64::MAX;
    let (mut instructions, mut cycles) = (0, 0);
    for _ in 0..times {
        let start = Instant::now();
        (instructions, cycles) = measured(&workload, &config, design, limit);
        best = best.min(start.elapsed().as_secs_f64());
    }
    let speed = instructions as f64 / best;
    println!(
        "{name} {design}: {instructions} instructions, {cycles} cycles, {speed:.0} instructions per second"
    );
}
