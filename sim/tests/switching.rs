//! CTAs that are switched under FineReg and the designs it is compared with: nothing is lost, nothing stands still.

use gpurf_hw::dialect::Clocked;
use gpurf_hw::finereg::{CtaStatusMonitorIn, CtaStatusMonitorOut, RmuIn, RmuOut, Tie, MAX_CTAS};
use gpurf_sim::config::Config;
use gpurf_sim::finereg::{CtaStatusMonitor, Rmu};
use gpurf_sim::sm::{Design, Gpu, SmError};
use gpurf_sim::statistics::{Residency, Statistics};
use gpurf_trace::{Command, Instruction, Kernel, KernelHeader, Program, Register, ThreadBlock, Workload};

struct Random(u64);

impl Random {
    fn below(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % below
    }
}

/// What a kernel does: every warp of every block runs the same code, some of it under divergence.
#[derive(Debug)]
struct Shape {
    blocks: u32,
    warps: u32,
    registers: u8,
    shared: u32,
    barriers: bool,
    /// Threads leave the others now and then.
    diverges: bool,
}

const SHAPE: Shape =
    Shape { blocks: 40, warps: 4, registers: 24, shared: 0, barriers: true, diverges: false };

/// Code that loads from far apart, works on what it loaded, and keeps values for later.
fn workload(seed: u64, shape: &Shape) -> Workload {
    let mut random = Random(seed);
    let mut program = Program::default();
    let mut lines = vec![];
    for place in 0..60u32 {
        let opcode = match random.below(if shape.barriers { 12 } else { 11 }) {
            0..=2 => "LDG.E",
            3 => "STG.E",
            4 => "LDS",
            5 => "MUFU.RCP",
            11 => "BAR.SYNC",
            _ => "IADD3",
        };
        let mut register = || Register::Vector(random.below(u64::from(shape.registers)) as u8);
        let sources = match opcode {
            "BAR.SYNC" => vec![],
            "LDG.E" | "LDS" => vec![register()],
            _ => vec![register(), register()],
        };
        let destination = (!matches!(opcode, "STG.E" | "BAR.SYNC")).then(register);
        let memory = matches!(opcode, "LDG.E" | "STG.E" | "LDS");
        let instruction = Instruction {
            pc: 16 * place,
            opcode,
            destination,
            sources: &sources,
            width: if memory { 4 } else { 0 },
            immediates: [0, 0],
        };
        lines.push((program.intern(&instruction).unwrap(), opcode));
    }
    let blocks = (0..shape.blocks).map(|number| {
        let mut block = ThreadBlock::new([number, 0, 0]);
        for warp in 0..shape.warps {
            block.begin_warp(warp);
            let mut mask = u32::MAX;
            for &(index, opcode) in &lines {
                if shape.diverges && opcode != "BAR.SYNC" && random.below(6) == 0 {
                    mask = [u32::MAX, 0xffff, 0xffff_0000, 0][random.below(4) as usize];
                }
                let mask = if opcode == "BAR.SYNC" { u32::MAX } else { mask };
                let lanes = if matches!(opcode, "LDG.E" | "STG.E" | "LDS") { mask.count_ones() } else { 0 };
                let start = 4096 * random.below(5000);
                let addresses: Vec<u64> = (0..lanes).map(|lane| start + 4 * u64::from(lane)).collect();
                block.push(index, mask, &addresses);
            }
        }
        block
    });
    let header = KernelHeader {
        name: "k".into(),
        grid: [shape.blocks, 1, 1],
        block: [32 * shape.warps, 1, 1],
        nregs: shape.registers.into(),
        shared_memory: shape.shared,
        ..KernelHeader::default()
    };
    let blocks = blocks.collect();
    let kernel = Kernel::in_memory(header, program, blocks);
    Workload { name: "test".into(), commands: vec![Command::Kernel(kernel.clone()), Command::Kernel(kernel)] }
}

fn config(settings: &[&str]) -> Config {
    let settings: Vec<String> = settings.iter().map(|setting| setting.to_string()).collect();
    Config::load(None, &settings).unwrap()
}

