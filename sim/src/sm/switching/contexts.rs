// SPDX-License-Identifier: Apache-2.0
//! The contexts of warps, their places in the stream and their scoreboards, leave slots and come into them.

use super::super::context::Context;
use super::super::machine::Machine;
use super::super::names::{BlockId, BlockPlace, Slot};
use super::super::occupancy::Occupancy;
use super::{Incoming, Switch, Switching};
use crate::engines::RunsSubCore;

impl Switch {
    /// How long the contexts of a switch are on their way.
    pub(super) fn context_cycles(&self, context: &Context) -> u64 {
        let incoming = match self.incoming {
            Incoming::New => None,
            Incoming::Pending(block) => Some(block),
        };
        let blocks = self.outgoing.into_iter().chain(incoming);
        let contexts = blocks.map(|block| &context.blocks.get(block).contexts);
        let warps = contexts.map(|contexts| contexts.iter().flatten().count() as u64);
        context.config.finereg.context_cycles * warps.sum::<u64>()
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
