// SPDX-License-Identifier: Apache-2.0
//! Compiler-guided greedy-then-youngest scheduler: H §5.1.2. It selects the warp that issues in this cycle.
//!
//! 1. The warp that issued last, while it is eligible;
//! 2. else the youngest eligible one.
//!
//! The compiler guides it: a stall count, a yield bit and dependence counters say whether a warp is eligible.
//!
//! A fixed-latency instruction looks its constant up as it issues. One that misses holds the scheduler: its
//! warp stays selected and nothing issues, for `constant_wait` cycles. From then on warps whose constants
//! miss are passed over, until some warp issues.
//!
//! A warp is as old as the time since its launch. Of warps launched in one cycle the lower number is older.
//! When a new warp takes the place of the one that issued last, nobody has issued last. A ready warp may
//! starve forever while younger ones stay eligible. It ends because they stall, and because they end.
//!
//! `select` and `issue` answer in the same cycle. What is remembered changes in the next.

use rust_hdl::prelude::*;

use crate::cells::YouthMatrix;
use crate::dialect::{block, rtl, Register};
use crate::watch;

#[block(title = "Greedy-then-youngest scheduler", paper = "H §5.1.2", parameters(warps, constant_wait))]
pub struct CggtyScheduler {
    /// The warp has an instruction that waits for nothing but its constant.
    pub eligible: In<[Bit; warps]>,
    /// The constant that it names is not there.
    pub misses: In<[Bit; warps]>,
    /// A new warp starts here; it is not eligible yet.
    pub launch: In<[Bit; warps]>,
    /// An instruction can leave the scheduler in this cycle.
    pub open: In<Bit>,

    /// The selected warp. At most one is high.
    pub select: Out<[Bit; warps]>,
    /// It issues.
    pub issue: Out<Bit>,
    /// Which warp that is; 0 if none does.
    pub warp: Out<Bits<4>>,
    /// Event: the selected warp waits for a constant, and nothing issues.
    pub waits: Out<Bit>,

    candidate: Local<[Bit; warps]>,
    any_last: Local<Bit>,
    chosen: Local<[Bit; warps]>,
    selected: Local<Bit>,
    missing: Local<Bit>,
    /// The warp that issued last, or holds the scheduler.
    last: Register<[Bit; warps]>,
    /// Cycles that the scheduler has been held.
    held: Register<Bits<3>>,
    #[with(warps)]
    ages: YouthMatrix,
    #[value(|number| number)]
    number: Constant<[Bits<4>; warps]>,
    #[value(constant_wait)]
    longest: Constant<Bits<3>>,
}

watch!(CggtyScheduler: [
    "constant(warp = warp) if waits: wait {held + 1} for a constant",
    "misuse for w in launch if launch[w] && eligible[w]: warp {w} begins, and is eligible",
    "fault for w in select if select[w] && !eligible[w]: warp {w} is selected, and not eligible",
    "fault for w in select for x in select if w < x && select[w] && select[x]: warps {w} and {x} are \
        selected",
    "fault if issue && waits: the selected warp waits and issues",
    "fault if issue && !open: an instruction issues into a pipeline that stands",
]);

#[rtl]
impl CggtyScheduler {
    fn select() {
        let passes_over: Bit = held == longest;
        any_last = false;
        for w in 0..warps {
            candidate[w] = eligible[w] & !(misses[w] & passes_over);
            any_last |= (candidate[w] & last[w]);
        }
        for w in 0..warps {
            ages.request[w] = candidate[w];
            ages.renew[w] = launch[w];
            chosen[w] = if any_last { candidate[w] & last[w] } else { ages.youngest[w] };
            select[w] = chosen[w];
        }
    }

    fn issue() {
        selected = false;
        missing = false;
        warp = 0;
        for w in 0..warps {
            if chosen[w] {
                selected = true;
                missing = misses[w];
            }
        }
        let issues: Bit = open & (selected & !missing);
        let stays: Bit = open & (selected & missing);
        for w in 0..warps {
            if chosen[w] & issues {
                warp = number[w];
            }
            last[w].load((issues | stays) | launch[w], ((issues | stays) & chosen[w]) & !launch[w]);
        }
        issue = issues;
        waits = stays;
        if issues | stays {
            held = if stays { held + 1 } else { 0 };
        }
    }
}