fn run(workload: &Workload, design: Design, config: &Config, every_cycle: bool) -> Statistics {
    let mut gpu = Gpu::new(config, design, 1, |_| design.model(config, 1));
    if every_cycle {
        gpu.visit_every_cycle();
    }
    gpu.run(workload, None).unwrap_or_else(|error| panic!("{design}: {error}"));
    let statistics = gpu.statistics("model", 0);
    assert!(statistics.is_sound(), "{design}: {:?}", statistics.errors);
    statistics
}

fn residency(statistics: &Statistics) -> Residency {
    statistics.residency.expect("the design switches")
}

/// A machine on which all designs have something to do: few block slots, a small register file.
const SMALL: [&str; 3] = ["sm.blocks=3", "sm.registers=16384", "finereg.pcrf=256"];

#[test]
fn every_value_survives_every_switch() {
    for (seed, warps) in [(0, 4), (1, 1), (2, 3), (3, 8)] {
        let shape = Shape { barriers: seed % 2 == 0, diverges: seed >= 2, warps, ..SHAPE };
        let workload = workload(seed, &shape);
        for settings in
            [&[][..], &["banks=4"], &["finereg.prefer=ready"], &["finereg.ready=all", "collectors=1"]]
        {
            let config = config(&[&SMALL[..], settings].concat());
            let baseline = run(&workload, Design::BASELINE, &config, false).summary.counters;
            for design in Design::FINEREG_FAMILY {
                let statistics = run(&workload, design, &config, false);
                let counters = statistics.summary.counters;
                assert_eq!(counters.warp_instructions, baseline.warp_instructions);
                assert_eq!(counters.token_checks, baseline.token_checks, "{design}");
                let residency = residency(&statistics);
                // Slots and regions of three warps rarely agree in sub-cores and banks; of eight there are two each.
                let stays =
                    [3, 8].contains(&warps) && design != Design::FINEREG && design != Design::REG_DRAM;
                let switches = residency.switched_out > 10;
                assert!(stays || switches, "{design} {settings:?} {shape:?}: {residency:?}");
            }
        }
    }
}

#[test]
fn jumps_change_nothing() {
    for seed in 0..2 {
        let workload = workload(50 + seed, &SHAPE);
        let config = config(&SMALL);
        for design in Design::FINEREG_FAMILY {
            let jumped = run(&workload, design, &config, false);
            assert_eq!(jumped, run(&workload, design, &config, true), "{design}");
        }
    }
}

#[test]
fn the_smallest_pcrf_and_the_tightest_machines_never_stand_still() {
    for (seed, settings) in [
        &["sm.registers=16384", "finereg.pcrf=64"][..],
        &["sm.registers=16384", "finereg.pcrf=64", "sm.blocks=1"],
        &["sm.registers=16384", "finereg.pcrf=448", "sm.blocks=1"],
        &["sm.registers=16384", "finereg.pcrf=96", "finereg.dram_ctas=1", "finereg.brs=10", "finereg.srp=5"],
    ]
    .into_iter()
    .enumerate()
    {
        let workload = workload(80 + seed as u64, &SHAPE);
        for design in Design::FINEREG_FAMILY {
            run(&workload, design, &config(settings), false);
        }
    }
}

#[test]
fn shared_memory_stays_with_pending_blocks() {
    let shape = Shape { shared: 8192, ..SHAPE };
    let statistics = run(&workload(7, &shape), Design::FINEREG, &config(&SMALL), false);
    assert_eq!(statistics.kernels[0].resident_blocks, 8, "65536 bytes");
}

