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
mod marking;
mod multicaster;
mod renaming;
mod sections;
mod versions;

use gpurf_blocks::{LANES, SUB_CORES};
use gpurf_trace::{KernelHeader, Memory, MemoryAccess, MemorySpace};

use crate::config::Config;

use super::context::{Context, Executing};
use super::decoded::Decoded;
use super::design::Design;
use super::memory::{Access, Served, Threads};
use super::residency::Resident;
use delivery::Load;
use renaming::{Found, Renaming};
use sections::Sections;
use versions::{Versions, REACH};

pub(super) use marking::{Key, PartnerMarks};
pub use multicaster::MulticastingUnit;
use multicaster::{Grant, Multicaster};

/// From a load's wait for another's data to its own results.
const RENAMED_LATENCY: u64 = 1;

/// What an SM needs for it.
pub(super) struct LoadSharing {
    sections: Sections,
    versions: Versions,
    /// By sub-core, under DARSIE.
    renaming: Option<[Renaming; SUB_CORES]>,
    pub multicaster: Option<Multicaster>,
}

impl LoadSharing {
    /// `None` under designs whose loads share nothing.
    pub fn new(design: &Design, unit: Option<MulticastingUnit>, config: &Config) -> Option<LoadSharing> {
        let shares = design.shared_loads.rename || design.shared_loads.multicast;
        shares.then(|| LoadSharing {
            sections: Sections::new(),
            versions: Versions::new(),
            renaming: design.shared_loads.rename.then(|| std::array::from_fn(|_| Renaming::new())),
            multicaster: unit.map(|unit| Multicaster::new(unit, config)),
        })
    }
}

/// A warp of the SM, by its slot.
pub(super) fn warp_slot(executing: &Executing) -> usize {
    usize::from(executing.warp) * SUB_CORES + executing.sub_core
}

/// The addresses of an access, in the SM's shared memory: blocks lie one after the other.
fn places<'a>(
    kernel: &'a KernelHeader,
    residents: &'a [Option<Resident>],
    executing: &'a Executing,
) -> impl Iterator<Item = u64> + 'a {
    let start = executing.block as u64 * u64::from(kernel.shared_memory);
    let addresses = resident(residents, executing).block.addresses(&executing.instruction);
    addresses.iter().map(move |&address| (start + marking::offset(kernel, address)) % REACH)
}

fn resident<'a>(residents: &'a [Option<Resident>], executing: &Executing) -> &'a Resident {
    residents[executing.block].as_ref().expect("warps belong to a resident block")
}

/// The lanes of an instruction among the threads that the SM has room for.
fn threads(kernel: &KernelHeader, residents: usize, executing: &Executing) -> Threads {
    let warps = u64::from(kernel.warps_per_block());
    let warp = warps * executing.block as u64 + u64::from(executing.number);
    let lanes = LANES as u64;
    Threads { first: warp * lanes, mask: executing.instruction.mask, count: residents as u64 * warps * lanes }
}

fn load<'a>(decoded: &'a [Decoded], residents: &'a [Option<Resident>], executing: &'a Executing) -> Load<'a> {
    let decoded = &decoded[executing.instruction.static_index as usize];
    Load { executing, decoded, block: &resident(residents, executing).block }
}

impl Context {
    /// A multicasting load leaves its warp.
    pub fn issue_load(&mut self, executing: &Executing) {
        if let Some(multicaster) = self.multicaster() {
            multicaster.issued(executing.block);
        }
    }

    fn multicaster(&mut self) -> Option<&mut Multicaster> {
        self.sharing.as_mut()?.multicaster.as_mut()
    }

    /// Most entries of the load request table in use since the last interval.
    pub fn lrt_peak(&self) -> Option<u32> {
        Some(self.sharing.as_ref()?.multicaster.as_ref()?.peak())
    }

    /// An interval of the statistics ends.
    pub fn end_interval(&mut self) {
        if let Some(multicaster) = self.multicaster() {
            multicaster.end_interval();
        }
    }

    /// A warp passes a barrier that opens; `serial` is the number of its next instruction.
    pub fn pass_barrier(&mut self, slot: usize, serial: u32) {
        if let Some(sharing) = &mut self.sharing {
            sharing.sections.pass(slot, serial);
        }
    }

