// SPDX-License-Identifier: Apache-2.0
//! A kind of collectors and a residency that only these tests know: a row each is all that there is of them,
//! and the SM runs them.

use gpurf_blocks::Parameters;
use gpurf_sim::collector::Ccu;
use gpurf_sim::config::Config;
use gpurf_sim::energy::{AccessEnergies, EventEnergies};
use gpurf_sim::engines::SubCoreEngine;
use gpurf_sim::operand_stage::OperandStage;
use gpurf_sim::sm::{CollectorKind, Design, KeptOperands, OperandBuffer, Residency, Store};
use gpurf_sim::sub_core::SubCore;

use crate::sound::run;
use crate::switching::{config, workload, SHAPE, SMALL};

fn model(parameters: &Parameters) -> SubCoreEngine {
    Box::new(SubCore::new(parameters, OperandStage::<u32, Ccu<u32>>::new(parameters)))
}

/// A caching collector that costs nothing.
static FREE: CollectorKind = CollectorKind {
    name: "free",
    module: "free",
    stage: "free_stage",
    sub_core: "free_sub_core",
    holds: OperandBuffer::InCollectors(model),
    keeps: KeptOperands::Values,
    energies: |_: &EventEnergies| AccessEnergies { read: 0.0, write: 0.0, idle: 0.0 },
    measured: None,
};

/// Blocks whose warps share registers, and some more in DRAM.
static POOL_AND_DRAM: Residency =
    Residency { name: "pool_and_dram", switches: true, store: Store::Dram, pool: true };

#[test]
fn a_row_is_a_kind_of_collectors() {
    let design = Design { collector: &FREE, ..Design::TRADITIONAL };
    assert_eq!(design.name(), "collector=free+allocation=own_else_any_free+cache_far=true");
    assert!(design.has_caching_collectors() && !design.reads_in_window());
    let (workload, config) = (workload(3, &SHAPE), Config::default());
    let [own, known] = [design, Design::TRADITIONAL].map(|design| run(&workload, design, &config, false));
    assert!(own.summary.counters.hits > 0);
    assert_eq!(own.summary.counters, known.summary.counters);
    let [own, known] = [own, known].map(|statistics| statistics.energy_pj);
    assert_eq!((own.collectors, own.bank_reads), (0.0, known.bank_reads));
    assert!(known.collectors > 0.0 && own.total < known.total);
}

#[test]
fn a_constant_is_a_residency_of_known_stores() {
    let design = Design { residency: &POOL_AND_DRAM, ..Design::BASELINE };
    assert!(design.switches() && design.residency.moves_registers() && !design.residency.has_rmu());
    assert!(design.residency.needs_live_registers() && !design.residency.is_built());
    let (workload, config) = (workload(0, &SHAPE), config(&SMALL));
    let [own, baseline, shared, stored] = [design, Design::BASELINE, Design::VT_REGMUTEX, Design::REG_DRAM]
        .map(|design| run(&workload, design, &config, false));
    let counters = own.summary.counters;
    assert_eq!(counters.warp_instructions, baseline.summary.counters.warp_instructions);
    assert_eq!(counters.token_checks, baseline.summary.counters.token_checks);
    let [own, shared, stored] =
        [own, shared, stored].map(|statistics| statistics.residency.expect("the design switches"));
    assert!(own.pool_acquired > 0 && shared.pool_acquired > 0 && stored.pool_acquired == 0);
    assert!(own.registers_saved > 0 && stored.registers_saved > 0 && shared.registers_saved == 0);
}
