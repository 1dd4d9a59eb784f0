// SPDX-License-Identifier: Apache-2.0
//! Reference model of the decision unit: I §3.1, §3.2.

use gpurf_blocks::ports::{DecisionUnitIn, DecisionUnitOut};
use gpurf_blocks::{Clocked, Parameters};

/// It decides, and remembers nothing.
#[derive(Clone, Copy, Debug)]
pub struct DecisionUnit;

/// The fate of an entry that leaves the table, or of a request whose search has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// The table's entry leaves as a plain load.
    Leaves,
    /// Case 1 of I Fig. 8c: one access for both warps.
    Pairs,
    /// The table is full, and the load leaves at once.
    Rejected,
    /// Case 2 of I Fig. 8c: it waits for a partner.
    Inserted,
    /// A release is over.
    Released,
    /// The search goes on, or there is none.
    Nothing,
}

impl DecisionUnit {
    /// After reset, with these parameters.
    pub fn new(_: &Parameters) -> Self {
        DecisionUnit
    }

    fn fate(inputs: &DecisionUnitIn) -> Fate {
        match inputs {
            DecisionUnitIn { evict: true, .. } => Fate::Leaves,
            DecisionUnitIn { done: false, .. } => Fate::Nothing,
            DecisionUnitIn { matched: true, .. } => Fate::Pairs,
            DecisionUnitIn { head_release: true, .. } => Fate::Released,
            DecisionUnitIn { full: true, .. } => Fate::Rejected,
            _ => Fate::Inserted,
        }
    }

    /// Decides the fate of the request.
    pub fn decide(inputs: &DecisionUnitIn) -> DecisionUnitOut {
        let fate = Self::fate(inputs);
        let offer = matches!(fate, Fate::Leaves | Fate::Pairs | Fate::Rejected);
        let leaves = offer && inputs.accepted;
        let finished = !offer || inputs.accepted;
        let (address, source, destination, warps) = match fate {
            Fate::Leaves => {
                let warps = [Some(inputs.evict_warp), None];
                (inputs.evict_address, inputs.evict_source, inputs.evict_destination, warps)
            }
            _ => {
                let warps = match fate {
                    Fate::Pairs => [Some(inputs.matched_warp), Some(inputs.head_warp)],
                    _ => [Some(inputs.head_warp), None],
                };
                (inputs.head_address, inputs.head_source, inputs.head_destination, warps)
            }
        };
        let released = leaves && fate == Fate::Leaves;
        DecisionUnitOut {
            offer,
            offer_address: address,
            offer_source: source,
            offer_destination: destination,
            offer_first_warp: warps[0].unwrap_or(0),
            offer_second_valid: warps[1].is_some(),
            offer_second_warp: warps[1].unwrap_or(0),
            evict_ready: inputs.accepted,
            done_ready: finished,
            insert: fate == Fate::Inserted,
            pop: inputs.done && finished,
            multicast: leaves && fate == Fate::Pairs,
            released_repeat: released && !inputs.evict_aged && !inputs.head_release,
            released_barrier: released && !inputs.evict_aged && inputs.head_release,
            released_age: released && inputs.evict_aged,
            rejected: leaves && fate == Fate::Rejected,
        }
    }
}

impl Clocked for DecisionUnit {
    type In = DecisionUnitIn;
    type Out = DecisionUnitOut;

    fn settle(&mut self, inputs: &DecisionUnitIn) -> DecisionUnitOut {
        Self::decide(inputs)
    }

    fn tick(&mut self) {}
}
