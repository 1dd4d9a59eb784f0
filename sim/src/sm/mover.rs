// SPDX-License-Identifier: Apache-2.0
//! Moves the registers of blocks that switch: through the RMU into the PCRF and back (FineReg), or to DRAM
//! and back (Reg+DRAM).
//!
//! A register leaves the banks through a port of the arbiter: R has the register index sent "to the ACRF
//! through arbitrator". Without `finereg.transfer_port` it leaves as an instruction reads it, through issue
//! slot, arbiter, bank and collector. It comes back as a result is written. What moves are the values that
//! the banks hold.
//!
//! Between the RMU and the arbiters stands a register each way: what the RMU asks for in cycle t is at its
//! bank's arbiter in t + 1, and its value at the RMU in t + 2 at the earliest.
//!
//! Without a switch the RMU sees no clock edge. A look-up that misses its cache reads 12 bytes of memory
//! through L2 (R §V-F).

use gpurf_trace::RegisterId;
use std::collections::VecDeque;

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::RmuIn;
use gpurf_blocks::{CTA_WARPS, RMU_BUFFERS};

use super::machine::Machine;
use super::names::{BlockId, BlockPlace};
use super::occupancy::Occupancy;
use super::resident::Resident;
use crate::engines::{RmuEngine, RunsSubCore};

/// Registers that have to move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(super) struct Moves {
    /// The place of a block that leaves.
    pub store: Option<BlockPlace>,
    /// The place of a block that comes.
    pub restore: Option<BlockPlace>,
}

/// Bits of a program counter in an address of code.
pub(super) const CODE_BITS: u32 = 20;

/// How far a move has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    Moving,
    Done,
    /// There is no room; nothing has moved.
    Refused,
}

/// Where the vectors of live registers lie in memory, 12 bytes for each instruction.
const VECTORS: u64 = 0x7e00_0000_0000;
const VECTOR_BYTES: u64 = 12;
const INSTRUCTION_BYTES: u64 = 16;

/// A request to the RMU.
#[derive(BorshSerialize, BorshDeserialize)]
pub(super) struct RmuMove {
    moves: Moves,
    requested: bool,
    /// Warps to look up with their program counters, and how many have been.
    places: [(u8, u32); CTA_WARPS],
    count: usize,
    looked_up: usize,
    /// A vector on its way: the cycle in which it is there, and its program counter.
    vector: Option<(u64, u32)>,
    /// The sub-cores that read registers, in their order.
    reading: VecDeque<usize>,
}

impl RmuMove {
    /// `code`: address of the kernel's code.
    pub fn new<E>(moves: Moves, code: u32, machine: &Machine<E>) -> Self {
        let mut moving = RmuMove {
            moves,
            requested: false,
            places: [(0, 0); CTA_WARPS],
            count: 0,
            looked_up: 0,
            vector: None,
            reading: VecDeque::with_capacity(RMU_BUFFERS),
        };
        if let Some(BlockPlace { block, .. }) = moves.store {
            let resident = machine.context.blocks.get(block);
            for number in warps(resident) {
                let warp = resident.contexts[number].as_ref().expect("there");
                let pc = machine.context.code.of(warp.head().0).pc;
                moving.places[moving.count] = (number as u8, code | pc);
                moving.count += 1;
            }
        }
        moving
    }

    /// One cycle of the RMU, which engine `rmu` runs.
    pub fn step<E: RunsSubCore>(
        &mut self,
        rmu: &mut RmuEngine,
        machine: &mut Machine<E>,
        occupancy: &Occupancy,
    ) -> Progress {
        let now = machine.context.clock.now;
        let Moves { store, restore } = self.moves;
        let mut inputs = RmuIn {
            request: !self.requested,
            store: store.is_some(),
            outgoing: store.map_or(0, |place| place.block.0 as u32),
            restore: restore.is_some(),
            incoming: restore.map_or(0, |place| place.block.0 as u32),
            warp_valid: self.requested && self.looked_up < self.count,
            memory_ready: self.vector.is_none(),
            acrf_read_ready: machine.sub_cores.iter().all(|sub_core| sub_core.can_save()),
            acrf_write_ready: true,
            ..RmuIn::default()
        };
        if inputs.warp_valid {
            let (warp, pc) = self.places[self.looked_up];
            (inputs.warp, inputs.pc) = (warp.into(), pc);
            inputs.warp_last = self.looked_up + 1 == self.count;
        }
        if let Some((_, pc)) = self.vector.take_if(|(cycle, _)| *cycle <= now) {
            let liveness = machine.context.code.liveness.as_ref().expect("FineReg has the live registers");
            let live = liveness.at(pc & ((1 << CODE_BITS) - 1)).low_word();
            inputs.memory_answer = true;
            (inputs.memory_low, inputs.memory_high) = (live as u32, (live >> 32) as u32);
        }
        let oldest = self.reading.front();
        if let Some(value) = oldest.and_then(|&sub_core| machine.sub_cores[sub_core].saved_register()) {
            self.reading.pop_front();
            (inputs.acrf_answer, inputs.acrf_answer_data) = (true, value);
        }

        let outputs = rmu.settle(&inputs);
        rmu.tick();
        self.requested |= outputs.ready;
        self.looked_up += usize::from(inputs.warp_valid && outputs.warp_ready);
        if outputs.memory_request && inputs.memory_ready {
            let address = VECTORS + VECTOR_BYTES * (u64::from(outputs.memory_pc) / INSTRUCTION_BYTES);
            let arrival =
                machine.context.memory.unit.l2.fetch(now, address, &mut machine.context.records.counters);
            self.vector = Some((arrival, outputs.memory_pc));
        }
        if outputs.acrf_read && inputs.acrf_read_ready {
            let from = store.expect("registers of the outgoing block");
            let register = RegisterId(outputs.acrf_read_register as u8);
            self.reading.push_back(save(machine, occupancy, from, outputs.acrf_read_warp as usize, register));
        }
        if outputs.acrf_write {
            let to = restore.expect("registers of the incoming block");
            let register = RegisterId(outputs.acrf_write_register as u8);
            let warp = outputs.acrf_write_warp as usize;
            write(machine, occupancy, to, warp, register, outputs.acrf_write_data);
        }
        let counters = &mut machine.context.records.blocks;
        counters.vector_hits += u64::from(outputs.cache_hit);
        counters.vector_misses += u64::from(outputs.cache_miss);
        counters.rmu_cycles += 1;
        if outputs.done && store.is_some() {
            counters.stored += 1;
            counters.stored_over_63 += u64::from(outputs.live_count > 63);
        }
        match (outputs.refused, outputs.done) {
            (true, _) => Progress::Refused,
            (_, true) => Progress::Done,
            _ => Progress::Moving,
        }
    }
}

