// SPDX-License-Identifier: Apache-2.0
//! Warp scheduler: W §5, F §IV-B1.
//!
//! It selects the warp that issues in this cycle. Under `malekeh` it selects
//!
//! 1. the warp that issued last, if it is ready;
//! 2. else the oldest ready one of those that have data in a collector;
//! 3. else the oldest ready one.
//!
//! `gto`, greedy then oldest, leaves step 2 out. `lrr`, loose round robin, goes around the warps and passes
//! over those that are not ready.
//!
//! # Timing
//!
//! `select` answers in the same cycle. `issue` may depend on it: it is the `granted` of the
//! [allocator](collector_allocator.md). Ages and the warp issued last change in the next cycle.
//!
//! ```text
//! cycle          0       1       2       3
//! ready          3       0 3 6   0 6     0 6
//! owned          -       6       6       -
//! issue          1       1       1       0
//! warp           3       3       6       6      (malekeh; under gto 3 3 0 0)
//! ```
//!
//! # Decisions
//!
//! - **`skip` or `stall`.** A warp whose own collector is occupied cannot issue. F §IV-B "issues an
//!   instruction only if there is a ready warp and a free CCU; otherwise, the issue stage is stalled" allows
//!   both readings: such a warp counts as not ready, or it is selected and the cycle is lost.
//! - **Age** is the time since launch. Of warps launched in one cycle the lower number is the older
//!   ([age_matrix](age_matrix.md)). The papers do not define it.
//! - **W without step 1.** W §5 lets age alone decide within a group; F §IV-B1 adds the warp issued last. F
//!   is built.
//! - When a new warp takes the place of the one that issued last, nobody has issued last.
//! - Only an issue counts as issued: a warp that was selected and got no collector leaves no trace.
//!
//! # Starvation
//!
//! How long a warp that stays ready may be passed over while others issue:
//!
//! | policy | bound | shown by |
//! |---|---|---|
//! | `lrr` | 7 issues, one of each other warp | exhaustive search over all turns and all choices of ready warps (`cargo test -p gpurf-testbenches starvation::`); checked in every cycle of random stimulus |
//! | `gto` | none: a warp that stays ready starves the oldest | scenario `greed_has_no_bound` |
//! | `malekeh` | none, also without greed: two warps with data that take turns starve the oldest | scenarios `greed_has_no_bound`, `preference_has_no_bound` |
//!
//! The program bounds the last two: a warp depends on its own results, waits at barriers, and ends.
//! Under `stall` the `lrr` bound counts issues, not cycles; a warp that is selected and cannot issue costs
//! cycles.
//!
//! # Storage
//!
//! 36 bits: 28 of the age matrix and the warp issued last as 8. Under `lrr` 8 bits of the
//! [turn](round_robin.md).

use gpurf_blocks::{Occupied, WarpOrder};
use rust_hdl::prelude::*;

use crate::cells::{AgeMatrix, RoundRobin};
use crate::dialect::{block, rtl, Register};
use crate::{monitor, watch};

#[block(
    title = "Warp scheduler",
    paper = "W §5, F §IV-B1",
    parameters(warps, collectors, scheduling, occupied),
    sizes(
        turning = usize::from(parameters.scheduling.order == WarpOrder::Turn),
        aged = 1 - turning,
        lasting = usize::from(parameters.scheduling.is_greedy) * warps
    )
)]
pub struct WarpScheduler {
    /// The warp has an instruction that depends on nothing under way.
    pub ready: In<[Bit; warps]>,
    /// A new warp starts here; it is not ready yet.
    pub launch: In<[Bit; warps]>,
    /// The collector holds an instruction.
    pub occupied: In<[Bit; collectors]>,
    /// Port R: the collector belongs to a warp.
    pub owned: In<[Bit; collectors]>,
    /// Port R: warp that the collector belongs to.
    pub held_warp: In<[Bits<4>; collectors]>,
    /// The selected warp issues; some warp must be selected.
    pub issue: In<Bit>,

    /// The warp is selected. At most one is high.
    pub select: Out<[Bit; warps]>,
    /// A warp is selected.
    pub selected: Out<Bit>,
    /// Number of the selected warp; 0 if none is.
    pub warp: Out<Bits<4>>,

    /// The warp has data in a collector, and that one is occupied.
    has_data: Local<[Bit; warps]>,
    is_blocked: Local<[Bit; warps]>,
    candidate: Local<[Bit; warps]>,
    any_last: Local<Bit>,
    any_data: Local<Bit>,
    eligible: Local<[Bit; warps]>,
    /// The warp issued last.
    last: Register<[Bit; lasting]>,
    /// The order among equals: one of these two exists.
    #[with(warps)]
    ages: [AgeMatrix; aged],
    #[with(warps)]
    turns: [RoundRobin; turning],
    #[value(|number| number)]
    number: Constant<[Bits<4>; warps]>,
    #[value(parameters.scheduling.prefers_data)]
    prefers_data: Constant<Bit>,
    #[value(parameters.occupied == Occupied::Skip)]
    skips: Constant<Bit>,
}

watch!(WarpScheduler: [
    "misuse if issue && !selected: an instruction issues, and no warp is selected",
    "misuse for w in launch if launch[w] && ready[w]: warp {w} begins, and is ready",
    "fault for w in select if select[w] && !ready[w]: warp {w} is selected, and not ready",
    "fault for w in select for x in select if w < x && select[w] && select[x]: warps {w} and {x} are \
        selected",
]);

monitor!(WarpScheduler: "warp_scheduler_monitor.v");

#[rtl]
impl WarpScheduler {
    /// Who could issue, and the group that goes first.
    fn candidates() {
        any_last = false;
        any_data = false;
        for w in 0..warps {
            has_data[w] = false;
            is_blocked[w] = false;
            for c in 0..collectors {
                if owned[c] & (held_warp[c] == number[w]) {
                    has_data[w] = true;
                    is_blocked[w] = occupied[c];
                }
            }
            candidate[w] = ready[w] & !(is_blocked[w] & skips);
            any_data |= (candidate[w] & has_data[w]);
        }
        for w in 0..lasting {
            any_last |= (candidate[w] & last[w]);
        }
        for w in 0..warps {
            eligible[w] = if prefers_data & any_data { candidate[w] & has_data[w] } else { candidate[w] };
        }
        for w in 0..lasting {
            if any_last {
                eligible[w] = candidate[w] & last[w];
            }
        }
    }

    /// The order within the group.
    fn order() {
        for a in 0..aged {
            for w in 0..warps {
                ages[a].request[w] = eligible[w];
                ages[a].renew[w] = launch[w];
                select[w] = ages[a].oldest[w];
            }
        }
        for a in 0..turning {
            turns[a].advance = issue;
            for w in 0..warps {
                turns[a].request[w] = eligible[w];
                select[w] = turns[a].grant[w];
            }
        }
        selected = false;
        warp = 0;
        for w in 0..warps {
            if select[w] {
                selected = true;
                warp = number[w];
            }
        }
        for w in 0..lasting {
            last[w].load(issue | launch[w], issue & select[w]);
        }
    }
}
