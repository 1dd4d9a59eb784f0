// SPDX-License-Identifier: Apache-2.0
//! Testbench of the exchange buffer.

use std::collections::VecDeque;

use gpurf_blocks::ports::{ExchangeBufferIn, ExchangeBufferOut};
use gpurf_blocks::{Data, Parameters, RMU_BUFFERS};
use gpurf_hw::dialect::Word;
use gpurf_hw::finereg::ExchangeBuffer;
use rust_hdl::prelude::Bits;

use crate::{expect, expect_eq, register, value, Engine, Random, Scenario, Stimulus, Testbench};

impl<const W: usize> Testbench for ExchangeBuffer<W>
where
    Bits<W>: Word,
{
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::finereg::ExchangeBuffer::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(Exchange { streams: parameters.streams, ..Exchange::default() })
    }

    fn scenarios() -> Vec<Scenario<Self::In, Self::Out>> {
        vec![
            Scenario {
                name: "a_value_leaves_as_it_comes",
                rule: "R V-E: meanwhile, the live registers are transferred",
                play: |bench| {
                    bench.cycle(read(3, 40))?;
                    let waits =
                        bench.cycle(ExchangeBufferIn { look_warp: 3, look_register: 40, ..none() })?;
                    expect(
                        waits.any && !waits.complete && waits.under_way,
                        "it has been read, and not come",
                    )?;
                    let comes =
                        ExchangeBufferIn { answer: true, answer_data: value(7), leave: true, ..none() };
                    let out = bench.cycle(comes)?;
                    expect_eq!((out.complete, out.warp, out.register), (true, 3, 40), "it is there")?;
                    expect_eq!(out.data, value(7), "the value that comes")?;
                    expect(!bench.cycle(none())?.any, "it has left")
                },
            },
            Scenario {
                name: "the_second_moves_up",
                rule: "our decision: two registers, so that one is read in every cycle",
                play: |bench| {
                    if !bench.parameters.streams {
                        return Ok(());
                    }
                    bench.cycle(read(1, 10))?;
                    let answered = ExchangeBufferIn { answer: true, answer_data: value(5), ..read(2, 20) };
                    expect(bench.cycle(answered)?.room, "a second place")?;
                    let full =
                        bench.cycle(ExchangeBufferIn { answer: true, answer_data: value(6), ..none() })?;
                    expect(!full.room && full.data == value(5), "no third, and the first stays")?;
                    let out = bench.cycle(ExchangeBufferIn { leave: true, ..none() })?;
                    expect(out.room && out.warp == 1, "the first leaves, and there is room for another")?;
                    let out = bench.cycle(none())?;
                    expect_eq!((out.warp, out.register, out.complete), (2, 20, true), "the second")?;
                    expect_eq!(out.data, value(6), "with its value")
                },
            },
        ]
    }
}

register!(ExchangeBuffer<W>);

fn none<D: Data>() -> ExchangeBufferIn<D> {
    ExchangeBufferIn::default()
}

fn read<D: Data>(warp: u32, register: u32) -> ExchangeBufferIn<D> {
    ExchangeBufferIn { read: true, read_warp: warp, read_register: register, ..none() }
}

/// Registers one after the other, with values that come late or at once.
#[derive(Default)]
struct Exchange {
    streams: bool,
    /// Registers on their way, and if each has its value.
    held: VecDeque<(u32, u32, bool)>,
}

impl<D: Data> Stimulus<ExchangeBufferIn<D>, ExchangeBufferOut<D>> for Exchange {
    fn next(&mut self, random: &mut Random) -> ExchangeBufferIn<D> {
        let mut inputs: ExchangeBufferIn<D> = none();
        let unanswered = self.held.iter_mut().find(|(.., has_value)| !has_value);
        if let Some((.., has_value)) = unanswered {
            inputs.answer = random.percent(60);
            *has_value |= inputs.answer;
        }
        inputs.answer_data = random.data();
        inputs.leave = self.held.front().is_some_and(|(.., has_value)| *has_value) && random.percent(70);
        let most = if self.streams { RMU_BUFFERS } else { 1 };
        inputs.read = (inputs.leave || self.held.len() < most) && random.percent(70);
        (inputs.read_warp, inputs.read_register) = (random.below(32) as u32, random.below(64) as u32);
        let place = random.below(RMU_BUFFERS);
        let looked = self.held.get(place).filter(|_| random.percent(80)).copied();
        let (warp, register, _) = looked.unwrap_or((random.below(32) as u32, random.below(64) as u32, false));
        (inputs.look_warp, inputs.look_register) = (warp, register);
        if inputs.leave {
            self.held.pop_front();
        }
        if inputs.read {
            self.held.push_back((inputs.read_warp, inputs.read_register, false));
        }
        inputs
    }
}
