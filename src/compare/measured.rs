//! The energies of this hardware's own netlists.

use gpurf_sim::energy::Energies;

/// As `gpurf power --constants` writes them.
const MEASURED: &str = include_str!("../../sim/config/energy_measured.toml");

pub fn energies() -> Energies {
    toml::from_str(MEASURED).expect("the embedded energies are valid")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An operand that is found saves a read of a bank, and costs less than that.
    #[test]
    fn a_hit_saves_energy() {
        let energies = energies();
        assert!(energies.bank_read > 0.0 && energies.tag_search < energies.bank_read);
        assert!(energies.stage_idle > 0.0 && energies.collector_idle > 0.0 && energies.cache_idle > 0.0);
    }
}
