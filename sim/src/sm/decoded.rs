// SPDX-License-Identifier: Apache-2.0
//! Facts that the SM needs of a static instruction, ready for use in every cycle.

use std::hash::{DefaultHasher, Hash, Hasher};

use gpurf_blocks::MAX_SLOTS;
use gpurf_trace::{Memory, MemorySpace, RegisterId, RegisterSet, Registers, StaticInstruction};

use super::execution::Execution;
use super::operations::Entering;
use crate::bits::set;
use crate::config::{Config, Timing};

#[derive(Debug)]
pub(super) struct Decoded {
    pub pc: u32,
    pub unit: u8,
    pub timing: Timing,
    pub barrier: bool,
    /// Present if it goes to the load/store unit.
    pub memory: Option<Memory>,
    /// Bytes a thread moves.
    pub width: u64,
    /// Where a constant lies that it names at a fixed address, unless it goes to memory.
    pub constant: Option<u32>,
    /// No regular register is in its address.
    pub uniform_address: bool,
    /// Cycles from its issue to that of an instruction that overwrites its sources, behind an address unit.
    pub source_cycles: u64,
    /// Two of its registers come back from memory together.
    pub returns_pairs: bool,
    /// The data go to shared memory: LDGSTS.
    pub copies: bool,
    /// A multicasting load, MLDS.
    pub mlds: bool,
    /// It goes to the multicasting unit, if there is one.
    pub multicasts: bool,
    /// Equal for equal opcodes.
    pub operation: u64,
    /// Its sources as they enter collectors: the first round of them, and those after it.
    first: Round,
    further: Box<[Round]>,
    pub destinations: Registers,
    /// Source registers named before widening.
    pub named_count: u8,
    pub writes: RegisterSet,
    /// Registers read or written.
    pub touches: RegisterSet,
    /// Each round as it enters a sub-core without collectors, if there are such.
    pub operations: Box<[Entering]>,
    /// Before it, a register is live, or by it one is written, that its warp has to take from the shared
    /// pool.
    pub needs_pool: bool,
}

/// Sources of an instruction that enter a collector together, or a sub-core without collectors: as many as it
/// has slots for. Most instructions
/// have one round; an instruction with more sources than slots goes to the collectors round by round, and its
/// unit begins when it has all of them. To the collectors each round is an instruction of its own; what the
/// instruction writes belongs to the last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Round {
    /// The source register of each slot; R0 in slots that it does not use.
    pub slots: [RegisterId; MAX_SLOTS],
    count: u8,
    /// Number of its first source among all of the instruction.
    pub first: u8,
    /// The operand that each source belongs to, 0 to 3.
    pub positions: [u8; MAX_SLOTS],
    /// Bit s: source s has the compiler's reuse flag.
    pub reuse: u8,
    /// Bit s: the trace names source s.
    pub named: u8,
    /// Bit s: source s is the register of an earlier slot too. Only operands that a trace names have such.
    pub repeats: u8,
    pub reads: RegisterSet,
}

impl Round {
    /// The round whose first source has this number, of so many sources.
    fn new(instruction: &StaticInstruction, first: usize, count: usize) -> Round {
        let sources = &instruction.sources[first..first + count];
        let mut round = Round {
            slots: [RegisterId::default(); MAX_SLOTS],
            count: sources.len() as u8,
            first: first as u8,
            positions: [0; MAX_SLOTS],
            reuse: 0,
            named: 0,
            repeats: 0,
            reads: sources.iter().copied().collect(),
        };
        for (slot, &source) in sources.iter().enumerate() {
            round.slots[slot] = source;
            round.positions[slot] = instruction.positions[first + slot] & 3;
            set(&mut round.reuse, slot, instruction.is_reused(first + slot));
            set(&mut round.named, slot, instruction.named.contains(source));
            set(&mut round.repeats, slot, sources[..slot].contains(&source));
        }
        round
    }

    #[inline]
    pub fn sources(&self) -> &[RegisterId] {
        &self.slots[..usize::from(self.count)]
    }
}

