// SPDX-License-Identifier: Apache-2.0
//! Reference model of the issue latches, written from Accel-Sim's `ID_OC` registers and its `allocate_cu`.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{IssueLatchesIn, IssueLatchesOut};
use gpurf_blocks::{Clocked, IssueLatch, Parameters, WarpId, WarpSet, LATCH_ORDER, UNITS};

use crate::bits::{mask, members};

/// A latch for each unit. `H`: an instruction, as whoever drives them has it.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct IssueLatches<H> {
    passes: bool,
    /// The instruction of each unit, with its warp.
    held: [Option<(WarpId, H)>; UNITS],
    /// The unit whose instruction leaves in this cycle.
    leaving: Option<usize>,
    /// The instruction that enters in this cycle, with its unit.
    entering: Option<(usize, WarpId, H)>,
}

impl<H: Copy> IssueLatches<H> {
    /// Empty ones; `None` where these parameters have none.
    pub fn new(parameters: &Parameters) -> Option<Self> {
        let passes = match parameters.issue_latch {
            IssueLatch::None => return None,
            IssueLatch::Blocking => false,
            IssueLatch::Passing => true,
        };
        Some(IssueLatches { passes, held: [None; UNITS], leaving: None, entering: None })
    }

    /// The unit whose latch offers its instruction, and the instruction's warp. `blocked`: warps whose own
    /// collector is occupied.
    pub fn offered(&self, blocked: WarpSet) -> Option<(usize, WarpId)> {
        let held = LATCH_ORDER.into_iter().filter_map(|unit| Some((unit, self.held[unit]?.0)));
        held.into_iter().find(|(_, warp)| !self.passes || blocked & warp.bit() == 0)
    }

    /// The instruction of a unit that holds one.
    pub fn of(&self, unit: usize) -> &H {
        let (_, head) = self.held[unit].as_ref().expect("the latch holds an instruction");
        head
    }

    /// Decides which unit's instruction leaves in this cycle. Returns the units, a bit each, whose latches
    /// take one in it.
    pub fn leave(&mut self, leaving: Option<usize>) -> u8 {
        self.leaving = leaving;
        let room = |&unit: &usize| self.held[unit].is_none() || leaving == Some(unit);
        (0..UNITS).filter(room).fold(0, |units, unit| units | 1 << unit)
    }

    /// Decides which instruction enters the latch of its unit in this cycle.
    pub fn enter(&mut self, entering: Option<(usize, WarpId, H)>) {
        self.entering = entering;
    }

    /// The clock edge.
    pub fn edge(&mut self) {
        if let Some(unit) = self.leaving.take() {
            self.held[unit] = None;
        }
        if let Some((unit, warp, head)) = self.entering.take() {
            self.held[unit] = Some((warp, head));
        }
    }
}

impl IssueLatches<IssueLatchesOut> {
    /// The module alone: blocking, unless these parameters say otherwise.
    pub fn of_ports(parameters: &Parameters) -> Self {
        let issue_latch = match parameters.issue_latch {
            IssueLatch::None => IssueLatch::Blocking,
            latch => latch,
        };
        IssueLatches::new(&Parameters { issue_latch, ..*parameters }).expect("there are latches")
    }
}

/// Alone it holds what its ports show of an instruction.
impl Clocked for IssueLatches<IssueLatchesOut> {
    type In = IssueLatchesIn;
    type Out = IssueLatchesOut;

    fn settle(&mut self, inputs: &IssueLatchesIn) -> IssueLatchesOut {
        let occupied = mask(&inputs.owned) & mask(&inputs.occupied);
        let blocked = members(occupied).fold(0, |warps, c| warps | 1 << inputs.held_warp[c]);
        let offered = self.offered(blocked);
        let leaving = offered.filter(|_| inputs.taken);
        let mut outputs = leaving.map(|(unit, _)| *self.of(unit)).unwrap_or_default();
        outputs.room = self.leave(leaving.map(|(unit, _)| unit)).into();
        outputs.offers = offered.is_some();
        outputs.offered_warp = offered.map_or(0, |(_, warp)| warp.into());
        let entering = IssueLatchesOut {
            entering_unit: inputs.unit,
            entering_payload: inputs.payload,
            entering_source_valid: inputs.source_valid,
            entering_source_register: inputs.source_register,
            entering_source_near: inputs.source_near,
            entering_destination_valid: inputs.destination_valid,
            entering_destination_register: inputs.destination_register,
            entering_warp: inputs.warp,
            entering_base: inputs.base,
            entering_flush: inputs.flush,
            ..IssueLatchesOut::default()
        };
        self.enter(inputs.issue.then_some((inputs.unit as usize, WarpId(inputs.warp as u8), entering)));
        outputs
    }

    fn tick(&mut self) {
        self.edge();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gpurf_trace::Unit::{Branch, Fp32, Fp64, Int, LoadStore, Sfu, Tensor, Uniform};

    #[test]
    fn units_go_in_the_order_of_accel_sims_ports() {
        let order = [Fp32, Sfu, LoadStore, Fp64, Int, Branch, Tensor, Uniform];
        assert_eq!(LATCH_ORDER, order.map(|unit| unit as usize));
    }
}
