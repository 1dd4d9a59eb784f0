// SPDX-License-Identifier: Apache-2.0
//! Reference model of the register cache: C §IV, §V-B, Fig. 8.

use std::io;

use gpurf_blocks::ports::{RegisterCacheIn, RegisterCacheOut};
use gpurf_blocks::{
    CacheAllocation, CacheReplacement, CacheWrite, Clocked, Data, Parameters, WarpId, CACHED_WARPS, LANES,
    MAX_SLOTS,
};

use super::{
    Change, Flush, IssuedSources, LookedUp, Moved, Offer, Reads, RegisterLanes, SetMapping, TagArray, Write,
    WritebackBuffer, Written,
};
use crate::bits::members;
use crate::checkpoint::{checkpoint, Checkpoint};

/// The registers that the threads of a sub-core used last.
#[derive(Clone, Debug)]
pub struct RegisterCache<D: Data> {
    parameters: Parameters,
    mapping: SetMapping,
    /// The tags, for each group of lanes that share them.
    tags: Vec<TagArray>,
    buffer: WritebackBuffer<D>,
    /// A result can go to the register file at once.
    goes_direct: bool,
    /// The first lane of each bank.
    bank_starts: u32,
    rows: Vec<D>,
    /// Data that the memory shows: sources, and what leaves. Sources outside the slots of `shown` are zero.
    read: [D; MAX_SLOTS],
    shown: u8,
    victim: D,
    /// Warp and next entry of the flush under way.
    flush: Option<(WarpId, u8)>,
    decided: Decided<D>,
}

checkpoint! {
    [<D: Data>] RegisterCache<D> {
        values: tags buffer rows read shown victim flush;
        fixed: parameters mapping goes_direct bank_starts decided;
    }
}

/// Findings of a cycle that its clock edge carries through.
#[derive(Clone, Debug)]
struct Decided<D> {
    /// The change of the cycle; without any offer there is none.
    change: Change,
    /// A warp whose entries are flushed from the next cycle on.
    begin: Option<WarpId>,
    /// Data that is written.
    data: D,
    register_ready: bool,
    /// Warp of the sources that are looked up, and the slots of those that hit anywhere.
    warp: WarpId,
    hit: u8,
    /// Actions and findings of each group's tag array.
    groups: Vec<Group>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Group {
    written: Written,
    /// The slots of sources that hit here; of each, the entry, and in which lanes.
    hit: u8,
    hits: [(u8, u32); MAX_SLOTS],
}

impl<D: Data> RegisterCache<D> {
    /// After reset, with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        let groups = LANES / parameters.rc_tag_lanes;
        RegisterCache {
            parameters: *parameters,
            mapping: SetMapping::new(parameters),
            tags: vec![TagArray::new(parameters); groups],
            buffer: WritebackBuffer::new(parameters),
            goes_direct: parameters.rc_allocation == CacheAllocation::Read
                || parameters.rc_write == CacheWrite::Through,
            bank_starts: u32::MAX / ((1 << parameters.rc_bank_lanes) - 1),
            rows: vec![D::default(); CACHED_WARPS * parameters.rc_entries],
            read: [D::default(); MAX_SLOTS],
            shown: 0,
            victim: D::default(),
            flush: None,
            decided: Decided {
                change: Change::None,
                begin: None,
                data: D::default(),
                register_ready: false,
                warp: WarpId(0),
                hit: 0,
                groups: vec![Group::default(); groups],
            },
        }
    }

