// SPDX-License-Identifier: Apache-2.0
//! Reference model of the register-file side of a sub-core: issue stage and operand stage together.

use std::io;
use std::marker::PhantomData;

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{OperandStageIn, SubCoreIn, SubCoreOut};
use gpurf_blocks::{Clocked, CollectorId, Data, Parameters, WarpId};

use crate::issue::{take_head, AllocatorAnswer, Holders, IssueStage};
use crate::words::{CycleIn, CycleOut};

/// An operand stage behind an issue stage, without ports between them.
pub trait Behind<D: Data> {
    /// Port R: what is in the collectors in a cycle in which these units take instructions (bit u: unit u).
    fn holders(&mut self, unit_ready: u32) -> &Holders;

    /// The rest of that cycle, with the warp whose instruction enters a collector, if one does: what the
    /// sub-core shows of the stage. It is zero before. Like `settle` of [`Clocked`], it may be repeated,
    /// after [`Behind::holders`].
    fn follow(
        &mut self,
        inputs: &CycleIn<D>,
        entering: Option<(CollectorId, WarpId)>,
        outputs: &mut CycleOut<D>,
    );

    /// The rising clock edge.
    fn edge(&mut self);

    /// As of [`Clocked`].
    ///
    /// # Errors
    /// As of [`Clocked::save`].
    fn save(&self, state: &mut Vec<u8>) -> io::Result<()> {
        let _ = state;
        Err(io::ErrorKind::Unsupported.into())
    }

    /// As of [`Clocked`].
    ///
    /// # Errors
    /// As of [`Clocked::restore`].
    fn restore(&mut self, state: &mut &[u8]) -> io::Result<()> {
        let _ = state;
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// An issue stage in front of an operand stage.
#[derive(Clone, Debug)]
pub struct SubCore<D: Data, S> {
    issue: IssueStage,
    stage: S,
    /// Source slots and destinations that an instruction has at the ports.
    places: (usize, usize),
    data: PhantomData<D>,
}

impl<D: Data, S> SubCore<D, S> {
    /// Around an operand stage of these parameters.
    pub fn new(parameters: &Parameters, stage: S) -> Self {
        let Parameters { slots, destinations, .. } = *parameters;
        let (issue, places) = (IssueStage::new(parameters), (slots, destinations));
        SubCore { issue, stage, places, data: PhantomData }
    }
}

impl<D: Data, S: Behind<D>> SubCore<D, S> {
    /// [`Clocked::settle`] in words. The outputs are zero before.
    // In the loop of the SM a cycle of the model is one function, whoever else calls a part of it: so all
    // that it has is inlined.
    #[inline(always)]
    pub fn decide(&mut self, inputs: &CycleIn<D>, outputs: &mut CycleOut<D>) {
        let holders = self.stage.holders(inputs.unit_ready);
        let decided = self.issue.decide(inputs.ready, inputs.launch, holders, inputs.sthld);

        outputs.waiting = matches!(decided, Some((_, AllocatorAnswer::Wait)));
        let entering = decided.and_then(|(warp, answer)| Some((answer.collector()?, warp)));
        if let Some((collector, warp)) = entering {
            outputs.issued = true;
            outputs.issued_warp = warp.into();
            outputs.issue = collector.bit();
        }
        self.stage.follow(inputs, entering, outputs);
    }
}

/// Inputs of a sub-core's operand stage in a cycle: the sub-core's own inputs, and the decisions of its
/// issue stage. If no instruction issues, all ports of an instruction are zero.
pub fn stage_inputs<D: Data>(
    inputs: &SubCoreIn<D>,
    outputs: &SubCoreOut<D>,
    parameters: &Parameters,
) -> OperandStageIn<D> {
    let mut stage = OperandStageIn {
        issue: outputs.issue,
        write_valid: inputs.write_valid,
        write_warp: inputs.write_warp,
        write_register: inputs.write_register,
        write_base: inputs.write_base,
        write_near: inputs.write_near,
        write_data: inputs.write_data,
        transfer_valid: inputs.transfer_valid,
        transfer_warp: inputs.transfer_warp,
        transfer_register: inputs.transfer_register,
        transfer_base: inputs.transfer_base,
        unit_ready: inputs.unit_ready,
        ..OperandStageIn::default()
    };
    if outputs.issued {
        let warp = WarpId(outputs.issued_warp as u8);
        take_head!(inputs, warp, (parameters.slots, parameters.destinations) => stage);
    }
    stage
}

impl<D: Data, S: Behind<D>> Clocked for SubCore<D, S> {
    type In = SubCoreIn<D>;
    type Out = SubCoreOut<D>;

    fn settle(&mut self, inputs: &SubCoreIn<D>) -> SubCoreOut<D> {
        let mut outputs = CycleOut::default();
        self.decide(&CycleIn::of_ports(inputs, self.places), &mut outputs);
        outputs.ports()
    }

    #[inline(always)]
    fn tick(&mut self) {
        self.issue.edge();
        self.stage.edge();
    }

    fn save(&self, state: &mut Vec<u8>) -> io::Result<()> {
        self.issue.serialize(state)?;
        self.stage.save(state)
    }

    fn restore(&mut self, state: &mut &[u8]) -> io::Result<()> {
        self.issue = IssueStage::deserialize(state)?;
        self.stage.restore(state)
    }
}
