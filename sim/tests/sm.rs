// SPDX-License-Identifier: Apache-2.0
//! The SM on small kernels of known behaviour, on random ones, and on traces of real GPUs.

use gpurf_blocks::{Clocked, CollectorId};
use gpurf_sim::collector::Issue;
use gpurf_sim::config::Config;
use gpurf_sim::engines::{Engines, RunsSubCore};
use gpurf_sim::issue::Holders;
use gpurf_sim::sm::{Design, Family, Gpu, SmError};
use gpurf_sim::statistics::{Counters, Statistics};
use gpurf_sim::sub_core::{Behind, SubCore};
use gpurf_sim::words::{CycleIn, CycleOut};
use gpurf_trace::{KernelHeader, Workload};

use crate::random_kernels::random_workload;
use crate::streams::{header, kernel, Line, ALL, EXIT};

/// An operand stage with a port for every register: all operands are there `delay` cycles after
/// issue, and are read at dispatch. It can be made to fail.
#[derive(Clone)]
struct Ideal {
    delay: u32,
    collectors: Vec<Option<Held>>,
    holders: Holders,
    values: Vec<[u32; 256]>,
    inputs: CycleIn<u32>,
    entering: Option<(CollectorId, Issue)>,
    dispatched: Option<usize>,
    fault: Option<Fault>,
}

#[derive(Clone)]
struct Held {
    warp: u32,
    unit: u32,
    payload: u32,
    sources: Vec<usize>,
    age: u32,
}

#[derive(Clone, Copy, PartialEq)]
enum Fault {
    /// Results for R7 are lost.
    LosesWrite,
    /// Dispatch names another instruction.
    WrongPayload,
    /// A collector seems free while an instruction is in it.
    HidesOccupancy,
    /// Nothing is ever dispatched.
    Hangs,
}

impl Ideal {
    fn new(config: &Config, delay: u32, fault: Option<Fault>) -> Self {
        Ideal {
            delay,
            collectors: vec![None; config.hardware.collectors],
            holders: Holders::default(),
            values: vec![[0; 256]; 8],
            inputs: CycleIn::default(),
            entering: None,
            dispatched: None,
            fault,
        }
    }

    fn sub_core(config: &Config, delay: u32, fault: Option<Fault>) -> SubCore<u32, Ideal> {
        let design = Design::BASELINE;
        let stage = Ideal::new(config, delay, fault);
        SubCore::new(&design.parameters(config, 1), stage)
    }
}

impl Behind<u32> for Ideal {
    fn holders(&mut self, _unit_ready: u32) -> &Holders {
        let held = self.collectors.iter().enumerate();
        self.holders.occupied =
            held.fold(0, |mask, (number, held)| mask | u8::from(held.is_some()) << number);
        &self.holders
    }

    fn follow(
        &mut self,
        inputs: &CycleIn<u32>,
        entering: Option<(CollectorId, &Issue)>,
        out: &mut CycleOut<u32>,
    ) {
        self.inputs = inputs.clone();
        self.entering = entering.map(|(collector, issue)| (collector, *issue));
        if let Some((_, issue)) = self.entering {
            out.hit = issue.sources;
        }
        if self.fault != Some(Fault::HidesOccupancy) {
            out.collector_occupied = self.holders.occupied;
        }
        let ready = |held: &Held| held.age >= self.delay && inputs.unit_ready >> held.unit & 1 == 1;
        self.dispatched = self.collectors.iter().position(|held| held.as_ref().is_some_and(ready));
        if self.fault == Some(Fault::Hangs) {
            self.dispatched = None;
        }
        if let Some(collector) = self.dispatched {
            let held = self.collectors[collector].as_ref().unwrap();
            out.dispatch = 1 << collector;
            (out.dispatch_warp, out.dispatch_unit) = (held.warp, held.unit);
            out.dispatch_payload = held.payload + u32::from(self.fault == Some(Fault::WrongPayload));
            for (slot, &source) in held.sources.iter().enumerate() {
                out.operand_valid |= 1 << slot;
                out.operand_data[slot] = self.values[held.warp as usize][source];
            }
        }
    }

