//! What takes a slot. See [`super`] for the order.

use gpurf_blocks::ports::{SubCoreIn, SubCoreOut};
use gpurf_blocks::{Clocked, SUB_CORES};

use super::super::design::Residency;
use super::super::occupancy::Occupancy;
use super::super::{Running, Sm};
use crate::bits::wide_members;
use crate::config::Prefer;

/// A slot that can be taken, and by what.
pub(super) struct Opening {
    pub slot: usize,
    /// The stalled block that leaves it.
    pub outgoing: Option<usize>,
    pub wanted: Wanted,
    /// Where the registers of the block that comes would lie, unless they are in the banks.
    pub region: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    New,
    /// One of these pending blocks, one bit each; the status monitor selects it.
    Among(u128),
}

impl<E> Sm<E>
where
    E: Clocked<In = SubCoreIn<u32>, Out = SubCoreOut<u32>>,
{
    /// Looks for a slot that can be taken: one without a block first, then those of stalled blocks in turn.
    pub(super) fn opening(&mut self, running: &Running) -> Option<Opening> {
        let occupancy = &running.occupancy;
        self.context.depleted = false;
        if self.context.resumable != 0 {
            for slot in (0..occupancy.blocks).filter(|&slot| self.context.slots[slot].is_none()) {
                let region = self.free_region(occupancy, slot);
                let among = self.in_banks(occupancy, slot) | region.map_or(0, |_| self.away());
                if among != 0 {
                    return Some(Opening { slot, outgoing: None, wanted: Wanted::Among(among), region });
                }
            }
        }
        let stalled: [(u8, u8); SUB_CORES] =
            std::array::from_fn(|index| self.sub_cores[index].stalled(&self.context));
        for offset in 0..occupancy.blocks {
            let slot = (self.switching.turn + offset) % occupancy.blocks;
            let Some(block) = self.context.slots[slot].filter(|_| is_stalled(occupancy, slot, &stalled))
            else {
                continue;
            };
            self.note_stall(block);
            if !occupancy.switching {
                continue;
            }
            if let Some((wanted, region)) = self.replace(running, slot, block) {
                self.context.depleted = false;
                return Some(Opening { slot, outgoing: Some(block), wanted, region });
            }
        }
        None
    }

    fn note_stall(&mut self, block: usize) {
        let now = self.context.now;
        let resident = self.context.resident(block);
        if let (false, Some(first)) = (resident.has_stalled, resident.first_issue) {
            resident.has_stalled = true;
            self.context.residency.complete_stalls += 1;
            self.context.residency.cycles_to_stall += now - first;
        }
    }

    /// What takes the place of a stalled block, and the region of its registers.
    fn replace(&mut self, running: &Running, slot: usize, block: usize) -> Option<(Wanted, Option<usize>)> {
        let occupancy = &running.occupancy;
        let free = self.free_region(occupancy, slot);
        let in_banks = self.in_banks(occupancy, slot);
        let away = self.away();
        let can_launch = running.next_block.is_some() && self.context.resident_count < occupancy.residents;
        let (mut launches, mut resumes) = (can_launch, away != 0);
        if free.is_none() {
            let (stores, has_room) = match self.switching.residency {
                Residency::FineReg => (true, true),
                Residency::RegDram => {
                    (true, self.context.stored_count() < self.context.config.finereg.dram_ctas)
                }
                _ => (false, false),
            };
            let refused = self.context.resident(block).refused.map(|epoch| epoch == Some(self.context.epoch));
            let can_leave = stores && !self.context.resident(block).diverged;
            launches &= can_leave && has_room && !refused[0];
            resumes &= can_leave && !refused[1];
            if (launches || resumes) && !self.can_store(block) {
                (launches, resumes) = (false, false);
            }
            let of_pcrf = self.switching.residency == Residency::FineReg;
            self.context.depleted |= of_pcrf && (can_launch || away != 0);
        }
        let among = in_banks | if resumes { away } else { 0 };
        let region = free.or(self.context.resident(block).region);
        match self.context.config.finereg.prefer {
            Prefer::New if launches => Some((Wanted::New, region)),
            _ if among != 0 => Some((Wanted::Among(among), region)),
            Prefer::Ready if launches => Some((Wanted::New, region)),
            _ => None,
        }
    }

    /// The status monitor's cycle. The pending block that it selects among these.
    pub(super) fn select(&mut self, among: u128) -> Option<usize> {
        let candidate = self.switching.monitor.step(among)?;
        let resident = self.context.residents.get(candidate.cta).and_then(Option::as_ref);
        let in_banks = resident.map(|resident| resident.region.is_some());
        if among >> candidate.cta & 1 == 1 && in_banks == Some(candidate.in_acrf) {
            return Some(candidate.cta);
        }
        self.context.counters.stage_errors += 1;
        self.context.report(|| format!("the status monitor selects {candidate:?} among {among:#b}"));
        None
    }

    /// Pending blocks that can go on, their registers in a region that suits the slot.
    fn in_banks(&self, occupancy: &Occupancy, slot: usize) -> u128 {
        self.resumable(|region| region.is_some_and(|region| occupancy.suits(slot, region)))
    }

    /// Pending blocks that can go on, their registers not in the banks.
    fn away(&self) -> u128 {
        self.resumable(|region| region.is_none())
    }

    /// Pending blocks that can go on, one bit each, by where their registers are.
    fn resumable(&self, accept: impl Fn(Option<usize>) -> bool) -> u128 {
        let region = |block: usize| self.context.residents[block].as_ref().expect("a pending block").region;
        wide_members(self.context.resumable)
            .filter(|&block| accept(region(block)))
            .fold(0, |set, block| set | 1 << block)
    }

    /// A region that suits the slot and that no block has. Its own one first.
    pub(in crate::sm) fn free_region(&self, occupancy: &Occupancy, slot: usize) -> Option<usize> {
        let residents = self.context.residents.iter().flatten();
        // That of a block about to be launched too.
        let reserved = self.switching.under_way.as_ref().map(|switch| switch.region);
        let taken = residents.filter_map(|resident| resident.region).chain(reserved);
        let taken = taken.fold(0u128, |set, region| set | 1 << region);
        let suits = |region: &usize| taken >> region & 1 == 0 && occupancy.suits(slot, *region);
        std::iter::once(slot).chain(0..occupancy.regions).find(suits)
    }

    /// Whether the live registers of a block are all that its warps need: see [`gpurf_trace::Liveness`] on warps that have
    /// diverged. If not, it is not switched: the RMU looks one program counter up for each warp.
    fn can_store(&mut self, block: usize) -> bool {
        if self.switching.residency != Residency::FineReg {
            return true;
        }
        let Some(liveness) = &self.context.liveness else { return false };
        let decoded = &self.context.decoded;
        let warps = self.sub_cores.iter().flat_map(|sub_core| sub_core.resident_warps());
        let mut warps = warps.filter(|warp| warp.block == block && !warp.is_issued());
        let covered = warps.all(|warp| {
            let head = liveness.at(decoded[warp.head().0.static_index as usize].pc);
            warp.live(liveness, decoded).is_subset(&head)
        });
        if !covered {
            self.context.resident(block).diverged = true;
            self.context.residency.refused_diverged += 1;
        }
        covered
    }
}

/// Whether all warps of the block in a slot are stalled, and one of them on memory or registers.
fn is_stalled(occupancy: &Occupancy, slot: usize, stalled: &[(u8, u8); SUB_CORES]) -> bool {
    let mut waits = false;
    for number in 0..occupancy.warps {
        let (sub_core, warp) = occupancy.place(slot, number);
        let (waiting, stalled) = stalled[sub_core];
        if stalled >> warp & 1 == 0 {
            return false;
        }
        waits |= waiting >> warp & 1 == 1;
    }
    waits
}
