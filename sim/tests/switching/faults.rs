// SPDX-License-Identifier: Apache-2.0
//! Faults put into an RMU, a CTA status monitor, a context mover or a shared register pool are found.

use gpurf_blocks::ports::{
    ContextMoverIn, ContextMoverOut, CtaStatusMonitorIn, CtaStatusMonitorOut, RmuIn, RmuOut,
    SharedRegisterPoolIn, SharedRegisterPoolOut,
};
use gpurf_blocks::{Parameters, Tie, MAX_CTAS, MAX_WARPS};
use gpurf_sim::engines::{
    context_mover_model, ContextMoverEngine, Engines, RegisterPoolEngine, RmuEngine, StatusMonitorEngine,
};
use gpurf_sim::finereg::{CtaStatusMonitor, Rmu};
use gpurf_sim::register_file::SharedRegisterPool;
use gpurf_sim::sm::{Design, Gpu, SmError};
use gpurf_sim::statistics::{ResidentBlocks, Statistics};

use super::{config, workload, Shape, SHAPE, SMALL};
use crate::altered::Altered;

#[test]
fn a_register_that_is_lost_or_changed_on_its_way_is_found() {
    let workload = workload(12, &SHAPE);
    let config = config(&SMALL);
    let faults: [fn(&mut RmuOut<u32>); 3] = [
        |outputs| outputs.acrf_write = false,
        |outputs| outputs.acrf_write_data ^= 0x100,
        |outputs| outputs.acrf_write_register ^= 1,
    ];
    for fault in faults {
        let rmu = |_| -> RmuEngine {
            // Every hundredth register that comes back.
            let mut restored = 0;
            let alter = move |_: &RmuIn<u32>, outputs: &mut RmuOut<u32>| {
                restored += u32::from(outputs.acrf_write);
                if outputs.acrf_write && restored % 100 == 0 {
                    fault(outputs);
                }
            };
            Box::new(Altered { engine: Rmu::new(&config.hardware), alter })
        };
        let engines = Engines { rmu: Box::new(rmu), ..Engines::models(&config, Design::FINEREG, 1) };
        let mut gpu = Gpu::new(&config, Design::FINEREG, 1, engines);
        gpu.run(&workload, None).unwrap();
        assert!(gpu.statistics("model", 0).summary.counters.token_errors > 0);
    }
}

/// A change made to a selection, given its number.
type Alter = fn(u32, &CtaStatusMonitorIn, &mut CtaStatusMonitorOut);

fn run_monitored(tie: Tie, alter: Alter) -> Result<Statistics, SmError> {
    let config = config(&SMALL);
    let parameters = Parameters { tie, ..config.hardware };
    let design = Design::FINEREG;
    let monitor = |_| -> StatusMonitorEngine {
        let mut selections = 0;
        let alter = move |inputs: &CtaStatusMonitorIn, outputs: &mut CtaStatusMonitorOut| {
            selections += u32::from(inputs.select);
            alter(selections, inputs, outputs);
        };
        Box::new(Altered { engine: CtaStatusMonitor::new(&parameters), alter })
    };
    let engines = Engines { status_monitor: Box::new(monitor), ..Engines::models(&config, design, 1) };
    let mut gpu = Gpu::new(&config, design, 1, engines);
    gpu.run(&workload(12, &Shape { barriers: false, ..SHAPE }), None)?;
    Ok(gpu.statistics("model", 0))
}

#[test]
fn the_status_monitor_selects_who_goes_on() {
    let turns = run_monitored(Tie::RoundRobin, |_, _, _| {}).unwrap();
    let lowest = run_monitored(Tie::Lowest, |_, _, _| {}).unwrap();
    assert!(turns.is_sound() && lowest.is_sound(), "{:?} {:?}", turns.errors, lowest.errors);
    assert_ne!(turns.summary.counters.cycles, lowest.summary.counters.cycles, "equals take turns");
    let nobody = run_monitored(Tie::RoundRobin, |_, _, outputs| outputs.any_candidate = false);
    assert!(matches!(nobody, Err(SmError::Stuck { .. })), "pending blocks wait for ever");
}