    fn edge(&mut self) {
        if let Some(collector) = self.dispatched {
            self.collectors[collector] = None;
        }
        for held in self.collectors.iter_mut().flatten() {
            held.age += 1;
        }
        if let Some((collector, issue)) = self.entering {
            assert!(self.collectors[collector.index()].is_none(), "issued into an occupied collector");
            self.collectors[collector.index()] = Some(Held {
                warp: issue.warp.into(),
                unit: issue.unit,
                payload: issue.payload,
                sources: (0..7).filter_map(|slot| Some(issue.source(slot)?.index())).collect(),
                age: 1,
            });
        }
        let results = &self.inputs.results;
        for bank in results.banks() {
            let (warp, register) = (results.warp[bank], results.register[bank]);
            assert_eq!((register.index() + 1 + warp.index()) % 2, bank, "{register} of warp {}", warp.0);
            if self.fault != Some(Fault::LosesWrite) || register.0 != 7 {
                self.values[warp.index()][register.index()] = results.data[bank];
            }
        }
    }
}

fn one_warp(lines: &[Line]) -> Workload {
    kernel(header(32), &[vec![lines.to_vec()]])
}

/// The ideal stage frees a collector in the cycle after its dispatch; and nothing lies between units and
/// write-back.
fn ideal_config() -> Config {
    let mut config = Config::default();
    config.hardware.issue_on_dispatch = false;
    config.sm.result_registers = 0;
    config
}

fn try_ideal(workload: &Workload, delay: u32, fault: Option<Fault>) -> Result<Statistics, SmError> {
    try_ideal_on(&ideal_config(), workload, delay, fault)
}

fn try_ideal_on(
    config: &Config,
    workload: &Workload,
    delay: u32,
    fault: Option<Fault>,
) -> Result<Statistics, SmError> {
    let mut sm = Gpu::new(config, Design::BASELINE, 1, {
        Engines::around(config, Design::BASELINE, |_| Ideal::sub_core(config, delay, fault))
    });
    // Its delay passes without a sign of it.
    sm.clock_every_cycle();
    sm.run(workload, None)?;
    Ok(sm.statistics("ideal", 0))
}

fn ideal(workload: &Workload, delay: u32) -> Statistics {
    let statistics = try_ideal(workload, delay, None).unwrap();
    assert!(statistics.is_sound(), "{:?}", statistics.errors);
    statistics
}

fn model(workload: &Workload, design: Design, settings: &[&str], seed: u64) -> Statistics {
    let settings: Vec<String> = settings.iter().map(|setting| setting.to_string()).collect();
    let config = Config::load(None, &settings).unwrap();
    let mut sm = Gpu::new(&config, design, seed, Engines::models(&config, design, seed));
    sm.run(workload, None).unwrap();
    let statistics = sm.statistics("model", 0);
    assert!(statistics.is_sound(), "{:?}", statistics.errors);
    statistics
}

fn counters(statistics: &Statistics) -> Counters {
    statistics.summary.counters
}

#[test]
fn a_chain_of_dependent_instructions_takes_their_latency() {
    // Launch in 0; issue in t, dispatch in t + 1, write in t + 3, the next issue in t + 4.
    let chain: Vec<Line> = (0..10).map(|_| ("IADD3", Some(1), &[1u8][..], ALL, &[][..])).collect();
    let statistics = ideal(&one_warp(&chain), 1);
    let Counters { cycles, warp_instructions, token_checks, uninitialised_reads, .. } = counters(&statistics);
    assert_eq!((cycles, warp_instructions, token_checks, uninitialised_reads), (41, 10, 9, 1));
    assert_eq!(statistics.summary.stalls.dependence, 27);
    // Three sub-cores have no warp, and nor has the fourth any more once all is issued.
    let stalls = statistics.summary.stalls;
    assert_eq!((stalls.no_warp, stalls.drain, stalls.launch), (123, 3, 1));
}

