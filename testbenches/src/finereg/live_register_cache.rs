// SPDX-License-Identifier: Apache-2.0
//! Testbench of the live-register bit-vector cache.

use gpurf_blocks::ports::{LiveRegisterCacheIn, LiveRegisterCacheOut};
use gpurf_blocks::{Parameters, VECTOR_CACHE_ENTRIES};
use gpurf_hw::finereg::LiveRegisterCache;

use super::{OneForEach, Vectors};
use crate::{expect, expect_eq, register, Drive, Engine, Random, Scenario, Stimulus, Testbench};

impl Testbench for LiveRegisterCache {
    fn model(_: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::finereg::LiveRegisterCache::default())
    }

    fn stimulus(_: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(LiveRegisterCacheStimulus::default())
    }

    fn scenarios() -> Vec<Scenario<Self::In, Self::Out>> {
        scenarios()
    }
}

register!(LiveRegisterCache);

/// Two phases by turns. In the first, a PC for each entry comes, in [one of many orders](OneForEach), and
/// memory answers at once: all entries fill, the earlier ones instead of those from before a reset. In the
/// second, many PCs share an entry. Memory has a pace of its own, and also answers what nobody here asked
/// for.
#[derive(Default)]
struct LiveRegisterCacheStimulus {
    vectors: Vectors,
    /// PCs that were asked for.
    asked_for: usize,
    order: Option<OneForEach>,
    /// The PC that was asked for, the one that memory was asked for.
    asked: Option<u32>,
    waiting: Option<u32>,
}

impl Stimulus<LiveRegisterCacheIn, LiveRegisterCacheOut> for LiveRegisterCacheStimulus {
    fn next(&mut self, random: &mut Random) -> LiveRegisterCacheIn {
        let place = self.asked_for % (4 * VECTOR_CACHE_ENTRIES);
        let is_straight = place < VECTOR_CACHE_ENTRIES;
        if !is_straight {
            self.order = None;
        }
        let order = *self.order.get_or_insert_with(|| OneForEach::draw(random));
        let in_turn = order.pc(place);
        let answer = self.waiting.filter(|_| is_straight || !random.percent(70));
        let is_for_others = self.waiting.is_none() && random.percent(10);
        let vector = answer.map_or_else(|| Vectors::dense(random), |pc| self.vectors.of(pc));
        LiveRegisterCacheIn {
            request: is_straight || random.percent(80),
            pc: if is_straight { in_turn } else { Vectors::pc(random) },
            memory_ready: is_straight || !random.percent(50),
            memory_answer: answer.is_some() || is_for_others,
            memory_low: vector as u32,
            memory_high: (vector >> 32) as u32,
        }
    }

    fn observe(
        &mut self,
        inputs: &LiveRegisterCacheIn,
        outputs: &LiveRegisterCacheOut,
    ) -> Result<(), String> {
        if outputs.answer {
            let pc = self.asked.take().ok_or("an answer that nobody asked for")?;
            let vector = u64::from(outputs.high) << 32 | u64::from(outputs.low);
            if vector != self.vectors.of(pc) {
                return Err(format!("PC {pc:#x} has another vector than {vector:#x}"));
            }
        }
        if inputs.memory_answer {
            self.waiting = None;
        }
        if outputs.memory_request && inputs.memory_ready {
            self.waiting = Some(outputs.memory_pc);
        }
        if inputs.request && outputs.ready {
            self.asked = Some(inputs.pc);
            self.asked_for += 1;
        }
        Ok(())
    }
}

type Bench<'a> = Drive<'a, LiveRegisterCacheIn, LiveRegisterCacheOut>;

fn ask(pc: u32) -> LiveRegisterCacheIn {
    LiveRegisterCacheIn { request: true, pc, ..Default::default() }
}

