// SPDX-License-Identifier: Apache-2.0
//! Way replacement of a register cache: C §IV-E.
//!
//! It chooses the way of a set that makes room for a new register: a free way, the lowest-numbered; else
//!
//! - under FIFO the way in turn, a turn of three bits. The turn moves on when that way takes in a register.
//!   So from an empty set on, ways make room in the order in which they took in what they hold. The same
//!   holds after all registers of a warp have left;
//! - under LRU the one that was used least recently.
//!
//! `victim` answers in the same cycle; a use counts from the next cycle on.

use gpurf_blocks::CacheReplacement;
use rust_hdl::prelude::*;

use crate::cells::AgeMatrix;
use crate::dialect::{block, rtl, Register};

#[block(
    title = "Way replacement of a register cache",
    paper = "C §IV-E",
    parameters(rc_ways, rc_replacement)
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
    #[when(rc_replacement == CacheReplacement::Fifo)]
    moves: Local<Bit>,
    #[when(rc_replacement == CacheReplacement::Fifo)]
    turn: Register<Bits<3>>,
    #[with(rc_ways)]
    #[when(rc_replacement == CacheReplacement::Lru)]
    ages: AgeMatrix,
    #[value(|number| number)]
    number: Constant<[Bits<3>; rc_ways]>,
    #[value(rc_ways - 1)]
    last: Constant<Bits<3>>,
}

#[rtl]
impl WayReplacement {
    fn replace() {
        if rc_replacement == CacheReplacement::Fifo {
            moves = false;
            for k in 0..rc_ways {
                first[k] = turn == number[k];
                moves |= (first[k] & touch[k]);
            }
            turn.load(moves, (turn + 1) & last);
        }
        if rc_replacement == CacheReplacement::Lru {
            for k in 0..rc_ways {
                ages.request[k] = true;
                ages.renew[k] = touch[k];
                first[k] = ages.oldest[k];
            }
        }
        any_free = false;
        for k in 0..rc_ways {
            first_free[k] = !valid[k] & !any_free;
            any_free |= !valid[k];
        }
        for k in 0..rc_ways {
            victim[k] = if any_free { first_free[k] } else { first[k] };
        }
    }
}
