// SPDX-License-Identifier: Apache-2.0
//! Testbench of Virtual Thread's context mover.

use gpurf_blocks::ports::{ContextMoverIn, ContextMoverOut};
use gpurf_blocks::Parameters;
use gpurf_hw::finereg::ContextMover;

use crate::{expect, expect_eq, register, Engine, Random, Scenario, Stimulus, Testbench};

impl Testbench for ContextMover {
    fn model(_: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::finereg::ContextMover::default())
    }

    fn stimulus(_: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(ContextMoverStimulus::default())
    }

    fn protocol(_: &Parameters) -> Vec<String> {
        vec!["word <= last_word".into()]
    }

    fn scenarios() -> Vec<Scenario<Self::In, Self::Out>> {
        scenarios()
    }
}

register!(ContextMover);

/// A word that moves: whether it is stored, its CTA, its warp, and its number.
type Word = (bool, u32, u32, u32);

/// Switches of CTAs with any warps, some of them given up; the list of words that are to move, the next one
/// last, is the check.
#[derive(Default)]
struct ContextMoverStimulus {
    last_word: u32,
    words: Vec<Word>,
}

/// The words of a switch, the first one last.
fn words(inputs: &ContextMoverIn) -> Vec<Word> {
    let of = |store: bool, cta: u32, warps: u32| {
        let warps = (0..32).filter(move |warp| warps >> warp & 1 == 1);
        warps.flat_map(move |warp| (0..=inputs.last_word).map(move |word| (store, cta, warp, word)))
    };
    let leave = of(true, inputs.outgoing, inputs.leaving);
    let mut all: Vec<Word> = leave.chain(of(false, inputs.incoming, inputs.coming)).collect();
    all.reverse();
    all
}

impl Stimulus<ContextMoverIn, ContextMoverOut> for ContextMoverStimulus {
    fn next(&mut self, random: &mut Random) -> ContextMoverIn {
        let warps = |random: &mut Random| random.pick(&[0, 1, 0x8000_0000, 0xff, u32::MAX]) & random.word();
        let start = random.percent(if self.words.is_empty() { 40 } else { 1 });
        let inputs = ContextMoverIn {
            start,
            outgoing: random.below(128) as u32,
            leaving: warps(random),
            incoming: random.below(128) as u32,
            coming: warps(random),
            last_word: self.last_word,
        };
        if self.words.is_empty() {
            self.last_word = random.pick(&[0, 0, 1, 2, 7]);
        }
        ContextMoverIn { last_word: if start { self.last_word } else { inputs.last_word }, ..inputs }
    }

    fn observe(&mut self, inputs: &ContextMoverIn, outputs: &ContextMoverOut) -> Result<(), String> {
        let expected = self.words.pop();
        let ContextMoverOut { access, store, cta, warp, word, done } = *outputs;
        let shown = access.then_some((store, cta, warp, word));
        if shown != expected || done != self.words.is_empty() {
            return Err(format!("{shown:?} moves instead of {expected:?}, {} are left", self.words.len()));
        }
        if inputs.start {
            self.words = words(inputs);
        }
        Ok(())
    }
}

/// CTA 5 with these warps leaves, and CTA 9 with those comes; so many words each.
fn switch(leaving: u32, coming: u32, words: u32) -> ContextMoverIn {
    let last_word = words - 1;
    ContextMoverIn { start: true, outgoing: 5, leaving, incoming: 9, coming, last_word }
}

fn scenarios() -> Vec<Scenario<ContextMoverIn, ContextMoverOut>> {
    vec![
        Scenario {
            name: "contexts_leave_and_then_others_come",
            rule: "R IV-B: the context of the stalled CTA goes to shared memory, and that of another comes",
            play: |bench| {
                let inputs = switch(0b1001, 0b10, 1);
                let out = bench.cycle(inputs)?;
                expect(out.done && !out.access, "nothing moves yet")?;
                let rest = ContextMoverIn { start: false, ..inputs };
                for (store, cta, warp) in [(true, 5, 0), (true, 5, 3), (false, 9, 1)] {
                    let out = bench.cycle(rest)?;
                    expect(out.access && out.store == store, "a word moves")?;
                    expect_eq!((out.cta, out.warp), (cta, warp), "whose word")?;
                    expect_eq!(out.done, warp == 1, "the last one")?;
                }
                let out = bench.cycle(rest)?;
                expect(out.done && !out.access, "all have moved")
            },
        },
        Scenario {
            name: "a_context_has_as_many_words_as_it_takes",
            rule: "our decision: a word is one access of shared memory",
            play: |bench| {
                let inputs = switch(0x8000_0000, 0, 300);
                bench.cycle(inputs)?;
                for word in 0..300 {
                    let out = bench.cycle(ContextMoverIn { start: false, ..inputs })?;
                    expect(out.access && out.warp == 31, "warp 31 moves")?;
                    expect_eq!(out.word, word, "its words in their order")?;
                    expect_eq!(out.done, word == 299, "the last one")?;
                }
                Ok(())
            },
        },
        Scenario {
            name: "a_switch_that_is_given_up_moves_no_more",
            rule: "R V-E: if the PCRF has no room the CTA stays",
            play: |bench| {
                bench.cycle(switch(u32::MAX, u32::MAX, 4))?;
                bench.cycle(ContextMoverIn { last_word: 3, ..ContextMoverIn::default() })?;
                bench.cycle(ContextMoverIn { last_word: 3, ..switch(0, 0, 4) })?;
                let out = bench.cycle(ContextMoverIn { last_word: 3, ..ContextMoverIn::default() })?;
                expect(out.done && !out.access, "nothing moves")
            },
        },
    ]
}
