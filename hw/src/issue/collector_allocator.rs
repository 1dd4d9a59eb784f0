// SPDX-License-Identifier: Apache-2.0
//! Collector allocator: W §6, F §II, §IV-B2.
//!
//! It chooses the collector that the selected warp's instruction enters. Under `malekeh` it follows F Fig. 6:
//!
//! 1. A warp that has data in a collector gets that one if it is free, and else none. No warp ever has data
//!    in two collectors, which would need coherence.
//! 2. Any other warp gets a random free collector that holds far values only.
//! 3. If every free collector holds a near value, the warp waits: nothing is allocated while the counter is
//!    below [STHLD](sthld_controller.md), and the counter goes up. Then a random free one is given up for it,
//!    and the counter starts again at zero.
//!
//! Under `any_free`, the baseline's rule, the instruction enters a random free collector. `own_else_any_free`
//! adds rule 1. Without that rule a warp's values spread over several caching collectors. This costs hits
//! ([measured](malekeh_ablations.md#readings-of-gto--lru)), but no value goes stale, since every collector of
//! a warp sees its results. `own_else_lru` adds rule 1, and then takes the free collector that was taken the
//! longest time ago. Under `private` each of eight warps has the collector of its number (F §VI-B).
//!
//! # Timing
//!
//! `grant` answers in the same cycle. The counter and the random place change in the next.
//!
//! ```text
//! cycle       0   1   2   3   4
//! request     1   1   1   1   1      (a warp that has data nowhere; STHLD is 2)
//! free        1   1   1   1   1
//! near        1   1   1   1   0      (all free collectors)
//! granted     0   0   1   0   1
//! waiting     1   1   0   1   0
//! counter     0   1   2   0   1
//! ```
//!
//! # Decisions
//!
//! - **`below` or `up_to`.** F §IV-B2: "if the counter is lower than STHLD, no CCU is allocated". W §6: "only
//!   when the counter is higher than STHLD will the CCU be replaced". They differ by one cycle, and at STHLD
//!   0 in whether there is a wait at all. F is the later paper.
//! - **The counter** moves only by a wait, and the end of one, as in F Fig. 6. An allocation by rule 1 or 2,
//!   and a cycle in which every collector is occupied, leave it. So it bounds the waits between two
//!   collectors given up, not those of one warp.
//! - **A lower STHLD ends a wait** that is already longer.
//! - An empty collector holds no near value and is taken by rule 2.
//! - **`own_else_lru`** is the rule of the simulator that F's first author published in 2021, for the design
//!   that he calls zero: his tag `SharedCache_ZeroDesign`. F §VI-C names it "traditional" and has no rule. A
//!   collector counts as used when an instruction enters it, by rule 1 too. After reset the one with the
//!   lowest number goes first. An [age matrix](age_matrix.md) keeps the order.
//! - **The random choice** is the first eligible collector at or after a random place, as in
//!   [replacement](replacement.md). The place comes from an [LFSR](lfsr.md) of its own that steps with each
//!   allocation. With all collectors eligible the choice is even; else those after a gap are chosen more
//!   often.
//!
//! # Bound
//!
//! While no other collector is given up, a request that finds a free collector gets one after at most STHLD
//! waits (one more under `up_to`). The random stimulus checks it in every cycle: never more than 32 waits in
//! a row.
//!
//! # Storage
//!
//! It keeps 14 bits: counter 6, LFSR 8. The counter goes to 32, which `up_to` needs at STHLD 31. Rules that
//! do not wait have no counter. Under `own_else_lru` it keeps a bit for each pair of collectors. Its LFSR
//! never steps.

use gpurf_blocks::{Allocation, Choice, Waiting};
use rust_hdl::prelude::*;

use crate::cells::{AgeMatrix, Lfsr};
use crate::dialect::{block, rtl, Register};
use crate::{monitor, watch};

/// `C`: bits of a collector's number.
#[block(
    title = "Collector allocator",
    paper = "W §6, F §II, IV-B2",
    parameters(collectors, allocation, waiting, choice, seed)
)]
pub struct CollectorAllocator<const C: usize> {
    /// A warp is selected and could issue.
    pub request: In<Bit>,
    /// Which.
    pub warp: In<Bits<4>>,
    /// The collector holds an instruction.
    pub occupied: In<[Bit; collectors]>,
    /// Port R of the collectors: whether each belongs to a warp, to which, and whether it holds a near value.
    pub owned: In<[Bit; collectors]>,
    /// Port R: whether it belongs to a warp, and to which.
    pub held_warp: In<[Bits<4>; collectors]>,
    /// Port R: it holds a near value.
    pub near: In<[Bit; collectors]>,
    /// How long to wait.
    pub sthld: In<Bits<5>>,

