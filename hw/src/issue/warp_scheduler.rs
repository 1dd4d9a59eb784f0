//! Warp scheduler: W §5, F §IV-B1. Selects the warp that issues in this cycle.
//!
//! Under [`Scheduling::Malekeh`]
//!
//! 1. the warp that issued last, if it is ready;
//! 2. else the oldest ready one of those that have data in a collector;
//! 3. else the oldest ready one.
//!
//! [`Scheduling::Gto`] leaves step 2 out. [`Scheduling::Lrr`] goes around the warps
//! and passes over those that are not ready.
//!
//! * A warp is as old as the time since its launch. Of warps launched in one cycle the lower number is older.
//! * W does not name step 1; there age alone decides within a group.
//! * A warp whose own collector is occupied cannot issue. Under [`Occupied::Skip`] it counts as not ready;
//!   under [`Occupied::Stall`] it may be selected, and the cycle is lost.
//! * When a new warp takes the place of the one that issued last, nobody has issued last.
//!
//! How long a warp may starve that stays ready, while others issue:
//!
//! * Loose round robin: at most 7 issues, those of the other warps.
//! * Greedy then oldest: for ever, while the warp that issued last stays ready. Once it is not, the oldest
//!   ready warp is next.
//! * Malekeh: for ever, and even the oldest warp, while warps with data in collectors take turns; with
//!   greed or without.
//!
//! Nothing bounds the last two in hardware. They end because a warp stalls on its own dependences, and
//! because it ends.
//!
//! Timing: `select` answers in the same cycle. `issue` says whether the selected warp gets a collector; it
//! may depend on `select`. Ages and the warp issued last change in the next cycle.

use gpurf_blocks::{Occupied, Parameters, Scheduling, MAX_COLLECTORS, WARPS};
use rust_hdl::prelude::*;

use crate::cells::{AgeMatrix, RoundRobin};
use crate::dialect::{array, rtl, Identity, Module, Register};

#[derive(LogicBlock, Module)]
pub struct WarpScheduler {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The warp has an instruction that depends on nothing under way.
    #[port(max = WARPS)]
    pub ready: Vec<Signal<In, Bit>>,
    /// A new warp starts here; it is not ready yet.
    #[port(max = WARPS)]
    pub launch: Vec<Signal<In, Bit>>,
    /// The collector holds an instruction.
    #[port(max = MAX_COLLECTORS)]
    pub occupied: Vec<Signal<In, Bit>>,
    /// Port R of the collectors: whether each belongs to a warp, and to which.
    #[port(max = MAX_COLLECTORS)]
    pub owned: Vec<Signal<In, Bit>>,
    #[port(max = MAX_COLLECTORS)]
    pub held_warp: Vec<Signal<In, Bits<3>>>,
    /// The selected warp issues; some warp must be selected.
    pub issue: Signal<In, Bit>,

    /// At most one is high.
    #[port(max = WARPS)]
    pub select: Vec<Signal<Out, Bit>>,
    /// One is, and which; 0 if none is.
    pub selected: Signal<Out, Bit>,
    pub warp: Signal<Out, Bits<3>>,

    /// The warp has data in a collector, and that one is occupied.
    has_data: Vec<Signal<Local, Bit>>,
    is_blocked: Vec<Signal<Local, Bit>>,
    candidate: Vec<Signal<Local, Bit>>,
    any_last: Signal<Local, Bit>,
    any_data: Signal<Local, Bit>,
    eligible: Vec<Signal<Local, Bit>>,
    /// The warp issued last.
    last: Vec<Register<Bit>>,
    /// The order among equals: one of these two exists.
    ages: Vec<AgeMatrix>,
    turns: Vec<RoundRobin>,
    number: Vec<Constant<Bits<3>>>,
    prefers_data: Constant<Bit>,
    skips: Constant<Bit>,
    identity: Identity,
    _collectors: usize,
    _aged: usize,
    _turning: usize,
    _lasting: usize,
}

