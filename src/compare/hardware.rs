// SPDX-License-Identifier: Apache-2.0
//! Costs of a design's hardware in an SM beside the banks of its register file, by recorded syntheses.

use std::path::Path;
use std::sync::{LazyLock, Mutex};

use gpurf_blocks::Parameters;
use gpurf_hw::catalogue;
use gpurf_sim::config::Config;
use gpurf_sim::sm::{Design, HardwarePart};
use gpurf_synth::{digest, Cost, Records, Synthesis};

use crate::docs::record_files::AREAS as RECORD;
use crate::output::say;
use crate::verilog::hierarchy;

/// Measurements: those of the project that the tool runs in, elsewhere as they were when it was built.
static RECORDED: LazyLock<Records> = LazyLock::new(|| {
    let path = Path::new(RECORD);
    let own = path.exists().then(|| Records::read(path).ok()).flatten();
    let built = || Records::of(include_str!("../../synth/areas.jsonl"), path);
    own.unwrap_or_else(|| built().expect("the embedded measurements are valid"))
});

/// Designs whose cost was asked for.
static COSTS: Mutex<Vec<(Design, Parameters, Option<Cost>)>> = Mutex::new(vec![]);

/// The measurement of a part, or the name of its module with the parameters.
fn measured(part: &HardwarePart) -> Result<&'static Synthesis, String> {
    let entry = catalogue::find(part.module).expect("in the catalogue");
    let verilog = hierarchy(entry, &part.parameters).expect("a design's hardware is possible");
    RECORDED.latest(&verilog.top, &digest(&verilog.code())).ok_or(verilog.top)
}

/// Measured costs of the parts. An error names the modules that were not measured.
fn sum(parts: &[HardwarePart], bits: u64) -> Result<Cost, Vec<String>> {
    let measured: Vec<_> = parts.iter().map(measured).collect();
    let missing: Vec<String> = measured.iter().filter_map(|one| one.clone().err()).collect();
    if !missing.is_empty() {
        return Err(missing);
    }
    let mut cost = Cost { cells_um2: 0.0, memory_bits: bits, path_ns: 0.0 };
    for (part, one) in parts.iter().zip(measured.into_iter().flatten()) {
        // The PCRF's values lie in the register file.
        let own = match part.module {
            "rmu" => (part.parameters.pcrf_entries * part.parameters.width) as u64,
            _ => 0,
        };
        cost.cells_um2 += part.count as f64 * one.area_um2;
        cost.memory_bits += part.count as u64 * (one.memory_bits - own);
        cost.path_ns = cost.path_ns.max(one.longest_path_ns.unwrap_or_default());
    }
    Ok(cost)
}

/// The cost of a design with these constants. `None` if a part of it has no RTL, or was not measured, which
/// is said once.
pub fn cost(design: &Design, config: &Config) -> Option<Cost> {
    let width = Parameters::default().width;
    let parameters = Parameters { width, ..design.parameters(config, 0) };
    let mut costs = COSTS.lock().expect("nobody has panicked with it");
    if let Some((.., cost)) = costs.iter().find(|(of, at, _)| of == design && *at == parameters) {
        return *cost;
    }
    let summed = design.hardware(parameters).map(|(parts, bits)| sum(&parts, bits));
    let cost = match summed {
        Some(Err(missing)) => {
            let missing = missing.join(", ");
            say!("{design}: no area of {missing}; measure it with `gpurf synth` and --record {RECORD}");
            None
        }
        Some(Ok(cost)) => Some(cost),
        None => None,
    };
    costs.push((*design, parameters, cost));
    cost
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::Definition;

    fn of(name: &str) -> Option<Cost> {
        cost(&name.parse().expect("a design"), &Config::default())
    }

    #[test]
    fn a_design_costs_what_its_parts_do() {
        let [baseline, malekeh, multicast] =
            ["baseline", "malekeh", "iwma"].map(|name| of(name).expect("built"));
        let area = |top: &str| RECORDED.latest(top, "").expect("measured").area_um2;
        let added = [area("iwmu"), multicast.cells_um2 - baseline.cells_um2];
        assert!((added[0] - added[1]).abs() < 1.0, "{added:?}");
        assert!(baseline.cells_um2 > 8.0 * area("ocu") && malekeh.cells_um2 > 8.0 * area("ccu"));
        assert!(malekeh.path_ns > baseline.path_ns);
    }

    #[test]
    fn values_of_the_pcrf_are_the_register_files() {
        let bits = of("finereg").expect("built").memory_bits;
        assert!(bits > 0 && bits < (1 << 20), "{bits}");
        assert_eq!(of("register-cache").expect("built").memory_bits, 4 * 8 * 8 * 1024);
    }

    #[test]
    fn all_that_is_built_of_the_studys_designs_was_measured() {
        let study = Definition::named("designs").expect("the study");
        for named in &study.designs {
            let config = Config::default().with(&named.set).expect("its constants");
            let width = Parameters::default().width;
            let parameters = Parameters { width, ..named.design.parameters(&config, 0) };
            if let Some((parts, bits)) = named.design.hardware(parameters) {
                assert!(sum(&parts, bits).is_ok(), "{}: {:?}", named.label, sum(&parts, bits));
            }
        }
        assert_eq!(of("reg-dram"), None, "what moves registers to DRAM has no RTL");
    }
}
