// SPDX-License-Identifier: Apache-2.0
//! Testbench of the caching collector unit.

mod scenarios;

use gpurf_blocks::ports::{CollectorIn, CollectorOut, OperandStageIn, OperandStageOut};
use gpurf_blocks::{Allocation, Data, Parameters, MAX_SLOTS, MAX_WARPS};
use gpurf_hw::collector::Ccu;
use gpurf_hw::dialect::Word;
use rust_hdl::prelude::Bits;

use super::{arrivals_of, arrive, register_stages, Collector, DataOf, Move, Tenant};
use crate::operand_stage;
use crate::{at_most_one, register, Engine, Random, Scenario, Stimulus, Testbench};

impl<const W: usize, const I: usize> Testbench for Ccu<W, I>
where
    Bits<W>: Word,
{
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::collector::Ccu::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(CcuStimulus::new(*parameters))
    }

    fn protocol(parameters: &Parameters) -> Vec<String> {
        // A source has one entry at most.
        let Parameters { entries, slots, .. } = *parameters;
        (0..slots).map(|slot| at_most_one(&format!("entry[{} +: {entries}]", 16 * slot))).collect()
    }

    fn scenarios() -> Vec<Scenario<Self::In, Self::Out>> {
        scenarios::all()
    }
}

register!(Ccu<W, I>);
register_stages!([W, I, C] Ccu<W, I>, C);

impl<const W: usize, const I: usize> Collector<W> for Ccu<W, I>
where
    Bits<W>: Word,
{
    type Model = gpurf_sim::collector::Ccu<DataOf<W>>;
    const ALLOCATION: Allocation = Allocation::OwnElseAnyFree;

    fn stage_scenarios() -> Vec<Scenario<OperandStageIn<DataOf<W>>, OperandStageOut<DataOf<W>>>> {
        operand_stage::scenarios::of_caching_stage()
    }
}

/// Few warps and registers, so that there are hits, flushes, repeated registers and full tables; results
/// that respect the scoreboard: never of a register that the instruction at hand reads.
struct CcuStimulus {
    parameters: Parameters,
    warp: u32,
    tenant: Tenant,
}

impl CcuStimulus {
    fn new(parameters: Parameters) -> Self {
        CcuStimulus { parameters, warp: 0, tenant: Tenant::new(&parameters) }
    }
}

impl<D: Data> Stimulus<CollectorIn<D>, CollectorOut<D>> for CcuStimulus {
    fn next(&mut self, random: &mut Random) -> CollectorIn<D> {
        let registers = random.pick(&[
            self.parameters.entries / 2,
            self.parameters.entries,
            2 * self.parameters.entries,
            256,
        ]);
        let Move { arrivals, leaves, issue } = self.tenant.step(random);
        if issue && random.percent(10) {
            self.warp = random.below(MAX_WARPS) as u32;
        }
        let mut inputs = CollectorIn {
            warp: self.warp,
            unit: random.below(8) as u32,
            payload: random.word(),
            random: random.below(self.parameters.entries) as u32,
            ..Default::default()
        };
        let sources = random.below(self.parameters.slots + 1);
        for slot in 0..self.parameters.slots {
            inputs.source_valid[slot] = random.below(self.parameters.slots) < sources;
            inputs.source_register[slot] = random.register(registers);
            inputs.source_near[slot] = random.percent(50);
        }
        (inputs.issue, inputs.dispatch) = (issue, leaves);
        inputs.flush = random.percent(5);
        arrive(&mut inputs, arrivals, self.parameters.slots, random);

        let mut reads = self.tenant.registers.clone();
        if inputs.issue {
            reads.extend(sources_of(&inputs));
        }
        let mut result = |random: &mut Random, chance| {
            let register = random.register(registers);
            let allowed = !reads.contains(&register) && random.percent(chance);
            if allowed {
                // No two results of a cycle are of the same register: they live in different banks.
                reads.push(register);
            }
            (allowed, register)
        };
        for port in 0..self.parameters.d_ports {
            (inputs.d_valid[port], inputs.d_register[port]) = result(random, 40);
            inputs.d_valid[port] &= port == 0 || inputs.d_valid[0];
            (inputs.d_near[port], inputs.d_data[port]) = (random.percent(70), random.data());
        }
        for bank in 0..self.parameters.banks {
            (inputs.filtered[bank], inputs.filtered_register[bank]) = result(random, 20);
        }
        inputs
    }

    fn observe(&mut self, inputs: &CollectorIn<D>, outputs: &CollectorOut<D>) -> Result<(), String> {
        let issue = inputs.issue.then(|| sources_of(inputs));
        self.tenant.observe(issue, &outputs.request, arrivals_of(inputs), inputs.dispatch);
        Ok(())
    }
}

fn sources_of<D: Data>(inputs: &CollectorIn<D>) -> Vec<u32> {
    (0..MAX_SLOTS)
        .filter(|slot| inputs.source_valid[*slot])
        .map(|slot| inputs.source_register[slot])
        .collect()
}
