// SPDX-License-Identifier: Apache-2.0
//! The choice of what takes a slot. See [`super`] for the order.

use gpurf_blocks::{WarpSet, SUB_CORES};

use super::super::block_dispatcher::BlockDispatcher;
use super::super::blocks::Blocks;
use super::super::context::Context;
use super::super::machine::Machine;
use super::super::names::{BlockId, BlockSet, Region, Slot};
use super::super::occupancy::Occupancy;
use super::Switching;
use crate::config::Prefer;
use crate::design::Store;
use crate::engines::RunsSubCore;

/// A slot that can be taken, and by what.
pub(super) struct Opening {
    pub slot: Slot,
    /// The stalled block that leaves it.
    pub outgoing: Option<BlockId>,
    pub wanted: Wanted,
    /// Where the registers of the block that comes would lie, unless they are in the banks.
    pub region: Option<Region>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    New,
    /// One of these pending blocks; the status monitor selects it.
    Among(BlockSet),
}

impl Switching {
    /// Looks for a slot that can be taken: one without a block first, then those of stalled blocks in turn.
    pub(super) fn opening<E: RunsSubCore>(
        &mut self,
        front: &BlockDispatcher,
        machine: &mut Machine<E>,
    ) -> Option<Opening> {
        let occupancy = &front.occupancy;
        let Machine { sub_cores, context, .. } = &mut *machine;
        context.blocks.depleted = false;
        if !context.blocks.resumable.is_empty() {
            let blocks = &context.blocks;
            for slot in (0..occupancy.blocks).map(Slot).filter(|&slot| blocks.in_slot(slot).is_none()) {
                let region = self.free_region(occupancy, slot, blocks);
                let away = region.map_or_else(BlockSet::default, |_| away(blocks));
                let among = in_banks(blocks, occupancy, slot).union(away);
                if !among.is_empty() {
                    return Some(Opening { slot, outgoing: None, wanted: Wanted::Among(among), region });
                }
            }
        }
        let stalled: [(WarpSet, WarpSet); SUB_CORES] =
            std::array::from_fn(|index| sub_cores[index].stalled(occupancy.switching, context));
        for offset in 0..occupancy.blocks {
            let slot = Slot((self.turn + offset) % occupancy.blocks);
            let in_slot = machine.context.blocks.in_slot(slot);
            let Some(block) = in_slot.filter(|_| is_stalled(occupancy, slot, &stalled)) else { continue };
            note_stall(block, &mut machine.context);
            if !occupancy.switching {
                continue;
            }
            if let Some((wanted, region)) = self.replace(front, slot, block, machine) {
                machine.context.blocks.depleted = false;
                return Some(Opening { slot, outgoing: Some(block), wanted, region });
            }
        }
        None
    }

    /// The block that takes the place of a stalled one, and the region of its registers.
    fn replace<E: RunsSubCore>(
        &mut self,
        front: &BlockDispatcher,
        slot: Slot,
        block: BlockId,
        machine: &mut Machine<E>,
    ) -> Option<(Wanted, Option<Region>)> {
        let occupancy = &front.occupancy;
        let can_launch = front.can_launch(machine);
        let Context { config, blocks, .. } = &mut machine.context;
        let free = self.free_region(occupancy, slot, blocks);
        let (in_banks, away) = (in_banks(blocks, occupancy, slot), away(blocks));
        let (mut launches, mut resumes) = (can_launch, !away.is_empty());
        if free.is_none() {
            let (stores, has_room) = match self.residency.store {
                Store::Nowhere => (false, false),
                Store::Dram => (true, blocks.stored_count() < config.finereg.dram_ctas),
                Store::Pcrf => (true, true),
            };
            let resident = blocks.get(block);
            let refused = resident.refused.map(|epoch| epoch == Some(blocks.epoch));
            let can_leave = stores && !resident.diverged;
            launches &= can_leave && has_room && !refused[0];
            resumes &= can_leave && !refused[1];
            blocks.depleted |= self.residency.has_rmu() && (can_launch || !away.is_empty());
            if (launches || resumes) && !self.can_store(block, machine) {
                (launches, resumes) = (false, false);
            }
        }
        let among = if resumes { in_banks.union(away) } else { in_banks };
        let region = free.or(machine.context.blocks.get(block).region);
        match machine.context.config.finereg.prefer {
            Prefer::New if launches => Some((Wanted::New, region)),
            _ if !among.is_empty() => Some((Wanted::Among(among), region)),
            Prefer::Ready if launches => Some((Wanted::New, region)),
            _ => None,
        }
    }

