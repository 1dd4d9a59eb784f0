// SPDX-License-Identifier: Apache-2.0
//! Kernels whose instructions have the operands that a trace names, in place of all registers that they read
//! and write.
//!
//! An operand is one register, however wide it is. What the trace calls a destination is one, and what it
//! calls a source; a source named twice is two. RZ is a register like any other, behind the kernel's own. An
//! HMMA has two registers an operand: three sources and a destination are six and two.
//!
//! Accel-Sim counts operands so, apart from HMMA. That Malekeh's authors do so for HMMA too follows from the
//! full paper's "up to 6 sources and 2 destinations" (§IV-A).

use std::sync::Arc;

use arrayvec::ArrayVec;

use crate::block::ThreadBlock;
use crate::error::Result;
use crate::kernel::{BlockSource, Kernel, KernelHeader};
use crate::program::{Program, StaticInstruction};
use crate::registers::{Positions, Register, RegisterId, Registers};

/// Registers of a thread behind those that the kernel says it has: the second one of an operand may be the
/// first of them, and the other is RZ.
const MORE_REGISTERS: u32 = 2;

impl Kernel {
    /// The kernel with operands as a trace names them. Live registers are those that its stream shows.
    pub fn with_named_operands(&self) -> Kernel {
        let header = self.header();
        let zero = RegisterId((header.nregs + MORE_REGISTERS - 1).min(255) as u8);
        let header = KernelHeader { nregs: header.nregs + MORE_REGISTERS, ..header.clone() };
        let opener = Arc::clone(self.opener());
        Kernel::new(header, move || {
            Ok(Box::new(NamedBlocks { source: opener()?, program: Program::default(), zero }))
        })
    }
}

/// The blocks of a kernel, whose instructions are changed as they are met.
struct NamedBlocks {
    source: Box<dyn BlockSource>,
    /// The source's own.
    program: Program,
    zero: RegisterId,
}

impl BlockSource for NamedBlocks {
    fn next_block(&mut self, program: &mut Program) -> Result<Option<ThreadBlock>> {
        let block = self.source.next_block(&mut self.program)?;
        let known = program.instructions().len();
        let new = &self.program.instructions()[known..];
        program.extend(new.iter().map(|instruction| instruction.with_named_operands(self.zero)));
        Ok(block)
    }

    fn restrict(&mut self, own: u64, count: u64) -> bool {
        self.source.restrict(own, count)
    }
}

