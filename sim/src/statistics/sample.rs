//! What a sample of a run's thread blocks says of the whole run, and how sure that is.
//!
//! A launch has K clusters of thread blocks of which n were drawn (the SM's module on drawing says how), and blocks that
//! were simulated in any case. If T is what was counted in all that was simulated, of some event, and yⱼ what was counted
//! in the j-th cluster drawn, the whole launch has about
//!
//! > Ŷ = T + (K / n − 1) Σ yⱼ
//!
//! of them: what happens at its start and in its end, as the SM drains, is counted once. Launches add up. The ratio of
//! two such sums, as IPC and hit ratio are, is estimated by the ratio of the estimates.
//!
//! The variance is estimated by **successive differences**, which suits systematic samples: a trend over the launch does not
//! count as error (K. M. Wolter, Introduction to Variance Estimation, 2nd ed., ch. 8):
//!
//! > v(Ŷ) = K² (1 − n / K) / n · Σ (yⱼ − yⱼ₋₁)² / (2 (n − 1))
//!
//! For a ratio R = Ŷ / X̂, the residuals yⱼ − R xⱼ take the place of yⱼ, and the variance is divided by X̂² (Cochran,
//! ch. 6). The interval of 95% is that of Student's t with the degrees of freedom by Satterthwaite's rule from the n − 1
//! of each launch.
//!
//! The error is that of drawing. That the caches of a sampled run have not seen the blocks left out, and that STHLD has
//! fewer intervals to settle in, is no part of it.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

use super::Counters;

/// The two-sided confidence of the intervals.
const CONFIDENCE: f64 = 0.95;

/// What the thread blocks drawn from a run say of the whole run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sample {
    /// Of the random starts.
    pub seed: u64,
    /// One cluster in so many was to be drawn.
    pub every: u64,
    /// Launches of the run.
    pub launches: u64,
    /// Those of which not all thread blocks were simulated.
    pub sampled_launches: u64,
    /// Thread blocks of the run.
    pub blocks: u64,
    /// Thread blocks simulated.
    pub simulated_blocks: u64,
    /// Share of the thread blocks that were simulated.
    pub share: f64,
    /// Cycles of the whole run.
    pub cycles: Estimate,
    /// Warp instructions of the whole run.
    pub warp_instructions: Estimate,
    /// Warp instructions per cycle.
    pub ipc: Estimate,
    /// Source registers read by the whole run.
    pub operand_reads: Estimate,
    /// Those of them that the collectors or caches served.
    pub hits: Estimate,
    /// Hits per operand read.
    pub hit_ratio: Estimate,
    /// Registers read from the banks by the whole run.
    pub bank_reads: Estimate,
    /// Registers written into the banks by the whole run.
    pub bank_writes: Estimate,
}

/// A number of the whole run, as far as the sample tells.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The most likely value.
    pub value: f64,
    /// Standard error of drawing; 0 if all was simulated.
    pub standard_error: f64,
    /// Lower end of the interval that holds the true value in 95 of 100 draws.
    pub low: f64,
    /// Upper end of it.
    pub high: f64,
}

/// What was counted in a launch that was sampled.
#[derive(Clone, Debug)]
pub(crate) struct Draw {
    /// In all of it that was simulated; cycles are those of one SM.
    pub simulated: Counters,
    /// Clusters that could have been drawn.
    pub clusters: u64,
    /// In each cluster drawn, in order; cycles are the sum over the SMs.
    pub drawn: Vec<Counters>,
    pub sms: u64,
}

/// An event's count in a launch: in all that was simulated, and in each cluster drawn.
struct Counted {
    simulated: f64,
    drawn: Vec<f64>,
    clusters: f64,
}

impl Counted {
    /// How often it happens in the whole launch.
    fn total(&self) -> f64 {
        let n = self.drawn.len().max(1) as f64;
        self.simulated + (self.clusters / n - 1.0) * self.drawn.iter().sum::<f64>()
    }

    /// Variance of that.
    fn variance(&self) -> f64 {
        let (n, k) = (self.drawn.len() as f64, self.clusters);
        if self.drawn.len() < 2 {
            return 0.0;
        }
        let squares: f64 = self.drawn.windows(2).map(|pair| (pair[1] - pair[0]).powi(2)).sum();
        k * k * (1.0 - n / k) / n * squares / (2.0 * (n - 1.0))
    }
}

/// Events of a kind, by launch.
type Events<'a> = &'a dyn Fn(&Counters) -> u64;

/// What is estimated from.
pub(crate) struct Draws<'a> {
    /// The launches that were sampled.
    pub draws: &'a [Draw],
    /// What was counted in those that were simulated whole.
    pub whole: Counters,
}

impl Draws<'_> {
    /// Of the launches that were sampled, how often `events` happen, less `ratio` times how often `others` do.
    fn counted<'s>(&'s self, events: Events<'s>, ratio: f64, others: Events<'s>) -> Vec<Counted> {
        let residual = |counters: &Counters| events(counters) as f64 - ratio * others(counters) as f64;
        let of = |draw: &Draw| {
            // Those of a cluster are the sum over the SMs.
            let per_sm = |mut counters: Counters, sms: u64| {
                let cycles = counters.cycles;
                counters.cycles = 0;
                residual(&counters) + residual(&Counters { cycles, ..Counters::default() }) / sms as f64
            };
            Counted {
                simulated: residual(&draw.simulated),
                drawn: draw.drawn.iter().map(|&counters| per_sm(counters, draw.sms)).collect(),
                clusters: draw.clusters as f64,
            }
        };
        self.draws.iter().map(of).collect()
    }

    /// How often something happens in the whole run.
    pub fn total(&self, events: impl Fn(&Counters) -> u64) -> Estimate {
        let counted = self.counted(&events, 0.0, &|_| 0);
        let total = events(&self.whole) as f64 + counted.iter().map(Counted::total).sum::<f64>();
        estimate(total, &counted, 1.0)
    }

    /// How often something happens in the whole run for each time that something else does; 0 if that never happens.
    pub fn ratio(&self, events: impl Fn(&Counters) -> u64, others: impl Fn(&Counters) -> u64) -> Estimate {
        let (part, whole) = (self.total(&events).value, self.total(&others).value);
        if whole == 0.0 {
            return estimate(0.0, &[], 1.0);
        }
        estimate(part / whole, &self.counted(&events, part / whole, &others), whole)
    }
}

/// `value`, whose error is that of a sum over launches divided by `scale`.
fn estimate(value: f64, counted: &[Counted], scale: f64) -> Estimate {
    let variances = counted.iter().map(|launch| (launch.variance(), launch.drawn.len() as f64 - 1.0));
    let varying: Vec<(f64, f64)> = variances.filter(|(variance, _)| *variance > 0.0).collect();
    let variance: f64 = varying.iter().map(|(variance, _)| variance).sum();
    let standard_error = variance.sqrt() / scale;
    let half = match varying.is_empty() {
        true => 0.0,
        false => {
            let freedom = variance.powi(2) / varying.iter().map(|(v, freedom)| v * v / freedom).sum::<f64>();
            let student = StudentsT::new(0.0, 1.0, freedom).expect("a positive number of degrees of freedom");
            standard_error * student.inverse_cdf((1.0 + CONFIDENCE) / 2.0)
        }
    };
    Estimate { value, standard_error, low: value - half, high: value + half }
}
