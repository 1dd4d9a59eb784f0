// SPDX-License-Identifier: Apache-2.0
//! Testbench of the operand collector unit.

use gpurf_blocks::ports::{CollectorIn, CollectorOut};
use gpurf_blocks::{Allocation, Data, Isolation, Parameters, MAX_WARPS};
use gpurf_hw::collector::Ocu;
use gpurf_hw::dialect::Word;
use rust_hdl::prelude::Bits;

use super::{arrivals_of, arrive, port_s, register_stages, Collector, DataOf, Move, Tenant};
use crate::{expect, expect_eq, register, value, Engine, Random, Scenario, Stimulus, Testbench};

impl<const W: usize> Testbench for Ocu<W>
where
    Bits<W>: Word,
{
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::collector::Ocu::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(OcuStimulus { slots: parameters.slots, tenant: Tenant::new(parameters) })
    }

    fn protocol(parameters: &Parameters) -> Vec<String> {
        port_s(parameters)
    }

    fn scenarios() -> Vec<Scenario<Self::In, Self::Out>> {
        scenarios()
    }
}

register!(Ocu<W>);
register_stages!([W, C] Ocu<W>, C);

impl<const W: usize> Collector<W> for Ocu<W>
where
    Bits<W>: Word,
{
    type Model = gpurf_sim::collector::Ocu<DataOf<W>>;
    const ALLOCATION: Allocation = Allocation::AnyFree;
}

struct OcuStimulus {
    slots: usize,
    tenant: Tenant,
}

impl<D: Data> Stimulus<CollectorIn<D>, CollectorOut<D>> for OcuStimulus {
    fn next(&mut self, random: &mut Random) -> CollectorIn<D> {
        let mut inputs = CollectorIn {
            warp: random.below(MAX_WARPS) as u32,
            unit: random.below(8) as u32,
            ..Default::default()
        };
        inputs.payload = random.word();
        inputs.source_valid[..self.slots].fill_with(|| random.percent(50));
        let Move { arrivals, leaves, issue } = self.tenant.step(random);
        (inputs.issue, inputs.dispatch) = (issue, leaves);
        arrive(&mut inputs, arrivals, self.slots, random);
        inputs
    }

    fn observe(&mut self, inputs: &CollectorIn<D>, outputs: &CollectorOut<D>) -> Result<(), String> {
        let issue = inputs.issue.then(Vec::new);
        self.tenant.observe(issue, &outputs.request, arrivals_of(inputs), inputs.dispatch);
        Ok(())
    }
}

fn issue<D: Data>(sources: usize) -> CollectorIn<D> {
    let mut inputs = CollectorIn { issue: true, warp: 5, unit: 3, payload: 77, ..Default::default() };
    inputs.source_valid[..sources].fill(true);
    inputs
}

fn value_for<D: Data>(slot: u32) -> CollectorIn<D> {
    CollectorIn { s_valid: true, s_slot: slot, s_data: value(slot), ..Default::default() }
}

fn scenarios<D: Data>() -> Vec<Scenario<CollectorIn<D>, CollectorOut<D>>> {
    vec![
        Scenario {
            name: "requests_every_source",
            rule: "F II: once the OCU is allocated, it generates the source operand read requests",
            play: |bench| {
                let slots = bench.parameters.slots;
                let out = bench.cycle(issue(slots - 1))?;
                expect(out.request[..slots - 1].iter().all(|r| *r), "a request for each source")?;
                expect(!out.request[slots - 1], "none for an unused slot")?;
                let out = bench.cycle(CollectorIn::default())?;
                expect(!out.request.contains(&true), "requests stand for one cycle")
            },
        },
        Scenario {
            name: "ready_when_all_have_arrived",
            rule: "F II: a candidate for dispatch when the ready bit is set for all valid slots",
            play: |bench| {
                bench.cycle(issue(3))?;
                for slot in [2, 0] {
                    expect(!bench.cycle(value_for(slot))?.ready, "not ready before the last value")?;
                }
                let passes = bench.parameters.dispatch_on_arrival;
                let out = bench.cycle(value_for(1))?;
                expect_eq!(out.ready, passes, "ready before the last value is stored only on arrival")?;
                // Operands may rest until the dispatch.
                let shows = passes && bench.parameters.isolation != Isolation::Operands;
                expect(!shows || out.operand_data[1] == value(1), "with that value")?;
                let out = bench.cycle(CollectorIn { dispatch: true, ..CollectorIn::default() })?;
                expect(out.ready && out.occupied, "ready after the last value")?;
                let stored = (0..3).all(|slot| out.operand_data[slot] == value(slot as u32));
                expect(stored && out.operand_valid[..3] == [true; 3], "each value in its slot")?;
                let metadata = (out.held_warp, out.held_unit, out.held_payload);
                expect_eq!(metadata, (5, 3, 77), "warp, unit and payload kept")
            },
        },
        Scenario {
            name: "two_values_arrive_in_a_cycle",
            rule: "our decision: with two accesses per cycle, port S takes a value of each",
            play: |bench| {
                if bench.parameters.accesses < 2 {
                    return Ok(());
                }
                bench.cycle(issue(2))?;
                let mut both = value_for(1);
                (both.second_s_valid[0], both.second_s_slot[0], both.second_s_data[0]) = (true, 0, value(0));
                let out = bench.cycle(both)?;
                expect_eq!(out.ready, bench.parameters.dispatch_on_arrival, "stored first, or at once")?;
                let out = bench.cycle(CollectorIn { dispatch: true, ..CollectorIn::default() })?;
                expect(out.ready, "ready with both")?;
                expect_eq!(out.operand_data[..2], [value(0), value(1)], "each value in its slot")
            },
        },
        Scenario {
            name: "no_sources_no_wait",
            rule: "F II: an instruction whose used slots are all ready can be dispatched; one without sources at once",
            play: |bench| {
                bench.cycle(issue(0))?;
                expect(bench.cycle(CollectorIn::default())?.ready, "ready in the cycle after issue")
            },
        },
        Scenario {
            name: "released_by_dispatch",
            rule: "W 2: the OCU is released once its instruction is dispatched",
            play: |bench| {
                bench.cycle(issue(0))?;
                let out = bench.cycle(CollectorIn { dispatch: true, ..CollectorIn::default() })?;
                expect(out.occupied, "occupied in the cycle of dispatch")?;
                let out = bench.cycle(issue(1))?;
                expect(!out.occupied && !out.ready, "free in the next")?;
                let out = bench.cycle(CollectorIn::default())?;
                expect(out.occupied && !out.ready, "the next instruction waits for its own source")
            },
        },
        Scenario {
            name: "the_next_enters_as_one_leaves",
            rule: "F II: once dispatched, the OCU will be released and reallocated later to another instruction",
            play: |bench| {
                bench.cycle(issue(1))?;
                bench.cycle(value_for(0))?;
                let out = bench.cycle(CollectorIn { dispatch: true, ..issue(2) })?;
                expect_eq!(out.operand_data[0], value(0), "one instruction leaves with its operand")?;
                expect_eq!(out.request[..2], [true; 2], "and the next asks for its own")?;
                let out = bench.cycle(value_for(1))?;
                expect(out.occupied && !out.ready, "it waits for all of them")?;
                bench.cycle(value_for(0))?;
                expect(bench.cycle(CollectorIn::default())?.ready, "and is then ready")
            },
        },
    ]
}
