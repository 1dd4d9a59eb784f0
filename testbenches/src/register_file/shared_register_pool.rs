// SPDX-License-Identifier: Apache-2.0
//! Testbench of the shared register pool.

use gpurf_blocks::ports::{SharedRegisterPoolIn, SharedRegisterPoolOut};
use gpurf_blocks::{Parameters, MAX_WARPS, POOL_SECTIONS};
use gpurf_hw::register_file::SharedRegisterPool;

use crate::{expect, expect_eq, register, Engine, Random, Scenario, Stimulus, Testbench};

impl Testbench for SharedRegisterPool {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::register_file::SharedRegisterPool::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(SharedRegisterPoolStimulus {
            sections: 4,
            slots: vec![Slot::Content; parameters.warps],
            away: vec![],
            wants: 30,
            returns: 30,
            moves: 5,
        })
    }

    fn protocol(parameters: &Parameters) -> Vec<String> {
        let mut rules = vec![format!("sections <= {POOL_SECTIONS}")];
        for warp in 0..parameters.warps {
            rules.push(format!("!(acquire[{warp}] | come[{warp}]) | !holds[{warp}] | give_back[{warp}]"));
            rules.push(format!("acquire[{warp}] + leave[{warp}] + come[{warp}] <= 1"));
            rules.push(format!("!(give_back[{warp}] | leave[{warp}]) | holds[{warp}]"));
            rules.push(format!("!(give_back[{warp}] & leave[{warp}])"));
            // The flag of the section with which it comes is set: a warp has left with it.
            rules.push(format!("!come[{warp}] | taken[come_section[{warp}*6 +: 6]]"));
        }
        rules
    }

    fn scenarios() -> Vec<Scenario<Self::In, Self::Out>> {
        scenarios()
    }
}

register!(SharedRegisterPool);

/// The situation of a slot's warp.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Slot {
    /// It needs no section and has none.
    Content,
    Waits,
    Holds(u32),
}

/// Warps that want a section, give it back, or leave with it and come back elsewhere; the account of who has
/// which section is the check.
struct SharedRegisterPoolStimulus {
    sections: u32,
    slots: Vec<Slot>,
    /// Sections of warps that have left.
    away: Vec<u32>,
    /// Chances that a warp wants a section, gives it back, or leaves or comes, in percent.
    wants: usize,
    returns: usize,
    moves: usize,
}

impl SharedRegisterPoolStimulus {
    /// Sections that warps have.
    fn taken(&self) -> Vec<u32> {
        let held = self.slots.iter().filter_map(|slot| match slot {
            Slot::Holds(section) => Some(*section),
            _ => None,
        });
        held.chain(self.away.iter().copied()).collect()
    }
}

impl Stimulus<SharedRegisterPoolIn, SharedRegisterPoolOut> for SharedRegisterPoolStimulus {
    fn next(&mut self, random: &mut Random) -> SharedRegisterPoolIn {
        if random.percent(3) {
            (self.wants, self.returns) = random.pick(&[(5, 60), (30, 30), (90, 3), (90, 90)]);
            self.moves = random.pick(&[0, 5, 40]);
        }
        // A kernel's pool grows; the next kernel has another one.
        if random.percent(2) {
            self.sections = (self.sections + 1).min(POOL_SECTIONS as u32);
        } else if random.percent(5) && self.taken().is_empty() {
            self.sections = random.pick(&[0, 1, 2, 4, 31, 32, 33, 63, 64]);
        }
        let mut inputs = SharedRegisterPoolIn { sections: self.sections, ..Default::default() };
        let mut coming = self.away.clone();
        for (warp, slot) in self.slots.iter_mut().enumerate() {
            // Whoever gives a section back may be followed by another warp.
            if matches!(slot, Slot::Holds(_)) && random.percent(self.returns) {
                inputs.give_back[warp] = true;
                inputs.acquire[warp] = random.percent(30);
                if !inputs.acquire[warp] && !coming.is_empty() && random.percent(self.moves) {
                    let section = coming.swap_remove(random.below(coming.len()));
                    (inputs.come[warp], inputs.come_section[warp]) = (true, section);
                }
                continue;
            }
            match *slot {
                Slot::Content if !coming.is_empty() && random.percent(self.moves) => {
                    let section = coming.swap_remove(random.below(coming.len()));
                    (inputs.come[warp], inputs.come_section[warp]) = (true, section);
                }
                Slot::Content if random.percent(self.wants) => *slot = Slot::Waits,
                Slot::Holds(_) if random.percent(self.moves) => inputs.leave[warp] = true,
                // The block of a warp that waits is switched, or its kernel cut short.
                Slot::Waits if random.percent(self.moves / 4) => *slot = Slot::Content,
                _ => {}
            }
            inputs.acquire[warp] = *slot == Slot::Waits;
        }
        inputs
    }

