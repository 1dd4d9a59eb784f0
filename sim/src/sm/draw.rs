// SPDX-License-Identifier: Apache-2.0
//! Which thread blocks of a launch are simulated, if not all are.
//!
//! What is drawn are **clusters**: as many neighbouring blocks as are resident on all SMs at a time. A block
//! alone says little about the time that it takes, for it shares the SM with those launched around it, and
//! the caches with its neighbours in the grid; a cluster has its true neighbours beside it.
//!
//! The first two clusters, what is left when the rest is cut into clusters, and the last two are always
//! simulated: while the SM fills and its caches are cold, and while it drains, blocks take a time of their
//! own. Of the other clusters a **systematic sample** is drawn (W. G. Cochran, Sampling Techniques, 3rd ed.,
//! ch. 8): every k-th from a random start. If n of K clusters are drawn, k = K / n need be no whole number;
//! cluster i of the sample is ⌊(u + i K) / n⌋ for u drawn from 0 to K − 1, so that each cluster is drawn
//! with the probability n / K.
//!
//! The drawn blocks are launched as one stream, so that the SM never runs empty between clusters. As a
//! cluster's last block is launched, its blocks are those that are resident; they run while the next cluster
//! takes their place. Its **window** is from the launch of its last block to that of the next cluster's. What
//! is counted in a window, cycles, instructions, hits, is counted of the same work, whichever cluster's it
//! is: ratios are taken between counts of the same windows.
//!
//! The blocks that are not drawn are read all the same. Their instructions and operands are counted, so that
//! those of the whole launch are known. What they load and store is noted in the tags of L1 and L2 as the
//! next drawn block is launched, without taking time or bandwidth, block by block: **functional warming** (R.
//! E. Wunderlich et al., SMARTS, ISCA 2003). So the drawn blocks find in the caches what those before them
//! would have left there, about.

use std::ops::Range;
use std::sync::Arc;

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_trace::{MemoryAccess, MemorySpace, Program, ThreadBlock};

use super::code::Code;
use super::memory::{LoadStoreUnit, SectorAccess};
use crate::checkpoint::checkpoint;
use crate::statistics::{Counters, Draw, Share, Stream};

/// Clusters drawn of a launch at least: six batches of four, from which the error is estimated.
const LEAST_CLUSTERS: u64 = 24;
/// A launch is simulated whole if more than one of so many of its clusters would be drawn.
const WORTHWHILE: u64 = 2;
/// Clusters at the start that are always simulated.
const FIRST_CLUSTERS: u64 = 2;
/// Clusters at the end that are.
const LAST_CLUSTERS: u64 = 2;

/// How thread blocks are drawn from each launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Sampling {
    /// One cluster in so many, and 24 of a launch at least. A launch is simulated whole if that is more
    /// than half of it.
    pub every: u64,
    /// The seed of the random starts.
    pub seed: u64,
}

/// The clusters that are drawn of a launch.
#[derive(Clone, Debug)]
pub(super) struct ClusterPlan {
    /// Blocks at the start that are all simulated.
    first: u64,
    /// Blocks of a cluster.
    cluster: u64,
    /// Clusters that can be drawn; [`LAST_CLUSTERS`] more are behind them.
    clusters: u64,
    /// The ones drawn.
    drawn: u64,
    ranges: Arc<[Range<u64>]>,
}

