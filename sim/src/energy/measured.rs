// SPDX-License-Identifier: Apache-2.0
//! The energies of this hardware's own netlists.

use std::sync::LazyLock;

use super::constants::EventEnergies;
use crate::config::Config;
use crate::design::Design;

/// As `gpurf power --constants` writes them.
static MEASURED: LazyLock<EventEnergies> = LazyLock::new(|| {
    let text = include_str!("../../config/energy_measured.toml");
    toml::from_str(text).expect("the embedded energies are valid")
});

/// Measured energies of a design. `None` for one whose collectors were not measured, and for one with a
/// register cache, whose accesses are not among them.
pub fn energies(design: &Design, config: &Config) -> Option<&'static EventEnergies> {
    of_stage(design, config).filter(|_| design.register_cache.is_none())
}

/// Measured energies of a design's operand stage, whatever stands before the banks. `None` for collectors of
/// another number than was measured: what one of eight caching collectors takes is not what one of two does.
pub fn of_stage(design: &Design, config: &Config) -> Option<&'static EventEnergies> {
    let measured: Design = design.collector.measured?.parse().expect("rows name designs");
    (design.collectors(config) == measured.collectors(&Config::default())).then_some(&*MEASURED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hit_costs_less_than_what_it_saves() {
        let energies = energies(&Design::MALEKEH, &Config::default()).expect("its collectors were measured");
        assert!(energies.bank_read > 0.0 && energies.tag_search < energies.bank_read);
        assert!(energies.stage_idle > 0.0 && energies.collector_idle > 0.0 && energies.cache_idle > 0.0);
    }

    #[test]
    fn collectors_of_another_number_were_not_measured() {
        let of = |name: &str| energies(&name.parse().expect("a design"), &Config::default()).is_some();
        assert_eq!(["traditional", "bow", "malekeh-pr"].map(of), [true, true, false]);
    }

    #[test]
    fn accesses_of_a_register_cache_were_not_measured() {
        assert!(energies(&Design::LTRF, &Config::default()).is_none());
        assert!(of_stage(&Design::LTRF, &Config::default()).is_some());
    }
}
