// SPDX-License-Identifier: Apache-2.0
//! Active set, the first level of a two-level scheduler: F §VI-A.
//!
//! A few of a sub-core's warps are active. Only they may issue; the others are pending. The set stands
//! before the [warp scheduler](warp_scheduler.md). `allowed` says whose readiness counts there, `left` whose
//! values a [register cache](register_cache.md) has to write back. In each cycle
//!
//! 1. active warps become pending that wait for memory or at a barrier, or have nothing left to do. Then
//!    those follow whose next instruction begins a new strand;
//! 2. the warps that stay active may issue;
//! 3. the warps that have been pending for longest take the free places, as many as there are, and may issue
//!    from the next cycle on.
//!
//! # Timing
//!
//! All outputs answer in the same cycle. With one place:
//!
//! ```text
//! cycle          0       1       2       3
//! ready          0       0 2     2       2
//! others         1 2     1       0 1     0 1
//! allowed        -       0       -       2
//! left           -       -       0       -
//! entered        0       -       2       -       (ready; gpgpu_sim: 1 in cycle 2, 2 in cycle 3)
//! ```
//!
//! # Decisions
//!
//! - **Who enters.** F names the schedulers and the number of active warps, and no more. `ready` lets the
//!   oldest pending warp in that is ready. `gpgpu_sim` lets the oldest in, ready or not; it leaves again in
//!   the next cycle if it still waits for memory. There a wait for shared memory is no reason to become
//!   pending.
//! - **RFC and software RFC** differ in `ends_strand` alone, which is tied low for RFC. A strand ends at the
//!   first use of a value that the strand loaded itself.
//! - **Order.** A warp that becomes pending is behind all that did before. Of several in one cycle those that
//!   wait come before those whose strand ends, and then the lower number before the higher. After reset the
//!   order is that of the numbers.
//! - **The same cycle.** A place that becomes free is taken in the same cycle. A warp whose strand ends may
//!   take its own place again, after all others; a register cache flushes it all the same.
//! - **A warp that retires** is active to the end of the cycle, and is the last of the pending ones. It is
//!   reported in `left` only if it waits for memory, has no instructions or ends its strand. A register cache
//!   drops its values by `flush_drop`.
//! - `active_warps` may be as many as there are warps, or more: then nobody waits for a place, and waits
//!   still make warps pending for a cycle.
//!
//! The [SM](sm.md) runs the model of this module under every engine: it passes over cycles in which no warp
//! of a sub-core is ready and nothing is under way. There the model also stands for the scheduler of a whole
//! SM, with up to 64 warps; the hardware is that of a sub-core.
//!
//! # Storage
//!
//! 36 bits with 8 warps, 136 with 16: a bit for each warp and for each pair.

use gpurf_blocks::Refill;
use rust_hdl::prelude::*;

use crate::dialect::{block, rtl, Register};
use crate::{monitor, watch};

#[block(
    title = "Active set of a two-level scheduler",
    paper = "F §VI-A",
    parameters(warps, active_warps, refill)
)]
pub struct ActiveSet {
    /// The warp has an instruction that depends on nothing under way.
    pub ready: In<[Bit; warps]>,
    /// The warp's next instruction waits for something other than memory.
    pub dependence: In<[Bit; warps]>,
    /// The warp's next instruction waits for shared memory alone.
    pub shared: In<[Bit; warps]>,
    /// The warp waits for other memory or at a barrier. At most one of `ready`, `dependence`, `shared` and
    /// `others` is high; none is for a warp without instructions.
    pub others: In<[Bit; warps]>,
    /// The warp's next instruction begins a new strand.
    pub ends_strand: In<[Bit; warps]>,
    /// The warp's block is complete, or its context leaves.
    pub retire: In<[Bit; warps]>,

    /// The warp is active and stays so: it may issue in this cycle.
    pub allowed: Out<[Bit; warps]>,
    /// The warp becomes pending in this cycle: a register cache flushes it.
    pub left: Out<[Bit; warps]>,
    /// The warp becomes active in this cycle.
    pub entered: Out<[Bit; warps]>,

