// SPDX-License-Identifier: Apache-2.0
//! Dynamic energy of the register file, from counted events. F §V and §VI-B3.
//!
//! The parts are those of F's model: arbiter, crossbar, banks, collectors. Energies per event stand in
//! `config/energy.toml`, each with its source; some are estimates. Clock, leakage and wires outside the
//! parts named are left out there. `gpurf power --constants` writes a file of the same kind from this
//! hardware's own netlists, with what its cells take in every cycle.

// `config/energy.toml` documents every energy, and the fields of a sum bear their names.
#![allow(missing_docs)]

pub(crate) mod constants;
pub mod measured;

use gpurf_blocks::SUB_CORES;
use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::design::{Design, KeptOperands};
use crate::register_traffic;
use crate::statistics::counters::{is_zero, Counters};

pub use constants::{AccessEnergies, EnergyKind, EventEnergies, KINDS};

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

impl EventEnergies {
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
        let AccessEnergies { read, write, idle } = (design.collector.energies)(self);
        let of_cycle = self.stage_idle + design.collectors(config) as f64 * idle;
        let sub_cores = (SUB_CORES * config.sms) as f64;
        let more_collectors = (design.collectors(config) as f64 - 2.0).max(0.0);
        let crossbar = self.crossbar * (1.0 + self.crossbar_growth * more_collectors);
        let caches = design.register_cache.is_some();
        let (operands, cached) =
            if caches { (counters.bank_reads, 0) } else { (counters.operand_reads, counters.cache_writes) };
        let mut collectors = count(operands) * read + count(counters.bank_reads + cached) * write;
        let mut searches = counters.operand_reads + counters.bank_writes;
        match design.collector.keeps {
            KeptOperands::Nothing => searches = 0,
            KeptOperands::Values => {}
            KeptOperands::Window => collectors += count(counters.hits) * (read + write),
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
            let (read, write) =
                register_traffic::EnergyTable::default().of_bank(&design.parameters(config, 0));
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hit_saves_a_bank_read_its_way_and_its_arbitration() {
        let (energies, config) = (EventEnergies::default(), Config::default());
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
        let of = |ratio| EventEnergies::default().with_ratio(ratio).of(&Design::MALEKEH, &config, &counters);
        let ocu = EventEnergies::default().of(&Design::BASELINE, &config, &counters);
        assert_eq!(of(1.0).collectors, ocu.collectors);
        assert!((of(3.0).total - of(1.0).total - 2.0 * ocu.collectors).abs() < 1e-6);
    }
}
