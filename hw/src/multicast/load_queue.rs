// SPDX-License-Identifier: Apache-2.0
//! Request queue of the inter-warp multicasting unit: I §3.1, §5.2.3.
//!
//! It has two requests for each of four sub-cores, first in, first out; the sub-cores take turns. The paper's
//! eight entries are "identical to that of the LRT". Here each has one bit more, which tells a release from a
//! load.
//!
//! A request is at the head in the cycle after it was taken, at the earliest. `ready` is state: a sub-core's
//! second place is free. The head stays until `pop`.

use gpurf_blocks::{QUEUE_DEPTH, SUB_CORES};
use rust_hdl::prelude::*;

use super::HoldingArbiter;
use crate::bundles::LoadRequest;
use crate::dialect::{block, rtl, Held, Register};
use crate::{monitor, watch};

/// `V`: bits of a warp's number; `A`: bits of an address.
#[block(
    title = "Request queue of the inter-warp multicasting unit",
    paper = "I §3.1, 5.2.3",
    sizes(places = SUB_CORES * QUEUE_DEPTH)
)]
pub struct LoadQueue<const V: usize, const A: usize> {
    /// A sub-core has a request.
    pub push: In<[Bit; SUB_CORES]>,
    /// The request is a release, not a load.
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
    /// The head is a release.
    pub head_release: Out<Bit>,
    /// The head; zero without one.
    pub head: LoadRequest<Out, V, A>,

    #[with(SUB_CORES)]
    turns: HoldingArbiter,
    /// Places 2s and 2s + 1 belong to sub-core s, the first one in front.
    valid: Register<[Bit; places]>,
    is_release: Register<[Bit; places]>,
    requests: [LoadRequest<Held, V, A>; places],
}

watch!(LoadQueue<V, A>: [
    "misuse if pop && !head_valid: a request is taken from an empty queue",
    "fault if !head_valid && (head_warp != 0 || head_address != 0 || head_source != 0): fields \
        without a request",
]);

monitor!(LoadQueue<V, A>: "load_queue_monitor.v");

#[rtl]
impl<const V: usize, const A: usize> LoadQueue<V, A> {
    fn queue() {
        turns.finish = pop;
        head_valid = false;
        head_release = false;
        head.clear();
        for s in 0..4 {
            turns.request[s] = valid[s * 2];
            if turns.grant[s] {
                head_valid = true;
                head_release = is_release[s * 2];
                pass!(requests[s * 2] => head);
            }
        }

        for p in 0..places {
            is_release[p].enable = valid[p].enable;
            requests[p].enable = valid[p].enable;
        }
        for s in 0..4 {
            ready[s] = !valid[s * 2 + 1];
            let takes: Bit = push[s] & !valid[s * 2 + 1];
            let pops: Bit = pop & turns.grant[s];
            /// The request becomes the sub-core's first.
            let to_front: Bit = takes & (pops | !valid[s * 2]);

            // The first place: the second moves up, or the request comes in.
            valid[s * 2].load(pops | to_front, valid[s * 2 + 1] | to_front);
            is_release[s * 2].d = is_release[s * 2 + 1];
            pass!(requests[s * 2 + 1] => requests[s * 2]);
            if to_front {
                is_release[s * 2].d = push_release[s];
                pass!(pushed[s] => requests[s * 2]);
            }

            // The second place.
            valid[s * 2 + 1].load(pops | takes, takes & !to_front);
            is_release[s * 2 + 1].d = push_release[s];
            pass!(pushed[s] => requests[s * 2 + 1]);
        }
    }
}