    /// The status monitor's cycle. The pending block that it selects among these.
    pub(super) fn select(&mut self, among: BlockSet, context: &mut Context) -> Option<BlockId> {
        let candidate = self.monitor.step(among)?;
        let block = BlockId(candidate.cta);
        let in_banks = context.blocks.find(block).map(|resident| resident.region.is_some());
        if among.contains(block) && in_banks == Some(candidate.in_acrf) {
            return Some(block);
        }
        context.records.stage_error(context.clock.now, || {
            format!("the status monitor selects {candidate:?} among {:#b}", among.0)
        });
        None
    }

    /// A region that suits the slot and that no block has. Its own one first.
    pub(super) fn free_region(&self, occupancy: &Occupancy, slot: Slot, blocks: &Blocks) -> Option<Region> {
        // That of a block about to be launched too.
        let reserved = self.under_way.as_ref().map(|switch| switch.region);
        let taken = blocks.iter().filter_map(|resident| resident.region).chain(reserved);
        let taken = taken.fold(0u128, |set, region| set | 1 << region.0);
        let suits = |region: &Region| taken >> region.0 & 1 == 0 && occupancy.suits(slot, *region);
        std::iter::once(slot.0).chain(0..occupancy.regions).map(Region).find(suits)
    }

    /// Returns true if the live registers of a block are all that its warps need: see
    /// [`gpurf_trace::Liveness`] on warps that have diverged. If not, it is not switched: the RMU looks one
    /// program counter up for each warp.
    fn can_store<E: RunsSubCore>(&self, block: BlockId, machine: &mut Machine<E>) -> bool {
        if !self.residency.has_rmu() {
            return true;
        }
        let Machine { sub_cores, context, .. } = machine;
        let Some(liveness) = &context.code.liveness else { return false };
        let warps = sub_cores.iter().flat_map(|sub_core| sub_core.resident_warps());
        let mut warps = warps.filter(|warp| warp.block == block && !warp.is_issued());
        let covered = warps.all(|warp| {
            let head = liveness.at(context.code.of(warp.head().0).pc);
            warp.live(liveness, context.code.decoded()).is_subset(&head)
        });
        if !covered {
            context.blocks.get_mut(block).diverged = true;
            context.records.blocks.refused_diverged += 1;
        }
        covered
    }
}

/// Pending blocks that can go on, their registers in a region that suits the slot.
fn in_banks(blocks: &Blocks, occupancy: &Occupancy, slot: Slot) -> BlockSet {
    resumable(blocks, |region| region.is_some_and(|region| occupancy.suits(slot, region)))
}

/// Pending blocks that can go on, their registers not in the banks.
fn away(blocks: &Blocks) -> BlockSet {
    resumable(blocks, |region| region.is_none())
}

/// Pending blocks that can go on, by where their registers are.
fn resumable(blocks: &Blocks, accept: impl Fn(Option<Region>) -> bool) -> BlockSet {
    blocks.resumable.iter().filter(|&block| accept(blocks.get(block).region)).collect()
}

fn note_stall(block: BlockId, context: &mut Context) {
    let resident = context.blocks.get_mut(block);
    if let (false, Some(first)) = (resident.has_stalled, resident.first_issue) {
        resident.has_stalled = true;
        context.records.blocks.complete_stalls += 1;
        context.records.blocks.cycles_to_stall += context.clock.now - first;
    }
}

/// Returns true if all warps of the block in a slot are stalled, and one of them on memory or registers.
fn is_stalled(occupancy: &Occupancy, slot: Slot, stalled: &[(WarpSet, WarpSet); SUB_CORES]) -> bool {
    let mut waits = false;
    for number in 0..occupancy.warps {
        let (sub_core, warp) = occupancy.place(slot, number);
        let (waiting, stalled) = stalled[sub_core];
        if stalled & warp.bit() == 0 {
            return false;
        }
        waits |= waiting & warp.bit() != 0;
    }
    waits
}
