// SPDX-License-Identifier: Apache-2.0
//! Testbench of the warp scheduler.

use gpurf_blocks::ports::{WarpSchedulerIn, WarpSchedulerOut};
use gpurf_blocks::{Occupied, Parameters, Scheduling, WarpOrder, MAX_WARPS};
use gpurf_hw::issue::WarpScheduler;

use crate::{expect, expect_eq, register, Drive, Engine, Random, Scenario, Stimulus, Testbench};

impl Testbench for WarpScheduler {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::issue::WarpScheduler::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(WarpSchedulerStimulus { parameters: *parameters, ready: 50, passed_over: [0; MAX_WARPS] })
    }

    fn protocol(parameters: &Parameters) -> Vec<String> {
        let Parameters { warps, collectors, occupied, .. } = *parameters;
        let own = |collector: usize, warp: usize| {
            format!("owned[{collector}] & held_warp[{} +: 4] == {warp}", 4 * collector)
        };
        let any = |terms: Vec<String>| format!("({})", terms.join(" | "));
        let is_candidate = |warp: usize| match occupied {
            Occupied::Stall => format!("ready[{warp}]"),
            Occupied::Skip => {
                let blocked = (0..collectors).map(|c| format!("({} & occupied[{c}])", own(c, warp)));
                format!("(ready[{warp}] & !{})", any(blocked.collect()))
            }
        };
        let mut protocol = vec![
            "!(launch & ready)".to_string(),
            format!("!issue | {}", any((0..warps).map(is_candidate).collect())),
        ];
        for warp in 0..warps {
            for one in 0..collectors {
                protocol.extend(
                    (0..one).map(|other| format!("!(({}) & ({}))", own(one, warp), own(other, warp))),
                );
            }
        }
        protocol
    }

    fn scenarios() -> Vec<Scenario<Self::In, Self::Out>> {
        scenarios()
    }
}

register!(WarpScheduler);

/// Warps that are ready or not at random, few or many for some twenty cycles each, and collectors that are
/// theirs. No warp owns two collectors.
struct WarpSchedulerStimulus {
    parameters: Parameters,
    ready: usize,
    /// Issues of other warps since this one could issue or did.
    passed_over: [usize; MAX_WARPS],
}

impl WarpSchedulerStimulus {
    /// The warp may be selected.
    fn is_candidate(&self, inputs: &WarpSchedulerIn, warp: usize) -> bool {
        let own = |&c: &usize| inputs.owned[c] && inputs.held_warp[c] == warp as u32;
        let blocked = (0..self.parameters.collectors).find(own).is_some_and(|own| inputs.occupied[own]);
        inputs.ready[warp] && !(blocked && self.parameters.occupied == Occupied::Skip)
    }
}

impl Stimulus<WarpSchedulerIn, WarpSchedulerOut> for WarpSchedulerStimulus {
    fn next(&mut self, random: &mut Random) -> WarpSchedulerIn {
        if random.percent(5) {
            self.ready = random.pick(&[10, 50, 90, 100]);
        }
        let mut inputs = WarpSchedulerIn::default();
        for warp in 0..self.parameters.warps {
            inputs.launch[warp] = random.percent(2);
            inputs.ready[warp] = !inputs.launch[warp] && random.percent(self.ready);
        }
        let first_owner = random.below(self.parameters.warps);
        for collector in 0..self.parameters.collectors {
            inputs.occupied[collector] = random.percent(50);
            inputs.owned[collector] = random.percent(80);
            inputs.held_warp[collector] = ((first_owner + collector) % self.parameters.warps) as u32;
        }
        let any = (0..self.parameters.warps).any(|warp| self.is_candidate(&inputs, warp));
        inputs.issue = any && random.percent(80);
        inputs
    }

    fn observe(&mut self, inputs: &WarpSchedulerIn, outputs: &WarpSchedulerOut) -> Result<(), String> {
        let any = (0..self.parameters.warps).any(|warp| self.is_candidate(inputs, warp));
        let selected: Vec<usize> = (0..self.parameters.warps).filter(|&warp| outputs.select[warp]).collect();
        let warp = outputs.warp as usize;
        if outputs.selected != any || selected != Vec::from_iter(any.then_some(warp)) {
            return Err(format!("selected {selected:?}, reported {} and {warp}", outputs.selected));
        }
        if any && !self.is_candidate(inputs, warp) {
            return Err(format!("warp {warp} cannot issue"));
        }
        for other in 0..self.parameters.warps {
            if !self.is_candidate(inputs, other) || (inputs.issue && other == warp) {
                self.passed_over[other] = 0;
            } else if inputs.issue {
                self.passed_over[other] += 1;
            }
            let Scheduling { is_greedy, prefers_data, order, .. } = self.parameters.scheduling;
            let is_fair = order == WarpOrder::Turn && !is_greedy && !prefers_data;
            if is_fair && self.passed_over[other] >= self.parameters.warps {
                return Err(format!("warp {other} is passed over by more than the others"));
            }
        }
        Ok(())
    }
}

