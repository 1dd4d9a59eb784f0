// SPDX-License-Identifier: Apache-2.0
//! Switching between resident thread blocks (CTAs): R §IV, §V.
//!
//! A block is active while its warps have warp slots, else pending. When all warps of an active block are
//! stalled, another one may take its slot: a new one, or a pending one that can go on. The context of the
//! stalled one, its place in the instruction stream and scoreboard, moves to shared memory. Its registers
//! stay where they are if others are free for the block that comes; else they move too, through the RMU into
//! the PCRF under FineReg, or to DRAM under Reg+DRAM, and those of the block that comes take their rows.
//!
//! **Stalled** (R: "all the warps of a CTA are stalled", on long-latency memory): each warp that has not
//! ended waits for a load that missed in L1, or at the barrier, at least one of them for a load, and nothing
//! else of the block is under way but stores. L1 hits and shared memory are waited for: a switch takes longer
//! than they.
//!
//! **What is under way for a pending block** is kept until it is active again: loaded values enter the banks
//! then. R does not say where they go. Its live registers include those a warp waits for, which are thus
//! stored in vain, and replaced by what was loaded.
//!
//! **Order** (R §V-B): a new block if its registers are free or the stalled block's can be stored; else a
//! pending one that could go on in this slot. `finereg.prefer = "ready"` puts pending blocks first (R §V-E).
//! A slot that a block leaves at its end is taken by a pending block that can go on, else by a new one. Which
//! of the pending blocks it is, the CTA status monitor selects ([`status`]): one whose registers are in the
//! ACRF; else one whose registers are not; equals take turns. It selects for one slot in a cycle.
//!
//! One switch at a time: there is one RMU. Beside the registers move the contexts, each warp's in
//! `finereg.context_cycles` (without `finereg.contexts_beside`, after them). The block that comes starts when
//! all of it is there, and what leaves has left: its rows are those of the other. It counts as the youngest.
//!
//! **Other designs beside it.** What sub-cores and SM keep of a warp by its slot is not the next warp's:
//! - collectors that cache are emptied by the first instruction that a warp issues after it has come back,
//!   and by each read of a register that leaves (`flush` of the sub-core);
//! - a register cache is flushed first: its dirty values go to the banks, before anything moves;
//! - the active set of a two-level scheduler loses the warp, which comes back as a pending one;
//! - what DARSIE keeps of the block's loads is given up; the multicasting unit has none of a block whose
//!   warps all wait for global memory.

mod contexts;
mod opening;
mod status;

use super::block_dispatcher::BlockDispatcher;
use super::context::Context;
use super::error::SmError;
use super::machine::Machine;
use super::mover::{DramMove, Moves, Progress, RmuMove, CODE_BITS};
use super::names::{BlockId, BlockPlace, BlockSet, Region, Slot};
use super::occupancy::Occupancy;
use super::warp::Warp;
use crate::checkpoint::checkpoint;
use crate::design::{Residency, Store};
use crate::engines::{Engines, RmuEngine, RunsSubCore};
use crate::finereg::Location;

use borsh::{BorshDeserialize, BorshSerialize};
use contexts::ContextMoves;
use gpurf_trace::{Liveness, RegisterSet};
use opening::{Opening, Wanted};
use status::StatusMonitor;

pub(super) struct Switching {
    pub residency: &'static Residency,
    rmu: RmuEngine,
    /// The address of the running kernel's code, which the RMU's cache knows by address.
    pub code: u32,
    /// The codes so far, in the order of their addresses.
    codes: Vec<KnownCode>,
    /// Registers saved before the running kernel.
    pub saved_before: u64,
    pub monitor: StatusMonitor,
    contexts: ContextMoves,
    under_way: Option<Switch>,
    /// The slot to be looked at first.
    turn: usize,
    /// Contexts without a warp, for slots without one.
    spare: Vec<Warp>,
}

checkpoint! {
    [] Switching {
        values: code codes saved_before under_way turn spare;
        engines: rmu;
        parts: monitor contexts;
        fixed: residency;
    }
}

