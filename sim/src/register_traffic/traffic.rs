// SPDX-License-Identifier: Apache-2.0
//! Counts of a study.

use std::ops::AddAssign;

use serde::Serialize;

/// Counts of one configuration. Lanes, where nothing else is said: a register of a warp counts once for each
/// of its lanes in the instruction's mask.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Traffic {
    /// Warp instructions, with those that no lane executes.
    pub instructions: u64,
    /// Source registers.
    pub reads: u64,
    /// Destination registers.
    pub writes: u64,
    /// Reads that found their register.
    pub read_hits: u64,
    /// Writes that found their register.
    pub write_hits: u64,
    /// Reads from the register file.
    pub register_file_reads: u64,
    /// Writes to the register file.
    pub register_file_writes: u64,
    /// Accesses of cache banks, not lanes.
    pub cache_reads: u64,
    /// Accesses of cache banks, not lanes.
    pub cache_writes: u64,
    /// Read hits of a copy that is older than the last write of its register.
    pub stale_hits: u64,
    /// Reads from the register file whose last value lay in another set of the cache.
    pub stale_misses: u64,
    /// Accesses of cache banks to read replaced values for the register file. C has no energy for them.
    pub victim_reads: u64,
    /// Values not yet in the register file when their warp ended, or at the very end where caches persist.
    pub dropped: u64,
}

impl Traffic {
    /// Share of the reads that hit.
    pub fn read_hit_percent(&self) -> f64 {
        percent(self.read_hits, self.reads)
    }

    /// Share of the writes that hit.
    pub fn write_hit_percent(&self) -> f64 {
        percent(self.write_hits, self.writes)
    }

    /// Share of reads and writes that hit.
    pub fn total_hit_percent(&self) -> f64 {
        percent(self.read_hits + self.write_hits, self.reads + self.writes)
    }

    /// Share of the reads that the register file is spared.
    pub fn reads_avoided_percent(&self) -> f64 {
        avoided(self.register_file_reads, self.reads)
    }

    /// Negative where the cache writes more than there were results, by values read in and replaced.
    pub fn writes_avoided_percent(&self) -> f64 {
        avoided(self.register_file_writes, self.writes)
    }
}

fn percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / (whole as f64).max(1.0)
}

fn avoided(left: u64, all: u64) -> f64 {
    100.0 * (all as f64 - left as f64) / (all as f64).max(1.0)
}

impl AddAssign for Traffic {
    fn add_assign(&mut self, other: Traffic) {
        self.instructions += other.instructions;
        self.reads += other.reads;
        self.writes += other.writes;
        self.read_hits += other.read_hits;
        self.write_hits += other.write_hits;
        self.register_file_reads += other.register_file_reads;
        self.register_file_writes += other.register_file_writes;
        self.cache_reads += other.cache_reads;
        self.cache_writes += other.cache_writes;
        self.stale_hits += other.stale_hits;
        self.stale_misses += other.stale_misses;
        self.victim_reads += other.victim_reads;
        self.dropped += other.dropped;
    }
}
