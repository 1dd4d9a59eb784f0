//! The contexts of warps, their places in the stream and their scoreboards, leave slots and come into them.

use gpurf_blocks::ports::{SubCoreIn, SubCoreOut};
use gpurf_blocks::Clocked;

use super::super::occupancy::Occupancy;
use super::super::Sm;
use super::{Incoming, Switch};

impl<E> Sm<E>
where
    E: Clocked<In = SubCoreIn<u32>, Out = SubCoreOut<u32>>,
{
    /// How long the contexts of a switch are on their way.
    pub(super) fn context_cycles(&self, switch: &Switch) -> u64 {
        let incoming = match switch.incoming {
            Incoming::New => None,
            Incoming::Pending(block) => Some(block),
        };
        let blocks = switch.outgoing.into_iter().chain(incoming);
        let residents = blocks.filter_map(|block| self.context.residents[block].as_ref());
        let warps = residents.map(|resident| resident.contexts.iter().flatten().count() as u64);
        self.context.config.finereg.context_cycles * warps.sum::<u64>()
    }

    /// The warps of a block leave their slots.
    pub(super) fn take_contexts(&mut self, block: usize, slot: usize, occupancy: &Occupancy) {
        self.context.slots[slot] = None;
        let resident = self.context.resident(block);
        resident.slot = None;
        let mut contexts = std::mem::take(&mut resident.contexts);
        contexts.clear();
        for number in 0..occupancy.warps {
            let (sub_core, warp) = occupancy.place(slot, number);
            contexts.push(self.sub_cores[sub_core].take_warp(warp, block, &mut self.switching.spare));
        }
        self.context.resident(block).contexts = contexts;
    }

    /// The warps of a block come into slots, and what was completed for them with them.
    pub(super) fn put_contexts(
        &mut self,
        block: usize,
        slot: usize,
        region: usize,
        anew: bool,
        occupancy: &Occupancy,
    ) {
        self.context.slots[slot] = Some(block);
        self.context.resumable &= !(1 << block);
        let resident = self.context.resident(block);
        (resident.slot, resident.region) = (Some(slot), Some(region));
        let mut contexts = std::mem::take(&mut resident.contexts);
        let mut completed = std::mem::take(&mut resident.completed);
        for (number, context) in contexts.iter_mut().enumerate() {
            if let Some(context) = context.take() {
                let (sub_core, warp) = occupancy.place(slot, number);
                let base = occupancy.base(region, number);
                self.sub_cores[sub_core].put_warp(warp, context, base, anew, &mut self.switching.spare);
            }
        }
        for executing in completed.drain(..) {
            let executing = self.context.locate(executing, occupancy).expect("it has a slot again");
            self.sub_cores[executing.sub_core].complete(executing, &mut self.context);
        }
        let resident = self.context.resident(block);
        (resident.contexts, resident.completed) = (contexts, completed);
    }
}