impl StaticInstruction {
    /// With operands as the trace names them, RZ being register `zero`.
    fn with_named_operands(&self, zero: RegisterId) -> StaticInstruction {
        let each = if self.base() == "HMMA" { 2 } else { 1 };
        let registers = |operand: Register| -> ArrayVec<RegisterId, 2> {
            match operand {
                Register::Uniform(_) => ArrayVec::new(),
                Register::RZ => (0..each).map(|_| zero).collect(),
                Register::Vector(first) => (0..each).map(|next| RegisterId(first.0 + next)).collect(),
            }
        };
        let destinations = self.named_destination.into_iter().flat_map(registers).collect();
        let (mut sources, mut positions, mut slots) = (Registers::new(), Positions::new(), Positions::new());
        let slots_of = |register| {
            let place = self.sources.iter().position(|&known| known == register);
            place.map_or(0, |place| self.slots[place])
        };
        for (position, &operand) in self.named_sources.iter().enumerate() {
            let named = registers(operand);
            positions.extend(named.iter().map(|_| position as u8));
            slots.extend(named.iter().map(|&register| slots_of(register)));
            sources.extend(named);
        }
        StaticInstruction {
            named_source_count: sources.len() as u8,
            named: sources.iter().copied().collect(),
            destinations,
            sources,
            positions,
            slots,
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::liveness::Liveness;
    use crate::program::Instruction;
    use crate::reuse::{Histogram, Reuse, ReuseMode};

    /// Destination, opcode, sources.
    type Line<'a> = (Option<u8>, &'a str, &'a [u8]);

    /// A kernel of 16 registers; one of its warps executes these lines.
    fn kernel(lines: &[Line]) -> Kernel {
        let (mut program, mut block) = (Program::default(), ThreadBlock::new([0; 3]));
        block.begin_warp(0);
        for (number, (destination, opcode, sources)) in lines.iter().enumerate() {
            let instruction = Instruction {
                pc: 16 * number as u32,
                opcode,
                destination: destination.map(Register::vector),
                sources: &sources.iter().copied().map(Register::vector).collect::<Vec<_>>(),
                width: 0,
                immediates: [0; 2],
            };
            block.push(program.intern(&instruction).unwrap(), 1, &[]);
        }
        let header = KernelHeader { nregs: 16, ..KernelHeader::default() };
        Kernel::in_memory(header, program, vec![block])
    }

    /// Destinations and sources of a line, and the positions of these.
    fn named(line: Line) -> (Vec<u8>, Vec<u8>, Vec<u8>) {
        let mut reader = kernel(&[line]).with_named_operands().open().unwrap();
        reader.next_block().unwrap();
        let place = &reader.program()[0];
        let numbers = |registers: &Registers| registers.iter().map(|register| register.0).collect();
        (numbers(&place.destinations), numbers(&place.sources), place.positions.to_vec())
    }

    #[test]
    fn operands_are_those_of_the_line() {
        assert_eq!(named((Some(4), "FFMA", &[5, 5, 6])), (vec![4], vec![5, 5, 6], vec![0, 1, 2]));
        assert_eq!(named((Some(4), "DFMA", &[6, 8, 10])), (vec![4], vec![6, 8, 10], vec![0, 1, 2]), "pairs");
        assert_eq!(named((Some(255), "IADD3", &[255, 5, 255])), (vec![17], vec![17, 5, 17], vec![0, 1, 2]));
        assert_eq!(kernel(&[]).with_named_operands().header().nregs, 18, "RZ is R17, and has a row");
    }

    #[test]
    fn a_matrix_instruction_has_six_sources_and_two_destinations() {
        let expected = (vec![4, 5], vec![8, 9, 15, 16, 4, 5], vec![0, 0, 1, 1, 2, 2]);
        assert_eq!(named((Some(4), "HMMA.1688.F32", &[8, 15, 4])), expected);
        let zero = named((Some(4), "HMMA.1688.F32", &[8, 10, 255]));
        assert_eq!(zero.1, [8, 9, 10, 11, 17, 17]);
        assert_eq!(named((Some(4), "IMMA.8816.S8.S8", &[8, 9, 4])).1, [8, 9, 4], "HMMA alone");
    }

    #[test]
    fn a_repetition_is_a_reuse_at_distance_zero() {
        let lines: [Line; 3] =
            [(Some(1), "FFMA", &[2, 2, 255]), (Some(3), "FADD", &[1, 255]), (Some(4), "FADD", &[2, 3])];
        let of = |kernel: &Kernel| Histogram::of(kernel).unwrap();
        let found = of(&kernel(&lines).with_named_operands());
        let reuses: Vec<_> = found.reuses.into_iter().collect();
        assert_eq!(reuses, [(0, 1), (1, 3), (2, 1)], "R2 twice; R1, R3 and RZ; R2");
        assert_eq!(found.without_reuse, 5, "R1, R2, R3, R4 and RZ at their last");
        assert_eq!(of(&kernel(&lines)).reuses.into_iter().collect::<Vec<_>>(), [(1, 2), (2, 1)]);
    }

    #[test]
    fn the_last_mention_of_a_source_says_whether_it_is_near() {
        let near = |last: &[u8]| {
            let lines: [Line; 2] = [(Some(1), "FFMA", &[2, 2, 3]), (Some(4), "FADD", last)];
            let reuse = Reuse { threshold: 12, mode: ReuseMode::Exact };
            let mut reader = kernel(&lines).with_named_operands().open_annotated(&reuse).unwrap();
            let block = reader.next_block().unwrap().unwrap();
            block.warps[0].instructions[0].near_sources
        };
        assert_eq!((near(&[5]), near(&[2]), near(&[3])), (0, 0b010, 0b100), "naming it again is no reuse");
    }

    #[test]
    fn live_registers_are_those_of_the_named_operands() {
        let named = kernel(&[(Some(1), "FADD", &[2, 255]), (None, "EXIT", &[])]).with_named_operands();
        let live = Liveness::observe(&named).unwrap().at(0);
        assert_eq!(live.iter().collect::<Vec<_>>(), [2, 17].map(RegisterId));
    }
}