/// Facts that tell the code of a launch from that of others.
#[derive(BorshSerialize, BorshDeserialize)]
struct KnownCode {
    name: String,
    /// Live registers by program counter.
    live: Vec<(u32, RegisterSet)>,
}

/// A switch under way.
#[derive(BorshSerialize, BorshDeserialize)]
struct Switch {
    slot: Slot,
    outgoing: Option<BlockId>,
    incoming: Incoming,
    /// Where the registers of the block that comes are, or will be.
    region: Region,
    phase: Phase,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
enum Incoming {
    New,
    Pending(BlockId),
}

#[derive(BorshSerialize, BorshDeserialize)]
enum Phase {
    /// Values of the warps that were in the slot leave the register caches.
    Caches(Moves),
    Rmu(RmuMove),
    Dram(DramMove),
    /// Registers are being written still.
    Written,
    /// Contexts move still.
    Contexts,
}

impl Switching {
    /// The switching of the SM of this number.
    pub fn new<E>(residency: &'static Residency, engines: &mut Engines<E>, number: usize) -> Self {
        Switching {
            residency,
            rmu: (engines.rmu)(number),
            code: 0,
            codes: Vec::new(),
            saved_before: 0,
            monitor: StatusMonitor::new((engines.status_monitor)(number)),
            contexts: ContextMoves::new((engines.context_mover)(number)),
            under_way: None,
            turn: 0,
            spare: Vec::new(),
        }
    }

    /// A kernel is launched: its code has an address of its own. Launches of a trace that show other paths of
    /// one kernel count as other code, since other registers are live.
    pub fn start_kernel(&mut self, name: &str, liveness: Option<&Liveness>) {
        let places = liveness.into_iter().flat_map(Liveness::places);
        let is_it = |code: &KnownCode| code.name == name && code.live.iter().copied().eq(places.clone());
        let number = self.codes.iter().position(is_it).unwrap_or_else(|| {
            self.codes.push(KnownCode { name: name.into(), live: places.clone().collect() });
            self.codes.len() - 1
        });
        self.code = (number as u32 + 1) << CODE_BITS;
        self.turn = 0;
    }

    /// Returns true if the slot is about to be taken.
    #[inline]
    fn reserves(&self, slot: Slot) -> bool {
        self.under_way.as_ref().is_some_and(|switch| switch.slot == slot)
    }

    /// Where the next block could start: a slot, and a region for its registers.
    #[inline]
    pub fn free_slot<E>(&self, front: &BlockDispatcher, machine: &Machine<E>) -> Option<(Slot, Region)> {
        match front.can_launch(machine) {
            true => self.find_slot(front, machine),
            false => None,
        }
    }

    #[inline(never)]
    fn find_slot<E>(&self, front: &BlockDispatcher, machine: &Machine<E>) -> Option<(Slot, Region)> {
        let blocks = &machine.context.blocks;
        let free = |&slot: &Slot| blocks.in_slot(slot).is_none() && !self.reserves(slot);
        let mut slots = (0..front.occupancy.blocks).map(Slot).filter(free);
        if !front.occupancy.switching {
            return slots.next().map(|slot| (slot, Region(slot.0)));
        }
        slots.find_map(|slot| Some((slot, self.free_region(&front.occupancy, slot, blocks)?)))
    }

    /// Launches the next block, if there is one.
    pub fn launch<E: RunsSubCore>(
        &mut self,
        slot: Slot,
        region: Region,
        front: &mut BlockDispatcher,
        machine: &mut Machine<E>,
    ) -> Result<(), SmError> {
        let Some(block) = front.launch_block(slot, region, machine)? else { return Ok(()) };
        if front.occupancy.switching {
            self.monitor.set(block, Location::InUse, Location::InUse);
        } else {
            machine.context.records.blocks.unswitchable += u64::from(self.residency.switches);
        }
        Ok(())
    }

    /// A block has gone that could have been switched.
    pub fn leave(&mut self, block: BlockId) {
        self.monitor.set(block, Location::NotLaunched, Location::NotLaunched);
    }

