// SPDX-License-Identifier: Apache-2.0
//! Stall counters: H §4. They count how long each warp waits because its last instruction says so.
//!
//! The compiler writes into each instruction how many cycles later the next one of its warp may issue. No
//! hardware compares registers.
//!
//! | stall count | yield | next instruction after |
//! |---|---|---|
//! | 0 | no | 1 cycle |
//! | 0 | yes | `long_stall` cycles |
//! | 1 | no | 1 cycle |
//! | 1 | yes | 2 cycles: the next one belongs to another warp |
//! | 2 to 11 | any | as many cycles as it says |
//! | 12 to 15 | no | `collapsed` cycles |
//! | 12 to 15 | yes | as many cycles as it says |
//!
//! While an instruction waits for its reads, all counters stand still (`hold`). H does not say so. Otherwise
//! the consumer of an instruction that waits would come too early: counts are of cycles in which the pipeline
//! moves. `free` answers in the same cycle; a count that is set in a cycle is seen in the next.

use rust_hdl::prelude::*;

use crate::dialect::{block, rtl, Register};
use crate::watch;

#[block(title = "Stall counters", paper = "H §4", parameters(warps, long_stall, collapsed))]
pub struct StallCounters {
    /// An instruction issues; its warp must be free.
    pub issued: In<Bit>,
    /// Its warp.
    pub warp: In<Bits<4>>,
    /// Its stall count.
    pub stall: In<Bits<4>>,
    /// Its yield bit.
    pub yields: In<Bit>,
    /// A new warp starts here: it is free in the next cycle.
    pub launch: In<[Bit; warps]>,
    /// The counters stand still; nothing issues.
    pub hold: In<Bit>,

    /// The warp has waited for as long as its last instruction says.
    pub free: Out<[Bit; warps]>,

    /// Cycles that the warp waits beyond the next one.
    rest: Local<Bits<6>>,
    next: Local<[Bits<6>; warps]>,
    counter: Register<[Bits<6>; warps]>,
    #[value(long_stall - 1)]
    long_rest: Constant<Bits<6>>,
    #[value(collapsed - 1)]
    collapsed_rest: Constant<Bits<6>>,
}

watch!(StallCounters: [
    "stall(warp = warp) if issued: warp {warp} stalls {stall}{yields: and yields,}",
    "misuse if issued && hold: an instruction issues while the counters stand still",
    "misuse for w in counter if issued && warp == w && counter[w] != 0: warp {w} issues before its time",
    "fault for w in free if free[w] && counter[w] != 0: warp {w} is free before its time",
    "fault for w in counter if counter[w] > 62: warp {w} waits for longer than any instruction says",
]);

#[rtl]
impl StallCounters {
    fn say() {
        rest = bit_cast::<6, 4>(stall) - 1;
        if !stall.any() {
            rest = if yields { long_rest } else { 0 };
        }
        if (stall == 1) & yields {
            rest = 1;
        }
        if (stall > 11) & !yields {
            rest = collapsed_rest;
        }
    }

    fn count() {
        for w in 0..warps {
            free[w] = !counter[w].any();
            let sets: Bit = issued & (warp == w);
            next[w] = counter[w] - 1;
            if sets {
                next[w] = rest;
            }
            if launch[w] {
                next[w] = 0;
            }
            counter[w].load((sets | launch[w]) | (counter[w].any() & !hold), next[w]);
        }
    }
}