/// Asks for a PC, whose vector is known by its low half: the answer, and whether it missed.
fn look(bench: &mut Bench, pc: u32) -> Result<(u32, bool), String> {
    expect(bench.cycle(ask(pc))?.ready, "it is ready")?;
    let out = bench.cycle(LiveRegisterCacheIn::default())?;
    if out.hit {
        expect(out.answer && !out.miss, "a hit answers in the next cycle")?;
        return Ok((out.low, false));
    }
    expect(out.miss && !out.ready && !out.answer, "a miss answers nothing yet")?;
    for _ in 0..3 {
        let out = bench.cycle(LiveRegisterCacheIn::default())?;
        expect(out.memory_request && out.memory_pc == pc, "memory is asked until it takes the request")?;
    }
    bench.cycle(LiveRegisterCacheIn { memory_ready: true, ..Default::default() })?;
    expect(!bench.cycle(LiveRegisterCacheIn::default())?.memory_request, "once")?;
    let filled = LiveRegisterCacheIn { memory_answer: true, memory_low: pc ^ 0xf0, ..ask(0) };
    let out = bench.cycle(filled)?;
    expect(out.answer && !out.ready, "memory's answer is handed on")?;
    expect_eq!(out.low, pc ^ 0xf0, "it is memory's")?;
    Ok((out.low, true))
}

fn scenarios() -> Vec<Scenario<LiveRegisterCacheIn, LiveRegisterCacheOut>> {
    vec![
        Scenario {
            name: "misses_then_hits",
            rule: "R V-C: if a matching entry is found, the cache transfers the bit vector",
            play: |bench| {
                for pc in [0, 0x10, 0x1230] {
                    expect_eq!(look(bench, pc)?, (pc ^ 0xf0, true), "the first look-up misses")?;
                    expect_eq!(look(bench, pc)?, (pc ^ 0xf0, false), "the second one hits")?;
                }
                Ok(())
            },
        },
        Scenario {
            name: "nothing_matches_after_reset",
            rule: "our decision: a valid bit per entry, for PC 0 is a PC",
            play: |bench| {
                // PCs that a line without a valid bit would match: their tags are zero, as those of a line
                // that was never filled.
                for entry in (0..VECTOR_CACHE_ENTRIES as u32).rev() {
                    expect(look(bench, 16 * entry)?.1, format!("PC {:#x} misses", 16 * entry))?;
                }
                Ok(())
            },
        },
        Scenario {
            name: "direct_mapped",
            rule: "R V-C: the bit vector cache is implemented as a direct-mapped structure",
            play: |bench| {
                // The second PC has the index of the first: 1 and 32 + (1 ^ 1).
                let (one, other) = (16, 16 * 32);
                let _ = look(bench, one)?;
                expect_eq!(look(bench, other)?, (other ^ 0xf0, true), "another PC is not taken for it")?;
                expect(!look(bench, other)?.1 && look(bench, one)?.1, "and takes its entry")
            },
        },
        Scenario {
            name: "thirty_two_entries",
            rule: "R V-C: 32 entries are sufficient",
            play: |bench| {
                let pcs = (0..VECTOR_CACHE_ENTRIES as u32).map(|entry| 16 * entry);
                for pc in pcs.clone() {
                    expect(look(bench, pc)?.1, format!("PC {pc:#x} misses: no other has filled its entry"))?;
                }
                for pc in pcs {
                    expect(!look(bench, pc)?.1, format!("PC {pc:#x} has an entry of its own"))?;
                }
                Ok(())
            },
        },
        Scenario {
            name: "a_hit_in_every_cycle",
            rule: "docs/live_register_cache.md: another PC can be asked for when a hit answers",
            play: |bench| {
                let _ = (look(bench, 16)?, look(bench, 32)?);
                bench.cycle(ask(16))?;
                for turn in 0..10 {
                    let out = bench.cycle(ask(16 * (turn % 2) + 16))?;
                    expect(out.ready && out.hit, "hit and ready")?;
                }
                Ok(())
            },
        },
    ]
}
