// SPDX-License-Identifier: Apache-2.0
//! CTAs that are switched under FineReg and the designs it is compared with: nothing is lost, nothing stands
//! still.

mod faults;
mod kernels;

use gpurf_sim::config::Config;
use gpurf_sim::engines::Engines;
use gpurf_sim::sm::{Design, Family, Gpu};
use gpurf_sim::statistics::{ResidentBlocks, Statistics};
use gpurf_trace::{Command, Instruction, Kernel, KernelHeader, Program, Register, ThreadBlock, Workload};

use crate::sound::run;

struct Random(u64);

impl Random {
    fn below(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % below
    }
}

/// The code of a kernel: every warp of every block runs it, some of it under divergence.
#[derive(Debug)]
pub struct Shape {
    blocks: u32,
    warps: u32,
    registers: u8,
    shared: u32,
    barriers: bool,
    /// Threads leave the others now and then.
    diverges: bool,
}

pub const SHAPE: Shape =
    Shape { blocks: 40, warps: 4, registers: 24, shared: 0, barriers: true, diverges: false };

/// Code that loads from far apart, works on what it loaded, and keeps values for later.
pub fn workload(seed: u64, shape: &Shape) -> Workload {
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
        let mut register = || Register::vector(random.below(u64::from(shape.registers)) as u8);
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

pub fn config(settings: &[&str]) -> Config {
    let settings: Vec<String> = settings.iter().map(|setting| setting.to_string()).collect();
    Config::load(None, &settings).unwrap()
}

fn residency(statistics: &Statistics) -> ResidentBlocks {
    statistics.residency.expect("the design switches")
}

/// Nothing is waited for that need not be.
const FAST: &[&str] = &["finereg.context_cycles=0"];

/// Registers leave as operands do, one at a time, after the others have come.
const SLOW: &[&str] = &[
    "finereg.transfer_port=false",
    "finereg.contexts_beside=false",
    "streams=false",
    "pcrf_ports=1",
    "next_latency=4",
];

/// A machine on which all designs have something to do: few block slots, a small register file.
pub const SMALL: [&str; 3] = ["sm.blocks=3", "sm.registers=16384", "pcrf_entries=256"];

#[test]
fn every_value_survives_every_switch() {
    for (seed, warps) in [(0, 4), (1, 1), (2, 3), (3, 8)] {
        let shape = Shape { barriers: seed % 2 == 0, diverges: seed >= 2, warps, ..SHAPE };
        let workload = workload(seed, &shape);
        for settings in [
            &[][..],
            &["banks=4"],
            &["finereg.prefer=ready"],
            &["finereg.ready=all", "collectors=1"],
            FAST,
            SLOW,
        ] {
            let config = config(&[&SMALL[..], settings].concat());
            let baseline = run(&workload, Design::BASELINE, &config, false).summary.counters;
            for design in Design::family(Family::FineReg) {
                let statistics = run(&workload, design, &config, false);
                let counters = statistics.summary.counters;
                assert_eq!(counters.warp_instructions, baseline.warp_instructions);
                assert_eq!(counters.token_checks, baseline.token_checks, "{design}");
                let residency = residency(&statistics);
                // Slots and regions of three warps rarely agree in sub-cores and banks; of eight there are
                // two each.
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
        for design in Design::family(Family::FineReg) {
            let jumped = run(&workload, design, &config, false);
            assert_eq!(jumped, run(&workload, design, &config, true), "{design}");
        }
    }
}

#[test]
fn the_smallest_pcrf_and_the_tightest_machines_never_stand_still() {
    for (seed, settings) in [
        &["sm.registers=16384", "pcrf_entries=64"][..],
        &["sm.registers=16384", "pcrf_entries=64", "sm.blocks=1"],
        &["sm.registers=16384", "pcrf_entries=448", "sm.blocks=1"],
        &["sm.registers=16384", "pcrf_entries=96", "finereg.dram_ctas=1", "finereg.brs=10", "finereg.srp=5"],
    ]
    .into_iter()
    .enumerate()
    {
        let workload = workload(80 + seed as u64, &SHAPE);
        for design in Design::family(Family::FineReg) {
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
            let mut gpu = Gpu::new(&config, design, 1, Engines::models(&config, design, 1));
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

#[test]
fn a_port_of_the_arbiter_and_streams_move_the_same_registers_sooner() {
    let workload = workload(12, &SHAPE);
    let run = |settings: &[&str]| {
        let config = config(&[&SMALL[..], settings].concat());
        let statistics = run(&workload, Design::FINEREG, &config, false);
        let residency = residency(&statistics);
        residency.switch_cycles as f64 / (residency.registers_saved + residency.registers_restored) as f64
    };
    let (streaming, slow) = (run(&[]), run(SLOW));
    assert!(streaming < 0.4 * slow, "{streaming} {slow} cycles a register");
}

#[test]
fn stalls_are_as_long_as_memory_takes() {
    let workload = workload(12, &SHAPE);
    let [short, long] = ["dram.latency=300", "dram.latency=3000"].map(|latency| {
        let config = config(&[&SMALL[..], &[latency]].concat());
        residency(&run(&workload, Design::FINEREG, &config, false))
    });
    let length = |counted: &ResidentBlocks| counted.stall_cycles as f64 / counted.switched_out as f64;
    let in_vain = |counted: &ResidentBlocks| counted.left_in_vain as f64 / counted.switched_out as f64;
    assert!(length(&short) > 100.0 && length(&short) < 3000.0, "{short:?}");
    assert!(length(&long) > length(&short) + 1000.0, "{short:?} {long:?}");
    assert!(in_vain(&short) > in_vain(&long) && in_vain(&long) < 1.0, "{short:?} {long:?}");
}
