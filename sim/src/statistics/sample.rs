// SPDX-License-Identifier: Apache-2.0
//! Estimates of a whole run from a sample of its thread blocks, and how sure they are.
//!
//! The stream alone tells how many warp instructions the whole run has and how many operands they read: these
//! are known exactly, and are the **auxiliary variables** of ratio estimates (W. G. Cochran, Sampling
//! Techniques, 3rd ed., ch. 6): instructions for cycles and bank writes, operand reads for hits and bank
//! reads. A launch has clusters of thread blocks, and some of them were drawn: the SM's module on drawing
//! says how. If in the window of the j-th of them yⱼ events and xⱼ of the auxiliary variable were counted,
//! and T and t in all that was simulated, of X in the launch, it has about
//!
//! > Ŷ = T + R (X − t), where R = Σ yⱼ / Σ xⱼ
//!
//! events: what was simulated is counted once, as it was, with the launch's start and the end in which the SM
//! drains. Work that a cluster leaves to its neighbour's window is in numerator and denominator of the same
//! window. The instructions that are left out are known for each SM, so each SM's cycles are estimated with
//! the common R, and the launch has those of the SM that takes longest. Launches add up.
//!
//! Windows that follow each other are not independent: they share blocks, and warps stay in or out of step
//! for long. So the residuals eⱼ = yⱼ − R xⱼ are added up in batches Bᵢ of at least four neighbouring
//! windows, ten batches at most, which are taken for independent: **batch means** (A. M. Law, Simulation
//! Modeling and Analysis, ch. 9). With n windows in m batches, of K that could have been drawn,
//!
//! > v(Ŷ) = (X / Σ xⱼ)² (1 + n / K) m / (m − 1) Σ Bᵢ²
//!
//! In a finite population the factor would be 1 − n / K, for what was drawn is known. Not so here: in the
//! whole run, whose blocks before it were others, a window would not have counted quite the same. The whole
//! run is another draw of the same process, with K windows. The interval of 95% is that of Student's t with m
//! − 1 degrees of freedom, over several launches with those by Satterthwaite's rule. A trend of R over the
//! launch counts as error, though a systematic sample follows it: then the interval is wider than it need be.
//!
//! The error is that of drawing. That STHLD has fewer intervals to settle in, and that the caches have seen
//! the blocks left out one after the other, is no part of it.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_trace::{Program, ThreadBlock};
use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

use super::Counters;

/// The two-sided confidence of the intervals.
const CONFIDENCE: f64 = 0.95;
/// Neighbouring windows in a batch, at least.
const BATCH: usize = 4;
/// Batches, at most.
const BATCHES: usize = 10;

/// Estimates of the whole run from the thread blocks drawn.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sample {
    /// The seed of the random starts.
    pub seed: u64,
    /// One cluster in so many was to be drawn.
    pub every: u64,
    /// Launches of the run.
    pub launches: u64,
    /// The launches whose thread blocks were not all simulated.
    pub sampled_launches: u64,
    /// Thread blocks of the run.
    pub blocks: u64,
    /// Thread blocks simulated.
    pub simulated_blocks: u64,
    /// Share of the thread blocks that were simulated.
    pub share: f64,
    /// Cycles of the whole run.
    pub cycles: Estimate,
    /// Warp instructions of the whole run, which are known.
    pub warp_instructions: u64,
    /// Warp instructions per cycle.
    pub ipc: Estimate,
    /// Source registers read by the whole run, which are known.
    pub operand_reads: u64,
    /// The ones of them that the collectors or caches served.
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

impl Estimate {
    /// So many times of it.
    pub(crate) fn scaled(self, factor: f64) -> Estimate {
        let Estimate { value, standard_error, low, high } = self;
        let [value, standard_error, low, high] = [value, standard_error, low, high].map(|part| factor * part);
        Estimate { value, standard_error, low, high }
    }

