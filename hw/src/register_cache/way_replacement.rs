//! Way replacement: C §IV-E. Which way of a set makes room for a new register.
//!
//! A free way, the lowest-numbered; else the one that was used least recently. Under FIFO only being taken in counts as
//! a use. Ways that are used in the same cycle count as older the lower their number.
//!
//! Timing: `victim` answers in the same cycle; a use counts from the next cycle on.

use rust_hdl::prelude::*;

use crate::cells::AgeMatrix;
use crate::dialect::{block, rtl};

#[block(title = "Way replacement of a register cache", paper = "C §IV-E", arguments(ways = rc_ways))]
pub struct WayReplacement {
    /// The way holds a register.
    pub valid: In<[Bit; ways]>,
    /// The way is used in this cycle.
    pub touch: In<[Bit; ways]>,

    /// The way that makes room. Exactly one is high.
    pub victim: Out<[Bit; ways]>,

    any_free: Local<Bit>,
    first_free: Local<[Bit; ways]>,
    #[with(ways)]
    ages: AgeMatrix,
}

impl Logic for WayReplacement {
    #[rtl]
    fn update(&mut self) {
        self.any_free.next = false;
        for w in 0..ways {
            self.first_free[w].next = !self.valid[w].val() & !self.any_free.val();
            self.any_free.next = self.any_free.val() | !self.valid[w].val();
            self.ages.request[w].next = true;
            self.ages.renew[w].next = self.touch[w].val();
        }
        for w in 0..ways {
            self.victim[w].next = self.ages.oldest[w].val();
            if self.any_free.val() {
                self.victim[w].next = self.first_free[w].val();
            }
        }
    }
}
