//! Compared designs: which collectors a sub-core has, and the policies around them.

use std::fmt;

use gpurf_blocks::{
    Allocation, CacheAllocation, CacheReplacement, CacheWrite, Data, DestinationMapping, Parameters,
    ReplacementPolicy, Scheduling, BOC_WARPS, CACHED_WARPS, MAX_WARPS,
};

use crate::config::Config;

/// A register-file design.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Design {
    /// Its name on the command line.
    pub name: &'static str,
    /// What collects operands.
    pub collector: CollectorKind,
    /// Which warp issues.
    pub scheduling: Scheduling,
    /// Which collector an instruction enters.
    pub allocation: Allocation,
    /// Replacement in a caching collector.
    pub replacement: ReplacementPolicy,
    /// Results whose reuse is far are cached too.
    pub cache_far: bool,
    /// Only a few warps of a sub-core may issue.
    pub two_level: Option<TwoLevel>,
    /// Which CTAs are resident, and where their registers are.
    pub residency: Residency,
    /// Whether loads of several warps become one.
    pub shared_loads: SharedLoads,
    /// A register cache stands between the collectors and the register file.
    pub register_cache: Option<Caching>,
}

/// Whose registers a register cache keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caching {
    /// Those of all warps; the parameters say which. C §IV.
    AllWarps,
    /// Results of active warps. A warp that becomes pending is flushed. RFC, F §VI-A.
    ActiveWarps,
    /// The same, and what the warp does not read again is not written back: the compiler knows it. Software RFC.
    Strands,
    /// Registers of active warps; those of each register interval are fetched when a warp enters it. LTRF.
    Intervals,
}

/// How CTAs beyond those that can be active are kept: R §I, §VI-A.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Residency {
    /// There are none.
    Baseline,
    /// With all their registers in the register file, as many as it holds. Virtual Thread.
    VirtualThread,
    /// And some more with all their registers in DRAM. Zorua-like, "Reg+DRAM".
    RegDram,
    /// As under Virtual Thread, each warp with a part of its registers; it takes the others from a shared pool
    /// while it needs them. "VT+RegMutex".
    VirtualThreadRegMutex,
    /// With their live registers in the PCRF.
    FineReg,
}

/// What is done about loads from shared memory that several warps of a block perform alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedLoads {
    /// One access serves two warps, by the inter-warp multicasting unit. I §3.
    pub multicast: bool,
    /// The warps of a sub-core after the first find the data in its register file, by renaming: DARSIE. I §5.2.2.
    pub rename: bool,
}

impl SharedLoads {
    /// Each accesses shared memory.
    pub const APART: SharedLoads = SharedLoads { multicast: false, rename: false };
}

/// When an active warp becomes pending, where only a few may issue: see `sim/src/sm/two_level.rs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TwoLevel {
    /// When it waits for memory.
    Rfc,
    /// When a strand ends.
    SoftwareRfc,
}

/// What a collector is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollectorKind {
    /// Operand collector unit, F §II: it forgets its operands at dispatch.
    Ocu,
    /// Caching collector unit, F §III-C.
    Ccu,
    /// Bypassing operand collector, F §VI-B.
    Boc,
}

impl Design {
    /// Those of the Malekeh papers' evaluations.
    pub const ALL: [Design; 8] = [
        Design::BASELINE,
        Design::TRADITIONAL,
        Design::MALEKEH_GTO,
        Design::MALEKEH,
        Design::MALEKEH_PR,
        Design::BOW,
        Design::RFC_SCHEDULER,
        Design::SOFTWARE_RFC_SCHEDULER,
    ];

    /// Register caches: C's, and those that F compares Malekeh with.
    pub const REGISTER_CACHE_FAMILY: [Design; 4] =
        [Design::REGISTER_CACHE, Design::RFC, Design::SOFTWARE_RFC, Design::LTRF];

    /// FineReg and what R compares it with, all around the baseline's collectors.
    pub const FINEREG_FAMILY: [Design; 4] =
        [Design::VIRTUAL_THREAD, Design::REG_DRAM, Design::VT_REGMUTEX, Design::FINEREG];

    /// Inter-warp multicasting and what I compares it with, all around the baseline's collectors.
    pub const MULTICAST_FAMILY: [Design; 3] = [Design::DARSIE, Design::IWMA, Design::IWMA_DARSIE];

