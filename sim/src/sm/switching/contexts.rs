// SPDX-License-Identifier: Apache-2.0
//! The contexts of warps, their places in the stream and their scoreboards, leave slots and come into them.

use gpurf_blocks::ports::ContextMoverIn;

use super::super::context::Context;
use super::super::machine::Machine;
use super::super::names::{BlockId, BlockPlace, Slot};
use super::super::occupancy::Occupancy;
use super::{Incoming, Switch, Switching};
use crate::checkpoint::checkpoint;
use crate::engines::{ContextMoverEngine, RunsSubCore};

/// Words of a context, at most.
const WORDS: u64 = 1 << 16;

/// The contexts of a switch on their way between pipeline and shared memory. Hardware, which an engine runs,
/// moves a word of them in a cycle. It sees no clock edge while nothing moves.
pub(in crate::sm) struct ContextMoves {
    engine: ContextMoverEngine,
    inputs: ContextMoverIn,
    moves: bool,
}

checkpoint! {
    [] ContextMoves {
        values: moves;
        ports: inputs;
        engines: engine;
    }
}

impl ContextMoves {
    pub fn new(engine: ContextMoverEngine) -> ContextMoves {
        ContextMoves { engine, inputs: ContextMoverIn::default(), moves: false }
    }

    /// The contexts of a switch begin to move in the next cycle, each as many words as the machine says.
    pub fn start(&mut self, switch: &Switch, context: &Context) {
        let words = context.config.finereg.context_cycles.min(WORDS);
        let of = |block: Option<BlockId>| {
            let contexts = block.filter(|_| words > 0).map(|block| &context.blocks.get(block).contexts);
            let there = contexts.into_iter().flatten().enumerate().filter(|(_, warp)| warp.is_some());
            let warps = there.fold(0u32, |set, (number, _)| set | 1 << number);
            (block.map_or(0, |block| block.0 as u32), warps)
        };
        let incoming = match switch.incoming {
            Incoming::New => None,
            Incoming::Pending(block) => Some(block),
        };
        let ((outgoing, leaving), (incoming, coming)) = (of(switch.outgoing), of(incoming));
        let last_word = words.saturating_sub(1) as u32;
        self.inputs = ContextMoverIn { start: true, outgoing, leaving, incoming, coming, last_word };
    }

    /// The switch is given up: its contexts move no more.
    pub fn give_up(&mut self) {
        self.inputs = ContextMoverIn { start: true, ..ContextMoverIn::default() };
    }

    /// Nothing moves after this cycle.
    pub fn are_done(&mut self) -> bool {
        !self.moves || self.engine.settle(&self.inputs).done
    }

    /// The hardware's clock edge.
    pub fn end_cycle(&mut self) {
        let ContextMoverIn { start, leaving, coming, last_word, .. } = self.inputs;
        if !start && !self.moves {
            return;
        }
        let done = self.engine.settle(&self.inputs).done;
        self.engine.tick();
        self.moves = if start { leaving | coming != 0 } else { !done };
        self.inputs = ContextMoverIn { last_word, ..ContextMoverIn::default() };
    }
}

impl Switching {
    /// The warps of a block leave their slots, and what units of the SM keep of them for others is given up.
    pub(super) fn take_contexts<E: RunsSubCore>(
        &mut self,
        block: BlockId,
        slot: Slot,
        occupancy: &Occupancy,
        machine: &mut Machine<E>,
    ) {
        let Machine { sub_cores, context, monolithic, .. } = machine;
        let Context { clock, blocks, code, memory, .. } = context;
        blocks.vacate(block, slot, clock.now);
        memory.forget_loads(block);
        let contexts = &mut blocks.get_mut(block).contexts;
        contexts.clear();
        for number in 0..occupancy.warps {
            let (sub_core, warp) = occupancy.place(slot, number);
            contexts.push(sub_cores[sub_core].take_warp(warp, block, code, &mut self.spare));
            if let Some(monolithic) = monolithic {
                monolithic.leave(sub_core, warp.bit());
            }
        }
    }

    /// The warps of a block come into slots, and what was completed for them with them.
    pub(super) fn put_contexts<E>(
        &mut self,
        BlockPlace { block, slot, region }: BlockPlace,
        anew: bool,
        occupancy: &Occupancy,
        machine: &mut Machine<E>,
    ) where
        E: RunsSubCore,
    {
        let Machine { sub_cores, context, .. } = machine;
        context.blocks.occupy(block, slot, region);
        let resident = context.blocks.get_mut(block);
        for (number, warp_context) in resident.contexts.iter_mut().enumerate() {
            if let Some(warp_context) = warp_context.take() {
                let (sub_core, warp) = occupancy.place(slot, number);
                let base = occupancy.base(region, number);
                sub_cores[sub_core].put_warp(warp, warp_context, base, anew, &mut self.spare);
            }
        }
        let mut completed = std::mem::take(&mut resident.completed);
        for executing in completed.drain(..) {
            let located =
                context.blocks.locate(executing, occupancy, context.code.decoded(), context.clock.now);
            let executing = located.expect("it has a slot again");
            sub_cores[executing.sub_core].complete(executing, context);
        }
        context.blocks.get_mut(block).completed = completed;
    }
}
