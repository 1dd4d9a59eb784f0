// SPDX-License-Identifier: Apache-2.0
//! Designs of the papers, each by what it chooses.

use gpurf_blocks::{Allocation, IssueLatch, ReplacementPolicy, Scheduling};

use super::choices::{Choices, Design};
use super::collectors::CollectorKind;
use super::residency::Residency;
use super::values::{Caching, Dependences, TwoLevel};

/// Choices with a name.
#[derive(Debug)]
pub struct Preset {
    /// As the command line has it.
    pub name: &'static str,
    /// Its description, in a line.
    pub what: &'static str,
    /// Where it is described: letter of the paper and section.
    pub paper: &'static str,
    /// Whose evaluation it belongs to.
    pub family: Family,
    /// Its choices.
    pub choices: Choices,
}

/// The evaluation that a design belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// The Malekeh papers', W and F.
    Malekeh,
    /// Register caches: C's, and those that F compares Malekeh with.
    RegisterCache,
    /// Inter-warp multicasting, and what I compares it with.
    Multicast,
    /// FineReg, and what R compares it with.
    FineReg,
    /// The core of shipped GPUs, which H describes.
    Modern,
}

const OPEN: Choices = Choices::OPEN;
const GTO: Option<Scheduling> = Some(Scheduling::GTO);

/// The paper does not say which results this design caches; policies that know no reuse distance have no
/// reason to keep one out, so all are.
const TRADITIONAL: Choices = Choices {
    collector: Some(CollectorKind::CCU),
    scheduling: GTO,
    allocation: Some(Allocation::OwnElseAnyFree),
    replacement: Some(ReplacementPolicy::Lru),
    cache_far: Some(true),
    ..OPEN
};
/// The design that the tag `SharedCache_ZeroDesign` of F's first author has, in the simulator that he
/// published in 2021. F names no rule of its "traditional" system: that it is this one is inferred.
const TRADITIONAL_2021: Choices = Choices {
    allocation: Some(Allocation::OwnElseLru),
    issue_latch: Some(IssueLatch::Blocking),
    all_results: Some(true),
    ..TRADITIONAL
};
/// The cache policies by themselves.
const MALEKEH_GTO: Choices =
    Choices { replacement: Some(ReplacementPolicy::Malekeh), cache_far: Some(false), ..TRADITIONAL };
const MALEKEH: Choices =
    Choices { scheduling: Some(Scheduling::MALEKEH), allocation: Some(Allocation::Malekeh), ..MALEKEH_GTO };
const MALEKEH_PR: Choices = Choices { allocation: Some(Allocation::Private), ..MALEKEH };
const BOW: Choices = Choices {
    collector: Some(CollectorKind::BOC),
    scheduling: GTO,
    allocation: Some(Allocation::Private),
    cache_far: Some(true),
    ..OPEN
};
const RFC_SCHEDULER: Choices = Choices { two_level: Some(Some(TwoLevel::Rfc)), ..OPEN };
const SOFTWARE_RFC_SCHEDULER: Choices = Choices { two_level: Some(Some(TwoLevel::SoftwareRfc)), ..OPEN };
const REGISTER_CACHE: Choices = cached(Caching::AllWarps, OPEN);
const RFC: Choices = cached(Caching::ActiveWarps, RFC_SCHEDULER);
const SOFTWARE_RFC: Choices = cached(Caching::Strands, SOFTWARE_RFC_SCHEDULER);
const LTRF: Choices = cached(Caching::Intervals, RFC_SCHEDULER);
const DARSIE: Choices = Choices { rename: Some(true), ..OPEN };
const IWMA: Choices = Choices { multicast: Some(true), ..OPEN };
const IWMA_DARSIE: Choices = Choices { rename: Some(true), ..IWMA };
const VIRTUAL_THREAD: Choices = resident(Residency::VIRTUAL_THREAD);
const REG_DRAM: Choices = resident(Residency::REG_DRAM);
const VT_REGMUTEX: Choices = resident(Residency::VIRTUAL_THREAD_REG_MUTEX);
const FINEREG: Choices = resident(Residency::FINE_REG);

const MODERN: Choices =
    Choices { collector: Some(CollectorKind::WINDOW), dependences: Some(Dependences::ControlBits), ..OPEN };

