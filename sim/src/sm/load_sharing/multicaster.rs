// SPDX-License-Identifier: Apache-2.0
//! The SM's side of the inter-warp multicasting unit (IWMU): I §3.
//!
//! The unit knows a load by {warp, address, source, destination}. What the SM knows of it beside that is kept
//! here until the unit sends it to shared memory.
//!
//! - *Address*: of the first active lane, in the SM's shared memory, so that blocks do not meet.
//! - *Scoreboard*: an instruction issues only when its destination is free, so the unit's question whether it
//!   is (I §3.1) is always answered with yes.
//! - *Duplicated loads* (`mlds.transfers = 2`, Volta): the second has a key of its own, with a destination
//!   128 registers away, where no other load is likely to go.
//! - *Barriers*: see [`Multicaster::begin`].

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{IwmuIn, IwmuOut};
use gpurf_blocks::{MAX_CTAS, MAX_WARPS, SUB_CORES};
use gpurf_trace::RegisterId;

use crate::checkpoint::checkpoint;
use crate::config::Config;
use crate::engines::IwmuEngine;
use crate::sm::decoded::Decoded;
use crate::sm::executing::Executing;
use crate::sm::marking::Key;
use crate::sm::names::BlockId;
use crate::statistics::Counters;

use super::versions::ADDRESS_UNIT;

pub(super) struct Multicaster {
    unit: IwmuEngine,
    inputs: IwmuIn,
    /// By sub-core: the load that is offered.
    offered: [Option<LoadPart>; SUB_CORES],
    /// By sub-core: what is taken of the load at the head of its queue.
    taken: [Taken; SUB_CORES],
    /// Parts of a load.
    transfers: u64,
    /// By warp slot: loads that the unit has.
    held: [Vec<LoadPart>; WARP_SLOTS],
    /// The number of them that are outstanding, in all.
    outstanding: usize,
    /// Warp slots whose loads the unit is to release, one bit each.
    releases: u64,
    /// By resident block.
    blocks: [BlockLoads; MAX_CTAS],
    /// Most entries of the load request table in use since the last interval.
    peak: u32,
}

checkpoint! {
    [] Multicaster {
        values: offered taken held outstanding releases blocks peak;
        ports: inputs;
        engines: unit;
        fixed: transfers;
    }
}

const WARP_SLOTS: usize = SUB_CORES * MAX_WARPS;
/// The address of a load as the unit knows it.
fn unit_address(key: &Key) -> u32 {
    (key.address / ADDRESS_UNIT) as u32
}

/// The difference between the destinations of a duplicated load's first and second half.
const SECOND_HALF: u8 = 128;
/// Loads of a warp that wait without the list's growing.
const HELD: usize = 64;

/// A load, or half of a duplicated one, in the unit.
#[derive(Clone, Copy, BorshSerialize, BorshDeserialize)]
pub(super) struct LoadPart {
    pub executing: Executing,
    key: Key,
    section: u32,
    /// Stores to shared memory before it.
    pub stores: u32,
    /// The cycle in which the load's other part completes.
    completion: u64,
}

/// The first parts of a load that waits for its last one to be taken.
#[derive(Clone, Copy, Default, BorshSerialize, BorshDeserialize)]
struct Taken {
    serial: u32,
    parts: u64,
    /// The cycle in which those that are delivered already complete.
    completion: u64,
}

/// Multicasting loads of a block.
#[derive(Clone, Copy, Default, BorshSerialize, BorshDeserialize)]
struct BlockLoads {
    /// The present section of its work, see [`super::sections`].
    section: u32,
    /// Issued, and not yet in the unit or served without it.
    coming: u32,
    /// The ones of them from before that.
    late: u32,
    /// Parts in the unit from before that.
    draining: u32,
    /// A store waits for these: what is late passes the unit by.
    hurried: bool,
}

/// Events of a cycle.
pub(super) struct PartnerStep {
    /// Loads that the unit has taken from the sub-cores' queues, one bit per sub-core.
    pub taken: u8,
    pub grant: Option<GrantedAccess>,
    /// The unit sends a load that it does not have.
    pub unknown: bool,
}

