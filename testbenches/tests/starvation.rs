// SPDX-License-Identifier: Apache-2.0
//! How long the warp scheduler can pass over a warp that stays ready.

use gpurf_blocks::{Parameters, Scheduling, WarpId, WarpSet};
use gpurf_sim::issue::WarpScheduler;

/// For eight warps, the default.
const ALL_SETS: std::ops::RangeInclusive<WarpSet> = 0..=0xff;

fn warps() -> usize {
    Parameters::default().warps
}

/// The most issues of other warps before `warp` issues, whatever warps are ready beside it. `turn`: the
/// scheduler when the warp becomes ready.
fn most_passed_over(turn: &WarpScheduler, warp: WarpId, so_far: usize) -> usize {
    assert!(so_far <= warps(), "no bound");
    let choices = ALL_SETS.filter(|ready| ready & warp.bit() != 0);
    let mut next: Vec<WarpId> = choices.filter_map(|ready| turn.select(ready, || 0, 0)).collect();
    next.sort();
    next.dedup();
    let others = next.into_iter().filter(|&other| other != warp);
    let worst = others.map(|other| {
        let mut after = turn.clone();
        after.issue(other);
        1 + most_passed_over(&after, warp, so_far + 1)
    });
    worst.max().unwrap_or(0)
}

/// Exhaustive over all turns and all choices of ready warps; that the RTL does the same is what lockstep
/// shows.
#[test]
fn round_robin_passes_over_a_ready_warp_at_most_seven_times() {
    let parameters = Parameters { scheduling: Scheduling::LRR, ..Parameters::default() };
    let mut worst = 0;
    for warp in WarpId::all_of(*ALL_SETS.end()) {
        for last in WarpId::all_of(*ALL_SETS.end()) {
            let mut turn = WarpScheduler::new(&parameters);
            turn.issue(last);
            worst = worst.max(most_passed_over(&turn, warp, 0));
        }
    }
    assert_eq!(worst, warps() - 1);
}
