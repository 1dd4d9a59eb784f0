// SPDX-License-Identifier: Apache-2.0
//! Registers that leave the banks with their block.
//!
//! With a port for them (`transfer_ports`) they go through the arbiter alone: a register stands at the port
//! until its bank has nothing else to do, and is there in the cycle after, so that the next can stand at the
//! port meanwhile. Without one a register goes through issue and collector as an instruction with this one
//! source would, and leaves at its dispatch.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::{CollectorId, Row, WarpId};
use gpurf_trace::RegisterId;

use super::super::context::Context;
use super::collectors::Collecting;
use super::Core;
use crate::engines::RunsSubCore;
use crate::words::{CycleOut, Leaver};

/// The registers on their way.
#[derive(BorshSerialize, BorshDeserialize)]
pub(super) struct Leaving {
    has_port: bool,
    /// Not read yet.
    asked: Option<Leaver>,
    /// Read in the last cycle, through the port.
    crosses: bool,
    /// On its way through this collector.
    collector: Option<CollectorId>,
    /// Read, and not fetched yet.
    value: Option<u32>,
}

impl Leaving {
    pub fn new(has_port: bool) -> Self {
        Leaving { has_port, asked: None, crosses: false, collector: None, value: None }
    }

    /// The register that waits to be issued.
    #[inline]
    pub fn to_be_issued(&self) -> Option<Leaver> {
        self.asked.filter(|_| !self.has_port)
    }

    /// A register waits to be issued or to be read through the port, or has been read in the last cycle.
    #[inline]
    pub fn is_busy(&self) -> bool {
        self.asked.is_some() || self.crosses
    }
}

impl<E: RunsSubCore> Core<E> {
    /// Another register can be asked for.
    pub fn can_save(&self) -> bool {
        let Leaving { has_port, asked, collector, value, .. } = &self.leaving;
        asked.is_none() && (*has_port || collector.is_none() && value.is_none())
    }

    /// Has a register of a warp read whose context has left.
    pub fn save_register(&mut self, warp: WarpId, register: RegisterId, base: Row) {
        self.leaving.asked = Some(Leaver { warp, register, base });
    }

    /// The register read, once it is there.
    pub fn saved_register(&mut self) -> Option<u32> {
        self.leaving.value.take()
    }

    /// The port is given the register that is to leave, if there is one.
    #[inline]
    pub(super) fn offer_transfer(&mut self) {
        let Leaving { has_port: true, asked, .. } = self.leaving else { return };
        self.hardware.inputs.leaves = asked.is_some();
        if let Some(leaver) = asked {
            self.hardware.inputs.leaver = leaver;
        }
    }

    /// Takes what the port did in a cycle.
    #[inline]
    pub(super) fn take_transfer(&mut self, outputs: &CycleOut<u32>, context: &mut Context) {
        let Leaving { has_port: true, asked, crosses, value, .. } = &mut self.leaving else { return };
        if outputs.transfer_arrives {
            *value = Some(outputs.transfer_data);
        }
        *crosses = outputs.transfer_taken;
        if *crosses {
            *asked = None;
            context.records.blocks.registers_saved += 1;
            context.records.counters.bank_reads += 1;
            context.clock.progress();
        }
    }

    /// The hardware has issued the read as an instruction.
    #[inline(never)]
    pub(super) fn issue_save(&mut self, outputs: &CycleOut<u32>, context: &mut Context) {
        let entered = CollectorId::first_of(outputs.issue & self.collectors.all);
        let (Some(leaver), Some(collector)) = (self.leaving.asked, entered) else { return };
        (self.leaving.asked, self.leaving.collector) = (None, Some(collector));
        *self.collectors.enter(collector) = Collecting { warp: leaver.warp, ..Collecting::default() };
        let (bank, _) = self.results.home(leaver.warp, leaver.base, leaver.register);
        let sub_core = self.shape.index;
        context.records.show(|pipeline| pipeline.save(sub_core, bank));
        context.records.blocks.registers_saved += 1;
        context.records.stalls.switching += 1;
        context.clock.progress();
    }

    /// Ends such a read if the collector that is dispatched held it, and returns true then.
    pub(super) fn end_save(&mut self, collector: CollectorId, outputs: &CycleOut<u32>) -> bool {
        let ends = self.leaving.collector == Some(collector);
        if ends {
            (self.leaving.collector, self.leaving.value) = (None, Some(outputs.operand_data[0]));
            self.collectors.leave(collector);
        }
        ends
    }
}
