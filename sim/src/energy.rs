// SPDX-License-Identifier: Apache-2.0
//! Dynamic energy of the register file, from counted events. F §V and §VI-B3.
//!
//! The parts are those of F's model: arbiter, crossbar, banks, collectors. Energies per event stand in
//! `config/energy.toml`, each with its source; some are estimates. Clock, leakage and wires outside the
//! parts named are left out there. `gpurf power --constants` writes a file of the same kind from this
//! hardware's own netlists, with what its cells take in every cycle.

// `config/energy.toml` documents every energy, and the fields of a sum bear their names.
#![allow(missing_docs)]

use gpurf_blocks::{Parameters, SUB_CORES};
use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::design::{CollectorKind, Design};
use crate::register_traffic;
use crate::statistics::counters::{is_zero, Counters};

/// The energies that come with the project.
const ENERGIES: &str = include_str!("../config/energy.toml");

/// Energy per event, in pJ. The file says what each is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Energies {
    pub bank_read: f64,
    pub bank_write: f64,
    pub crossbar: f64,
    pub crossbar_growth: f64,
    pub collector_read: f64,
    pub collector_write: f64,
    pub cache_read: f64,
    pub cache_write: f64,
    pub bypass_read: f64,
    pub bypass_write: f64,
    pub tag_search: f64,
    pub arbitration: f64,
    /// In every cycle of a sub-core, whatever happens: its stage without the collectors, and each collector
    /// by its kind.
    #[serde(default)]
    pub stage_idle: f64,
    #[serde(default)]
    pub collector_idle: f64,
    #[serde(default)]
    pub cache_idle: f64,
    #[serde(default)]
    pub bypass_idle: f64,
}

/// The energies of AccelWattch's rules.
const ACCELWATTCH: &str = include_str!("../config/energy_accelwattch.toml");

impl Default for Energies {
    fn default() -> Self {
        toml::from_str(ENERGIES).expect("the embedded energies are valid")
    }
}

/// Energy by component, in pJ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Energy {
    pub bank_reads: f64,
    pub bank_writes: f64,
    pub crossbar: f64,
    pub collectors: f64,
    pub tags: f64,
    pub arbitration: f64,
    /// The energy of a register cache before the banks; left out where there is none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub register_cache: f64,
    /// Energy of every cycle, whatever happens; left out where the constants have none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub idle: f64,
    pub total: f64,
}

impl Energies {
    /// As AccelWattch counts: see the file.
    pub fn accelwattch() -> Energies {
        toml::from_str(ACCELWATTCH).expect("the embedded energies are valid")
    }

    /// The energy of these events under a design.
    ///
    /// - A bank read crosses the crossbar and is written into a collector; a result put into a cache
    ///   crosses one too.
    /// - Every operand is read from its collector at dispatch.
    /// - A hit in a bypassing collector is moved into the slot of the new instruction: a read and a write.
    /// - What a register cache has goes past crossbar and collector (C §IV), and so do results on their way
    ///   into it.
    /// - Every operand read, and every result in a caching design, searches the tags of a collector.
    pub fn of(&self, design: &Design, config: &Config, counters: &Counters) -> Energy {
        let count = |events: u64| events as f64;
        let (read, write, idle) = match design.collector {
            // Operands of a read window lie in latches, taken to cost what a collector's do. Its reuse cache
            // has no energy of its own: nobody has measured it.
            CollectorKind::Ocu | CollectorKind::Window => {
                (self.collector_read, self.collector_write, self.collector_idle)
            }
            CollectorKind::Ccu => (self.cache_read, self.cache_write, self.cache_idle),
            CollectorKind::Boc => (self.bypass_read, self.bypass_write, self.bypass_idle),
        };
        let of_cycle = self.stage_idle + design.collectors(config) as f64 * idle;
        let sub_cores = (SUB_CORES * config.sms) as f64;
        let more_collectors = (design.collectors(config) as f64 - 2.0).max(0.0);
        let crossbar = self.crossbar * (1.0 + self.crossbar_growth * more_collectors);
        let caches = design.register_cache.is_some();
        let (operands, cached) =
            if caches { (counters.bank_reads, 0) } else { (counters.operand_reads, counters.cache_writes) };
        let mut collectors = count(operands) * read + count(counters.bank_reads + cached) * write;
        let mut searches = counters.operand_reads + counters.bank_writes;
        match design.collector {
            CollectorKind::Ocu | CollectorKind::Window => searches = 0,
            CollectorKind::Ccu => {}
            CollectorKind::Boc => collectors += count(counters.hits) * (read + write),
        }
        let mut energy = Energy {
            bank_reads: count(counters.bank_reads) * self.bank_read,
            bank_writes: count(counters.bank_writes) * self.bank_write,
            crossbar: count(counters.bank_reads + cached) * crossbar,
            collectors,
            tags: count(searches) * self.tag_search,
            arbitration: count(counters.bank_reads) * self.arbitration,
            register_cache: 0.0,
            idle: sub_cores * count(counters.cycles) * of_cycle,
            total: 0.0,
        };
        if caches {
            let (read, write) = register_traffic::Energies::default().of_bank(&design.parameters(config, 0));
            energy.register_cache =
                count(counters.rc_bank_reads) * read + count(counters.rc_bank_writes) * write;
        }
        energy.total = energy.bank_reads
            + energy.bank_writes
            + energy.crossbar
            + energy.collectors
            + energy.tags
            + energy.register_cache
            + energy.arbitration
            + energy.idle;
        energy
    }

