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
use crate::bundles::{Question, SharedLoad};
use crate::cells::RoundRobin;
use crate::dialect::{block, rtl, Register};

/// `V`: bits of a warp's number; `A`: bits of an address.
#[block(
    title = "Loads that wait for scoreboards",
    paper = "I §3.1",
    sizes(pending = PENDING, warps = 2 * PENDING)
)]
pub struct PendingLoads<const V: usize, const A: usize> {
    /// A load is offered.
    pub offer: In<Bit>,
    /// That load.
    #[prefix(offer)]
    pub offered: SharedLoad<In, V, A>,
    /// Per sub-core: the register it is asked about is free.
    pub enable: In<[Bit; SUB_CORES]>,
    /// Shared memory takes the load.
    pub load_ready: In<Bit>,

    /// The load offered is taken.
    pub accepted: Out<Bit>,
    /// Questions to the sub-cores; fields are zero while there is none.
    pub ask: [Question<Out, V>; SUB_CORES],
    /// A load leaves.
    pub load_valid: Out<Bit>,
    /// That load; zero while none leaves.
    pub load: SharedLoad<Out, V, A>,

    /// Another load must leave first.
    clash: Local<Bit>,
    accepts: Local<Bit>,
    claimed: Local<Bit>,
    claims: Local<[Bit; PENDING]>,
    leaves: Local<[Bit; PENDING]>,
    any_leaves: Local<Bit>,
    asked: Local<[Bit; SUB_CORES]>,
    answered: Local<[Bit; 2 * PENDING]>,
    #[with(PENDING)]
    departures: HoldingArbiter,
    /// Of each sub-core: whose question it is asked.
    #[with(2 * PENDING)]
    questions: [RoundRobin; SUB_CORES],
    valid: Register<[Bit; PENDING]>,
    address: Register<[Bits<A>; PENDING]>,
    source: Register<[Bits<8>; PENDING]>,
    destination: Register<[Bits<8>; PENDING]>,
    second_valid: Register<[Bit; PENDING]>,
    /// Of load p: the first warp at 2p, the second at 2p + 1, and whether its register is free.
    warp: Register<[Bits<V>; 2 * PENDING]>,
    free: Register<[Bit; 2 * PENDING]>,
    #[value(|number| number)]
    sub_core_number: Constant<[Bits<2>; SUB_CORES]>,
}

impl<const V: usize, const A: usize> Logic for PendingLoads<V, A> {
    #[rtl]
    fn update(&mut self) {
        // Whether the load that is offered has a place, and which.
        self.clash.next = false;
        self.claimed.next = false;
        for p in 0..pending {
            if (self.valid[p].val() & (self.destination[p].val() == self.offered.destination.val()))
                & (((self.warp[p * 2].val() == self.offered.first_warp.val())
                    | (self.offered.second_valid.val()
                        & (self.warp[p * 2].val() == self.offered.second_warp.val())))
                    | (self.second_valid[p].val()
                        & ((self.warp[p * 2 + 1].val() == self.offered.first_warp.val())
                            | (self.offered.second_valid.val()
                                & (self.warp[p * 2 + 1].val() == self.offered.second_warp.val())))))
            {
                self.clash.next = true;
            }
            self.claims[p].next = !self.valid[p].val() & !self.claimed.val();
            self.claimed.next = self.claimed.val() | !self.valid[p].val();
        }
        self.accepts.next = (self.offer.val() & self.claimed.val()) & !self.clash.val();
        self.accepted.next = self.accepts.val();

        // Questions.
        for s in 0..4 {
            self.asked[s].next = false;
            self.ask[s].warp.next = 0.into();
            self.ask[s].register.next = 0.into();
            for p in 0..pending {
                for j in 0..2 {
                    self.questions[s].request[p * 2 + j].next = (self.valid[p].val()
                        & !self.free[p * 2 + j].val())
                        & (bit_cast::<2, V>(self.warp[p * 2 + j].val()) == self.sub_core_number[s].val());
                    if self.questions[s].grant[p * 2 + j].val() {
                        self.asked[s].next = true;
                        self.ask[s].warp.next = self.ask[s].warp.val() | self.warp[p * 2 + j].val();
                        self.ask[s].register.next = self.ask[s].register.val() | self.destination[p].val();
                    }
                }
            }
            self.ask[s].valid.next = self.asked[s].val();
            self.questions[s].advance.next = self.asked[s].val();
        }
        for w in 0..warps {
            self.answered[w].next = false;
            for s in 0..4 {
                if self.questions[s].grant[w].val() & self.enable[s].val() {
                    self.answered[w].next = true;
                }
            }
        }

        // The load that leaves.
        self.any_leaves.next = false;
        self.load.clear();
        for p in 0..pending {
            self.departures.request[p].next =
                self.valid[p].val() & (self.free[p * 2].val() & self.free[p * 2 + 1].val());
            self.leaves[p].next = self.departures.grant[p].val() & self.load_ready.val();
            if self.departures.grant[p].val() {
                self.any_leaves.next = true;
                self.load.address.next = self.load.address.val() | self.address[p].val();
                self.load.source.next = self.load.source.val() | self.source[p].val();
                self.load.destination.next = self.load.destination.val() | self.destination[p].val();
                self.load.first_warp.next = self.load.first_warp.val() | self.warp[p * 2].val();
                if self.second_valid[p].val() {
                    self.load.second_valid.next = true;
                    self.load.second_warp.next = self.load.second_warp.val() | self.warp[p * 2 + 1].val();
                }
            }
        }
        self.load_valid.next = self.any_leaves.val();
        self.departures.finish.next = self.any_leaves.val() & self.load_ready.val();

        // What changes.
        for p in 0..pending {
            self.valid[p].load(
                self.leaves[p].val() | (self.accepts.val() & self.claims[p].val()),
                !self.leaves[p].val(),
            );
            self.address[p].load(self.accepts.val() & self.claims[p].val(), self.offered.address.val());
            self.source[p].load(self.accepts.val() & self.claims[p].val(), self.offered.source.val());
            self.destination[p]
                .load(self.accepts.val() & self.claims[p].val(), self.offered.destination.val());
            self.second_valid[p]
                .load(self.accepts.val() & self.claims[p].val(), self.offered.second_valid.val());
            self.warp[p * 2].d.next = self.offered.first_warp.val();
            self.warp[p * 2 + 1].d.next = self.offered.second_warp.val();
            self.free[p * 2].d.next = self.answered[p * 2].val();
            self.free[p * 2 + 1].d.next = self.answered[p * 2 + 1].val();
            if self.accepts.val() & self.claims[p].val() {
                // Nobody is asked about a second warp that is not there.
                self.free[p * 2 + 1].d.next = !self.offered.second_valid.val();
            }
            for j in 0..2 {
                self.warp[p * 2 + j].enable.next = self.accepts.val() & self.claims[p].val();
                self.free[p * 2 + j].enable.next =
                    self.answered[p * 2 + j].val() | (self.accepts.val() & self.claims[p].val());
            }
        }
    }
}
