//! Way replacement: C §IV-E. Which way of a set makes room for a new register.
//!
//! A free way, the lowest-numbered; else
//!
//! * under FIFO the way in turn. The turn moves on when that way takes in a register. So from an empty set on, ways make room
//!   in the order in which they took in what they hold; and after a warp's registers have left, all of them, too;
//! * under LRU the one that was used least recently. Ways that are used in the same cycle count as older the lower their number.
//!
//! Timing: `victim` answers in the same cycle; a use counts from the next cycle on.

use gpurf_blocks::CacheReplacement;
use rust_hdl::prelude::*;

use crate::cells::AgeMatrix;
use crate::dialect::{block, rtl, Register};

#[block(
    title = "Way replacement of a register cache",
    paper = "C §IV-E",
    parameters(rc_ways, rc_replacement),
    sizes(
        turns = if parameters.rc_replacement == CacheReplacement::Fifo { 1 } else { 0 },
        orders = if parameters.rc_replacement == CacheReplacement::Lru { 1 } else { 0 }
    )
)]
pub struct WayReplacement {
    /// The way holds a register.
    pub valid: In<[Bit; rc_ways]>,
    /// The way is used in this cycle; under FIFO it takes in a register.
    pub touch: In<[Bit; rc_ways]>,

    /// The way that makes room. Exactly one is high.
    pub victim: Out<[Bit; rc_ways]>,

    any_free: Local<Bit>,
    first_free: Local<[Bit; rc_ways]>,
    /// The way that makes room in a full set.
    first: Local<[Bit; rc_ways]>,
    /// Its turn is over.
    moves: Local<[Bit; turns]>,
    turn: Register<[Bits<3>; turns]>,
    #[with(rc_ways)]
    ages: [AgeMatrix; orders],
    #[value(|number| number)]
    number: Constant<[Bits<3>; rc_ways]>,
    #[value(rc_ways - 1)]
    last: Constant<Bits<3>>,
}

impl Logic for WayReplacement {
    #[rtl]
    fn update(&mut self) {
        for t in 0..turns {
            self.moves[t].next = false;
            for k in 0..rc_ways {
                self.first[k].next = self.turn[t].val() == self.number[k].val();
                self.moves[t].next = self.moves[t].val() | (self.first[k].val() & self.touch[k].val());
            }
            self.turn[t].load(self.moves[t].val(), (self.turn[t].val() + 1) & self.last.val());
        }
        for o in 0..orders {
            for k in 0..rc_ways {
                self.ages[o].request[k].next = true;
                self.ages[o].renew[k].next = self.touch[k].val();
                self.first[k].next = self.ages[o].oldest[k].val();
            }
        }
        self.any_free.next = false;
        for k in 0..rc_ways {
            self.first_free[k].next = !self.valid[k].val() & !self.any_free.val();
            self.any_free.next = self.any_free.val() | !self.valid[k].val();
        }
        for k in 0..rc_ways {
            self.victim[k].next = self.first[k].val();
            if self.any_free.val() {
                self.victim[k].next = self.first_free[k].val();
            }
        }
    }
}