    /// The first half of [`Clocked::settle`], in words: no source is looked up unless
    /// [`RegisterCache::look_up`] follows. It may be left out where nothing is offered, and nothing is under
    /// way.
    pub fn offer(&mut self, offer: &Offer<D>) -> Moved<D> {
        let (is_empty, free) = (self.buffer.is_empty(), self.buffer.is_free(offer.register_ready));
        let is_quiet = self.flush.is_none() && offer.flush.is_none();
        let can_write = is_quiet
            && match self.goes_direct {
                true => is_empty && offer.register_ready,
                false => free,
            };
        let mut moved = Moved {
            write_ready: can_write,
            fill_ready: can_write && offer.result.is_none(),
            flush_ready: self.flush.is_none() && is_empty,
            flushing: self.flush.is_some(),
            leaving: self.buffer.leaving(&self.victim),
            data: self.read,
            ..Moved::default()
        };
        let decided = &mut self.decided;
        (decided.register_ready, decided.hit) = (offer.register_ready, 0);
        (decided.change, decided.begin) = (Change::None, None);
        if let Some((warp, entry)) = self.flush {
            if free {
                decided.change = Change::Flush(warp, entry.into());
                for (group, tags) in decided.groups.iter_mut().zip(&self.tags) {
                    group.written = tags.flush(warp, entry.into());
                }
            }
        } else if let Some(Flush { warp, drop }) = offer.flush {
            match (moved.flush_ready, drop) {
                (true, true) => decided.change = Change::Drop(warp),
                (true, false) => decided.begin = Some(warp),
                (false, _) => {}
            }
        } else if can_write {
            match (&offer.result, &offer.fill) {
                (Some(result), _) => {
                    let set = self.mapping.of_destination(result.register.into());
                    self.write(result, false, set, &mut moved);
                }
                (None, Some((fill, position))) => {
                    let set = self.mapping.of_source((*position).into());
                    self.write(fill, true, set, &mut moved);
                }
                (None, None) => {}
            }
        }
        moved
    }

    /// A result or a fill is written.
    fn write(&mut self, value: &RegisterLanes<D>, fill: bool, set: u32, moved: &mut Moved<D>) {
        let RegisterLanes { warp, register, lanes, data } = *value;
        let write = Write { fill, warp, register, set: set as usize, lanes };
        let (mut stored, mut direct) = (0, 0);
        for (number, (group, tags)) in self.decided.groups.iter_mut().zip(&self.tags).enumerate() {
            let lanes = group_of(&self.parameters, lanes, number);
            group.written = if lanes == 0 { Written::default() } else { tags.write(&write, lanes) };
            let in_warp = |lanes| in_warp(&self.parameters, lanes, number);
            moved.write_hit |= in_warp(group.written.hit);
            stored |= in_warp(group.written.stored);
            direct |= in_warp(group.written.direct);
        }
        moved.bank_writes = self.banks(stored);
        if direct != 0 {
            moved.leaving = Some(RegisterLanes { lanes: direct, ..*value });
        }
        (self.decided.change, self.decided.data) = (Change::Write(write), data);
    }

    /// The second half: `found` becomes what these sources find, unless they must wait. Whether they need
    /// not.
    pub fn look_up(&mut self, sources: &IssuedSources, found: &mut LookedUp) -> bool {
        let RegisterCache { parameters, decided, tags, .. } = self;
        decided.hit = 0;
        if self.buffer.holds_any(sources) {
            return false;
        }
        *found = LookedUp::default();
        decided.warp = sources.warp;
        for (number, (group, tags)) in decided.groups.iter_mut().zip(tags).enumerate() {
            let lanes = group_of(parameters, sources.lanes, number);
            group.hit = 0;
            for (slot, register) in sources.each() {
                if let Some((lanes, entry)) = tags.look_up(sources.warp, register, lanes) {
                    group.hit |= 1 << slot;
                    group.hits[slot] = (entry as u8, lanes);
                    found.hit[slot] |= in_warp(parameters, lanes, number);
                }
            }
            decided.hit |= group.hit;
        }
        let takes_in = match parameters.rc_allocation {
            CacheAllocation::Write => 0,
            CacheAllocation::Read | CacheAllocation::ReadWrite => sources.read,
            CacheAllocation::CompilerAided => sources.reuse,
        };
        for (slot, _) in sources.each() {
            found.miss[slot] = sources.lanes & !found.hit[slot];
        }
        for slot in members(sources.read & takes_in) {
            found.take[slot] = found.miss[slot];
        }
        for slot in members(self.decided.hit) {
            found.bank_reads += self.banks(found.hit[slot]);
        }
        true
    }

    /// Banks that have any of these lanes.
    fn banks(&self, lanes: u32) -> u32 {
        if lanes == 0 {
            return 0;
        }
        let mut any = lanes;
        let mut reached = 1;
        while reached < self.parameters.rc_bank_lanes {
            any |= any >> reached;
            reached *= 2;
        }
        (any & self.bank_starts).count_ones()
    }