#[test]
fn the_drain_behind_the_last_launch_is_told_apart() {
    let chain: Vec<Line> = (0..10).map(|_| ("IADD3", Some(1), &[1u8][..], ALL, &[][..])).collect();
    // One of 32 warps has instructions: one block is resident at a time.
    let blocks = |count: usize| kernel(header(1024), &vec![vec![chain.clone()]; count]);
    let of = |count: usize| ideal(&blocks(count), 1);
    let (one, three) = (of(1), of(3));
    let (alone, counted) = (counters(&one), counters(&three));
    assert_eq!((alone.fed_cycles, alone.fed_instructions, one.summary.fed_ipc), (0, 0, 0.0));
    assert_eq!(
        (counted.warp_instructions, counted.fed_instructions),
        (30, 20),
        "the third block is the drain"
    );
    // The first block's launch comes a cycle after the kernel's; blocks follow each other.
    let block = counted.cycles / 3;
    assert!(counted.fed_cycles.abs_diff(2 * block) <= 3, "{} of {}", counted.fed_cycles, counted.cycles);
    assert_eq!(three.summary.fed_ipc, 20.0 / counted.fed_cycles as f64);

    // Blocks that are resident together are launched one a cycle, which says nothing.
    let together = kernel(header(32), &vec![vec![chain.clone()]; 3]);
    assert_eq!(counters(&ideal(&together, 1)).fed_cycles, 0);
}

#[test]
fn independent_instructions_are_bound_by_their_unit() {
    let lines: Vec<Line> =
        (0..20).map(|number| ("FADD", Some(number), &[30u8, 31][..], ALL, &[][..])).collect();
    let cycles = counters(&ideal(&one_warp(&lines), 1)).cycles;
    assert!((40..45).contains(&cycles), "one every two cycles, not {cycles}");
}

#[test]
fn an_operand_is_not_replaced_before_it_is_read() {
    let lines: [Line; 4] = [
        ("IADD3", Some(1), &[2], ALL, &[]),
        ("MUFU.RCP", Some(3), &[1], ALL, &[]),
        ("MUFU.RCP", Some(4), &[1], ALL, &[]),
        ("IADD3", Some(1), &[5], ALL, &[]),
    ];
    // Slow operands: without the check of write after read, the last would overtake the second MUFU,
    // which waits for its unit, and replace its operand.
    for delay in [1, 20] {
        let statistics = ideal(&one_warp(&lines), delay);
        assert_eq!(counters(&statistics).token_checks, 2);
    }
}

#[test]
fn without_active_lanes_nothing_is_written() {
    let lines: [Line; 4] = [
        ("MOV", Some(1), &[], ALL, &[]),
        ("IADD3", Some(1), &[2], 0, &[]),
        ("LDG.E", Some(1), &[8], 0, &[]),
        ("IADD3", Some(3), &[1], 1, &[]),
    ];
    let counted = counters(&ideal(&one_warp(&lines), 2));
    assert_eq!((counted.bank_writes, counted.operand_reads, counted.l1_reads), (2, 4, 0));
    assert_eq!(counted.token_checks, 1, "R1 is still the first instruction's");
}

#[test]
fn memory_instructions_wait_for_memory() {
    let load: Line = ("LDG.E", Some(2), &[4], 1, &[0x1000]);
    let uses: Line = ("IADD3", Some(3), &[2], ALL, &[]);
    let statistics = ideal(&one_warp(&[load, uses, EXIT]), 1);
    let cycles = counters(&statistics).cycles;
    assert!((345..356).contains(&cycles), "DRAM's latency, not {cycles}");
    assert!(statistics.summary.stalls.memory > 335);
    let again = ideal(&one_warp(&[load, uses, load, uses, EXIT]), 1);
    assert!((30..45).contains(&(counters(&again).cycles - cycles)), "the second is in L1");
}