#[test]
fn more_blocks_are_resident_and_memory_is_hidden() {
    let workload = workload(3, &Shape { barriers: false, registers: 16, ..SHAPE });
    let config = config(&SMALL);
    let [baseline, threads, finereg] =
        [Design::BASELINE, Design::VIRTUAL_THREAD, Design::FINEREG].map(|design| {
            let mut gpu = Gpu::new(&config, design, 1, |_| design.model(&config, 1));
            gpu.observe_residency();
            gpu.run(&workload, None).unwrap();
            gpu.statistics("model", 0)
        });
    let resident = |statistics: &Statistics| {
        residency(statistics).resident_cycles as f64 / statistics.summary.counters.cycles as f64
    };
    assert!(resident(&threads) > 1.5 * resident(&baseline), "{:?}", residency(&threads));
    assert!(resident(&finereg) > 1.2 * resident(&threads), "{:?}", residency(&finereg));
    assert!(finereg.summary.ipc > baseline.summary.ipc, "{} {}", finereg.summary.ipc, baseline.summary.ipc);
    let counted = residency(&baseline);
    assert!(counted.complete_stalls == 80 && counted.windows > 0 && counted.switched_out == 0, "{counted:?}");
}

/// An RMU that does something wrong with every hundredth register that comes back.
struct Faulty {
    rmu: Rmu<u32>,
    fault: fn(&mut RmuOut<u32>),
    restored: u32,
}

impl Clocked for Faulty {
    type In = RmuIn<u32>;
    type Out = RmuOut<u32>;

    fn settle(&mut self, inputs: &RmuIn<u32>) -> RmuOut<u32> {
        let mut outputs = self.rmu.settle(inputs);
        self.restored += u32::from(outputs.acrf_write);
        if outputs.acrf_write && self.restored % 100 == 0 {
            (self.fault)(&mut outputs);
        }
        outputs
    }

    fn tick(&mut self) {
        self.rmu.tick();
    }
}

#[test]
fn a_register_that_is_lost_or_changed_on_its_way_is_found() {
    let workload = workload(12, &SHAPE);
    let config = config(&SMALL);
    let faults: [fn(&mut RmuOut<u32>); 3] = [
        |outputs| outputs.acrf_write = false,
        |outputs| outputs.acrf_write_data ^= 0x100,
        |outputs| outputs.acrf_write_register ^= 1,
    ];
    for fault in faults {
        let mut gpu = Gpu::new(&config, Design::FINEREG, 1, |_| Design::FINEREG.model(&config, 1));
        gpu.drive_rmu(|_| Box::new(Faulty { rmu: Rmu::new(config.finereg.hardware()), fault, restored: 0 }));
        gpu.run(&workload, None).unwrap();
        assert!(gpu.statistics("model", 0).summary.counters.token_errors > 0);
    }
}

/// What is done to a selection, given its number.
type Alter = fn(u32, &CtaStatusMonitorIn, &mut CtaStatusMonitorOut);

/// A CTA status monitor whose selections something is done to.
struct Altered {
    monitor: CtaStatusMonitor,
    alter: Alter,
    selections: u32,
}

impl Clocked for Altered {
    type In = CtaStatusMonitorIn;
    type Out = CtaStatusMonitorOut;

    fn settle(&mut self, inputs: &CtaStatusMonitorIn) -> CtaStatusMonitorOut {
        let mut outputs = self.monitor.settle(inputs);
        self.selections += u32::from(inputs.select);
        (self.alter)(self.selections, inputs, &mut outputs);
        outputs
    }

    fn tick(&mut self) {
        self.monitor.tick();
    }
}

fn run_monitored(tie: Tie, alter: Alter) -> Result<Statistics, SmError> {
    let config = config(&SMALL);
    let design = Design::FINEREG;
    let mut gpu = Gpu::new(&config, design, 1, |_| design.model(&config, 1));
    gpu.drive_status_monitor(|_| {
        Box::new(Altered { monitor: CtaStatusMonitor::new(MAX_CTAS, tie), alter, selections: 0 })
    });
    gpu.run(&workload(12, &Shape { barriers: false, ..SHAPE }), None)?;
    Ok(gpu.statistics("model", 0))
}