    /// Sources are read, lane by lane from where they lie.
    fn read_sources(&mut self) {
        members(self.shown).for_each(|slot| self.read[slot] = D::default());
        self.shown = self.decided.hit;
        if self.shown == 0 {
            return;
        }
        for (number, group) in self.decided.groups.iter().enumerate() {
            for slot in members(group.hit) {
                let (entry, lanes) = group.hits[slot];
                let row = &self.rows[row(self.decided.warp, entry.into())];
                self.read[slot].take_lanes(row, in_warp(&self.parameters, lanes, number));
            }
        }
    }

    /// Makes a change in the tags and in the memory.
    fn change(&mut self, change: Change) {
        let Decided { data, warp: read_warp, hit, groups, .. } = &self.decided;
        let renews = self.parameters.rc_replacement == CacheReplacement::Lru && *hit != 0;
        if matches!(change, Change::None) && !renews {
            return;
        }
        let (warp, leaves) = match change {
            Change::Write(Write { warp, .. }) | Change::Flush(warp, _) => (warp, true),
            Change::Drop(warp) => (warp, false),
            Change::None => (*read_warp, false),
        };
        let mut pushed = 0;
        let mut registers = [0; LANES];
        for (number, (group, tags)) in groups.iter().zip(&mut self.tags).enumerate() {
            let Written { stored, entry, victim, victim_register, victim_entry, .. } = group.written;
            if leaves && victim != 0 {
                if pushed == 0 {
                    self.victim = D::default();
                }
                let lanes = in_warp(&self.parameters, victim, number);
                self.victim.take_lanes(&self.rows[row(warp, victim_entry)], lanes);
                let of_group = self.parameters.rc_tag_lanes;
                registers[number * of_group..][..of_group].fill(victim_register);
                pushed |= lanes;
            }
            if leaves && stored != 0 {
                self.rows[row(warp, entry)].take_lanes(data, in_warp(&self.parameters, stored, number));
            }
            let mut reads = Reads { warp: *read_warp, entries: 0 };
            if renews {
                reads.entries = members(group.hit).fold(0, |all, slot| all | 1 << group.hits[slot].0);
            }
            tags.edge(&change, &group.written, reads);
        }
        if pushed != 0 {
            self.buffer.push(warp, pushed, &registers);
        }
    }
}

impl<D: Data> Clocked for RegisterCache<D> {
    type In = RegisterCacheIn<D>;
    type Out = RegisterCacheOut<D>;

    fn settle(&mut self, inputs: &RegisterCacheIn<D>) -> RegisterCacheOut<D> {
        let moved = self.offer(&Offer::of_ports(inputs));
        let mut found = LookedUp::default();
        let is_found = self.look_up(&IssuedSources::of_ports(inputs), &mut found);
        moved.ports(is_found.then_some(&found))
    }

    fn tick(&mut self) {
        self.buffer.edge(self.decided.register_ready, &self.victim);
        self.read_sources();
        let change = std::mem::take(&mut self.decided.change);
        self.change(change);
        if let Change::Flush(warp, entry) = change {
            let next = entry + 1;
            self.flush = (next < self.parameters.rc_entries).then_some((warp, next as u8));
        }
        if let Some(warp) = self.decided.begin.take() {
            self.flush = Some((warp, 0));
        }
        self.decided.hit = 0;
    }

    fn save(&self, state: &mut Vec<u8>) -> io::Result<()> {
        Checkpoint::save(self, state)
    }

    fn restore(&mut self, state: &mut &[u8]) -> io::Result<()> {
        Checkpoint::restore(self, state)
    }
}

/// Where the memory has an entry of a warp.
fn row(warp: WarpId, entry: usize) -> usize {
    CACHED_WARPS * entry + warp.index()
}

/// The lanes of a group, as bits of the group.
#[inline]
fn group_of(parameters: &Parameters, lanes: u32, group: usize) -> u32 {
    let of_group = parameters.rc_tag_lanes;
    lanes >> (group * of_group) & (!0 >> (LANES - of_group))
}

/// The lanes of a group, as bits of the warp.
#[inline]
fn in_warp(parameters: &Parameters, lanes: u32, group: usize) -> u32 {
    lanes << (group * parameters.rc_tag_lanes)
}
