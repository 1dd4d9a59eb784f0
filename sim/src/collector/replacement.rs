// SPDX-License-Identifier: Apache-2.0
//! Reference model of replacement: W §4.1, F §IV-A1.

use gpurf_blocks::ports::{ReplacementIn, ReplacementOut};
use gpurf_blocks::{Clocked, Parameters, ReplacementPolicy, MAX_ENTRIES};

use crate::bits::first_from;

/// The entry to replace, or none if all must be kept.
///
/// `valid`, `near`, `keep`: a bit per entry. `oldest`: the least recently used entry of a set.
/// "First, it excludes all the registers having the lock bit set … then selects randomly among those
/// with a far reuse distance, if any exists. If all are near, according to the LRU policy" (W §4.1).
/// Free entries come before any value.
pub fn choose(
    policy: ReplacementPolicy,
    entries: usize,
    valid: u16,
    near: u16,
    keep: u16,
    random: u32,
    oldest: impl FnOnce(u16) -> Option<usize>,
) -> Option<usize> {
    let all = ((1u32 << entries) - 1) as u16;
    let free = all & !valid & !keep;
    if free != 0 {
        return Some(free.trailing_zeros() as usize);
    }
    let far = all & !near & !keep;
    if policy == ReplacementPolicy::Malekeh && far != 0 {
        return first_from(far, random as usize);
    }
    oldest(all & !keep)
}

/// Replacement as a block of its own.
pub struct Replacement {
    policy: ReplacementPolicy,
    entries: usize,
    /// The ones that may need one in a cycle.
    sources: usize,
    d_ports: usize,
}

impl Replacement {
    /// After reset, with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { replacement: policy, entries, slots, d_ports, allocate_on_arrival, .. } =
            *parameters;
        let sources = if allocate_on_arrival { 1 } else { slots };
        Replacement { policy, entries, sources, d_ports }
    }
}

impl Clocked for Replacement {
    type In = ReplacementIn;
    type Out = ReplacementOut;

    fn settle(&mut self, inputs: &ReplacementIn) -> ReplacementOut {
        let mask = |bits: &[bool; MAX_ENTRIES]| -> u16 {
            (0..self.entries).map(|entry| (bits[entry] as u16) << entry).sum()
        };
        let mut by_age: Vec<usize> = (0..self.entries).collect();
        by_age.sort_by_key(|entry| std::cmp::Reverse(inputs.newer[*entry].count_ones()));
        let mut keep = mask(&inputs.keep);
        let mut next = |wanted: bool| {
            let (valid, near) = (mask(&inputs.valid), mask(&inputs.near));
            let ages = |set: u16| by_age.iter().copied().find(|entry| set >> entry & 1 == 1);
            let chosen = choose(self.policy, self.entries, valid, near, keep, inputs.random, ages);
            let chosen = chosen.filter(|_| wanted);
            keep |= chosen.map_or(0, |entry| 1 << entry);
            chosen
        };
        let mut next = |wanted| next(wanted).map_or(0, |entry| 1 << entry);
        let mut outputs = ReplacementOut::default();
        for source in 0..self.sources {
            outputs.victim[source] = next(inputs.miss[source]);
        }
        for port in 0..self.d_ports {
            outputs.d_victim[port] = next(inputs.d_miss[port]);
        }
        outputs
    }

    fn tick(&mut self) {}
}
