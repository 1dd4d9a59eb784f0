//! Loads on their way to shared memory, until the scoreboards have freed their destinations: I §3.1.
//!
//! "Before data are moved from SMEM to RF, the two sub-cores must check their dependencies": each of four
//! loads asks the sub-core of each of its warps whether the destination register is free, and leaves when all
//! have said so. Each sub-core is asked one question per cycle, another one each cycle while several wait: a
//! register that stays in use holds up its own load and no other.
//!
//! Loads leave in any order but one: a load into a register that a waiting load writes for the same warp is
//! not taken before that one has left, so a warp's loads into one register reach memory in their order.
//!
//! Timing: a load that is taken asks in the next cycle, and leaves from the cycle after its last answer.
//! `ask` and `load` are state; an answer counts in the cycle of its question. A load that is shown stays until
//! it is taken.

use gpurf_blocks::{PENDING, SUB_CORES};
use rust_hdl::prelude::*;

use super::HoldingArbiter;
use crate::cells::RoundRobin;
use crate::dialect::{array, rtl, Identity, Register};

/// `V`: bits of a warp's number; `A`: bits of an address.
#[derive(LogicBlock)]
pub struct PendingLoads<const V: usize, const A: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub offer: Signal<In, Bit>,
    pub offer_address: Signal<In, Bits<A>>,
    pub offer_source: Signal<In, Bits<8>>,
    pub offer_destination: Signal<In, Bits<8>>,
    pub offer_first_warp: Signal<In, Bits<V>>,
    pub offer_second_valid: Signal<In, Bit>,
    pub offer_second_warp: Signal<In, Bits<V>>,
    /// Per sub-core: the register it is asked about is free.
    pub enable: Vec<Signal<In, Bit>>,
    pub load_ready: Signal<In, Bit>,

    pub accepted: Signal<Out, Bit>,
    /// Questions to the sub-cores; fields are zero while there is none.
    pub ask_valid: Vec<Signal<Out, Bit>>,
    pub ask_warp: Vec<Signal<Out, Bits<V>>>,
    pub ask_register: Vec<Signal<Out, Bits<8>>>,
    /// The load that leaves; fields are zero while none does.
    pub load_valid: Signal<Out, Bit>,
    pub load_address: Signal<Out, Bits<A>>,
    pub load_source: Signal<Out, Bits<8>>,
    pub load_destination: Signal<Out, Bits<8>>,
    pub load_first_warp: Signal<Out, Bits<V>>,
    pub load_second_valid: Signal<Out, Bit>,
    pub load_second_warp: Signal<Out, Bits<V>>,

    /// Another load must leave first.
    clash: Signal<Local, Bit>,
    accepts: Signal<Local, Bit>,
    claimed: Signal<Local, Bit>,
    claims: Vec<Signal<Local, Bit>>,
    leaves: Vec<Signal<Local, Bit>>,
    any_leaves: Signal<Local, Bit>,
    asked: Vec<Signal<Local, Bit>>,
    answered: Vec<Signal<Local, Bit>>,
    departures: HoldingArbiter,
    /// Of each sub-core: whose question it is asked.
    questions: Vec<RoundRobin>,
    valid: Vec<Register<Bit>>,
    address: Vec<Register<Bits<A>>>,
    source: Vec<Register<Bits<8>>>,
    destination: Vec<Register<Bits<8>>>,
    second_valid: Vec<Register<Bit>>,
    /// Of load p: the first warp at 2p, the second at 2p + 1, and whether its register is free.
    warp: Vec<Register<Bits<V>>>,
    free: Vec<Register<Bit>>,
    sub_core_number: Vec<Constant<Bits<2>>>,
    identity: Identity,
    _pending: usize,
    _warps: usize,
}

