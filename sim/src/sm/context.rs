// SPDX-License-Identifier: Apache-2.0
//! The common parts of an SM's four sub-cores, each with its own state.

use gpurf_blocks::WarpSet;

use crate::checkpoint::checkpoint;
use crate::config::{Config, SthldCounter};

use super::blocks::Blocks;
use super::clock::Clock;
use super::code::Code;
use super::completions::Completions;
use super::executing::Executing;
use super::load_sharing::LoadSharing;
use super::memory_path::MemoryPath;
use super::records::Records;
use super::renamed::RenamedRegisters;
use super::shared_waits::SharedWaits;
use super::surroundings::Surroundings;

pub(super) struct Context {
    pub config: Config,
    pub clock: Clock,
    /// How long an allocation waits, under Malekeh.
    pub sthld: u32,
    /// Waits are counted for all sub-cores together.
    pub shared_waits: Option<SharedWaits>,
    pub code: Code,
    pub blocks: Blocks,
    pub memory: MemoryPath,
    pub completions: Completions,
    pub records: Records,
}

checkpoint! {
    [] Context {
        values: clock sthld shared_waits blocks completions;
        parts: memory records;
        fixed: config code;
    }
}

impl Context {
    pub fn new(config: &Config, sharing: Option<LoadSharing>) -> Self {
        Context {
            config: config.clone(),
            clock: Clock::default(),
            sthld: 0,
            shared_waits: (config.sthld_counter == SthldCounter::Sm).then(SharedWaits::default),
            code: Code::empty(),
            blocks: Blocks::new(config.finereg.ready),
            memory: MemoryPath::new(config, sharing),
            completions: Completions::new(config.sm.result_registers),
            records: Records::default(),
        }
    }

    /// From now on an allocation waits for so long.
    pub fn set_sthld(&mut self, sthld: u32) {
        if let Some(waits) = &mut self.shared_waits {
            waits.threshold = sthld;
        }
        self.sthld = self.shared_waits.as_ref().map_or(sthld, SharedWaits::told);
    }

    /// The way to memory, and what it sees of the rest.
    #[inline]
    pub fn memory_path(&mut self) -> (&mut MemoryPath, Surroundings<'_>) {
        let Context { clock, code, blocks, memory, completions, records, .. } = self;
        (memory, Surroundings { code, blocks, clock, completions, records })
    }

    /// An instruction passes the load/store unit.
    #[inline]
    pub fn goes_to_memory(&self, executing: &Executing) -> bool {
        let in_memory = self.code.of(&executing.instruction).memory.is_some();
        in_memory && (self.memory.takes_idle || !executing.is_idle())
    }

    /// A memory instruction leaves its sub-core. `registers`: those of the sub-core and the warps of the
    /// instruction's CTA there, if they are renamed.
    #[inline]
    pub fn send_to_memory(
        &mut self,
        executing: Executing,
        registers: Option<(&mut RenamedRegisters, WarpSet)>,
    ) {
        let (memory, mut around) = self.memory_path();
        memory.send(executing, registers, &mut around);
    }

    /// The next cycle in which something is known to happen.
    #[inline]
    pub fn next_event(&self) -> Option<u64> {
        self.completions.next_cycle().into_iter().chain(self.memory.next_event()).min()
    }
}