/// All registers of a block to DRAM, then those of another from there.
#[derive(BorshSerialize, BorshDeserialize)]
pub(super) struct DramMove {
    moves: Moves,
    /// Registers read, and asked for, so far.
    stored: usize,
    loaded: usize,
    reading: Option<usize>,
    /// Registers on their way: when each is there, and which it is.
    coming: VecDeque<(u64, usize)>,
}

impl DramMove {
    pub fn new(moves: Moves) -> Self {
        DramMove { moves, stored: 0, loaded: 0, reading: None, coming: VecDeque::new() }
    }

    pub fn step<E: RunsSubCore>(&mut self, machine: &mut Machine<E>, occupancy: &Occupancy) -> Progress {
        let all = occupancy.warps * occupancy.registers;
        if let Some(from) = self.moves.store.filter(|_| self.stored < all) {
            self.store(machine, occupancy, from);
            return Progress::Moving;
        }
        if let Some(to) = self.moves.restore {
            self.load(machine, occupancy, to);
            if self.loaded < all || !self.coming.is_empty() {
                return Progress::Moving;
            }
        }
        Progress::Done
    }

    fn store<E: RunsSubCore>(&mut self, machine: &mut Machine<E>, occupancy: &Occupancy, from: BlockPlace) {
        if let Some(sub_core) = self.reading {
            let Some(value) = machine.sub_cores[sub_core].saved_register() else { return };
            let registers = &mut machine.context.blocks.get_mut(from.block).stored;
            registers.resize(occupancy.warps * occupancy.registers, 0);
            registers[self.stored] = value;
            machine.context.records.blocks.context_sectors +=
                machine.context.memory.unit.l2.store_register(machine.context.clock.now, self.stored as u64);
            self.reading = None;
            self.stored += 1;
        }
        self.stored = self.next(machine, occupancy, from.block, self.stored);
        if self.stored < occupancy.warps * occupancy.registers {
            let (warp, register) = (self.stored / occupancy.registers, self.stored % occupancy.registers);
            self.reading = Some(save(machine, occupancy, from, warp, RegisterId(register as u8)));
        }
    }

    fn load<E: RunsSubCore>(&mut self, machine: &mut Machine<E>, occupancy: &Occupancy, to: BlockPlace) {
        let now = machine.context.clock.now;
        self.loaded = self.next(machine, occupancy, to.block, self.loaded);
        if self.loaded < occupancy.warps * occupancy.registers {
            let (arrival, sectors) = machine.context.memory.unit.l2.load_register(now, self.loaded as u64);
            machine.context.records.blocks.context_sectors += sectors;
            self.coming.push_back((arrival, self.loaded));
            self.loaded += 1;
        }
        if let Some(&(_, index)) = self.coming.front().filter(|(arrival, _)| *arrival <= now) {
            self.coming.pop_front();
            let value = machine.context.blocks.get_mut(to.block).stored[index];
            let (warp, register) = (index / occupancy.registers, index % occupancy.registers);
            write(machine, occupancy, to, warp, RegisterId(register as u8), value);
        }
    }

    /// The first register from `index` on whose warp has not ended.
    fn next<E>(&self, machine: &Machine<E>, occupancy: &Occupancy, block: BlockId, index: usize) -> usize {
        let resident = machine.context.blocks.get(block);
        let warp = index / occupancy.registers;
        match warps(resident).find(|&found| found >= warp) {
            Some(found) if found == warp => index,
            Some(found) => found * occupancy.registers,
            None => occupancy.warps * occupancy.registers,
        }
    }
}

/// Numbers of the warps that have not ended, of a block without a slot.
fn warps(resident: &Resident) -> impl Iterator<Item = usize> + '_ {
    let live = |number: &usize| resident.contexts[*number].as_ref().is_some_and(|warp| !warp.is_issued());
    (0..resident.contexts.len()).filter(live)
}

/// Has a register read; the sub-core that does.
fn save<E>(
    machine: &mut Machine<E>,
    occupancy: &Occupancy,
    BlockPlace { slot, region, .. }: BlockPlace,
    number: usize,
    register: RegisterId,
) -> usize
where
    E: RunsSubCore,
{
    let (sub_core, warp) = occupancy.place(slot, number);
    let base = occupancy.base(region, number);
    machine.sub_cores[sub_core].save_register(warp, register, base);
    sub_core
}

fn write<E>(
    machine: &mut Machine<E>,
    occupancy: &Occupancy,
    BlockPlace { slot, region, .. }: BlockPlace,
    number: usize,
    register: RegisterId,
    value: u32,
) where
    E: RunsSubCore,
{
    let (sub_core, warp) = occupancy.place(slot, number);
    machine.sub_cores[sub_core].restore_register(warp, register, occupancy.base(region, number), value);
}
