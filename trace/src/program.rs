// SPDX-License-Identifier: Apache-2.0
//! Static instructions: each place in the machine code once, with its decoded operands.

use std::collections::HashMap;
use std::ops::Index;

use crate::control::Control;
use crate::dependence_limit::DependenceLimit;
use crate::opcode::{Memory, Opcode, OpcodeError, Unit};
use crate::registers::{Positions, Register, RegisterId, RegisterSet, Registers};
use crate::widen::{widen, RegisterLists};

/// An instruction as a trace names it: the first register of each operand, constants, immediates
/// and predicates left out.
#[derive(Clone, Copy, Debug)]
pub struct Instruction<'a> {
    /// Byte offset in the kernel's code.
    pub pc: u32,
    /// SASS opcode with its modifiers, such as `LDG.E.64.SYS`.
    pub opcode: &'a str,
    /// The destination, as a trace names it: the first register of several.
    pub destination: Option<Register>,
    /// The sources, as a trace names them: RZ, repetitions and uniform registers included.
    pub sources: &'a [Register],
    /// Bytes a thread moves; 0 if the trace gives no addresses for it.
    pub width: u16,
    /// The last immediate operands, 0 if none (one from tracer version 5, two from version 6).
    pub immediates: [i64; 2],
}

/// The registers an instruction reads and writes, where they need not be guessed by widening.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExactOperands {
    /// Without RZ, each once.
    pub destinations: Registers,
    /// Without RZ, each once, in the order of the operands.
    pub sources: Registers,
    /// Source slots of each source: it stands in slot s of the machine code if bit s is set.
    pub slots: Positions,
    /// The compiler's control bits of the instruction.
    pub control: Control,
    /// The condition that a `DEPBAR` waits for.
    pub limit: Option<DependenceLimit>,
    /// As in [`StaticInstruction::constant`].
    pub constant: Option<u32>,
}

/// An [`Instruction`] decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaticInstruction {
    /// Byte offset in the kernel's code.
    pub pc: u32,
    /// SASS opcode with its modifiers.
    pub opcode: Box<str>,
    /// The execution unit.
    pub unit: Unit,
    /// Present exactly when `unit` is [`Unit::LoadStore`].
    pub memory: Option<Memory>,
    /// Bytes a thread moves; 0 if the trace gives no addresses for it.
    pub width: u16,
    /// Waits for the other warps of the thread block: `BAR.SYNC` or `BAR.RED`.
    pub barrier: bool,
    /// Ends the threads of its mask.
    pub exit: bool,
    /// May move control elsewhere than to the next instruction (exits apart).
    pub branch: bool,
    /// Vector registers written, all of them, without RZ.
    pub destinations: Registers,
    /// Vector registers read, all of them, without RZ, each once, in the order first named.
    pub sources: Registers,
    /// For each of `sources`, the number of the source operand that it belongs to, as they stand in a
    /// trace: constants, immediates and predicates are not counted.
    pub positions: Positions,
    /// Source slots of each of `sources`: it stands in slot s of the machine code if bit s is set. A slot
    /// that holds a constant or an immediate counts. A trace does not have those, so that its operands are
    /// taken to stand side by side.
    pub slots: Positions,
    /// The compiler's control bits of the instruction. Traces do not tell.
    pub control: Control,
    /// The condition that a `DEPBAR` waits for. Traces do not tell.
    pub limit: Option<DependenceLimit>,
    /// The constant at a fixed address that is an operand: its bank times 65,536, and the bytes before it
    /// there. Traces do not tell.
    pub constant: Option<u32>,
    /// Different source registers other than RZ that the trace names, before widening.
    pub named_source_count: u8,
    /// The ones of `sources` that the trace names.
    pub named: RegisterSet,
    /// The destination the trace names, RZ and uniform registers included.
    pub named_destination: Option<Register>,
    /// The sources the trace names, RZ, repetitions and uniform registers included.
    pub named_sources: Box<[Register]>,
    /// As in [`Instruction::immediates`].
    pub immediates: [i64; 2],
}

/// Opcodes that may move control; the last six are those of Maxwell and Pascal, whose `SYNC` goes where `SSY`
/// said.
const BRANCHES: [&str; 14] = [
    "BRA", "BRX", "BRXU", "JMP", "JMX", "JMXU", "CALL", "RET", "SYNC", "BRK", "CONT", "CAL", "JCAL",
    "LONGJMP",
];

