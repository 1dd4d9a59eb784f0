// SPDX-License-Identifier: Apache-2.0
//! Testbench of the bypassing operand collector, with an oracle for the values it delivers.

mod scenarios;
pub mod window;

use std::collections::HashMap;

use gpurf_blocks::ports::{
    CollectorIn, CollectorOut, OperandStageIn, OperandStageOut, SubCoreIn, SubCoreOut,
};
use gpurf_blocks::{Allocation, Data, Parameters};
use gpurf_hw::collector::Boc;
use gpurf_hw::dialect::Word;
use rust_hdl::prelude::Bits;

use super::{arrivals_of, arrive, pairs, register_stages, Collector, DataOf, Move, Tenant};
use crate::{operand_stage, sub_core};
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

    fn protocol(parameters: &Parameters) -> Vec<String> {
        let Parameters { window, slots, width, .. } = *parameters;
        let are_places = ["newest", "oldest"].map(|place| format!("{place} < {window}"));
        // Places that have a register have one value of it.
        let found = |place: usize| format!("instructions_found[{place}]");
        let value = |place: usize| format!("instructions_found_data[{} +: {width}]", place * width);
        let agree = |[one, other]: [usize; 2]| {
            format!("!({} & {} & {} != {})", found(one), found(other), value(one), value(other))
        };
        let of_slots = pairs(window)
            .flat_map(|places| (0..slots).map(move |slot| places.map(|place| place * slots + slot)))
            .map(agree);
        are_places.into_iter().chain(of_slots).collect()
    }

    fn scenarios() -> Vec<Scenario<Self::In, Self::Out>> {
        scenarios::all().into_iter().chain(window::scenarios()).collect()
    }
}

register!(Boc<W>);
// Collector w is warp w's; a sub-core has eight warps.
register_stages!([W] Boc<W>, 3);

impl<const W: usize> Collector<W> for Boc<W>
where
    Bits<W>: Word,
{
    type Model = gpurf_sim::collector::Boc<DataOf<W>>;
    const ALLOCATION: Allocation = Allocation::Private;

    fn stage_scenarios() -> Vec<Scenario<OperandStageIn<DataOf<W>>, OperandStageOut<DataOf<W>>>> {
        operand_stage::scenarios::of_bypassing_stage().into_iter().chain(window::scenarios()).collect()
    }

    fn sub_core_scenarios() -> Vec<Scenario<SubCoreIn<DataOf<W>>, SubCoreOut<DataOf<W>>>> {
        sub_core::scenarios::of_bypassing_sub_core().into_iter().chain(window::scenarios()).collect()
    }
}

/// Instructions and results of one warp. Results come in any order, for destinations in and out of the
/// window, and for registers that no slot waits for; only never of a register that the instruction at
/// hand reads, as the scoreboard has it.
///
/// The oracle knows the last value written to every register, and checks every operand against it.
struct BocStimulus<D: Data> {
    parameters: Parameters,
    tenant: Tenant,
    sources: Vec<Option<u32>>,
    values: HashMap<u32, D>,
}

impl<D: Data> BocStimulus<D> {
    fn new(parameters: Parameters) -> Self {
        let tenant = Tenant::new(&parameters);
        BocStimulus { parameters, tenant, sources: vec![], values: HashMap::new() }
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
        let Move { arrivals, leaves, issue } = self.tenant.step(random);
        let mut inputs = CollectorIn {
            issue,
            flush: random.percent(10),
            unit: random.below(8) as u32,
            payload: random.word(),
            dispatch: leaves,
            ..Default::default()
        };
        let used = random.below(slots + 1);
        for slot in 0..slots {
            inputs.source_valid[slot] = random.below(slots) < used;
            inputs.source_register[slot] = random.register(registers);
        }
        for slot in 0..destinations {
            inputs.destination_valid[slot] = random.percent(60);
            inputs.destination_register[slot] = random.register(registers);
        }
        arrive(&mut inputs, arrivals, slots, random);
        let of_slot = |slot: usize| self.value(self.sources[slot].expect("a requested source is used"));
        inputs.s_data = arrivals[0].map_or(inputs.s_data, of_slot);
        inputs.second_s_data = arrivals[1].map_or(inputs.second_s_data, |slot| [of_slot(slot)]);
        let mut reads = if self.tenant.occupied { self.sources.clone() } else { vec![] };
        if inputs.issue {
            reads.extend(self.sources_of(&inputs));
        }
        for bank in 0..banks {
            // A register lives in one bank, so no two results of a cycle are of the same one.
            let register = random.register(registers) / banks as u32 * banks as u32 + bank as u32;
            inputs.write_register[bank] = register;
            inputs.write_valid[bank] = random.percent(40) && !reads.contains(&Some(register));
            inputs.write_data[bank] = random.data();
        }
        inputs
    }

    fn observe(&mut self, inputs: &CollectorIn<D>, outputs: &CollectorOut<D>) -> Result<(), String> {
        if outputs.occupied != self.tenant.occupied {
            return Err(format!("occupied should be {}", self.tenant.occupied));
        }
        let arrivals = arrivals_of(inputs);
        if outputs.ready != self.tenant.is_ready(arrivals) {
            return Err(format!("ready is {}, with slots {:?} to come", outputs.ready, self.tenant.pending));
        }
        if inputs.dispatch {
            for (slot, register) in self.sources.iter().enumerate() {
                let expected = register.map(|register| self.value(register));
                let found = outputs.operand_valid[slot].then_some(outputs.operand_data[slot]);
                if expected != found {
                    return Err(format!("slot {slot}, {register:?}: {found:?} instead of {expected:?}"));
                }
            }
        }
        if inputs.issue {
            self.sources = self.sources_of(inputs);
        }
        let registers = || self.sources.iter().flatten().copied().collect();
        self.tenant.observe(inputs.issue.then(registers), &outputs.request, arrivals, inputs.dispatch);
        for bank in (0..self.parameters.banks).filter(|bank| inputs.write_valid[*bank]) {
            self.values.insert(inputs.write_register[bank], inputs.write_data[bank]);
        }
        Ok(())
    }
}
