// SPDX-License-Identifier: Apache-2.0
//! Testbench of the CTA status monitor.

use bitvec::prelude::*;
use gpurf_blocks::ports::{CtaStatusMonitorIn, CtaStatusMonitorOut};
use gpurf_blocks::{Parameters, Tie, STATUS_UPDATES};
use gpurf_hw::finereg::CtaStatusMonitor;

use crate::{expect, expect_eq, register, Drive, Engine, Random, Scenario, Stimulus, Testbench};

impl Testbench for CtaStatusMonitor {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::finereg::CtaStatusMonitor::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(CtaStatusMonitorStimulus { ctas: parameters.ctas, crowded: false, unlaunched: None })
    }

    fn protocol(_: &Parameters) -> Vec<String> {
        let is_place = |port: &str, update: usize| format!("!(&{port}[{}:{}])", 2 * update + 1, 2 * update);
        let of_update = |update| ["context_location", "register_location"].map(|port| is_place(port, update));
        (0..STATUS_UPDATES).flat_map(of_update).collect()
    }

    fn scenarios() -> Vec<Scenario<Self::In, Self::Out>> {
        scenarios()
    }
}

register!(CtaStatusMonitor);

/// CTAs that move between all locations, with few and with many resumable. In phases all numbers are in use:
/// one that becomes free is launched again.
struct CtaStatusMonitorStimulus {
    ctas: usize,
    /// The lowest free number is taken at once, and few become free.
    crowded: bool,
    unlaunched: Option<u32>,
}

impl Stimulus<CtaStatusMonitorIn, CtaStatusMonitorOut> for CtaStatusMonitorStimulus {
    fn next(&mut self, random: &mut Random) -> CtaStatusMonitorIn {
        let mut inputs = CtaStatusMonitorIn::default();
        if random.below(1000) == 999 {
            self.crowded = !self.crowded;
        }
        let ends = !self.crowded || random.percent(10);
        for update in 0..inputs.update_cta.len() {
            let range = if random.percent(50) { self.ctas } else { 4 };
            inputs.update_cta[update] = random.below(range) as u32;
            inputs.set_context[update] = random.percent(40);
            inputs.set_registers[update] = random.percent(40);
            let mut location = || if ends { random.below(3) as u32 } else { random.pick(&[1, 2]) };
            inputs.context_location[update] = location();
            inputs.register_location[update] = location();
        }
        if let Some(unlaunched) = self.unlaunched.filter(|_| self.crowded) {
            inputs.update_cta[0] = unlaunched;
            (inputs.set_context[0], inputs.set_registers[0]) =
                random.pick(&[(true, true), (true, false), (false, true)]);
        }
        let (sparse, few) = (random.percent(50), random.percent(50));
        for word in &mut inputs.resumable {
            let some =
                random.word() & if sparse { random.word() & random.word() & random.word() } else { !0 };
            *word = if few { 0 } else { some };
        }
        if few {
            let resumable = inputs.resumable.view_bits_mut::<Lsb0>();
            (0..random.pick(&[1, 2])).for_each(|_| resumable.set(random.below(self.ctas), true));
        }
        inputs.select = random.percent(50);
        inputs.inspect = random.below(self.ctas) as u32;
        inputs
    }

    fn observe(&mut self, inputs: &CtaStatusMonitorIn, outputs: &CtaStatusMonitorOut) -> Result<(), String> {
        let cta = outputs.candidate as usize;
        let resumable = inputs.resumable.view_bits::<Lsb0>();
        if outputs.any_candidate && (cta >= self.ctas || !resumable[cta]) {
            return Err(format!("CTA {cta} cannot resume"));
        }
        self.unlaunched = outputs.any_unlaunched.then_some(outputs.unlaunched);
        Ok(())
    }
}

type Bench<'a> = Drive<'a, CtaStatusMonitorIn, CtaStatusMonitorOut>;

/// Gives a CTA both locations.
fn set(bench: &mut Bench, cta: u32, context: u32, registers: u32) -> Result<(), String> {
    let mut inputs = CtaStatusMonitorIn::default();
    inputs.update_cta[0] = cta;
    (inputs.set_context[0], inputs.context_location[0]) = (true, context);
    (inputs.set_registers[0], inputs.register_location[0]) = (true, registers);
    bench.cycle(inputs).map(drop)
}

/// All of them could resume.
fn resumable() -> CtaStatusMonitorIn {
    CtaStatusMonitorIn { resumable: [!0; 4], ..Default::default() }
}

/// Selects, and says which.
fn select(bench: &mut Bench) -> Result<Option<u32>, String> {
    let out = bench.cycle(CtaStatusMonitorIn { select: true, ..resumable() })?;
    Ok(out.any_candidate.then_some(out.candidate))
}