    /// Operand collector units under greedy-then-oldest. F §II.
    pub const BASELINE: Design = Design {
        name: "baseline",
        collector: CollectorKind::Ocu,
        scheduling: Scheduling::Gto,
        allocation: Allocation::AnyFree,
        replacement: ReplacementPolicy::Lru,
        cache_far: false,
        two_level: None,
        residency: Residency::Baseline,
        shared_loads: SharedLoads::APART,
        register_cache: None,
    };

    /// Caching collector units under greedy-then-oldest and least-recently-used replacement. F §VI-C.
    ///
    /// The paper does not say which results this design caches; policies that know no reuse distance
    /// have no reason to keep one out, so all are.
    pub const TRADITIONAL: Design = Design {
        name: "traditional",
        collector: CollectorKind::Ccu,
        allocation: Allocation::OwnElseAnyFree,
        cache_far: true,
        ..Design::BASELINE
    };

    /// Caching collector units with the papers' own cache policies (far values replaced first, far results
    /// kept out: W §4, F §IV-A), still under greedy-then-oldest and without Malekeh's collector allocator.
    /// What the cache policies do by themselves.
    pub const MALEKEH_GTO: Design = Design {
        name: "malekeh-gto",
        replacement: ReplacementPolicy::Malekeh,
        cache_far: false,
        ..Design::TRADITIONAL
    };

    /// Malekeh: its cache policies, its scheduler and its collector allocator, which waits as long as the
    /// STHLD controller finds right. W, F §III and §IV.
    pub const MALEKEH: Design = Design {
        name: "malekeh",
        scheduling: Scheduling::Malekeh,
        allocation: Allocation::Malekeh,
        ..Design::MALEKEH_GTO
    };

    /// Malekeh with a collector for each warp, which is never waited for. F §VI-B.
    pub const MALEKEH_PR: Design =
        Design { name: "malekeh-pr", allocation: Allocation::Private, ..Design::MALEKEH };

    /// BOW: a bypassing operand collector for each warp, under greedy-then-oldest. F §VI-B.
    pub const BOW: Design = Design {
        name: "bow",
        collector: CollectorKind::Boc,
        allocation: Allocation::Private,
        cache_far: true,
        ..Design::BASELINE
    };

    /// The baseline under the two-level scheduler of RFC. F §VI-A.
    pub const RFC_SCHEDULER: Design =
        Design { name: "rfc-scheduler", two_level: Some(TwoLevel::Rfc), ..Design::BASELINE };

    /// The baseline under the two-level scheduler of software RFC. F §VI-A.
    pub const SOFTWARE_RFC_SCHEDULER: Design =
        Design { name: "software-rfc-scheduler", two_level: Some(TwoLevel::SoftwareRfc), ..Design::BASELINE };

    /// The baseline with a register cache, of any configuration. C §IV.
    pub const REGISTER_CACHE: Design =
        Design { name: "register-cache", register_cache: Some(Caching::AllWarps), ..Design::BASELINE };

    /// RFC: its scheduler, and a cache of the results of active warps.
    pub const RFC: Design =
        Design { name: "rfc", register_cache: Some(Caching::ActiveWarps), ..Design::RFC_SCHEDULER };

    /// Software RFC: its scheduler, and a cache whose values do not outlive a strand.
    pub const SOFTWARE_RFC: Design = Design {
        name: "software-rfc",
        register_cache: Some(Caching::Strands),
        ..Design::SOFTWARE_RFC_SCHEDULER
    };

    /// LTRF: the scheduler of RFC, and a cache into which register intervals are fetched.
    pub const LTRF: Design =
        Design { name: "ltrf", register_cache: Some(Caching::Intervals), ..Design::RFC_SCHEDULER };

    /// CTAs beyond the scheduling limit, as many as the register file holds. R §III-B, §VI-A.
    pub const VIRTUAL_THREAD: Design =
        Design { name: "virtual-thread", residency: Residency::VirtualThread, ..Design::BASELINE };

    /// Virtual Thread with further CTAs in DRAM, Zorua-like. R §III-B, §VI-A.
    pub const REG_DRAM: Design =
        Design { name: "reg-dram", residency: Residency::RegDram, ..Design::BASELINE };

