// SPDX-License-Identifier: Apache-2.0
//! Latches between the warps' buffers and the collectors: an instruction issues into the latch of its unit,
//! and enters a collector later. Its operands are what they are in program order at its issue, and count as
//! pending reads from then on.

use gpurf_blocks::{CollectorId, WarpId, WarpSet};

use super::super::context::Context;
use super::collectors::Place;
use super::Core;
use crate::engines::RunsSubCore;
use crate::words::CycleOut;

impl<E: RunsSubCore> Core<E> {
    /// The hardware has put the next instruction of a warp into the latch of its unit.
    #[inline(never)]
    pub(super) fn enter_latch<const PLAIN: bool>(
        &mut self,
        warp: WarpId,
        ready: WarpSet,
        context: &mut Context,
    ) {
        let unit = match ready & warp.bit() {
            0 => None,
            _ => Some(context.code.of(self.warps[warp.index()].head().0).unit),
        };
        let Some(unit) = unit.filter(|unit| self.collectors.waiting >> unit & 1 == 0) else {
            let (index, waiting) = (self.shape.index, self.collectors.waiting);
            context.records.stage_error(context.clock.now, move || {
                format!("sub-core {index}: warp {} of ready {ready:#b} enters latches {waiting:#b}", warp.0)
            });
            return;
        };
        context.clock.progress();
        let executing = self.take_head::<PLAIN>(warp, Place::Latch(unit), context);
        let round = self.collectors.take(Place::Latch(unit)).round;
        self.show_next(&executing, round, context);
    }

    /// The hardware has taken an instruction from a latch into a collector.
    #[inline(never)]
    pub(super) fn leave_latch(&mut self, outputs: &CycleOut<u32>, occupied: u8, context: &mut Context) {
        let (entered, unit) = (outputs.issue & self.collectors.all, outputs.entering_unit as u8);
        let enters = entered.count_ones() == 1 && entered & occupied == 0;
        let collector = CollectorId::first_of(entered).filter(|_| enters);
        let Some(collector) = collector.filter(|collector| self.collectors.pass(unit, *collector)) else {
            let (index, waiting) = (self.shape.index, self.collectors.waiting);
            context.records.stage_error(context.clock.now, move || {
                format!(
                    "sub-core {index}: unit {unit} of latches {waiting:#b} enters collectors {entered:#b}, \
                     {occupied:#b} occupied"
                )
            });
            return;
        };
        context.clock.progress();
        self.count_entry(collector, outputs, 0, context);
        let held = self.collectors.last(collector).expect("there is such a collector");
        let (executing, round) = (*held.instruction(), held.round);
        self.show_issue(&executing, round, outputs.hit, context);
    }
}
