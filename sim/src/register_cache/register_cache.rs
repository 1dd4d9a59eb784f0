//! Reference model of the register cache: C §IV, §V-B, Fig. 8.

use std::io;

use gpurf_blocks::ports::{RegisterCacheIn, RegisterCacheOut};
use gpurf_blocks::{
    CacheAllocation, CacheReplacement, CacheWrite, Clocked, Data, Parameters, WarpId, CACHED_WARPS, LANES, MAX_SLOTS,
};

use super::{
    Change, LookedUp, Moved, Offer, Reads, SetMapping, Sources, TagArray, Value, Write, WritebackBuffer, Written,
};
use crate::bits::members;
use crate::checkpoint::{checkpoint, Checkpoint};

/// The registers that the threads of a sub-core used last.
#[derive(Clone, Debug)]
pub struct RegisterCache<D: Data> {
    parameters: Parameters,
    mapping: SetMapping,
    /// Of each group of lanes that share tags.
    tags: Vec<TagArray>,
    buffer: WritebackBuffer<D>,
    /// The first lane of each bank.
    bank_starts: u32,
    rows: Vec<D>,
    /// What the memory shows: sources, of which those in the slots of this set are not zero, and what leaves.
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
        fixed: parameters mapping bank_starts decided;
    }
}

/// What a cycle's clock edge carries through.
#[derive(Clone, Debug)]
struct Decided<D> {
    event: Event,
    /// What is written.
    data: D,
    register_ready: bool,
    /// Warp and slots of the sources that are looked up.
    warp: WarpId,
    read: u8,
    /// What the tag array of each group does and finds.
    groups: Vec<Group>,
}

/// What takes place in a cycle; at most one of these does.
#[derive(Clone, Copy, Debug)]
enum Event {
    None,
    /// A result or a fill is written, in lanes of the warp.
    Write(Write),
    /// An entry of a warp is flushed.
    Step(WarpId, u8),
    /// From the next cycle on entries of a warp are.
    Begin(WarpId),
    Drop(WarpId),
}