    fn observe(
        &mut self,
        inputs: &SharedRegisterPoolIn,
        outputs: &SharedRegisterPoolOut,
    ) -> Result<(), String> {
        let taken = self.taken();
        let mut free: Vec<u32> = (0..inputs.sections).filter(|section| !taken.contains(section)).collect();
        if outputs.any_free == free.is_empty() {
            return Err(format!("{free:?} are free, not {}", outputs.any_free));
        }
        for (warp, slot) in self.slots.iter_mut().enumerate() {
            let shown = outputs.holds[warp].then_some(outputs.section[warp]);
            match *slot {
                Slot::Holds(section) if shown != Some(section) => {
                    return Err(format!("warp {warp} has {section}, not {shown:?}"));
                }
                Slot::Content | Slot::Waits if shown.is_some() => {
                    return Err(format!("warp {warp} has no section, not {shown:?}"));
                }
                Slot::Holds(section) if inputs.leave[warp] => {
                    self.away.push(section);
                    *slot = Slot::Content;
                }
                Slot::Holds(section) if inputs.give_back[warp] => {
                    if section < inputs.sections {
                        free.push(section);
                    }
                    *slot = if inputs.acquire[warp] { Slot::Waits } else { Slot::Content };
                }
                _ => {}
            }
        }
        free.sort();
        let mut free = free.into_iter();
        for (warp, slot) in self.slots.iter_mut().enumerate() {
            let granted = outputs.granted[warp].then_some(outputs.given[warp]);
            let expected = (*slot == Slot::Waits).then(|| free.next()).flatten();
            if granted != expected {
                return Err(format!("warp {warp} takes {granted:?} instead of {expected:?}"));
            }
            if let Some(section) = granted {
                *slot = Slot::Holds(section);
            }
            if inputs.come[warp] {
                self.away.retain(|&section| section != inputs.come_section[warp]);
                *slot = Slot::Holds(inputs.come_section[warp]);
            }
        }
        Ok(())
    }
}

/// Inputs with a pool of so many sections, where some warps take one.
fn acquire(sections: u32, warps: &[usize]) -> SharedRegisterPoolIn {
    let mut inputs = SharedRegisterPoolIn { sections, ..Default::default() };
    warps.iter().for_each(|&warp| inputs.acquire[warp] = true);
    inputs
}

fn granted(outputs: &SharedRegisterPoolOut) -> Vec<(usize, u32)> {
    (0..MAX_WARPS).filter(|&warp| outputs.granted[warp]).map(|warp| (warp, outputs.given[warp])).collect()
}

