// SPDX-License-Identifier: Apache-2.0
//! Testbench of the read window of a bank's port.

use std::collections::VecDeque;

use gpurf_blocks::ports::{ReadWindowIn, ReadWindowOut};
use gpurf_blocks::{Data, Parameters, OPERANDS};
use gpurf_hw::dialect::Word;
use gpurf_hw::modern::ReadWindow;
use rust_hdl::prelude::Bits;

use crate::{expect, register, value, Drive, Engine, Random, Scenario, Stimulus, Testbench};

impl<const W: usize> Testbench for ReadWindow<W>
where
    Bits<W>: Word,
{
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::modern::ReadWindow::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        let flights = VecDeque::from(vec![None; parameters.read_window + 1]);
        Box::new(ReadWindowStimulus { parameters: *parameters, flights, density: 50, reads: 0, read: None })
    }

    fn scenarios() -> Vec<Scenario<Self::In, Self::Out>> {
        scenarios()
    }
}

register!(ReadWindow<W>);

/// An instruction in its window: when its operands are read, and the newest value of each register, as far as
/// it may know it.
#[derive(Clone, Copy)]
struct Flight<D> {
    grant: [u32; OPERANDS],
    register: [u32; OPERANDS],
    warp: u32,
    pipe: u32,
    newest: [D; OPERANDS],
}

/// Instructions whose reads take the free cycles of a port, results of the registers that they read, and a
/// bank; as the check, the newest value of every operand.
struct ReadWindowStimulus<D> {
    parameters: Parameters,
    flights: VecDeque<Option<Flight<D>>>,
    density: usize,
    /// Reads of the cycles to come.
    reads: u32,
    /// The register that the bank shows, if it shows one.
    read: Option<(u32, u32)>,
}

impl<D: Data> Stimulus<ReadWindowIn<D>, ReadWindowOut<D>> for ReadWindowStimulus<D> {
    fn next(&mut self, random: &mut Random) -> ReadWindowIn<D> {
        if random.percent(3) {
            self.density = random.pick(&[10, 50, 100]);
        }
        let window = self.parameters.read_window;
        let mut inputs = ReadWindowIn::<D> {
            warp: random.below(2) as u32,
            base: random.below(256) as u32,
            data: random.data(),
            found: random.percent(20),
            found_data: random.data(),
            ..Default::default()
        };
        let mut free: Vec<usize> = (0..window).filter(|&cycle| self.reads >> cycle & 1 == 0).collect();
        for operand in 0..OPERANDS {
            inputs.register[operand] = random.below(4) as u32;
            if !free.is_empty() && random.percent(self.density) {
                let cycle = free.swap_remove(random.below(free.len()));
                inputs.grant[operand] = 1 << cycle;
            }
        }
        for port in 0..self.parameters.result_ports {
            (inputs.result_warp[port], inputs.result_register[port]) =
                (random.below(2) as u32, random.below(4) as u32);
            let same = |other: usize| {
                inputs.result_valid[other]
                    && inputs.result_warp[other] == inputs.result_warp[port]
                    && inputs.result_register[other] == inputs.result_register[port]
            };
            inputs.result_valid[port] = random.percent(20) && !(0..port).any(same);
            inputs.result_pipe[port] = random.below(3) as u32;
            inputs.result_data[port] = random.data();
        }
        if let Some(flight) = self.flights.front().and_then(Option::as_ref) {
            (inputs.leave_grant, inputs.leave_pipe) = (flight.grant, flight.pipe);
        }
        inputs
    }

    fn observe(&mut self, inputs: &ReadWindowIn<D>, outputs: &ReadWindowOut<D>) -> Result<(), String> {
        let window = self.parameters.read_window;
        let result = |warp: u32, register: u32, pipe: Option<u32>| {
            (0..self.parameters.result_ports)
                .filter(|&port| inputs.result_valid[port] && inputs.result_warp[port] == warp)
                .filter(|&port| inputs.result_register[port] == register)
                .find(|&port| pipe.is_none_or(|pipe| inputs.result_pipe[port] == pipe))
                .map(|port| inputs.result_data[port])
        };
        // A flight leaves in as many cycles as it has others before it; what it read k cycles before its end,
        // the bank shows.
        for (left, flight) in self.flights.iter_mut().enumerate() {
            let Some(flight) = flight else { continue };
            for operand in 0..OPERANDS {
                if flight.grant[operand] == 0 {
                    continue;
                }
                let place = flight.grant[operand].trailing_zeros() as usize;
                let (warp, register) = (flight.warp, flight.register[operand]);
                if place + 1 + left == window {
                    flight.newest[operand] = if inputs.found { inputs.found_data } else { inputs.data };
                    self.read = Some((warp, register));
                    if (outputs.shown_warp, outputs.shown_register) != (warp, register) {
                        return Err(format!("R{} is shown", outputs.shown_register));
                    }
                }
                let pipe = (left == 0).then_some(flight.pipe);
                if let Some(data) = result(warp, register, pipe) {
                    flight.newest[operand] = data;
                }
            }
        }
        let leaving = self.flights.pop_front().flatten();
        for operand in 0..OPERANDS {
            let right = leaving.as_ref().filter(|flight| flight.grant[operand] != 0);
            let right = right.map_or(D::default(), |flight| flight.newest[operand]);
            if outputs.value[operand] != right {
                return Err(format!("operand {operand} is {:?} and not {right:?}", outputs.value[operand]));
            }
        }
        self.flights.push_back(inputs.grant.iter().any(|&grant| grant != 0).then_some(Flight {
            grant: inputs.grant,
            register: inputs.register,
            warp: inputs.warp,
            pipe: inputs.base % 4,
            newest: [D::default(); OPERANDS],
        }));
        self.reads = (self.reads | inputs.grant.iter().fold(0, |all, grant| all | grant)) >> 1;
        Ok(())
    }
}

