//! What the SM needs of a static instruction, ready for use in every cycle.

use std::hash::{DefaultHasher, Hash, Hasher};

use gpurf_blocks::MAX_SLOTS;
use gpurf_trace::{Memory, RegisterId, RegisterSet, StaticInstruction};

use super::execution::Execution;
use crate::config::{Config, Timing};

#[derive(Clone, Copy, Debug)]
pub(super) struct Decoded {
    pub pc: u32,
    pub unit: u8,
    pub timing: Timing,
    pub barrier: bool,
    /// Present if it goes to the load/store unit.
    pub memory: Option<Memory>,
    /// Bytes a thread moves.
    pub width: u64,
    /// A multicasting load, MLDS.
    pub mlds: bool,
    /// It goes to the multicasting unit, if there is one.
    pub multicasts: bool,
    /// Equal for equal opcodes.
    pub operation: u64,
    /// R0 in slots that it does not use.
    sources: [RegisterId; MAX_SLOTS],
    source_count: u8,
    /// Of each source, the operand that it belongs to, 0 to 3.
    pub positions: [u8; MAX_SLOTS],
    /// Bit i: source i has the compiler's reuse flag.
    pub reuse: u16,
    destinations: [RegisterId; MAX_WRITTEN],
    destination_count: u8,
    /// Bit i: source i is an earlier source's register too. Only operands that a trace names have such.
    pub repeats: u16,
    /// Source registers named before widening.
    pub named_count: u8,
    /// Bit i: source i is one of them.
    pub named: u16,
    pub reads: RegisterSet,
    pub writes: RegisterSet,
    /// Registers read or written.
    pub touches: RegisterSet,
    /// Before it, a register is live, or by it one is written, that its warp has to take from the shared pool.
    pub needs_pool: bool,
}

/// Registers that an instruction writes at most.
const MAX_WRITTEN: usize = 16;

impl Decoded {
    /// `None` if the instruction reads more registers than the collectors have source slots.
    pub fn new(
        instruction: &StaticInstruction,
        config: &Config,
        mlds: bool,
        multicasts: bool,
    ) -> Option<Decoded> {
        if instruction.sources.len() > config.hardware.slots {
            return None;
        }
        let Execution { unit, timing, memory } = Execution::of(instruction, config);
        let mut sources = [RegisterId::default(); MAX_SLOTS];
        sources[..instruction.sources.len()].copy_from_slice(&instruction.sources);
        let mut positions = [0; MAX_SLOTS];
        for (known, &position) in positions.iter_mut().zip(&instruction.positions) {
            *known = position & 3;
        }
        let mut destinations = [RegisterId::default(); MAX_WRITTEN];
        destinations[..instruction.destinations.len()].copy_from_slice(&instruction.destinations);
        let mut operation = DefaultHasher::new();
        instruction.opcode.hash(&mut operation);
        let numbered = instruction.sources.iter().enumerate();
        let repeats = numbered.filter(|&(number, source)| instruction.sources[..number].contains(source));
        let reads = RegisterSet::from_iter(instruction.sources.iter().copied());
        let writes = RegisterSet::from_iter(instruction.destinations.iter().copied());
        Some(Decoded {
            pc: instruction.pc,
            unit: unit as u8,
            timing,
            barrier: instruction.barrier,
            memory,
            width: u64::from(instruction.width),
            mlds,
            multicasts,
            operation: operation.finish(),
            sources,
            source_count: instruction.sources.len() as u8,
            positions,
            reuse: instruction.reuse,
            destinations,
            destination_count: instruction.destinations.len() as u8,
            repeats: repeats.fold(0, |repeats, (number, _)| repeats | 1 << number),
            named_count: instruction.named_source_count,
            named: instruction.named,
            reads,
            writes,
            touches: reads.union(writes),
            needs_pool: false,
        })
    }

    #[inline]
    pub fn sources(&self) -> &[RegisterId] {
        &self.sources[..usize::from(self.source_count)]
    }

    /// The source register of each slot; R0 in slots that it does not use.
    #[inline]
    pub fn slots(&self) -> &[RegisterId; MAX_SLOTS] {
        &self.sources
    }

    #[inline]
    pub fn destinations(&self) -> &[RegisterId] {
        &self.destinations[..usize::from(self.destination_count)]
    }
}