fn scenarios() -> Vec<Scenario<SharedRegisterPoolIn, SharedRegisterPoolOut>> {
    vec![
        Scenario {
            name: "a_warp_waits_until_a_section_is_free",
            rule: "R I: if there is not enough SRP, CTAs demanding additional registers must stall",
            play: |bench| {
                let out = bench.cycle(acquire(1, &[2]))?;
                expect_eq!(granted(&out), [(2, 0)], "warp 2 takes the only section")?;
                let out = bench.cycle(acquire(1, &[5]))?;
                expect(granted(&out).is_empty() && !out.any_free, "warp 5 waits")?;
                expect(out.holds[2] && out.section[2] == 0, "warp 2 has it")?;
                let mut inputs = acquire(1, &[5]);
                inputs.give_back[2] = true;
                let out = bench.cycle(inputs)?;
                expect_eq!(granted(&out), [(5, 0)], "it goes from hand to hand")?;
                let out = bench.cycle(acquire(1, &[]))?;
                expect(!out.holds[2] && out.holds[5], "warp 5 has it")
            },
        },
        Scenario {
            name: "the_lower_number_goes_first",
            rule: "our decision: of warps that ask in one cycle",
            play: |bench| {
                let out = bench.cycle(acquire(2, &[1, 4, 6]))?;
                expect_eq!(granted(&out), [(1, 0), (4, 1)], "two have one, in their order")?;
                let mut inputs = acquire(2, &[3, 6]);
                inputs.give_back[4] = true;
                let out = bench.cycle(inputs)?;
                expect_eq!(granted(&out), [(3, 1)], "a lower number that comes later goes first still")
            },
        },
        Scenario {
            name: "every_section_is_given_once",
            rule: "our decision: as many sections as the kernel's pool has, of 64 at most",
            play: |bench| {
                let warps = bench.parameters.warps;
                let everyone: Vec<usize> = (0..warps).collect();
                for begin in (0..POOL_SECTIONS).step_by(warps) {
                    let out = bench.cycle(acquire(POOL_SECTIONS as u32, &everyone))?;
                    let expected: Vec<_> = (0..warps).map(|warp| (warp, (begin + warp) as u32)).collect();
                    expect_eq!(granted(&out), expected, "all take one")?;
                    let mut inputs = acquire(POOL_SECTIONS as u32, &[]);
                    everyone.iter().for_each(|&warp| inputs.leave[warp] = true);
                    bench.cycle(inputs)?;
                }
                let out = bench.cycle(acquire(POOL_SECTIONS as u32, &everyone))?;
                expect(granted(&out).is_empty() && !out.any_free, "none is left")
            },
        },
        Scenario {
            name: "a_section_stays_with_a_warp_that_leaves_its_slot",
            rule: "R VI-C: the registers of a pending CTA stay where they are",
            play: |bench| {
                bench.cycle(acquire(2, &[0, 1]))?;
                let mut inputs = acquire(2, &[]);
                inputs.leave[1] = true;
                bench.cycle(inputs)?;
                let out = bench.cycle(acquire(2, &[1]))?;
                expect(granted(&out).is_empty() && !out.holds[1], "section 1 is taken still")?;
                let mut inputs = acquire(2, &[]);
                (inputs.come[7], inputs.come_section[7]) = (true, 1);
                bench.cycle(inputs)?;
                let mut inputs = acquire(2, &[2]);
                inputs.give_back[7] = true;
                let out = bench.cycle(inputs)?;
                expect(out.holds[7] && out.section[7] == 1, "it is with the warp in slot 7")?;
                expect_eq!(granted(&out), [(2, 1)], "and comes back from there")
            },
        },
        Scenario {
            name: "a_pool_grows",
            rule: "our decision: where nothing else can move, one warp gets registers beyond the pool",
            play: |bench| {
                let out = bench.cycle(acquire(0, &[3]))?;
                expect(granted(&out).is_empty() && !out.any_free, "an empty pool has none")?;
                for sections in 1..=POOL_SECTIONS as u32 {
                    let out = bench.cycle(acquire(sections, &[3]))?;
                    expect_eq!(granted(&out), [(3, sections - 1)], "the new one")?;
                    let mut inputs = acquire(sections, &[]);
                    inputs.leave[3] = true;
                    bench.cycle(inputs)?;
                }
                Ok(())
            },
        },
    ]
}
