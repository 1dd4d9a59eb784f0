// SPDX-License-Identifier: Apache-2.0
//! Metrics of studies, by name, computed of a run and of its reference. A name with a dot is a place in the
//! run's JSON, such as `counters.hits`.

use gpurf_sim::config::Config;
use gpurf_sim::energy::{measured, EventEnergies};
use gpurf_sim::sm::{Design, KeptOperands};
use gpurf_sim::statistics::{ratio, Counters};
use serde_json::Value;

use super::outcome::Outcome;
use super::pair::Pair;
use super::{hardware, multicast};

/// `None` if the run says nothing of it.
type Compute = fn(&Pair) -> Option<f64>;

/// All of them. In percent, unless they are numbers of something.
const METRICS: &[(&str, Compute)] = &[
    ("ipc", |pair| change(pair.run.ipc, pair.reference.ipc)),
    // Without the drain of kernels, in which fewer and fewer blocks are left.
    ("fed_ipc", |pair| {
        let fed = |run: &Outcome| ratio(run.counters.fed_instructions, run.counters.fed_cycles);
        (fed(pair.run) > 0.0 && fed(pair.reference) > 0.0)
            .then(|| change(fed(pair.run), fed(pair.reference)))?
    }),
    ("hit_ratio", |pair| {
        let design = pair.run.design();
        let caches = design.has_caching_collectors() || design.register_cache.is_some();
        caches.then_some(100.0 * pair.run.hit_ratio)
    }),
    // Of the registers that a trace names, as a simulator counts that does not widen operands.
    ("named_hit_ratio", |pair| {
        let counters = &pair.run.counters;
        let caches = pair.run.design().has_caching_collectors();
        caches.then(|| 100.0 * ratio(counters.named_hits, counters.named_operand_reads))
    }),
    ("energy", |pair| change(energy(pair.run), energy(pair.reference))),
    ("energy_by_size", |pair| {
        change(by_size(pair.run, pair.machine), by_size(pair.reference, pair.reference_machine))
    }),
    // As AccelWattch counts, which has no array of a register cache.
    ("energy_accelwattch", |pair| {
        let energies = EventEnergies::accelwattch();
        let change = || {
            let reference = with(&energies, pair.reference, pair.reference_machine);
            change(with(&energies, pair.run, pair.machine), reference)
        };
        pair.run.design().register_cache.is_none().then(change)?
    }),
    ("energy_accelwattch_free", |pair| {
        if pair.run.design().register_cache.is_some() {
            return None;
        }
        let energies = EventEnergies::accelwattch();
        let free = EventEnergies { collector_read: 0.0, cache_read: 0.0, bypass_read: 0.0, ..energies };
        change(with(&free, pair.run, pair.machine), with(&free, pair.reference, pair.reference_machine))
    }),
    // How many times an operand collector's access a caching one's may cost, if the design is to save energy:
    // a number.
    ("break_even", |pair| {
        let [one, two] = [1.0, 2.0].map(|ratio| at_ratio(pair.run, pair.machine, ratio));
        let reference = at_ratio(pair.reference, pair.reference_machine, 1.0);
        pair.run.design().has_caching_collectors().then(|| 1.0 + (reference - one) / (two - one))
    }),
    // With the energies of this hardware's netlists, and the break-even ratio with those.
    ("energy_measured", |pair| {
        let energies = measured::energies(&pair.run.design(), pair.machine)?;
        change(with(energies, pair.run, pair.machine), with(energies, pair.reference, pair.reference_machine))
    }),
    ("break_even_measured", |pair| {
        let energies = measured::energies(&pair.run.design(), pair.machine)?;
        let at = |ratio| with(&energies.with_ratio(ratio), pair.run, pair.machine);
        let (one, two) = (at(1.0), at(2.0));
        let reference = with(energies, pair.reference, pair.reference_machine);
        pair.run.design().has_caching_collectors().then(|| 1.0 + (reference - one) / (two - one))
    }),
    ("cache_writes", |pair| {
        let counters = &pair.run.counters;
        let caches = pair.run.design().has_caching_collectors();
        caches.then(|| 100.0 * ratio(counters.cache_writes, counters.bank_writes))
    }),
    // Near results that lost port D.
    ("lost", |pair| {
        let counters = &pair.run.counters;
        let has_ports = pair.run.design().collector.keeps == KeptOperands::Values;
        has_ports.then(|| 100.0 * ratio(counters.cache_writes_lost, counters.bank_writes))
    }),
    // Cycles of a two-level scheduler by what happens in them.
    ("issue", |pair| of_slots(pair, pair.run.counters.warp_instructions)),
    ("pending", |pair| of_slots(pair, pair.run.stalls.pending)),
    // The second of them counted otherwise: whether or not a warp is ready, or only where a collector is
    // free.
    ("pending_any", |pair| of_slots(pair, pair.run.counters.pending_ready_cycles)),
    ("pending_issuable", |pair| of_slots(pair, pair.run.counters.pending_issuable_cycles)),
    ("idle", |pair| of_slots(pair, pair.run.stalls.sum() - pair.run.stalls.pending)),
    ("no_collector", |pair| Some(100.0 * ratio(pair.run.stalls.collector, slots(pair.run)))),
    // Register caches: lanes of a warp's registers, and registers that the banks are not asked for.
    ("lane_hits", |pair| {
        let counters = &pair.run.counters;
        (counters.rc_lane_reads > 0)
            .then(|| 100.0 * ratio(counters.rc_lane_read_hits, counters.rc_lane_reads))
    }),
    ("reads_avoided", |pair| {
        let counters = &pair.run.counters;
        Some(100.0 * (1.0 - ratio(counters.bank_reads, counters.operand_reads)))
    }),
    ("writes_avoided", |pair| {
        let Counters { rc_lane_file_writes, rc_lane_writes, .. } = pair.run.counters;
        let caches = pair.run.design().register_cache.is_some();
        caches.then(|| 100.0 * (1.0 - ratio(rc_lane_file_writes, rc_lane_writes)))
    }),
    // Resident thread blocks.
    ("ctas", |pair| change(resident(pair.run)?, resident(pair.reference)?)),
    ("active", |pair| {
        let residency = pair.run.residency?;
        Some(100.0 * ratio(residency.active_cycles, residency.resident_cycles))
    }),
    ("depletion", |pair| {
        let waits = pair.run.design().residency.waits_for_registers();
        waits.then(|| 100.0 * ratio(pair.run.stalls.depletion, slots(pair.run)))
    }),
    ("contexts", |pair| {
        let moves = pair.run.design().residency.moves_registers();
        let residency = pair.run.residency.filter(|_| moves)?;
        let moved = residency.context_sectors + residency.vector_misses;
        Some(100.0 * ratio(moved, pair.reference.counters.l2_reads))
    }),
    ("usage", |pair| {
        let residency = pair.run.residency.filter(|residency| residency.windows > 0)?;
        Some(ratio(residency.window_use, residency.windows) / 1e4)
    }),
    ("stall", |pair| {
        let residency = pair.run.residency.filter(|_| !pair.run.design().switches())?;
        if residency.complete_stalls == 0 {
            return None;
        }
        Some(ratio(residency.cycles_to_stall, residency.complete_stalls))
    }),
    ("vectors_missed", |pair| {
        let residency = pair.run.residency?;
        Some(100.0 * ratio(residency.vector_misses, residency.vector_hits + residency.vector_misses))
    }),
    ("switching", |pair| Some(100.0 * ratio(pair.run.residency?.switch_cycles, pair.run.counters.cycles))),
    ("rmu", |pair| Some(100.0 * ratio(pair.run.residency?.rmu_cycles, pair.run.counters.cycles))),
    ("switch_cycles", |pair| {
        let residency = pair.run.residency.filter(|residency| residency.switched_out > 0)?;
        Some(ratio(residency.switch_cycles, residency.switched_out + residency.refused_room))
    }),
    ("stall_length", |pair| {
        let residency = pair.run.residency.filter(|residency| residency.switched_out > 0)?;
        Some(ratio(residency.stall_cycles, residency.switched_out))
    }),
    ("in_vain", |pair| {
        let residency = pair.run.residency.filter(|residency| residency.switched_out > 0)?;
        Some(100.0 * ratio(residency.left_in_vain, residency.switched_out))
    }),
    ("over_63", |pair| {
        let residency = pair.run.residency.filter(|residency| residency.stored > 0)?;
        Some(100.0 * ratio(residency.stored_over_63, residency.stored))
    }),
    // The design's own hardware in an SM: 1,000 µm², KB, ns.
    ("area", |pair| Some(hardware::cost(&pair.run.design(), pair.machine)?.area_um2() / 1e3)),
    ("memory", |pair| Some(hardware::cost(&pair.run.design(), pair.machine)?.memory_bits as f64 / 8192.0)),
    ("path", |pair| Some(hardware::cost(&pair.run.design(), pair.machine)?.path_ns)),
    // The instruction stream.
    ("beyond_3", |pair| Some(pair.run.stream?.beyond_3)),
    ("beyond_10", |pair| Some(pair.run.stream?.beyond_10)),
    ("tensor_instructions", |pair| Some(pair.run.stream?.tensor_instructions)),
    ("registers", |pair| Some(pair.run.stream?.registers)),
    ("block_kb", |pair| Some(pair.run.stream?.block_kb)),
    ("block_registers", |pair| Some(pair.run.stream?.block_registers)),
    ("l1_hit_ratio", |pair| {
        let counters = &pair.run.counters;
        (counters.l1_reads > 0).then(|| 100.0 * ratio(counters.l1_hits, counters.l1_reads))
    }),
    // Loads that warps share.
    ("traffic", |pair| change(transfers(pair.run), transfers(pair.reference))),
    ("traffic_derived", multicast::derived),
    ("entries", |pair| {
        let peaks = pair.run.intervals.iter().map(|interval| interval.lrt_peak);
        pair.run.design().multicast.then(|| peaks.max().unwrap_or(0).into())
    }),
    ("loads", multicast::loads),
    ("in_pairs", |pair| of_requests(pair, 2 * pair.run.counters.multicasts)),
    ("found_full", |pair| of_requests(pair, pair.run.counters.lrt_rejections)),
    ("too_old", |pair| of_requests(pair, pair.run.counters.lrt_aged)),
    ("mean_entries", |pair| {
        let counters = &pair.run.counters;
        pair.run.design().multicast.then(|| ratio(counters.lrt_entry_cycles, counters.cycles))
    }),
    ("io_busy", |pair| Some(100.0 * ratio(pair.run.counters.io_cycles, pair.run.counters.cycles))),
    ("needed", multicast::needed),
    ("tensor", multicast::tensor),
];