impl<const V: usize, const A: usize> Default for PendingLoads<V, A> {
    fn default() -> Self {
        PendingLoads {
            clock: Signal::default(),
            reset: Signal::default(),
            offer: Signal::default(),
            offer_address: Signal::default(),
            offer_source: Signal::default(),
            offer_destination: Signal::default(),
            offer_first_warp: Signal::default(),
            offer_second_valid: Signal::default(),
            offer_second_warp: Signal::default(),
            enable: array(SUB_CORES),
            load_ready: Signal::default(),
            accepted: Signal::default(),
            ask_valid: array(SUB_CORES),
            ask_warp: array(SUB_CORES),
            ask_register: array(SUB_CORES),
            load_valid: Signal::default(),
            load_address: Signal::default(),
            load_source: Signal::default(),
            load_destination: Signal::default(),
            load_first_warp: Signal::default(),
            load_second_valid: Signal::default(),
            load_second_warp: Signal::default(),
            clash: Signal::default(),
            accepts: Signal::default(),
            claimed: Signal::default(),
            claims: array(PENDING),
            leaves: array(PENDING),
            any_leaves: Signal::default(),
            asked: array(SUB_CORES),
            answered: array(2 * PENDING),
            departures: HoldingArbiter::new(PENDING),
            questions: (0..SUB_CORES).map(|_| RoundRobin::new(2 * PENDING)).collect(),
            valid: array(PENDING),
            address: array(PENDING),
            source: array(PENDING),
            destination: array(PENDING),
            second_valid: array(PENDING),
            warp: array(2 * PENDING),
            free: array(2 * PENDING),
            sub_core_number: (0..SUB_CORES).map(|number| Constant::new((number as u64).into())).collect(),
            identity: Identity::new(
                "pending_loads",
                "Loads that wait for scoreboards (I 3.1)",
                &[("warp", V), ("address", A)],
            ),
            _pending: PENDING,
            _warps: 2 * PENDING,
        }
    }
}