/// An access to shared memory, for one load or two.
pub(super) struct GrantedAccess {
    pub first: LoadPart,
    pub second: Option<LoadPart>,
}

impl Multicaster {
    pub fn new(unit: IwmuEngine, config: &Config) -> Self {
        Multicaster {
            unit,
            inputs: IwmuIn { enable: [true; SUB_CORES], ..IwmuIn::default() },
            offered: [None; SUB_CORES],
            taken: [Taken::default(); SUB_CORES],
            transfers: config.mlds.transfers,
            held: std::array::from_fn(|_| Vec::with_capacity(HELD)),
            outstanding: 0,
            releases: 0,
            blocks: [BlockLoads::default(); MAX_CTAS],
            peak: 0,
        }
    }

    /// A multicasting load of a block issues.
    pub fn issued(&mut self, block: BlockId) {
        self.blocks[block.0].coming += 1;
    }

    /// A multicasting load of a section comes to the unit, or is served without it.
    pub fn arrived(&mut self, block: BlockId, section: u32) {
        let loads = &mut self.blocks[block.0];
        loads.coming -= 1;
        if section != loads.section {
            loads.late -= 1;
            if loads.late == 0 {
                self.release_block(block);
            }
        }
    }

    /// Returns true if the head of a queue, from a section, is to go to the unit.
    pub fn takes(&self, head: &Executing, section: u32, decoded: &Decoded) -> bool {
        let loads = &self.blocks[head.block.0];
        decoded.multicasts
            && (self.taken[head.sub_core].parts > 0 || section == loads.section || !loads.hurried)
    }

    /// A section of a block begins: all of its warps have arrived at a barrier. When the last load from
    /// before it has come to the unit, none asks for those there any more.
    pub fn begin(&mut self, block: BlockId, section: u32) {
        let held = self.held.iter().flatten().filter(|part| part.executing.block == block);
        let draining = held.count() as u32;
        let coming = self.blocks[block.0].coming;
        self.blocks[block.0] = BlockLoads { section, coming, late: coming, draining, hurried: false };
        if coming == 0 {
            self.release_block(block);
        }
    }

    fn is_late(&self, part: &LoadPart) -> bool {
        part.section != self.blocks[part.executing.block.0].section
    }

    /// The unit is to release what it has of a block.
    fn release_block(&mut self, block: BlockId) {
        for (slot, held) in self.held.iter().enumerate() {
            if held.iter().any(|part| part.executing.block == block) {
                self.releases |= 1 << slot;
            }
        }
    }

    /// Returns true if stores of the block to shared memory have to wait for loads from before a barrier.
    pub fn is_draining(&self, block: BlockId) -> bool {
        self.blocks[block.0].draining > 0
    }

    /// A store waits. It may stand before late loads in their queue, so these are not waited for.
    pub fn hurry(&mut self, block: BlockId) {
        let loads = &mut self.blocks[block.0];
        if loads.draining > 0 && loads.late > 0 && !loads.hurried {
            loads.hurried = true;
            self.release_block(block);
        }
    }

    /// Puts a sub-core's load, of a section, before the unit, or a release.
    pub fn offer(&mut self, sub_core: usize, load: Option<(Executing, Key, u32)>, stores: u32) {
        let inputs = &mut self.inputs;
        let release = self.releases & 0x1111_1111_1111_1111 << sub_core;
        let Taken { parts, completion, .. } = self.taken[sub_core];
        inputs.request_release[sub_core] = release != 0 && parts == 0;
        if inputs.request_release[sub_core] {
            inputs.request_valid[sub_core] = true;
            inputs.request_warp[sub_core] = release.trailing_zeros();
            self.offered[sub_core] = None;
            return;
        }
        self.offered[sub_core] = load.map(|(executing, key, section)| {
            let destination = RegisterId(key.destination.0 ^ (SECOND_HALF * parts as u8));
            let key = Key { destination, ..key };
            LoadPart { executing, key, section, stores, completion }
        });
        inputs.request_valid[sub_core] = load.is_some();
        if let Some(LoadPart { executing, key, .. }) = &self.offered[sub_core] {
            inputs.request_warp[sub_core] = executing.warp_slot() as u32;
            inputs.request_address[sub_core] = unit_address(key);
            inputs.request_source[sub_core] = key.source.into();
            inputs.request_destination[sub_core] = key.destination.into();
        }
    }