/// The metric of this name. Its first use of a name that there is not is a mistake of the study's file.
pub fn value(name: &str, pair: &Pair) -> Option<f64> {
    if let Some(ratio) = ratio_of(name) {
        let energy = |run: &Outcome, machine: &Config| at_ratio(run, machine, ratio);
        return change(energy(pair.run, pair.machine), energy(pair.reference, pair.reference_machine));
    }
    if name.contains('.') {
        let run = serde_json::to_value(pair.run).expect("outcomes are JSON");
        return run.pointer(&format!("/{}", name.replace('.', "/"))).and_then(Value::as_f64);
    }
    let (_, compute) =
        METRICS.iter().find(|(known, _)| *known == name).unwrap_or_else(|| panic!("no metric `{name}`"));
    compute(pair)
}

/// For the metrics `energy_at_RATIO`: the energy where a caching collector's access costs so many times that
/// of an operand collector.
fn ratio_of(name: &str) -> Option<f64> {
    name.strip_prefix("energy_at_")?.parse().ok()
}

/// Returns true if there is such a metric.
#[cfg(test)]
pub fn is_known(name: &str) -> bool {
    name.contains('.') || ratio_of(name).is_some() || METRICS.iter().any(|(known, _)| *known == name)
}

/// Change over the reference, %.
fn change(value: f64, reference: f64) -> Option<f64> {
    Some(100.0 * (value / reference - 1.0))
}

