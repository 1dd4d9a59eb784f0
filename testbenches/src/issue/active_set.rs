// SPDX-License-Identifier: Apache-2.0
//! Testbench of the active set of a two-level scheduler.

use gpurf_blocks::ports::{ActiveSetIn, ActiveSetOut};
use gpurf_blocks::{Parameters, Refill, MAX_WARPS};
use gpurf_hw::issue::ActiveSet;

use crate::{expect, expect_eq, register, Drive, Engine, Random, Scenario, Stimulus, Testbench};

impl Testbench for ActiveSet {
    fn model(parameters: &Parameters) -> Engine<Self> {
        // What ends a strand is an input here.
        Box::new(gpurf_sim::issue::ActiveSet::new(parameters, true))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(ActiveSetStimulus {
            parameters: *parameters,
            waits: [Wait::Nothing; MAX_WARPS],
            change: 20,
            ends: 10,
            retires: 2,
            active: vec![],
            pending: (0..parameters.warps).collect(),
        })
    }

    fn scenarios() -> Vec<Scenario<Self::In, Self::Out>> {
        scenarios()
    }
}

register!(ActiveSet);

/// The state of a warp: ready, or the thing that it waits for.
#[derive(Clone, Copy, PartialEq)]
enum Wait {
    Ready,
    Dependence,
    Shared,
    Others,
    /// It has no instructions.
    Nothing,
}

const WAITS: [Wait; 5] = [Wait::Ready, Wait::Dependence, Wait::Shared, Wait::Others, Wait::Nothing];

/// Warps that wait for this and that, often or rarely something else, and that leave one by one or many at
/// once; and, as the check, two lists: the active warps, and the pending ones in the order in which they
/// became so.
struct ActiveSetStimulus {
    parameters: Parameters,
    waits: [Wait; MAX_WARPS],
    /// Chance of a change in a cycle, in percent.
    change: usize,
    /// The same for the end of a strand, and for a warp that retires.
    ends: usize,
    retires: usize,
    active: Vec<usize>,
    pending: Vec<usize>,
}

impl ActiveSetStimulus {
    fn any(&self) -> bool {
        self.parameters.refill == Refill::GpgpuSim
    }

    /// The warp is no reason to make room.
    fn stays(&self, warp: usize) -> bool {
        match self.waits[warp] {
            Wait::Ready | Wait::Dependence => true,
            Wait::Shared => self.any(),
            Wait::Others | Wait::Nothing => false,
        }
    }

    /// The warp may take a place.
    fn takes(&self, warp: usize) -> bool {
        match self.waits[warp] {
            Wait::Ready => true,
            Wait::Dependence | Wait::Shared | Wait::Others => self.any(),
            Wait::Nothing => false,
        }
    }
}

fn set(inputs: &mut ActiveSetIn, warp: usize, wait: Wait) {
    inputs.ready[warp] = wait == Wait::Ready;
    inputs.dependence[warp] = wait == Wait::Dependence;
    inputs.shared[warp] = wait == Wait::Shared;
    inputs.others[warp] = wait == Wait::Others;
}

impl Stimulus<ActiveSetIn, ActiveSetOut> for ActiveSetStimulus {
    fn next(&mut self, random: &mut Random) -> ActiveSetIn {
        if random.percent(5) {
            self.change = random.pick(&[2, 20, 90]);
            self.ends = random.pick(&[2, 10, 60]);
            self.retires = random.pick(&[0, 2, 30]);
        }
        let mut inputs = ActiveSetIn::default();
        for warp in 0..self.parameters.warps {
            if random.percent(self.change) {
                self.waits[warp] = random.pick(&WAITS);
            }
            set(&mut inputs, warp, self.waits[warp]);
            inputs.ends_strand[warp] = random.percent(self.ends);
            inputs.retire[warp] = random.percent(self.retires);
        }
        inputs
    }

    fn observe(&mut self, inputs: &ActiveSetIn, outputs: &ActiveSetOut) -> Result<(), String> {
        let ordered = |mut warps: Vec<usize>| {
            warps.sort();
            warps
        };
        let of = |flags: &[bool]| (0..self.parameters.warps).filter(|&warp| flags[warp]).collect::<Vec<_>>();
        let (stay, wait): (Vec<usize>, Vec<usize>) = self.active.iter().partition(|&&warp| self.stays(warp));
        let (end, stay): (Vec<usize>, Vec<usize>) = stay.iter().partition(|&&warp| inputs.ends_strand[warp]);
        let (wait, end) = (ordered(wait), ordered(end));
        let (allowed, left, entered) = (of(&outputs.allowed), of(&outputs.left), of(&outputs.entered));
        if allowed != ordered(stay.clone()) {
            return Err(format!("{allowed:?} may issue, and {stay:?} are active"));
        }
        let leaving = ordered([wait.clone(), end.clone()].concat());
        if left != leaving {
            return Err(format!("{left:?} leave instead of {leaving:?}"));
        }
        self.pending.extend(wait.into_iter().chain(end));

        let places = self.parameters.active_warps.saturating_sub(stay.len());
        let first: Vec<usize> =
            self.pending.iter().copied().filter(|&warp| self.takes(warp)).take(places).collect();
        if entered != ordered(first.clone()) {
            return Err(format!("{entered:?} enter {places} places instead of {first:?}"));
        }
        self.active = [stay, first].concat();
        self.pending.retain(|warp| !self.active.contains(warp));

        let retiring = of(&inputs.retire);
        self.active.retain(|warp| !retiring.contains(warp));
        self.pending.retain(|warp| !retiring.contains(warp));
        self.pending.extend(retiring);
        if self.active.len() > self.parameters.active_warps
            || self.active.len() + self.pending.len() != self.parameters.warps
        {
            return Err(format!("{:?} are active, {:?} pending", self.active, self.pending));
        }
        Ok(())
    }
}

