// SPDX-License-Identifier: Apache-2.0
//! A warp on the SM: its place in the instruction stream, its scoreboard, its tokens.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::{Row, MAX_SLOTS};
use gpurf_trace::liveness::visit_places;
use gpurf_trace::{DynamicInstruction, Liveness, MemorySpace, RegisterId, RegisterSet};

use super::decoded::Decoded;
use super::names::BlockId;

/// Why a warp can or cannot issue its next instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Ready,
    /// A register is still to come from memory.
    Memory,
    /// One is still to come from shared memory, and none from elsewhere.
    SharedMemory,
    /// A register is still to come from a unit, or still to be read by an older instruction.
    Dependence,
    Barrier,
    /// Registers that it fetches have not come: see [`super::prefetch`].
    Prefetch,
    /// The registers it needs beyond its own are with other warps: see [`super::pool`].
    Pool,
    /// All instructions are issued.
    Issued,
}

/// A warp slot of a sub-core, with the warp that lies in it.
#[derive(BorshSerialize, BorshDeserialize)]
pub(super) struct Warp {
    /// Its block among the residents, and its number in it.
    pub block: BlockId,
    pub number: u16,
    /// First bank row.
    pub base: Row,
    instructions: Vec<DynamicInstruction>,
    next: usize,
    /// Number of its next round, of the next instruction: see [`super::decoded::Round`].
    round: u8,
    /// Number of the first instruction among all of the run.
    pub first_serial: u32,
    /// Addresses of the instructions issued last, round by round, the newest first.
    recent: [u32; RECENT],
    /// Registers loaded since the warp's present strand began: see [`crate::issue::ActiveSet`].
    strand_loads: RegisterSet,
    /// Results still to be written.
    pending: RegisterSet,
    /// The ones of them that come from memory, and of those the ones that L1 did not hold.
    pending_loads: RegisterSet,
    /// The ones of them from shared memory.
    pending_shared: RegisterSet,
    pending_long: RegisterSet,
    /// Operands of instructions in collectors.
    reading: RegisterSet,
    pub at_barrier: bool,
    /// Since it has issued, it has come into its slot instead of another warp, or names another row for a
    /// register, which collectors that cache do not see.
    pub is_to_be_flushed: bool,
    /// The section of the shared pool that it has.
    pub section: Option<u8>,
    /// Instructions in collectors, registers to be written and stores to be acknowledged.
    pub outstanding: u32,
    /// The value of each register in program order.
    values: Box<[ExpectedValue; 256]>,
}

/// Instructions in the window of a bypassing operand collector, at most.
const RECENT: usize = 8;
/// From one instruction to the next; less before Volta.
const INSTRUCTION_BYTES: u32 = 16;
/// No instruction's address.
const NOWHERE: u32 = u32::MAX;

/// The value that a register must hold.
#[derive(Clone, Copy, Debug, Default, BorshSerialize, BorshDeserialize)]
pub(super) struct ExpectedValue {
    /// Token of its latest writer, lane by lane.
    pub token: u32,
    /// Lanes that the warp wrote, so that their tokens are known.
    pub known: u32,
}

/// The values that the operands of an instruction must have, in as many places as it has sources.
pub(super) type Expected = [ExpectedValue; MAX_SLOTS];

/// The value that instruction number `serial` of the run writes into `register`. A lane has one bit of it,
/// and two values differ in any lane with even chance: the number of both is scattered, one to one.
///
/// Warps number their instructions from their launch on, each in a range of its own. The serial stands for
/// warp and place in program order; 2^24 instructions later it comes again.
#[inline]
pub fn token(serial: u32, register: RegisterId) -> u32 {
    scatter(serial << 8 | u32::from(register))
}

/// Each bit of the result depends on every bit of the number, which can be had back from it.
#[inline]
fn scatter(number: u32) -> u32 {
    let number = (number ^ number >> 16).wrapping_mul(0x7feb_352d);
    let number = (number ^ number >> 15).wrapping_mul(0x846c_a68b);
    number ^ number >> 16
}

impl Warp {
    pub fn empty() -> Self {
        Warp {
            block: BlockId(0),
            number: 0,
            base: Row(0),
            instructions: Vec::new(),
            next: 0,
            round: 0,
            first_serial: 0,
            recent: [NOWHERE; RECENT],
            strand_loads: RegisterSet::default(),
            pending: RegisterSet::default(),
            pending_loads: RegisterSet::default(),
            pending_shared: RegisterSet::default(),
            pending_long: RegisterSet::default(),
            reading: RegisterSet::default(),
            at_barrier: false,
            is_to_be_flushed: false,
            section: None,
            outstanding: 0,
            values: Box::new([ExpectedValue::default(); 256]),
        }
    }

