// SPDX-License-Identifier: Apache-2.0
//! Registers of a sub-core's warps that lie in other warps' rows: DARSIE's renaming, I §5.2.2.
//!
//! A warp that skips a load names the row in which the leader has the value. The [renaming
//! table](crate::multicast::RenamingTable), which an engine runs, keeps whose home that is. A result goes
//! to the home that the table finds for it when its instruction leaves its collector. By then it has read
//! all of its operands. The table has as many cycles in a cycle of the SM as it needs, and none while all
//! registers lie at home.
//!
//! The skip table finds a load as long as its value lies somewhere: [`RenamedRegisters::hold`] knows how
//! often each row was written. A warp that has skipped a load waits until the leader's result is in its
//! bank.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{RenamingTableIn, RenamingTableOut};
use gpurf_blocks::{WarpId, WarpSet, MAX_DESTINATIONS, MAX_SLOTS, MAX_WARPS};
use gpurf_trace::{RegisterId, RegisterSet};

use super::executing::Executing;
use crate::bits::warp_flags;
use crate::checkpoint::checkpoint;
use crate::engines::RenamingTableEngine;

/// The renaming of a sub-core.
pub(super) struct RenamedRegisters {
    table: RenamingTableEngine,
    /// Entries of the table, and those that are free.
    entries: u32,
    free: u32,
    /// By warp: registers whose next result is on its way to its home.
    unwritten: [RegisterSet; MAX_WARPS],
    /// By warp and register: results that its home has been given so far.
    given: Vec<u32>,
    /// Loads that have been skipped and are not complete.
    skipped: Vec<SkippedLoad>,
    /// Registers of complete ones that wait for the leader's result.
    waiting: Vec<WaitingRegister>,
}

checkpoint! {
    [] RenamedRegisters {
        values: free unwritten given skipped waiting;
        engines: table;
        fixed: entries;
    }
}

#[derive(BorshSerialize, BorshDeserialize)]
struct SkippedLoad {
    warp: WarpId,
    serial: u32,
    /// Number of the leader's load.
    leader: u32,
}

/// A register of a warp that waits for a result on its way to this home.
#[derive(Clone, Copy, BorshSerialize, BorshDeserialize)]
pub(super) struct WaitingRegister {
    pub warp: WarpId,
    pub register: RegisterId,
    pub home: WarpId,
    /// Number of the load that was skipped.
    pub serial: u32,
}

/// Where the registers lie that a load has loaded.
#[derive(Clone, Copy, Default, BorshSerialize, BorshDeserialize)]
pub(super) struct Homes {
    count: usize,
    places: [(RegisterId, WarpId, u32); MAX_DESTINATIONS],
}

impl Homes {
    fn iter(&self) -> impl Iterator<Item = &(RegisterId, WarpId, u32)> {
        self.places[..self.count].iter()
    }
}

fn place(home: WarpId, register: RegisterId) -> usize {
    256 * home.index() + register.index()
}

impl RenamedRegisters {
    pub fn new(mut table: RenamingTableEngine) -> Self {
        let entries = table.settle(&RenamingTableIn::default()).free;
        RenamedRegisters {
            table,
            entries,
            free: entries,
            unwritten: [RegisterSet::default(); MAX_WARPS],
            given: vec![0; 256 * MAX_WARPS],
            skipped: Vec::with_capacity(MAX_WARPS),
            waiting: Vec::with_capacity(MAX_WARPS * MAX_DESTINATIONS),
        }
    }

    /// All registers lie at home, for all that the table knows.
    #[inline]
    pub fn is_idle(&self) -> bool {
        self.free == self.entries
    }

    /// The hardware's next cycle.
    fn cycle(&mut self, inputs: &RenamingTableIn) -> RenamingTableOut {
        let outputs = self.table.settle(inputs);
        self.table.tick();
        self.free = self.table.settle(&RenamingTableIn::default()).free;
        outputs
    }