impl<const V: usize, const A: usize> Logic for PendingLoads<V, A> {
    #[rtl]
    fn update(&mut self) {
        // Whether the load that is offered has a place, and which.
        self.clash.next = false;
        self.claimed.next = false;
        for p in 0..self._pending {
            if (self.valid[p].q.val() & (self.destination[p].q.val() == self.offer_destination.val()))
                & (((self.warp[p * 2].q.val() == self.offer_first_warp.val())
                    | (self.offer_second_valid.val()
                        & (self.warp[p * 2].q.val() == self.offer_second_warp.val())))
                    | (self.second_valid[p].q.val()
                        & ((self.warp[p * 2 + 1].q.val() == self.offer_first_warp.val())
                            | (self.offer_second_valid.val()
                                & (self.warp[p * 2 + 1].q.val() == self.offer_second_warp.val())))))
            {
                self.clash.next = true;
            }
            self.claims[p].next = !self.valid[p].q.val() & !self.claimed.val();
            self.claimed.next = self.claimed.val() | !self.valid[p].q.val();
        }
        self.accepts.next = (self.offer.val() & self.claimed.val()) & !self.clash.val();
        self.accepted.next = self.accepts.val();

        // Questions.
        for s in 0..4 {
            self.questions[s].clock.next = self.clock.val();
            self.questions[s].reset.next = self.reset.val();
            self.asked[s].next = false;
            self.ask_warp[s].next = 0.into();
            self.ask_register[s].next = 0.into();
            for p in 0..self._pending {
                for j in 0..2 {
                    self.questions[s].request[p * 2 + j].next = (self.valid[p].q.val()
                        & !self.free[p * 2 + j].q.val())
                        & (bit_cast::<2, V>(self.warp[p * 2 + j].q.val()) == self.sub_core_number[s].val());
                    if self.questions[s].grant[p * 2 + j].val() {
                        self.asked[s].next = true;
                        self.ask_warp[s].next = self.ask_warp[s].val() | self.warp[p * 2 + j].q.val();
                        self.ask_register[s].next = self.ask_register[s].val() | self.destination[p].q.val();
                    }
                }
            }
            self.ask_valid[s].next = self.asked[s].val();
            self.questions[s].advance.next = self.asked[s].val();
        }
        for w in 0..self._warps {
            self.answered[w].next = false;
            for s in 0..4 {
                if self.questions[s].grant[w].val() & self.enable[s].val() {
                    self.answered[w].next = true;
                }
            }
        }

        // The load that leaves.
        self.departures.clock.next = self.clock.val();
        self.departures.reset.next = self.reset.val();
        self.any_leaves.next = false;
        self.load_address.next = 0.into();
        self.load_source.next = 0.into();
        self.load_destination.next = 0.into();
        self.load_first_warp.next = 0.into();
        self.load_second_valid.next = false;
        self.load_second_warp.next = 0.into();
        for p in 0..self._pending {
            self.departures.request[p].next =
                self.valid[p].q.val() & (self.free[p * 2].q.val() & self.free[p * 2 + 1].q.val());
            self.leaves[p].next = self.departures.grant[p].val() & self.load_ready.val();
            if self.departures.grant[p].val() {
                self.any_leaves.next = true;
                self.load_address.next = self.load_address.val() | self.address[p].q.val();
                self.load_source.next = self.load_source.val() | self.source[p].q.val();
                self.load_destination.next = self.load_destination.val() | self.destination[p].q.val();
                self.load_first_warp.next = self.load_first_warp.val() | self.warp[p * 2].q.val();
                if self.second_valid[p].q.val() {
                    self.load_second_valid.next = true;
                    self.load_second_warp.next = self.load_second_warp.val() | self.warp[p * 2 + 1].q.val();
                }
            }
        }
        self.load_valid.next = self.any_leaves.val();
        self.departures.finish.next = self.any_leaves.val() & self.load_ready.val();

        // What changes.
        for p in 0..self._pending {
            self.valid[p].clock.next = self.clock.val();
            self.valid[p].reset.next = self.reset.val();
            self.valid[p].enable.next = self.leaves[p].val() | (self.accepts.val() & self.claims[p].val());
            self.valid[p].d.next = !self.leaves[p].val();
            self.address[p].clock.next = self.clock.val();
            self.address[p].reset.next = self.reset.val();
            self.address[p].enable.next = self.accepts.val() & self.claims[p].val();
            self.address[p].d.next = self.offer_address.val();
            self.source[p].clock.next = self.clock.val();
            self.source[p].reset.next = self.reset.val();
            self.source[p].enable.next = self.accepts.val() & self.claims[p].val();
            self.source[p].d.next = self.offer_source.val();
            self.destination[p].clock.next = self.clock.val();
            self.destination[p].reset.next = self.reset.val();
            self.destination[p].enable.next = self.accepts.val() & self.claims[p].val();
            self.destination[p].d.next = self.offer_destination.val();
            self.second_valid[p].clock.next = self.clock.val();
            self.second_valid[p].reset.next = self.reset.val();
            self.second_valid[p].enable.next = self.accepts.val() & self.claims[p].val();
            self.second_valid[p].d.next = self.offer_second_valid.val();
            self.warp[p * 2].d.next = self.offer_first_warp.val();
            self.warp[p * 2 + 1].d.next = self.offer_second_warp.val();
            self.free[p * 2].d.next = self.answered[p * 2].val();
            self.free[p * 2 + 1].d.next = self.answered[p * 2 + 1].val();
            if self.accepts.val() & self.claims[p].val() {
                // Nobody is asked about a second warp that is not there.
                self.free[p * 2 + 1].d.next = !self.offer_second_valid.val();
            }
            for j in 0..2 {
                self.warp[p * 2 + j].clock.next = self.clock.val();
                self.warp[p * 2 + j].reset.next = self.reset.val();
                self.warp[p * 2 + j].enable.next = self.accepts.val() & self.claims[p].val();
                self.free[p * 2 + j].clock.next = self.clock.val();
                self.free[p * 2 + j].reset.next = self.reset.val();
                self.free[p * 2 + j].enable.next =
                    self.answered[p * 2 + j].val() | (self.accepts.val() & self.claims[p].val());
            }
        }
    }
}
