//! Compared designs: the policies around the operand stage.

use std::fmt;

use gpurf_hw::collector::Policy;
use gpurf_hw::operand_stage::OperandStageParameters;

use crate::config::Config;

/// A register-file design: which collectors the operand stage has, and how the SM uses them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Design {
    pub name: &'static str,
    pub collector: Collector,
    pub scheduler: Scheduler,
    pub allocation: Allocation,
    /// Replacement in a caching collector.
    pub replacement: Policy,
    /// Results whose reuse is far are cached too.
    pub cache_far: bool,
}

/// What a collector is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collector {
    /// Operand collector unit, F §II: it forgets its operands at dispatch.
    Ocu,
    /// Caching collector unit, F §III-C.
    Ccu,
}

/// In which order ready warps are offered to the collector allocator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheduler {
    /// Greedy then oldest: the warp issued last, then by age.
    GreedyThenOldest,
}

/// Which collector an instruction enters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allocation {
    /// A random free one. F §II.
    AnyFree,
    /// The one that served the warp last, as long as no other warp has taken it, and else a random
    /// free one. A warp thus never has data in two collectors, which would need coherence (F §IV-B2).
    OwnElseAnyFree,
}

impl Design {
    /// Every design that can be named.
    pub const ALL: [Design; 3] = [Design::BASELINE, Design::TRADITIONAL, Design::MALEKEH_GTO];

    /// Operand collector units under greedy-then-oldest. F §II.
    pub const BASELINE: Design = Design {
        name: "baseline",
        collector: Collector::Ocu,
        scheduler: Scheduler::GreedyThenOldest,
        allocation: Allocation::AnyFree,
        replacement: Policy::Lru,
        cache_far: false,
    };

    /// Caching collector units under greedy-then-oldest and least-recently-used replacement. F §VI-C.
    ///
    /// The paper does not say which results this design caches; policies that know no reuse distance
    /// have no reason to keep one out, so all are.
    pub const TRADITIONAL: Design = Design {
        name: "traditional",
        collector: Collector::Ccu,
        scheduler: Scheduler::GreedyThenOldest,
        allocation: Allocation::OwnElseAnyFree,
        replacement: Policy::Lru,
        cache_far: true,
    };

    /// Caching collector units with the papers' own cache policies (far values replaced first, far results
    /// kept out: W §4, F §IV-A), still under greedy-then-oldest and without Malekeh's collector allocator.
    /// What the cache policies do by themselves.
    pub const MALEKEH_GTO: Design =
        Design { name: "malekeh-gto", replacement: Policy::Malekeh, cache_far: false, ..Design::TRADITIONAL };

    /// The design of this name.
    pub fn named(name: &str) -> Option<Design> {
        Design::ALL.into_iter().find(|design| design.name == name)
    }

    /// Sizes and policies of the operand stage that this design needs in each sub-core.
    pub fn operand_stage(&self, config: &Config) -> OperandStageParameters {
        OperandStageParameters {
            collectors: config.collectors,
            slots: config.slots,
            banks: config.banks,
            rows: config.rows(),
            policy: self.replacement,
            cache_far: self.cache_far,
            invalidate: config.invalidate,
        }
    }
}

impl fmt::Display for Design {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Scheduler {
    /// The next of `candidates` (bit w: warp w) to try. `ages` lists warps, oldest first.
    pub(super) fn choose(self, candidates: u8, last_issued: Option<u8>, ages: &[u8]) -> Option<u8> {
        let is_candidate = |&warp: &u8| candidates >> warp & 1 == 1;
        match self {
            Scheduler::GreedyThenOldest => {
                last_issued.filter(is_candidate).or_else(|| ages.iter().copied().find(is_candidate))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greedy_then_oldest_stays_with_a_warp_and_then_goes_by_age() {
        let scheduler = Scheduler::GreedyThenOldest;
        let ages = [5, 2, 0, 7];
        assert_eq!(scheduler.choose(0b1000_0101, Some(7), &ages), Some(7));
        assert_eq!(scheduler.choose(0b0000_0101, Some(7), &ages), Some(2));
        assert_eq!(scheduler.choose(0b0010_0101, None, &ages), Some(5));
        assert_eq!(scheduler.choose(0, Some(7), &ages), None);
    }

    #[test]
    fn designs_are_found_by_name() {
        assert_eq!(Design::named("traditional"), Some(Design::TRADITIONAL));
        assert_eq!(Design::named("none"), None);
    }
}
