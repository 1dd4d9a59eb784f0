//! Reference model of the register cache: C §IV, §V-B, Fig. 8.

use std::io;

use gpurf_blocks::ports::{RegisterCacheIn, RegisterCacheOut, TagArrayIn, TagArrayOut, WritebackBufferIn};
use gpurf_blocks::{CacheAllocation, CacheWrite, Clocked, Data, Parameters, CACHED_WARPS, LANES, MAX_SLOTS};

use super::{SetMapping, TagArray, WritebackBuffer};
use crate::checkpoint::{checkpoint, Checkpoint};

/// The registers that the threads of a sub-core used last.
#[derive(Clone, Debug)]
pub struct RegisterCache<D: Data> {
    parameters: Parameters,
    mapping: SetMapping,
    /// Of each group of lanes that share tags.
    tags: Vec<TagArray>,
    buffer: WritebackBuffer<D>,
    rows: Vec<D>,
    /// What the memory shows: sources, and what leaves.
    read: [D; MAX_SLOTS],
    victim: D,
    /// Warp and next entry of the flush under way.
    flush: Option<(u32, u32)>,
    inputs: RegisterCacheIn<D>,
    decided: Decided<D>,
}

checkpoint! {
    [<D: Data>] RegisterCache<D> {
        values: tags buffer rows read victim flush;
        fixed: parameters mapping inputs decided;
    }
}

/// What a cycle's `settle` found out and its clock edge carries through.
#[derive(Clone, Debug)]
struct Decided<D> {
    events: Events<D>,
    /// What each tag array answers to them.
    tags: Vec<TagArrayOut>,
}

/// What takes place in a cycle.
#[derive(Clone, Copy, Debug, Default)]
struct Events<D> {
    /// A result or a fill: warp, register, lanes, value.
    write: Option<(bool, u32, u32, u32, D)>,
    /// An entry of a warp is flushed.
    step: Option<(u32, u32)>,
    /// A warp whose entries are flushed from the next cycle on.
    begin: Option<u32>,
    drop: Option<u32>,
    conflict: bool,
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
            rows: vec![D::default(); CACHED_WARPS * parameters.rc_entries],
            read: [D::default(); MAX_SLOTS],
            victim: D::default(),
            flush: None,
            inputs: RegisterCacheIn::default(),
            decided: Decided { events: Events::default(), tags: vec![TagArrayOut::default(); groups] },
        }
    }

    /// The lanes of a group, as bits of the group and of the warp.
    fn group_of(&self, lanes: u32, group: usize) -> u32 {
        let of_group = self.parameters.rc_tag_lanes;
        let mask = if of_group == LANES { !0 } else { (1 << of_group) - 1 };
        lanes >> (group * of_group) & mask
    }

    fn in_warp(&self, lanes: u32, group: usize) -> u32 {
        lanes << (group * self.parameters.rc_tag_lanes)
    }

    /// Whether a result can go to the register file at once.
    fn goes_direct(&self) -> bool {
        self.parameters.rc_allocation == CacheAllocation::Read
            || self.parameters.rc_write == CacheWrite::Through
    }

    fn look(&self) -> WritebackBufferIn<D> {
        let inputs = &self.inputs;
        WritebackBufferIn {
            ready: inputs.register_ready,
            look: inputs.read,
            look_warp: inputs.read_warp,
            look_register: inputs.read_register,
            data: self.victim,
            ..Default::default()
        }
    }

    /// The tag array's inputs of a group for these events.
    fn tag_inputs(&self, events: &Events<D>, group: usize) -> TagArrayIn {
        let inputs = &self.inputs;
        let mut tags = TagArrayIn {
            read_warp: inputs.read_warp,
            read_register: inputs.read_register,
            read_mask: self.group_of(inputs.read_lanes, group),
            ..Default::default()
        };
        if !events.conflict {
            tags.read = inputs.read;
        }
        if let Some((fill, warp, register, lanes, _)) = events.write {
            let set = match fill {
                true => self.mapping.of_source(inputs.fill_position),
                false => self.mapping.of_destination(register),
            };
            (tags.write, tags.fill, tags.warp, tags.register) = (true, fill, warp, register);
            (tags.set, tags.mask) = (set, self.group_of(lanes, group));
        }
        if let Some((warp, entry)) = events.step {
            (tags.flush, tags.warp, tags.flush_entry) = (true, warp, entry);
        }
        if let Some(warp) = events.drop {
            (tags.drop, tags.warp) = (true, warp);
        }
        tags
    }
}

impl<D: Data> Clocked for RegisterCache<D> {
    type In = RegisterCacheIn<D>;
    type Out = RegisterCacheOut<D>;