fn scenarios() -> Vec<Scenario<CtaStatusMonitorIn, CtaStatusMonitorOut>> {
    vec![
        Scenario {
            name: "registers_in_the_acrf_first",
            rule: "R V-B: first attempts to select a CTA whose context field is set to 1 and register field is 2",
            play: |bench| {
                let last = bench.parameters.ctas as u32 - 1;
                set(bench, 0, 1, 1)?;
                set(bench, last, 1, 2)?;
                let out = bench.peek(resumable())?;
                expect(out.any_candidate && out.candidate == last && out.candidate_in_acrf, "context 1, register 2")?;
                let mut inputs = resumable();
                inputs.resumable[last as usize / 32] ^= 1 << (last % 32);
                let out = bench.peek(inputs)?;
                expect(out.any_candidate && out.candidate == 0 && !out.candidate_in_acrf, "then both 1")
            },
        },
        Scenario {
            name: "no_other_is_a_candidate",
            rule: "R V-B, Table IV: a CTA is active only if both fields are 2",
            play: |bench| {
                for context in 0..3 {
                    for registers in 0..3 {
                        set(bench, 3, context, registers)?;
                        let out = bench.cycle(CtaStatusMonitorIn { inspect: 3, ..resumable() })?;
                        let pending = context == 1 && registers > 0;
                        expect_eq!(out.any_candidate, pending, format!("{context}, {registers}: a candidate"))?;
                        let shown = (out.inspected_context, out.inspected_registers);
                        expect_eq!(shown, (context, registers), format!("{shown:?} is shown"))?;
                        let active = (context, registers) == (2, 2);
                        expect_eq!(out.inspected_active, active, format!("{shown:?} is active: {active}"))?;
                    }
                }
                Ok(())
            },
        },
        Scenario {
            name: "only_those_that_can_resume",
            rule: "R V-B: FineReg finds if any of the pending CTAs had become ready to resume executions",
            play: |bench| {
                for cta in 0..8 {
                    set(bench, cta, 1, 1)?;
                }
                expect(!bench.peek(CtaStatusMonitorIn::default())?.any_candidate, "none can")?;
                let mut inputs = CtaStatusMonitorIn::default();
                inputs.resumable[0] = 1 << 6;
                expect_eq!(bench.peek(inputs)?.candidate, 6, "CTA 6 can")
            },
        },
        Scenario {
            name: "every_cta_is_found_alone",
            rule: "R V-B, Table IV: one pending CTA is a candidate, whatever its number and where its registers are",
            play: |bench| {
                for cta in 0..bench.parameters.ctas as u32 {
                    for registers in [1, 2] {
                        set(bench, cta, 1, registers)?;
                        let out = bench.peek(resumable())?;
                        let (found, in_acrf) = (out.any_candidate, out.candidate_in_acrf);
                        expect(found && out.candidate == cta, format!("CTA {cta} is found"))?;
                        expect_eq!(in_acrf, registers == 2, format!("CTA {cta}: where its registers are"))?;
                    }
                    set(bench, cta, 2, 2)?;
                }
                Ok(())
            },
        },
        Scenario {
            name: "tie",
            rule: "our decision: the lowest number, or the next after the last one",
            play: |bench| {
                let ctas = bench.parameters.ctas as u32;
                let pending = [2, 5, ctas - 1];
                for cta in pending {
                    set(bench, cta, 1, 1)?;
                }
                let turns = bench.parameters.tie == Tie::RoundRobin;
                for turn in 0..7 {
                    let expected = if turns { pending[turn % 3] } else { 2 };
                    let selected = select(bench)?;
                    expect_eq!(selected, Some(expected), format!("turn {turn}: {selected:?}, not {expected}"))?;
                }
                Ok(())
            },
        },
        Scenario {
            name: "every_cta_has_its_turn",
            rule: "our decision: the lowest number, or the next after the last one",
            play: |bench| {
                let ctas = bench.parameters.ctas as u32;
                let turns = bench.parameters.tie == Tie::RoundRobin;
                for registers in [1, 2] {
                    (0..ctas).try_for_each(|cta| set(bench, cta, 1, registers))?;
                    // Where the turns stand.
                    let first = select(bench)?.ok_or("all of them are candidates")?;
                    for turn in 1..=ctas {
                        let expected = if turns { (first + turn) % ctas } else { 0 };
                        let selected = select(bench)?;
                        expect_eq!(selected, Some(expected), format!("{selected:?} follows, not {expected}"))?;
                    }
                }
                Ok(())
            },
        },
        Scenario {
            name: "two_ctas_switch_in_one_cycle",
            rule: "R V-B: FineReg performs CTA switching, followed by updating the fields",
            play: |bench| {
                set(bench, 1, 2, 2)?;
                set(bench, 2, 1, 1)?;
                let inputs = CtaStatusMonitorIn {
                    update_cta: [1, 2],
                    set_context: [true; 2],
                    context_location: [1, 2],
                    set_registers: [true; 2],
                    register_location: [1, 2],
                    ..Default::default()
                };
                bench.cycle(inputs)?;
                let out = bench.cycle(CtaStatusMonitorIn { inspect: 2, ..resumable() })?;
                expect(out.inspected_active && out.candidate == 1, "they have changed places")?;
                // Both updates name CTA 1: the second counts.
                bench.cycle(CtaStatusMonitorIn { update_cta: [1; 2], context_location: [0, 2], ..inputs })?;
                let out = bench.cycle(CtaStatusMonitorIn { inspect: 1, ..resumable() })?;
                expect(out.inspected_active, "the second update counts")
            },
        },
        Scenario {
            name: "the_lowest_number_not_in_use",
            rule: "R Table IV: 0 stands for a CTA that is not launched",
            play: |bench| {
                let ctas = bench.parameters.ctas as u32;
                // One bit of one field is enough to be in use.
                for (context, registers) in [(2, 2), (2, 0), (1, 0), (0, 2), (0, 1)] {
                    for cta in 0..ctas {
                        let out = bench.peek(resumable())?;
                        expect(out.any_unlaunched && out.unlaunched == cta, format!("CTA {cta} is next"))?;
                        set(bench, cta, context, registers)?;
                    }
                    expect(!bench.peek(resumable())?.any_unlaunched, "none is left")?;
                    set(bench, 9, 0, 0)?;
                    expect_eq!(bench.peek(resumable())?.unlaunched, 9, "one has ended")?;
                    for cta in 0..ctas {
                        set(bench, cta, 0, 0)?;
                    }
                }
                Ok(())
            },
        },
    ]
}