fn energy(run: &Outcome) -> f64 {
    run.energy_pj.total + of_pcrf(&EventEnergies::default(), run)
}

/// An access to the PCRF, a part of the register file, is one to a bank.
fn of_pcrf(energies: &EventEnergies, run: &Outcome) -> f64 {
    let residency = run.residency.filter(|_| run.design().residency.has_rmu());
    residency.map_or(0.0, |residency| {
        let (stored, read) = (residency.registers_saved as f64, residency.registers_restored as f64);
        stored * energies.bank_write + read * energies.bank_read
    })
}

/// With these energies.
fn with(energies: &EventEnergies, run: &Outcome, machine: &Config) -> f64 {
    energies.of(&run.design(), machine, &run.counters).total + of_pcrf(energies, run)
}

/// With collectors that cost what their own size does.
fn by_size(run: &Outcome, machine: &Config) -> f64 {
    let design: Design = run.design();
    with(&EventEnergies::default().by_size(&design.parameters(machine, 0)), run, machine)
}

/// With caching collectors whose access costs so many times that of an operand collector.
fn at_ratio(run: &Outcome, machine: &Config, ratio: f64) -> f64 {
    with(&EventEnergies::default().with_ratio(ratio), run, machine)
}

fn slots(run: &Outcome) -> u64 {
    run.counters.warp_instructions + run.stalls.sum()
}

