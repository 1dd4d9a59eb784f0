// SPDX-License-Identifier: Apache-2.0
//! Testbench of the collector allocator.

use gpurf_blocks::ports::{CollectorAllocatorIn, CollectorAllocatorOut};
use gpurf_blocks::{Allocation, Choice, Parameters, Waiting, MAX_COLLECTORS, MAX_WARPS};
use gpurf_hw::issue::CollectorAllocator;

use crate::{expect, expect_eq, register, Drive, Engine, Random, Scenario, Stimulus, Testbench};

impl<const C: usize> Testbench for CollectorAllocator<C> {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::issue::CollectorAllocator::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        let (collectors, allocation) = (parameters.collectors, parameters.allocation);
        Box::new(CollectorAllocatorStimulus::new(collectors, allocation))
    }

    fn scenarios() -> Vec<Scenario<Self::In, Self::Out>> {
        scenarios()
    }
}

register!(CollectorAllocator<C>);

/// Requests of any warp. Collectors are mostly free or mostly occupied, mostly near or mostly far, for some
/// fifty cycles each, so that long waits end. No warp owns two collectors.
struct CollectorAllocatorStimulus {
    collectors: usize,
    allocation: Allocation,
    occupied: usize,
    near: usize,
    sthld: u32,
    /// Cycles that a request waited since a near collector was given up.
    waited: usize,
    /// Grants so far, and how many there had been when each collector was granted last.
    grants: usize,
    granted: [usize; MAX_COLLECTORS],
}

impl CollectorAllocatorStimulus {
    fn new(collectors: usize, allocation: Allocation) -> Self {
        let (grants, granted) = (0, [0; MAX_COLLECTORS]);
        CollectorAllocatorStimulus {
            collectors,
            allocation,
            occupied: 0,
            near: 0,
            sthld: 0,
            waited: 0,
            grants,
            granted,
        }
    }

    /// The only collector that the warp may get, if there is one.
    fn own(&self, inputs: &CollectorAllocatorIn) -> Option<usize> {
        match self.allocation {
            Allocation::AnyFree => None,
            Allocation::Private => Some(inputs.warp as usize),
            Allocation::OwnElseAnyFree | Allocation::OwnElseLru | Allocation::Malekeh => {
                (0..self.collectors).find(|&c| inputs.owned[c] && inputs.held_warp[c] == inputs.warp)
            }
        }
    }

    fn check(&mut self, inputs: &CollectorAllocatorIn, outputs: &CollectorAllocatorOut) -> Option<String> {
        let granted: Vec<usize> = (0..MAX_COLLECTORS).filter(|&c| outputs.grant[c]).collect();
        if granted.len() != usize::from(outputs.granted) {
            return Some(format!("granted {granted:?}, reported {}", outputs.granted));
        }
        let own = self.own(inputs);
        if let Some(&collector) = granted.first() {
            if !inputs.request || collector >= self.collectors || inputs.occupied[collector] {
                return Some(format!("collector {collector} cannot be granted"));
            }
            if own.is_some_and(|own| own != collector) {
                return Some(format!("the warp must get {own:?} and gets {collector}"));
            }
            if own != Some(collector) && inputs.near[collector] {
                self.waited = 0;
            }
            let free = (0..self.collectors).filter(|&other| !inputs.occupied[other]);
            let oldest = free.min_by_key(|&other| self.granted[other]);
            if self.allocation == Allocation::OwnElseLru && own.is_none() && oldest != Some(collector) {
                return Some(format!("{oldest:?} was granted before collector {collector}"));
            }
            self.grants += 1;
            self.granted[collector] = self.grants;
        }
        self.waited += usize::from(outputs.waiting);
        // The greatest STHLD, and one more where the threshold itself is waited for.
        (self.waited > 32).then(|| "a wait without end".to_string())
    }
}

impl Stimulus<CollectorAllocatorIn, CollectorAllocatorOut> for CollectorAllocatorStimulus {
    fn next(&mut self, random: &mut Random) -> CollectorAllocatorIn {
        if random.percent(2) {
            self.occupied = random.pick(&[0, 30, 70]);
            self.near = random.pick(&[0, 50, 100]);
            let any = random.below(32) as u32;
            self.sthld = random.pick(&[0, 1, 2, 5, 31, any]);
        }
        // A private collector belongs to the warp of its number.
        let private = self.allocation == Allocation::Private;
        let warps = if private { self.collectors } else { MAX_WARPS };
        let mut inputs = CollectorAllocatorIn {
            request: random.percent(80),
            warp: random.below(warps) as u32,
            sthld: self.sthld,
            ..Default::default()
        };
        let owners = if private { (0..warps).collect() } else { random.shuffled(warps) };
        for collector in 0..self.collectors {
            inputs.occupied[collector] = random.percent(self.occupied);
            inputs.owned[collector] = random.percent(80);
            inputs.held_warp[collector] = owners[collector] as u32;
            inputs.near[collector] = random.percent(self.near);
        }
        inputs
    }

