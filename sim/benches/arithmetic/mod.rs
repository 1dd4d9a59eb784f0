// SPDX-License-Identifier: Apache-2.0
//! A kernel of dependent multiply-adds over 13 registers, which a cache of 8 holds in part.

use gpurf_sim::config::Config;
use gpurf_sim::engines::Engines;
use gpurf_sim::sm::{Design, Gpu};
use gpurf_trace::{Command, Instruction, Kernel, KernelHeader, Program, Register, ThreadBlock, Workload};

/// So many instructions of each warp, in a loop of so many, with the lanes of even and of odd ones.
pub fn arithmetic(warps: u32, length: u32, of_loop: u32, lanes: [u32; 2]) -> (Program, ThreadBlock) {
    let mut program = Program::default();
    let mut block = ThreadBlock::new([0; 3]);
    for warp in 0..warps {
        block.begin_warp(warp);
        for place in (0..length).map(|number| number % of_loop) {
            let register = |number: u32| Register::vector((number % 13) as u8);
            let index = program.intern(&Instruction {
                pc: 16 * place,
                opcode: "FFMA",
                destination: Some(register(place)),
                sources: &[register(place + 3), register(place + 7), register(place)],
                width: 0,
                immediates: [0, 0],
            });
            block.push(index.expect("FFMA is known"), lanes[place as usize % 2], &[]);
        }
    }
    (program, block)
}

/// A kernel of one block.
pub fn workload(program: Program, block: ThreadBlock) -> Workload {
    let threads = 32 * block.warps.len() as u32;
    let header = KernelHeader {
        name: "arithmetic".into(),
        block: [threads, 1, 1],
        nregs: 16,
        ..KernelHeader::default()
    };
    let kernel = Kernel::in_memory(header, program, vec![block]);
    Workload { name: "arithmetic".into(), commands: vec![Command::Kernel(kernel)] }
}

/// Runs it on the SM with reference models; its warp instructions.
pub fn run(workload: &Workload, config: &Config, design: Design) -> u64 {
    let mut sm = Gpu::new(config, design, 1, Engines::models(config, design, 1));
    sm.run(workload, None).expect("the workload runs");
    sm.statistics("model", 0).summary.counters.warp_instructions
}
