//! Which thread blocks of a launch are simulated, if not all are.
//!
//! What is drawn are **clusters**: as many neighbouring blocks as are resident on all SMs at a time. A block alone says
//! little about the time that it takes, for it shares the SM with those launched around it, and the caches with its
//! neighbours in the grid; a cluster has its true neighbours beside it.
//!
//! The first two clusters, what is left when the rest is cut into clusters, and the last cluster are always simulated: while
//! the SM fills and its caches are cold, and while it drains, blocks take a time of their own. Of the other clusters a **systematic sample** is drawn
//! (W. G. Cochran, Sampling Techniques, 3rd ed., ch. 8): every k-th from a random start. With K clusters of which n are
//! drawn, k = K / n need be no whole number; cluster i of the sample is ⌊(u + i K) / n⌋ for u drawn from 0 to K − 1, so
//! that each cluster is drawn with the probability n / K.
//!
//! The drawn blocks are launched as one stream, so that the SM never runs empty between clusters. As a cluster's last block
//! is launched, its blocks are those that are resident; they run while the next cluster takes their place. A cluster's cost is
//! what is counted from the launch of its last block to that of the next cluster's: that many blocks have ended meanwhile.

use std::ops::Range;
use std::sync::Arc;

use gpurf_trace::Selection;

use crate::statistics::{Counters, Draw};

/// Clusters drawn of a launch at least; with fewer, the error can hardly be estimated.
const LEAST_CLUSTERS: u64 = 8;
/// Clusters at the start that are always simulated.
const FIRST_CLUSTERS: u64 = 2;
/// Clusters at the end that are.
const LAST_CLUSTERS: u64 = 1;

/// How thread blocks are drawn from each launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampling {
    /// One cluster in so many, and 8 of a launch at least; a launch with fewer is simulated whole.
    pub every: u64,
    /// Of the random starts.
    pub seed: u64,
}

/// What is drawn of a launch.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// Blocks at the start that are all simulated.
    first: u64,
    /// Blocks of a cluster.
    cluster: u64,
    /// Clusters that can be drawn; one more is behind them.
    clusters: u64,
    /// Those drawn.
    drawn: u64,
    ranges: Arc<[Range<u64>]>,
}

impl Plan {
    /// Of a launch with so many thread blocks, of which `resident` are on each of the SMs at a time. Nothing if it is to be
    /// simulated whole. `launch` is its number.
    pub fn new(sampling: Sampling, launch: u64, blocks: u64, resident: u64, sms: u64) -> Option<Plan> {
        let cluster = resident * sms;
        let clusters = (blocks / cluster).checked_sub(FIRST_CLUSTERS + LAST_CLUSTERS)?;
        let drawn = clusters.div_ceil(sampling.every).max(LEAST_CLUSTERS);
        if drawn >= clusters {
            return None;
        }
        let first = blocks - (clusters + LAST_CLUSTERS) * cluster;
        // Launches of a run have starts of their own.
        let mut random = fastrand::Rng::with_seed(sampling.seed);
        let start = (0..=launch).map(|_| random.u64(..)).last()? % clusters;
        let begin = |number: u64| {
            let index = u128::from(start) + u128::from(number) * u128::from(clusters);
            first + (index / u128::from(drawn)) as u64 * cluster
        };
        let mut ranges = vec![0..first];
        let last = blocks - LAST_CLUSTERS * cluster;
        for begin in (0..drawn).map(begin).chain([last]) {
            match ranges.last_mut() {
                Some(last) if last.end == begin => last.end += cluster,
                _ => ranges.push(begin..begin + cluster),
            }
        }
        Some(Plan { first, cluster, clusters, drawn, ranges: ranges.into() })
    }

    /// The blocks that are simulated.
    pub fn selection(&self) -> Selection {
        Selection::all().drawn(Arc::clone(&self.ranges))
    }

    /// When an SM takes note of its counters: as it launches the block of these numbers, from 1, among those that come to it.
    /// `share` is the remainder of its blocks' numbers, by how many.
    fn marks(&self, (own, count): (u64, u64)) -> impl Iterator<Item = u64> {
        let first = (0..self.first).filter(|number| number % count == own).count() as u64;
        let each = self.cluster / count;
        (1..=self.drawn + LAST_CLUSTERS).map(move |number| first + number * each)
    }
}

