//! Testbench of the bypassing operand collector, with an oracle for the values it delivers.

mod scenarios;

use std::collections::HashMap;

use gpurf_blocks::ports::{CollectorIn, CollectorOut, OperandStageIn, OperandStageOut};
use gpurf_blocks::{Allocation, Data, Parameters};
use gpurf_hw::collector::Boc;
use gpurf_hw::dialect::Word;
use rust_hdl::prelude::Bits;

use super::{register_stages, Collector, DataOf};
use crate::operand_stage;
use crate::{register, Engine, Random, Scenario, Stimulus, Testbench};

impl<const W: usize> Testbench for Boc<W>
where
    Bits<W>: Word,
{
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::collector::Boc::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(BocStimulus::new(*parameters))
    }

    fn scenarios() -> Vec<Scenario<Self>> {
        scenarios::all()
    }
}

register!(Boc<W>);
// Collector w is warp w's, of which a sub-core has eight.
register_stages!([W] Boc<W>, 3);

impl<const W: usize> Collector<W> for Boc<W>
where
    Bits<W>: Word,
{
    type Model = gpurf_sim::collector::Boc<DataOf<W>>;
    const ALLOCATION: Allocation = Allocation::Private;

    fn stage_scenarios<M>() -> Vec<Scenario<M>>
    where
        M: Testbench<In = OperandStageIn<DataOf<W>>, Out = OperandStageOut<DataOf<W>>>,
    {
        operand_stage::scenarios::of_bypassing_stage()
    }
}

/// Instructions and results of one warp. Results come in any order, for destinations in and out of the
/// window, and for registers that no slot waits for; only never of a register that the instruction at
/// hand reads, as the scoreboard has it.
///
/// The oracle knows the last value written to every register, and checks every operand against it.
struct BocStimulus<D: Data> {
    parameters: Parameters,
    occupied: bool,
    sources: Vec<Option<u32>>,
    /// Slots whose value has been requested and has not arrived.
    pending: Vec<usize>,
    values: HashMap<u32, D>,
}

impl<D: Data> BocStimulus<D> {
    fn new(parameters: Parameters) -> Self {
        BocStimulus { parameters, occupied: false, sources: vec![], pending: vec![], values: HashMap::new() }
    }

    fn value(&self, register: u32) -> D {
        self.values.get(&register).copied().unwrap_or_default()
    }

    fn sources_of(&self, inputs: &CollectorIn<D>) -> Vec<Option<u32>> {
        let slots = 0..self.parameters.slots;
        slots.map(|slot| inputs.source_valid[slot].then_some(inputs.source_register[slot])).collect()
    }
}

impl<D: Data> Stimulus<CollectorIn<D>, CollectorOut<D>> for BocStimulus<D> {
    fn next(&mut self, random: &mut Random) -> CollectorIn<D> {
        let Parameters { slots, destinations, banks, .. } = self.parameters;
        let registers = random.pick(&[4, 8, 16, 256]);
        let mut inputs = CollectorIn {
            issue: !self.occupied && random.percent(80),
            flush: random.percent(10),
            unit: random.below(8) as u32,
            payload: random.word(),
            dispatch: self.occupied && self.pending.is_empty() && random.percent(50),
            ..Default::default()
        };
        let used = random.below(slots + 1);
        for slot in 0..slots {
            inputs.source_valid[slot] = random.below(slots) < used;
            inputs.source_register[slot] = random.below(registers) as u32;
        }
        for slot in 0..destinations {
            inputs.destination_valid[slot] = random.percent(60);
            inputs.destination_register[slot] = random.below(registers) as u32;
        }
        inputs.s_data = random.data();
        if !self.pending.is_empty() && random.percent(60) {
            let slot = self.pending[random.below(self.pending.len())];
            inputs.s_valid = true;
            inputs.s_slot = slot as u32;
            inputs.s_data = self.value(self.sources[slot].expect("a requested source is used"));
        }
        let mut reads = if self.occupied { self.sources.clone() } else { vec![] };
        if inputs.issue {
            reads.extend(self.sources_of(&inputs));
        }
        for bank in 0..banks {
            // A register lives in one bank, so no two results of a cycle are of the same one.
            let register = random.below(registers) / banks * banks + bank;
            inputs.write_register[bank] = register as u32;
            inputs.write_valid[bank] = random.percent(40) && !reads.contains(&Some(register as u32));
            inputs.write_data[bank] = random.data();
        }
        inputs
    }

    fn observe(&mut self, inputs: &CollectorIn<D>, outputs: &CollectorOut<D>) -> Result<(), String> {
        if outputs.occupied != self.occupied {
            return Err(format!("occupied should be {}", self.occupied));
        }
        if outputs.ready != (self.occupied && self.pending.is_empty()) {
            return Err(format!("ready is {}, with slots {:?} to come", outputs.ready, self.pending));
        }
        if inputs.s_valid {
            self.pending.retain(|slot| *slot != inputs.s_slot as usize);
        }
        if inputs.dispatch {
            for (slot, register) in self.sources.iter().enumerate() {
                let expected = register.map(|register| self.value(register));
                let found = outputs.operand_valid[slot].then_some(outputs.operand_data[slot]);
                if expected != found {
                    return Err(format!("slot {slot}, {register:?}: {found:?} instead of {expected:?}"));
                }
            }
            self.occupied = false;
        }
        if inputs.issue {
            self.occupied = true;
            self.sources = self.sources_of(inputs);
            self.pending = (0..self.parameters.slots).filter(|slot| outputs.request[*slot]).collect();
        }
        for bank in (0..self.parameters.banks).filter(|bank| inputs.write_valid[*bank]) {
            self.values.insert(inputs.write_register[bank], inputs.write_data[bank]);
        }
        Ok(())
    }
}
