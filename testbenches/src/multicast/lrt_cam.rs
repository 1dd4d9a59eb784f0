//! Testbench of the load request table, all entries at once.

use gpurf_blocks::ports::LrtIn;
use gpurf_blocks::Parameters;
use gpurf_hw::multicast::LrtCam;

use super::lrt::{load, lone, of_both, run, LrtStimulus};
use crate::{expect, register, Engine, Scenario, Stimulus, Testbench};

impl<const V: usize, const A: usize> Testbench for LrtCam<V, A> {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::multicast::LrtCam::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(LrtStimulus::new(parameters.lrt_entries))
    }

    fn scenarios() -> Vec<Scenario<Self>> {
        scenarios()
    }
}

register!(LrtCam<V, A>);

fn scenarios<const V: usize, const A: usize>() -> Vec<Scenario<LrtCam<V, A>>> {
    let mut scenarios = of_both();
    scenarios.push(Scenario {
        name: "all_entries_in_one_cycle",
        rule: "I 3.1: comparators check every LRT entry upon every request",
        play: |bench| {
            for held in 0..bench.parameters.lrt_entries {
                let search = run(bench, LrtIn { insert: false, ..load([63, 0xfff0, 7, 7]) })?;
                expect(search.cycles == 1, format!("{held}: {} cycles", search.cycles))?;
                expect(run(bench, lone(held as u32))?.cycles == 1, "and to insert")?;
            }
            Ok(())
        },
    });
    scenarios
}
