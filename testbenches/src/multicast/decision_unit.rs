// SPDX-License-Identifier: Apache-2.0
//! Testbench of the decision unit.

use gpurf_blocks::ports::{DecisionUnitIn, DecisionUnitOut};
use gpurf_blocks::Parameters;
use gpurf_hw::multicast::DecisionUnit;

use crate::{expect, expect_eq, register, Engine, Random, Scenario, Stimulus, Testbench};

impl<const V: usize, const A: usize> Testbench for DecisionUnit<V, A> {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::multicast::DecisionUnit::new(parameters))
    }

    fn stimulus(_: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(DecisionUnitStimulus)
    }

    fn protocol(_: &Parameters) -> Vec<String> {
        // A search has not ended as long as entries leave for it.
        vec!["!(evict & done)".into()]
    }

    fn scenarios() -> Vec<Scenario<Self::In, Self::Out>> {
        vec![
            Scenario {
                name: "a_partner_makes_a_multicast",
                rule: "I Fig. 8c, case 1: one access for both warps, the partner's first",
                play: |bench| {
                    let inputs = DecisionUnitIn { matched: true, matched_warp: 3, ..ended() };
                    let out = bench.cycle(inputs)?;
                    expect(out.offer && !out.insert && !out.pop, "offered, and not done before it is taken")?;
                    let warps = (out.offer_first_warp, out.offer_second_valid, out.offer_second_warp);
                    expect_eq!(warps, (3, true, 5), "the partner first")?;
                    let out = bench.cycle(DecisionUnitIn { accepted: true, ..inputs })?;
                    expect(out.multicast && out.pop, "taken")
                },
            },
            Scenario {
                name: "without_a_partner_it_waits_in_the_table",
                rule: "I Fig. 8c, case 2: the load becomes an entry",
                play: |bench| {
                    let out = bench.cycle(ended())?;
                    expect(out.insert && out.pop && !out.offer, "an entry")?;
                    let out = bench.cycle(DecisionUnitIn { full: true, accepted: true, ..ended() })?;
                    expect(!out.insert && out.rejected && !out.offer_second_valid, "a plain load if full")
                },
            },
            Scenario {
                name: "a_release_ends_in_nothing",
                rule: "I 3.2: a barrier releases the warp's loads from the table, and is no load itself",
                play: |bench| {
                    let out = bench.cycle(DecisionUnitIn { head_release: true, ..ended() })?;
                    expect(out.pop && !out.insert && !out.offer, "it is done")?;
                    let evict = DecisionUnitIn {
                        evict: true,
                        head_release: true,
                        accepted: true,
                        ..Default::default()
                    };
                    let out = bench.cycle(evict)?;
                    expect(out.released_barrier && !out.pop, "what leaves for it is counted")
                },
            },
        ]
    }
}

register!(DecisionUnit<V, A>);

/// The search of warp 5's load has ended.
fn ended() -> DecisionUnitIn {
    DecisionUnitIn { done: true, head_warp: 5, ..Default::default() }
}

/// An entry leaves, or a search has ended, or neither; all else is as it may.
struct DecisionUnitStimulus;

impl Stimulus<DecisionUnitIn, DecisionUnitOut> for DecisionUnitStimulus {
    fn next(&mut self, random: &mut Random) -> DecisionUnitIn {
        let (evict, done) = random.pick(&[(true, false), (false, true), (false, true), (false, false)]);
        DecisionUnitIn {
            head_release: random.percent(20),
            head_warp: random.below(64) as u32,
            head_address: random.below(1 << 16) as u32,
            head_source: random.below(256) as u32,
            head_destination: random.below(256) as u32,
            evict,
            evict_aged: random.percent(50),
            evict_warp: random.below(64) as u32,
            evict_address: random.below(1 << 16) as u32,
            evict_source: random.below(256) as u32,
            evict_destination: random.below(256) as u32,
            done,
            matched: random.percent(50),
            matched_warp: random.below(64) as u32,
            full: random.percent(50),
            accepted: random.percent(50),
        }
    }
}
