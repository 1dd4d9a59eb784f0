// SPDX-License-Identifier: Apache-2.0
//! Testbench of the reuse cache.

use std::collections::VecDeque;

use gpurf_blocks::ports::{ReuseCacheIn, ReuseCacheOut};
use gpurf_blocks::{Data, Parameters, ReuseEntries, READS, READ_BANKS};
use gpurf_hw::dialect::Word;
use gpurf_hw::modern::ReuseCache;
use rust_hdl::prelude::Bits;

use crate::{expect, register, value, Drive, Engine, Random, Scenario, Stimulus, Testbench};

impl<const W: usize> Testbench for ReuseCache<W>
where
    Bits<W>: Word,
{
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::modern::ReuseCache::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        let flights = VecDeque::from(vec![None; LATER]);
        Box::new(ReuseCacheStimulus { parameters: *parameters, flights, reuse: 50, registers: 2 })
    }

    fn scenarios() -> Vec<Scenario<Self::In, Self::Out>> {
        scenarios()
    }
}

register!(ReuseCache<W>);

/// Cycles from an instruction's reads to its operands.
const LATER: usize = 4;

/// An instruction that has gone: what is here, and what stays.
#[derive(Clone, Copy)]
struct Flight {
    warp: u32,
    tensor: bool,
    registers: [u32; READS],
    hits: [bool; READS],
    fills: [bool; READS],
}

/// The value of a register, which nobody writes.
fn value_of<D: Data>(warp: u32, register: u32) -> D {
    value(warp << 8 | register)
}

/// Few warps and registers, so that many are found; as the check, the value of every source that is.
struct ReuseCacheStimulus {
    parameters: Parameters,
    flights: VecDeque<Option<Flight>>,
    reuse: usize,
    registers: usize,
}

impl<D: Data> Stimulus<ReuseCacheIn<D>, ReuseCacheOut<D>> for ReuseCacheStimulus {
    fn next(&mut self, random: &mut Random) -> ReuseCacheIn<D> {
        if random.percent(2) {
            self.reuse = random.pick(&[10, 50, 90]);
            self.registers = random.pick(&[1, 2, 8]);
        }
        let mut inputs = ReuseCacheIn::<D> {
            go: random.percent(80),
            warp: random.below(2) as u32 * (self.parameters.warps as u32 - 1),
            tensor: random.percent(30),
            ..Default::default()
        };
        for source in 0..READS {
            inputs.source_valid[source] = random.percent(60);
            let register = random.register(2 * self.registers) & !1;
            inputs.source_register[source] = register | (source % READ_BANKS) as u32;
        }
        for operand in 0..3 {
            inputs.reuse |= u32::from(random.percent(self.reuse)) << operand;
        }
        for warp in 0..self.parameters.warps {
            inputs.launch[warp] = random.percent(1) && inputs.warp != warp as u32;
        }
        if let Some(flight) = self.flights.front().copied().flatten() {
            inputs.leave = true;
            inputs.leave_tensor = flight.tensor;
            inputs.leave_fill = flight.fills;
            inputs.leave_data = flight.registers.map(|register| value_of(flight.warp, register));
        }
        inputs
    }

    fn observe(&mut self, inputs: &ReuseCacheIn<D>, outputs: &ReuseCacheOut<D>) -> Result<(), String> {
        if let Some(flight) = self.flights.pop_front().flatten() {
            for source in (0..READS).filter(|&source| flight.hits[source]) {
                if outputs.data[source] != value_of(flight.warp, flight.registers[source]) {
                    return Err(format!("source {source} has {:?}", outputs.data[source]));
                }
            }
        }
        let fills =
            |source: usize| inputs.source_valid[source] && inputs.reuse >> (source / READ_BANKS) & 1 == 1;
        let flight = Flight {
            warp: inputs.warp,
            tensor: inputs.tensor,
            registers: inputs.source_register,
            hits: outputs.hit,
            fills: std::array::from_fn(fills),
        };
        self.flights.push_back(inputs.go.then_some(flight));
        let is_off = self.parameters.reuse_cache == ReuseEntries::Off;
        match is_off && outputs.hit.contains(&true) {
            true => Err("something is found in nothing".into()),
            false => Ok(()),
        }
    }
}

type Bench<'a, D> = Drive<'a, ReuseCacheIn<D>, ReuseCacheOut<D>>;

/// An instruction of warp 1 reads these registers, by operand; those of the set stay. Which are found.
fn read<D: Data>(
    bench: &mut Bench<D>,
    registers: &[(usize, u32)],
    reuse: u32,
    tensor: bool,
) -> Result<Vec<bool>, String> {
    let mut inputs = ReuseCacheIn::<D> { go: true, warp: 1, tensor, reuse, ..Default::default() };
    let source = |operand: usize, register: u32| READ_BANKS * operand + register as usize % READ_BANKS;
    for &(operand, register) in registers {
        inputs.source_valid[source(operand, register)] = true;
        inputs.source_register[source(operand, register)] = register;
    }
    let out = bench.cycle(inputs)?;
    Ok(registers.iter().map(|&(operand, register)| out.hit[source(operand, register)]).collect())
}