    fn observe(
        &mut self,
        inputs: &CollectorAllocatorIn,
        outputs: &CollectorAllocatorOut,
    ) -> Result<(), String> {
        self.check(inputs, outputs).map_or(Ok(()), Err)
    }
}

type Bench<'a> = Drive<'a, CollectorAllocatorIn, CollectorAllocatorOut>;

/// Warp 7, which has data nowhere, could issue; all collectors are free and empty.
fn request() -> CollectorAllocatorIn {
    CollectorAllocatorIn { request: true, warp: 7, ..Default::default() }
}

/// The same, and every collector holds a near value: of the warp of its number, except collector 7.
fn all_near(bench: &Bench, sthld: u32) -> CollectorAllocatorIn {
    let mut inputs = CollectorAllocatorIn { sthld, ..request() };
    for collector in 0..bench.parameters.collectors {
        inputs.owned[collector] = collector != 7;
        inputs.held_warp[collector] = collector as u32;
        inputs.near[collector] = true;
    }
    inputs
}

fn granted(out: &CollectorAllocatorOut) -> Option<usize> {
    out.grant.iter().position(|&grant| grant)
}

/// Cycles that the request waits until it gets a collector.
fn waits(bench: &mut Bench, inputs: CollectorAllocatorIn) -> Result<u32, String> {
    for waited in 0..40 {
        let out = bench.cycle(inputs)?;
        if out.granted {
            return Ok(waited);
        }
        expect(out.waiting, "a request with a free collector waits if it gets none")?;
    }
    Err("the wait has no end".into())
}

/// The cycles that a threshold makes a request wait.
fn threshold(bench: &Bench, sthld: u32) -> u32 {
    match bench.parameters.waiting {
        Waiting::Below => sthld,
        Waiting::UpTo => sthld + 1,
    }
}

fn is(bench: &Bench, allocation: Allocation) -> bool {
    bench.parameters.allocation == allocation
}