impl ClusterPlan {
    /// The plan of a launch with so many thread blocks, if `resident` are on each of the SMs at a time.
    /// Nothing if it is to be simulated whole. `launch` is its number.
    pub fn new(sampling: Sampling, launch: u64, blocks: u64, resident: u64, sms: u64) -> Option<ClusterPlan> {
        let cluster = resident * sms;
        let clusters = (blocks / cluster).checked_sub(FIRST_CLUSTERS + LAST_CLUSTERS)?;
        let drawn = clusters.div_ceil(sampling.every).max(LEAST_CLUSTERS);
        if drawn * WORTHWHILE > clusters {
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
        let mut ranges: Vec<Range<u64>> = Vec::with_capacity(drawn as usize + 2);
        ranges.push(0..first);
        let last = blocks - LAST_CLUSTERS * cluster;
        for begin in (0..drawn).map(begin).chain([last]) {
            match ranges.last_mut() {
                Some(last) if last.end == begin => last.end += cluster,
                _ => ranges.push(begin..begin + cluster),
            }
        }
        ranges.last_mut()?.end = blocks;
        Some(ClusterPlan { first, cluster, clusters, drawn, ranges: ranges.into() })
    }

    /// Returns true if the block of this number, from 0, is simulated.
    pub fn contains(&self, number: u64) -> bool {
        let next = self.ranges.partition_point(|range| range.end <= number);
        self.ranges.get(next).is_some_and(|range| range.contains(&number))
    }

    /// When an SM takes note of its counters: as it launches the block of these numbers, from 1, among those
    /// that come to it.
    /// `share` is the remainder of its blocks' numbers, by how many.
    fn marks(&self, (own, count): (u64, u64)) -> impl Iterator<Item = u64> {
        let first = (0..self.first).filter(|number| number % count == own).count() as u64;
        let each = self.cluster / count;
        (1..=self.drawn + 1).map(move |number| first + number * each)
    }
}

/// Findings of an SM from a launch whose blocks are not all simulated.
pub(super) struct Drawing {
    plan: ClusterPlan,
    /// Which blocks come to the SM: those whose number leaves this remainder, by how many.
    share: (u64, u64),
    /// The statistics of all of them, simulated or not.
    pub stream: Stream,
    /// Blocks to be simulated that were read.
    wanted: u64,
    /// The numbers of the blocks at whose launch counters are noted, last one first.
    awaited: Vec<u64>,
    noted: Vec<Counters>,
    /// As the SM's last block ended.
    end: Option<Counters>,
    /// Accesses of the blocks that come before the next block to be simulated, and are not simulated.
    passed: Vec<(MemoryAccess, SectorAccess)>,
}

checkpoint! {
    [] Drawing {
        values: stream wanted awaited noted end passed;
        fixed: plan share;
    }
}

impl Drawing {
    /// On the SM with this share of the blocks.
    pub fn new(plan: &ClusterPlan, share: (u64, u64)) -> Drawing {
        let mut awaited: Vec<u64> = plan.marks(share).collect();
        awaited.reverse();
        let plan = plan.clone();
        let stream = Stream::default();
        Drawing { plan, share, stream, wanted: 0, awaited, noted: vec![], end: None, passed: vec![] }
    }

    /// The SM's next block is read: its number among those to be simulated, from 1; nothing if it is none of
    /// them.
    pub fn read(&mut self, block: &ThreadBlock, program: &Program) -> Option<u64> {
        let (own, count) = self.share;
        let number = own + self.stream.blocks * count;
        self.stream.count(block, program);
        let wanted = self.plan.contains(number);
        self.wanted += u64::from(wanted);
        wanted.then_some(self.wanted)
    }

    /// A block is launched, of this number among those to be simulated.
    pub fn launch(&mut self, number: u64, counters: &Counters) {
        // Blocks without instructions are not launched.
        while self.awaited.last().is_some_and(|&awaited| awaited <= number) {
            self.awaited.pop();
            self.noted.push(*counters);
        }
    }

    /// A block is read that is not simulated. Of what it loads and stores, local memory is left out: its
    /// words are the thread's alone, and lie where the block's slot on the SM says.
    pub fn pass<T: Copy>(&mut self, block: &ThreadBlock, code: &Code, unit: &mut LoadStoreUnit<T>) {
        for instruction in block.warps.iter().flat_map(|warp| &warp.instructions) {
            let decoded = code.of(instruction);
            let (Some(memory), Some(first)) = (decoded.memory, block.first_address(instruction)) else {
                continue;
            };
            let space = match memory.space {
                MemorySpace::Generic => code.header.space_of(first),
                space => space,
            };
            if space == MemorySpace::Global {
                let sectors = unit.sectors(decoded.width, &block.addresses(instruction));
                self.passed.extend(sectors.map(|sector| (memory.access, sector)));
            }
        }
    }

