//! Reference model of a register cache's tag array: C §IV, §V-B.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{TagArrayIn, TagArrayOut};
use gpurf_blocks::{CacheAllocation, CacheReplacement, CacheWrite, Clocked, Parameters, CACHED_WARPS};

use super::WayReplacement;

/// A register in the cache: of which lanes, and in which of them it differs from the register file.
#[derive(Clone, Copy, Debug, Default, BorshSerialize, BorshDeserialize)]
struct Entry {
    tag: u32,
    valid: u32,
    dirty: u32,
}

/// The part of one warp.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
struct Part {
    entries: Vec<Entry>,
    /// Of each set.
    order: Vec<WayReplacement>,
}

/// What a result, a fill or a flush does.
#[derive(Clone, Copy, Debug, Default, PartialEq, BorshSerialize, BorshDeserialize)]
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
    pub victim_register: u32,
    /// The entry that it leaves.
    pub victim_entry: usize,
}

impl Written {
    fn leave(&mut self, number: usize, entry: &Entry) {
        if entry.dirty != 0 {
            (self.victim, self.victim_register, self.victim_entry) = (entry.dirty, entry.tag, number);
        }
    }
}

/// Which registers of eight warps lie in the cache, for lanes that share tags.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct TagArray {
    slots: usize,
    ways: usize,
    allocation: CacheAllocation,
    replacement: CacheReplacement,
    write: CacheWrite,
    parts: Vec<Part>,
    #[borsh(skip)]
    inputs: TagArrayIn,
    /// What they do.
    written: Written,
}

impl TagArray {
    /// After reset, with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { slots, rc_entries, rc_ways, rc_allocation, rc_replacement, rc_write, .. } =
            *parameters;
        let part = Part {
            entries: vec![Entry::default(); rc_entries],
            order: vec![WayReplacement::new(parameters); rc_entries / rc_ways],
        };
        TagArray {
            slots,
            ways: rc_ways,
            allocation: rc_allocation,
            replacement: rc_replacement,
            write: rc_write,
            parts: vec![part; CACHED_WARPS],
            inputs: TagArrayIn::default(),
            written: Written::default(),
        }
    }

    fn find(&self, warp: u32, register: u32) -> Option<usize> {
        let entries = &self.parts[warp as usize].entries;
        entries.iter().position(|entry| entry.valid != 0 && entry.tag == register)
    }

    /// Lanes that the cache has of a register, and its entry.
    pub fn look_up(&self, warp: u32, register: u32, lanes: u32) -> Option<(u32, usize)> {
        let entry = self.find(warp, register)?;
        let lanes = self.parts[warp as usize].entries[entry].valid & lanes;
        (lanes != 0).then_some((lanes, entry))
    }

    /// What a result (or a fill) of a register does that belongs into a set.
    fn written(&self, fill: bool, warp: u32, register: u32, set: usize, lanes: u32) -> Written {
        let part = &self.parts[warp as usize];
        let found = self.find(warp, register);
        let had = found.map_or(0, |entry| part.entries[entry].valid);
        let mut written = Written::default();
        if fill {
            written.stored = lanes & !had;
        } else {
            written.hit = lanes & had;
            let takes_in = self.allocation != CacheAllocation::Read;
            written.stored = if takes_in { lanes } else { lanes & had };
            let through = self.write == CacheWrite::Through;
            written.direct = if through { lanes } else { lanes & !written.stored };
        }
        if written.stored == 0 {
            return written;
        }
        written.entry = found.unwrap_or_else(|| {
            let first = set * self.ways;
            first + part.order[set].victim(|way| part.entries[first + way].valid != 0)
        });
        if found.is_none() {
            written.leave(written.entry, &part.entries[written.entry]);
        }
        written
    }

    fn decided(&self) -> Written {
        let TagArrayIn { write, fill, flush, flush_entry, warp, register, set, mask, .. } = self.inputs;
        let mut written = Written::default();
        if write {
            written = self.written(fill, warp, register, set as usize, mask);
        }
        if flush {
            let entry = flush_entry as usize;
            written.leave(entry, &self.parts[warp as usize].entries[entry]);
        }
        written
    }

    fn row(&self, entry: usize, warp: u32) -> u32 {
        8 * entry as u32 + warp
    }
}

impl Clocked for TagArray {
    type In = TagArrayIn;
    type Out = TagArrayOut;

    fn settle(&mut self, inputs: &TagArrayIn) -> TagArrayOut {
        self.inputs = *inputs;
        let mut outputs = TagArrayOut::default();
        for slot in (0..self.slots).filter(|slot| inputs.read[*slot]) {
            let register = inputs.read_register[slot];
            if let Some((lanes, entry)) = self.look_up(inputs.read_warp, register, inputs.read_mask) {
                outputs.hit[slot] = lanes;
                outputs.hit_row[slot] = self.row(entry, inputs.read_warp);
            }
        }
        let written = self.decided();
        self.written = written;
        outputs.write_hit = written.hit;
        outputs.stored = written.stored;
        outputs.direct = written.direct;
        outputs.victim = written.victim;
        outputs.victim_register = written.victim_register;
        if written.stored != 0 {
            outputs.row = self.row(written.entry, inputs.warp);
        }
        if written.victim != 0 {
            outputs.victim_row = self.row(written.victim_entry, inputs.warp);
        }
        outputs
    }

    fn tick(&mut self) {
        let (inputs, written) = (self.inputs, self.written);
        // Entries that are used, of which warp.
        let mut used: Vec<(u32, usize)> = vec![];
        if self.replacement == CacheReplacement::Lru {
            let reads = (0..self.slots).filter(|slot| inputs.read[*slot]).filter_map(|slot| {
                self.look_up(inputs.read_warp, inputs.read_register[slot], inputs.read_mask)
            });
            used.extend(reads.map(|(_, entry)| (inputs.read_warp, entry)));
        }
        let part = &mut self.parts[inputs.warp as usize];
        if written.stored != 0 {
            let entry = &mut part.entries[written.entry];
            let is_new = entry.valid == 0 || entry.tag != inputs.register;
            if is_new {
                *entry = Entry { tag: inputs.register, ..Entry::default() };
            }
            entry.valid |= written.stored;
            if !inputs.fill && self.write == CacheWrite::Back {
                entry.dirty |= written.stored;
            }
            if is_new || self.replacement == CacheReplacement::Lru {
                used.push((inputs.warp, written.entry));
            }
        }
        if inputs.flush {
            part.entries[inputs.flush_entry as usize] = Entry::default();
        }
        if inputs.drop {
            part.entries.fill(Entry::default());
        }
        used.sort();
        used.dedup();
        for warp in [inputs.read_warp, inputs.warp] {
            let of_warp: Vec<usize> =
                used.iter().filter(|(of, _)| *of == warp).map(|(_, entry)| *entry).collect();
            used.retain(|(of, _)| *of != warp);
            for (set, order) in self.parts[warp as usize].order.iter_mut().enumerate() {
                let ways: Vec<usize> = of_warp
                    .iter()
                    .filter(|entry| *entry / self.ways == set)
                    .map(|entry| entry % self.ways)
                    .collect();
                order.touch(&ways);
            }
        }
    }
}
