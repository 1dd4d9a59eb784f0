// SPDX-License-Identifier: Apache-2.0
//! Loads on their way to shared memory, until the scoreboards have freed their destinations: I §3.1.
//!
//! "Before data are moved from SMEM to RF, the two sub-cores must check their dependencies". Each of four
//! loads asks the sub-core of each of its warps whether the destination register is free. It leaves when all
//! have said so. Each sub-core is asked one question per cycle, another one each cycle while several wait. A
//! register that stays in use holds up its own load and no other.
//!
//! Loads leave in any order but one. A load into a register that a waiting load writes for the same warp is
//! taken only after that one has left. So a warp's loads into one register reach memory in their order.
//!
//! A load that is taken asks in the next cycle, and leaves from the cycle after its last answer. `ask` and
//! `load` are state; an answer counts in the cycle of its question. A load that is shown stays until it is
//! taken.

use gpurf_blocks::{PENDING, SUB_CORES};
use rust_hdl::prelude::*;

use super::HoldingArbiter;
use crate::bundles::{Question, SharedLoad};
use crate::cells::RoundRobin;
use crate::dialect::{block, rtl, Register};
use crate::monitor;
use crate::watch;

/// `V`: bits of a warp's number; `A`: bits of an address.
#[block(
    title = "Loads that wait for scoreboards",
    paper = "I §3.1",
    sizes(pending = PENDING, warps = 2 * PENDING)
)]
pub struct PendingLoads<const V: usize, const A: usize> {
    /// A load is offered.
    pub offer: In<Bit>,
    /// The load that is offered.
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
    /// The load that leaves; zero while none does.
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
    /// The choice of the question that each sub-core is asked.
    #[with(2 * PENDING)]
    questions: [RoundRobin; SUB_CORES],
    valid: Register<[Bit; PENDING]>,
    address: Register<[Bits<A>; PENDING]>,
    source: Register<[Bits<8>; PENDING]>,
    destination: Register<[Bits<8>; PENDING]>,
    second_valid: Register<[Bit; PENDING]>,
    /// Load p has its first warp at 2p and its second at 2p + 1. `free` says that the warp's register is
    /// free.
    warp: Register<[Bits<V>; 2 * PENDING]>,
    free: Register<[Bit; 2 * PENDING]>,
}

watch!(PendingLoads<V, A>: [
    "misuse if offer && offer_second_valid && offer_first_warp == offer_second_warp: warp {offer_first_warp} is \
        its own partner",
    "fault if accepted && !offer: a load is taken that nobody offers",
]);

#[rtl]
impl<const V: usize, const A: usize> PendingLoads<V, A> {
    /// The place of the load that is offered, if there is one.
    fn accept() {
        clash = false;
        claimed = false;
        for p in 0..pending {
            if (valid[p] & (destination[p] == offered.destination))
                & (((warp[p * 2] == offered.first_warp)
                    | (offered.second_valid & (warp[p * 2] == offered.second_warp)))
                    | (second_valid[p]
                        & ((warp[p * 2 + 1] == offered.first_warp)
                            | (offered.second_valid & (warp[p * 2 + 1] == offered.second_warp)))))
            {
                clash = true;
            }
            claims[p] = !valid[p] & !claimed;
            claimed |= !valid[p];
        }
        accepts = (offer & claimed) & !clash;
        accepted = accepts;
    }

    /// Questions.
    fn questions() {
        for s in 0..4 {
            asked[s] = false;
            ask[s].warp = 0;
            ask[s].register = 0;
            for p in 0..pending {
                for j in 0..2 {
                    questions[s].request[p * 2 + j] =
                        (valid[p] & !free[p * 2 + j]) & (bit_cast::<2, V>(warp[p * 2 + j]) == s);
                    if questions[s].grant[p * 2 + j] {
                        asked[s] = true;
                        ask[s].warp |= warp[p * 2 + j];
                        ask[s].register |= destination[p];
                    }
                }
            }
            ask[s].valid = asked[s];
            questions[s].advance = asked[s];
        }
        for w in 0..warps {
            answered[w] = false;
            for s in 0..4 {
                if questions[s].grant[w] & enable[s] {
                    answered[w] = true;
                }
            }
        }
    }

    /// The load that leaves.
    fn leave() {
        any_leaves = false;
        load.clear();
        for p in 0..pending {
            departures.request[p] = valid[p] & (free[p * 2] & free[p * 2 + 1]);
            leaves[p] = departures.grant[p] & load_ready;
            if departures.grant[p] {
                any_leaves = true;
                load.address |= address[p];
                load.source |= source[p];
                load.destination |= destination[p];
                load.first_warp |= warp[p * 2];
                if second_valid[p] {
                    load.second_valid = true;
                    load.second_warp |= warp[p * 2 + 1];
                }
            }
        }
        load_valid = any_leaves;
        departures.finish = any_leaves & load_ready;
    }

    /// Changes.
    fn change() {
        for p in 0..pending {
            valid[p].load(leaves[p] | (accepts & claims[p]), !leaves[p]);
            if accepts & claims[p] {
                address[p] = offered.address;
                source[p] = offered.source;
                destination[p] = offered.destination;
                second_valid[p] = offered.second_valid;
            }
            warp[p * 2].d = offered.first_warp;
            warp[p * 2 + 1].d = offered.second_warp;
            free[p * 2].d = answered[p * 2];
            free[p * 2 + 1].d = answered[p * 2 + 1];
            if accepts & claims[p] {
                // Nobody is asked about a second warp that is not there.
                free[p * 2 + 1].d = !offered.second_valid;
            }
            for j in 0..2 {
                warp[p * 2 + j].enable = accepts & claims[p];
                free[p * 2 + j].enable = answered[p * 2 + j] | (accepts & claims[p]);
            }
        }
    }
}

monitor!(PendingLoads<V, A>: "pending_loads_monitor.v");
