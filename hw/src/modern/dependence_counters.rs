// SPDX-License-Identifier: Apache-2.0
//! Dependence counters: H §4. They count what is under way that has no fixed latency.
//!
//! A warp has six. An instruction of variable latency names one that goes up when it has issued. It goes down
//! when the result is written (read after write, write after write). The instruction names another that goes
//! down when its sources have been read (write after read). It also names those that must be zero before it
//! issues.
//!
//! `DEPBAR.LE SBx, n, {...}` waits until one counter is at most n, and those of a set are zero. It makes its
//! warp wait from the cycle after Control on, as a counter does. An instruction right behind it would issue
//! too early, so it has a stall count.
//!
//! A counter wraps, at 63 or below zero: the compiler sees to it that none does. Counters go up at the end of
//! the cycle in which their instruction leaves Control, the one after its issue. `free` answers in the same
//! cycle to what it is asked.

use gpurf_blocks::{DECREMENTS, DEPENDENCE_COUNTERS};
use rust_hdl::prelude::*;

use crate::bundles::{Decrement, Limit};
use crate::dialect::{block, rtl, Register};
use crate::watch;

#[block(
    title = "Dependence counters",
    paper = "H §4",
    parameters(warps),
    sizes(counters = warps * DEPENDENCE_COUNTERS)
)]
pub struct DependenceCounters {
    /// An instruction leaves Control.
    pub control: In<Bit>,
    /// Its warp.
    pub warp: In<Bits<4>>,
    /// The counter that its result decrements; 7 is none.
    pub write_counter: In<Bits<3>>,
    /// The counter that it decrements when its sources have been read; 7 is none.
    pub read_counter: In<Bits<3>>,
    /// Limit that the instruction makes its warp wait for.
    pub limit: Limit<In>,
    /// Results and reads.
    pub decrement: [Decrement<In>; DECREMENTS],
    /// Counters that must be zero before the next instruction of each warp.
    pub wait_mask: In<[Bits<6>; warps]>,

    /// They are, and so is what its last `DEPBAR` waits for.
    pub free: Out<[Bit; warps]>,

    here: Local<[Bit; warps]>,
    next: Local<[Bits<6>; counters]>,
    changes: Local<[Bit; counters]>,
    /// Counters of the warp that are not zero.
    busy: Local<[Bits<6>; warps]>,
    /// The counter with a limit.
    level: Local<[Bits<6>; warps]>,
    counter: Register<[Bits<6>; counters]>,
    limited: Register<[Bit; warps]>,
    limit_counter_held: Register<[Bits<3>; warps]>,
    limit_value_held: Register<[Bits<6>; warps]>,
    limit_mask_held: Register<[Bits<6>; warps]>,
    #[value(|number| number)]
    number: Constant<[Bits<4>; warps]>,
}

watch!(DependenceCounters: [
    "limit(warp = warp) if control && limit_valid: warp {warp} waits for SB{limit_counter} <= {limit_value}",
    "misuse for d in decrement_valid if decrement_valid[d] && \
        counter[decrement_warp[d] * 6 + decrement_counter[d]] == 0: SB{decrement_counter[d]} of warp \
        {decrement_warp[d]} goes below zero",
    "misuse for d in decrement_valid if decrement_valid[d] && decrement_counter[d] > 5: there is no \
        SB{decrement_counter[d]}",
    "fault for w in free if free[w] && (busy[w] & wait_mask[w]) != 0: warp {w} does not wait",
]);

#[rtl]
impl DependenceCounters {
    fn count() {
        for w in 0..warps {
            here[w] = control & (warp == number[w]);
            for c in 0..6 {
                next[w * 6 + c] = counter[w * 6 + c];
                changes[w * 6 + c] = false;
                if here[w] & (write_counter == c) {
                    next[w * 6 + c] += 1;
                    changes[w * 6 + c] = true;
                }
                if here[w] & (read_counter == c) {
                    next[w * 6 + c] += 1;
                    changes[w * 6 + c] = true;
                }
                for k in 0..DECREMENTS {
                    if decrement[k].valid & ((decrement[k].warp == number[w]) & (decrement[k].counter == c)) {
                        // Less one.
                        next[w * 6 + c] += 63;
                        changes[w * 6 + c] = true;
                    }
                }
                counter[w * 6 + c].load(changes[w * 6 + c], next[w * 6 + c]);
            }
        }
    }

    fn wait() {
        for w in 0..warps {
            busy[w] = 0;
            level[w] = 0;
            for c in 0..6 {
                busy[w] = busy[w].replace_bit(c, counter[w * 6 + c].any());
                if limit_counter_held[w] == c {
                    level[w] = counter[w * 6 + c];
                }
            }
            let over: Bit =
                limited[w] & ((level[w] > limit_value_held[w]) | (busy[w] & limit_mask_held[w]).any());
            free[w] = !(over | (busy[w] & wait_mask[w]).any());

            limited[w] = over | (here[w] & limit.valid);
            if here[w] & limit.valid {
                limit_counter_held[w] = limit.counter;
                limit_value_held[w] = limit.value;
                limit_mask_held[w] = limit.mask;
            }
        }
    }
}
