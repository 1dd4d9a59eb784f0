// SPDX-License-Identifier: Apache-2.0
//! Reference model of Virtual Thread's context mover: R §IV-B, §V-B.

use std::collections::VecDeque;

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{ContextMoverIn, ContextMoverOut};
use gpurf_blocks::{Clocked, CTA_WARPS};

use crate::checkpoint::model_state;

/// The contexts that are to move, in their order.
#[derive(Clone, Debug, Default, BorshSerialize, BorshDeserialize)]
pub struct ContextMover {
    contexts: VecDeque<Context>,
    /// Words of the first one that have moved.
    word: u32,
    #[borsh(skip)]
    inputs: ContextMoverIn,
}

/// The context of a warp on its way.
#[derive(Clone, Copy, Debug, BorshSerialize, BorshDeserialize)]
struct Context {
    store: bool,
    cta: u32,
    warp: u32,
}

impl ContextMover {
    /// The contexts of a switch that starts.
    fn start(&mut self, inputs: &ContextMoverIn) {
        let ContextMoverIn { outgoing, leaving, incoming, coming, .. } = *inputs;
        let ways = [(true, outgoing, leaving), (false, incoming, coming)];
        let contexts = ways.into_iter().flat_map(|(store, cta, warps)| {
            let warps = (0..CTA_WARPS as u32).filter(move |warp| warps >> warp & 1 == 1);
            warps.map(move |warp| Context { store, cta, warp })
        });
        self.contexts = contexts.collect();
        self.word = 0;
    }
}

impl Clocked for ContextMover {
    type In = ContextMoverIn;
    type Out = ContextMoverOut;

    fn settle(&mut self, inputs: &ContextMoverIn) -> ContextMoverOut {
        self.inputs = *inputs;
        let first = self.contexts.front();
        let is_last = self.contexts.len() == 1 && self.word == inputs.last_word;
        ContextMoverOut {
            access: first.is_some(),
            store: first.is_some_and(|context| context.store),
            cta: first.map_or(0, |context| context.cta),
            warp: first.map_or(0, |context| context.warp),
            word: self.word,
            done: first.is_none() || is_last,
        }
    }

    fn tick(&mut self) {
        let inputs = self.inputs;
        if inputs.start {
            self.start(&inputs);
        } else if self.contexts.is_empty() {
            // Nothing moves.
        } else if self.word == inputs.last_word {
            self.contexts.pop_front();
            self.word = 0;
        } else {
            self.word += 1;
        }
    }

    model_state!();
}