    /// Puts a new warp into the slot.
    pub fn launch(
        &mut self,
        (block, number): (BlockId, u16),
        base: Row,
        instructions: Vec<DynamicInstruction>,
        serial: u32,
    ) {
        self.block = block;
        self.number = number;
        self.base = base;
        self.instructions = instructions;
        self.next = 0;
        self.round = 0;
        self.first_serial = serial;
        self.recent = [NOWHERE; RECENT];
        self.strand_loads = RegisterSet::default();
        self.values.fill(ExpectedValue::default());
        self.is_to_be_flushed = false;
        self.section = None;
    }

    #[inline]
    pub fn is_issued(&self) -> bool {
        self.next == self.instructions.len()
    }

    /// Issue is in order. An instruction waits for every result it reads or replaces, and for older
    /// instructions of the warp to have read what it writes. The papers assume this scoreboard; it
    /// looks at an instruction without active lanes as at any other.
    #[inline]
    pub fn state(&self, decoded: &[Decoded]) -> State {
        let Some(instruction) = self.instructions.get(self.next) else {
            return State::Issued;
        };
        if self.at_barrier {
            return State::Barrier;
        }
        // What it waited for has come, and nothing of the warp can issue between two rounds.
        if self.round > 0 {
            return State::Ready;
        }
        let decoded = &decoded[instruction.static_index as usize];
        if decoded.touches.intersects(&self.pending) {
            self.awaited(decoded)
        } else if decoded.writes.intersects(&self.reading) {
            State::Dependence
        } else {
            State::Ready
        }
    }

    /// The same without a scoreboard.
    pub fn place(&self) -> State {
        match () {
            () if self.is_issued() => State::Issued,
            () if self.at_barrier => State::Barrier,
            () => State::Ready,
        }
    }

    /// A load of it has not come.
    pub fn awaits_load(&self) -> bool {
        !self.pending_loads.is_empty()
    }

    /// The origin of the results that an instruction waits for.
    #[inline(never)]
    fn awaited(&self, decoded: &Decoded) -> State {
        if !decoded.touches.intersects(&self.pending_loads) {
            State::Dependence
        } else if decoded.touches.intersects(&self.pending_loads.difference(self.pending_shared)) {
            State::Memory
        } else {
            State::SharedMemory
        }
    }

    /// The next instruction, and its number among all of the run.
    #[inline]
    pub fn head(&self) -> (&DynamicInstruction, u32) {
        (&self.instructions[self.next], self.next_serial())
    }

    /// The number of the next instruction, or of the end.
    #[inline]
    pub fn next_serial(&self) -> u32 {
        self.first_serial.wrapping_add(self.next as u32)
    }

    /// Number of the round that is issued next.
    #[inline]
    pub fn round(&self) -> u8 {
        self.round
    }

    /// Returns true if a branch has left the window of so many instructions before the next one: see
    /// the hardware, `hw/src/collector/boc.rs`. A warp's first instruction has none before it.
    pub fn leaves_window(&self, pc: u32, window: usize) -> bool {
        let follows = pc > self.recent[0] && pc - self.recent[0] <= INSTRUCTION_BYTES;
        !follows && !self.recent[..window].contains(&pc)
    }

    /// Returns true if the next instruction uses what was loaded in the present strand, which then ends.
    pub fn ends_strand(&mut self, decoded: &[Decoded]) -> bool {
        let next = self.instructions.get(self.next).map(|next| &decoded[next.static_index as usize]);
        let ends = next.is_some_and(|next| next.touches.intersects(&self.strand_loads));
        if ends {
            self.strand_loads = RegisterSet::default();
        }
        ends
    }