type Bench<'a> = Drive<'a, WarpSchedulerIn, WarpSchedulerOut>;

/// These warps are ready.
fn ready(warps: &[usize]) -> WarpSchedulerIn {
    let mut inputs = WarpSchedulerIn::default();
    warps.iter().for_each(|&warp| inputs.ready[warp] = true);
    inputs
}

/// Collector 0 has data of this warp.
fn owner(warp: u32, occupied: bool, mut inputs: WarpSchedulerIn) -> WarpSchedulerIn {
    (inputs.owned[0], inputs.held_warp[0], inputs.occupied[0]) = (true, warp, occupied);
    inputs
}

/// The selected warp issues; which.
fn issue(bench: &mut Bench, inputs: WarpSchedulerIn) -> Result<u32, String> {
    let out = bench.cycle(WarpSchedulerIn { issue: true, ..inputs })?;
    expect(out.selected && out.select[out.warp as usize], "some warp is selected")?;
    Ok(out.warp)
}

fn launch(bench: &mut Bench, warps: &[usize]) -> Result<(), String> {
    let mut inputs = WarpSchedulerIn::default();
    warps.iter().for_each(|&warp| inputs.launch[warp] = true);
    bench.cycle(inputs).map(|_| ())
}

/// The first rule that the scheduler has decides: greed, data, or the order among equals.
fn decided<T>(bench: &Bench, greedy: T, with_data: T, by_age: T, in_turn: T) -> T {
    let Scheduling { is_greedy, prefers_data, order, .. } = bench.parameters.scheduling;
    match (is_greedy, prefers_data, order) {
        (true, ..) => greedy,
        (_, true, _) => with_data,
        (.., WarpOrder::Age) => by_age,
        (.., WarpOrder::Turn) => in_turn,
    }
}

/// The same where the warp issued last is not ready.
fn without_greed<T>(bench: &Bench, with_data: T, by_age: T, in_turn: T) -> T {
    let Scheduling { prefers_data, order, .. } = bench.parameters.scheduling;
    match (prefers_data, order) {
        (true, _) => with_data,
        (_, WarpOrder::Age) => by_age,
        (_, WarpOrder::Turn) => in_turn,
    }
}

/// The same among equals.
fn in_order<T>(bench: &Bench, by_age: T, in_turn: T) -> T {
    match bench.parameters.scheduling.order {
        WarpOrder::Age => by_age,
        WarpOrder::Turn => in_turn,
    }
}

/// All warps are ready.
fn all_ready(bench: &Bench) -> WarpSchedulerIn {
    ready(&(0..bench.parameters.warps).collect::<Vec<_>>())
}