impl Decoded {
    pub fn new(instruction: &StaticInstruction, config: &Config, mlds: bool, multicasts: bool) -> Decoded {
        let Execution { unit, timing, memory } = Execution::of(instruction, config);
        let slots = config.hardware.slots;
        let uniform_address = instruction.slots.iter().all(|slots| slots & 1 == 0);
        let count = instruction.sources.len();
        let round = |first| Round::new(instruction, first, slots.min(count - first));
        let further = (slots..count).step_by(slots).map(round).collect();
        let mut operation = DefaultHasher::new();
        instruction.opcode.hash(&mut operation);
        let reads = RegisterSet::from_iter(instruction.sources.iter().copied());
        let writes = RegisterSet::from_iter(instruction.destinations.iter().copied());
        Decoded {
            pc: instruction.pc,
            unit: unit as u8,
            timing,
            barrier: instruction.barrier,
            memory,
            width: u64::from(instruction.width),
            constant: instruction.constant.filter(|_| memory.is_none()),
            uniform_address,
            source_cycles: config.memory.source_cycles(instruction, uniform_address),
            returns_pairs: memory
                .is_some_and(|memory| matches!(memory.space, MemorySpace::Shared | MemorySpace::Constant)),
            copies: instruction.copies_to_shared(),
            mlds,
            multicasts,
            operation: operation.finish(),
            first: round(0),
            further,
            destinations: instruction.destinations.clone(),
            named_count: instruction.named_source_count,
            writes,
            touches: reads.union(writes),
            operations: Box::default(),
            needs_pool: false,
        }
    }

    /// Divides the sources into rounds of so many each.
    pub fn divide(&mut self, instruction: &StaticInstruction, counts: impl IntoIterator<Item = usize>) {
        let mut first = 0;
        let mut rounds = counts.into_iter().map(|count| {
            let round = Round::new(instruction, first, count);
            first += count;
            round
        });
        if let Some(round) = rounds.next() {
            self.first = round;
        }
        self.further = rounds.collect();
    }

    /// The round of this number, from 0.
    #[inline]
    pub fn round(&self, number: u8) -> &Round {
        match number {
            0 => &self.first,
            _ => &self.further[usize::from(number) - 1],
        }
    }

    /// Number of the last round.
    #[inline]
    pub fn last_round(&self) -> u8 {
        self.further.len() as u8
    }

    /// Source registers, of all rounds.
    pub fn source_count(&self) -> usize {
        let last = self.round(self.last_round());
        usize::from(last.first) + last.sources().len()
    }
}

#[cfg(test)]
mod tests {
    use gpurf_trace::{Instruction, Program, Register};

    use super::*;

    /// First source and registers of each round, on collectors with so many slots.
    fn rounds(opcode: &str, sources: &[u8], slots: usize) -> Vec<(u8, Vec<u8>)> {
        let config = Config::load(None, &[format!("slots={slots}"), "entries=16".into()]).unwrap();
        let sources: Vec<Register> = sources.iter().map(|&source| Register::vector(source)).collect();
        let destination = Some(Register::vector(24));
        let instruction =
            Instruction { pc: 0, opcode, destination, sources: &sources, width: 0, immediates: [0; 2] };
        let mut program = Program::default();
        let place = program.intern(&instruction).unwrap();
        let decoded = Decoded::new(&program[place], &config, false, false);
        assert_eq!(decoded.source_count(), program[place].sources.len());
        let named = (0..=decoded.last_round()).map(|number| decoded.round(number).named.count_ones());
        assert_eq!(named.sum::<u32>(), u32::from(decoded.named_count));
        (0..=decoded.last_round())
            .map(|number| {
                let round = decoded.round(number);
                assert!(round.sources().iter().all(|&source| round.reads.contains(source)));
                assert_eq!(round.reads.len() as usize, round.sources().len());
                (round.first, round.sources().iter().map(|source| source.0).collect())
            })
            .collect()
    }

    #[test]
    fn what_has_a_slot_for_each_source_goes_in_one_round() {
        assert_eq!(rounds("MOV", &[], 7), [(0, vec![])]);
        assert_eq!(rounds("HMMA.1688.F32", &[8, 12, 16], 7), [(0, vec![8, 9, 12, 16, 17, 18, 19])]);
        assert_eq!(rounds("HMMA.16816.F16", &[8, 12, 16], 8).len(), 1);
    }

    #[test]
    fn rounds_take_the_sources_in_order_and_fill_the_slots() {
        let product = |slots| rounds("HMMA.16816.F32", &[8, 12, 16], slots);
        assert_eq!(product(7), [(0, vec![8, 9, 10, 11, 12, 13, 16]), (7, vec![17, 18, 19])]);
        assert_eq!(product(8), [(0, vec![8, 9, 10, 11, 12, 13, 16, 17]), (8, vec![18, 19])]);
        assert_eq!(product(5), [(0, vec![8, 9, 10, 11, 12]), (5, vec![13, 16, 17, 18, 19])]);
        let accumulators = rounds("HGMMA.64x256x16.F32", &[8, 24], 7);
        assert_eq!(accumulators.len(), 19, "4 + 128 registers");
        let taken: Vec<u8> = accumulators.into_iter().flat_map(|(_, registers)| registers).collect();
        assert_eq!(taken, (8..12).chain(24..152).collect::<Vec<u8>>());
    }
}