const fn cached(caching: Caching, choices: Choices) -> Choices {
    Choices { register_cache: Some(Some(caching)), ..choices }
}

const fn resident(residency: &'static Residency) -> Choices {
    Choices { residency: Some(residency), ..OPEN }
}

macro_rules! presets {
    ($($family:ident { $($constant:ident, $choices:expr, $name:literal, $paper:literal, $what:literal;)+ })+) => {
        /// All of them, in the order in which a composition names them.
        pub static PRESETS: &[Preset] = &[$($(
            Preset {
                name: $name,
                what: $what,
                paper: $paper,
                family: Family::$family,
                choices: $choices,
            },
        )+)+];

        impl Design {$($(
            #[doc = concat!($what, ": ", $paper, ".")]
            pub const $constant: Design = $choices.design();
        )+)+}
    };
}

presets! {
    Malekeh {
        BASELINE, OPEN, "baseline", "F §II", "Operand collector units under greedy-then-oldest";
        TRADITIONAL, TRADITIONAL, "traditional", "F §VI-C",
            "Caching collector units, least recently used replacement, greedy-then-oldest";
        TRADITIONAL_2021, TRADITIONAL_2021, "traditional-2021", "F's first author, 2021",
            "The same in its author's simulator: latches before the collectors, and the LRU collector is taken";
        MALEKEH_GTO, MALEKEH_GTO, "malekeh-gto", "F §IV-A",
            "The same with Malekeh's cache policies: far values go first, far results stay out";
        MALEKEH, MALEKEH, "malekeh", "W, F §III, §IV",
            "Malekeh: its cache policies, its scheduler, and its allocator, which waits as STHLD says";
        MALEKEH_PR, MALEKEH_PR, "malekeh-pr", "F §VI-B", "Malekeh with a collector per warp, never waited for";
        BOW, BOW, "bow", "F §VI-B", "BOW: a bypassing operand collector per warp, greedy-then-oldest";
        RFC_SCHEDULER, RFC_SCHEDULER, "rfc-scheduler", "F §VI-A", "The two-level scheduler of RFC";
        SOFTWARE_RFC_SCHEDULER, SOFTWARE_RFC_SCHEDULER, "software-rfc-scheduler", "F §VI-A",
            "The two-level scheduler of software RFC";
    }
    RegisterCache {
        REGISTER_CACHE, REGISTER_CACHE, "register-cache", "C §IV",
            "A register cache before the register file, as the rc_ parameters say";
        RFC, RFC, "rfc", "F §VI-A", "RFC: its scheduler, and a cache of the results of active warps";
        SOFTWARE_RFC, SOFTWARE_RFC, "software-rfc", "F §VI-A",
            "Software RFC: its scheduler, and a cache whose values do not outlive a strand";
        LTRF, LTRF, "ltrf", "F §VI-A",
            "LTRF: the scheduler of RFC, and a cache into which register intervals are fetched";
    }
    Multicast {
        DARSIE, DARSIE, "darsie", "I §5.2.2",
            "DARSIE: what a warp of the sub-core has loaded from shared memory is found by renaming";
        IWMA, IWMA, "iwma", "I §3", "Inter-warp multicasting: an access to shared memory serves two warps";
        IWMA_DARSIE, IWMA_DARSIE, "iwma-darsie", "I §5.2.2", "Both: the multicasting unit gets what DARSIE leaves";
    }
    FineReg {
        VIRTUAL_THREAD, VIRTUAL_THREAD, "virtual-thread", "R §III-B, §VI-A",
            "Virtual Thread: more resident blocks, as many as the register file holds";
        REG_DRAM, REG_DRAM, "reg-dram", "R §III-B, §VI-A", "Virtual Thread with further blocks in DRAM, Zorua-like";
        VT_REGMUTEX, VT_REGMUTEX, "vt-regmutex", "R §VI-A", "Virtual Thread with a shared register pool";
        FINEREG, FINEREG, "finereg", "R §IV, §V",
            "FineReg: pending blocks keep their live registers in a part of the register file";
    }
    Modern {
        MODERN, MODERN, "modern", "H §4, §5",
            "What ships: control bits, a read window and a reuse cache in place of scoreboard and collectors";
    }
}
