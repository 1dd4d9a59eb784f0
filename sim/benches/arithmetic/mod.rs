//! A kernel of dependent multiply-adds over 13 registers, which a cache of 8 holds in part.

use gpurf_trace::{Instruction, Program, Register, ThreadBlock};

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