    /// A known number divided by it; 0 by nothing. The error is that to first order.
    pub(crate) fn divides(self, number: f64) -> Estimate {
        if self.value == 0.0 {
            return self;
        }
        let value = number / self.value;
        let Estimate { standard_error, low, high, .. } = self.scaled(value / self.value);
        Estimate { value, standard_error, low: 2.0 * value - high, high: 2.0 * value - low }
    }
}

/// Counts that a launch's stream alone gives of thread blocks.
#[derive(Clone, Copy, Debug, Default, BorshSerialize, BorshDeserialize)]
pub(crate) struct Stream {
    pub blocks: u64,
    pub warp_instructions: u64,
    pub operand_reads: u64,
}

impl Stream {
    /// Counts a block, whose instructions are those of `program`.
    pub fn count(&mut self, block: &ThreadBlock, program: &Program) {
        self.blocks += 1;
        for warp in &block.warps {
            self.warp_instructions += warp.instructions.len() as u64;
            let sources =
                warp.instructions.iter().map(|dynamic| program[dynamic.static_index].sources.len() as u64);
            self.operand_reads += sources.sum::<u64>();
        }
    }

    fn add(self, other: &Stream) -> Stream {
        Stream {
            blocks: self.blocks + other.blocks,
            warp_instructions: self.warp_instructions + other.warp_instructions,
            operand_reads: self.operand_reads + other.operand_reads,
        }
    }
}

/// Counts that are known of the whole run, and tell how much of it was left out.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Auxiliary {
    Instructions,
    OperandReads,
}

impl Auxiliary {
    fn counted(self, counters: &Counters) -> f64 {
        match self {
            Auxiliary::Instructions => counters.warp_instructions as f64,
            Auxiliary::OperandReads => counters.operand_reads as f64,
        }
    }

    fn known(self, stream: &Stream) -> f64 {
        match self {
            Auxiliary::Instructions => stream.warp_instructions as f64,
            Auxiliary::OperandReads => stream.operand_reads as f64,
        }
    }
}

/// Counts of a launch that was sampled.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub(crate) struct Draw {
    /// In all of it that was simulated.
    pub simulated: Counters,
    /// Clusters that could have been drawn.
    pub clusters: u64,
    /// In the window of each cluster drawn, in order; the sum over the SMs, also of cycles.
    pub windows: Vec<Counters>,
    /// The shares of each SM.
    pub shares: Vec<Share>,
}

/// An SM's share of a launch.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub(crate) struct Share {
    /// The stream of all its blocks.
    pub stream: Stream,
    /// In those simulated, until the last of them ended.
    pub simulated: Counters,
}

/// The events of a launch as the windows tell them.
struct Regression {
    /// Events for each of the auxiliary variable.
    slope: f64,
    /// The variance of the slope.
    variance: f64,
    /// The degrees of freedom of the variance.
    freedom: f64,
}

/// Events of a kind.
type Events = fn(&Counters) -> u64;

impl Draw {
    /// The counts of the launch's stream.
    pub fn stream(&self) -> Stream {
        self.shares.iter().fold(Stream::default(), |sum, share| sum.add(&share.stream))
    }

    fn regression(&self, events: Events, auxiliary: Auxiliary) -> Regression {
        let pairs: Vec<(f64, f64)> =
            self.windows.iter().map(|window| (events(window) as f64, auxiliary.counted(window))).collect();
        let (y, x) = pairs.iter().fold((0.0, 0.0), |sum, pair| (sum.0 + pair.0, sum.1 + pair.1));
        if x == 0.0 {
            return Regression { slope: 0.0, variance: 0.0, freedom: 1.0 };
        }
        let slope = y / x;
        let residuals: Vec<f64> = pairs.iter().map(|(y, x)| y - slope * x).collect();
        let count = (residuals.len() / BATCH).clamp(2, BATCHES);
        let batch = |number: usize| number * residuals.len() / count;
        let sums = (0..count).map(|number| residuals[batch(number)..batch(number + 1)].iter().sum::<f64>());
        let (batches, squares) = (count as f64, sums.map(|sum| sum * sum).sum::<f64>());
        let share = residuals.len() as f64 / self.clusters as f64;
        let variance = (1.0 + share) * batches / (batches - 1.0) * squares / (x * x);
        Regression { slope, variance, freedom: batches - 1.0 }
    }
}