    /// The blocks passed would have run by now: the caches take note of what they load and store.
    pub fn warm<T: Copy>(&mut self, unit: &mut LoadStoreUnit<T>, now: u64) {
        self.passed.drain(..).for_each(|(access, sector)| unit.warm(now, access, sector));
    }

    /// All blocks are read. The last ones may have had no instruction.
    pub fn end_stream(&mut self, counters: &Counters) {
        self.launch(self.wanted, counters);
    }

    /// No block is left on the SM.
    pub fn end(&mut self, counters: &Counters) {
        self.end.get_or_insert(*counters);
    }
}

/// The counts of a sampled launch, from the findings of all SMs, each with its counters before. `counters`
/// has all that it simulated.
pub(super) fn observe(plan: &ClusterPlan, found: &[(Drawing, Counters)], counters: Counters) -> Draw {
    let window = |number: usize| {
        let mut window = Counters::default();
        for (Drawing { noted, .. }, _) in found {
            if let [Some(before), Some(after)] = [noted.get(number), noted.get(number + 1)] {
                window.add(&after.since(before));
            }
        }
        window
    };
    let share = |(drawing, before): &(Drawing, Counters)| Share {
        stream: drawing.stream,
        simulated: drawing.end.unwrap_or(*before).since(before),
    };
    Draw {
        simulated: counters,
        clusters: plan.clusters,
        windows: (0..plan.drawn as usize).map(window).collect(),
        shares: found.iter().map(share).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(seed: u64, every: u64, blocks: u64, resident: u64, sms: u64) -> ClusterPlan {
        ClusterPlan::new(Sampling { every, seed }, 0, blocks, resident, sms).expect("enough blocks")
    }

    #[test]
    fn every_cluster_is_drawn_as_often_as_any_other() {
        let mut often = vec![0u32; 100];
        for seed in 0..20_000 {
            let plan = plan(seed, 4, 4 * 12 + 5 + 100 * 12, 4, 3);
            assert_eq!((plan.first, plan.cluster, plan.clusters, plan.drawn), (29, 12, 100, 25));
            assert!((0..29).chain(1229..1253).all(|number| plan.contains(number)));
            for (number, often) in often.iter_mut().enumerate() {
                let begin = 29 + 12 * number as u64;
                let blocks = (begin..begin + 12).filter(|&block| plan.contains(block)).count();
                assert!(blocks == 0 || blocks == 12, "clusters are drawn whole");
                *often += u32::from(blocks == 12);
            }
        }
        // 5,000 of 20,000 draws, with a standard deviation of 61.
        assert_eq!(often.iter().sum::<u32>(), 25 * 20_000);
        assert!(often.iter().all(|&often| often.abs_diff(5_000) < 300), "{often:?}");
    }

    #[test]
    fn marks_stand_at_the_last_block_of_each_cluster_on_every_sm() {
        let plan = plan(3, 5, 403, 2, 3);
        for own in 0..3 {
            let blocks: Vec<u64> = (0..403).filter(|&n| plan.contains(n) && n % 3 == own).collect();
            let marks: Vec<u64> = plan.marks((own, 3)).collect();
            // One cluster is behind the one that the last window begins with.
            assert_eq!(*marks.last().unwrap() + 2, blocks.len() as u64);
            for (number, &mark) in marks.iter().enumerate() {
                let last = blocks[mark as usize - 1];
                assert!(last >= plan.first && (last + 3 - plan.first) % plan.cluster < 3, "{number}: {last}");
            }
        }
    }

    #[test]
    fn a_launch_with_few_clusters_is_simulated_whole() {
        let sampling = Sampling { every: 64, seed: 1 };
        assert!(ClusterPlan::new(sampling, 0, 51 * 4, 4, 1).is_none());
        assert!(ClusterPlan::new(sampling, 0, 51 * 4 + 3, 4, 1).is_none());
        assert!(ClusterPlan::new(sampling, 0, 52 * 4, 4, 1).is_some());
        assert!(ClusterPlan::new(sampling, 0, 3, 4, 1).is_none());
    }
}
