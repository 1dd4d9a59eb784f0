//! Request queue of the inter-warp multicasting unit: I §3.1, §5.2.3.
//!
//! Two requests for each of four sub-cores, first in, first out; the sub-cores take turns. The paper's eight
//! entries are "identical to that of the LRT"; here each has one bit more, which tells a release from a load.
//!
//! Timing: a request is at the head in the cycle after it was taken, at the earliest. `ready` is state: a
//! sub-core's second place is free. The head stays until `pop`.

use gpurf_blocks::{QUEUE_DEPTH, SUB_CORES};
use rust_hdl::prelude::*;

use super::HoldingArbiter;
use crate::dialect::{array, rtl, Identity, Register};

/// `V`: bits of a warp's number; `A`: bits of an address.
#[derive(LogicBlock)]
pub struct LoadQueue<const V: usize, const A: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub push: Vec<Signal<In, Bit>>,
    pub push_release: Vec<Signal<In, Bit>>,
    pub push_warp: Vec<Signal<In, Bits<V>>>,
    pub push_address: Vec<Signal<In, Bits<A>>>,
    pub push_source: Vec<Signal<In, Bits<8>>>,
    pub push_destination: Vec<Signal<In, Bits<8>>>,
    /// The head is done; only with `head_valid`.
    pub pop: Signal<In, Bit>,

    /// `push` is taken.
    pub ready: Vec<Signal<Out, Bit>>,
    pub head_valid: Signal<Out, Bit>,
    pub head_release: Signal<Out, Bit>,
    /// Fields of the head; zero without one.
    pub head_warp: Signal<Out, Bits<V>>,
    pub head_address: Signal<Out, Bits<A>>,
    pub head_source: Signal<Out, Bits<8>>,
    pub head_destination: Signal<Out, Bits<8>>,

    pops: Vec<Signal<Local, Bit>>,
    takes: Vec<Signal<Local, Bit>>,
    /// The request becomes the sub-core's first.
    to_front: Vec<Signal<Local, Bit>>,
    turns: HoldingArbiter,
    /// Of sub-core s: places 2s and 2s + 1, the first one in front.
    valid: Vec<Register<Bit>>,
    is_release: Vec<Register<Bit>>,
    warp: Vec<Register<Bits<V>>>,
    address: Vec<Register<Bits<A>>>,
    source: Vec<Register<Bits<8>>>,
    destination: Vec<Register<Bits<8>>>,
    identity: Identity,
    _places: usize,
}

impl<const V: usize, const A: usize> Default for LoadQueue<V, A> {
    fn default() -> Self {
        let places = SUB_CORES * QUEUE_DEPTH;
        LoadQueue {
            clock: Signal::default(),
            reset: Signal::default(),
            push: array(SUB_CORES),
            push_release: array(SUB_CORES),
            push_warp: array(SUB_CORES),
            push_address: array(SUB_CORES),
            push_source: array(SUB_CORES),
            push_destination: array(SUB_CORES),
            pop: Signal::default(),
            ready: array(SUB_CORES),
            head_valid: Signal::default(),
            head_release: Signal::default(),
            head_warp: Signal::default(),
            head_address: Signal::default(),
            head_source: Signal::default(),
            head_destination: Signal::default(),
            pops: array(SUB_CORES),
            takes: array(SUB_CORES),
            to_front: array(SUB_CORES),
            turns: HoldingArbiter::new(SUB_CORES),
            valid: array(places),
            is_release: array(places),
            warp: array(places),
            address: array(places),
            source: array(places),
            destination: array(places),
            identity: Identity::new(
                "load_queue",
                "Request queue of the inter-warp multicasting unit (I 3.1, 5.2.3)",
                &[("warp", V), ("address", A)],
            ),
            _places: places,
        }
    }
}

