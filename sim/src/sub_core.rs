//! Reference model of the register-file side of a sub-core: issue stage and operand stage together.

use std::marker::PhantomData;

use gpurf_blocks::ports::{OperandStageIn, OperandStageOut};
use gpurf_blocks::ports::{SubCoreIn, SubCoreOut};
use gpurf_blocks::{Clocked, Data, Parameters};

use crate::bits::warp_mask;
use crate::issue::{Answer, Holders, IssueStage};

/// Port R of an operand stage: its collectors, as the issue stage sees them in a cycle in which these units, a bit each,
/// take instructions.
pub trait PortR {
    /// What is in the collectors, given the units that take an instruction (bit u: unit u).
    fn holders(&mut self, unit_ready: u32) -> Holders;
}

/// An issue stage in front of an operand stage.
#[derive(Clone, Debug)]
pub struct SubCore<D: Data, S> {
    slots: usize,
    destinations: usize,
    issue: IssueStage,
    stage: S,
    data: PhantomData<D>,
}

impl<D: Data, S> SubCore<D, S> {
    /// Around an operand stage of these parameters.
    pub fn new(parameters: &Parameters, stage: S) -> Self {
        let Parameters { slots, destinations, .. } = *parameters;
        SubCore { slots, destinations, issue: IssueStage::new(parameters), stage, data: PhantomData }
    }
}

impl<D: Data, S> Clocked for SubCore<D, S>
where
    S: Clocked<In = OperandStageIn<D>, Out = OperandStageOut<D>> + PortR,
{
    type In = SubCoreIn<D>;
    type Out = SubCoreOut<D>;

    fn settle(&mut self, inputs: &SubCoreIn<D>) -> SubCoreOut<D> {
        let holders = self.stage.holders(inputs.unit_ready);
        let decided =
            self.issue.decide(warp_mask(&inputs.ready), warp_mask(&inputs.launch), &holders, inputs.sthld);

        let mut stage = OperandStageIn::default();
        let mut outputs = SubCoreOut::default();
        outputs.waiting = matches!(decided, Some((_, Answer::Wait)));
        if let Some((warp, collector)) = decided.and_then(|(warp, answer)| Some((warp, answer.collector()?)))
        {
            outputs.issued = true;
            outputs.issued_warp = warp.into();
            outputs.issue[collector.index()] = true;
            stage.issue[collector.index()] = true;
            stage.warp = warp.into();
            let warp = warp.index();
            stage.unit = inputs.head_unit[warp];
            stage.payload = inputs.head_payload[warp];
            stage.base = inputs.head_base[warp];
            for slot in 0..self.slots {
                let place = self.slots * warp + slot;
                stage.source_valid[slot] = inputs.head_source_valid[place];
                stage.source_register[slot] = inputs.head_source_register[place];
                stage.source_near[slot] = inputs.head_source_near[place];
            }
            for destination in 0..self.destinations {
                let place = self.destinations * warp + destination;
                stage.destination_valid[destination] = inputs.head_destination_valid[place];
                stage.destination_register[destination] = inputs.head_destination_register[place];
            }
            stage.flush = inputs.head_flush[warp];
        }
        stage.write_valid = inputs.write_valid;
        stage.write_warp = inputs.write_warp;
        stage.write_register = inputs.write_register;
        stage.write_base = inputs.write_base;
        stage.write_near = inputs.write_near;
        stage.write_data = inputs.write_data;
        stage.transfer_valid = inputs.transfer_valid;
        stage.transfer_warp = inputs.transfer_warp;
        stage.transfer_register = inputs.transfer_register;
        stage.transfer_base = inputs.transfer_base;
        stage.unit_ready = inputs.unit_ready;

        let stage = self.stage.settle(&stage);
        outputs.dispatch = stage.dispatch;
        outputs.dispatch_warp = stage.dispatch_warp;
        outputs.dispatch_unit = stage.dispatch_unit;
        outputs.dispatch_payload = stage.dispatch_payload;
        outputs.operand_valid = stage.operand_valid;
        outputs.operand_data = stage.operand_data;
        outputs.collector_occupied = stage.collector_occupied;
        outputs.transfer_taken = stage.transfer_taken;
        outputs.transfer_arrives = stage.transfer_arrives;
        outputs.transfer_data = stage.transfer_data;
        outputs.hit = stage.hit;
        outputs.bank_read = stage.bank_read;
        outputs.bank_conflict = stage.bank_conflict;
        outputs.write_cached = stage.write_cached;
        outputs.write_filtered = stage.write_filtered;
        outputs
    }

    fn tick(&mut self) {
        self.issue.edge();
        self.stage.tick();
    }
}
