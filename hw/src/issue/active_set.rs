// SPDX-License-Identifier: Apache-2.0
//! Active set, the first of a two-level scheduler's levels: F §VI-A. Of a sub-core's warps a few are active,
//! whose ready ones are the candidates of the [warp scheduler](super::WarpScheduler); the others are pending.
//!
//! In each cycle
//!
//! 1. active warps become pending that are neither ready nor about to be, and then those at the end of a
//!    strand;
//! 2. those that stay active may issue (`allowed`);
//! 3. the warps that have been pending for longest take the free places (`entered`), as many as there are.
//!
//! [`Refill::Ready`] lets ready warps take places, and a wait for any memory makes a warp pending. Under
//! [`Refill::GpgpuSim`] every warp with instructions left may take one, ready or not, and a warp that waits
//! for shared memory keeps it. The papers that F cites differ in step 1 alone: RFC has no strands, so
//! `ends_strand` is tied low.
//!
//! * Of warps that become pending in one cycle, those that wait are before those whose strand ends, and then
//!   the lower number is before the higher. After reset the order is that of the numbers.
//! * A warp whose strand ends may take its place again in the same cycle, after all others; it still counts
//!   as left.
//! * A warp that retires is the last of the pending ones from the next cycle on, whether or not it was
//!   active.
//!
//! The order is a bit for each pair of warps: whether the higher-numbered one has been pending for longer.
//!
//! Timing: all outputs answer in the same cycle. A warp that enters may issue from the next cycle on.

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