    /// The next round is issued; with its last one the next instruction leaves the stream. `by_lane`: it
    /// writes its active lanes only, else registers as a whole. `expected`: set to what the operands of the
    /// round must be.
    #[inline(always)]
    pub fn issue(
        &mut self,
        decoded: &[Decoded],
        by_lane: bool,
        expected: &mut Expected,
    ) -> DynamicInstruction {
        let (&instruction, serial) = self.head();
        let decoded = &decoded[instruction.static_index as usize];
        let round = decoded.round(self.round);
        for (expected, &source) in expected.iter_mut().zip(round.sources()) {
            *expected = self.values[source.index()];
        }
        self.reading = self.reading.union(round.reads);
        self.recent.copy_within(..RECENT - 1, 1);
        self.recent[0] = decoded.pc;
        self.is_to_be_flushed = false;
        if self.round < decoded.last_round() {
            self.round += 1;
            return instruction;
        }
        if instruction.mask != 0 {
            self.pending = self.pending.union(decoded.writes);
            if decoded.memory.is_some() {
                self.pending_loads = self.pending_loads.union(decoded.writes);
                self.strand_loads = self.strand_loads.union(decoded.writes);
                if decoded.memory.is_some_and(|memory| memory.space == MemorySpace::Shared) {
                    self.pending_shared = self.pending_shared.union(decoded.writes);
                }
            }
            let lanes = if by_lane { instruction.mask } else { u32::MAX };
            for &destination in &decoded.destinations {
                let value = &mut self.values[destination.index()];
                value.token = token(serial, destination) & lanes | value.token & !lanes;
                value.known |= lanes;
            }
        }
        self.next += 1;
        self.round = 0;
        self.outstanding += 1;
        instruction
    }

    /// It has skipped a load of these registers, and names those of the leader, whose load has this number.
    pub fn follow(&mut self, leader: u32, destinations: &[RegisterId]) {
        for &register in destinations {
            let token = token(leader, register);
            self.values[register.index()] = ExpectedValue { token, known: u32::MAX };
        }
    }

    /// Results still to be written.
    pub fn pending(&self) -> RegisterSet {
        self.pending
    }

    /// Instructions still to issue.
    pub fn rest(&self) -> &[DynamicInstruction] {
        &self.instructions[self.next..]
    }

    /// Its live registers.
    pub fn live(&self, liveness: &Liveness, decoded: &[Decoded]) -> RegisterSet {
        let mut threads = 0;
        let more = |instruction: &&DynamicInstruction| {
            threads |= instruction.mask;
            threads != u32::MAX
        };
        self.rest().iter().take_while(more).for_each(drop);
        let mut live = RegisterSet::default();
        visit_places(self.rest(), threads, |instruction| {
            live = live.union(liveness.at(decoded[instruction.static_index as usize].pc));
        });
        live
    }

    /// Neither live nor under way is any register that is not its own.
    pub fn can_return(&self, own: RegisterSet, liveness: &Liveness, decoded: &[Decoded]) -> bool {
        let used = self.pending.union(self.reading);
        used.is_subset(&own) && self.live(liveness, decoded).is_subset(&own)
    }

    /// The registers that are not its own are lost.
    pub fn return_section(&mut self, own: RegisterSet) {
        self.section = None;
        let others = (0..=u8::MAX).map(RegisterId).filter(|&register| !own.contains(register));
        // What no instruction writes: R255 is RZ.
        others.for_each(|register| self.values[register.index()].token = scatter(u32::MAX));
    }

    /// A load turns out to take long.
    pub fn takes_long(&mut self, destinations: &[RegisterId]) {
        destinations.iter().for_each(|&register| self.pending_long.insert(register));
    }

    /// Results have come, and are about to be written.
    #[inline]
    pub fn arrive(&mut self, destinations: &[RegisterId]) {
        destinations.iter().for_each(|&register| self.pending_long.remove(register));
    }

    /// The next instruction needs what memory has yet to bring.
    pub fn waits_long(&self, decoded: &[Decoded]) -> bool {
        let next = self.instructions.get(self.next).map(|next| &decoded[next.static_index as usize]);
        next.is_some_and(|next| next.touches.intersects(&self.pending_long))
    }

    /// Nothing of it is under way but loads that take long, and stores.
    pub fn is_quiet(&self) -> bool {
        self.reading.is_empty() && self.pending.is_subset(&self.pending_long)
    }

    /// An instruction has left its collector; `reading` are the operands of those still there.
    #[inline]
    pub fn dispatch(&mut self, reading: RegisterSet) {
        self.reading = reading;
    }

    /// A result of fixed latency may be used; a load into its register is still to come if there is one.
    #[inline]
    pub fn settle(&mut self, register: RegisterId) {
        if !self.pending_loads.contains(register) {
            self.pending.remove(register);
        }
    }

    /// A result is written.
    #[inline]
    pub fn write(&mut self, register: RegisterId) {
        self.pending.remove(register);
        self.pending_loads.remove(register);
        self.pending_shared.remove(register);
    }
}
