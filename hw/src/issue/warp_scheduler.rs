// SPDX-License-Identifier: Apache-2.0
//! Warp scheduler: W §5, F §IV-B1. Selects the warp that issues in this cycle.
//!
//! Under [`Scheduling::Malekeh`]
//!
//! 1. the warp that issued last, if it is ready;
//! 2. else the oldest ready one of those that have data in a collector;
//! 3. else the oldest ready one.
//!
//! [`Scheduling::Gto`] leaves step 2 out. [`Scheduling::Lrr`] goes around the warps
//! and passes over those that are not ready.
//!
//! * A warp is as old as the time since its launch. Of warps launched in one cycle the lower number is older.
//! * W does not name step 1; there age alone decides within a group.
//! * A warp whose own collector is occupied cannot issue. Under [`Occupied::Skip`] it counts as not ready;
//!   under [`Occupied::Stall`] it may be selected, and the cycle is lost.
//! * When a new warp takes the place of the one that issued last, nobody has issued last.
//!
//! How long a warp may starve that stays ready, while others issue:
//!
//! * Loose round robin: as many issues as there are other warps.
//! * Greedy then oldest: forever, while the warp that issued last stays ready. Once it is not, the oldest
//!   ready warp is next.
//! * Malekeh: forever, and even the oldest warp, while warps with data in collectors take turns; with
//!   greed or without.
//!
//! Nothing bounds the last two in hardware. They end because a warp stalls on its own dependences, and
//! because it ends.
//!
//! Timing: `select` answers in the same cycle. `issue` says whether the selected warp gets a collector; it
//! may depend on `select`. Ages and the warp issued last change in the next cycle.

use gpurf_blocks::{Occupied, Scheduling};
use rust_hdl::prelude::*;

use crate::cells::{AgeMatrix, RoundRobin};
use crate::dialect::{block, rtl, Register};
use crate::{monitor, watch};

#[block(
    title = "Warp scheduler",
    paper = "W §5, F §IV-B1",
    parameters(warps, collectors, scheduling, occupied),
    sizes(turning = usize::from(parameters.scheduling == Scheduling::Lrr), aged = 1 - turning, lasting = aged * warps)
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
    #[value(scheduling == Scheduling::Malekeh)]
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