    /// A memory instruction leaves its sub-core.
    pub fn send_to_memory(&mut self, executing: Executing) {
        if !self.decoded(&executing.instruction).mlds || !self.rename(executing) {
            self.memory.push(executing.sub_core, executing);
        }
    }

    /// Whether the load is served by another warp's.
    fn rename(&mut self, executing: Executing) -> bool {
        let Context { sharing: Some(sharing), residents, decoded, kernel, counters, .. } = self else {
            return false;
        };
        let LoadSharing { sections, versions, renaming: Some(renaming), multicaster } = sharing else {
            return false;
        };
        let own = load(decoded, residents, &executing);
        let alike = |leader: &Executing, stores| {
            load(decoded, residents, leader).agrees_with(&own)
                && !versions.changed_since(stores, places(kernel, residents, &executing), own.decoded.width)
        };
        let section = sections.of(&executing);
        let found = renaming[executing.sub_core].request(executing, section, versions.now(), alike);
        if matches!(found, Found::Nothing) {
            return false;
        }
        counters.renamed_loads += self.config.mlds.transfers;
        if let (Some(multicaster), true) = (multicaster, own.decoded.multicasts) {
            multicaster.arrived(executing.block, section);
        }
        if let Found::Loaded(leader) = found {
            self.deliver(&leader, &executing);
            self.plan(self.now + RENAMED_LATENCY, executing);
        }
        true
    }

    /// An instruction is completed: loads that waited for its data take them.
    pub fn share_renamed(&mut self, executing: &Executing) {
        if !self.decoded(&executing.instruction).mlds {
            return;
        }
        let Some(LoadSharing { renaming: Some(renaming), .. }) = &mut self.sharing else { return };
        let followers = renaming[executing.sub_core].loaded(executing);
        for follower in followers.into_iter().flatten() {
            self.deliver(executing, &follower);
            self.plan(self.now + RENAMED_LATENCY, follower);
        }
    }

    /// Checks that what `from` loaded is what `to` asked for.
    fn deliver(&mut self, from: &Executing, to: &Executing) {
        let Context { residents, decoded, counters, .. } = self;
        let (source, receiver) = (load(decoded, residents, from), load(decoded, residents, to));
        if !source.deliver(&receiver, counters) {
            let (pc, warp, other) = (receiver.decoded.pc, warp_slot(to), warp_slot(from));
            self.report(|| {
                format!("pc 0x{pc:04x}, warp slot {warp}: gets other data than it asked for, loaded by warp slot {other}")
            });
        }
    }