    /// One cycle of switching; whether another one right after it may see anything happen.
    pub fn step<E: RunsSubCore>(
        &mut self,
        front: &mut BlockDispatcher,
        machine: &mut Machine<E>,
    ) -> Result<bool, SmError> {
        let Some(switch) = self.under_way.take() else {
            return Ok(self.begin(front, machine));
        };
        self.go_on(switch, front, machine)?;
        self.contexts.end_cycle();
        self.monitor.step(BlockSet::default());
        Ok(true)
    }

    /// One cycle of the switch under way.
    fn go_on<E: RunsSubCore>(
        &mut self,
        mut switch: Switch,
        front: &mut BlockDispatcher,
        machine: &mut Machine<E>,
    ) -> Result<(), SmError> {
        machine.context.records.blocks.switch_cycles += 1;
        let moved = self.contexts.are_done();
        let progress = match &mut switch.phase {
            Phase::Caches(moves) => {
                if has_emptied(switch.slot, &front.occupancy, machine) {
                    switch.phase = self.first_phase(*moves, machine);
                }
                Progress::Moving
            }
            Phase::Rmu(moving) => moving.step(&mut self.rmu, machine, &front.occupancy),
            Phase::Dram(moving) => moving.step(machine, &front.occupancy),
            Phase::Written if machine.sub_cores.iter().any(|core| core.is_restoring()) => Progress::Moving,
            Phase::Written => {
                if !machine.context.config.finereg.contexts_beside {
                    self.contexts.start(&switch, &machine.context);
                }
                switch.phase = Phase::Contexts;
                Progress::Moving
            }
            Phase::Contexts if !moved => Progress::Moving,
            Phase::Contexts => return self.end(switch, front, machine),
        };
        match progress {
            Progress::Moving => {}
            Progress::Done => switch.phase = Phase::Written,
            Progress::Refused => {
                self.refuse(switch, front, machine);
                return Ok(());
            }
        }
        self.under_way = Some(switch);
        Ok(())
    }

    /// Looks for something to switch; whether anything happened.
    fn begin<E: RunsSubCore>(&mut self, front: &BlockDispatcher, machine: &mut Machine<E>) -> bool {
        let opening = self.opening(front, machine);
        let told = !self.monitor.is_idle();
        let among = match opening {
            Some(Opening { wanted: Wanted::Among(among), .. }) => among,
            _ => BlockSet::default(),
        };
        let selected = self.select(among, &mut machine.context);
        let Some(Opening { slot, outgoing, wanted, region }) = opening else { return told };
        let (incoming, region) = match (wanted, selected) {
            (Wanted::New, _) => (Incoming::New, region),
            (Wanted::Among(_), Some(block)) => {
                (Incoming::Pending(block), machine.context.blocks.get(block).region.or(region))
            }
            (Wanted::Among(_), None) => return true,
        };
        let region = region.expect("there is room for its registers");
        if let Some(block) = outgoing {
            self.check_status(block, Location::InUse, &mut machine.context);
        }
        self.start(slot, outgoing, incoming, region, front, machine);
        if outgoing.is_some() {
            self.turn = (slot.0 + 1) % front.occupancy.blocks;
        }
        true
    }

    /// The status monitor must say of a block that its context and registers are here.
    pub fn check_status(&mut self, block: BlockId, location: Location, context: &mut Context) {
        if !self.monitor.shows(block, location, location) {
            context.records.stage_error(context.clock.now, || {
                format!("the status monitor does not say {location:?} of block {}", block.0)
            });
        }
    }