    fn settle(&mut self, inputs: &RegisterCacheIn<D>) -> RegisterCacheOut<D> {
        self.inputs = *inputs;
        let mut outputs = RegisterCacheOut { data: self.read, ..Default::default() };
        let buffer = self.buffer.settle(&self.look());
        let is_quiet = self.flush.is_none() && !inputs.flush;
        let can_write = match self.goes_direct() {
            true => !buffer.valid && inputs.register_ready && is_quiet,
            false => buffer.free && is_quiet,
        };
        outputs.write_ready = can_write;
        outputs.fill_ready = can_write && !inputs.write;
        outputs.flush_ready = self.flush.is_none() && !buffer.valid;
        outputs.flushing = self.flush.is_some();
        outputs.conflict = buffer.conflict;

        let events = self.events(&outputs, buffer.free);
        self.decided.events = events;
        let mut direct = 0;
        let mut stored = 0;
        for group in 0..self.tags.len() {
            let tag_inputs = self.tag_inputs(&events, group);
            let tags = self.tags[group].settle(&tag_inputs);
            self.decided.tags[group] = tags;
            for slot in 0..self.parameters.slots {
                outputs.hit[slot] |= self.in_warp(tags.hit[slot], group);
            }
            direct |= self.in_warp(tags.direct, group);
            stored |= self.in_warp(tags.stored, group);
            outputs.write_hit |= self.in_warp(tags.write_hit, group);
        }
        let banks = |lanes: u32| {
            let of_bank = self.parameters.rc_bank_lanes;
            (0..LANES / of_bank).filter(|bank| lanes >> (bank * of_bank) & ((1 << of_bank) - 1) != 0).count()
                as u32
        };
        for slot in (0..self.parameters.slots).filter(|slot| inputs.read[*slot] && !events.conflict) {
            outputs.miss[slot] = inputs.read_lanes & !outputs.hit[slot];
            let takes_in = match self.parameters.rc_allocation {
                CacheAllocation::Write => false,
                CacheAllocation::Read | CacheAllocation::ReadWrite => true,
                CacheAllocation::CompilerAided => inputs.read_reuse[slot],
            };
            outputs.take[slot] = if takes_in { outputs.miss[slot] } else { 0 };
            outputs.bank_reads += banks(outputs.hit[slot]);
        }
        outputs.bank_writes = banks(stored);
        if direct != 0 {
            outputs.register_write = true;
            outputs.register_warp = inputs.write_warp;
            outputs.register_number = inputs.write_register;
            outputs.register_lanes = direct;
            outputs.register_data = inputs.write_data;
        } else if buffer.valid {
            outputs.register_write = true;
            outputs.register_warp = buffer.warp;
            outputs.register_number = buffer.register;
            outputs.register_lanes = buffer.lanes;
            outputs.register_data = buffer.leaving_data;
        }
        outputs
    }

    fn tick(&mut self) {
        let events = self.decided.events;
        let mut buffer = self.look();
        buffer.push_warp = events.write.map_or(0, |(_, warp, ..)| warp);
        if let Some((warp, _)) = events.step {
            buffer.push_warp = warp;
        }
        self.read = [D::default(); MAX_SLOTS];
        self.victim = D::default();
        for group in 0..self.tags.len() {
            let tags = self.decided.tags[group];
            self.tags[group].tick();
            for slot in 0..self.parameters.slots {
                let lanes = self.in_warp(tags.hit[slot], group);
                self.read[slot] = self.read[slot].with_lanes(&self.rows[tags.hit_row[slot] as usize], lanes);
            }
            let lanes = self.in_warp(tags.victim, group);
            self.victim = self.victim.with_lanes(&self.rows[tags.victim_row as usize], lanes);
            buffer.push |= tags.victim != 0;
            buffer.push_lanes[group] = tags.victim;
            buffer.push_register[group] = tags.victim_register;
            if let Some((.., data)) = events.write {
                let lanes = self.in_warp(tags.stored, group);
                let row = &mut self.rows[tags.row as usize];
                *row = row.with_lanes(&data, lanes);
            }
        }
        self.buffer.settle(&buffer);
        self.buffer.tick();
        if let Some((warp, entry)) = events.step {
            let is_last = entry as usize + 1 == self.parameters.rc_entries;
            self.flush = (!is_last).then_some((warp, entry + 1));
        }
        if let Some(warp) = events.begin {
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

impl<D: Data> RegisterCache<D> {
    /// What these inputs do, given the ready signals and whether the buffer is free.
    fn events(&self, outputs: &RegisterCacheOut<D>, free: bool) -> Events<D> {
        let inputs = &self.inputs;
        let result = (false, inputs.write_warp, inputs.write_register, inputs.write_lanes, inputs.write_data);
        let fill = (true, inputs.fill_warp, inputs.fill_register, inputs.fill_lanes, inputs.fill_data);
        let write = match (inputs.write && outputs.write_ready, inputs.fill && outputs.fill_ready) {
            (true, _) => Some(result),
            (false, true) => Some(fill),
            (false, false) => None,
        };
        let flush = (inputs.flush && outputs.flush_ready).then_some(inputs.flush_warp);
        Events {
            write,
            step: self.flush.filter(|_| free),
            begin: flush.filter(|_| !inputs.flush_drop),
            drop: flush.filter(|_| inputs.flush_drop),
            conflict: outputs.conflict,
        }
    }
}