fn scenarios() -> Vec<Scenario<CollectorAllocatorIn, CollectorAllocatorOut>> {
    vec![
        Scenario {
            name: "own_collector_if_free",
            rule: "F IV-B2: allocates the same CCU to a warp that has data in a CCU if the CCU is free",
            play: |bench| {
                for own in 0..bench.parameters.collectors.min(7) {
                    let mut inputs = all_near(bench, 9);
                    inputs.warp = own as u32;
                    let out = bench.cycle(inputs)?;
                    let kept = granted(&out) == Some(own) || is(bench, Allocation::AnyFree);
                    expect(kept && out.granted, format!("warp {} gets collector {own}", inputs.warp))?;
                }
                Ok(())
            },
        },
        Scenario {
            name: "no_other_if_own_is_occupied",
            rule: "F IV-B2: if the CCU is already occupied, no other CCU will be allocated",
            play: |bench| {
                let mut inputs = CollectorAllocatorIn { sthld: 9, warp: 0, ..request() };
                (inputs.owned[0], inputs.occupied[0]) = (true, true);
                let out = bench.cycle(inputs)?;
                expect(!out.waiting, "this is no wait for STHLD")?;
                let others = bench.parameters.collectors > 1;
                expect_eq!(out.granted, (others && is(bench, Allocation::AnyFree)), "only its own will do")
            },
        },
        Scenario {
            name: "nothing_if_all_are_occupied",
            rule: "F IV-B2: if all CCUs are occupied, no allocation is made",
            play: |bench| {
                let mut inputs = all_near(bench, 3);
                inputs.occupied = [true; 8];
                for _ in 0..10 {
                    let out = bench.cycle(inputs)?;
                    expect(!out.granted && !out.waiting, "neither allocated nor waited for")?;
                }
                let waited = waits(bench, all_near(bench, 3))?;
                let expected = if is(bench, Allocation::Malekeh) { threshold(bench, 3) } else { 0 };
                expect_eq!(waited, expected, format!("and the counter has not moved: {waited} cycles"))
            },
        },
        Scenario {
            name: "far_collector_first",
            rule: "F IV-B2: randomly selects a free CCU that contains only values having far reuse, if any exists",
            play: |bench| {
                if is(bench, Allocation::Private) {
                    return Ok(());
                }
                for turn in 0..32 {
                    let far = turn % bench.parameters.collectors;
                    let mut inputs = all_near(bench, 0);
                    inputs.near[far] = false;
                    let out = bench.cycle(inputs)?;
                    let chosen = granted(&out) == Some(far) || !is(bench, Allocation::Malekeh);
                    expect(chosen && out.granted, format!("collector {far} is the far one"))?;
                }
                Ok(())
            },
        },
        Scenario {
            name: "waits_for_the_threshold",
            rule: "F IV-B2: if the counter is lower than STHLD, no CCU is allocated and the counter is increased",
            play: |bench| {
                for sthld in [0, 1, 2, 5, 31, 3, 3] {
                    let waited = waits(bench, all_near(bench, sthld))?;
                    let expected = if is(bench, Allocation::Malekeh) { threshold(bench, sthld) } else { 0 };
                    expect_eq!(waited, expected, format!("STHLD {sthld}: waits {waited}, not {expected}"))?;
                }
                Ok(())
            },
        },
        Scenario {
            name: "other_allocations_leave_the_counter",
            rule: "our reading of F Fig. 6: only a wait and the end of one move the counter",
            play: |bench| {
                if !is(bench, Allocation::Malekeh) {
                    return Ok(());
                }
                for _ in 0..2 {
                    expect(bench.cycle(all_near(bench, 5))?.waiting, "waits")?;
                }
                expect(bench.cycle(request())?.granted, "a far collector")?;
                let mut own = all_near(bench, 5);
                own.warp = 0;
                expect(bench.cycle(own)?.granted, "the warp's own collector")?;
                bench.cycle(CollectorAllocatorIn { request: false, ..all_near(bench, 5) })?;
                let waited = waits(bench, all_near(bench, 5))?;
                let rest = threshold(bench, 5) - 2;
                expect_eq!(waited, rest, format!("the wait goes on where it was: {waited}, not {rest}"))
            },
        },
        Scenario {
            name: "a_lower_threshold_ends_the_wait",
            rule: "F IV-B3: STHLD may change at the end of an interval",
            play: |bench| {
                if !is(bench, Allocation::Malekeh) {
                    return Ok(());
                }
                for _ in 0..6 {
                    expect(bench.cycle(all_near(bench, 20))?.waiting, "waits")?;
                }
                expect_eq!(waits(bench, all_near(bench, 2))?, 0, "it has waited for long enough")?;
                let waited = waits(bench, all_near(bench, 2))?;
                expect_eq!(waited, threshold(bench, 2), "and the counter starts again")
            },
        },
        Scenario {
            name: "every_free_collector_is_chosen",
            rule: "F II: a free OCU will randomly be selected",
            play: |bench| {
                let has_order = is(bench, Allocation::Private) || is(bench, Allocation::OwnElseLru);
                if has_order || bench.parameters.choice == Choice::Fixed {
                    return Ok(());
                }
                let collectors = bench.parameters.collectors;
                let mut chosen = [0; 8];
                for _ in 0..255 {
                    let out = bench.cycle(request())?;
                    granted(&out).into_iter().for_each(|collector| chosen[collector] += 1);
                }
                let fair = 255 / collectors;
                let even = chosen[..collectors].iter().all(|&count| count + 1 >= fair && count <= fair + 1);
                expect(even, format!("about {fair} times each, not {chosen:?}"))
            },
        },
        Scenario {
            name: "least_recently_used_free_collector",
            rule: "our reading of the code of F's first author: else the free collector that was taken the longest time ago",
            play: |bench| {
                if !is(bench, Allocation::OwnElseLru) {
                    return Ok(());
                }
                let collectors = bench.parameters.collectors;
                for turn in 0..2 * collectors {
                    let out = bench.cycle(request())?;
                    expect_eq!(granted(&out), Some(turn % collectors), "they go around from the first one on")?;
                }
                // The one that would be next is taken for its own warp, and comes last then.
                let mut own = request();
                (own.owned[0], own.held_warp[0]) = (true, 7);
                expect_eq!(granted(&bench.cycle(own)?), Some(0), "a warp gets its own")?;
                for collector in (1..collectors).chain([0]) {
                    let out = bench.cycle(request())?;
                    expect_eq!(granted(&out), Some(collector), "which counts as a use")?;
                }
                // One that is occupied is passed over, and stays the first.
                if collectors > 1 {
                    let mut inputs = request();
                    inputs.occupied[1] = true;
                    let next = if collectors > 2 { 2 } else { 0 };
                    expect_eq!(granted(&bench.cycle(inputs)?), Some(next), "collector 1 is occupied")?;
                    expect_eq!(granted(&bench.cycle(request())?), Some(1), "and free again")?;
                }
                Ok(())
            },
        },
        Scenario {
            name: "a_collector_per_warp",
            rule: "F VI-B: a private CCU per warp",
            play: |bench| {
                if !is(bench, Allocation::Private) {
                    return Ok(());
                }
                for warp in 0..8 {
                    let mut inputs = CollectorAllocatorIn { warp, ..all_near(bench, 9) };
                    let out = bench.cycle(inputs)?;
                    expect_eq!(granted(&out), Some(warp as usize), format!("warp {warp} gets its own"))?;
                    inputs.occupied[warp as usize] = true;
                    let out = bench.cycle(inputs)?;
                    expect(!out.granted && !out.waiting, "or none")?;
                }
                Ok(())
            },
        },
        Scenario {
            name: "nothing_without_a_request",
            rule: "F IV-B: each scheduler issues an instruction only if there is a ready warp",
            play: |bench| {
                for inputs in [request(), all_near(bench, 0), all_near(bench, 9)] {
                    let out = bench.cycle(CollectorAllocatorIn { request: false, ..inputs })?;
                    expect(!out.granted && !out.waiting && granted(&out).is_none(), "nothing happens")?;
                }
                Ok(())
            },
        },
    ]
}