impl WarpScheduler {
    /// `collectors`: 1, 2, 4 or 8.
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { collectors, scheduling, occupied, .. } = *parameters;
        let skips = occupied == Occupied::Skip;
        let turning = (scheduling == Scheduling::Lrr) as usize;
        let aged = 1 - turning;
        WarpScheduler {
            clock: Signal::default(),
            reset: Signal::default(),
            ready: array(WARPS),
            launch: array(WARPS),
            occupied: array(collectors),
            owned: array(collectors),
            held_warp: array(collectors),
            issue: Signal::default(),
            select: array(WARPS),
            selected: Signal::default(),
            warp: Signal::default(),
            has_data: array(WARPS),
            is_blocked: array(WARPS),
            candidate: array(WARPS),
            any_last: Signal::default(),
            any_data: Signal::default(),
            eligible: array(WARPS),
            last: array(aged * WARPS),
            ages: (0..aged).map(|_| AgeMatrix::new(WARPS)).collect(),
            turns: (0..turning).map(|_| RoundRobin::new(WARPS)).collect(),
            number: (0..WARPS as u64).map(|number| Constant::new(number.into())).collect(),
            prefers_data: Constant::new(scheduling == Scheduling::Malekeh),
            skips: Constant::new(skips),
            identity: Identity::new(
                "warp_scheduler",
                "Warp scheduler (W 5, F IV-B1)",
                &[("scheduling", scheduling as usize), ("collectors", collectors), ("skip", skips as usize)],
            ),
            _collectors: collectors,
            _aged: aged,
            _turning: turning,
            _lasting: aged * WARPS,
        }
    }
}

impl Logic for WarpScheduler {
    #[rtl]
    fn update(&mut self) {
        // Who could issue, and the group that goes first.
        self.any_last.next = false;
        self.any_data.next = false;
        for w in 0..8 {
            self.has_data[w].next = false;
            self.is_blocked[w].next = false;
            for c in 0..self._collectors {
                if self.owned[c].val() & (self.held_warp[c].val() == self.number[w].val()) {
                    self.has_data[w].next = true;
                    self.is_blocked[w].next = self.occupied[c].val();
                }
            }
            self.candidate[w].next = self.ready[w].val() & !(self.is_blocked[w].val() & self.skips.val());
            self.any_data.next = self.any_data.val() | (self.candidate[w].val() & self.has_data[w].val());
        }
        for w in 0..self._lasting {
            self.any_last.next = self.any_last.val() | (self.candidate[w].val() & self.last[w].q.val());
        }
        for w in 0..8 {
            self.eligible[w].next = self.candidate[w].val();
            if self.prefers_data.val() & self.any_data.val() {
                self.eligible[w].next = self.candidate[w].val() & self.has_data[w].val();
            }
        }
        for w in 0..self._lasting {
            if self.any_last.val() {
                self.eligible[w].next = self.candidate[w].val() & self.last[w].q.val();
            }
        }

        // The order within the group.
        for a in 0..self._aged {
            self.ages[a].clock.next = self.clock.val();
            self.ages[a].reset.next = self.reset.val();
            for w in 0..8 {
                self.ages[a].request[w].next = self.eligible[w].val();
                self.ages[a].renew[w].next = self.launch[w].val();
                self.select[w].next = self.ages[a].oldest[w].val();
            }
        }
        for a in 0..self._turning {
            self.turns[a].clock.next = self.clock.val();
            self.turns[a].reset.next = self.reset.val();
            self.turns[a].advance.next = self.issue.val();
            for w in 0..8 {
                self.turns[a].request[w].next = self.eligible[w].val();
                self.select[w].next = self.turns[a].grant[w].val();
            }
        }
        self.selected.next = false;
        self.warp.next = 0.into();
        for w in 0..8 {
            if self.select[w].val() {
                self.selected.next = true;
                self.warp.next = self.number[w].val();
            }
        }
        for w in 0..self._lasting {
            self.last[w].clock.next = self.clock.val();
            self.last[w].reset.next = self.reset.val();
            self.last[w].enable.next = self.issue.val() | self.launch[w].val();
            self.last[w].d.next = self.issue.val() & self.select[w].val();
        }
    }
}