/// The counts that are estimated from.
pub(crate) struct Draws<'a> {
    /// The launches that were sampled.
    pub draws: &'a [Draw],
    /// Counts of those that were simulated whole.
    pub whole: Counters,
}

impl Draws<'_> {
    /// Warp instructions of the whole run.
    pub fn warp_instructions(&self) -> u64 {
        let launches = self.draws.iter().map(|draw| draw.stream().warp_instructions);
        self.whole.warp_instructions + launches.sum::<u64>()
    }

    /// Source registers that they read.
    pub fn operand_reads(&self) -> u64 {
        let launches = self.draws.iter().map(|draw| draw.stream().operand_reads);
        self.whole.operand_reads + launches.sum::<u64>()
    }

    /// How often something happens in the whole run.
    pub fn events(&self, events: Events, auxiliary: Auxiliary) -> Estimate {
        let launch = |draw: &Draw| {
            let Regression { slope, variance, freedom } = draw.regression(events, auxiliary);
            let known = auxiliary.known(&draw.stream());
            let left_out = known - auxiliary.counted(&draw.simulated);
            (events(&draw.simulated) as f64 + slope * left_out, known * known * variance, freedom)
        };
        estimate(events(&self.whole) as f64, self.draws.iter().map(launch))
    }

    /// Cycles of the whole run.
    pub fn cycles(&self) -> Estimate {
        let cycles: Events = |counters| counters.cycles;
        let auxiliary = Auxiliary::Instructions;
        let launch = |draw: &Draw| {
            let Regression { slope, variance, freedom } = draw.regression(cycles, auxiliary);
            let of = |Share { stream, simulated }: &Share| {
                let known = auxiliary.known(stream);
                (cycles(simulated) as f64 + slope * (known - auxiliary.counted(simulated)), known)
            };
            let shares = draw.shares.iter().map(of);
            let (longest, known) =
                shares.max_by(|one, other| one.0.total_cmp(&other.0)).expect("a GPU has an SM");
            (longest, known * known * variance, freedom)
        };
        estimate(self.whole.cycles as f64, self.draws.iter().map(launch))
    }
}