type Bench<'a, D> = Drive<'a, ReadWindowIn<D>, ReadWindowOut<D>>;

/// Operand 1 of an instruction of warp 3, R10 from row 100 on, is to be read in this cycle of the window.
fn go<D: Data>(cycle: usize) -> ReadWindowIn<D> {
    let mut inputs = ReadWindowIn::<D> { warp: 3, base: 100, ..Default::default() };
    (inputs.grant[1], inputs.register[1]) = (1 << cycle, 10);
    inputs
}

/// The same leaves, of this pipe.
fn leave<D: Data>(cycle: usize, leave_pipe: u32) -> ReadWindowIn<D> {
    let mut inputs = ReadWindowIn::<D> { leave_pipe, ..Default::default() };
    inputs.leave_grant[1] = 1 << cycle;
    inputs
}

/// A result of R10 comes from pipe 2.
fn with_result<D: Data>(mut inputs: ReadWindowIn<D>, data: D) -> ReadWindowIn<D> {
    (inputs.result_valid[1], inputs.result_warp[1], inputs.result_register[1]) = (true, 3, 10);
    (inputs.result_pipe[1], inputs.result_data[1]) = (2, data);
    inputs
}

/// The operand that leaves if the instruction reads it in this cycle of its window. A result comes so many
/// cycles after the instruction has gone.
fn run<D: Data>(bench: &mut Bench<D>, cycle: usize, result: usize, pipe: u32) -> Result<D, String> {
    let window = bench.parameters.read_window;
    for now in 0..=window + 1 {
        let mut inputs = match now {
            0 => go(cycle),
            _ if now == window + 1 => leave(cycle, pipe),
            _ => ReadWindowIn::default(),
        };
        if now == cycle + 2 {
            inputs.data = value(1);
        }
        if now == result {
            inputs = with_result(inputs, value(2));
        }
        let out = bench.cycle(inputs)?;
        expect(out.read == (now == cycle + 1), format!("the read in cycle {now}"))?;
        if out.read {
            expect(out.row == 105, "it is row 100 + 10 / 2")?;
        }
        if now == window + 1 {
            return Ok(out.value[1]);
        }
    }
    Err("it does not leave".into())
}

fn scenarios<D: Data>() -> Vec<Scenario<ReadWindowIn<D>, ReadWindowOut<D>>> {
    vec![
        Scenario {
            name: "operands_leave_behind_the_window",
            rule: "H 5.3: three read cycles, always, whatever an instruction reads and when",
            play: |bench| {
                for cycle in 0..bench.parameters.read_window {
                    expect(run(bench, cycle, 99, 0)? == value(1), format!("read in cycle {cycle} of the window"))?;
                }
                Ok(())
            },
        },
        Scenario {
            name: "a_result_that_comes_meanwhile_takes_the_place_of_what_was_read",
            rule: "H 5.3: a consumer of a result of fixed latency has it by bypass",
            play: |bench| {
                let window = bench.parameters.read_window;
                for cycle in 0..window {
                    for result in cycle + 2..window + 1 {
                        let what = format!("read in cycle {cycle} of the window, a result in cycle {result}");
                        expect(run(bench, cycle, result, 0)? == value(2), what)?;
                    }
                }
                Ok(())
            },
        },
        Scenario {
            name: "a_result_of_its_last_cycle_is_of_its_own_pipe",
            rule: "our reading of ptxas: to another pipe a result takes 5 cycles and not 4; H 5.3: so to variable latency",
            play: |bench| {
                let window = bench.parameters.read_window;
                for cycle in 0..window {
                    expect(run(bench, cycle, window + 1, 2)? == value(2), "its own pipe")?;
                    expect(run(bench, cycle, window + 1, 1)? == value(1), "another pipe")?;
                }
                Ok(())
            },
        },
        Scenario {
            name: "the_result_queue_is_newer_than_the_bank",
            rule: "H 5.3: results that wait for the write port are found in their queue",
            play: |bench| {
                let window = bench.parameters.read_window;
                for cycle in 0..window {
                    for now in 0..=window + 1 {
                        let mut inputs = match now {
                            0 => go(cycle),
                            _ if now == window + 1 => leave(cycle, 0),
                            _ => ReadWindowIn::default(),
                        };
                        if now == cycle + 2 {
                            (inputs.data, inputs.found, inputs.found_data) = (value(1), true, value(3));
                        }
                        let out = bench.cycle(inputs)?;
                        let what = format!("read in cycle {cycle} of the window");
                        expect(now <= window || out.value[1] == value(3), what)?;
                    }
                }
                Ok(())
            },
        },
    ]
}