    /// The warps in whose homes registers of a warp lie, as many as a collector has slots.
    pub fn look_up(&mut self, warp: WarpId, registers: &[RegisterId]) -> [WarpId; MAX_SLOTS] {
        if self.is_idle() {
            return [warp; MAX_SLOTS];
        }
        let mut inputs = RenamingTableIn { warp: warp.into(), ..RenamingTableIn::default() };
        for (source, &register) in inputs.source_register.iter_mut().zip(registers) {
            *source = register.into();
        }
        let outputs = self.table.settle(&inputs);
        std::array::from_fn(|slot| match outputs.lent[slot] {
            true => WarpId(outputs.lender[slot] as u8),
            false => warp,
        })
    }

    /// The warp in whose home a register of a warp lies.
    pub fn home(&mut self, warp: WarpId, register: RegisterId) -> WarpId {
        self.look_up(warp, &[register])[0]
    }

    /// A result for a register of a warp is on its way, to the home that it is given. `peers`: the warps of
    /// its CTA.
    fn write(&mut self, warp: WarpId, register: RegisterId, peers: WarpSet) -> WarpId {
        let home = match self.is_idle() {
            true => warp,
            false => {
                let (warp, register, peers) = (warp.into(), register.into(), warp_flags(peers));
                let write = RenamingTableIn { write: true, warp, register, peers, ..Default::default() };
                WarpId(self.cycle(&write).row as u8)
            }
        };
        self.unwritten[home.index()].insert(register);
        self.given[place(home, register)] += 1;
        home
    }

    /// The same of all that a load loads; `None` if these are more than a load of its own has.
    pub fn load(&mut self, warp: WarpId, registers: &[RegisterId], peers: WarpSet) -> Option<Homes> {
        let mut homes = Homes::default();
        for &register in registers {
            let home = self.write(warp, register, peers);
            if let Some(of_register) = homes.places.get_mut(homes.count) {
                *of_register = (register, home, self.given[place(home, register)]);
            }
            homes.count += 1;
        }
        (homes.count <= MAX_DESTINATIONS).then_some(homes)
    }

    /// Returns true if these homes hold still, or are about to, what the load loaded.
    pub fn hold(&self, homes: &Homes) -> bool {
        homes.iter().all(|&(register, home, given)| self.given[place(home, register)] == given)
    }

    /// A warp skips a load, and names the registers that the leader's load has loaded. Returns false if the
    /// table has no room for them.
    pub fn skip(&mut self, load: &Executing, leader: u32, homes: &Homes) -> bool {
        if (self.free as usize) < homes.count {
            return false;
        }
        for &(register, home, _) in homes.iter() {
            let (warp, register, leader) = (load.warp.into(), register.into(), home.into());
            self.cycle(&RenamingTableIn { skip: true, warp, register, leader, ..RenamingTableIn::default() });
        }
        self.skipped.push(SkippedLoad { warp: load.warp, serial: load.serial, leader });
        true
    }

    /// A load of a warp is complete; the number of the leader's load if it was skipped.
    pub fn complete(&mut self, warp: WarpId, serial: u32) -> Option<u32> {
        let is_it = |load: &SkippedLoad| (load.warp, load.serial) == (warp, serial);
        let number = self.skipped.iter().position(is_it)?;
        Some(self.skipped.swap_remove(number).leader)
    }

    /// A register waits for the result that is on its way to its home. Returns false if that is there.
    pub fn wait(&mut self, warp: WarpId, register: RegisterId, serial: u32) -> bool {
        let home = self.home(warp, register);
        let waits = self.unwritten[home.index()].contains(register);
        if waits {
            self.waiting.push(WaitingRegister { warp, register, home, serial });
        }
        waits
    }

    /// A result is written at its home.
    pub fn written(&mut self, home: WarpId, register: RegisterId) {
        self.unwritten[home.index()].remove(register);
    }

    /// A register that has waited for the result that was written at this home.
    pub fn take_waiting(&mut self, home: WarpId, register: RegisterId) -> Option<WaitingRegister> {
        let is_it = |waiting: &WaitingRegister| (waiting.home, waiting.register) == (home, register);
        let number = self.waiting.iter().position(is_it)?;
        Some(self.waiting.remove(number))
    }

    /// These warps leave with their CTA.
    pub fn forget(&mut self, warps: WarpSet) {
        if !self.is_idle() {
            self.cycle(&RenamingTableIn { forget: warp_flags(warps), ..RenamingTableIn::default() });
        }
    }
}