impl<const V: usize, const A: usize> Logic for LoadQueue<V, A> {
    #[rtl]
    fn update(&mut self) {
        self.turns.clock.next = self.clock.val();
        self.turns.reset.next = self.reset.val();
        self.turns.finish.next = self.pop.val();
        self.head_valid.next = false;
        self.head_release.next = false;
        self.head_warp.next = 0.into();
        self.head_address.next = 0.into();
        self.head_source.next = 0.into();
        self.head_destination.next = 0.into();
        for s in 0..4 {
            self.turns.request[s].next = self.valid[s * 2].q.val();
            if self.turns.grant[s].val() {
                self.head_valid.next = true;
                self.head_release.next = self.is_release[s * 2].q.val();
                self.head_warp.next = self.warp[s * 2].q.val();
                self.head_address.next = self.address[s * 2].q.val();
                self.head_source.next = self.source[s * 2].q.val();
                self.head_destination.next = self.destination[s * 2].q.val();
            }
        }

        for p in 0..self._places {
            self.valid[p].clock.next = self.clock.val();
            self.valid[p].reset.next = self.reset.val();
            self.is_release[p].clock.next = self.clock.val();
            self.is_release[p].reset.next = self.reset.val();
            self.warp[p].clock.next = self.clock.val();
            self.warp[p].reset.next = self.reset.val();
            self.address[p].clock.next = self.clock.val();
            self.address[p].reset.next = self.reset.val();
            self.source[p].clock.next = self.clock.val();
            self.source[p].reset.next = self.reset.val();
            self.destination[p].clock.next = self.clock.val();
            self.destination[p].reset.next = self.reset.val();
            self.is_release[p].enable.next = self.valid[p].enable.val();
            self.warp[p].enable.next = self.valid[p].enable.val();
            self.address[p].enable.next = self.valid[p].enable.val();
            self.source[p].enable.next = self.valid[p].enable.val();
            self.destination[p].enable.next = self.valid[p].enable.val();
        }
        for s in 0..4 {
            self.ready[s].next = !self.valid[s * 2 + 1].q.val();
            self.takes[s].next = self.push[s].val() & !self.valid[s * 2 + 1].q.val();
            self.pops[s].next = self.pop.val() & self.turns.grant[s].val();
            self.to_front[s].next = self.takes[s].val() & (self.pops[s].val() | !self.valid[s * 2].q.val());

            // The first place: the second moves up, or the request comes in.
            self.valid[s * 2].enable.next = self.pops[s].val() | self.to_front[s].val();
            self.valid[s * 2].d.next = self.valid[s * 2 + 1].q.val() | self.to_front[s].val();
            self.is_release[s * 2].d.next = self.is_release[s * 2 + 1].q.val();
            self.warp[s * 2].d.next = self.warp[s * 2 + 1].q.val();
            self.address[s * 2].d.next = self.address[s * 2 + 1].q.val();
            self.source[s * 2].d.next = self.source[s * 2 + 1].q.val();
            self.destination[s * 2].d.next = self.destination[s * 2 + 1].q.val();
            if self.to_front[s].val() {
                self.is_release[s * 2].d.next = self.push_release[s].val();
                self.warp[s * 2].d.next = self.push_warp[s].val();
                self.address[s * 2].d.next = self.push_address[s].val();
                self.source[s * 2].d.next = self.push_source[s].val();
                self.destination[s * 2].d.next = self.push_destination[s].val();
            }

            // The second place.
            self.valid[s * 2 + 1].enable.next = self.pops[s].val() | self.takes[s].val();
            self.valid[s * 2 + 1].d.next = self.takes[s].val() & !self.to_front[s].val();
            self.is_release[s * 2 + 1].d.next = self.push_release[s].val();
            self.warp[s * 2 + 1].d.next = self.push_warp[s].val();
            self.address[s * 2 + 1].d.next = self.push_address[s].val();
            self.source[s * 2 + 1].d.next = self.push_source[s].val();
            self.destination[s * 2 + 1].d.next = self.push_destination[s].val();
        }
    }
}
