// SPDX-License-Identifier: Apache-2.0
//! Small kernels, instruction by instruction.

use gpurf_trace::{Command, Instruction, Kernel, KernelHeader, Program, Register, ThreadBlock, Workload};

/// An instruction of a test: opcode, destination, sources, mask, addresses of its active lanes.
pub type Line<'a> = (&'a str, Option<u8>, &'a [u8], u32, &'a [u64]);

pub const ALL: u32 = u32::MAX;

pub const EXIT: Line = ("EXIT", None, &[], ALL, &[]);

/// A kernel whose thread blocks have these warps.
pub fn kernel(header: KernelHeader, blocks: &[Vec<Vec<Line>>]) -> Workload {
    let mut program = Program::default();
    let blocks = blocks.iter().map(|warps| {
        let mut block = ThreadBlock::new([0; 3]);
        for (id, lines) in warps.iter().enumerate() {
            block.begin_warp(id as u32);
            for (place, &(opcode, destination, sources, mask, addresses)) in lines.iter().enumerate() {
                let sources: Vec<Register> = sources.iter().map(|&source| Register::vector(source)).collect();
                let instruction = Instruction {
                    pc: 16 * place as u32,
                    opcode,
                    destination: destination.map(Register::vector),
                    sources: &sources,
                    width: match addresses.len() {
                        0 => 0,
                        _ if opcode.ends_with(".128") => 16,
                        _ => 4,
                    },
                    immediates: [0, 0],
                };
                block.push(program.intern(&instruction).unwrap(), mask, addresses);
            }
        }
        block
    });
    let blocks = blocks.collect();
    let kernel = Kernel::in_memory(header, program, blocks);
    Workload { name: "test".into(), commands: vec![Command::Kernel(kernel)] }
}

pub fn header(threads: u32) -> KernelHeader {
    KernelHeader {
        name: "k".into(),
        grid: [1; 3],
        block: [threads, 1, 1],
        nregs: 32,
        ..KernelHeader::default()
    }
}
