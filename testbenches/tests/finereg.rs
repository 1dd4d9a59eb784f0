// SPDX-License-Identifier: Apache-2.0
//! The FineReg modules at several sizes: scenarios and random stimulus, model against RTL, and of the RMU's
//! model the invariants of every chain in every cycle.

use gpurf_blocks::ports::{RmuIn, RmuOut};
use gpurf_blocks::{Clocked, Parameters, Tie};
use gpurf_fixtures::measured;
use gpurf_hw::finereg::Rmu;
use gpurf_sim::finereg as model;
use gpurf_testbenches::{run, workbench, Engine, EngineKind, Failure, Random, Stimulus, Testbench};
use gpurf_verilog::Verilated;

/// Simulated modules carry tokens of 32 bits.
fn tokens() -> Parameters {
    Parameters { width: 32, tie: Tie::Lowest, ..Parameters::default() }
}

/// Sizes and policies, each in one of them: small and full, slow and fast chains, both counts and ties.
fn small() -> Parameters {
    let smallest = Parameters { pcrf_entries: 64, ctas: 16, pcrf_latency: 1, next_latency: 1, ..tokens() };
    Parameters { count_bits: 6, tie: Tie::RoundRobin, ..smallest }
}

fn uneven() -> Parameters {
    let slow = Parameters { ctas: 32, pcrf_latency: 5, next_latency: 2, ..tokens() };
    Parameters { pcrf_entries: 768, count_bits: 6, streams: false, pcrf_ports: 1, ..slow }
}

fn fast_chain() -> Parameters {
    Parameters { pcrf_entries: 256, pcrf_ports: 1, ..tokens() }
}

/// Every register of a chain waits for the one in front of it.
fn slow_chain() -> Parameters {
    Parameters { pcrf_entries: 96, next_latency: 4, ..tokens() }
}

/// Model and RTL in all scenarios and on random stimulus.
fn agree(module: &str, parameters: &Parameters, cycles: u64) {
    let engines = [EngineKind::Model, EngineKind::Rtl];
    let bench = workbench(module, parameters);
    let failures = bench.play(&engines).expect("nothing has to be built");
    assert!(failures.is_empty(), "{}", bench.report(&engines, 5, &failures));
    agree_at_random(module, &engines, parameters, 5, cycles);
}

fn agree_at_random(module: &str, engines: &[EngineKind], parameters: &Parameters, seed: u64, cycles: u64) {
    let bench = workbench(module, parameters);
    let outcome = bench.run(engines, &mut Random::seeded(seed), cycles).expect("the engines are built");
    let failures = Vec::from_iter(Failure::of(&outcome));
    assert!(failures.is_empty(), "{}", bench.report(engines, seed, &failures));
}

#[test]
fn the_parts_agree() {
    agree("register_index_decoder", &small(), 20_000);
    agree("live_register_cache", &small(), 20_000);
    for ctas in [16, 32, 128] {
        for tie in [Tie::Lowest, Tie::RoundRobin] {
            agree("cta_status_monitor", &Parameters { ctas, tie, ..tokens() }, 5_000);
        }
    }
    for (size, cycles) in [(small(), 20_000), (uneven(), 5_000)] {
        agree("free_space_monitor", &size, cycles);
        agree("pcrf_pointer_table", &size, cycles);
    }
}

#[test]
fn the_pcrf_agrees() {
    let sizes = [
        (small(), 40_000),
        (fast_chain(), 20_000),
        (uneven(), 10_000),
        (slow_chain(), 10_000),
        (tokens(), 10_000),
        (Parameters { width: 1024, ..small() }, 1_000),
    ];
    for (size, cycles) in &sizes {
        agree("pcrf", size, *cycles);
    }
    let rows = sizes.map(|(size, cycles)| {
        [size.pcrf_entries.to_string(), latencies(&size), size.width.to_string(), cycles.to_string()]
    });
    let header = ["entries", "latency, next", "data bits", "random cycles"];
    measured::file!["finereg/pcrf.csv"].assert_eq(&measured::table(header, rows));
}

/// The latencies of the PCRF: of an access, and of the next one of a chain.
fn latencies(size: &Parameters) -> String {
    format!("{}, {}", size.pcrf_latency, size.next_latency)
}

/// How many random cycles model and RTL of the RMU are compared in.
fn sizes_of_the_rmu() -> [(Parameters, u64); 5] {
    [(small(), 20_000), (slow_chain(), 10_000), (fast_chain(), 10_000), (uneven(), 5_000), (tokens(), 5_000)]
}

/// And model and Verilog, as fast as both are.
const CYCLES_OF_VERILOG: u64 = 200_000;

