// SPDX-License-Identifier: Apache-2.0
//! Testbench of the greedy-then-youngest scheduler.

use gpurf_blocks::ports::{CggtySchedulerIn, CggtySchedulerOut};
use gpurf_blocks::{Parameters, MAX_WARPS};
use gpurf_hw::modern::CggtyScheduler;

use crate::{expect, register, Drive, Engine, Random, Scenario, Stimulus, Testbench};

impl Testbench for CggtyScheduler {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::modern::CggtyScheduler::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(CggtySchedulerStimulus {
            parameters: *parameters,
            eligible: 50,
            misses: 10,
            missing: [false; MAX_WARPS],
            waited: 0,
            last: None,
        })
    }

    fn scenarios() -> Vec<Scenario<Self::In, Self::Out>> {
        scenarios()
    }
}

register!(CggtyScheduler);

/// Few eligible warps or many, whose constants stay away for a while; as the check, greed, and the bound of a
/// wait.
struct CggtySchedulerStimulus {
    parameters: Parameters,
    eligible: usize,
    /// Chance that a constant is not there, in percent.
    misses: usize,
    missing: [bool; MAX_WARPS],
    /// Cycles that the scheduler has been held.
    waited: usize,
    last: Option<usize>,
}

impl Stimulus<CggtySchedulerIn, CggtySchedulerOut> for CggtySchedulerStimulus {
    fn next(&mut self, random: &mut Random) -> CggtySchedulerIn {
        if random.percent(3) {
            self.eligible = random.pick(&[5, 30, 90]);
            self.misses = random.pick(&[0, 10, 60]);
        }
        let mut inputs = CggtySchedulerIn { open: random.percent(90), ..Default::default() };
        for warp in 0..self.parameters.warps {
            if random.percent(30) {
                self.missing[warp] = random.percent(self.misses);
            }
            inputs.misses[warp] = self.missing[warp];
            inputs.launch[warp] = random.percent(3);
            let greedy = self.last == Some(warp) && random.percent(50);
            inputs.eligible[warp] = !inputs.launch[warp] && (greedy || random.percent(self.eligible));
        }
        inputs
    }

    fn observe(&mut self, inputs: &CggtySchedulerIn, outputs: &CggtySchedulerOut) -> Result<(), String> {
        let selected = outputs.select.iter().position(|&select| select);
        if selected.is_some_and(|warp| !inputs.eligible[warp]) {
            return Err(format!("{selected:?} is not eligible"));
        }
        let any = (0..MAX_WARPS).any(|warp| inputs.eligible[warp] && !inputs.misses[warp]);
        if any && selected.is_none() {
            return Err("nobody is selected".into());
        }
        if let Some(last) = self.last.filter(|&last| inputs.eligible[last] && !inputs.misses[last]) {
            if selected != Some(last) {
                return Err(format!("{last} issued last and is eligible, and {selected:?} is selected"));
            }
        }
        self.waited = if outputs.issue { 0 } else { self.waited + usize::from(outputs.waits) };
        if self.waited > self.parameters.constant_wait {
            return Err(format!("a wait of {} cycles", self.waited));
        }
        if outputs.issue || outputs.waits {
            self.last = selected;
        }
        self.last = self.last.filter(|&last| !inputs.launch[last]);
        Ok(())
    }
}

type Bench<'a> = Drive<'a, CggtySchedulerIn, CggtySchedulerOut>;

/// These warps are eligible, and of these the constants are missing.
fn warps(eligible: &[usize], misses: &[usize]) -> CggtySchedulerIn {
    let mut inputs = CggtySchedulerIn { open: true, ..Default::default() };
    eligible.iter().for_each(|&warp| inputs.eligible[warp] = true);
    misses.iter().for_each(|&warp| inputs.misses[warp] = true);
    inputs
}

/// Who issues.
fn issues(bench: &mut Bench, inputs: CggtySchedulerIn) -> Result<Option<u32>, String> {
    let out = bench.cycle(inputs)?;
    Ok(out.issue.then_some(out.warp))
}