/// A sum of what is known and of launches, each with its variance and the degrees of freedom of that.
fn estimate(known: f64, launches: impl Iterator<Item = (f64, f64, f64)>) -> Estimate {
    let (mut value, mut variance, mut spread) = (known, 0.0, 0.0);
    for (launch, of_launch, freedom) in launches {
        value += launch;
        variance += of_launch;
        spread += of_launch * of_launch / freedom;
    }
    let standard_error = f64::sqrt(variance);
    let half = match spread > 0.0 {
        true => {
            let student = StudentsT::new(0.0, 1.0, variance * variance / spread);
            let student = student.expect("a positive number of degrees of freedom");
            standard_error * student.inverse_cdf((1.0 + CONFIDENCE) / 2.0)
        }
        false => 0.0,
    };
    Estimate { value, standard_error, low: value - half, high: value + half }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counters(cycles: u64, warp_instructions: u64) -> Counters {
        Counters { cycles, warp_instructions, ..Counters::default() }
    }

    /// A launch on one SM whose start and end take 100 cycles and 50 instructions.
    fn draw(windows: &[(u64, u64)], warp_instructions: u64) -> Draw {
        let windows: Vec<Counters> = windows.iter().map(|&(cycles, count)| counters(cycles, count)).collect();
        let mut simulated = counters(100, 50);
        windows.iter().for_each(|window| simulated.add(window));
        let stream = Stream { blocks: 0, warp_instructions, operand_reads: 0 };
        Draw { simulated, clusters: 96, windows, shares: vec![Share { stream, simulated }] }
    }

    fn cycles(draws: &[Draw]) -> Estimate {
        Draws { draws, whole: Counters::default() }.cycles()
    }

    #[test]
    fn what_is_in_proportion_to_the_instructions_is_known_without_error() {
        let windows: Vec<(u64, u64)> =
            (1..=24).map(|number| (3 * number * number, number * number)).collect();
        let drawn: u64 = windows.iter().map(|window| window.1).sum();
        let Estimate { value, standard_error, .. } = cycles(&[draw(&windows, 50 + 10 * drawn)]);
        assert_eq!((value, standard_error), ((100 + 30 * drawn) as f64, 0.0));
    }

    #[test]
    fn the_variance_is_that_of_batches() {
        // Six batches of four: sums of the residuals are 8, -8, 8, -8, 8, -8.
        let window = |number: usize| if number / 4 % 2 == 0 { (12, 10) } else { (8, 10) };
        let windows: Vec<(u64, u64)> = (0..24).map(window).collect();
        let launch = draw(&windows, 50 + 960);
        let one = cycles(std::slice::from_ref(&launch));
        assert_eq!(one.value, (100 + 960) as f64);
        // A quarter of the 96 clusters was drawn.
        let variance = f64::powi(1010.0 / 240.0, 2) * 1.25 * (6.0 / 5.0) * 6.0 * 8.0 * 8.0;
        assert!((one.standard_error - variance.sqrt()).abs() < 1e-9 * one.standard_error, "{one:?}");
        // Student's t of 5 degrees of freedom is 2.571.
        let half = one.high - one.value;
        assert!((half / one.standard_error - 2.571).abs() < 0.001 && one.low == one.value - half, "{one:?}");
        // Two launches: twice the variance, and twice the degrees of freedom, so that t is 2.228.
        let two = cycles(&[launch.clone(), launch]);
        assert!((two.standard_error / one.standard_error - 2f64.sqrt()).abs() < 1e-9);
        assert!(((two.high - two.value) / two.standard_error - 2.228).abs() < 0.001, "{two:?}");
    }

    #[test]
    fn what_swings_within_a_batch_is_no_error_and_what_lasts_as_long_is() {
        let of = |period: usize| {
            let window = |number: usize| if number / period % 2 == 0 { (12, 10) } else { (8, 10) };
            cycles(&[draw(&(0..24).map(window).collect::<Vec<_>>(), 50 + 960)]).standard_error
        };
        assert_eq!([of(1), of(2)], [0.0, 0.0]);
        assert!(of(4) > 0.0 && of(12) > 0.0);
    }

    #[test]
    fn a_launch_takes_as_long_as_the_sm_that_takes_longest() {
        let windows = [(30, 10); 24];
        let mut draw = draw(&windows, 480);
        // The second SM ended earlier, but more of its blocks were left out.
        let share = |cycles, instructions, left_out| Share {
            stream: Stream { blocks: 0, warp_instructions: instructions + left_out, operand_reads: 0 },
            simulated: counters(cycles, instructions),
        };
        draw.shares = vec![share(400, 130, 100), share(350, 120, 130)];
        let estimate = cycles(&[draw]);
        assert_eq!((estimate.value, estimate.standard_error), (350.0 + 3.0 * 130.0, 0.0));
    }

    #[test]
    fn what_never_happens_is_estimated_zero() {
        let draws = [draw(&[(30, 10); 24], 480)];
        let draws = Draws { draws: &draws, whole: Counters::default() };
        let none = Estimate { value: 0.0, standard_error: 0.0, low: 0.0, high: 0.0 };
        assert_eq!(draws.events(|counters| counters.hits, Auxiliary::OperandReads), none);
        assert_eq!(none.divides(3.0), none);
    }
}