#[test]
fn generic_addresses_reach_the_memory_they_lie_in() {
    let base = 0x7f00_0000_0000;
    let lines: [Line; 2] = [("LD.E", Some(2), &[4], 1, &[base + 64]), ("IADD3", Some(3), &[2], ALL, &[])];
    let block = vec![vec![lines.to_vec()]];
    let shared = kernel(KernelHeader { shared_base: base, ..header(32) }, &block);
    assert!(counters(&ideal(&shared, 1)).cycles < 50, "shared memory answers");
    assert!(counters(&ideal(&kernel(header(32), &block), 1)).cycles > 344, "DRAM answers");
}

#[test]
fn a_barrier_holds_all_warps_and_ended_warps_do_not_count() {
    let slow: Line = ("LDG.E", Some(2), &[4], 1, &[0x1000]);
    let uses: Line = ("IADD3", Some(3), &[2], ALL, &[]);
    let barrier: Line = ("BAR.SYNC.DEFER_BLOCKING", None, &[], ALL, &[]);
    let last: Line = ("STS", None, &[4, 5], 1, &[0]);
    let slow_warp = vec![slow, uses, barrier, last, EXIT];
    let fast_warp = vec![barrier, last, EXIT];
    let ended_warp = vec![EXIT];
    let with = kernel(header(96), &[vec![slow_warp, fast_warp.clone(), ended_warp]]);
    let statistics = ideal(&with, 1);
    assert!(statistics.summary.stalls.barrier > 335, "{:?}", statistics.summary.stalls);
    assert!(counters(&statistics).cycles > 344);
    let alone = ideal(&kernel(header(96), &[vec![fast_warp]]), 1);
    assert!(counters(&alone).cycles < 60, "warps without instructions do not count");
}

#[test]
fn blocks_run_as_they_fit_and_kernels_one_after_the_other() {
    let lines: Vec<Line> =
        vec![("LDG.E", Some(2), &[4], 1, &[0x1000]), ("IADD3", Some(3), &[2], ALL, &[]), EXIT];
    let block = vec![lines; 16];
    let mut twice = kernel(header(512), &vec![block; 6]);
    twice.commands.push(twice.commands[0].clone());
    let statistics = ideal(&twice, 1);
    let kernels = &statistics.kernels;
    assert_eq!((kernels.len(), kernels[0].blocks, kernels[0].resident_blocks), (2, 6, 2));
    let cycles: u64 = kernels.iter().map(|kernel| kernel.summary.counters.cycles).sum();
    assert_eq!(cycles, counters(&statistics).cycles);
    assert_eq!(counters(&statistics).warp_instructions, 2 * 6 * 16 * 3);
}

#[test]
fn faults_of_an_operand_stage_are_found() {
    let lines: [Line; 3] = [
        ("MOV", Some(7), &[], ALL, &[]),
        ("IADD3", Some(3), &[7], ALL, &[]),
        ("IADD3", Some(4), &[3], ALL, &[]),
    ];
    let workload = one_warp(&lines);
    let faulty = |fault| try_ideal(&workload, 1, Some(fault)).unwrap();

    let lost = faulty(Fault::LosesWrite);
    assert_eq!((counters(&lost).token_checks, counters(&lost).token_errors), (2, 1));
    assert!(
        lost.errors[0].contains("kernel k, cycle 6: pc 0x0010, warp slot 0: R7 is"),
        "{}",
        lost.errors[0]
    );
    assert!(!lost.is_sound());

    assert_eq!(counters(&faulty(Fault::WrongPayload)).stage_errors, 3);
    assert!(counters(&faulty(Fault::HidesOccupancy)).stage_errors > 0);
    let hung = try_ideal(&workload, 1, Some(Fault::Hangs)).unwrap_err().to_string();
    assert!(hung.contains("does not dispatch"), "{hung}");
}

