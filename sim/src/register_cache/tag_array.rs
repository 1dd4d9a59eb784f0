// SPDX-License-Identifier: Apache-2.0
//! Reference model of a register cache's tag array: C §IV, §V-B.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{TagArrayIn, TagArrayOut};
use gpurf_blocks::{
    CacheAllocation, CacheReplacement, CacheWrite, Clocked, Parameters, WarpId, CACHED_WARPS, MAX_RC_ENTRIES,
};
use gpurf_trace::RegisterId;

use super::WayReplacement;
use crate::bits::{all, equal, equal_of_16, first, mask, members};

/// The part of one warp: entry by entry, and set by set.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
struct WarpPart {
    tags: [u8; MAX_RC_ENTRIES],
    /// Lanes that an entry has.
    valid: [u32; MAX_RC_ENTRIES],
    /// The ones of them that differ from the register file.
    dirty: [u32; MAX_RC_ENTRIES],
    /// Entries that have any, one bit each.
    used: u16,
    /// The order of each set.
    order: Vec<WayReplacement>,
}

impl WarpPart {
    #[inline]
    fn find(&self, register: RegisterId) -> Option<usize> {
        let (low, _) = self.tags.split_first_chunk().expect("more than 8 entries");
        first(match self.used {
            ..=0xff => u16::from(equal(low, register.0)) & self.used,
            _ => equal_of_16(&self.tags, register.0) & self.used,
        })
    }

    fn empty(&mut self, entry: usize) {
        (self.valid[entry], self.dirty[entry]) = (0, 0);
        self.used &= !(1 << entry);
    }
}

/// A register is written: a result, or a fill.
#[derive(Clone, Copy, Debug, Default)]
pub struct Write {
    /// It is a fill.
    pub fill: bool,
    /// Its warp.
    pub warp: WarpId,
    /// Its number.
    pub register: RegisterId,
    /// The set that takes it in.
    pub set: usize,
    /// Its lanes.
    pub lanes: u32,
}

/// A change that takes place in a cycle, beside look-ups.
#[derive(Clone, Copy, Debug, Default)]
pub enum Change {
    /// Nothing.
    #[default]
    None,
    /// A result or a fill is written.
    Write(Write),
    /// An entry of a warp is flushed.
    Flush(WarpId, usize),
    /// All entries of a warp are emptied, and nothing leaves.
    Drop(WarpId),
}

/// Effects of a change.
#[derive(Clone, Copy, Debug, Default)]
pub struct Written {
    /// Lanes that were valid.
    pub hit: u32,
    /// Lanes that are stored.
    pub stored: u32,
    /// Lanes of a result that go to the register file.
    pub direct: u32,
    /// The entry that they go into.
    pub entry: usize,
    /// Dirty lanes that leave, and what they are.
    pub victim: u32,
    /// Register number of what leaves.
    pub victim_register: u8,
    /// The entry that it leaves.
    pub victim_entry: usize,
}

impl Written {
    fn leave(&mut self, part: &WarpPart, entry: usize) {
        if part.dirty[entry] != 0 {
            (self.victim, self.victim_register) = (part.dirty[entry], part.tags[entry]);
            self.victim_entry = entry;
        }
    }
}

/// Entries of a warp that are read in a cycle.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reads {
    /// The warp.
    pub warp: WarpId,
    /// One bit each.
    pub entries: u16,
}

/// Which registers of eight warps lie in the cache, for lanes that share tags.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct TagArray {
    slots: usize,
    ways: usize,
    /// Results are taken in; they go to the register file as well.
    takes_results: bool,
    writes_through: bool,
    /// A register that is read is kept for longer.
    renews: bool,
    parts: Vec<WarpPart>,
    #[borsh(skip)]
    decided: (Change, Written, Reads),
}

