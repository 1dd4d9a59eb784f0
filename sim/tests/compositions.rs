// SPDX-License-Identifier: Apache-2.0
//! Designs put together: every two presets that can be are right on kernels in which all of them have
//! something to do, and so are some of three and four.

use std::collections::BTreeMap;

use gpurf_sim::config::Config;
use gpurf_sim::sm::{Dependences, Design, PRESETS};
use gpurf_sim::statistics::Statistics;
use gpurf_trace::{Command, Instruction, Kernel, KernelHeader, Program, Register, ThreadBlock, Workload};
use rayon::prelude::*;

use crate::sound::run;

/// Few block slots and registers, and a small register file, so that blocks take turns under all designs that
/// switch.
pub const SMALL: [&str; 4] = ["sm.blocks=3", "sm.registers=32768", "pcrf_entries=256", "sthld=4"];

const SEVERAL: [&str; 11] = [
    "malekeh+iwma+finereg",
    "malekeh-pr+darsie+reg-dram+rfc-scheduler",
    "bow+iwma-darsie+vt-regmutex",
    "traditional+iwma+virtual-thread+software-rfc-scheduler",
    "ltrf+iwma-darsie+finereg",
    "software-rfc+darsie+finereg",
    "rfc+iwma+reg-dram",
    "register-cache+rfc-scheduler+iwma+virtual-thread",
    "modern+dependences=scoreboard+iwma-darsie",
    "traditional-2021+iwma-darsie+rfc-scheduler",
    "malekeh+issue_latch=passing+iwma",
];

/// The design on a stream without control bits.
pub fn without_control_bits(design: Design) -> Design {
    Design { dependences: Dependences::Scoreboard, ..design }
}

/// All designs that two presets make, by name, and some of more.
pub fn designs() -> Vec<Design> {
    let mut designs = BTreeMap::new();
    for (number, first) in PRESETS.iter().enumerate() {
        for second in &PRESETS[number..] {
            if let Ok(design) = format!("{}+{}", first.name, second.name).parse::<Design>() {
                let design = without_control_bits(design);
                designs.insert(design.name(), design);
            }
        }
    }
    for name in SEVERAL {
        let design: Design = name.parse().unwrap();
        designs.insert(design.name(), design);
    }
    designs.into_values().collect()
}

struct Random(u64);

impl Random {
    fn below(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % below
    }
}

const WARPS: u32 = 8;
const REGISTERS: u8 = 24;

/// Blocks whose warps load alike from shared memory, store to it, load from far apart, and meet at barriers,
/// with values that live long; some lanes leave the others now and then.
pub fn workload(seed: u64) -> Workload {
    let mut random = Random(seed);
    let mut program = Program::default();
    let mut lines = vec![];
    for place in 0..80u32 {
        let opcode = match random.below(16) {
            0..=2 => "LDG.E",
            3 => "STG.E",
            4..=6 => "LDS",
            7 => "STS",
            8 => "BAR.SYNC",
            9 => "MUFU.RCP",
            _ => "IADD3",
        };
        let mut register = || Register::vector(random.below(u64::from(REGISTERS)) as u8);
        let sources = match opcode {
            "BAR.SYNC" => vec![],
            "LDG.E" | "LDS" => vec![register()],
            _ => vec![register(), register()],
        };
        let destination = (!matches!(opcode, "STG.E" | "STS" | "BAR.SYNC")).then(register);
        let width = if opcode.starts_with("LD") || opcode.starts_with("ST") { 4 } else { 0 };
        let instruction =
            Instruction { pc: 16 * place, opcode, destination, sources: &sources, width, immediates: [0, 0] };
        lines.push((program.intern(&instruction).unwrap(), opcode));
    }
    let block = |number: u32| {
        let mut block = ThreadBlock::new([number, 0, 0]);
        for warp in 0..WARPS {
            block.begin_warp(warp);
            let mut mask = u32::MAX;
            for (place, &(index, opcode)) in (0u64..).zip(&lines) {
                if seed % 2 == 1 && random.below(6) == 0 {
                    mask = [u32::MAX, 0xffff, 0xffff_0000, 0][random.below(4) as usize];
                }
                let mask = if matches!(opcode, "BAR.SYNC" | "LDS") { u32::MAX } else { mask };
                let start = match opcode {
                    "LDG.E" | "STG.E" => 4096 * random.below(5000),
                    "LDS" => 16 * (place % 8),
                    "STS" => 1024 + 128 * u64::from(warp),
                    _ => 0,
                };
                let accesses = start > 0 || opcode == "LDS";
                let lanes = if accesses { mask.count_ones() } else { 0 };
                let addresses: Vec<u64> = (0..lanes).map(|lane| start + 4 * u64::from(lane)).collect();
                block.push(index, mask, &addresses);
            }
        }
        block
    };
    let blocks = (0..24).map(block).collect();
    let header = KernelHeader {
        name: "k".into(),
        grid: [24, 1, 1],
        block: [32 * WARPS, 1, 1],
        nregs: REGISTERS.into(),
        shared_memory: 2048,
        ..KernelHeader::default()
    };
    let kernel = Kernel::in_memory(header, program, blocks);
    Workload { name: "test".into(), commands: vec![Command::Kernel(kernel)] }
}

