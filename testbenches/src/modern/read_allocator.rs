// SPDX-License-Identifier: Apache-2.0
//! Testbench of the read allocator.

use std::collections::HashMap;

use gpurf_blocks::ports::{ReadAllocatorIn, ReadAllocatorOut};
use gpurf_blocks::{Parameters, ReadRule, READS, READ_BANKS};
use gpurf_hw::modern::ReadAllocator;

use crate::{expect, register, Drive, Engine, Random, Scenario, Stimulus, Testbench};

impl Testbench for ReadAllocator {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::modern::ReadAllocator::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(ReadAllocatorStimulus {
            parameters: *parameters,
            inputs: ReadAllocatorIn::default(),
            cycle: 0,
            reads: HashMap::new(),
            last: [None; READ_BANKS],
            density: 50,
            waited: 0,
        })
    }

    fn scenarios() -> Vec<Scenario<Self::In, Self::Out>> {
        scenarios()
    }
}

register!(ReadAllocator);

/// Instructions that wait until they go; as the check, a calendar of the reads of each bank.
struct ReadAllocatorStimulus {
    parameters: Parameters,
    inputs: ReadAllocatorIn,
    cycle: u64,
    /// Reads that are made at a port of a bank in a cycle, by bank, cycle and port.
    reads: HashMap<(usize, u64, usize), usize>,
    /// The cycle in which an instruction of fixed latency went that reads the bank.
    last: [Option<u64>; READ_BANKS],
    density: usize,
    waited: usize,
}

impl Stimulus<ReadAllocatorIn, ReadAllocatorOut> for ReadAllocatorStimulus {
    fn next(&mut self, random: &mut Random) -> ReadAllocatorIn {
        if random.percent(3) {
            self.density = random.pick(&[20, 60, 100]);
        }
        let density = self.density;
        if !self.inputs.fixed {
            self.inputs.fixed = random.percent(70);
            self.inputs.request.fill_with(|| random.percent(density));
        }
        if !self.inputs.variable {
            self.inputs.variable = random.percent(40);
            self.inputs.variable_request.fill_with(|| random.percent(density));
        }
        self.inputs
    }

    fn observe(&mut self, inputs: &ReadAllocatorIn, outputs: &ReadAllocatorOut) -> Result<(), String> {
        let Parameters { read_window, read_ports, read_rule, .. } = self.parameters;
        for source in (0..READS).filter(|&source| outputs.grant[source] != 0) {
            let place = outputs.grant[source].trailing_zeros() as usize;
            let (cycle, port, bank) = (place / 3, place % 3, source % READ_BANKS);
            if outputs.grant[source].count_ones() != 1 || cycle >= read_window || port >= read_ports {
                return Err(format!("source {source} is read at {:#x}", outputs.grant[source]));
            }
            let at = self.cycle + 1 + cycle as u64;
            if let Some(other) = self.reads.insert((bank, at, port), source) {
                return Err(format!("sources {other} and {source} are read in cycle {at}"));
            }
            let is_held = |last: u64| at <= last + read_window as u64;
            if read_rule == ReadRule::Held && outputs.go && self.last[bank].is_some_and(is_held) {
                return Err(format!("source {source} is read in cycle {at}, while its bank is held"));
            }
        }
        let requests = if inputs.fixed { inputs.request } else { inputs.variable_request };
        if outputs.go || outputs.variable_go {
            for source in 0..READS {
                if requests[source] != (outputs.grant[source] != 0) {
                    return Err(format!("source {source} is asked for: {}", requests[source]));
                }
            }
        }
        if outputs.go {
            for bank in 0..READ_BANKS {
                if (bank..READS).step_by(READ_BANKS).any(|source| inputs.request[source]) {
                    self.last[bank] = Some(self.cycle);
                }
            }
        }
        self.waited = if inputs.fixed && !outputs.go { self.waited + 1 } else { 0 };
        // After as many cycles its whole window is free.
        if self.waited > read_window {
            return Err(format!("a wait of {} cycles", self.waited));
        }
        self.inputs.fixed = inputs.fixed && !outputs.go;
        self.inputs.variable = inputs.variable && !outputs.variable_go;
        self.cycle += 1;
        Ok(())
    }
}

