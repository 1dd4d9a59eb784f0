// SPDX-License-Identifier: Apache-2.0
//! Loads from shared memory that several warps perform alike: served together by the inter-warp multicasting
//! unit ([`multicaster`], I §3), or by renaming ([`renaming`], I §5.2.2), and checked at delivery
//! ([`delivery`], [`versions`]).
//!
//! Multicasting loads pass the load/store unit's queues in order with all else, so that older stores of
//! their warp lie before them. At the head of a queue such a load goes to the multicasting unit instead of to
//! shared memory; accesses that the unit grants go before the queues. When the barrier of a block has opened
//! and the last load from before it has come to the unit, the unit releases what it keeps of the block's
//! loads; until they are performed, stores of the block to shared memory wait.

mod delivery;
mod multicaster;
mod renaming;
mod sections;
mod versions;

use gpurf_blocks::{WarpSet, SUB_CORES};

use crate::checkpoint::checkpoint;
use crate::config::Config;
use crate::design::SharedLoads;
use crate::engines::{IwmuEngine, SkipTableEngine};

use super::blocks::Blocks;
use super::code::Code;
use super::decoded::Decoded;
use super::executing::Executing;
use super::marking::{offset, Key};
use super::memory::{LoadStoreUnit, Served};
use super::names::BlockId;
use super::renamed::RenamedRegisters;
use super::request::{perform, stores_to_shared};
use super::surroundings::Surroundings;
use delivery::ExecutingLoad;
use multicaster::{GrantedAccess, Multicaster};
use renaming::{LoadTask, Renaming, Room};
use sections::Sections;
use versions::{Versions, REACH};

/// From a load's wait for another's data to its own results.
const RENAMED_LATENCY: u64 = 1;

/// The state of an SM for it.
pub(super) struct LoadSharing {
    sections: Sections,
    versions: Versions,
    /// By sub-core, under DARSIE.
    renaming: Option<[Renaming; SUB_CORES]>,
    multicaster: Option<Multicaster>,
    /// Accesses that a renamed load saves: see `mlds.transfers`.
    transfers: u64,
}

checkpoint! {
    [] LoadSharing {
        values: sections versions;
        parts: renaming multicaster;
        fixed: transfers;
    }
}

/// The addresses of an access, in the SM's shared memory: blocks lie one after the other.
fn places<'a>(
    code: &'a Code,
    blocks: &'a Blocks,
    executing: &'a Executing,
) -> impl Iterator<Item = u64> + 'a {
    let start = executing.block.0 as u64 * u64::from(code.header.shared_memory);
    let addresses = blocks.get(executing.block).block.addresses(&executing.instruction);
    addresses.into_iter().map(move |address| (start + offset(&code.header, address)) % REACH)
}

fn load<'a>(code: &'a Code, blocks: &'a Blocks, executing: &'a Executing) -> ExecutingLoad<'a> {
    let decoded = code.of(&executing.instruction);
    ExecutingLoad { executing, decoded, block: &blocks.get(executing.block).block }
}

impl LoadSharing {
    /// `None` where loads share nothing. `unit`: makes the multicasting unit, if there is to be one, and
    /// `table` the skip table of a sub-core.
    pub fn new(
        shared_loads: SharedLoads,
        config: &Config,
        unit: impl FnOnce() -> IwmuEngine,
        mut table: impl FnMut(usize) -> SkipTableEngine,
    ) -> Option<LoadSharing> {
        let SharedLoads { multicast, rename } = shared_loads;
        (multicast || rename).then(|| LoadSharing {
            sections: Sections::new(),
            versions: Versions::new(),
            renaming: rename.then(|| std::array::from_fn(|index| Renaming::new(table(index)))),
            multicaster: multicast.then(|| Multicaster::new(unit(), config)),
            transfers: config.mlds.transfers,
        })
    }

    /// There is a multicasting unit.
    pub fn multicasts(&self) -> bool {
        self.multicaster.is_some()
    }

    /// Most entries of the load request table in use since the last interval.
    pub fn lrt_peak(&self) -> Option<u32> {
        Some(self.multicaster.as_ref()?.peak())
    }

    /// An interval of the statistics ends.
    pub fn end_interval(&mut self) {
        if let Some(multicaster) = &mut self.multicaster {
            multicaster.end_interval();
        }
    }