fn config(settings: &[&str]) -> Config {
    let settings: Vec<String> = SMALL.iter().chain(settings).map(|setting| setting.to_string()).collect();
    Config::load(None, &settings).unwrap()
}

fn has_collectors(design: Design) -> bool {
    !design.reads_in_window()
}

/// Each part of a design must have had something to do.
fn check_use(design: Design, statistics: &Statistics) {
    let counters = &statistics.summary.counters;
    assert_eq!(counters.multicasts > 0, design.multicast, "{design}");
    assert_eq!(counters.renamed_loads > 0, design.rename, "{design}");
    let caches = design.has_caching_collectors() || design.register_cache.is_some();
    assert_eq!(counters.hits > 0, caches, "{design}");
    assert_eq!(statistics.summary.stalls.pending > 0, design.two_level.is_some(), "{design}");
    let switched = statistics.residency.map_or(0, |residency| residency.switched_out);
    assert_eq!(switched > 10, design.switches(), "{design}: {switched}");
}

#[test]
fn every_operand_is_right_under_designs_put_together() {
    let designs = designs();
    assert!(designs.len() > 80, "{}", designs.len());
    for (seed, settings) in [
        (0, &[][..]),
        (1, &["finereg.prefer=ready"]),
        (2, &["finereg.transfer_port=false", "finereg.context_cycles=0"]),
        (3, &["banks=4", "collectors=1", "rc_tag_lanes=1", "finereg.ready=all"]),
    ] {
        let (workload, config) = (workload(seed), config(settings));
        let baseline = run(&workload, Design::BASELINE, &config, false).summary.counters;
        // A window has two banks.
        let can_run = |design: Design| has_collectors(design) || !settings.contains(&"banks=4");
        designs.par_iter().filter(|design| can_run(**design)).for_each(|&design| {
            let statistics = run(&workload, design, &config, false);
            let counters = statistics.summary.counters;
            assert_eq!(counters.warp_instructions, baseline.warp_instructions, "{design}");
            assert_eq!(counters.token_checks, baseline.token_checks, "{design}");
            check_use(design, &statistics);
        });
    }
}

#[test]
fn jumps_change_nothing_under_designs_put_together() {
    let workload = workload(5);
    for name in SEVERAL {
        let design: Design = name.parse().unwrap();
        // Only a sub-core can do without collectors.
        let config = config(if has_collectors(design) { &["organisation=monolithic"] } else { &[] });
        assert_eq!(run(&workload, design, &config, false), run(&workload, design, &config, true), "{design}");
    }
}