#[test]
fn what_has_more_sources_than_slots_goes_in_rounds() {
    // Seven sources, and four results that are read before any of them is written.
    let lines: [Line; 4] = [
        ("MOV", Some(7), &[], ALL, &[]),
        ("HMMA.1688.F32", Some(4), &[0, 2, 4], ALL, &[]),
        ("IADD3", Some(1), &[7], ALL, &[]),
        EXIT,
    ];
    let run = |slots: usize, collectors: usize, fault| {
        let mut config = ideal_config();
        (config.hardware.slots, config.hardware.collectors) = (slots, collectors);
        try_ideal_on(&config, &one_warp(&lines), 1, fault).unwrap()
    };
    for (collectors, cycles) in [(2, 1), (1, 2)] {
        let whole = run(7, collectors, None);
        assert_eq!(whole.summary.stalls.rounds, 0);
        for (slots, rounds) in [(7, 1), (6, 2), (4, 2), (3, 3)] {
            let statistics = run(slots, collectors, None);
            assert!(statistics.is_sound(), "{:?}", statistics.errors);
            let (counted, of_whole) = (counters(&statistics), counters(&whole));
            assert_eq!(statistics.summary.stalls.rounds, rounds - 1);
            // An instruction before it has gone, so that a round costs what an instruction would in its
            // place.
            assert_eq!(counted.cycles, of_whole.cycles + (rounds - 1) * cycles, "{slots} slots");
            assert_eq!(
                counted,
                Counters { cycles: counted.cycles, ..of_whole },
                "all but cycles is the same"
            );
        }
    }
    // R7 is read by the last round, and by the instruction behind.
    let lost = run(3, 2, Some(Fault::LosesWrite));
    assert_eq!(counters(&lost).token_errors, 2, "{:?}", lost.errors);
    assert!(lost.errors[0].contains("pc 0x0010, warp slot 0: R7 is"), "{}", lost.errors[0]);
}

#[test]
fn what_cannot_run_is_refused_with_its_place() {
    let beyond = try_ideal(&one_warp(&[("MOV", Some(40), &[], ALL, &[])]), 1, None).unwrap_err().to_string();
    assert!(beyond.contains("R40") && beyond.contains("32 registers"), "{beyond}");
    let threads = kernel(header(32), &[vec![vec![EXIT]; 2]]);
    assert!(try_ideal(&threads, 1, None).unwrap_err().to_string().contains("warp 1"));
}

#[test]
fn a_limit_of_cycles_ends_a_run() {
    let chain: Vec<Line> = (0..100).map(|_| ("DADD", Some(2), &[2u8][..], ALL, &[][..])).collect();
    let config = ideal_config();
    let mut sm = Gpu::new(&config, Design::BASELINE, 1, {
        Engines::around(&config, Design::BASELINE, |_| Ideal::sub_core(&config, 1, None))
    });
    sm.limit_cycles(500);
    sm.run(&one_warp(&chain), None).unwrap();
    let statistics = sm.statistics("ideal", 0);
    assert_eq!((sm.cycles(), statistics.kernels.len()), (500, 1));
    assert_eq!(statistics.summary.stalls.sum() + counters(&statistics).warp_instructions, 4 * 500);
}

#[test]
fn random_kernels_read_what_they_wrote_under_every_design() {
    for seed in 0..20 {
        let workload = random_workload(seed);
        let expected = counters(&ideal(&workload, 1 + seed as u32 % 7));
        assert!(expected.operand_reads > 100);
        for design in Design::family(Family::Malekeh).chain(Design::family(Family::RegisterCache)) {
            for settings in
                [&["collectors=2"][..], &["collectors=1", "banks=4"], &["collectors=8", "occupied=stall"]]
            {
                let counted = counters(&model(&workload, design, settings, seed));
                assert_eq!(counted.warp_instructions, expected.warp_instructions);
                assert_eq!(counted.token_checks, expected.token_checks, "{design} {settings:?}");
            }
        }
    }
}

/// Counts the clock edges of an engine.
struct Counted<E> {
    engine: E,
    edges: u64,
}

impl<E: Clocked> Clocked for Counted<E> {
    type In = E::In;
    type Out = E::Out;

    fn settle(&mut self, inputs: &E::In) -> E::Out {
        self.engine.settle(inputs)
    }

    fn tick(&mut self) {
        self.edges += 1;
        self.engine.tick();
    }
}

impl<E: RunsSubCore> RunsSubCore for Counted<E> {}