    fn start<E: RunsSubCore>(
        &mut self,
        slot: Slot,
        outgoing: Option<BlockId>,
        incoming: Incoming,
        region: Region,
        front: &BlockDispatcher,
        machine: &mut Machine<E>,
    ) {
        let mut moves = Moves::default();
        if let Some(block) = outgoing {
            let now = machine.context.clock.now;
            machine.context.records.show(|pipeline| pipeline.switch(now));
            self.take_contexts(block, slot, &front.occupancy, machine);
            if machine.context.blocks.get(block).region == Some(region) {
                moves.store = Some(BlockPlace { block, slot, region });
            }
        }
        if let Incoming::Pending(block) = incoming {
            machine.context.blocks.resumable.remove(block);
            if machine.context.blocks.get(block).region.is_none() {
                moves.restore = Some(BlockPlace { block, slot, region });
            }
        }
        let phase = match machine.sub_cores.iter().any(|core| core.has_cache()) {
            true => Phase::Caches(moves),
            false => self.first_phase(moves, machine),
        };
        let switch = Switch { slot, outgoing, incoming, region, phase };
        if machine.context.config.finereg.contexts_beside {
            self.contexts.start(&switch, &machine.context);
            self.contexts.end_cycle();
        }
        self.under_way = Some(switch);
    }

    /// The first registers to move, once what leaves is in the banks.
    fn first_phase<E>(&self, moves: Moves, machine: &Machine<E>) -> Phase {
        match self.residency.store {
            _ if moves == Moves::default() => Phase::Written,
            Store::Dram => Phase::Dram(DramMove::new(moves)),
            Store::Nowhere | Store::Pcrf => Phase::Rmu(RmuMove::new(moves, self.code, machine)),
        }
    }

    fn end<E: RunsSubCore>(
        &mut self,
        switch: Switch,
        front: &mut BlockDispatcher,
        machine: &mut Machine<E>,
    ) -> Result<(), SmError> {
        let Switch { slot, outgoing, incoming, region, .. } = switch;
        let Context { clock, code, blocks, records, .. } = &mut machine.context;
        if let Some(block) = outgoing {
            records.blocks.switched_out += 1;
            let resident = blocks.get_mut(block);
            resident.refused = [None; 2];
            if resident.region == Some(region) {
                resident.region = None;
            }
            let registers = resident.region.map_or(Location::BackedUp, |_| Location::InUse);
            self.monitor.set(block, Location::BackedUp, registers);
            blocks.update_resumable(block, code.decoded(), clock.now);
            records.blocks.left_in_vain += u64::from(blocks.resumable.contains(block));
        }
        match incoming {
            Incoming::Pending(block) => {
                let in_banks = blocks.get(block).region.is_some();
                match in_banks {
                    true => records.blocks.resumed_in_place += 1,
                    false => records.blocks.resumed_from_store += 1,
                }
                // What it held of the PCRF is free.
                blocks.epoch += u64::from(!in_banks);
                self.monitor.set(block, Location::InUse, Location::InUse);
                self.put_contexts(BlockPlace { block, slot, region }, true, &front.occupancy, machine);
            }
            // Unless a slot that became free meanwhile has taken the last one.
            Incoming::New if front.can_launch(machine) => self.launch(slot, region, front, machine)?,
            Incoming::New => {}
        }
        Ok(())
    }

    /// The PCRF has no room for it: it stays.
    fn refuse<E: RunsSubCore>(&mut self, switch: Switch, front: &BlockDispatcher, machine: &mut Machine<E>) {
        let block = switch.outgoing.expect("only what is stored is refused");
        self.contexts.give_up();
        let Context { blocks, records, .. } = &mut machine.context;
        records.blocks.refused_room += 1;
        let exchange = matches!(switch.incoming, Incoming::Pending(_));
        if let Incoming::Pending(other) = switch.incoming {
            blocks.resumable.insert(other);
        }
        let region = blocks.get(block).region.expect("nothing has moved");
        let epoch = Some(blocks.epoch);
        self.put_contexts(BlockPlace { block, slot: switch.slot, region }, false, &front.occupancy, machine);
        machine.context.blocks.get_mut(block).refused[usize::from(exchange)] = epoch;
    }
}

/// Register caches have no value left of any warp that was in a slot.
fn has_emptied<E: RunsSubCore>(slot: Slot, occupancy: &Occupancy, machine: &Machine<E>) -> bool {
    (0..occupancy.warps).all(|number| {
        let (sub_core, warp) = occupancy.place(slot, number);
        machine.sub_cores[sub_core].has_emptied(warp)
    })
}