    /// The same with collectors that cost what memories of their own size do. C Table III is of caches of 64
    /// registers of a warp; a collector has the slots of one instruction, the entries of its cache table, or
    /// those of its window. Energy goes by the square root of the size, as for register caches of other
    /// sizes. An operand collector is not searched, and goes by the table's 2-way cache, the others by its
    /// 8-way cache.
    pub fn by_size(self, parameters: &Parameters) -> Energies {
        let Parameters { slots, entries, window, destinations, .. } = *parameters;
        let table = register_traffic::Energies::default();
        let (collector_read, collector_write) = table.of_registers(2, slots);
        let (cache_read, cache_write) = table.of_registers(8, entries);
        let (bypass_read, bypass_write) = table.of_registers(8, window * (slots + destinations));
        Energies {
            collector_read,
            collector_write,
            cache_read,
            cache_write,
            bypass_read,
            bypass_write,
            ..self
        }
    }

    /// The same with caching and bypassing collectors whose access costs `ratio` times that of an operand
    /// collector.
    pub fn with_ratio(self, ratio: f64) -> Energies {
        let (read, write) = (ratio * self.collector_read, ratio * self.collector_write);
        Energies { cache_read: read, cache_write: write, bypass_read: read, bypass_write: write, ..self }
    }

    /// The same with all energies of a kind changed by a factor.
    pub fn scaled(mut self, kind: Kind, factor: f64) -> Energies {
        kind(&mut self).into_iter().for_each(|energy| *energy *= factor);
        self
    }
}

/// Energies that are changed together.
pub type Kind = fn(&mut Energies) -> Vec<&mut f64>;

/// Energies, alone or those of a kind together, that a sum depends on.
pub const KINDS: [(&str, Kind); 8] = [
    ("banks", |of| vec![&mut of.bank_read, &mut of.bank_write]),
    ("crossbar", |of| vec![&mut of.crossbar]),
    ("crossbar growth", |of| vec![&mut of.crossbar_growth]),
    ("collectors", |of| {
        vec![
            &mut of.collector_read,
            &mut of.collector_write,
            &mut of.cache_read,
            &mut of.cache_write,
            &mut of.bypass_read,
            &mut of.bypass_write,
        ]
    }),
    ("cache over collector", |of| vec![&mut of.cache_read, &mut of.cache_write]),
    ("bypass over collector", |of| vec![&mut of.bypass_read, &mut of.bypass_write]),
    ("tags", |of| vec![&mut of.tag_search]),
    ("arbitration", |of| vec![&mut of.arbitration]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hit_saves_a_bank_read_its_way_and_its_arbitration() {
        let (energies, config) = (Energies::default(), Config::default());
        let all_missed = Counters { operand_reads: 10, bank_reads: 10, ..Counters::default() };
        let all_hit = Counters { operand_reads: 10, hits: 10, ..Counters::default() };
        let [missed, hit] =
            [all_missed, all_hit].map(|counters| energies.of(&Design::MALEKEH, &config, &counters));
        let saved = energies.bank_read + energies.crossbar + energies.cache_write + energies.arbitration;
        assert!((missed.total - hit.total - 10.0 * saved).abs() < 1e-6);
        assert_eq!(hit.bank_reads, 0.0);
    }

    #[test]
    fn a_collector_costs_its_ratio() {
        let config = Config::default();
        let counters = Counters { operand_reads: 10, bank_reads: 4, hits: 6, ..Counters::default() };
        let of = |ratio| Energies::default().with_ratio(ratio).of(&Design::MALEKEH, &config, &counters);
        let ocu = Energies::default().of(&Design::BASELINE, &config, &counters);
        assert_eq!(of(1.0).collectors, ocu.collectors);
        assert!((of(3.0).total - of(1.0).total - 2.0 * ocu.collectors).abs() < 1e-6);
    }

    /// C Table III: 8 KB, 128 bits an access. A collector of 7, 8 or 24 registers of 128 bytes.
    #[test]
    fn collectors_of_their_own_size_cost_the_square_root_of_it() {
        let parameters =
            Parameters { slots: 7, entries: 8, window: 3, destinations: 1, ..Parameters::default() };
        let energies = Energies::default().by_size(&parameters);
        let is = |energy: f64, table: f64, bytes: f64| {
            let expected = 8.0 * table * (bytes / 8192.0).sqrt();
            assert!((energy - expected).abs() < 1e-9, "{energy} and {expected}");
        };
        is(energies.collector_read, 23.4685, 7.0 * 128.0);
        is(energies.collector_write, 24.2801, 7.0 * 128.0);
        is(energies.cache_read, 43.2275, 8.0 * 128.0);
        is(energies.cache_write, 44.0041, 8.0 * 128.0);
        is(energies.bypass_read, 43.2275, 24.0 * 128.0);
        is(energies.bypass_write, 44.0041, 24.0 * 128.0);
        assert_eq!(energies.bank_read, Energies::default().bank_read);
    }
}
