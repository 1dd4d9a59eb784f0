//! What is compared, one number per workload and design.

use serde::Deserialize;

use crate::compare::jobs::Outcome;
use crate::compare::series::Series;
use gpurf_sim::statistics::ratio;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    Ipc,
    HitRatio,
    Energy,
    CacheWrites,
    /// Cycles of a two-level scheduler by what happens in them.
    Issue,
    Pending,
    Idle,
}

impl Metric {
    pub fn title(self) -> &'static str {
        match self {
            Metric::Ipc => "IPC, change over the baseline, % (F Fig. 12; two-level schedulers: Fig. 2)",
            Metric::HitRatio => "Source operands read from collectors, % (F Fig. 13, Fig. 17)",
            Metric::Energy => "Dynamic energy of the register file, change over the baseline, % (F Fig. 15)",
            Metric::CacheWrites => "Results written into collectors, % of all results (F Fig. 16)",
            Metric::Issue => "Two-level schedulers: an instruction issues, % of cycles (F Fig. 10, state 1)",
            Metric::Pending => {
                "Two-level schedulers: none issues, a pending warp is ready, % of cycles (F Fig. 10, state 2)"
            }
            Metric::Idle => {
                "Two-level schedulers: none issues, none is ready, % of cycles (F Fig. 10, state 3)"
            }
        }
    }

    pub fn file(self) -> &'static str {
        match self {
            Metric::Ipc => "ipc",
            Metric::HitRatio => "hit_ratio",
            Metric::Energy => "energy",
            Metric::CacheWrites => "cache_writes",
            Metric::Issue => "issue",
            Metric::Pending => "pending",
            Metric::Idle => "idle",
        }
    }

    /// What a claim about it is called.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Ipc => "IPC, change in %",
            Metric::HitRatio => "hit ratio, %",
            Metric::Energy => "register-file energy, change in %",
            Metric::CacheWrites => "cache writes, % of results",
            Metric::Issue => "an instruction issues, % of cycles",
            Metric::Pending => "only pending warps are ready, % of cycles",
            Metric::Idle => "no warp is ready, % of cycles",
        }
    }

    /// Whether its sign says in which direction it goes.
    pub fn is_change(self) -> bool {
        matches!(self, Metric::Ipc | Metric::Energy)
    }

    /// Whether the metric says anything of a design.
    pub fn concerns(self, design: &str) -> bool {
        let two_level = matches!(design, "rfc-scheduler" | "software-rfc-scheduler");
        match self {
            Metric::Ipc => design != "baseline",
            Metric::HitRatio | Metric::Energy | Metric::CacheWrites => design != "baseline" && !two_level,
            Metric::Issue | Metric::Pending | Metric::Idle => two_level,
        }
    }

    /// In percent. `baseline` is the same workload's.
    pub fn value(self, outcome: &Outcome, baseline: &Outcome) -> f64 {
        let cycles = outcome.counters.warp_instructions + outcome.stalls.sum();
        100.0
            * match self {
                Metric::Ipc => outcome.ipc / baseline.ipc - 1.0,
                Metric::HitRatio => outcome.hit_ratio,
                Metric::Energy => outcome.energy_pj.total / baseline.energy_pj.total - 1.0,
                Metric::CacheWrites => ratio(outcome.counters.cache_writes, outcome.counters.bank_writes),
                Metric::Issue => ratio(outcome.counters.warp_instructions, cycles),
                Metric::Pending => ratio(outcome.stalls.pending, cycles),
                Metric::Idle => {
                    let others = outcome.stalls.sum() - outcome.stalls.pending;
                    ratio(others, cycles)
                }
            }
    }
}

impl Metric {
    /// Of one variant, against the baseline.
    pub fn of(self, outcomes: &[Outcome], label: &str) -> Series {
        self.against("baseline", outcomes, label)
    }

    pub fn against(self, reference: &str, outcomes: &[Outcome], label: &str) -> Series {
        Series::new(outcomes, label, reference, |outcome, baseline| Some(self.value(outcome, baseline)))
    }
}
