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

use gpurf_blocks::{Allocation, Choice, Parameters, Waiting, MAX_COLLECTORS, WARPS};
use rust_hdl::prelude::*;

use crate::cells::Lfsr;
use crate::dialect::{array, rtl, Identity, Module, Register};

/// `C`: bits of a collector's number.
#[derive(LogicBlock, Module)]
pub struct CollectorAllocator<const C: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// A warp is selected and could issue.
    pub request: Signal<In, Bit>,
    pub warp: Signal<In, Bits<3>>,
    /// The collector holds an instruction.
    #[port(max = MAX_COLLECTORS)]
    pub occupied: Vec<Signal<In, Bit>>,
    /// Port R of the collectors: whether each belongs to a warp, to which, and whether it holds a near value.
    #[port(max = MAX_COLLECTORS)]
    pub owned: Vec<Signal<In, Bit>>,
    #[port(max = MAX_COLLECTORS)]
    pub held_warp: Vec<Signal<In, Bits<3>>>,
    #[port(max = MAX_COLLECTORS)]
    pub near: Vec<Signal<In, Bit>>,
    pub sthld: Signal<In, Bits<5>>,

    /// The instruction enters this collector. At most one is high.
    #[port(max = MAX_COLLECTORS)]
    pub grant: Vec<Signal<Out, Bit>>,
    /// One is.
    pub granted: Signal<Out, Bit>,
    /// Event: a collector is free, and the warp waits.
    pub waiting: Signal<Out, Bit>,

    /// The random place, before it is cut to the number of collectors.
    place: Signal<Local, Bits<8>>,
    own: Vec<Signal<Local, Bit>>,
    has_own: Signal<Local, Bit>,
    any_far: Signal<Local, Bit>,
    any_free: Signal<Local, Bit>,
    /// The counter has not reached its end.
    patient: Signal<Local, Bit>,
    eligible: Vec<Signal<Local, Bit>>,
    distance: Vec<Signal<Local, Bits<C>>>,
    /// Every free collector holds a near value: wait, or give one up.
    torn: Signal<Local, Bit>,
    random: Lfsr,
    counter: Register<Bits<6>>,
    number: Vec<Constant<Bits<C>>>,
    private_warp: Vec<Constant<Bits<3>>>,
    seed: Constant<Bits<8>>,
    is_private: Constant<Bit>,
    keeps_own: Constant<Bit>,
    waits: Constant<Bit>,
    waits_at_threshold: Constant<Bit>,
    is_random: Constant<Bit>,
    identity: Identity,
    _collectors: usize,
}

impl<const C: usize> CollectorAllocator<C> {
    /// `collectors`: 1, 2, 4 or 8.
    /// `seed` starts the random choices elsewhere. [`Allocation::Private`] takes 8 collectors.
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { collectors, allocation, waiting, choice, seed, .. } = *parameters;
        assert!(allocation != Allocation::Private || collectors == WARPS, "a collector for each warp");
        let up_to = waiting == Waiting::UpTo;
        CollectorAllocator {
            clock: Signal::default(),
            reset: Signal::default(),
            request: Signal::default(),
            warp: Signal::default(),
            occupied: array(collectors),
            owned: array(collectors),
            held_warp: array(collectors),
            near: array(collectors),
            sthld: Signal::default(),
            grant: array(collectors),
            granted: Signal::default(),
            waiting: Signal::default(),
            place: Signal::default(),
            own: array(collectors),
            has_own: Signal::default(),
            any_far: Signal::default(),
            any_free: Signal::default(),
            patient: Signal::default(),
            eligible: array(collectors),
            distance: array(collectors),
            torn: Signal::default(),
            random: Lfsr::default(),
            counter: Register::default(),
            number: (0..collectors).map(|number| Constant::new((number as u64).into())).collect(),
            private_warp: (0..collectors).map(|number| Constant::new((number as u64).into())).collect(),
            seed: Constant::new((seed as u64).into()),
            is_private: Constant::new(allocation == Allocation::Private),
            keeps_own: Constant::new(matches!(allocation, Allocation::OwnElseAnyFree | Allocation::Malekeh)),
            waits: Constant::new(allocation == Allocation::Malekeh),
            waits_at_threshold: Constant::new(up_to),
            is_random: Constant::new(choice == Choice::Random),
            identity: Identity::new(
                "collector_allocator",
                "Collector allocator (W 6, F II, IV-B2)",
                &[
                    ("collectors", collectors),
                    ("allocation", allocation as usize),
                    ("upto", up_to as usize),
                    ("fixed", (choice == Choice::Fixed) as usize),
                    ("seed", seed),
                ],
            ),
            _collectors: collectors,
        }
    }
}

impl<const C: usize> Logic for CollectorAllocator<C> {
    #[rtl]
    fn update(&mut self) {
        // What there is to choose from.
        self.has_own.next = false;
        self.any_far.next = false;
        self.any_free.next = false;
        for c in 0..self._collectors {
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
        self.patient.next = (self.counter.q.val() < bit_cast::<6, 5>(self.sthld.val()))
            | (self.waits_at_threshold.val() & (self.counter.q.val() == bit_cast::<6, 5>(self.sthld.val())));

        // Which of them may be chosen, and the first of those from a random place on.
        for c in 0..self._collectors {
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
        for c in 0..self._collectors {
            self.grant[c].next = self.request.val() & self.eligible[c].val();
            for t in 0..self._collectors {
                if self.eligible[t].val() & (self.distance[t].val() < self.distance[c].val()) {
                    self.grant[c].next = false;
                }
            }
            self.granted.next = self.granted.val() | self.grant[c].val();
        }
        self.random.clock.next = self.clock.val();
        self.random.reset.next = self.reset.val();
        self.random.step.next = self.granted.val() & self.is_random.val();

        // The counter counts what the warps waited for collectors with near values.
        self.waiting.next = self.request.val() & (self.torn.val() & self.patient.val());
        self.counter.clock.next = self.clock.val();
        self.counter.reset.next = self.reset.val();
        self.counter.enable.next = self.request.val() & self.torn.val();
        self.counter.d.next = 0.into();
        if self.patient.val() {
            self.counter.d.next = self.counter.q.val() + 1;
        }
    }
}
