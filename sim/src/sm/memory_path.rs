// SPDX-License-Identifier: Apache-2.0
//! The way of memory instructions from the sub-cores to memory: through the load/store unit, and, where loads
//! are shared, past the units that share them.

use crate::checkpoint::checkpoint;
use crate::config::Config;

use gpurf_blocks::WarpSet;

use super::executing::Executing;
use super::load_sharing::LoadSharing;
use super::memory::{LoadStoreUnit, Served, WaitsForL2};
use super::names::BlockId;
use super::renamed::RenamedRegisters;
use super::request::perform;
use super::surroundings::Surroundings;

pub(super) struct MemoryPath {
    pub unit: LoadStoreUnit<Executing>,
    /// The sharing of loads that warps perform alike.
    pub sharing: Option<LoadSharing>,
    /// How often shared memory transfers the data of a multicasting load.
    transfers: u64,
    /// Instructions without an active lane pass the load/store unit.
    pub takes_idle: bool,
}

checkpoint! {
    [] MemoryPath {
        values: unit;
        parts: sharing;
        fixed: transfers takes_idle;
    }
}

impl MemoryPath {
    pub fn new(config: &Config, sharing: Option<LoadSharing>) -> Self {
        // What shares loads has nothing to do with them.
        let takes_idle = config.load_store.takes_idle && sharing.is_none();
        MemoryPath { unit: LoadStoreUnit::new(config), sharing, transfers: config.mlds.transfers, takes_idle }
    }

    /// A memory instruction without an active lane does not complete before loads from shared memory that it
    /// follows.
    ///
    /// The compiler relies on that: of two loads into one register under opposite predicates, from shared
    /// memory and from elsewhere, only the second one has a dependence counter.
    pub fn keep_order(&mut self) {
        self.takes_idle = true;
        self.unit.keep_order();
    }

    /// The next cycle in which something is known to happen.
    #[inline]
    pub fn next_event(&self) -> Option<u64> {
        // A multicasting unit looks at the heads of the queues also while the load/store unit is busy.
        let looks = self.sharing.as_ref().is_some_and(LoadSharing::multicasts);
        let take = self.unit.next_take().map(|cycle| if looks { 0 } else { cycle });
        take.into_iter().chain(self.unit.next_arrival()).chain(self.horizon()).min()
    }

    /// The first cycle in which a reply of a shared L2 may be there that is not known.
    #[inline]
    pub fn horizon(&self) -> Option<u64> {
        self.unit.l2.exchange.horizon()
    }

    /// An access waits for replies of a shared L2: the cycle cannot go on before more of them are known.
    #[inline]
    pub fn waits(&self) -> bool {
        self.unit.waiting().is_some()
    }

    /// Takes note of the answers of a shared L2.
    pub fn take_replies(&mut self, around: &mut Surroundings) {
        let Surroundings { completions, records, .. } = around;
        self.unit.take_replies(&mut records.counters, |executing, order, cycle| {
            completions.plan_late(order, cycle, &executing);
        });
    }

    /// Most entries of the load request table in use since the last interval, if there is one.
    pub fn lrt_peak(&self) -> Option<u32> {
        self.sharing.as_ref()?.lrt_peak()
    }

    /// An interval of the statistics ends.
    pub fn end_interval(&mut self) {
        if let Some(sharing) = &mut self.sharing {
            sharing.end_interval();
        }
    }

    /// A multicasting load leaves its warp.
    pub fn issue_load(&mut self, executing: &Executing) {
        if let Some(sharing) = &mut self.sharing {
            sharing.issued(executing);
        }
    }

    /// The warp of this number in a block passes a barrier that opens; `serial` is the number of its next
    /// instruction.
    pub fn pass_barrier(&mut self, block: BlockId, number: u16, serial: u32) {
        if let Some(sharing) = &mut self.sharing {
            sharing.pass_barrier(block, number, serial);
        }
    }

    /// A block becomes pending: its loads so far are not shared with later ones.
    pub fn forget_loads(&mut self, block: BlockId) {
        if let Some(sharing) = &mut self.sharing {
            sharing.forget(block);
        }
    }

    /// The barrier of a block opens, or the block leaves and a new one comes: loads from before are not
    /// shared with those after.
    pub fn separate_loads(&mut self, block: BlockId, is_new: bool) {
        if let Some(sharing) = &mut self.sharing {
            sharing.separate_loads(block, is_new);
        }
    }

    /// A memory instruction leaves its sub-core. `registers`: those of the sub-core and the warps of the
    /// instruction's CTA there, if they are renamed.
    pub fn send(
        &mut self,
        executing: Executing,
        registers: Option<(&mut RenamedRegisters, WarpSet)>,
        around: &mut Surroundings,
    ) {
        let shared = self.sharing.as_mut().filter(|_| around.code.of(&executing.instruction).mlds);
        match shared.is_some_and(|sharing| sharing.rename(executing, registers, around)) {
            true => self.unit.pass_by(executing.sub_core),
            false => self.unit.push(around.clock.now, executing.sub_core, executing),
        }
    }

    /// Loads complete whose last sector has arrived.
    #[inline]
    pub fn receive(&mut self, around: &mut Surroundings) {
        while let Some((executing, completion)) = self.unit.arrive(around.clock.now) {
            around.completions.plan(completion, &executing);
        }
    }

    /// An instruction is completed: loads that waited for its data take them.
    #[inline]
    pub fn complete(&mut self, executing: &Executing, around: &mut Surroundings) {
        let shared = self.sharing.as_mut().filter(|_| around.code.of(&executing.instruction).mlds);
        if let Some(sharing) = shared {
            sharing.complete(executing, around);
        }
    }

    /// One cycle of the units that share loads; whether they have anything to do.
    #[inline]
    pub fn step_sharing(&mut self, around: &mut Surroundings) -> bool {
        self.sharing.as_mut().is_some_and(|sharing| sharing.step(&mut self.unit, around))
    }

    /// The load/store unit takes its next instruction, if it can. Gives it back if it takes long.
    ///
    /// # Errors
    /// It waits for replies of a shared L2. The step goes on when it is called again in the same cycle.
    #[inline]
    pub fn step(&mut self, around: &mut Surroundings) -> Result<Option<Executing>, WaitsForL2> {
        let taken = match self.unit.waiting() {
            Some(executing) => Some((executing, self.unit.go_on(&mut around.records.counters)?)),
            None => self.take(around)?,
        };
        let Some((executing, Served { completion, hit })) = taken else { return Ok(None) };
        if let Some(completion) = completion {
            around.completions.plan(completion, &executing);
        }
        // Whether the L1 cache held it is known by now: what it did not hold takes long.
        Ok((!hit).then_some(executing))
    }

    #[inline]
    fn take(&mut self, around: &mut Surroundings) -> Result<Option<(Executing, Served)>, WaitsForL2> {
        let MemoryPath { unit, sharing, .. } = self;
        let may_be_taken = |executing: &Executing| match &*sharing {
            Some(sharing) => sharing.lets_pass(executing, around),
            None => true,
        };
        let Some(executing) = unit.take(around.clock.now, may_be_taken) else { return Ok(None) };
        around.clock.progress();
        let transfers = if around.code.of(&executing.instruction).mlds { self.transfers } else { 1 };
        if let Some(sharing) = sharing {
            sharing.taken(&executing, around);
        }
        let served = perform(unit, &executing, transfers, around)?;
        Ok(Some((executing, served)))
    }
}