fn scenarios() -> Vec<Scenario<WarpSchedulerIn, WarpSchedulerOut>> {
    vec![
        Scenario {
            name: "the_same_warp_first",
            rule: "F IV-B1: the highest priority is to the same warp if it is ready",
            play: |bench| {
                issue(bench, ready(&[3]))?;
                let next = issue(bench, owner(5, false, all_ready(bench)))?;
                let expected = decided(bench, 3, 5, 0, 4);
                expect_eq!(next, expected, format!("warp {expected} follows, not {next}"))
            },
        },
        Scenario {
            name: "warps_with_data_before_older_ones",
            rule: "F IV-B1: prioritizing warps with data in CCUs",
            play: |bench| {
                issue(bench, ready(&[3]))?;
                let next = issue(bench, owner(6, false, ready(&[0, 1, 6, 7])))?;
                let expected = without_greed(bench, 6, 0, 6);
                expect_eq!(next, expected, format!("warp {expected} follows, not {next}"))?;
                let next = issue(bench, owner(2, false, ready(&[0, 1, 7])))?;
                let expected = in_order(bench, 0, 7);
                expect_eq!(next, expected, "a warp with data that is not ready changes nothing")
            },
        },
        Scenario {
            name: "age_decides_within_each_group",
            rule: "F IV-B1: within each category, they are prioritized by their age",
            play: |bench| {
                launch(bench, &[0, 4])?;
                launch(bench, &[2])?;
                // Oldest first: 1, 3, 5, 6, 7, 0, 4, 2.
                let mut inputs = owner(2, false, all_ready(bench));
                if bench.parameters.collectors > 1 {
                    (inputs.owned[1], inputs.held_warp[1]) = (true, 4);
                }
                let next = bench.cycle(inputs)?.warp;
                let oldest_with_data = if inputs.owned[1] { 4 } else { 2 };
                let with_data = in_order(bench, oldest_with_data, 2);
                let expected = without_greed(bench, with_data, 1, 0);
                expect_eq!(next, expected, format!("warp {expected} is next, not {next}"))?;
                let next = bench.cycle(ready(&[0, 2, 4]))?.warp;
                expect_eq!(next, 0, format!("warp 0 is next, not {next}"))?;
                let next = bench.cycle(ready(&[2, 4]))?.warp;
                let expected = in_order(bench, 4, 2);
                expect_eq!(next, expected, format!("warp {expected} is next, not {next}"))
            },
        },
        Scenario {
            name: "only_an_issue_counts_as_issued",
            rule: "F IV-B1: the warp that issued the most recent instruction",
            play: |bench| {
                issue(bench, ready(&[1]))?;
                let first = bench.cycle(ready(&[5]))?;
                expect(first.selected && first.warp == 5, "warp 5 is selected and does not issue")?;
                let next = bench.cycle(all_ready(bench))?.warp;
                let expected = decided(bench, 1, in_order(bench, 0, 2), 0, 2);
                expect_eq!(next, expected, format!("warp {expected} is next, not {next}"))
            },
        },
        Scenario {
            name: "a_new_warp_inherits_nothing",
            rule: "our decision: the greed for a warp ends when a new one takes its place",
            play: |bench| {
                issue(bench, ready(&[1]))?;
                launch(bench, &[1])?;
                let next = bench.cycle(all_ready(bench))?.warp;
                let expected = in_order(bench, 0, 2);
                expect_eq!(next, expected, format!("warp {expected} is next, not {next}"))
            },
        },
        Scenario {
            name: "own_collector_occupied",
            rule: "F IV-B: issues an instruction only if there is a ready warp and a free CCU, or else is stalled",
            play: |bench| {
                issue(bench, ready(&[0]))?;
                let out = bench.cycle(owner(0, true, ready(&[0, 3])))?;
                let stalls = bench.parameters.occupied == Occupied::Stall;
                let expected = if stalls { decided(bench, 0, 0, 0, 3) } else { 3 };
                expect_eq!(out.warp, expected, format!("warp {expected} is selected, not {}", out.warp))?;
                let out = bench.cycle(owner(0, true, ready(&[0])))?;
                expect_eq!(out.selected, stalls, "a warp that is passed over is not selected at all")
            },
        },
        Scenario {
            name: "nobody_is_ready",
            rule: "F IV-B: the issue stage is stalled without a ready warp",
            play: |bench| {
                let out = bench.cycle(owner(3, false, ready(&[])))?;
                expect(!out.selected && !out.select.contains(&true), "nobody is selected")
            },
        },
        Scenario {
            name: "greed_has_no_bound",
            rule: "counterexample: under greed a warp that stays ready starves the oldest",
            play: |bench| {
                issue(bench, ready(&[7]))?;
                let mut issues = [0; MAX_WARPS];
                for _ in 0..1000 {
                    issues[issue(bench, all_ready(bench))? as usize] += 1;
                }
                let share = 1000 / bench.parameters.warps;
                let in_turn = share..=share + 1;
                let expected = decided(bench, 0..=0, in_order(bench, 1000..=1000, in_turn.clone()), 1000..=1000, in_turn);
                expect(expected.contains(&issues[0]), format!("warp 0 issues {} times", issues[0]))
            },
        },
        Scenario {
            name: "preference_has_no_bound",
            rule: "counterexample: warps with data that take turns starve the oldest, without greed",
            play: |bench| {
                if bench.parameters.collectors < 2 {
                    return Ok(());
                }
                let mut issues = [0; MAX_WARPS];
                for cycle in 0..1000 {
                    // The warp that issued last is never ready again at once.
                    let mut inputs = owner(6, false, ready(&[0, 6 + cycle % 2]));
                    (inputs.owned[1], inputs.held_warp[1]) = (true, 7);
                    issues[issue(bench, inputs)? as usize] += 1;
                }
                let starves = bench.parameters.scheduling.prefers_data;
                expect_eq!((issues[0] == 0), starves, format!("warp 0 issues {} times", issues[0]))
            },
        },
    ]
}