    /// Returns true if the unit is to see a clock edge.
    pub fn is_busy(&self) -> bool {
        self.outstanding > 0 || self.releases != 0 || self.offered.iter().any(Option::is_some)
    }

    /// A cycle of the unit. `free`: shared memory takes an access.
    pub fn step(&mut self, free: bool, counters: &mut Counters) -> PartnerStep {
        self.inputs.load_ready = free;
        let outputs = self.unit.settle(&self.inputs);
        self.unit.tick();
        self.peak = self.peak.max(outputs.occupancy);
        counters.lrt_entry_cycles += u64::from(outputs.occupancy);
        counters.lrt_rejections += u64::from(outputs.rejected);
        counters.lrt_aged += u64::from(outputs.released_age);
        let (mut grant, mut unknown) = (None, false);
        if free && outputs.load_valid {
            let first = self.release(outputs.load_first_warp, &outputs);
            let sent_twice = outputs.load_second_valid;
            let second = sent_twice.then(|| self.release(outputs.load_second_warp, &outputs)).flatten();
            unknown = first.is_none() || sent_twice && second.is_none();
            grant = first.map(|first| GrantedAccess { first, second });
        }
        let mut taken = 0;
        for sub_core in (0..SUB_CORES).filter(|&sub_core| outputs.request_ready[sub_core]) {
            if self.inputs.request_release[sub_core] {
                self.releases &= !(1 << self.inputs.request_warp[sub_core]);
            }
            let Some(part) = self.offered[sub_core].take() else { continue };
            self.held[part.executing.warp_slot()].push(part);
            self.outstanding += 1;
            self.blocks[part.executing.block.0].draining += u32::from(self.is_late(&part));
            counters.multicast_requests += 1;
            let present = &mut self.taken[sub_core];
            present.serial = part.executing.serial;
            present.parts += 1;
            if present.parts == self.transfers {
                *present = Taken::default();
                taken |= 1 << sub_core;
                self.arrived(part.executing.block, part.section);
            }
        }
        PartnerStep { taken, grant, unknown }
    }

    /// The load that the unit sends to shared memory for a warp.
    fn release(&mut self, warp: u32, outputs: &IwmuOut) -> Option<LoadPart> {
        let held = self.held.get_mut(warp as usize)?;
        let found = held.iter().position(|part| {
            let key = &part.key;
            (unit_address(key), u32::from(key.source), u32::from(key.destination))
                == (outputs.load_address, outputs.load_source, outputs.load_destination)
        });
        self.outstanding -= usize::from(found.is_some());
        found.map(|found| held.swap_remove(found))
    }

    /// A part's data come in cycle `completion`. The cycle in which the whole load's have, if this was the
    /// last part.
    pub fn deliver(&mut self, part: &LoadPart, completion: u64) -> Option<u64> {
        let completion = completion.max(part.completion);
        self.blocks[part.executing.block.0].draining -= u32::from(self.is_late(part));
        let Executing { serial, sub_core, .. } = part.executing;
        let held = &mut self.held[part.executing.warp_slot()];
        let taken = &mut self.taken[sub_core];
        if let Some(other) = held.iter_mut().find(|other| other.executing.serial == serial) {
            other.completion = completion;
            return None;
        }
        if taken.parts > 0 && taken.serial == serial {
            taken.completion = completion;
            return None;
        }
        Some(completion)
    }

    /// Most entries of the table in use since the last interval.
    pub fn peak(&self) -> u32 {
        self.peak
    }

    pub fn end_interval(&mut self) {
        self.peak = 0;
    }
}
