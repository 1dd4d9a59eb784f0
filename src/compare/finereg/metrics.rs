//! What is compared, one number per workload and design.

use gpurf_sim::energy::Energies;
use gpurf_sim::sm::Design;
use gpurf_sim::statistics::ratio;
use serde::Deserialize;

use crate::compare::jobs::Outcome;
use crate::compare::series::Series;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    Ctas,
    Ipc,
    Depletion,
    Traffic,
    Energy,
    Usage,
    Stall,
}

pub const METRICS: [Metric; 7] = [
    Metric::Ctas,
    Metric::Ipc,
    Metric::Depletion,
    Metric::Traffic,
    Metric::Energy,
    Metric::Usage,
    Metric::Stall,
];

impl Metric {
    pub fn title(self) -> &'static str {
        match self {
            Metric::Ctas => "Concurrent CTAs, active and pending, change over the baseline, % (R Fig. 12)",
            Metric::Ipc => "IPC, change over the baseline, % (R Fig. 13)",
            Metric::Depletion => "Issue slots stalled for want of registers in PCRF or pool, % (R Fig. 14)",
            Metric::Traffic => "Reads from L2 and DRAM for contexts and live registers, % of the baseline's from L2 (R Fig. 15)",
            Metric::Energy => "Dynamic energy of the register file, change over the baseline, % (the part RF_Dyn of R Fig. 16)",
            Metric::Usage => "Allocated registers in use in 1,000 instructions, % (R Fig. 5)",
            Metric::Stall => "Cycles from a CTA's first issue until all its warps are stalled (R Table III)",
        }
    }

    /// What a claim about it is called.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Ctas => "concurrent CTAs, change in %",
            Metric::Ipc => "IPC, change in %",
            Metric::Depletion => "slots stalled for registers, %",
            Metric::Traffic => "traffic of contexts, % of the baseline's reads",
            Metric::Energy => "register-file energy, change in %",
            Metric::Usage => "registers in use, %",
            Metric::Stall => "cycles until all warps are stalled",
        }
    }

    /// Whether its sign says in which direction it goes.
    pub fn is_change(self) -> bool {
        matches!(self, Metric::Ctas | Metric::Ipc | Metric::Energy)
    }

    pub fn file(self) -> &'static str {
        match self {
            Metric::Ctas => "ctas",
            Metric::Ipc => "ipc",
            Metric::Depletion => "depletion",
            Metric::Traffic => "traffic",
            Metric::Energy => "energy",
            Metric::Usage => "usage",
            Metric::Stall => "stall",
        }
    }

    /// Whether the metric says anything of a design.
    pub fn concerns(self, design: &str) -> bool {
        match self {
            Metric::Ctas | Metric::Ipc | Metric::Energy => design != "baseline",
            Metric::Depletion => matches!(design, "vt-regmutex" | "finereg"),
            Metric::Traffic => matches!(design, "reg-dram" | "finereg"),
            Metric::Usage | Metric::Stall => design == "baseline",
        }
    }

    pub fn of(self, outcomes: &[Outcome], label: &str) -> Series {
        Series::new(outcomes, label, "baseline", |outcome, baseline| self.value(outcome, baseline))
    }

    /// `None` if nothing happened that it could be told from. `baseline` is the same workload's.
    fn value(self, outcome: &Outcome, baseline: &Outcome) -> Option<f64> {
        let residency = outcome.residency?;
        let slots = outcome.counters.warp_instructions + outcome.stalls.sum();
        Some(match self {
            Metric::Ctas => {
                let before = baseline.residency?;
                let before = ratio(before.resident_cycles, baseline.counters.cycles);
                100.0 * (ratio(residency.resident_cycles, outcome.counters.cycles) / before - 1.0)
            }
            Metric::Ipc => 100.0 * (outcome.ipc / baseline.ipc - 1.0),
            Metric::Depletion => 100.0 * ratio(outcome.stalls.depletion, slots),
            Metric::Traffic => {
                let moved = residency.context_sectors + residency.vector_misses;
                100.0 * ratio(moved, baseline.counters.l2_reads)
            }
            Metric::Energy => {
                // An access to the PCRF, a part of the register file, is one to a bank.
                let Energies { bank_read, bank_write, .. } = Energies::default();
                let in_pcrf = if outcome.design == Design::FINEREG.name() { 1.0 } else { 0.0 };
                let stored = residency.registers_saved as f64 * bank_write;
                let read = residency.registers_restored as f64 * bank_read;
                let energy = outcome.energy_pj.total + in_pcrf * (stored + read);
                100.0 * (energy / baseline.energy_pj.total - 1.0)
            }
            Metric::Usage if residency.windows == 0 => return None,
            Metric::Usage => ratio(residency.window_use, residency.windows) / 1e4,
            Metric::Stall if residency.complete_stalls == 0 => return None,
            Metric::Stall => ratio(residency.cycles_to_stall, residency.complete_stalls),
        })
    }
}
