// SPDX-License-Identifier: Apache-2.0
//! Energies per event, and the ones among them that a kind of collectors has.

// `config/energy.toml` documents every energy.
#![allow(missing_docs)]

use gpurf_blocks::Parameters;
use serde::{Deserialize, Serialize};

use crate::register_traffic;

/// The energies that come with the project.
const ENERGIES: &str = include_str!("../../config/energy.toml");

/// Energy per event, in pJ. The file says what each is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventEnergies {
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
const ACCELWATTCH: &str = include_str!("../../config/energy_accelwattch.toml");

impl Default for EventEnergies {
    fn default() -> Self {
        toml::from_str(ENERGIES).expect("the embedded energies are valid")
    }
}

/// The energies of a collector, in pJ: of an access, and of a cycle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AccessEnergies {
    pub read: f64,
    pub write: f64,
    pub idle: f64,
}

impl EventEnergies {
    /// As AccelWattch counts: see the file.
    pub fn accelwattch() -> EventEnergies {
        toml::from_str(ACCELWATTCH).expect("the embedded energies are valid")
    }

    pub(crate) fn of_operand_collector(&self) -> AccessEnergies {
        AccessEnergies { read: self.collector_read, write: self.collector_write, idle: self.collector_idle }
    }

    pub(crate) fn of_caching_collector(&self) -> AccessEnergies {
        AccessEnergies { read: self.cache_read, write: self.cache_write, idle: self.cache_idle }
    }

    pub(crate) fn of_bypassing_collector(&self) -> AccessEnergies {
        AccessEnergies { read: self.bypass_read, write: self.bypass_write, idle: self.bypass_idle }
    }

    /// The same with collectors that cost what memories of their own size do. C Table III is of caches of 64
    /// registers of a warp; a collector has the slots of one instruction, the entries of its cache table, or
    /// those of its window. Energy goes by the square root of the size, as for register caches of other
    /// sizes. An operand collector is not searched, and goes by the table's 2-way cache, the others by its
    /// 8-way cache.
    pub fn by_size(self, parameters: &Parameters) -> EventEnergies {
        let Parameters { slots, entries, window, destinations, .. } = *parameters;
        let table = register_traffic::EnergyTable::default();
        let (collector_read, collector_write) = table.of_registers(2, slots);
        let (cache_read, cache_write) = table.of_registers(8, entries);
        let (bypass_read, bypass_write) = table.of_registers(8, window * (slots + destinations));
        EventEnergies {
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
    pub fn with_ratio(self, ratio: f64) -> EventEnergies {
        let (read, write) = (ratio * self.collector_read, ratio * self.collector_write);
        EventEnergies { cache_read: read, cache_write: write, bypass_read: read, bypass_write: write, ..self }
    }

    /// The same with all energies of a kind changed by a factor.
    pub fn scaled(mut self, kind: EnergyKind, factor: f64) -> EventEnergies {
        kind(&mut self).into_iter().for_each(|energy| *energy *= factor);
        self
    }
}

/// Energies that are changed together.
pub type EnergyKind = fn(&mut EventEnergies) -> Vec<&mut f64>;

/// Energies, alone or those of a kind together, that a sum depends on.
pub const KINDS: [(&str, EnergyKind); 8] = [
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

    /// C Table III: 8 KB, 128 bits an access. A collector of 7, 8 or 24 registers of 128 bytes.
    #[test]
    fn collectors_of_their_own_size_cost_the_square_root_of_it() {
        let parameters =
            Parameters { slots: 7, entries: 8, window: 3, destinations: 1, ..Parameters::default() };
        let energies = EventEnergies::default().by_size(&parameters);
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
        assert_eq!(energies.bank_read, EventEnergies::default().bank_read);
    }
}