type Bench<'a> = Drive<'a, ActiveSetIn, ActiveSetOut>;

/// These warps wait for these things, all others have no instructions.
fn warps(waits: &[(usize, Wait)]) -> ActiveSetIn {
    let mut inputs = ActiveSetIn::default();
    waits.iter().for_each(|&(warp, wait)| set(&mut inputs, warp, wait));
    inputs
}

/// All warps are in the same state.
fn all(bench: &Bench, wait: Wait) -> ActiveSetIn {
    warps(&(0..bench.parameters.warps).map(|warp| (warp, wait)).collect::<Vec<_>>())
}

fn chosen(flags: &[bool]) -> Vec<usize> {
    (0..flags.len()).filter(|&warp| flags[warp]).collect()
}

/// As many warps as have a place, and not more than there are.
fn places(bench: &Bench) -> usize {
    bench.parameters.active_warps.min(bench.parameters.warps)
}

fn is_any(bench: &Bench) -> bool {
    bench.parameters.refill == Refill::GpgpuSim
}

fn scenarios() -> Vec<Scenario<ActiveSetIn, ActiveSetOut>> {
    vec![
        Scenario {
            name: "as_many_as_there_are_places",
            rule: "F VI-A: a few warps are active; a warp that enters may issue from the next cycle on",
            play: |bench| {
                let inputs = all(bench, Wait::Ready);
                let out = bench.cycle(inputs)?;
                let first: Vec<usize> = (0..places(bench)).collect();
                expect(chosen(&out.allowed).is_empty(), "nobody may issue yet")?;
                expect_eq!(chosen(&out.entered), first, format!("{first:?} enter"))?;
                let inputs = all(bench, Wait::Ready);
                let out = bench.cycle(inputs)?;
                expect_eq!(chosen(&out.allowed), first, format!("{first:?} may issue"))?;
                expect(chosen(&out.entered).is_empty(), "no place is left")
            },
        },
        Scenario {
            name: "memory_makes_pending_and_a_dependence_does_not",
            rule: "RFC in F VI-A: a warp whose next instruction waits for memory becomes pending",
            play: |bench| {
                bench.cycle(warps(&[(0, Wait::Ready)]))?;
                let out = bench.cycle(warps(&[(0, Wait::Dependence)]))?;
                expect(chosen(&out.allowed) == [0] && !out.left[0], "a dependence is waited for")?;
                let out = bench.cycle(warps(&[(0, Wait::Shared)]))?;
                expect(out.left[0] != is_any(bench), "shared memory is a reason except in GPGPU-Sim")?;
                bench.cycle(warps(&[(0, Wait::Ready)]))?;
                let out = bench.cycle(warps(&[(0, Wait::Others)]))?;
                expect(out.left[0] && !out.allowed[0], "memory is waited for outside")
            },
        },
        Scenario {
            name: "the_one_pending_for_longest_enters",
            rule:
                "our decision: the oldest pending warp takes a free place, of those that are ready or of all",
            play: |bench| {
                if bench.parameters.active_warps != 1 {
                    return Ok(());
                }
                let others = [(1, Wait::Others), (2, Wait::Others)];
                bench.cycle(warps(&[&[(0, Wait::Ready)][..], &others].concat()))?;
                let out = bench.cycle(warps(&[(0, Wait::Others), (1, Wait::Others), (2, Wait::Ready)]))?;
                let expected = if is_any(bench) { 1 } else { 2 };
                expect_eq!(chosen(&out.entered), [expected], format!("warp {expected} enters"))?;
                let out = bench.cycle(warps(&[(0, Wait::Ready), (1, Wait::Others), (2, Wait::Ready)]))?;
                let expected = if is_any(bench) { vec![2] } else { vec![] };
                expect_eq!(chosen(&out.entered), expected, format!("{expected:?} enters"))
            },
        },
        Scenario {
            name: "the_end_of_a_strand_makes_pending",
            rule: "software RFC in F VI-A: a strand's end makes a warp pending, ready or not",
            play: |bench| {
                let inputs = all(bench, Wait::Ready);
                bench.cycle(inputs)?;
                let mut inputs = all(bench, Wait::Ready);
                inputs.ends_strand[0] = true;
                let out = bench.cycle(inputs)?;
                expect(out.left[0] && !out.allowed[0], "warp 0 may not issue")?;
                let has_others = places(bench) < bench.parameters.warps;
                let expected = if has_others { places(bench) } else { 0 };
                expect_eq!(chosen(&out.entered), [expected], format!("warp {expected} takes its place"))
            },
        },
        Scenario {
            name: "who_retires_makes_room",
            rule: "our decision: a warp that retires is the last of the pending ones",
            play: |bench| {
                let inputs = all(bench, Wait::Ready);
                bench.cycle(inputs)?;
                let mut inputs = all(bench, Wait::Ready);
                inputs.retire[0] = true;
                let out = bench.cycle(inputs)?;
                expect(
                    out.allowed[0] && !out.left[0],
                    "it is active to the end of the cycle, and flushes nothing",
                )?;
                let inputs = all(bench, Wait::Ready);
                let out = bench.cycle(inputs)?;
                let has_others = places(bench) < bench.parameters.warps;
                let expected = if has_others { places(bench) } else { 0 };
                expect(!out.allowed[0], "it is not active")?;
                expect_eq!(chosen(&out.entered), [expected], format!("warp {expected} takes its place"))
            },
        },
    ]
}
