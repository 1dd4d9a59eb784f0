// SPDX-License-Identifier: Apache-2.0
//! A configuration and the rules, made ready for every instruction.

use gpurf_blocks::{CacheAllocation, CacheReplacement, CacheWrite, DestinationMapping};

use super::configuration::{Configuration, Reach};
use super::rules::Rules;

#[derive(Clone, Debug)]
pub(super) struct Shape {
    pub rules: Rules,
    pub ways: usize,
    sets: usize,
    linear: bool,
    one_set: bool,
    pub lru: bool,
    /// Entries that an instruction uses keep their order among themselves.
    pub keeps_order: bool,
    pub through: bool,
    /// Some sources may be taken in: those with a flag, or all.
    pub takes_sources: bool,
    takes_all_sources: bool,
    pub takes_destinations: bool,
    pub looks_ahead: bool,
    /// A lookup in one set can miss a copy in another.
    pub has_copies: bool,
    pub tag_lanes: usize,
    pub bank_lanes: usize,
}

impl Shape {
    pub fn new(configuration: &Configuration, rules: &Rules) -> Shape {
        let Configuration { entries, ways, allocation, look_ahead, mapping, reach, .. } = *configuration;
        let sets = entries / ways;
        let looks_ahead = look_ahead.is_some();
        let lru = configuration.replacement == CacheReplacement::Lru;
        let takes_all_sources =
            !looks_ahead && matches!(allocation, CacheAllocation::Read | CacheAllocation::ReadWrite);
        Shape {
            rules: *rules,
            ways,
            sets,
            linear: mapping == DestinationMapping::Linear,
            one_set: reach == Reach::Set,
            lru,
            keeps_order: lru && !rules.ages_by_instruction,
            through: configuration.write == CacheWrite::Through,
            takes_sources: takes_all_sources || looks_ahead || allocation == CacheAllocation::CompilerAided,
            takes_all_sources,
            takes_destinations: !looks_ahead && allocation != CacheAllocation::Read,
            looks_ahead,
            has_copies: reach == Reach::Set && sets > 1,
            tag_lanes: configuration.tag_lanes,
            bank_lanes: configuration.bank_lanes,
        }
    }

    /// The set of a source at a position. C Equation 1.
    #[inline]
    pub fn source_set(&self, position: u8) -> usize {
        usize::from(position) & (self.sets - 1)
    }

    /// The set of a destination. C Equations 2 and 3.
    #[inline]
    pub fn destination_set(&self, register: u16) -> usize {
        let register = usize::from(register);
        match self.linear {
            // RFC-sim widens RZ to registers beyond 255, and would leave the cache.
            true => (register * self.sets / 256).min(self.sets - 1),
            false => register & (self.sets - 1),
        }
    }

    /// Returns true if a missing source is taken in.
    #[inline]
    pub fn takes(&self, flagged: bool) -> bool {
        self.takes_all_sources || self.takes_sources && flagged
    }

    #[inline]
    pub fn source_reach(&self, position: u8) -> u16 {
        self.reach_of_set(self.source_set(position))
    }

    /// Ways of the set that has this way; all beyond the cache are one.
    pub fn reach_of_way(&self, way: usize) -> u16 {
        match way / self.ways {
            set if set < self.sets => ((1 << self.ways) - 1) << (set * self.ways),
            _ => u16::MAX << (self.sets * self.ways),
        }
    }

    /// Ways in which a lookup in a set searches.
    #[inline]
    pub fn reach_of_set(&self, set: usize) -> u16 {
        match self.one_set {
            true => ((1 << self.ways) - 1) << (set * self.ways),
            false => u16::MAX,
        }
    }
}