fn of_slots(pair: &Pair, cycles: u64) -> Option<f64> {
    pair.run.design().two_level.map(|_| 100.0 * ratio(cycles, slots(pair.run)))
}

fn resident(run: &Outcome) -> Option<f64> {
    Some(ratio(run.residency?.resident_cycles, run.counters.cycles))
}

/// Between register files and L1 or shared memory.
fn transfers(run: &Outcome) -> f64 {
    let counters = &run.counters;
    (counters.shared_loads + counters.shared_stores + counters.global_loads + counters.global_stores) as f64
}

fn of_requests(pair: &Pair, count: u64) -> Option<f64> {
    pair.run.design().multicast.then(|| 100.0 * ratio(count, pair.run.counters.multicast_requests))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_register_cache_has_no_energy_of_accelwattch() {
        let outcome = |design: &str| Outcome {
            workload: "bfs".into(),
            design: design.into(),
            label: design.into(),
            ipc: 1.0,
            hit_ratio: 0.0,
            counters: Counters { operand_reads: 10, bank_reads: 10, cycles: 10, ..Counters::default() },
            stalls: Default::default(),
            energy_pj: Default::default(),
            intervals: vec![],
            residency: None,
            stream: None,
            sound: true,
            errors: vec![],
        };
        let config = Config::default();
        let of = |design: &str| {
            let (run, reference) = (&outcome(design), &outcome("baseline"));
            let pair = Pair { run, reference, machine: &config, reference_machine: &config };
            ["energy_accelwattch", "energy_accelwattch_free"].map(|name| value(name, &pair))
        };
        assert_eq!(of("register-cache"), [None, None]);
        assert!(of("malekeh").iter().all(Option::is_some));
    }

    /// The same arrays as in the memories' own file.
    #[test]
    fn energies_of_accelwattch_are_those_of_its_arrays() {
        let memories: toml::Table = include_str!("../../synth/memories.toml").parse().expect("TOML");
        let array = |rows: i64, width: i64| {
            let is_it = |memory: &&toml::Value| {
                let number = |name: &str| memory.get(name).and_then(toml::Value::as_integer);
                let usual = ["node_nm", "cell", "kind"].iter().all(|name| memory.get(name).is_none());
                let shape = [number("rows"), number("width"), number("reads"), number("writes")];
                usual && number("shared").is_none() && shape == [rows, width, 1, 1].map(Some)
            };
            let memory = memories["memory"].as_array().expect("a list").iter().find(is_it).expect("a memory");
            ["read_fj", "write_fj"].map(|name| match &memory[name] {
                toml::Value::Integer(number) => *number as f64 / 1e3,
                number => number.as_float().expect("a number") / 1e3,
            })
        };
        let ([bank_read, bank_write], [collector_read, _]) = (array(512, 128), array(32, 32));
        let (reads, writes) = (0.096144789, 0.134430479);
        let energies = EventEnergies::accelwattch();
        let is =
            |energy: f64, expected: f64| assert!((energy - expected).abs() < 1e-4, "{energy}, {expected}");
        is(energies.bank_read, 8.0 * bank_read * 0.33 * reads);
        is(energies.bank_write, 8.0 * bank_write * 0.33 * writes);
        is(energies.collector_read, 32.0 * collector_read * reads);
        is(energies.bypass_read, 3.0 * energies.collector_read);
        is(energies.crossbar, 12.8 * reads);
        assert_eq!([energies.collector_write, energies.cache_write, energies.bypass_write], [0.0; 3]);
    }
}
