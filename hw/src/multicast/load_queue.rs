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
use crate::bundles::LoadRequest;
use crate::dialect::{block, rtl, Held, Register};

/// `V`: bits of a warp's number; `A`: bits of an address.
#[block(
    title = "Request queue of the inter-warp multicasting unit",
    paper = "I §3.1, 5.2.3",
    sizes(places = SUB_CORES * QUEUE_DEPTH)
)]
pub struct LoadQueue<const V: usize, const A: usize> {
    /// A sub-core has a request.
    pub push: In<[Bit; SUB_CORES]>,
    /// It is a release, not a load.
    pub push_release: In<[Bit; SUB_CORES]>,
    /// The request; of a release its warp alone.
    #[prefix(push)]
    pub pushed: [LoadRequest<In, V, A>; SUB_CORES],
    /// The head is done; only with `head_valid`.
    pub pop: In<Bit>,

    /// `push` is taken.
    pub ready: Out<[Bit; SUB_CORES]>,
    /// There is a head.
    pub head_valid: Out<Bit>,
    /// It is a release.
    pub head_release: Out<Bit>,
    /// The head; zero without one.
    pub head: LoadRequest<Out, V, A>,

    pops: Local<[Bit; SUB_CORES]>,
    takes: Local<[Bit; SUB_CORES]>,
    /// The request becomes the sub-core's first.
    to_front: Local<[Bit; SUB_CORES]>,
    #[with(SUB_CORES)]
    turns: HoldingArbiter,
    /// Of sub-core s: places 2s and 2s + 1, the first one in front.
    valid: Register<[Bit; places]>,
    is_release: Register<[Bit; places]>,
    requests: [LoadRequest<Held, V, A>; places],
}

impl<const V: usize, const A: usize> Logic for LoadQueue<V, A> {
    #[rtl]
    fn update(&mut self) {
        self.turns.finish.next = self.pop.val();
        self.head_valid.next = false;
        self.head_release.next = false;
        self.head.clear();
        for s in 0..4 {
            self.turns.request[s].next = self.valid[s * 2].val();
            if self.turns.grant[s].val() {
                self.head_valid.next = true;
                self.head_release.next = self.is_release[s * 2].val();
                pass!(self.requests[s * 2] => self.head);
            }
        }

        for p in 0..places {
            self.is_release[p].enable.next = self.valid[p].enable.val();
            self.requests[p].enable.next = self.valid[p].enable.val();
        }
        for s in 0..4 {
            self.ready[s].next = !self.valid[s * 2 + 1].val();
            self.takes[s].next = self.push[s].val() & !self.valid[s * 2 + 1].val();
            self.pops[s].next = self.pop.val() & self.turns.grant[s].val();
            self.to_front[s].next = self.takes[s].val() & (self.pops[s].val() | !self.valid[s * 2].val());

            // The first place: the second moves up, or the request comes in.
            self.valid[s * 2].load(
                self.pops[s].val() | self.to_front[s].val(),
                self.valid[s * 2 + 1].val() | self.to_front[s].val(),
            );
            self.is_release[s * 2].d.next = self.is_release[s * 2 + 1].val();
            pass!(self.requests[s * 2 + 1] => self.requests[s * 2]);
            if self.to_front[s].val() {
                self.is_release[s * 2].d.next = self.push_release[s].val();
                pass!(self.pushed[s] => self.requests[s * 2]);
            }

            // The second place.
            self.valid[s * 2 + 1].load(
                self.pops[s].val() | self.takes[s].val(),
                self.takes[s].val() & !self.to_front[s].val(),
            );
            self.is_release[s * 2 + 1].d.next = self.push_release[s].val();
            pass!(self.pushed[s] => self.requests[s * 2 + 1]);
        }
    }
}
