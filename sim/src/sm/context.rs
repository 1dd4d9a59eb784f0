//! What the sub-cores of an SM share.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::sync::Arc;

use gpurf_trace::{DynamicInstruction, Intervals, KernelHeader, Liveness, RegisterSet};

use crate::config::Config;
use crate::statistics::{Counters, Residency, Stalls};

use super::decoded::Decoded;
use super::load_sharing::{LoadSharing, PartnerMarks};
use super::memory::LoadStoreUnit;
use super::occupancy::Occupancy;
use super::pipeline::Pipeline;
use super::residency::Resident;
use super::usage::Usage;

/// An instruction under way in an execution unit or in memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Executing {
    pub sub_core: usize,
    /// Warp of the sub-core.
    pub warp: u8,
    /// Its block among the residents, and the warp's number in it.
    pub block: usize,
    pub number: u16,
    pub serial: u32,
    pub instruction: DynamicInstruction,
}

/// The completion of an instruction; events of one cycle keep the order in which they were planned.
struct Event {
    cycle: u64,
    sequence: u64,
    executing: Executing,
}

impl Event {
    fn key(&self) -> (u64, u64) {
        (self.cycle, self.sequence)
    }
}

impl PartialEq for Event {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Event {}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Event {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

pub(super) struct Context {
    pub config: Config,
    /// The present cycle of the run, counted from 0.
    pub now: u64,
    /// The cycle in which the kernel's first block can start.
    pub launch_end: u64,
    /// How long an allocation waits, under Malekeh.
    pub sthld: u32,
    /// Cycle of the last issue, dispatch or completion.
    pub last_progress: u64,
    /// Number of the next instruction.
    pub serial: u32,
    pub kernel: KernelHeader,
    /// The kernel's instructions met so far, by static index.
    pub decoded: Vec<Decoded>,
    /// Its live registers, under a design that uses them.
    pub liveness: Option<Arc<Liveness>>,
    /// Its register intervals, under LTRF.
    pub intervals: Option<Arc<Intervals>>,
    /// Registers that a warp need not take from the shared pool, if there is one.
    pub own: Option<RegisterSet>,
    /// Without switching, the block in slot s is resident s.
    pub residents: Vec<Option<Resident>>,
    /// How many there are.
    pub resident_count: usize,
    /// The resident in each block slot.
    pub slots: Vec<Option<usize>>,
    /// Residents whose barrier opens at the end of this cycle, one bit each.
    pub opened: u128,
    /// Residents that are complete at the end of this cycle, one bit each.
    pub completed: u128,
    /// Pending residents that could go on, one bit each, and how often that or the room for registers has grown.
    pub resumable: u128,
    pub epoch: u64,
    /// A block could run if registers could be stored.
    pub depleted: bool,
    pub memory: LoadStoreUnit<Executing>,
    /// Of loads that warps perform alike.
    pub sharing: Option<LoadSharing>,
    /// The kernel's multicasting loads.
    pub marks: PartnerMarks,
    events: BinaryHeap<Reverse<Event>>,
    sequence: u64,
    pub counters: Counters,
    pub stalls: Stalls,
    pub residency: Residency,
    /// Which registers are used, if that is wanted.
    pub usage: Option<Box<Usage>>,
    /// What instructions go through, if that is wanted.
    pub pipeline: Option<Box<Pipeline>>,
    /// The first few failed checks.
    pub errors: Vec<String>,
}

/// Failed checks that are told in words; all of them are counted.
const TOLD_ERRORS: usize = 10;

impl Context {
    pub fn new(config: &Config, sharing: Option<LoadSharing>) -> Self {
        Context {
            config: config.clone(),
            now: 0,
            launch_end: 0,
            sthld: 0,
            last_progress: 0,
            serial: 0,
            kernel: KernelHeader::default(),
            decoded: Vec::new(),
            liveness: None,
            intervals: None,
            own: None,
            residents: Vec::new(),
            resident_count: 0,
            slots: Vec::new(),
            opened: 0,
            completed: 0,
            resumable: 0,
            epoch: 0,
            depleted: false,
            memory: LoadStoreUnit::new(config),
            sharing,
            marks: PartnerMarks::none(),
            events: BinaryHeap::with_capacity(1024),
            sequence: 0,
            counters: Counters::default(),
            stalls: Stalls::default(),
            residency: Residency::default(),
            usage: None,
            pipeline: None,
            errors: Vec::new(),
        }
    }