#[test]
fn the_status_monitor_selects_who_goes_on() {
    let turns = run_monitored(Tie::RoundRobin, |_, _, _| {}).unwrap();
    let lowest = run_monitored(Tie::Lowest, |_, _, _| {}).unwrap();
    assert!(turns.is_sound() && lowest.is_sound(), "{:?} {:?}", turns.errors, lowest.errors);
    assert_ne!(turns.summary.counters.cycles, lowest.summary.counters.cycles, "equals take turns");
    let nobody = run_monitored(Tie::RoundRobin, |_, _, outputs| outputs.any_candidate = false);
    assert!(matches!(nobody, Err(SmError::Stuck { .. })), "pending blocks wait for ever");
}

#[test]
fn a_selection_that_cannot_go_on_is_found() {
    // Now and then, or nothing would go on.
    let other: Alter = |number, inputs, outputs| {
        let among = |cta: u32| inputs.resumable[cta as usize / 32] >> (cta % 32) & 1 == 1;
        if number % 5 == 0 {
            outputs.candidate = (0..MAX_CTAS as u32).find(|&cta| !among(cta)).expect("not all of them can");
        }
    };
    let place: Alter = |number, _, outputs| outputs.candidate_in_acrf ^= number % 5 == 0;
    for alter in [other, place] {
        let statistics = run_monitored(Tie::RoundRobin, alter).unwrap();
        assert!(statistics.summary.counters.stage_errors > 0 && !statistics.is_sound());
        assert!(statistics.errors[0].contains("status monitor selects"), "{:?}", statistics.errors);
    }
}

#[test]
fn a_port_of_its_own_and_a_faster_chain_move_the_same_registers_sooner() {
    let workload = workload(12, &SHAPE);
    let run = |settings: &[&str]| {
        let config = config(&[&SMALL[..], settings].concat());
        let statistics = run(&workload, Design::FINEREG, &config, false);
        let residency = residency(&statistics);
        residency.switch_cycles as f64 / (residency.registers_saved + residency.registers_restored) as f64
    };
    let (plain, faster) = (run(&[]), run(&["finereg.acrf_port=true", "finereg.next_latency=1"]));
    assert!(faster < 0.7 * plain, "{faster} {plain} cycles a register");
}

#[test]
fn what_is_live_longest_needs_no_pool_if_registers_are_renamed() {
    // R31 is live from the first instruction to the last, R0 to R11 from one to the next.
    let mut program = Program::default();
    let mut pc = 0;
    let mut line = |opcode, destination, sources: &[Register]| {
        let width = if opcode == "LDG.E" { 4 } else { 0 };
        pc += 16;
        let instruction =
            Instruction { pc, opcode, destination: Some(destination), sources, width, immediates: [0, 0] };
        (program.intern(&instruction).unwrap(), opcode == "LDG.E")
    };
    let sum = Register::Vector(31);
    let lines: Vec<_> = (0..12)
        .flat_map(|number| {
            let register = Register::Vector(number);
            [line("LDG.E", register, &[]), line("IADD3", sum, &[register, sum])]
        })
        .collect();
    let blocks = (0..20).map(|number| {
        let mut block = ThreadBlock::new([number, 0, 0]);
        for warp in 0..4 {
            block.begin_warp(warp);
            for &(index, loads) in &lines {
                block.push(index, u32::MAX, if loads { &[4096; 32] } else { &[] });
            }
        }
        block
    });
    let (grid, threads) = ([20, 1, 1], [128, 1, 1]);
    let header =
        KernelHeader { name: "k".into(), grid, block: threads, nregs: 32, ..KernelHeader::default() };
    let kernel = Kernel::in_memory(header, program.clone(), blocks.collect());
    let workload = Workload { name: "sum".into(), commands: vec![Command::Kernel(kernel)] };
    let acquired = |setting: &str| {
        let config = config(&["finereg.brs=50", setting]);
        residency(&run(&workload, Design::VT_REGMUTEX, &config, false)).pool_acquired
    };
    assert_eq!(acquired("finereg.renaming=true"), 0);
    assert_eq!(acquired("finereg.renaming=false"), 80, "every warp needs R31");
}