#[test]
fn jumps_change_nothing_and_equal_seeds_give_equal_statistics() {
    let config = Config::load(None, &["interval=100".into(), "sm.launch_latency=777".into()]).unwrap();
    for seed in 0..5 {
        let workload = random_workload(100 + seed);
        for design in Design::family(Family::Malekeh).chain(Design::family(Family::RegisterCache)) {
            let run = |every_cycle| {
                let engine = |_| Counted { engine: design.model(&config, seed), edges: 0 };
                let mut sm = Gpu::new(&config, design, seed, Engines::around(&config, design, engine));
                if every_cycle {
                    sm.clock_every_cycle();
                }
                sm.run(&workload, None).unwrap();
                let all_edges = sm.engines().all(|engine| engine.edges == sm.cycles());
                assert_eq!(all_edges, every_cycle);
                sm.statistics("model", 0)
            };
            let jumped = run(false);
            assert_eq!(jumped, run(true));
            assert_eq!(jumped, run(false));
            assert_eq!(jumped.intervals.len() as u64, counters(&jumped).cycles.div_ceil(100));
        }
    }
}

#[test]
fn statistics_have_the_keys_that_scripts_rely_on() {
    let statistics = model(&one_warp(&[EXIT]), Design::TRADITIONAL, &[], 9);
    let json = serde_json::to_value(&statistics).unwrap();
    let keys = "cycles warp_instructions ipc operand_reads hits hit_ratio bank_reads bank_writes bank_conflicts \
                cache_writes cache_writes_filtered stalls token_checks token_errors divergences intervals design \
                engine seed config";
    for key in keys.split_ascii_whitespace() {
        assert!(json.get(key).is_some(), "{key}");
    }
    assert_eq!(json["config"]["l1"]["latency"], 30);
}

/// A trace of a real GPU.
#[track_caller]
fn trace(name: &str) -> Option<Workload> {
    Some(gpurf_trace::open(gpurf_fixtures::traces()?.join(name)).unwrap())
}

/// Settings that stand for Accel-Sim's operand stage, and copies that leave L2 cold as they do there.
const ACCEL_SIM: [&str; 3] = ["collectors=4", "banks=4", "l2.copies=false"];

/// Cycles under greedy-then-oldest scheduling, with one SM and without launch latency.
fn assert_near(cycles: u64, reference: u64, percent: u64) {
    let difference = 100 * cycles.abs_diff(reference);
    assert!(difference <= percent * reference, "{cycles} cycles, Accel-Sim {reference}");
}

#[test]
fn bfs_takes_about_as_long_as_in_accel_sim() {
    let Some(workload) = trace("rodinia-bfs-sm80") else { return };
    let baseline = model(&workload, Design::BASELINE, &ACCEL_SIM, 1);
    let counted = counters(&baseline);
    assert_eq!((counted.warp_instructions, counted.named_operand_reads), (159_509, 162_053));
    assert_near(counted.cycles, 153_640, 2);
    assert_eq!((counted.hits, counted.named_hits), (0, 0));

    let default = counters(&model(&workload, Design::BASELINE, &[], 1));
    let cached = counters(&model(&workload, Design::TRADITIONAL, &[], 1));
    assert_eq!(cached.operand_reads, counted.operand_reads);
    assert!(cached.hits > 0 && cached.cycles < default.cycles);
    // Hits are of registers that the trace names, or of others.
    assert!((1..=cached.named_operand_reads).contains(&cached.named_hits));
    let [others, reads] =
        [cached.hits - cached.named_hits, cached.operand_reads - cached.named_operand_reads];
    assert!((1..=reads).contains(&others), "{others} of {reads}");
}

#[test]
fn vectoradd_takes_about_as_long_as_in_accel_sim() {
    let Some(workload) = trace("vectoradd-sm75") else { return };
    let counted = counters(&model(&workload, Design::BASELINE, &ACCEL_SIM, 1));
    assert_eq!(counted.warp_instructions, 30_720);
    assert_near(counted.cycles, 51_093, 13);
}
