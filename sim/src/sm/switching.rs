//! Switching between resident thread blocks (CTAs): R §IV, §V.
//!
//! A block is active while its warps have warp slots, else pending. When all warps of an active block are stalled,
//! another one may take its slot: a new one, or a pending one that can go on. The context of the stalled one, its
//! place in the instruction stream and scoreboard, moves to shared memory. Its registers stay where they are if
//! others are free for the block that comes; else they move too, through the RMU into the PCRF under FineReg, or to
//! DRAM under Reg+DRAM, and those of the block that comes take their rows.
//!
//! **Stalled** (R: "all the warps of a CTA are stalled", on long-latency memory): each warp that has not ended waits
//! for a load that missed in L1, or at the barrier, at least one of them for a load, and nothing else of the block is
//! under way but stores. L1 hits and shared memory are waited for: a switch takes longer than they.
//!
//! **What is under way for a pending block** is kept until it is active again: loaded values enter the banks then.
//! R does not say where they go. Its live registers include those a warp waits for, which are thus stored in
//! vain, and replaced by what was loaded.
//!
//! **Order** (R §V-B): a new block if its registers are free or the stalled block's can be stored; else a pending
//! one whose registers are in the ACRF; else one whose registers are not. `finereg.prefer = "ready"` puts pending
//! blocks first (R §V-E). Equals take turns. A slot that a block leaves at its end is taken by
//! a pending block that can go on, else by a new one.
//!
//! One switch at a time: there is one RMU. First the registers move, then the contexts, each warp's in
//! `finereg.context_cycles`. A block that comes counts as the youngest.

use gpurf_hw::dialect::Clocked;
use gpurf_hw::finereg::{RmuIn, RmuOut};
use gpurf_hw::sub_core::{SubCoreIn, SubCoreOut};

use super::design::{Design, Residency};
use super::mover::{DramMove, Progress, RmuMove};
use super::residency::{Occupancy, MAX_RESIDENTS};
use super::warp::Warp;
use super::{Running, Sm, SmError};
use crate::config::{Config, Prefer, SUB_CORES};
use crate::finereg::Rmu;

/// What runs the RMU of an SM.
pub type RmuEngine = Box<dyn Clocked<In = RmuIn<u32>, Out = RmuOut<u32>> + Send>;

pub(super) struct Switching {
    pub residency: Residency,
    pub rmu: RmuEngine,
    /// Of the running kernel's code, which the RMU's cache knows by address.
    pub code: u32,
    kernels: Vec<String>,
    /// Registers saved before the running kernel.
    pub saved_before: u64,
    under_way: Option<Switch>,
    /// The slot to be looked at first, and the pending block.
    turn: usize,
    next: usize,
    /// Contexts without a warp, for slots without one.
    spare: Vec<Warp>,
}

/// A switch under way.
struct Switch {
    slot: usize,
    outgoing: Option<usize>,
    incoming: Incoming,
    /// Where the registers of the block that comes are, or will be.
    region: usize,
    phase: Phase,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Incoming {
    New,
    Pending(usize),
}

enum Phase {
    Rmu(RmuMove),
    Dram(DramMove),
    /// Registers are being written still; then contexts move, until this cycle.
    Contexts(Option<u64>),
}

/// Registers that have to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moves {
    /// Block, slot and region that they leave.
    pub store: Option<(usize, usize, usize)>,
    /// Block, slot and region that they come to.
    pub restore: Option<(usize, usize, usize)>,
}

/// Bits of a program counter in an address of code.
pub(super) const CODE_BITS: u32 = 20;

impl Switching {
    pub fn new(config: &Config, design: &Design) -> Self {
        Switching {
            residency: design.residency,
            rmu: Box::new(Rmu::new(config.finereg.rmu())),
            code: 0,
            kernels: Vec::new(),
            saved_before: 0,
            under_way: None,
            turn: 0,
            next: 0,
            spare: Vec::new(),
        }
    }

    /// A kernel is launched: its code has an address of its own.
    pub fn start_kernel(&mut self, name: &str) {
        let number = self.kernels.iter().position(|kernel| kernel == name).unwrap_or_else(|| {
            self.kernels.push(name.into());
            self.kernels.len() - 1
        });
        self.code = (number as u32 + 1) << CODE_BITS;
        (self.turn, self.next) = (0, 0);
    }

    /// Whether the slot is about to be taken.
    pub fn reserves(&self, slot: usize) -> bool {
        self.under_way.as_ref().is_some_and(|switch| switch.slot == slot)
    }
}