    /// Warps that become pending because they wait, and because their strand ends; those that stay; those
    /// that could enter; those that retire.
    waiting: Local<Bits<16>>,
    ending: Local<Bits<16>>,
    kept: Local<Bits<16>>,
    candidates: Local<Bits<16>>,
    entering: Local<Bits<16>>,
    retiring: Local<Bits<16>>,
    /// Higher-numbered warps that have been pending for longer than the warp.
    above_it: Local<[Bits<16>; warps]>,
    after_leaving: Local<[Bits<16>; warps]>,
    ahead: Local<[Bits<5>; warps]>,

    active: Register<Bits<16>>,
    /// Lower-numbered warps that have been pending for less long than the warp.
    turned: Register<[Bits<16>; warps]>,

    #[value(|warp| 1 << warp)]
    itself: Constant<[Bits<16>; warps]>,
    #[value(|warp| (1 << warp) - 1)]
    below: Constant<[Bits<16>; warps]>,
    #[value((1 << warps) - 1)]
    everyone: Constant<Bits<16>>,
    #[value(active_warps)]
    places: Constant<Bits<5>>,
    #[value(parameters.refill == Refill::GpgpuSim)]
    takes_any: Constant<Bit>,
}

watch!(ActiveSet: [
    "enter(warp = w) for w in entered if entered[w]: warp {warp} becomes active",
    "leave(warp = w) for w in left if left[w]: warp {warp} becomes pending",
    "misuse for w in ready if ready[w] + dependence[w] + shared[w] + others[w] > 1: warp {w} is \
        ready and waits, or waits twice",
]);

monitor!(ActiveSet: "active_set_monitor.v");

#[rtl]
impl ActiveSet {
    /// Who leaves and who stays.
    fn leave() {
        waiting = 0;
        ending = 0;
        kept = 0;
        retiring = 0;
        candidates = 0;
        for w in 0..warps {
            let stays: Bit = ready[w] | dependence[w] | (shared[w] & takes_any);
            if active.get_bit(w) {
                waiting = waiting.replace_bit(w, !stays);
                ending = ending.replace_bit(w, stays & ends_strand[w]);
                kept = kept.replace_bit(w, stays & !ends_strand[w]);
            }
            retiring = retiring.replace_bit(w, retire[w]);
            candidates = candidates.replace_bit(
                w,
                !kept.get_bit(w) & (ready[w] | (takes_any & (dependence[w] | shared[w] | others[w]))),
            );
        }
    }

    /// The order of the pending ones: whoever leaves is behind all that did before.
    fn order() {
        for w in 0..warps {
            above_it[w] = 0;
            for o in 0..warps {
                above_it[w] = above_it[w].replace_bit(o, turned[o].get_bit(w));
            }
            /// All warps that have: before the cycle, after step 1, and after it.
            let ahead_before: Bits<16> = above_it[w] | (below[w] & !turned[w]);
            after_leaving[w] = if waiting.get_bit(w) {
                (everyone & !(waiting | ending)) | (waiting & below[w])
            } else {
                ahead_before & !(waiting | ending)
            };
            if ending.get_bit(w) {
                after_leaving[w] = (everyone & !ending) | (ending & below[w]);
            }
            let after_retiring: Bits<16> = if retiring.get_bit(w) {
                (everyone & !retiring) | (retiring & below[w])
            } else {
                after_leaving[w] & !retiring
            };
            turned[w] = below[w] & !after_retiring;
        }
    }

    /// Who enters: fewer than the places are active or before it.
    fn enter() {
        entering = 0;
        for w in 0..warps {
            /// Warps that are served before the warp, and how many those are.
            let served: Bits<16> = kept | (candidates & after_leaving[w]);
            ahead[w] = 0;
            for o in 0..warps {
                if (served & itself[o]).any() {
                    ahead[w] += 1;
                }
            }
            if candidates.get_bit(w) & (ahead[w] < places) {
                entering |= itself[w];
            }
            allowed[w] = kept.get_bit(w);
            left[w] = waiting.get_bit(w) | ending.get_bit(w);
            entered[w] = entering.get_bit(w);
        }
        active = (kept | entering) & !retiring;
    }
}