/// An SM's counters at the ends of clusters.
#[derive(Default)]
pub(super) struct Marks {
    /// The numbers of the blocks at whose launch they are noted, last one first.
    awaited: Vec<u64>,
    pub noted: Vec<Counters>,
}

impl Marks {
    /// Of the SM with this share of the blocks.
    pub fn new(plan: &Plan, share: (u64, u64)) -> Marks {
        let mut awaited: Vec<u64> = plan.marks(share).collect();
        awaited.reverse();
        Marks { awaited, noted: vec![] }
    }

    /// A block is launched, of this number from 1 among those that came to the SM.
    pub fn launch(&mut self, number: u64, counters: &Counters) {
        // Blocks without instructions are not launched.
        while self.awaited.last().is_some_and(|&awaited| awaited <= number) {
            self.awaited.pop();
            self.noted.push(*counters);
        }
    }
}

/// What a sampled launch tells, from the marks of all SMs; `counters` of all it simulated.
pub(super) fn observe(plan: &Plan, marks: &[Marks], counters: Counters) -> Draw {
    let cost = |number: usize| {
        let mut cost = Counters::default();
        for Marks { noted, .. } in marks {
            if let [Some(before), Some(after)] = [noted.get(number), noted.get(number + 1)] {
                cost.add(&after.since(before));
            }
        }
        cost
    };
    let drawn = (0..plan.drawn as usize).map(cost).collect();
    Draw { simulated: counters, clusters: plan.clusters, drawn, sms: marks.len() as u64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(seed: u64, every: u64, blocks: u64, resident: u64, sms: u64) -> Plan {
        Plan::new(Sampling { every, seed }, 0, blocks, resident, sms).expect("enough blocks")
    }

    #[test]
    fn every_cluster_is_drawn_as_often_as_any_other() {
        let mut often = vec![0u32; 100];
        for seed in 0..20_000 {
            let plan = plan(seed, 7, 3 * 12 + 5 + 100 * 12, 4, 3);
            assert_eq!((plan.first, plan.cluster, plan.clusters, plan.drawn), (29, 12, 100, 15));
            let wanted = plan.selection();
            assert!((0..29).chain(1229..1241).all(|number| wanted.contains(number)));
            for (number, often) in often.iter_mut().enumerate() {
                let begin = 29 + 12 * number as u64;
                let blocks = (begin..begin + 12).filter(|&block| wanted.contains(block)).count();
                assert!(blocks == 0 || blocks == 12, "clusters are drawn whole");
                *often += u32::from(blocks == 12);
            }
        }
        // 3,000 of 20,000 draws, with a standard deviation of 50.
        assert_eq!(often.iter().sum::<u32>(), 15 * 20_000);
        assert!(often.iter().all(|&often| often.abs_diff(3_000) < 250), "{often:?}");
    }

    #[test]
    fn marks_stand_at_the_last_block_of_each_cluster_on_every_sm() {
        let plan = plan(3, 5, 163, 2, 3);
        let wanted = plan.selection();
        for own in 0..3 {
            let blocks: Vec<u64> = (0..163).filter(|&n| wanted.contains(n) && n % 3 == own).collect();
            let marks: Vec<u64> = plan.marks((own, 3)).collect();
            assert_eq!(*marks.last().unwrap(), blocks.len() as u64);
            for (number, &mark) in marks.iter().enumerate() {
                let last = blocks[mark as usize - 1];
                assert!(last >= plan.first && (last + 3 - plan.first) % plan.cluster < 3, "{number}: {last}");
            }
        }
    }

    #[test]
    fn a_launch_with_few_clusters_is_simulated_whole() {
        let sampling = Sampling { every: 64, seed: 1 };
        assert!(Plan::new(sampling, 0, 11 * 4, 4, 1).is_none());
        assert!(Plan::new(sampling, 0, 11 * 4 + 3, 4, 1).is_none());
        assert!(Plan::new(sampling, 0, 12 * 4, 4, 1).is_some());
        assert!(Plan::new(sampling, 0, 3, 4, 1).is_none());
    }
}
