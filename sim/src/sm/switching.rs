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
//! one that could go on in this slot. `finereg.prefer = "ready"` puts pending blocks first (R §V-E). A slot that a
//! block leaves at its end is taken by a pending block that can go on, else by a new one. Which of the pending
//! blocks it is, the CTA status monitor selects ([`status`]): one whose registers are in the ACRF; else one whose
//! registers are not; equals take turns. It selects for one slot in a cycle.
//!
//! One switch at a time: there is one RMU. First the registers move, then the contexts, each warp's in
//! `finereg.context_cycles`. A block that comes counts as the youngest.

mod contexts;
mod selection;
mod status;

use gpurf_blocks::ports::{RmuIn, RmuOut};
use gpurf_blocks::ports::{SubCoreIn, SubCoreOut};
use gpurf_blocks::Clocked;

use super::design::{Design, Residency};
use super::mover::{DramMove, Progress, RmuMove};
use super::occupancy::Occupancy;
use super::warp::Warp;
use super::{Running, Sm, SmError};
use crate::config::Config;
use crate::finereg::{Location, Rmu};

pub use status::StatusMonitorEngine;

use selection::{Opening, Wanted};
use status::StatusMonitor;

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
    pub monitor: StatusMonitor,
    under_way: Option<Switch>,
    /// The slot to be looked at first.
    turn: usize,
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
            rmu: Box::new(Rmu::new(&config.hardware)),
            code: 0,
            kernels: Vec::new(),
            saved_before: 0,
            monitor: StatusMonitor::new(&config.hardware),
            under_way: None,
            turn: 0,
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
        self.turn = 0;
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
        let Some(switch) = self.switching.under_way.take() else {
            return Ok(self.begin_switch(running));
        };
        self.go_on(switch, running)?;
        self.switching.monitor.step(0);
        Ok(true)
    }

    /// One cycle of the switch under way.
    fn go_on(&mut self, mut switch: Switch, running: &mut Running) -> Result<(), SmError> {
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
                return self.end_switch(switch, running);
            }
        };
        match progress {
            Progress::Moving => {}
            Progress::Done => switch.phase = Phase::Contexts(None),
            Progress::Refused => {
                self.refuse(switch, &running.occupancy);
                return Ok(());
            }
        }
        self.switching.under_way = Some(switch);
        Ok(())
    }

    /// Looks for something to switch; whether anything happened.
    fn begin_switch(&mut self, running: &Running) -> bool {
        let opening = self.opening(running);
        let told = !self.switching.monitor.is_idle();
        let among = match opening {
            Some(Opening { wanted: Wanted::Among(among), .. }) => among,
            _ => 0,
        };
        let selected = self.select(among);
        let Some(Opening { slot, outgoing, wanted, region }) = opening else { return told };
        let (incoming, region) = match (wanted, selected) {
            (Wanted::New, _) => (Incoming::New, region),
            (Wanted::Among(_), Some(block)) => {
                (Incoming::Pending(block), self.context.resident(block).region.or(region))
            }
            (Wanted::Among(_), None) => return true,
        };
        let region = region.expect("there is room for its registers");
        if let Some(block) = outgoing {
            self.check_status(block, Location::InUse);
        }
        self.start_switch(slot, outgoing, incoming, region, &running.occupancy);
        if outgoing.is_some() {
            self.switching.turn = (slot + 1) % running.occupancy.blocks;
        }
        true
    }

    /// The status monitor must say of a block that its context and registers are here.
    pub(super) fn check_status(&mut self, block: usize, location: Location) {
        if !self.switching.monitor.shows(block, location, location) {
            self.context.counters.stage_errors += 1;
            self.context.report(|| format!("the status monitor does not say {location:?} of block {block}"));
        }
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
            let now = self.context.now;
            self.context.show(|pipeline| pipeline.switch(now));
            self.take_contexts(block, slot, occupancy);
            let resident = self.context.resident(block);
            if resident.region == Some(region) {
                moves.store = Some((block, slot, region));
            }
        }
        if let Incoming::Pending(block) = incoming {
            self.context.resumable &= !(1 << block);
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
            let registers = resident.region.map_or(Location::BackedUp, |_| Location::InUse);
            self.switching.monitor.set(block, Location::BackedUp, registers);
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
                self.switching.monitor.set(block, Location::InUse, Location::InUse);
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
}