    /// A multicasting load leaves its warp.
    pub fn issued(&mut self, executing: &Executing) {
        if let Some(multicaster) = &mut self.multicaster {
            multicaster.issued(executing.block);
        }
    }

    /// The warp of this number in a block passes a barrier that opens; `serial` is the number of its next
    /// instruction.
    pub fn pass_barrier(&mut self, block: BlockId, number: u16, serial: u32) {
        self.sections.pass(block, number, serial);
    }

    /// A block becomes pending, and its registers may leave their sub-core.
    pub fn forget(&mut self, block: BlockId) {
        self.renaming.iter_mut().flatten().for_each(|renaming| renaming.forget(block));
    }

    /// Returns true if the load is served by another warp's. `registers`: those of its sub-core and the warps
    /// of its CTA there, if they are renamed.
    pub fn rename(
        &mut self,
        executing: Executing,
        registers: Option<(&mut RenamedRegisters, WarpSet)>,
        around: &mut Surroundings,
    ) -> bool {
        let LoadSharing { sections, versions, renaming: Some(renaming), multicaster, transfers } = self
        else {
            return false;
        };
        let (code, blocks) = (around.code, around.blocks);
        let own = load(code, blocks, &executing);
        let alike = |leader: &Executing, stores| {
            load(code, blocks, leader).agrees_with(&own)
                && !versions.changed_since(stores, places(code, blocks, &executing), own.decoded.width)
        };
        let section = sections.of(&executing);
        let destinations = &own.decoded.destinations[..];
        let room = registers.map(|(registers, peers)| Room { registers, destinations, peers });
        let stores = versions.now();
        let Ok(found) = renaming[executing.sub_core].request(executing, section, stores, room, alike) else {
            report_unknown(&executing, around);
            return false;
        };
        if matches!(found, LoadTask::Nothing) {
            return false;
        }
        around.records.counters.renamed_loads += *transfers;
        if let (Some(multicaster), true) = (multicaster, own.decoded.multicasts) {
            multicaster.arrived(executing.block, section);
        }
        if let LoadTask::Loaded(leader) = found {
            deliver(&leader, &executing, around);
            around.completions.plan(around.clock.now + RENAMED_LATENCY, &executing);
        }
        true
    }

    /// A multicasting load is completed: loads that waited for its data take them.
    pub fn complete(&mut self, executing: &Executing, around: &mut Surroundings) {
        let Some(renaming) = &mut self.renaming else { return };
        let Ok(followers) = renaming[executing.sub_core].loaded(executing) else {
            return report_unknown(executing, around);
        };
        for follower in followers.into_iter().flatten() {
            deliver(executing, &follower, around);
            around.completions.plan(around.clock.now + RENAMED_LATENCY, &follower);
        }
    }

    /// The barrier of a block opens, or the block leaves and a new one comes: loads from before are not
    /// shared with those after.
    pub fn separate_loads(&mut self, block: BlockId, is_new: bool) {
        let LoadSharing { sections, versions, renaming, multicaster, .. } = self;
        let section = sections.begin(block, is_new);
        versions.begin(block);
        for renaming in renaming.iter_mut().flatten() {
            renaming.begin(block, section);
        }
        if let Some(multicaster) = multicaster {
            multicaster.begin(block, section);
        }
    }

    /// The next loads go to the multicasting unit, and it grants an access at most. Whether it has anything
    /// to do.
    pub fn step(&mut self, unit: &mut LoadStoreUnit<Executing>, around: &mut Surroundings) -> bool {
        let LoadSharing { multicaster: Some(multicaster), versions, sections, .. } = self else {
            return false;
        };
        let (code, blocks) = (around.code, around.blocks);
        for sub_core in 0..SUB_CORES {
            if let Some(head) = unit.head(around.clock.now, sub_core) {
                if stores_to_shared(code, blocks, head) {
                    multicaster.hurry(head.block);
                }
            }
            let takes =
                |head: &&Executing| multicaster.takes(head, sections.of(head), code.of(&head.instruction));
            let load = unit.head(around.clock.now, sub_core).filter(takes).map(|head| {
                let decoded = code.of(&head.instruction);
                let first = places(code, blocks, head).next().expect("loads have addresses");
                let key =
                    Key::new(first, decoded.round(0).sources().first().copied(), decoded.destinations[0]);
                (*head, key, sections.of(head))
            });
            multicaster.offer(sub_core, load, versions.now());
        }
        if !multicaster.is_busy() {
            return false;
        }
        let step = multicaster.step(unit.is_free(around.clock.now), &mut around.records.counters);
        for sub_core in 0..SUB_CORES {
            if step.taken >> sub_core & 1 == 1 {
                unit.pop(sub_core);
                around.clock.progress();
            }
        }
        if step.unknown {
            around.records.stage_error(around.clock.now, || {
                "the multicasting unit sends a load that it does not have".into()
            });
        }
        if let Some(grant) = step.grant {
            grant_access(multicaster, versions, grant, unit, around);
        }
        true
    }