/// Returns true if there is a cache at all.
fn is_on<D: Data>(bench: &Bench<D>) -> bool {
    bench.parameters.reuse_cache != ReuseEntries::Off
}

fn scenarios<D: Data>() -> Vec<Scenario<ReuseCacheIn<D>, ReuseCacheOut<D>>> {
    vec![
        Scenario {
            name: "listing_4_example_1",
            rule: "H 5.3.1, Listing 4: a register is found in the operand that left it, and then no more",
            play: |bench| {
                let on = is_on(bench);
                expect(read(bench, &[(0, 2), (1, 3)], 0b001, false)? == [false, false], "nothing is there")?;
                expect(read(bench, &[(0, 2), (1, 7)], 0, false)? == [on, false], "R2 is found")?;
                expect(read(bench, &[(0, 2)], 0, false)? == [false], "its use has emptied it")
            },
        },
        Scenario {
            name: "listing_4_example_2",
            rule: "H 5.3.1, Listing 4: a register that is found stays if its reuse bit is set again",
            play: |bench| {
                let on = is_on(bench);
                read(bench, &[(0, 2)], 0b001, false)?;
                for _ in 0..3 {
                    expect(read(bench, &[(0, 2)], 0b001, false)? == [on], "it stays")?;
                }
                expect(read(bench, &[(0, 2)], 0, false)? == [on], "and is found for the last time")?;
                expect(read(bench, &[(0, 2)], 0, false)? == [false], "it has left")
            },
        },
        Scenario {
            name: "listing_4_example_3",
            rule: "H 5.3.1, Listing 4: another operand does not find it, and leaves it there",
            play: |bench| {
                let on = is_on(bench);
                read(bench, &[(0, 2)], 0b001, false)?;
                expect(read(bench, &[(1, 2)], 0, false)? == [false], "operand 1 has another place")?;
                expect(read(bench, &[(0, 2)], 0, false)? == [on], "operand 0 has it")
            },
        },
        Scenario {
            name: "listing_4_example_4",
            rule: "H 5.3.1, Listing 4: a read of the same bank in the same operand empties it; of the other bank does not",
            play: |bench| {
                let on = is_on(bench);
                read(bench, &[(0, 2)], 0b001, false)?;
                expect(read(bench, &[(0, 5)], 0, false)? == [false], "the other bank")?;
                expect(read(bench, &[(0, 2)], 0b001, false)? == [on], "it is there")?;
                expect(read(bench, &[(0, 8)], 0, false)? == [false], "the same bank")?;
                expect(read(bench, &[(0, 2)], 0, false)? == [false], "it is not there")
            },
        },
        Scenario {
            name: "an_operand_of_64_bits_has_two_entries",
            rule: "our reading of H 5.3.1: a value for each bank and operand, so that a pair of registers stays",
            play: |bench| {
                let on = is_on(bench);
                read(bench, &[(2, 4), (2, 5)], 0b100, false)?;
                expect(read(bench, &[(2, 4), (2, 5)], 0, false)? == [on, on], "both are found")
            },
        },
        Scenario {
            name: "warps_do_not_find_each_others_registers",
            rule: "H 5.3.1: a hit needs the same warp",
            play: |bench| {
                let mut inputs = ReuseCacheIn::<D> { go: true, warp: 1, reuse: 1, ..Default::default() };
                (inputs.source_valid[0], inputs.source_register[0]) = (true, 2);
                bench.cycle(inputs)?;
                let out = bench.cycle(ReuseCacheIn { warp: 2, reuse: 0, ..inputs })?;
                expect(!out.hit[0], "warp 2 does not find it")?;
                expect(!bench.cycle(inputs)?.hit[0], "and its read has emptied it")
            },
        },
        Scenario {
            name: "tensor_instructions_have_entries_of_their_own",
            rule: "our inference from the reuse bits that ptxas sets; H 5.3.1 does not speak of it",
            play: |bench| {
                let apart = bench.parameters.reuse_cache == ReuseEntries::TensorApart;
                read(bench, &[(0, 2)], 0b001, false)?;
                expect(read(bench, &[(0, 4)], 0b001, true)? == [false], "another register")?;
                expect(read(bench, &[(0, 2)], 0, false)? == [apart], "it is there if they are apart")?;
                let on = is_on(bench);
                expect(read(bench, &[(0, 4)], 0, true)? == [apart && on], "and so is the other")
            },
        },
        Scenario {
            name: "a_new_warp_finds_nothing",
            rule: "our decision: registers of the warp before it in its slot are not its own",
            play: |bench| {
                read(bench, &[(0, 2)], 0b001, false)?;
                let mut launch = ReuseCacheIn::<D>::default();
                launch.launch[1] = true;
                bench.cycle(launch)?;
                expect(read(bench, &[(0, 2)], 0, false)? == [false], "it has left")
            },
        },
    ]
}
