// SPDX-License-Identifier: Apache-2.0
//! The memory partitions behind the SMs' links: L2's tags, and the bandwidth of L2 and DRAM.
//!
//! An SM has partitions of its own, which are its share of the GPU's and are held up by its own links
//! alone; or all SMs have one, with the shares of all (`l2.shared`). Then a line lies in one slice and one
//! channel. Each of them takes a sector at a time, and what several SMs want of one at the same time waits
//! there: latency grows under load.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_trace::MemoryAccess;

use crate::config::{self, Config};

use super::cache::{place, CacheTags, Keeps, Replaced};
use super::coalescer::{SectorAccess, SECTOR};
use super::link::Link;
use super::slots::Slots;

#[derive(Clone, BorshSerialize, BorshDeserialize)]
pub(in crate::sm) struct Partitions {
    config: config::L2Config,
    tags: CacheTags,
    bandwidth: Bandwidth,
}

#[derive(Clone, BorshSerialize, BorshDeserialize)]
enum Bandwidth {
    Own { dram: Link },
    Shared { slices: Vec<Slots>, channels: Vec<Slots> },
}

impl Partitions {
    /// The partitions of one SM.
    pub fn own(Config { l2, dram, .. }: &Config) -> Self {
        Partitions {
            config: l2.clone(),
            tags: CacheTags::new(l2.size, l2.ways, Keeps::default()),
            bandwidth: Bandwidth::Own { dram: Link::new(dram.cycles_per_sector) },
        }
    }

    /// The partition of all SMs. Slices and channels together take what the links to all shares would.
    pub fn shared(Config { sms, l2, dram, .. }: &Config) -> Self {
        let sms = *sms as u64;
        let channels = |count: usize, cycles_per_sector| match cycles_per_sector {
            0 => vec![],
            _ => (0..count).map(|_| Slots::new(sms, count as u64 * cycles_per_sector)).collect(),
        };
        Partitions {
            config: config::L2Config { size: sms * l2.size, ..l2.clone() },
            tags: CacheTags::new(sms * l2.size, l2.ways, Keeps::default()),
            bandwidth: Bandwidth::Shared {
                slices: channels(l2.slices, l2.cycles_per_sector),
                channels: channels(dram.channels, dram.cycles_per_sector),
            },
        }
    }

    /// A copy from the host leaves its data here, or the end of it, if there is less room.
    pub fn copy_to_device(&mut self, address: u64, bytes: u64) {
        if !self.config.copies {
            return;
        }
        let end = address.saturating_add(bytes);
        let start = address.max(end.saturating_sub(self.config.size));
        for number in start / SECTOR..end.div_ceil(SECTOR) {
            let (line, sector) = place(number * SECTOR);
            self.tags.fill(line, sector, 0, 0);
        }
    }

    /// The cycle from which L2 has a sector that is asked of it, if it has it or is about to.
    pub fn lookup(&mut self, line: u64, sector: usize) -> Option<u64> {
        self.tags.lookup(line, sector)
    }

    /// L2 has a sector from cycle `arrival` on, which was asked for in cycle `sent`.
    pub fn fill(&mut self, sent: u64, line: u64, sector: usize, arrival: u64) {
        let replaced = self.tags.fill(line, sector, arrival, sent);
        self.write_back(sent, replaced);
    }

    /// Bytes of a sector, one bit each, are stored in L2.
    pub fn store(&mut self, sent: u64, line: u64, sector: usize, bytes: u32) {
        let replaced = self.note_store(sent, line, sector, bytes);
        if self.config.write_back {
            self.write_back(sent, replaced);
        }
    }

    /// The same for the tags alone. What makes room.
    fn note_store(&mut self, now: u64, line: u64, sector: usize, bytes: u32) -> Replaced {
        // What is stored is here; the rest of the sector need not be.
        let bytes = if self.config.partial_fill { u32::MAX } else { bytes };
        let replaced = self.tags.write(line, sector, bytes, now);
        self.change(line, sector);
        replaced
    }

    /// The tags after an access that takes no time, nor bandwidth for what makes room.
    pub(super) fn warm(
        &mut self,
        now: u64,
        access: MemoryAccess,
        SectorAccess { line, sector, bytes }: SectorAccess,
    ) {
        if access == MemoryAccess::Store {
            self.note_store(now, line, sector, bytes);
            return;
        }
        if self.tags.lookup(line, sector).is_none() {
            self.tags.fill(line, sector, now, now);
        }
        if access == MemoryAccess::Atomic {
            self.change(line, sector);
        }
    }

    /// A sector that L2 has is changed, and stays until its line is replaced.
    pub fn change(&mut self, line: u64, sector: usize) {
        if self.config.write_back {
            self.tags.mark_dirty(line, sector);
        }
    }

    /// Sectors that L2 has no room for any more go to DRAM.
    fn write_back(&mut self, now: u64, replaced: Replaced) {
        for _ in 0..replaced.sectors {
            self.take_channel(now, replaced.line);
        }
    }

    /// The cycle, from `now` on, in which the slice of a line takes a sector.
    pub fn take_slice(&mut self, now: u64, line: u64) -> u64 {
        match &mut self.bandwidth {
            Bandwidth::Own { .. } => now,
            Bandwidth::Shared { slices, .. } => take(slices, now, line),
        }
    }

    /// The cycle, from `now` on, in which the channel of a line takes a sector.
    pub fn take_channel(&mut self, now: u64, line: u64) -> u64 {
        match &mut self.bandwidth {
            Bandwidth::Own { dram } => dram.take(now),
            Bandwidth::Shared { channels, .. } => take(channels, now, line),
        }
    }

    /// All SMs have come to cycle `now`.
    pub fn forget(&mut self, now: u64) {
        if let Bandwidth::Shared { slices, channels } = &mut self.bandwidth {
            slices.iter_mut().chain(channels).for_each(|slots| slots.forget(now));
        }
    }
}

/// The cycle, from `now` on, in which the slice or channel of a line takes a sector; there are none where
/// bandwidth is unlimited. Upper bits of the line count too, so that powers of two apart are not all in one.
fn take(parts: &mut [Slots], now: u64, line: u64) -> u64 {
    let folded = line ^ line >> 6 ^ line >> 12 ^ line >> 18;
    match parts.len() {
        0 => now,
        count => parts[(folded % count as u64) as usize].take(now),
    }
}
