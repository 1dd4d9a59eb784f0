// SPDX-License-Identifier: Apache-2.0
//! Checks of the hardware's outputs against the SM's own knowledge.

use super::super::clock::Clock;
use super::super::context::Context;
use super::super::decoded::{Decoded, Round};
use super::super::executing::Executing;
use super::super::records::Records;
use super::super::warp::Expected;
use super::Core;
use crate::engines::RunsSubCore;
use crate::words::CycleOut;

impl<E: RunsSubCore> Core<E> {
    /// The operand stage and the SM must agree about which collectors are occupied.
    pub(super) fn check_occupancy(&self, outputs: &CycleOut<u32>, occupied: u8, context: &mut Context) {
        let reported = outputs.collector_occupied & self.collectors.all;
        if reported != occupied {
            let index = self.shape.index;
            context.records.stage_error(context.clock.now, move || {
                format!("sub-core {index}: collectors {reported:#b} are occupied, {occupied:#b} should be")
            });
        }
    }

    pub(super) fn check_instruction(
        &self,
        outputs: &CycleOut<u32>,
        executing: &Executing,
        decoded: &Decoded,
        clock: &Clock,
        records: &mut Records,
    ) {
        let reported = (outputs.dispatch_payload, outputs.dispatch_warp, outputs.dispatch_unit);
        let expected = (executing.serial, u32::from(executing.warp), u32::from(decoded.unit));
        if reported != expected || self.hardware.inputs.unit_ready >> decoded.unit & 1 == 0 {
            let index = self.shape.index;
            records.stage_error(clock.now, move || {
                format!("sub-core {index}: dispatched (payload, warp, unit) {reported:?}, should be {expected:?} and the unit ready")
            });
        }
    }

    /// Each operand must be what the latest older writer in program order wrote, in these lanes.
    pub(super) fn check_operands(
        operand: impl Fn(usize) -> Option<u32>,
        lanes: u32,
        executing: &Executing,
        (pc, round): (u32, &Round),
        expected: &Expected,
        clock: &Clock,
        records: &mut Records,
    ) {
        for (index, (&source, expected)) in round.sources().iter().zip(expected).enumerate() {
            if expected.known == 0 {
                records.counters.uninitialised_reads += 1;
                continue;
            }
            records.counters.token_checks += 1;
            let lanes = lanes & expected.known;
            let token = expected.token & lanes;
            let value = operand(index).map(|value| value & lanes);
            if value != Some(token) {
                records.counters.token_errors += 1;
                let warp = executing.warp_slot();
                records.report(clock.now, move || {
                    let value = value.map_or("nothing".into(), |value| format!("token {value:#010x}"));
                    format!(
                        "pc 0x{pc:04x}, warp slot {warp}: {source} is {value}, should be token {token:#010x}, \
                         lanes {lanes:#010x}"
                    )
                });
            }
        }
    }
}
