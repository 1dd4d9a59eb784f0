// SPDX-License-Identifier: Apache-2.0
//! Reference model of the register-file side of a sub-core: issue stage and operand stage together.

use std::io;
use std::marker::PhantomData;

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{OperandStageIn, SubCoreIn, SubCoreOut};
use gpurf_blocks::{Clocked, CollectorId, Data, IssueLatch, Parameters, WarpId, UNITS};

use crate::collector::Issue;
use crate::issue::{take_head, AllocatorAnswer, Holders, IssueCycle, IssueStage};
use crate::words::{CycleIn, CycleOut};

/// An operand stage behind an issue stage, without ports between them.
pub trait Behind<D: Data> {
    /// Port R: what is in the collectors in a cycle in which these units take instructions (bit u: unit u).
    fn holders(&mut self, unit_ready: u32) -> &Holders;

    /// The rest of that cycle, with the instruction that enters a collector, if one does: what the sub-core
    /// shows of the stage. It is zero before. Like `settle` of [`Clocked`], it may be repeated,
    /// after [`Behind::holders`].
    fn follow(
        &mut self,
        inputs: &CycleIn<D>,
        entering: Option<(CollectorId, &Issue)>,
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
    issue: IssueStage<Issue>,
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
        if self.issue.is_latched() {
            return self.pass(inputs, outputs);
        }
        let holders = self.stage.holders(inputs.unit_ready);
        let decided = self.issue.decide(inputs.ready, inputs.launch, holders, inputs.sthld);

        outputs.waiting = matches!(decided, Some((_, AllocatorAnswer::Wait)));
        let entering = decided.and_then(|(warp, answer)| Some((answer.collector()?, warp)));
        if let Some((collector, warp)) = entering {
            outputs.issued = true;
            outputs.issued_warp = warp.into();
            outputs.issue = collector.bit();
        }
        let entering = entering.map(|(collector, warp)| (collector, &inputs.heads[warp.index()]));
        self.stage.follow(inputs, entering, outputs);
    }

    /// The same with latches before the collectors.
    #[inline(never)]
    fn pass(&mut self, inputs: &CycleIn<D>, outputs: &mut CycleOut<D>) {
        let holders = self.stage.holders(inputs.unit_ready);
        let head = |warp: WarpId| (inputs.heads[warp.index()].unit, inputs.heads[warp.index()]);
        let IssueCycle { issues, enters, waits } =
            self.issue.pass(inputs.ready, inputs.launch, head, holders, inputs.sthld);
        outputs.waiting = waits;
        outputs.issued = issues.is_some();
        outputs.issued_warp = issues.map_or(0, u32::from);
        if let Some((collector, instruction)) = &enters {
            (outputs.issue, outputs.entering_unit) = (collector.bit(), instruction.unit);
        }
        let entering = enters.as_ref().map(|(collector, instruction)| (*collector, instruction));
        self.stage.follow(inputs, entering, outputs);
    }
}

/// Inputs of a sub-core's operand stage, cycle by cycle: the sub-core's own inputs, and the decisions of its
/// issue stage. If no instruction enters a collector, all ports of an instruction are zero.
pub struct StageInputs<D: Data> {
    places: (usize, usize),
    /// Instructions in latches, by unit, as the stage is given them; none without latches.
    latched: Vec<OperandStageIn<D>>,
}

impl<D: Data> StageInputs<D> {
    /// Behind an issue stage of these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        let latches = if parameters.issue_latch == IssueLatch::None { 0 } else { UNITS };
        let latched = vec![OperandStageIn::default(); latches];
        StageInputs { places: (parameters.slots, parameters.destinations), latched }
    }

    /// The inputs of the next cycle.
    pub fn follow(&mut self, inputs: &SubCoreIn<D>, outputs: &SubCoreOut<D>) -> OperandStageIn<D> {
        let issued = outputs.issued.then(|| {
            let (warp, mut stage) = (WarpId(outputs.issued_warp as u8), OperandStageIn::default());
            take_head!(inputs, warp, (self.places.0, self.places.1) => stage);
            for slot in 0..self.places.0 {
                let place = self.places.0 * warp.index() + slot;
                stage.lender_valid[slot] = inputs.head_lender_valid[place];
                stage.lender_warp[slot] = inputs.head_lender_warp[place];
                stage.lender_base[slot] = inputs.head_lender_base[place];
            }
            stage
        });
        if self.latched.is_empty() {
            return with_others(issued.unwrap_or_default(), inputs, outputs);
        }
        let enters = outputs.issue.contains(&true);
        let entering = enters.then(|| self.latched[outputs.entering_unit[0] as usize]);
        if let Some(instruction) = issued {
            self.latched[instruction.unit as usize] = instruction;
        }
        with_others(entering.unwrap_or_default(), inputs, outputs)
    }
}

/// Inputs of the stage with the instruction, and all that is no part of it.
fn with_others<D: Data>(
    instruction: OperandStageIn<D>,
    inputs: &SubCoreIn<D>,
    outputs: &SubCoreOut<D>,
) -> OperandStageIn<D> {
    OperandStageIn {
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
        ..instruction
    }
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

#[cfg(test)]
mod tests {
    use gpurf_blocks::Allocation;

    use super::*;
    use crate::collector::Ccu;
    use crate::operand_stage::OperandStage;

    /// An operand stage alone does what it does in its sub-core, with and without latches before it.
    #[test]
    fn a_stage_is_given_what_leaves_the_issue_stage() {
        for issue_latch in [IssueLatch::None, IssueLatch::Blocking, IssueLatch::Passing] {
            let allocation = Allocation::OwnElseLru;
            let parameters = Parameters { width: 32, issue_latch, allocation, ..Parameters::default() };
            let stage = || OperandStage::<u32, Ccu<u32>>::new(&parameters);
            let (mut sub_core, mut alone) = (SubCore::new(&parameters, stage()), stage());
            let mut given = StageInputs::new(&parameters);
            let (mut word, mut dispatched) = (1u32, 0);
            let mut random = |bound: u32| {
                word = word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (word >> 8) % bound
            };
            for cycle in 0..2000 {
                let mut inputs = SubCoreIn::<u32> { unit_ready: random(256), ..SubCoreIn::default() };
                for warp in 0..parameters.warps {
                    inputs.ready[warp] = random(3) == 0;
                    (inputs.head_unit[warp], inputs.head_payload[warp]) =
                        (random(8), 16 * cycle + warp as u32);
                    for slot in 0..3 {
                        let place = parameters.slots * warp + slot;
                        inputs.head_source_valid[place] = random(2) == 0;
                        inputs.head_source_register[place] = random(12);
                    }
                }
                let outputs = sub_core.settle(&inputs);
                let shown = alone.settle(&given.follow(&inputs, &outputs));
                let of = |dispatch, payload, hit, occupied| (dispatch, payload, hit, occupied);
                assert_eq!(
                    of(shown.dispatch, shown.dispatch_payload, shown.hit, shown.collector_occupied),
                    of(outputs.dispatch, outputs.dispatch_payload, outputs.hit, outputs.collector_occupied),
                    "{issue_latch:?}, cycle {cycle}"
                );
                dispatched += usize::from(outputs.dispatch.contains(&true));
                sub_core.tick();
                alone.tick();
            }
            assert!(dispatched > 500, "{issue_latch:?}: {dispatched}");
        }
    }
}