    /// Virtual Thread with a shared register pool. R §VI-A.
    pub const VT_REGMUTEX: Design =
        Design { name: "vt-regmutex", residency: Residency::VirtualThreadRegMutex, ..Design::BASELINE };

    /// FineReg. R §IV, §V.
    pub const FINEREG: Design = Design { name: "finereg", residency: Residency::FineReg, ..Design::BASELINE };

    /// Every design, of all families.
    pub fn every() -> impl Iterator<Item = Design> {
        let [malekeh, register_cache] = [&Design::ALL[..], &Design::REGISTER_CACHE_FAMILY];
        let [finereg, multicast] = [&Design::FINEREG_FAMILY[..], &Design::MULTICAST_FAMILY];
        [malekeh, register_cache, finereg, multicast].into_iter().flatten().copied()
    }

    /// The baseline with DARSIE: a load that another warp of the sub-core has performed alike since the last
    /// barrier is served from the register file. I §5.2.2.
    pub const DARSIE: Design = Design {
        name: "darsie",
        shared_loads: SharedLoads { rename: true, ..SharedLoads::APART },
        ..Design::BASELINE
    };

    /// The baseline with the inter-warp multicasting unit. I §3.
    pub const IWMA: Design = Design {
        name: "iwma",
        shared_loads: SharedLoads { multicast: true, ..SharedLoads::APART },
        ..Design::BASELINE
    };

    /// Both: what DARSIE leaves of the loads goes to the multicasting unit. I §5.2.2.
    pub const IWMA_DARSIE: Design = Design {
        name: "iwma-darsie",
        shared_loads: SharedLoads { multicast: true, rename: true },
        ..Design::BASELINE
    };

    /// The design of this name.
    pub fn named(name: &str) -> Option<Design> {
        Design::every().find(|design| design.name == name)
    }

    /// Collectors of a sub-core.
    pub fn collectors(&self, config: &Config) -> usize {
        match self.allocation {
            Allocation::Private => BOC_WARPS,
            _ => config.hardware.collectors,
        }
    }

    /// Warps of a sub-core that its hardware has room for, at most.
    pub fn most_warps(&self) -> usize {
        match (self.allocation, self.register_cache) {
            (Allocation::Private, _) => BOC_WARPS,
            (_, Some(_)) => CACHED_WARPS,
            _ => MAX_WARPS,
        }
    }

    /// Rows of a bank. The registers that a warp takes from the shared pool of vt-regmutex keep rows of their own
    /// here: where in the pool they lie is not modelled, only how many there are.
    pub(crate) fn rows(&self, config: &Config) -> usize {
        match self.residency {
            Residency::VirtualThreadRegMutex => config.regmutex_rows(),
            _ => config.rows(),
        }
    }

    /// Parameters of the hardware that this design needs in each sub-core. It has eight bits of seed.
    pub fn parameters(&self, config: &Config, seed: u64) -> Parameters {
        let hardware = match self.register_cache {
            None | Some(Caching::AllWarps) => config.hardware,
            Some(Caching::Intervals) => Parameters {
                rc_entries: 16,
                rc_ways: 8,
                rc_mapping: DestinationMapping::Interleaving,
                rc_allocation: CacheAllocation::Write,
                rc_replacement: CacheReplacement::Lru,
                rc_write: CacheWrite::Back,
                ..config.hardware
            },
            // Of one set, as far as a set can have all entries.
            Some(Caching::ActiveWarps | Caching::Strands) => Parameters {
                rc_ways: config.hardware.rc_entries.min(8),
                rc_allocation: CacheAllocation::Write,
                rc_replacement: CacheReplacement::Fifo,
                rc_write: CacheWrite::Back,
                ..config.hardware
            },
        };
        Parameters {
            width: <u32 as Data>::WIDTH,
            warps: config.warps().min(self.most_warps()),
            collectors: self.collectors(config),
            rows: self.rows(config),
            replacement: self.replacement,
            cache_far: self.cache_far,
            scheduling: self.scheduling,
            allocation: self.allocation,
            seed: usize::from(seed as u8),
            ..hardware
        }
    }
}

impl fmt::Display for Design {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn designs_are_found_by_name() {
        for design in Design::every() {
            assert_eq!(Design::named(design.name), Some(design));
        }
        assert_eq!(Design::named("none"), None);
    }
}