    /// The instruction enters this collector. At most one is high.
    pub grant: Out<[Bit; collectors]>,
    /// A collector is granted.
    pub granted: Out<Bit>,
    /// Event: a collector is free, and the warp waits.
    pub waiting: Out<Bit>,

    /// The random place, before it is cut to the number of collectors.
    #[when(allocation != Allocation::OwnElseLru)]
    place: Local<Bits<8>>,
    own: Local<[Bit; collectors]>,
    has_own: Local<Bit>,
    any_far: Local<Bit>,
    any_free: Local<Bit>,
    /// The counter has not reached its end.
    patient: Local<Bit>,
    eligible: Local<[Bit; collectors]>,
    #[when(allocation != Allocation::OwnElseLru)]
    distance: Local<[Bits<C>; collectors]>,
    /// Every free collector holds a near value: wait, or give one up.
    torn: Local<Bit>,
    random: Lfsr,
    /// Collectors by the time since they were taken.
    #[when(allocation == Allocation::OwnElseLru)]
    #[with(collectors)]
    ages: AgeMatrix,
    counter: Register<Bits<6>>,
    #[value(|number| number)]
    #[when(allocation != Allocation::OwnElseLru)]
    number: Constant<[Bits<C>; collectors]>,
    #[value(|number| number)]
    private_warp: Constant<[Bits<4>; collectors]>,
    #[value(seed)]
    #[when(allocation != Allocation::OwnElseLru)]
    seed: Constant<Bits<8>>,
    #[value(parameters.allocation == Allocation::Private)]
    is_private: Constant<Bit>,
    #[value(parameters.allocation != Allocation::AnyFree && parameters.allocation != Allocation::Private)]
    keeps_own: Constant<Bit>,
    #[value(parameters.allocation == Allocation::Malekeh)]
    waits: Constant<Bit>,
    #[value(parameters.waiting == Waiting::UpTo)]
    waits_at_threshold: Constant<Bit>,
    #[value(choice == Choice::Random)]
    #[when(allocation != Allocation::OwnElseLru)]
    is_random: Constant<Bit>,
}

watch!(CollectorAllocator<C>: ["wait(warp = warp) if waiting: wait {counter + 1} of {sthld}"]);

watch!(CollectorAllocator<C>: [
    "fault for c in grant if grant[c] && !request: a collector for nobody",
    "fault for c in grant for d in grant if c < d && grant[c] && grant[d]: two collectors for one \
        instruction",
    "fault if waiting && granted: the warp waits and has a collector",
]);

monitor!(CollectorAllocator<C>: "collector_allocator_monitor.v");

#[rtl]
impl<const C: usize> CollectorAllocator<C> {
    /// The collectors to choose from.
    fn choices() {
        has_own = false;
        any_far = false;
        any_free = false;
        for c in 0..collectors {
            own[c] =
                ((owned[c] & keeps_own) & (held_warp[c] == warp)) | (is_private & (private_warp[c] == warp));
            has_own |= own[c];
            any_free |= !occupied[c];
            any_far |= (!occupied[c] & !near[c]);
        }
        if allocation != Allocation::OwnElseLru {
            place = random.value ^ seed;
        }
        torn = (waits & !has_own) & (any_free & !any_far);
        patient =
            (counter < bit_cast::<6, 5>(sthld)) | (waits_at_threshold & (counter == bit_cast::<6, 5>(sthld)));
    }

    /// Which of them may be chosen, and the first of those from a random place on, or the one that was taken
    /// the longest time ago.
    fn choose() {
        for c in 0..collectors {
            eligible[c] = if has_own {
                own[c] & !occupied[c]
            } else if torn {
                !occupied[c] & !patient
            } else if waits {
                !occupied[c] & !near[c]
            } else {
                !occupied[c]
            };
            if allocation != Allocation::OwnElseLru {
                distance[c] = number[c] - bit_cast::<C, 8>(place);
            }
        }
        granted = false;
        if allocation == Allocation::OwnElseLru {
            random.step = false;
            for c in 0..collectors {
                ages.request[c] = eligible[c];
                grant[c] = request & ages.oldest[c];
                ages.renew[c] = grant[c];
                granted |= grant[c];
            }
        } else {
            for c in 0..collectors {
                grant[c] = request & eligible[c];
                for t in 0..collectors {
                    if eligible[t] & (distance[t] < distance[c]) {
                        grant[c] = false;
                    }
                }
                granted |= grant[c];
            }
            random.step = granted & is_random;
        }
    }

    /// The counter counts what the warps waited for collectors with near values.
    fn count() {
        waiting = request & (torn & patient);
        if request & torn {
            counter = if patient { counter + 1 } else { 0 };
        }
    }
}