    pub fn decoded(&self, instruction: &DynamicInstruction) -> &Decoded {
        &self.decoded[instruction.static_index as usize]
    }

    /// Lets those know who follow the instructions, if there are any.
    #[inline]
    pub fn show(&mut self, event: impl FnOnce(&mut Pipeline)) {
        if let Some(pipeline) = &mut self.pipeline {
            event(pipeline);
        }
    }

    pub fn resident(&mut self, block: usize) -> &mut Resident {
        self.residents[block].as_mut().expect("warps belong to a resident block")
    }

    /// Where the warp of a completed instruction is now. If its block has no slot, the completion is kept for it.
    pub fn locate(&mut self, executing: Executing, occupancy: &Occupancy) -> Option<Executing> {
        let resident = self.residents[executing.block].as_mut().expect("it waits for its instructions");
        let number = usize::from(executing.number);
        if let Some(slot) = resident.slot {
            let (sub_core, warp) = occupancy.place(slot, number);
            return Some(Executing { sub_core, warp, ..executing });
        }
        resident.completed.push(executing);
        if let Some(Some(warp)) = resident.contexts.get_mut(number) {
            warp.arrive(self.decoded[executing.instruction.static_index as usize].destinations());
            self.update_resumable(executing.block);
        }
        None
    }

    /// Blocks whose registers are not in the banks.
    pub fn stored_count(&self) -> usize {
        self.residents.iter().flatten().filter(|resident| resident.region.is_none()).count()
    }

    /// Whether a block that has become pending, or whose memory has answered, can go on.
    pub fn update_resumable(&mut self, block: usize) {
        let resident = self.residents[block].as_ref().expect("a pending block");
        if self.resumable >> block & 1 == 0 && resident.can_resume(self.config.finereg.ready, &self.decoded) {
            self.resumable |= 1 << block;
            self.epoch += 1;
        }
    }

    /// The instruction leaves its unit, or memory answers, in `cycle`; it completes behind the registers between there and
    /// write-back.
    pub fn plan(&mut self, cycle: u64, executing: Executing) {
        let cycle = cycle + self.config.sm.result_registers;
        self.events.push(Reverse(Event { cycle, sequence: self.sequence, executing }));
        self.sequence += 1;
    }

    /// Loads complete whose last sector has arrived.
    pub fn receive(&mut self) {
        while let Some((executing, completion)) = self.memory.arrive(self.now) {
            self.plan(completion, executing);
        }
    }

    /// The next instruction that completes in this cycle.
    pub fn completion(&mut self) -> Option<Executing> {
        let Reverse(event) = self.events.peek()?;
        if event.cycle > self.now {
            return None;
        }
        self.last_progress = self.now;
        self.events.pop().map(|Reverse(event)| event.executing)
    }

    /// The next cycle in which something is known to happen.
    pub fn next_event(&self) -> Option<u64> {
        let completion = self.events.peek().map(|Reverse(event)| event.cycle);
        completion.into_iter().chain(self.memory.next_take()).chain(self.memory.next_arrival()).min()
    }

    /// Notes a failed check; `what` is told for the first few.
    pub fn report(&mut self, what: impl FnOnce() -> String) {
        let now = self.now;
        self.show(|pipeline| pipeline.fail(now));
        if self.errors.len() < TOLD_ERRORS {
            self.errors.push(format!("kernel {}, cycle {}: {}", self.kernel.name, self.now, what()));
        }
    }
}