fn launch(bench: &mut Bench, warp: usize) -> Result<(), String> {
    let mut inputs = warps(&[], &[]);
    inputs.launch[warp] = true;
    bench.cycle(inputs).map(|_| ())
}

fn scenarios() -> Vec<Scenario<CggtySchedulerIn, CggtySchedulerOut>> {
    vec![
        Scenario {
            name: "the_youngest_goes_first",
            rule: "H 5.1.2: if the warp that issued last is not eligible, the youngest is selected",
            play: |bench| {
                for warp in [5, 1, 6, 2] {
                    launch(bench, warp)?;
                }
                for (eligible, expected) in [(&[1, 5, 6][..], 6), (&[1, 5], 1), (&[5, 3], 5), (&[3, 4], 4)] {
                    let issued = issues(bench, warps(eligible, &[]))?;
                    expect(issued == Some(expected), format!("of {eligible:?} it is {expected}: {issued:?}"))?;
                }
                Ok(())
            },
        },
        Scenario {
            name: "the_same_warp_goes_on",
            rule: "H 5.1.2: it keeps issuing from the same warp while that is eligible",
            play: |bench| {
                expect(issues(bench, warps(&[2], &[]))? == Some(2), "it alone is eligible")?;
                for _ in 0..5 {
                    expect(issues(bench, warps(&[1, 2, 7], &[]))? == Some(2), "and goes on")?;
                }
                expect(issues(bench, warps(&[1, 7], &[]))? == Some(7), "then the youngest does")
            },
        },
        Scenario {
            name: "a_new_warp_has_not_issued_last",
            rule: "our decision: when a new warp takes the place of the one that issued last, nobody has issued last",
            play: |bench| {
                launch(bench, 1)?;
                expect(issues(bench, warps(&[0], &[]))? == Some(0), "warp 0 issues")?;
                launch(bench, 0)?;
                launch(bench, 1)?;
                expect(issues(bench, warps(&[0, 1], &[]))? == Some(1), "the new one is not preferred")
            },
        },
        Scenario {
            name: "a_missing_constant_holds_the_scheduler",
            rule: "H 5.1.1: a constant that misses holds the scheduler for 4 cycles; then it switches to the youngest",
            play: |bench| {
                let wait = bench.parameters.constant_wait;
                expect(issues(bench, warps(&[3], &[]))? == Some(3), "warp 3 issues")?;
                for cycle in 0..wait {
                    let out = bench.cycle(warps(&[3, 6, 4], &[3]))?;
                    expect(!out.issue && out.waits && out.select[3], format!("it waits in cycle {cycle}"))?;
                }
                expect(issues(bench, warps(&[3, 6, 4], &[3]))? == Some(6), "then another one issues")?;
                expect(issues(bench, warps(&[3, 4], &[]))? == Some(4), "the youngest goes first again")
            },
        },
        Scenario {
            name: "a_constant_that_comes_ends_the_wait",
            rule: "H 5.1.1: the instruction issues when its constant is there",
            play: |bench| {
                expect(!bench.cycle(warps(&[2], &[2]))?.issue, "it waits")?;
                // A younger warp does not take the scheduler that is held.
                expect(issues(bench, warps(&[2, 7], &[]))? == Some(2), "and issues")
            },
        },
        Scenario {
            name: "nobody_issues_into_a_pipeline_that_stands",
            rule: "H 5.3: an instruction that waits for its reads stops those behind it",
            play: |bench| {
                let closed = CggtySchedulerIn { open: false, ..warps(&[1, 2], &[]) };
                for _ in 0..6 {
                    let out = bench.cycle(closed)?;
                    expect(!out.issue && !out.waits && out.warp == 0, "nothing happens")?;
                }
                expect(issues(bench, warps(&[1], &[]))? == Some(1), "and nobody has issued last")
            },
        },
    ]
}