type Bench<'a> = Drive<'a, ReadAllocatorIn, ReadAllocatorOut>;

/// An instruction of fixed latency with so many reads of bank 0 and of bank 1.
fn reads(even: usize, odd: usize) -> ReadAllocatorIn {
    let mut inputs = ReadAllocatorIn { fixed: true, ..Default::default() };
    (0..even).for_each(|operand| inputs.request[READ_BANKS * operand] = true);
    (0..odd).for_each(|operand| inputs.request[READ_BANKS * operand + 1] = true);
    inputs
}

/// Cycles that it waits.
fn waits(bench: &mut Bench, inputs: ReadAllocatorIn) -> Result<usize, String> {
    for waited in 0..10 {
        if bench.cycle(inputs)?.go {
            return Ok(waited);
        }
    }
    Err("the wait has no end".into())
}

/// Pairs of instructions, the one behind the other, with one port and a window of three cycles; and how long
/// the second waits if reads are packed, and if banks are held.
const PAIRS: [([usize; 2], [usize; 2], [usize; 2]); 7] = [
    ([1, 0], [1, 0], [0, 0]),
    ([2, 0], [2, 0], [0, 1]),
    ([1, 1], [2, 1], [0, 1]),
    ([3, 0], [3, 0], [2, 2]),
    ([3, 0], [0, 3], [0, 0]),
    ([1, 2], [3, 0], [0, 2]),
    ([2, 1], [1, 2], [0, 1]),
];

fn scenarios() -> Vec<Scenario<ReadAllocatorIn, ReadAllocatorOut>> {
    vec![
        Scenario {
            name: "the_second_waits_as_its_rule_says",
            rule: "H 5.3: an instruction waits in Allocate until its reads fit into its window; which do is a parameter",
            play: |bench| {
                let Parameters { read_window, read_ports, read_rule, .. } = bench.parameters;
                if (read_window, read_ports) != (3, 1) {
                    return Ok(());
                }
                for (first, second, expected) in PAIRS {
                    expect(waits(bench, reads(first[0], first[1]))? == 0, "the first goes")?;
                    let waited = waits(bench, reads(second[0], second[1]))?;
                    let expected = expected[usize::from(read_rule == ReadRule::Held)];
                    let what = format!("{second:?} behind {first:?} waits {waited} cycles and not {expected}");
                    expect(waited == expected, what)?;
                    (0..5).try_for_each(|_| bench.cycle(ReadAllocatorIn::default()).map(|_| ()))?;
                }
                Ok(())
            },
        },
        Scenario {
            name: "all_reads_of_one_bank_fit_into_a_free_window",
            rule: "H 5.3: three cycles to read, always",
            play: |bench| {
                expect(bench.cycle(reads(3, 3))?.go, "three of each bank do")
            },
        },
        Scenario {
            name: "banks_do_not_wait_for_each_other",
            rule: "H 5.3: each bank has a read port of its own",
            play: |bench| {
                for (even, odd) in [(3, 0), (0, 3)] {
                    expect(bench.cycle(reads(even, odd))?.go, "the other bank is free")?;
                }
                Ok(())
            },
        },
        Scenario {
            name: "fixed_latency_goes_first",
            rule: "H 5.3: reads of variable latency have the lower priority",
            play: |bench| {
                let mut both = reads(1, 0);
                (both.variable, both.variable_request) = (true, reads(1, 1).request);
                let out = bench.cycle(both)?;
                expect(out.go && !out.variable_go, "the one of fixed latency goes")?;
                both.fixed = false;
                let out = bench.cycle(both)?;
                expect(!out.go && out.variable_go, "then the other")
            },
        },
        Scenario {
            name: "variable_latency_holds_no_bank",
            rule: "our decision: an instruction of variable latency takes the cycles that it reads, under either rule",
            play: |bench| {
                if (bench.parameters.read_window, bench.parameters.read_ports) != (3, 1) {
                    return Ok(());
                }
                let variable = ReadAllocatorIn { fixed: false, variable: true, variable_request: reads(1, 0).request, ..Default::default() };
                expect(bench.cycle(variable)?.variable_go, "it goes")?;
                expect(waits(bench, reads(3, 0))? == 0, "its read is over when the next window begins")
            },
        },
    ]
}
