// SPDX-License-Identifier: Apache-2.0
//! Dynamic energy of register file and register cache, by C Table III.

use gpurf_blocks::{Parameters, CACHED_WARPS, LANES};
use serde::{Deserialize, Serialize};

use super::configuration::Configuration;
use super::rules::Rules;
use super::traffic::Traffic;

/// The energies that come with the project.
const ENERGIES: &str = include_str!("../../config/register_cache_energy.toml");

/// Lanes of an access that the table's caches make.
const TABLE_LANES: usize = 4;

/// Energies of C Table III, in pJ.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnergyTable {
    /// Entries per thread of the caches.
    entries: usize,
    register_file: Access,
    cache: Vec<Cache>,
}

/// In pJ.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Access {
    read: f64,
    write: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cache {
    ways: usize,
    read: f64,
    write: f64,
}

/// Energy in pJ, and its parts as C Fig. 16 and 17 name them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TrafficEnergy {
    /// RC.R
    pub cache_reads: f64,
    /// RC.W
    pub cache_writes: f64,
    /// RF.R
    pub register_file_reads: f64,
    /// RF.W
    pub register_file_writes: f64,
    /// The sum of all.
    pub total: f64,
    /// The energy of the register file without a cache.
    pub baseline: f64,
    /// Negative where the cache costs more than it saves.
    pub reduction_percent: f64,
}

impl Default for EnergyTable {
    fn default() -> Self {
        toml::from_str(ENERGIES).expect("the embedded energies are valid")
    }
}

impl EnergyTable {
    /// The energies of a read and of a write of a bank of a hardware cache, in pJ. Energy grows as the square
    /// root of the entries: from C's cache of 8 KB to its register file of 64 KB it grows with the power 0.49
    /// of the size.
    pub fn of_bank(&self, parameters: &Parameters) -> (f64, f64) {
        self.of_memory(parameters.rc_ways, CACHED_WARPS * parameters.rc_entries, parameters.rc_bank_lanes)
    }

    /// The energies of a read and of a write of a whole register of a warp, 1024 bits, in a memory of so many
    /// of them that is searched as a cache of so many ways is, in pJ. By the same square root of the size:
    /// C's cache has 64.
    pub fn of_registers(&self, ways: usize, registers: usize) -> (f64, f64) {
        self.of_memory(ways, registers, LANES)
    }

    fn of_memory(&self, ways: usize, registers: usize, lanes: usize) -> (f64, f64) {
        let same = self.cache.iter().find(|cache| cache.ways == ways);
        let cache = same.expect("the table has caches of all ways");
        let size = (registers as f64 / (CACHED_WARPS * self.entries) as f64).sqrt();
        let part = size * lanes as f64 / TABLE_LANES as f64;
        (cache.read * part, cache.write * part)
    }

    /// `None` for a cache that the table does not have.
    pub fn of(
        &self,
        configuration: &Configuration,
        rules: &Rules,
        traffic: &Traffic,
    ) -> Option<TrafficEnergy> {
        let cache = self.cache.iter().find(|cache| cache.ways == configuration.ways)?;
        if configuration.entries != self.entries {
            return None;
        }
        let part = configuration.bank_lanes as f64 / TABLE_LANES as f64;
        let cache = Access { read: cache.read * part, write: cache.write * part };
        let file = self.register_file;
        let energy = |count: u64, each: f64| count as f64 * each;
        let cache_reads = energy(traffic.cache_reads, cache.read);
        let cache_writes = energy(traffic.cache_writes, cache.write);
        let register_file_reads = energy(traffic.register_file_reads, file.read);
        let register_file_writes = energy(traffic.register_file_writes, file.write);
        let total = cache_reads + cache_writes + register_file_reads + register_file_writes;
        let baseline = energy(traffic.reads, file.read) + energy(traffic.writes, file.write);
        let reduction_percent = match rules.single_precision {
            true => reduction_in_single_precision(cache, file, traffic),
            false if baseline > 0.0 => 100.0 * (baseline - total) / baseline,
            false => 0.0,
        };
        Some(TrafficEnergy {
            cache_reads,
            cache_writes,
            register_file_reads,
            register_file_writes,
            total,
            baseline,
            reduction_percent,
        })
    }
}

/// As RFC-sim sums up: rounding shows in the sixth digit that it prints.
fn reduction_in_single_precision(cache: Access, file: Access, traffic: &Traffic) -> f64 {
    let energy = |count: u64, each: f64| count as f32 * each as f32;
    let total = energy(traffic.register_file_reads, file.read)
        + energy(traffic.register_file_writes, file.write)
        + energy(traffic.cache_reads, cache.read)
        + energy(traffic.cache_writes, cache.write);
    let baseline = energy(traffic.reads, file.read) + energy(traffic.writes, file.write);
    f64::from((baseline - total) / baseline * 100.0)
}