#[derive(Clone, Copy, Debug, Default)]
struct Group {
    written: Written,
    /// The entries that sources hit, and in which lanes; only if they are looked up.
    hits: [(u32, u8); MAX_SLOTS],
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
            bank_starts: u32::MAX / ((1 << parameters.rc_bank_lanes) - 1),
            rows: vec![D::default(); CACHED_WARPS * parameters.rc_entries],
            read: [D::default(); MAX_SLOTS],
            shown: 0,
            victim: D::default(),
            flush: None,
            decided: Decided {
                event: Event::None,
                data: D::default(),
                register_ready: false,
                warp: WarpId(0),
                read: 0,
                groups: vec![Group::default(); groups],
            },
        }
    }

    /// The first half of [`Clocked::settle`], in words: no source is looked up unless [`RegisterCache::look_up`] follows.
    pub fn offer(&mut self, offer: &Offer<D>) -> Moved<D> {
        let (is_empty, free) = (self.buffer.is_empty(), self.buffer.is_free(offer.register_ready));
        let is_quiet = self.flush.is_none() && offer.flush.is_none();
        let can_write = is_quiet
            && match self.goes_direct() {
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
        (self.decided.register_ready, self.decided.read) = (offer.register_ready, 0);
        self.decided.event = self.event(offer, &moved, free);
        match self.decided.event {
            Event::Write(write) => self.decide_write(&write, offer, &mut moved),
            Event::Step(warp, entry) => {
                let change = Change::Flush(warp, entry.into());
                for (group, tags) in self.decided.groups.iter_mut().zip(&self.tags) {
                    group.written = tags.decide(&change);
                }
            }
            Event::None | Event::Begin(_) | Event::Drop(_) => {}
        }
        moved
    }

    /// What these inputs do, given the ready signals and whether the buffer is free.
    fn event(&self, offer: &Offer<D>, moved: &Moved<D>, free: bool) -> Event {
        if let Some((warp, entry)) = self.flush {
            return if free { Event::Step(warp, entry) } else { Event::None };
        }
        if let Some(flush) = offer.flush {
            return match (moved.flush_ready, flush.drop) {
                (false, _) => Event::None,
                (true, false) => Event::Begin(flush.warp),
                (true, true) => Event::Drop(flush.warp),
            };
        }
        match (&offer.result, &offer.fill) {
            (Some(Value { warp, register, lanes, .. }), _) if moved.write_ready => {
                let set = self.mapping.of_destination((*register).into()) as usize;
                Event::Write(Write { fill: false, warp: *warp, register: *register, set, lanes: *lanes })
            }
            (None, Some((Value { warp, register, lanes, .. }, position))) if moved.fill_ready => {
                let set = self.mapping.of_source((*position).into()) as usize;
                Event::Write(Write { fill: true, warp: *warp, register: *register, set, lanes: *lanes })
            }
            _ => Event::None,
        }
    }

    fn decide_write(&mut self, write: &Write, offer: &Offer<D>, moved: &mut Moved<D>) {
        let value = match (&offer.result, &offer.fill) {
            (Some(value), _) | (None, Some((value, _))) => value,
            (None, None) => return,
        };
        self.decided.data = value.data;
        let (mut stored, mut direct) = (0, 0);
        for (number, (group, tags)) in self.decided.groups.iter_mut().zip(&self.tags).enumerate() {
            let lanes = group_of(&self.parameters, write.lanes, number);
            group.written = match lanes {
                0 => Written::default(),
                _ => tags.decide(&Change::Write(Write { lanes, ..*write })),
            };
            let in_warp = |lanes| in_warp(&self.parameters, lanes, number);
            moved.write_hit |= in_warp(group.written.hit);
            stored |= in_warp(group.written.stored);
            direct |= in_warp(group.written.direct);
        }
        moved.bank_writes = self.banks(stored);
        if direct != 0 {
            moved.leaving = Some(Value { lanes: direct, ..*value });
        }
    }

    /// The second half, after [`RegisterCache::offer`]: what these sources find. `None` if they must wait.
    pub fn look_up(&mut self, sources: &Sources) -> Option<LookedUp> {
        self.decided.read = 0;
        if self.buffer.holds_any(sources) {
            return None;
        }
        let mut found = LookedUp::default();
        (self.decided.warp, self.decided.read) = (sources.warp, sources.read);
        for (slot, register) in sources.each() {
            for (number, (group, tags)) in self.decided.groups.iter_mut().zip(&self.tags).enumerate() {
                let lanes = group_of(&self.parameters, sources.lanes, number);
                let (lanes, entry) = tags.look_up(sources.warp, register, lanes).unwrap_or_default();
                group.hits[slot] = (lanes, entry as u8);
                found.hit[slot] |= in_warp(&self.parameters, lanes, number);
            }
            found.miss[slot] = sources.lanes & !found.hit[slot];
            let takes_in = match self.parameters.rc_allocation {
                CacheAllocation::Write => false,
                CacheAllocation::Read | CacheAllocation::ReadWrite => true,
                CacheAllocation::CompilerAided => sources.reuse >> slot & 1 == 1,
            };
            found.take[slot] = if takes_in { found.miss[slot] } else { 0 };
            found.bank_reads += self.banks(found.hit[slot]);
        }
        Some(found)
    }

    /// Whether a result can go to the register file at once.
    fn goes_direct(&self) -> bool {
        self.parameters.rc_allocation == CacheAllocation::Read
            || self.parameters.rc_write == CacheWrite::Through
    }

    /// Banks that have any of these lanes.
    fn banks(&self, lanes: u32) -> u32 {
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
        let Decided { warp, read, groups, .. } = &self.decided;
        members(self.shown).for_each(|slot| self.read[slot] = D::default());
        self.shown = 0;
        for slot in members(*read) {
            for (number, group) in groups.iter().enumerate() {
                let (lanes, entry) = group.hits[slot];
                if lanes != 0 {
                    let row = &self.rows[row(*warp, entry.into())];
                    self.read[slot].take_lanes(row, in_warp(&self.parameters, lanes, number));
                    self.shown |= 1 << slot;
                }
            }
        }
    }

    /// Dirty lanes of a warp leave for the buffer.
    fn push(&mut self, warp: WarpId) {
        let mut lanes = 0;
        let mut registers = [0; LANES];
        let of_groups = registers.chunks_exact_mut(self.parameters.rc_tag_lanes);
        for ((number, group), registers) in self.decided.groups.iter().enumerate().zip(of_groups) {
            let Written { victim, victim_register, victim_entry, .. } = group.written;
            if victim == 0 {
                continue;
            }
            if lanes == 0 {
                self.victim = D::default();
            }
            let of_group = in_warp(&self.parameters, victim, number);
            self.victim.take_lanes(&self.rows[row(warp, victim_entry)], of_group);
            registers.fill(victim_register);
            lanes |= of_group;
        }
        if lanes != 0 {
            self.buffer.push(warp, lanes, &registers);
        }
    }

    /// What is written is stored.
    fn store(&mut self, warp: WarpId) {
        for (number, Group { written, .. }) in self.decided.groups.iter().enumerate() {
            if written.stored != 0 {
                let lanes = in_warp(&self.parameters, written.stored, number);
                self.rows[row(warp, written.entry)].take_lanes(&self.decided.data, lanes);
            }
        }
    }

    /// The clock edge of the tags.
    fn change_tags(&mut self, change: &Change) {
        let Decided { warp, read, groups, .. } = &self.decided;
        let renews = self.parameters.rc_replacement == CacheReplacement::Lru && *read != 0;
        if matches!(change, Change::None) && !renews {
            return;
        }
        for (tags, group) in self.tags.iter_mut().zip(groups) {
            let hits = members(*read).map(|slot| group.hits[slot]).filter(|(lanes, _)| *lanes != 0);
            let entries = if renews { hits.fold(0, |all, (_, entry)| all | 1 << entry) } else { 0 };
            tags.edge(change, &group.written, Reads { warp: *warp, entries });
        }
    }
}

impl<D: Data> Clocked for RegisterCache<D> {
    type In = RegisterCacheIn<D>;
    type Out = RegisterCacheOut<D>;

    fn settle(&mut self, inputs: &RegisterCacheIn<D>) -> RegisterCacheOut<D> {
        let moved = self.offer(&Offer::of_ports(inputs));
        moved.ports(self.look_up(&Sources::of_ports(inputs)).as_ref())
    }

    fn tick(&mut self) {
        self.buffer.edge(self.decided.register_ready, &self.victim);
        self.read_sources();
        let change = match self.decided.event {
            Event::None | Event::Begin(_) => Change::None,
            Event::Write(write) => {
                self.push(write.warp);
                self.store(write.warp);
                Change::Write(write)
            }
            Event::Step(warp, entry) => {
                self.push(warp);
                let is_last = usize::from(entry) + 1 == self.parameters.rc_entries;
                self.flush = (!is_last).then_some((warp, entry + 1));
                Change::Flush(warp, entry.into())
            }
            Event::Drop(warp) => Change::Drop(warp),
        };
        self.change_tags(&change);
        if let Event::Begin(warp) = self.decided.event {
            self.flush = Some((warp, 0));
        }
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