    /// The barrier of the block in this slot opens, or the block leaves and a new one comes: loads from before are
    /// not shared with those after.
    pub fn separate_loads(&mut self, block: usize, is_new: bool) {
        let Some(LoadSharing { sections, versions, renaming, multicaster }) = &mut self.sharing else {
            return;
        };
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
    pub fn step_multicasting(&mut self) -> bool {
        let Context { sharing, memory, decoded, residents, kernel, .. } = self;
        let Some(LoadSharing { multicaster: Some(multicaster), versions, sections, .. }) = sharing else {
            return false;
        };
        for sub_core in 0..SUB_CORES {
            if let Some(head) = memory.head(sub_core) {
                if stores_to_shared(memory_of(kernel, decoded, residents, head)) {
                    multicaster.hurry(head.block);
                }
            }
            let head =
                memory.head(sub_core).filter(|head| multicaster.takes(head, sections.of(head), decoded));
            let load = head.map(|head| {
                let decoded = &decoded[head.instruction.static_index as usize];
                let first = places(kernel, residents, head).next().expect("loads have addresses");
                let key = Key::new(first, decoded.sources().first().copied(), decoded.destinations()[0]);
                (*head, key, sections.of(head))
            });
            multicaster.offer(sub_core, load, versions.now());
        }
        if !multicaster.is_busy() {
            return false;
        }
        let step = multicaster.step(memory.is_free(self.now), &mut self.counters);
        for sub_core in 0..SUB_CORES {
            if step.taken >> sub_core & 1 == 1 {
                memory.pop(sub_core);
                self.last_progress = self.now;
            }
        }
        if step.unknown {
            self.counters.stage_errors += 1;
            self.report(|| "the multicasting unit sends a load that it does not have".into());
        }
        if let Some(grant) = step.grant {
            self.perform(grant);
        }
        true
    }

    /// One access to shared memory, for one warp or two.
    fn perform(&mut self, grant: Grant) {
        self.last_progress = self.now;
        let Served { completion, .. } = self.access(&grant.first.executing, 1);
        let completion = completion.expect("shared memory misses nothing");
        let parts = [Some(grant.first), grant.second];
        for part in parts.into_iter().flatten() {
            self.check_age(&part.executing, part.stores);
            let multicaster = self.multicaster().expect("it granted the access");
            if let Some(completion) = multicaster.deliver(&part, completion) {
                self.plan(completion, part.executing);
            }
        }
        if let Some(second) = grant.second {
            self.counters.multicasts += 1;
            self.deliver(&grant.first.executing, &second.executing);
        }
    }

    /// Nothing may have been stored to the words of a load since it came to the multicasting unit.
    fn check_age(&mut self, executing: &Executing, stores: u32) {
        let Context { sharing: Some(sharing), residents, decoded, kernel, .. } = self else { return };
        let Decoded { pc, width, .. } = decoded[executing.instruction.static_index as usize];
        if sharing.versions.changed_since(stores, places(kernel, residents, executing), width) {
            self.counters.delivery_errors += 1;
            let warp = warp_slot(executing);
            self.report(|| format!("pc 0x{pc:04x}, warp slot {warp}: loads what was stored after its turn"));
        }
    }

    /// The load/store unit performs the access of an instruction.
    fn access(&mut self, executing: &Executing, transfers: u64) -> Served {
        let Context { sharing, residents, decoded, kernel, .. } = self;
        let memory = memory_of(kernel, decoded, residents, executing);
        let width = decoded[executing.instruction.static_index as usize].width;
        if let (Some(sharing), true) = (sharing, stores_to_shared(memory)) {
            let late = sharing.sections.is_late(executing);
            sharing.versions.store(places(kernel, residents, executing), width, executing.block, late);
        }
        let addresses = resident(residents, executing).block.addresses(&executing.instruction);
        let threads = threads(kernel, residents.len(), executing);
        let access = Access { memory, width, addresses, transfers, threads };
        self.memory.access(self.now, access, *executing, &mut self.counters)
    }

    /// The load/store unit takes its next instruction, if it can. Gives it back if it takes long.
    pub fn step_memory(&mut self) -> Option<Executing> {
        let Context { sharing, memory, decoded, residents, kernel, .. } = self;
        let sharing = sharing.as_ref();
        let may_be_taken = |executing: &Executing| {
            let Some(LoadSharing { multicaster: Some(multicaster), sections, .. }) = sharing else {
                return true;
            };
            let stores = || stores_to_shared(memory_of(kernel, decoded, residents, executing));
            let waits = multicaster.is_draining(executing.block) && stores();
            !waits && !multicaster.takes(executing, sections.of(executing), decoded)
        };
        let executing = memory.take(self.now, may_be_taken)?;
        self.last_progress = self.now;
        let Decoded { mlds, multicasts, .. } = *self.decoded(&executing.instruction);
        let Served { completion, hit } =
            self.access(&executing, if mlds { self.config.mlds.transfers } else { 1 });
        let multicasting = self.sharing.as_mut().filter(|_| multicasts);
        if let Some(LoadSharing { sections, multicaster: Some(multicaster), .. }) = multicasting {
            multicaster.arrived(executing.block, sections.of(&executing));
        }
        if let Some(completion) = completion {
            self.plan(completion, executing);
        }
        // Whether the L1 cache held it is known by now: what it did not hold takes long.
        (!hit).then_some(executing)
    }
}

/// Space and access of a memory instruction. Generic addresses lie where the first one does.
fn memory_of(
    kernel: &KernelHeader,
    decoded: &[Decoded],
    residents: &[Option<Resident>],
    executing: &Executing,
) -> Memory {
    let Load { decoded, block, .. } = load(decoded, residents, executing);
    let memory = decoded.memory.expect("only memory instructions go to the load/store unit");
    match (memory.space, block.addresses(&executing.instruction).first()) {
        (MemorySpace::Generic, Some(&address)) => Memory { space: kernel.space_of(address), ..memory },
        _ => memory,
    }
}

fn stores_to_shared(memory: Memory) -> bool {
    memory.space == MemorySpace::Shared && memory.access != MemoryAccess::Load
}