impl StaticInstruction {
    fn decode(instruction: &Instruction) -> Result<StaticInstruction, OpcodeError> {
        let opcode = Opcode(instruction.opcode);
        let entry = opcode.entry()?;
        let RegisterLists { destinations, sources, positions } =
            widen(opcode, entry.rule, instruction.destination, instruction.sources, instruction.immediates)?;
        let counted = |&(position, register): &(usize, &Register)| {
            matches!(register, Register::Vector(id) if *id != RegisterId::RZ)
                && !instruction.sources[..position].contains(register)
        };
        let named_source_count = instruction.sources.iter().enumerate().filter(counted).count() as u8;
        let is_named = |source: &RegisterId| instruction.sources.contains(&Register::Vector(*source));
        let named = sources.iter().copied().filter(is_named).collect();
        Ok(StaticInstruction {
            pc: instruction.pc,
            opcode: instruction.opcode.into(),
            unit: entry.unit,
            memory: entry.memory,
            width: instruction.width,
            barrier: opcode.base() == "BAR" && opcode.has_any(&["SYNC", "SYNCALL", "RED"]),
            exit: opcode.base() == "EXIT",
            branch: BRANCHES.contains(&opcode.base()),
            destinations,
            sources,
            slots: positions.iter().map(|&position| 1u8.checked_shl(position.into()).unwrap_or(0)).collect(),
            positions,
            control: Control::UNKNOWN,
            limit: None,
            constant: None,
            named_source_count,
            named,
            named_destination: instruction.destination,
            named_sources: instruction.sources.into(),
            immediates: instruction.immediates,
        })
    }

    /// The source operand that an exactly known source belongs to: the one that widening gives it to, else
    /// that of the register next below it.
    fn position_of(&self, register: RegisterId) -> u8 {
        let widened = self.sources.iter().zip(&self.positions);
        let below = widened.filter(|(&known, _)| known <= register).max_by_key(|(&known, _)| known);
        below.map_or(0, |(_, &position)| position)
    }

    /// Returns true if source number `index` has the compiler's reuse flag.
    pub fn is_reused(&self, index: usize) -> bool {
        self.slots[index] & self.control.reuse() != 0
    }

    /// Returns true if any of its sources has the compiler's reuse flag.
    pub fn has_reuse(&self) -> bool {
        (0..self.sources.len()).any(|index| self.is_reused(index))
    }

    /// The opcode up to its first dot.
    pub fn base(&self) -> &str {
        Opcode(&self.opcode).base()
    }

    /// It copies from global to shared memory: LDGSTS.
    pub fn copies_to_shared(&self) -> bool {
        self.base() == "LDGSTS"
    }

    fn is(&self, instruction: &Instruction) -> bool {
        *self.opcode == *instruction.opcode
            && self.named_destination == instruction.destination
            && *self.named_sources == *instruction.sources
            && self.width == instruction.width
            && self.immediates == instruction.immediates
    }
}

/// The static instructions of a kernel, in the order first met. It only grows: an index stays valid.
#[derive(Clone, Debug, Default)]
pub struct Program {
    instructions: Vec<StaticInstruction>,
    by_pc: HashMap<u32, Vec<u32>>,
}

impl Program {
    /// The index of this instruction, which is decoded when first met.
    pub fn intern(&mut self, instruction: &Instruction) -> Result<u32, OpcodeError> {
        self.intern_as(instruction, None)
    }

    /// As [`Program::intern`], for a caller that knows the registers: they take the place of those
    /// that widening gives.
    pub fn intern_exact(
        &mut self,
        instruction: &Instruction,
        operands: ExactOperands,
    ) -> Result<u32, OpcodeError> {
        self.intern_as(instruction, Some(operands))
    }

    fn intern_as(
        &mut self,
        instruction: &Instruction,
        exact: Option<ExactOperands>,
    ) -> Result<u32, OpcodeError> {
        let places = self.by_pc.entry(instruction.pc).or_default();
        let known = places.iter().find(|&&index| self.instructions[index as usize].is(instruction));
        if let Some(&index) = known {
            return Ok(index);
        }
        let mut decoded = StaticInstruction::decode(instruction)?;
        if let Some(ExactOperands { destinations, sources, slots, control, limit, constant }) = exact {
            let positions = sources.iter().map(|&register| decoded.position_of(register)).collect();
            decoded = StaticInstruction {
                destinations,
                sources,
                positions,
                slots,
                control,
                limit,
                constant,
                ..decoded
            };
        }
        let index = self.instructions.len() as u32;
        self.instructions.push(decoded);
        places.push(index);
        Ok(index)
    }

    /// Adds instructions that another program has interned, in its order.
    pub(crate) fn extend(&mut self, instructions: impl Iterator<Item = StaticInstruction>) {
        self.instructions.extend(instructions);
    }

    /// All instructions met so far, by index.
    pub fn instructions(&self) -> &[StaticInstruction] {
        &self.instructions
    }
}

impl Index<u32> for Program {
    type Output = StaticInstruction;

    fn index(&self, index: u32) -> &StaticInstruction {
        &self.instructions[index as usize]
    }
}
