// SPDX-License-Identifier: Apache-2.0
//! A block that only this test knows: its declaration, model and testbench are all that there is of it, and
//! every tool that goes through the catalogue has it.

use gpurf_blocks::{Clocked, Parameters};
use gpurf_hw::catalogue::{catalogue, find};
use gpurf_hw::dialect::{block, rtl, Register};
use gpurf_testbenches::EngineKind::{Icarus, Model, Rtl, Verilator};
use gpurf_testbenches::{
    expect_eq, register, workbench, Engine, Failure, Random, Scenario, Stimulus, Testbench,
};
use gpurf_verilog::check;
use rust_hdl::prelude::*;

/// Counts, for each source slot, how often it was used; up to 15.
#[block(title = "Use counters", paper = "F §II", parameters(slots))]
pub struct UseCounters {
    /// The slot is used in this cycle.
    pub used: In<[Bit; slots]>,
    /// Uses up to the cycle before.
    pub count: Out<Register<[Bits<4>; slots]>>,
}

#[rtl]
impl UseCounters {
    fn kernel() {
        for s in 0..slots {
            let counts: Bit = used[s] & !count[s].all();
            if counts {
                count[s] += 1;
            }
        }
    }
}

struct Counts {
    slots: usize,
    uses: Vec<u32>,
    inputs: UseCountersIn,
}

impl Clocked for Counts {
    type In = UseCountersIn;
    type Out = UseCountersOut;

    fn settle(&mut self, inputs: &UseCountersIn) -> UseCountersOut {
        self.inputs = *inputs;
        let mut outputs = UseCountersOut::default();
        outputs.count[..self.slots].copy_from_slice(&self.uses);
        outputs
    }

    fn tick(&mut self) {
        for (uses, used) in self.uses.iter_mut().zip(self.inputs.used) {
            *uses = 15.min(*uses + u32::from(used));
        }
    }
}

impl Testbench for UseCounters {
    fn model(parameters: &Parameters) -> Engine<Self> {
        let slots = parameters.slots;
        Box::new(Counts { slots, uses: vec![0; slots], inputs: UseCountersIn::default() })
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(Uses { slots: parameters.slots })
    }

    fn scenarios() -> Vec<Scenario<Self::In, Self::Out>> {
        vec![Scenario {
            name: "counts_up_to_fifteen",
            rule: "a count that is full stays",
            play: |bench| {
                let mut inputs = UseCountersIn::default();
                inputs.used[0] = true;
                for uses in 0..20 {
                    expect_eq!(bench.cycle(inputs)?.count[0], 15.min(uses), format!("{uses} uses"))?;
                }
                Ok(())
            },
        }]
    }
}

register!(UseCounters);

struct Uses {
    slots: usize,
}

impl Stimulus<UseCountersIn, UseCountersOut> for Uses {
    fn next(&mut self, random: &mut Random) -> UseCountersIn {
        let mut inputs = UseCountersIn::default();
        inputs.used[..self.slots].fill_with(|| random.percent(30));
        inputs
    }
}

#[test]
fn the_catalogue_describes_it() {
    let entry = find("use_counters").expect("it is in the catalogue");
    assert!(catalogue().iter().any(|other| other.name == entry.name));
    assert_eq!((entry.naming.title, entry.naming.paper), ("Use counters", "F §II"));
    assert_eq!(entry.parameters(), ["slots"]);
    assert_eq!(entry.source, file!());
    let ports: Vec<_> = entry.ports.iter().map(|port| (port.name, port.is_input, port.carried)).collect();
    assert_eq!(ports, [("used", true, "Bit"), ("count", false, "Bits<4>")]);
    assert_eq!(entry.ports[1].length, Some("slots"));
}

#[test]
fn all_engines_agree() {
    let bench = workbench("use_counters", &Parameters::default());
    let engines = [Model, Rtl, Verilator, Icarus];
    let outcome = bench.run(&engines, &mut Random::seeded(1), 1000).expect("the engines are built");
    assert!(outcome.passed(), "{}", bench.report(&engines, 1, &Vec::from_iter(Failure::of(&outcome))));
    let failures = bench.play(&engines).expect("the engines are built");
    assert!(failures.is_empty(), "{}", bench.report(&engines, 1, &failures));
}

#[test]
fn its_verilog_reads_well_and_passes_the_checkers() {
    // A default is not named.
    for (slots, name) in [("3", "use_counters_slots3"), ("7", "use_counters")] {
        let mut parameters = Parameters::default();
        parameters.set("slots", slots).expect("a possible number of slots");
        let design = workbench("use_counters", &parameters).verilog().expect("it emits");
        assert_eq!(design.top, name);
        let text = design.source();
        assert!(text.contains("// Uses up to the cycle before."), "{text}");
        assert!(text.contains(&format!("output reg [{slots}*4-1:0] count")), "{text}");
        assert!(text.contains("counts[s] = used[s] & !(&count[s*4 +: 4]);"), "{text}");
        for result in
            [check::iverilog_wall(&design), check::verilator_lint(&design), check::yosys_check(&design)]
        {
            assert!(result.is_ok(), "{}: {}", design.top, result.unwrap_err());
        }
    }
}