impl<E> Sm<E>
where
    E: Clocked<In = SubCoreIn<u32>, Out = SubCoreOut<u32>>,
{
    /// One cycle of switching; whether another one right after it may see anything happen.
    pub(super) fn step_switching(&mut self, running: &mut Running) -> Result<bool, SmError> {
        let Some(mut switch) = self.switching.under_way.take() else {
            return Ok(self.begin_switch(running));
        };
        self.context.residency.switch_cycles += 1;
        let progress = match &mut switch.phase {
            Phase::Rmu(moving) => moving.step(self, &running.occupancy)?,
            Phase::Dram(moving) => moving.step(self, &running.occupancy),
            Phase::Contexts(None) if self.sub_cores.iter().any(|sub_core| sub_core.is_restoring()) => {
                Progress::Moving
            }
            Phase::Contexts(None) => {
                let cycles = self.context_cycles(&switch);
                switch.phase = Phase::Contexts(Some(self.context.now + cycles));
                Progress::Moving
            }
            Phase::Contexts(Some(end)) if self.context.now < *end => Progress::Moving,
            Phase::Contexts(Some(_)) => {
                self.end_switch(switch, running)?;
                return Ok(true);
            }
        };
        match progress {
            Progress::Moving => {}
            Progress::Done => switch.phase = Phase::Contexts(None),
            Progress::Refused => {
                self.refuse(switch, &running.occupancy);
                return Ok(true);
            }
        }
        self.switching.under_way = Some(switch);
        Ok(true)
    }

    fn context_cycles(&self, switch: &Switch) -> u64 {
        let incoming = match switch.incoming {
            Incoming::New => None,
            Incoming::Pending(block) => Some(block),
        };
        let blocks = switch.outgoing.into_iter().chain(incoming);
        let residents = blocks.filter_map(|block| self.context.residents[block].as_ref());
        let warps = residents.map(|resident| resident.contexts.iter().flatten().count() as u64);
        self.context.config.finereg.context_cycles * warps.sum::<u64>()
    }

    /// Looks for something to switch.
    fn begin_switch(&mut self, running: &Running) -> bool {
        let occupancy = &running.occupancy;
        self.context.depleted = false;
        if self.context.resumable != 0 {
            for slot in (0..occupancy.blocks).filter(|&slot| self.context.slots[slot].is_none()) {
                let found = self.in_place(occupancy, slot);
                let found = found.or_else(|| Some((self.away()?, self.free_region(occupancy, slot)?)));
                if let Some((block, region)) = found {
                    self.start_switch(slot, None, Incoming::Pending(block), region, occupancy);
                    return true;
                }
            }
        }
        let stalled: [(u8, u8); SUB_CORES] =
            std::array::from_fn(|index| self.sub_cores[index].stalled(&self.context));
        for offset in 0..occupancy.blocks {
            let slot = (self.switching.turn + offset) % occupancy.blocks;
            let Some(block) = self.context.slots[slot].filter(|_| is_stalled(occupancy, slot, &stalled))
            else {
                continue;
            };
            self.note_stall(block);
            if !occupancy.switching {
                continue;
            }
            if let Some((incoming, region)) = self.choose(running, slot, block) {
                self.start_switch(slot, Some(block), incoming, region, occupancy);
                self.switching.turn = (slot + 1) % occupancy.blocks;
                self.context.depleted = false;
                return true;
            }
        }
        false
    }

    fn note_stall(&mut self, block: usize) {
        let now = self.context.now;
        let resident = self.context.resident(block);
        if let (false, Some(first)) = (resident.has_stalled, resident.first_issue) {
            resident.has_stalled = true;
            self.context.residency.complete_stalls += 1;
            self.context.residency.cycles_to_stall += now - first;
        }
    }

    /// What takes the place of a stalled block, and the region of its registers.
    fn choose(&mut self, running: &Running, slot: usize, block: usize) -> Option<(Incoming, usize)> {
        let occupancy = &running.occupancy;
        let free = self.free_region(occupancy, slot);
        let own = self.context.resident(block).region.expect("an active block has its registers");
        let can_launch = running.next_block.is_some() && self.context.resident_count < occupancy.residents;
        let in_place =
            self.in_place(occupancy, slot).map(|(other, region)| (Incoming::Pending(other), region));
        let away = self.away();
        let restored = away.and_then(|other| Some((Incoming::Pending(other), free?)));
        let mut launched = free.filter(|_| can_launch).map(|region| (Incoming::New, region));
        let mut exchanged = None;
        let (stores, has_room) = match self.switching.residency {
            Residency::FineReg => (true, true),
            Residency::RegDram => (true, self.context.stored_count() < self.context.config.finereg.dram_ctas),
            _ => (false, false),
        };
        if stores && free.is_none() {
            let refused = self.context.resident(block).refused.map(|epoch| epoch == Some(self.context.epoch));
            let launches = can_launch && has_room && !refused[0];
            let exchanges = away.is_some() && !refused[1];
            if (launches || exchanges) && self.can_store(block) {
                launched = launches.then_some((Incoming::New, own));
                exchanged = away.filter(|_| exchanges).map(|other| (Incoming::Pending(other), own));
            }
            let of_pcrf = self.switching.residency == Residency::FineReg;
            self.context.depleted |= of_pcrf && (can_launch || away.is_some());
        }
        let pending = in_place.or(restored).or(exchanged);
        let found = match self.context.config.finereg.prefer {
            Prefer::New => launched.or(pending),
            Prefer::Ready => pending.or(launched),
        };
        self.context.depleted &= found.is_none();
        found
    }

    /// Pending blocks that can go on, in their turn.
    fn resumable(&self) -> impl Iterator<Item = usize> {
        let (set, next) = (self.context.resumable, self.switching.next);
        bits(set & u128::MAX << next).chain(bits(set & !(u128::MAX << next)))
    }

    /// A pending block that can go on, its registers in a region that suits the slot.
    fn in_place(&self, occupancy: &Occupancy, slot: usize) -> Option<(usize, usize)> {
        self.resumable().find_map(|block| {
            let region = self.context.residents[block].as_ref()?.region?;
            occupancy.suits(slot, region).then_some((block, region))
        })
    }

    /// A pending block that can go on, its registers not in the banks.
    fn away(&self) -> Option<usize> {
        let is_away = |block: &usize| {
            self.context.residents[*block].as_ref().is_some_and(|found| found.region.is_none())
        };
        self.resumable().find(is_away)
    }

    /// A region that suits the slot and that no block has. Its own one first.
    pub(super) fn free_region(&self, occupancy: &Occupancy, slot: usize) -> Option<usize> {
        let residents = self.context.residents.iter().flatten();
        // That of a block about to be launched too.
        let reserved = self.switching.under_way.as_ref().map(|switch| switch.region);
        let taken = residents.filter_map(|resident| resident.region).chain(reserved);
        let taken = taken.fold(0u128, |set, region| set | 1 << region);
        let suits = |region: &usize| taken >> region & 1 == 0 && occupancy.suits(slot, *region);
        std::iter::once(slot).chain(0..occupancy.regions).find(suits)
    }

    /// Whether the live registers of a block are all that its warps need: see [`gpurf_trace::Liveness`] on warps that have
    /// diverged. If not, it is not switched: the RMU looks one program counter up for each warp.
    fn can_store(&mut self, block: usize) -> bool {
        if self.switching.residency != Residency::FineReg {
            return true;
        }
        let Some(liveness) = &self.context.liveness else { return false };
        let decoded = &self.context.decoded;
        let warps = self.sub_cores.iter().flat_map(|sub_core| sub_core.resident_warps());
        let mut warps = warps.filter(|warp| warp.block == block && !warp.is_issued());
        let covered = warps.all(|warp| {
            let head = liveness.at(decoded[warp.head().0.static_index as usize].pc);
            warp.live(liveness, decoded).is_subset(&head)
        });
        if !covered {
            let epoch = Some(self.context.epoch);
            self.context.resident(block).refused = [epoch; 2];
            self.context.residency.refused_diverged += 1;
        }
        covered
    }

    fn start_switch(
        &mut self,
        slot: usize,
        outgoing: Option<usize>,
        incoming: Incoming,
        region: usize,
        occupancy: &Occupancy,
    ) {
        let mut moves = Moves { store: None, restore: None };
        if let Some(block) = outgoing {
            self.take_contexts(block, slot, occupancy);
            let resident = self.context.resident(block);
            if resident.region == Some(region) {
                moves.store = Some((block, slot, region));
            }
        }
        if let Incoming::Pending(block) = incoming {
            self.context.resumable &= !(1 << block);
            self.switching.next = (block + 1) % MAX_RESIDENTS;
            if self.context.resident(block).region.is_none() {
                moves.restore = Some((block, slot, region));
            }
        }
        let phase = match self.switching.residency {
            _ if moves == (Moves { store: None, restore: None }) => Phase::Contexts(None),
            Residency::RegDram => Phase::Dram(DramMove::new(moves)),
            _ => Phase::Rmu(RmuMove::new(moves, self)),
        };
        self.switching.under_way = Some(Switch { slot, outgoing, incoming, region, phase });
    }

    fn end_switch(&mut self, switch: Switch, running: &mut Running) -> Result<(), SmError> {
        let Switch { slot, outgoing, incoming, region, .. } = switch;
        if let Some(block) = outgoing {
            self.context.residency.switched_out += 1;
            let resident = self.context.resident(block);
            resident.refused = [None; 2];
            if resident.region == Some(region) {
                resident.region = None;
            }
            self.context.update_resumable(block);
        }
        match incoming {
            Incoming::Pending(block) => {
                let counters = &mut self.context.residency;
                let resident = self.context.residents[block].as_mut().expect("a pending block");
                match resident.region {
                    Some(_) => counters.resumed_in_place += 1,
                    None => counters.resumed_from_store += 1,
                }
                // What it held of the PCRF is free.
                self.context.epoch += u64::from(resident.region.is_none());
                self.put_contexts(block, slot, region, true, &running.occupancy);
            }
            // Unless a slot that became free meanwhile has taken the last one.
            Incoming::New => {
                let room = self.context.resident_count < running.occupancy.residents;
                if let Some(block) = running.next_block.take_if(|_| room) {
                    self.launch_block(slot, region, block, running)?;
                }
            }
        }
        Ok(())
    }

    /// The PCRF has no room for it: it stays.
    fn refuse(&mut self, switch: Switch, occupancy: &Occupancy) {
        let block = switch.outgoing.expect("only what is stored is refused");
        self.context.residency.refused_room += 1;
        let exchange = matches!(switch.incoming, Incoming::Pending(_));
        if let Incoming::Pending(other) = switch.incoming {
            self.context.resumable |= 1 << other;
        }
        let region = self.context.resident(block).region.expect("nothing has moved");
        self.put_contexts(block, switch.slot, region, false, occupancy);
        let epoch = Some(self.context.epoch);
        self.context.resident(block).refused[usize::from(exchange)] = epoch;
    }

    /// The warps of a block leave their slots.
    fn take_contexts(&mut self, block: usize, slot: usize, occupancy: &Occupancy) {
        self.context.slots[slot] = None;
        let resident = self.context.resident(block);
        resident.slot = None;
        let mut contexts = std::mem::take(&mut resident.contexts);
        contexts.clear();
        for number in 0..occupancy.warps {
            let (sub_core, warp) = occupancy.place(slot, number);
            contexts.push(self.sub_cores[sub_core].take_warp(warp, block, &mut self.switching.spare));
        }
        self.context.resident(block).contexts = contexts;
    }

    /// The warps of a block come into slots, and what was completed for them with them.
    fn put_contexts(&mut self, block: usize, slot: usize, region: usize, anew: bool, occupancy: &Occupancy) {
        self.context.slots[slot] = Some(block);
        self.context.resumable &= !(1 << block);
        let resident = self.context.resident(block);
        (resident.slot, resident.region) = (Some(slot), Some(region));
        let mut contexts = std::mem::take(&mut resident.contexts);
        let mut completed = std::mem::take(&mut resident.completed);
        for (number, context) in contexts.iter_mut().enumerate() {
            if let Some(context) = context.take() {
                let (sub_core, warp) = occupancy.place(slot, number);
                let base = occupancy.base(region, number);
                self.sub_cores[sub_core].put_warp(warp, context, base, anew, &mut self.switching.spare);
            }
        }
        for executing in completed.drain(..) {
            let executing = self.context.locate(executing, occupancy).expect("it has a slot again");
            self.sub_cores[executing.sub_core].complete(executing, &mut self.context);
        }
        let resident = self.context.resident(block);
        (resident.contexts, resident.completed) = (contexts, completed);
    }
}

/// Whether all warps of the block in a slot are stalled, and one of them on memory or registers.
fn is_stalled(occupancy: &Occupancy, slot: usize, stalled: &[(u8, u8); SUB_CORES]) -> bool {
    let mut waits = false;
    for number in 0..occupancy.warps {
        let (sub_core, warp) = occupancy.place(slot, number);
        let (waiting, stalled) = stalled[sub_core];
        if stalled >> warp & 1 == 0 {
            return false;
        }
        waits |= waiting >> warp & 1 == 1;
    }
    waits
}

/// Positions of the set bits.
fn bits(set: u128) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(set), |rest| Some(rest & rest.wrapping_sub(1)))
        .take_while(|rest| *rest != 0)
        .map(|rest| rest.trailing_zeros() as usize)
}