#[test]
fn the_rmu_agrees() {
    let sizes = sizes_of_the_rmu();
    for (size, cycles) in &sizes {
        agree("rmu", size, *cycles);
    }
    let rows = sizes.map(|(size, cycles)| {
        let Parameters { pcrf_entries, pcrf_ports, streams, count_bits, .. } = size;
        [
            pcrf_entries.to_string(),
            latencies(&size),
            pcrf_ports.to_string(),
            if streams { "yes" } else { "no" }.to_string(),
            count_bits.to_string(),
            cycles.to_string(),
            CYCLES_OF_VERILOG.to_string(),
        ]
    });
    let header = [
        "entries",
        "latency, next",
        "PCRF ports",
        "streams",
        "count bits",
        "cycles, model = RTL",
        "model = Verilator",
    ];
    measured::file!["finereg/rmu.csv"].assert_eq(&measured::table(header, rows));
}

#[test]
fn the_verilog_of_the_rmu_agrees() {
    let engines = [EngineKind::Model, EngineKind::Verilator];
    for (size, _) in sizes_of_the_rmu() {
        agree_at_random("rmu", &engines, &size, 9, CYCLES_OF_VERILOG);
    }
}

/// Model and Verilog over a hundred thousand switches, done or refused.
#[test]
#[ignore = "minutes"]
fn the_rmu_agrees_over_a_hundred_thousand_switches() {
    let mut cycles = 0;
    let mut ended = 0;
    for (parameters, switches) in [(small(), 80_000), (fast_chain(), 100_000)] {
        // Ports are the same at every size.
        let finereg = parameters;
        let verilated: Engine<Rmu<32, 8>> = match finereg.pointer_bits() {
            6 => Box::new(Verilated::new(&Rmu::<32, 6>::new(&finereg)).expect("Verilator builds it")),
            _ => Box::new(Verilated::new(&Rmu::<32, 8>::new(&finereg)).expect("Verilator builds it")),
        };
        let mut engines = [<Rmu<32, 8> as Testbench>::model(&parameters), verilated];
        let mut stimulus = <Rmu<32, 8> as Testbench>::stimulus(&parameters);
        let mut random = Random::seeded(13);
        while ended < switches {
            let mut watch = |_, _: &_, out: &RmuOut<u32>| ended += usize::from(out.done || out.refused);
            let outcome = run(&mut engines, &mut *stimulus, &mut random, 10_000, &mut watch);
            assert!(outcome.passed(), "after {ended} switches, seed 13: {outcome:?}");
            cycles += outcome.cycles;
        }
    }
    println!("{ended} switches in {cycles} cycles");
}

/// How often each kind of switch ended.
#[derive(Debug, Default)]
struct Ended {
    done: usize,
    refused: usize,
    exchanged: usize,
    full: usize,
}

/// Runs the model alone, and checks every chain in every cycle.
fn check_every_cycle(parameters: &Parameters, switches: usize, seed: u64) -> Ended {
    let mut rmu = model::Rmu::<u32>::new(parameters);
    let mut stimulus = <Rmu<32, 10> as Testbench>::stimulus(parameters);
    let stimulus: &mut dyn Stimulus<RmuIn<u32>, RmuOut<u32>> = &mut *stimulus;
    let mut random = Random::seeded(seed);
    let mut ended = Ended::default();
    let mut both = false;
    for cycle in 0u64.. {
        let inputs = stimulus.next(&mut random);
        let outputs = rmu.settle(&inputs);
        let observed = stimulus.observe(&inputs, &outputs);
        assert_eq!(observed, Ok(()), "cycle {cycle}, seed {seed}, {:?}", parameters);
        rmu.tick();
        assert_eq!(rmu.check(), Ok(()), "cycle {cycle}, seed {seed}, {:?}", parameters);
        if inputs.request && outputs.ready {
            both = inputs.store && inputs.restore;
        }
        ended.done += usize::from(outputs.done);
        ended.refused += usize::from(outputs.refused);
        ended.exchanged += usize::from(outputs.done && both);
        ended.full += usize::from(outputs.done && outputs.free_count == 0);
        if ended.done + ended.refused == switches {
            break;
        }
    }
    ended
}

#[test]
fn chains_hold_in_every_cycle() {
    for (parameters, switches) in
        [(small(), 3_000), (slow_chain(), 1_000), (fast_chain(), 600), (uneven(), 300)]
    {
        let ended = check_every_cycle(&parameters, switches, 1);
        assert!(ended.done > switches / 10 && ended.refused > switches / 50, "{ended:?}");
        assert!(ended.exchanged > switches / 20, "{ended:?}");
    }
    assert!(check_every_cycle(&small(), 3_000, 2).full > 0, "a full PCRF is met");
}

/// The same over a hundred thousand switches: `make soak`.
#[test]
#[ignore = "minutes"]
fn chains_hold_over_a_hundred_thousand_switches() {
    let ended = check_every_cycle(&small(), 100_000, 3);
    assert!(ended.done > 10_000 && ended.refused > 10_000 && ended.full > 0, "{ended:?}");
    println!("{ended:?}");
}
