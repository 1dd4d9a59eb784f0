//! Collector allocator: W §6, F §IV-B2. Chooses the collector that the selected warp's instruction enters.
//!
//! Under [`Allocation::Malekeh`]
//!
//! 1. a warp that has data in a collector gets that one if it is free, and else none: so no warp ever has
//!    data in two collectors, which would need coherence;
//! 2. any other warp gets a random free collector that holds far values only;
//! 3. if every free one holds a near value, it waits: nothing is allocated while the counter is below STHLD,
//!    and the counter goes up; then it gets a random free one, and the counter starts again at zero.
//!
//! * F waits while the counter is below STHLD, W until it is higher. [`Waiting`] chooses; they differ by one.
//! * Only these two events move the counter, as in F Fig. 6: an allocation by rule 1 or 2 leaves it.
//! * A collector without values holds no near one, so rule 2 takes it.
//! * The random choice is the first at or after a random place, around the collectors, as in replacement.
//!   [`Choice::Fixed`] leaves the place where it is.
//!
//! [`Allocation::AnyFree`] is the baseline (F §II): a random free collector. [`Allocation::OwnElseAnyFree`]
//! adds rule 1. Without it a warp's values
//! spread over several caching collectors, which costs hits but returns no stale value: every collector of the
//! warp sees the warp's results. Under [`Allocation::Private`] each
//! of eight warps has the collector of its number (F §VI-B).
//!
//! Timing: `grant` answers in the same cycle. The counter and the random place change in the next.

use gpurf_blocks::{Allocation, Choice, Waiting};
use rust_hdl::prelude::*;

use crate::cells::Lfsr;
use crate::dialect::{block, rtl, Register};
use crate::watch;

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
    /// One is.
    pub granted: Out<Bit>,
    /// Event: a collector is free, and the warp waits.
    pub waiting: Out<Bit>,

    /// The random place, before it is cut to the number of collectors.
    place: Local<Bits<8>>,
    own: Local<[Bit; collectors]>,
    has_own: Local<Bit>,
    any_far: Local<Bit>,
    any_free: Local<Bit>,
    /// The counter has not reached its end.
    patient: Local<Bit>,
    eligible: Local<[Bit; collectors]>,
    distance: Local<[Bits<C>; collectors]>,
    /// Every free collector holds a near value: wait, or give one up.
    torn: Local<Bit>,
    random: Lfsr,
    counter: Register<Bits<6>>,
    #[value(|number| number)]
    number: Constant<[Bits<C>; collectors]>,
    #[value(|number| number)]
    private_warp: Constant<[Bits<4>; collectors]>,
    #[value(seed)]
    seed: Constant<Bits<8>>,
    #[value(allocation == Allocation::Private)]
    is_private: Constant<Bit>,
    #[value(allocation == Allocation::OwnElseAnyFree || allocation == Allocation::Malekeh)]
    keeps_own: Constant<Bit>,
    #[value(allocation == Allocation::Malekeh)]
    waits: Constant<Bit>,
    #[value(parameters.waiting == Waiting::UpTo)]
    waits_at_threshold: Constant<Bit>,
    #[value(choice == Choice::Random)]
    is_random: Constant<Bit>,
}

watch!(CollectorAllocator<C>: ["wait(warp = warp) if waiting: wait {counter + 1} of {sthld}"]);

impl<const C: usize> Logic for CollectorAllocator<C> {
    #[rtl]
    fn update(&mut self) {
        // What there is to choose from.
        self.has_own.next = false;
        self.any_far.next = false;
        self.any_free.next = false;
        for c in 0..collectors {
            self.own[c].next = ((self.owned[c].val() & self.keeps_own.val())
                & (self.held_warp[c].val() == self.warp.val()))
                | (self.is_private.val() & (self.private_warp[c].val() == self.warp.val()));
            self.has_own.next = self.has_own.val() | self.own[c].val();
            self.any_free.next = self.any_free.val() | !self.occupied[c].val();
            self.any_far.next = self.any_far.val() | (!self.occupied[c].val() & !self.near[c].val());
        }
        self.place.next = self.random.value.val() ^ self.seed.val();
        self.torn.next =
            (self.waits.val() & !self.has_own.val()) & (self.any_free.val() & !self.any_far.val());
        self.patient.next = (self.counter.val() < bit_cast::<6, 5>(self.sthld.val()))
            | (self.waits_at_threshold.val() & (self.counter.val() == bit_cast::<6, 5>(self.sthld.val())));

        // Which of them may be chosen, and the first of those from a random place on.
        for c in 0..collectors {
            self.eligible[c].next = !self.occupied[c].val();
            if self.has_own.val() {
                self.eligible[c].next = self.own[c].val() & !self.occupied[c].val();
            } else if self.torn.val() {
                self.eligible[c].next = !self.occupied[c].val() & !self.patient.val();
            } else if self.waits.val() {
                self.eligible[c].next = !self.occupied[c].val() & !self.near[c].val();
            }
            self.distance[c].next = self.number[c].val() - bit_cast::<C, 8>(self.place.val());
        }
        self.granted.next = false;
        for c in 0..collectors {
            self.grant[c].next = self.request.val() & self.eligible[c].val();
            for t in 0..collectors {
                if self.eligible[t].val() & (self.distance[t].val() < self.distance[c].val()) {
                    self.grant[c].next = false;
                }
            }
            self.granted.next = self.granted.val() | self.grant[c].val();
        }
        self.random.step.next = self.granted.val() & self.is_random.val();

        // The counter counts what the warps waited for collectors with near values.
        self.waiting.next = self.request.val() & (self.torn.val() & self.patient.val());
        self.counter.load(self.request.val() & self.torn.val(), 0.into());
        if self.patient.val() {
            self.counter.d.next = self.counter.val() + 1;
        }
    }
}
