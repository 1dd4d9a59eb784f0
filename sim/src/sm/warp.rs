//! A warp on the SM: its place in the instruction stream, its scoreboard, its tokens.

use gpurf_hw::operand_stage::MAX_SLOTS;
use gpurf_trace::{DynamicInstruction, RegisterSet};

use super::decoded::Decoded;

/// Why a warp can or cannot issue its next instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Ready,
    /// A register is still to come from memory.
    Memory,
    /// A register is still to come from a unit, or still to be read by an older instruction.
    Dependence,
    Barrier,
    /// All instructions are issued.
    Issued,
}

/// A warp slot of a sub-core, with the warp that lies in it.
pub(super) struct Warp {
    /// Block slot.
    pub block: usize,
    /// First bank row.
    pub base: u32,
    instructions: Vec<DynamicInstruction>,
    next: usize,
    /// Number of the first instruction among all of the run.
    pub first_serial: u32,
    /// Addresses of the instructions issued last, the newest first.
    recent: [u32; RECENT],
    /// Registers loaded since the warp's present strand began: see [`super::two_level`].
    strand_loads: RegisterSet,
    /// Results still to be written.
    pending: RegisterSet,
    /// Those of them that come from memory.
    pending_loads: RegisterSet,
    /// Operands of instructions in collectors.
    reading: RegisterSet,
    pub at_barrier: bool,
    /// Instructions in collectors, registers to be written and stores to be acknowledged.
    pub outstanding: u32,
    /// Registers that the warp wrote.
    written: RegisterSet,
    /// Token of each register's latest writer in program order.
    tokens: Box<[u32; 256]>,
}

/// Instructions in the window of a bypassing operand collector, at most.
const RECENT: usize = 8;
/// From one instruction to the next; less before Volta.
const INSTRUCTION_BYTES: u32 = 16;

/// What the operands of an instruction must be.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Expected {
    pub tokens: [u32; MAX_SLOTS],
    /// Bit i: source i was written by the warp, so that its token is known.
    pub known: u8,
}

/// The value that instruction number `serial` of the run writes into `register`.
///
/// Warps number their instructions from their launch on, each in a range of its own. The serial stands for warp and place in program order; 2^24 instructions later it comes again.
pub(super) fn token(serial: u32, register: u8) -> u32 {
    serial << 8 | u32::from(register)
}

impl Warp {
    pub fn empty() -> Self {
        Warp {
            block: 0,
            base: 0,
            instructions: Vec::new(),
            next: 0,
            first_serial: 0,
            recent: [0; RECENT],
            strand_loads: RegisterSet::default(),
            pending: RegisterSet::default(),
            pending_loads: RegisterSet::default(),
            reading: RegisterSet::default(),
            at_barrier: false,
            outstanding: 0,
            written: RegisterSet::default(),
            tokens: Box::new([0; 256]),
        }
    }

    /// Puts a new warp into the slot.
    pub fn launch(&mut self, block: usize, base: u32, instructions: Vec<DynamicInstruction>, serial: u32) {
        self.block = block;
        self.base = base;
        self.instructions = instructions;
        self.next = 0;
        self.first_serial = serial;
        self.strand_loads = RegisterSet::default();
        self.written = RegisterSet::default();
    }

    pub fn is_issued(&self) -> bool {
        self.next == self.instructions.len()
    }

    /// Issue is in order. An instruction waits for every result it reads or replaces, and for older
    /// instructions of the warp to have read what it writes. The papers assume this scoreboard; it
    /// looks at an instruction without active lanes as at any other.
    pub fn state(&self, decoded: &[Decoded]) -> State {
        let Some(instruction) = self.instructions.get(self.next) else {
            return State::Issued;
        };
        if self.at_barrier {
            return State::Barrier;
        }
        let decoded = &decoded[instruction.static_index as usize];
        if decoded.touches.intersects(&self.pending_loads) {
            State::Memory
        } else if decoded.touches.intersects(&self.pending) || decoded.writes.intersects(&self.reading) {
            State::Dependence
        } else {
            State::Ready
        }
    }

    /// The next instruction, and its number among all of the run.
    pub fn head(&self) -> (&DynamicInstruction, u32) {
        (&self.instructions[self.next], self.first_serial.wrapping_add(self.next as u32))
    }

    /// Whether a branch has left the window of so many instructions before the next one: see
    /// [`gpurf_hw::collector::Boc`]. A warp's first instruction has none before it.
    pub fn leaves_window(&self, pc: u32, window: usize) -> bool {
        let issued = self.next.min(window);
        let follows = issued > 0 && pc > self.recent[0] && pc - self.recent[0] <= INSTRUCTION_BYTES;
        !follows && !self.recent[..issued].contains(&pc)
    }

    /// Whether the next instruction uses what was loaded in the present strand, which then ends.
    pub fn ends_strand(&mut self, decoded: &[Decoded]) -> bool {
        let next = self.instructions.get(self.next).map(|next| &decoded[next.static_index as usize]);
        let ends = next.is_some_and(|next| next.touches.intersects(&self.strand_loads));
        if ends {
            self.strand_loads = RegisterSet::default();
        }
        ends
    }

    /// The next instruction leaves the stream.
    pub fn issue(&mut self, decoded: &[Decoded]) -> (DynamicInstruction, Expected) {
        let (&instruction, serial) = self.head();
        let decoded = &decoded[instruction.static_index as usize];
        let mut expected = Expected::default();
        for (slot, &source) in decoded.sources().iter().enumerate() {
            expected.tokens[slot] = self.tokens[usize::from(source)];
            expected.known |= u8::from(self.written.contains(source)) << slot;
        }
        self.reading = self.reading.union(decoded.reads);
        if instruction.mask != 0 {
            self.pending = self.pending.union(decoded.writes);
            if decoded.memory.is_some() {
                self.pending_loads = self.pending_loads.union(decoded.writes);
                self.strand_loads = self.strand_loads.union(decoded.writes);
            }
            self.written = self.written.union(decoded.writes);
            for &destination in decoded.destinations() {
                self.tokens[usize::from(destination)] = token(serial, destination);
            }
        }
        self.recent.copy_within(..RECENT - 1, 1);
        self.recent[0] = decoded.pc;
        self.next += 1;
        self.outstanding += 1;
        (instruction, expected)
    }

    /// An instruction has left its collector; `reading` are the operands of those still there.
    pub fn dispatch(&mut self, reading: RegisterSet) {
        self.reading = reading;
    }

    /// A result is written.
    pub fn write(&mut self, register: u8) {
        self.pending.remove(register);
        self.pending_loads.remove(register);
    }
}