impl TagArray {
    /// After reset, with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { slots, rc_entries, rc_ways, rc_allocation, rc_replacement, rc_write, .. } =
            *parameters;
        let part = WarpPart {
            tags: [0; MAX_RC_ENTRIES],
            valid: [0; MAX_RC_ENTRIES],
            dirty: [0; MAX_RC_ENTRIES],
            used: 0,
            order: vec![WayReplacement::new(parameters); rc_entries / rc_ways],
        };
        TagArray {
            slots,
            ways: rc_ways,
            takes_results: rc_allocation != CacheAllocation::Read,
            writes_through: rc_write == CacheWrite::Through,
            renews: rc_replacement == CacheReplacement::Lru,
            parts: vec![part; CACHED_WARPS],
            decided: Default::default(),
        }
    }

    /// Lanes that the cache has of a register, and its entry.
    #[inline]
    pub fn look_up(&self, warp: WarpId, register: RegisterId, lanes: u32) -> Option<(u32, usize)> {
        let part = &self.parts[warp.index()];
        let entry = part.find(register)?;
        let lanes = part.valid[entry] & lanes;
        (lanes != 0).then_some((lanes, entry))
    }

    /// The effects of a flush of an entry.
    #[inline]
    pub fn flush(&self, warp: WarpId, entry: usize) -> Written {
        let mut written = Written::default();
        written.leave(&self.parts[warp.index()], entry);
        written
    }

    /// The effects of a result or a fill that has these lanes here.
    #[inline]
    pub fn write(&self, &Write { fill, warp, register, set, .. }: &Write, lanes: u32) -> Written {
        let part = &self.parts[warp.index()];
        let found = part.find(register);
        let had = found.map_or(0, |entry| part.valid[entry]);
        let mut written = Written::default();
        if fill {
            written.stored = lanes & !had;
        } else {
            written.hit = lanes & had;
            written.stored = if self.takes_results { lanes } else { lanes & had };
            written.direct = if self.writes_through { lanes } else { lanes & !written.stored };
        }
        if written.stored == 0 {
            return written;
        }
        written.entry = found.unwrap_or_else(|| {
            let first = set * self.ways;
            first + part.order[set].victim((part.used >> first) as u8)
        });
        if found.is_none() {
            written.leave(part, written.entry);
        }
        written
    }

    /// The clock edge, with what the change does and what is read.
    #[inline]
    pub fn edge(&mut self, change: &Change, written: &Written, reads: Reads) {
        let mut used = if self.renews { reads.entries } else { 0 };
        match change {
            Change::None => {}
            Change::Write(write) if written.stored != 0 => {
                let part = &mut self.parts[write.warp.index()];
                let entry = written.entry;
                let is_new = part.used >> entry & 1 == 0 || part.tags[entry] != write.register.0;
                if is_new {
                    (part.valid[entry], part.dirty[entry]) = (0, 0);
                    part.tags[entry] = write.register.0;
                    part.used |= 1 << entry;
                }
                part.valid[entry] |= written.stored;
                if !write.fill && !self.writes_through {
                    part.dirty[entry] |= written.stored;
                }
                if is_new || self.renews {
                    let entry = 1 << entry;
                    match write.warp == reads.warp {
                        true => used |= entry,
                        false => self.touch(write.warp, entry),
                    }
                }
            }
            Change::Write(_) => {}
            Change::Flush(warp, entry) => self.parts[warp.index()].empty(*entry),
            Change::Drop(warp) => {
                let part = &mut self.parts[warp.index()];
                members(part.used).for_each(|entry| part.empty(entry));
            }
        }
        self.touch(reads.warp, used);
    }

    /// These entries of a warp were used.
    #[inline]
    fn touch(&mut self, warp: WarpId, entries: u16) {
        if entries == 0 {
            return;
        }
        for (set, order) in self.parts[warp.index()].order.iter_mut().enumerate() {
            let of_set = (entries >> (set * self.ways)) as u8 & all(self.ways);
            if of_set != 0 {
                order.touch(of_set);
            }
        }
    }

    fn row(entry: usize, warp: u32) -> u32 {
        8 * entry as u32 + warp
    }
}

impl Clocked for TagArray {
    type In = TagArrayIn;
    type Out = TagArrayOut;

    fn settle(&mut self, inputs: &TagArrayIn) -> TagArrayOut {
        let mut outputs = TagArrayOut::default();
        let mut reads = Reads { warp: WarpId(inputs.read_warp as u8), entries: 0 };
        for slot in members(mask(&inputs.read) & all(self.slots)) {
            let register = RegisterId(inputs.read_register[slot] as u8);
            if let Some((lanes, entry)) = self.look_up(reads.warp, register, inputs.read_mask) {
                outputs.hit[slot] = lanes;
                outputs.hit_row[slot] = TagArray::row(entry, inputs.read_warp);
                reads.entries |= 1 << entry;
            }
        }
        let warp = WarpId(inputs.warp as u8);
        let change = match *inputs {
            TagArrayIn { write: true, fill, register, set, mask, .. } => {
                let (register, set) = (RegisterId(register as u8), set as usize);
                Change::Write(Write { fill, warp, register, set, lanes: mask })
            }
            TagArrayIn { flush: true, flush_entry, .. } => Change::Flush(warp, flush_entry as usize),
            TagArrayIn { drop: true, .. } => Change::Drop(warp),
            _ => Change::None,
        };
        let written = match &change {
            Change::None | Change::Drop(_) => Written::default(),
            Change::Write(write) => self.write(write, write.lanes),
            Change::Flush(warp, entry) => self.flush(*warp, *entry),
        };
        outputs.write_hit = written.hit;
        outputs.stored = written.stored;
        outputs.direct = written.direct;
        outputs.victim = written.victim;
        outputs.victim_register = written.victim_register.into();
        if written.stored != 0 {
            outputs.row = TagArray::row(written.entry, inputs.warp);
        }
        if written.victim != 0 {
            outputs.victim_row = TagArray::row(written.victim_entry, inputs.warp);
        }
        self.decided = (change, written, reads);
        outputs
    }

    fn tick(&mut self) {
        let (change, written, reads) = self.decided;
        self.edge(&change, &written, reads);
    }
}