    /// Returns true if an instruction may go to memory past the multicasting unit in this cycle: it does not
    /// go to the unit, and is no store that loads from before a barrier are still to be performed before.
    pub fn lets_pass(&self, executing: &Executing, around: &Surroundings) -> bool {
        let Some(multicaster) = &self.multicaster else { return true };
        let stores = || stores_to_shared(around.code, around.blocks, executing);
        let waits = multicaster.is_draining(executing.block) && stores();
        let decoded = around.code.of(&executing.instruction);
        !waits && !multicaster.takes(executing, self.sections.of(executing), decoded)
    }

    /// The load/store unit takes an instruction.
    pub fn taken(&mut self, executing: &Executing, around: &Surroundings) {
        let (code, blocks) = (around.code, around.blocks);
        let Decoded { width, multicasts, .. } = *code.of(&executing.instruction);
        if stores_to_shared(code, blocks, executing) {
            let late = self.sections.is_late(executing);
            self.versions.store(places(code, blocks, executing), width, executing.block, late);
        }
        if let (Some(multicaster), true) = (&mut self.multicaster, multicasts) {
            multicaster.arrived(executing.block, self.sections.of(executing));
        }
    }
}

/// The skip table finds a load that it does not have.
fn report_unknown(executing: &Executing, around: &mut Surroundings) {
    let warp = executing.warp_slot();
    around.records.stage_error(around.clock.now, || {
        format!("the skip table has another load for warp slot {warp} than it was given")
    });
}

/// One access to shared memory, for one warp or two.
fn grant_access(
    multicaster: &mut Multicaster,
    versions: &Versions,
    grant: GrantedAccess,
    unit: &mut LoadStoreUnit<Executing>,
    around: &mut Surroundings,
) {
    around.clock.progress();
    let served = perform(unit, &grant.first.executing, 1, around).ok();
    let completion = served.and_then(|Served { completion, .. }| completion);
    let completion = completion.expect("shared memory misses nothing");
    for part in [Some(grant.first), grant.second].into_iter().flatten() {
        check_age(versions, &part.executing, part.stores, around);
        if let Some(completion) = multicaster.deliver(&part, completion) {
            around.completions.plan(completion, &part.executing);
        }
    }
    if let Some(second) = grant.second {
        around.records.counters.multicasts += 1;
        deliver(&grant.first.executing, &second.executing, around);
    }
}

/// Nothing may have been stored to the words of a load since it came to the multicasting unit.
fn check_age(versions: &Versions, executing: &Executing, stores: u32, around: &mut Surroundings) {
    let Decoded { pc, width, .. } = *around.code.of(&executing.instruction);
    if versions.changed_since(stores, places(around.code, around.blocks, executing), width) {
        around.records.counters.delivery_errors += 1;
        let warp = executing.warp_slot();
        around.records.report(around.clock.now, || {
            format!("pc 0x{pc:04x}, warp slot {warp}: loads what was stored after its turn")
        });
    }
}

/// Checks that what `from` loaded is what `to` asked for.
fn deliver(from: &Executing, to: &Executing, around: &mut Surroundings) {
    let (source, receiver) = (load(around.code, around.blocks, from), load(around.code, around.blocks, to));
    if !source.deliver(&receiver, &mut around.records.counters) {
        let (pc, warp, other) = (receiver.decoded.pc, to.warp_slot(), from.warp_slot());
        around.records.report(around.clock.now, || {
            format!("pc 0x{pc:04x}, warp slot {warp}: gets other data than it asked for, loaded by warp slot {other}")
        });
    }
}