#[test]
fn a_selection_that_cannot_go_on_is_found() {
    // Now and then, or nothing would go on.
    let other: Alter = |number, inputs, outputs| {
        let among = |cta: u32| inputs.resumable[cta as usize / 32] >> (cta % 32) & 1 == 1;
        if number % 5 == 0 {
            outputs.candidate = (0..MAX_CTAS as u32).find(|&cta| !among(cta)).expect("not all of them can");
        }
    };
    let place: Alter = |number, _, outputs| outputs.candidate_in_acrf ^= number % 5 == 0;
    for alter in [other, place] {
        let statistics = run_monitored(Tie::RoundRobin, alter).unwrap();
        assert!(statistics.summary.counters.stage_errors > 0 && !statistics.is_sound());
        assert!(statistics.errors[0].contains("status monitor selects"), "{:?}", statistics.errors);
    }
}

#[test]
fn a_switch_ends_when_its_contexts_have_moved() {
    let config = config(&["finereg.context_cycles=20"]);
    let design = Design::VIRTUAL_THREAD;
    let run = |alter: fn(&ContextMoverIn, &mut ContextMoverOut)| {
        let mover = |_| -> ContextMoverEngine { Box::new(Altered { engine: context_mover_model(), alter }) };
        let engines = Engines { context_mover: Box::new(mover), ..Engines::models(&config, design, 1) };
        let mut gpu = Gpu::new(&config, design, 1, engines);
        gpu.run(&workload(12, &SHAPE), None)?;
        let statistics = gpu.statistics("model", 0);
        assert!(statistics.is_sound(), "{:?}", statistics.errors);
        Ok::<_, SmError>(statistics.residency.expect("blocks are switched"))
    };
    let (slow, fast) = (run(|_, _| {}).unwrap(), run(|_, outputs| outputs.done = true).unwrap());
    let of_switch = |counted: &ResidentBlocks| counted.switch_cycles / counted.switched_out;
    assert!(of_switch(&slow) >= 80 && of_switch(&fast) < 20, "{slow:?} {fast:?}");
}

/// A change made to what the register pool of a sub-core grants.
type AlterPool = fn(&SharedRegisterPoolIn, &mut SharedRegisterPoolOut);

fn run_pooled(alter: AlterPool) -> Result<Statistics, SmError> {
    let config = config(&["finereg.brs=30", "finereg.srp=10", "finereg.renaming=false"]);
    let design = Design::VT_REGMUTEX;
    let parameters = design.parameters(&config, 0);
    let pool = |_| -> RegisterPoolEngine {
        Box::new(Altered { engine: SharedRegisterPool::new(&parameters), alter })
    };
    let engines = Engines { register_pool: Box::new(pool), ..Engines::models(&config, design, 1) };
    let mut gpu = Gpu::new(&config, design, 1, engines);
    gpu.run(&workload(12, &SHAPE), None)?;
    Ok(gpu.statistics("model", 0))
}

#[test]
fn a_section_of_the_pool_that_is_given_twice_is_found() {
    let sound = run_pooled(|_, _| {}).unwrap();
    assert!(sound.is_sound(), "{:?}", sound.errors);
    let acquired = sound.residency.expect("blocks are switched").pool_acquired;
    assert!(acquired > 100, "{acquired}");
    let twice = run_pooled(|_, outputs| outputs.given = [0; MAX_WARPS]).unwrap();
    assert!(twice.summary.counters.stage_errors > 0 && !twice.is_sound());
    assert!(twice.errors[0].contains("register pool gives section 0"), "{:?}", twice.errors);
    let never = run_pooled(|_, outputs| outputs.granted = [false; MAX_WARPS]);
    assert!(matches!(never, Err(SmError::Stuck { .. })), "warps wait for ever");
}
