// SPDX-License-Identifier: Apache-2.0
//! The register cache of a warp.

use super::cache::{LaneCache, Turn};
use super::configuration::Configuration;
use super::operands::InstructionRegisters;
use super::rules::Rules;
use super::shape::Shape;
use super::tally::Tally;
use super::traffic::Traffic;

/// Instructions after which threads that went apart are looked at again: they may have become alike.
const REUNION: u64 = 8;

/// The cache of a warp, or the caches of its threads. Threads that have been treated alike share one state,
/// which is split when an instruction treats some of them otherwise; a warp that never diverges has a single
/// one.
#[derive(Clone)]
pub struct WarpCache {
    shape: Shape,
    caches: Vec<LaneCache>,
    instructions: u64,
    reunites: bool,
}

impl WarpCache {
    /// A warp with an empty cache.
    pub fn new(configuration: &Configuration, rules: &Rules) -> WarpCache {
        let shape = Shape::new(configuration, rules);
        WarpCache { shape, caches: vec![LaneCache::new(u32::MAX)], instructions: 0, reunites: true }
    }

    /// With a state of its own for every thread from the start, to hold the shared one against.
    pub fn apart(configuration: &Configuration, rules: &Rules) -> WarpCache {
        let caches = match configuration.tag_lanes {
            1 => (0..32).map(|lane| LaneCache::new(1 << lane)).collect(),
            _ => vec![LaneCache::new(u32::MAX)],
        };
        WarpCache { caches, reunites: false, ..WarpCache::new(configuration, rules) }
    }

    /// An instruction in the lanes of `mask`. `ahead` says whether one within the look-ahead names a
    /// register.
    pub fn step(
        &mut self,
        operands: &InstructionRegisters,
        mask: u32,
        ahead: &dyn Fn(u16) -> bool,
        counter: &mut TrafficCounter,
    ) {
        if operands.skipped {
            return;
        }
        self.instructions += 1;
        let tally = &mut counter.0;
        tally.traffic.instructions += 1;
        let all = operands.sources.len() + operands.destinations.len();
        if mask == 0 || all == 0 {
            return;
        }
        if self.shape.tag_lanes == 1 {
            self.divide(mask);
        }
        tally.open(mask, self.shape.bank_lanes, all, self.caches.len() > 1);
        let lanes = tally.lanes(mask);
        tally.traffic.reads += operands.sources.len() as u64 * lanes;
        tally.traffic.writes += operands.destinations.len() as u64 * lanes;
        for cache in &mut self.caches {
            let lanes = cache.lanes & mask;
            if lanes != 0 {
                cache.step(
                    &Turn { shape: &self.shape, operands, lanes, now: self.instructions, ahead },
                    tally,
                );
            }
        }
        tally.close();
        if self.caches.len() > 1 && self.reunites && self.instructions % REUNION == 0 {
            self.reunite();
        }
    }

    /// Splits states that have some lanes of the mask and some others.
    fn divide(&mut self, mask: u32) {
        for index in 0..self.caches.len() {
            let cache = &mut self.caches[index];
            let inside = cache.lanes & mask;
            if inside != 0 && inside != cache.lanes {
                let outside = cache.split(inside);
                self.caches.push(outside);
            }
        }
    }

    fn reunite(&mut self) {
        let mut index = 0;
        while index < self.caches.len() {
            let (before, rest) = self.caches.split_at_mut(index);
            match before.iter_mut().any(|cache| cache.join(&rest[0], &self.shape)) {
                true => drop(self.caches.swap_remove(index)),
                false => index += 1,
            }
        }
    }

    /// Another warp takes the place of this one and finds its values, which are not its own.
    pub fn hand_over(&mut self) {
        self.caches.iter_mut().for_each(LaneCache::forget);
    }

    /// The end: what the register file does not have is lost, and nobody wants it.
    pub fn finish(self, counter: &mut TrafficCounter) {
        counter.0.traffic.dropped += self.caches.iter().map(LaneCache::unsaved).sum::<u64>();
    }

    /// Registers in the cache of a lane, by way.
    pub fn registers(&self, lane: u32) -> Vec<u16> {
        let cache =
            self.caches.iter().find(|cache| cache.lanes >> lane & 1 == 1).expect("every lane has a cache");
        cache.registers(lane).collect()
    }

    /// Different states of threads.
    pub fn states(&self) -> usize {
        self.caches.len()
    }
}

/// Adds up what warps of one configuration do.
#[derive(Default)]
pub struct TrafficCounter(Tally);

impl TrafficCounter {
    /// The counts so far.
    pub fn traffic(&self) -> Traffic {
        self.0.traffic
    }
}
