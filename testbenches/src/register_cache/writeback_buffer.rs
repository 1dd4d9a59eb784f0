// SPDX-License-Identifier: Apache-2.0
//! Testbench of the write-back buffer.

use gpurf_blocks::ports::{WritebackBufferIn, WritebackBufferOut};
use gpurf_blocks::{Clocked, Data, Parameters, LANES};
use gpurf_hw::dialect::Word;
use gpurf_hw::register_cache::WritebackBuffer;
use gpurf_sim::register_cache as model;
use rust_hdl::prelude::Bits;

use super::{lanes, registers};
use crate::{register, Engine, Random, Stimulus, Testbench};

impl<const W: usize, const L: usize> Testbench for WritebackBuffer<W, L>
where
    Bits<W>: Word,
{
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(model::WritebackBuffer::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(WritebackBufferStimulus::new(parameters))
    }
}

register!(WritebackBuffer<W, L>);

/// Values of one register or of several, pushed whenever the buffer is free; the model is asked whether it
/// is.
struct WritebackBufferStimulus<D: Data> {
    slots: usize,
    tag_lanes: usize,
    registers: Vec<u32>,
    buffer: model::WritebackBuffer<D>,
}

impl<D: Data> WritebackBufferStimulus<D> {
    fn new(parameters: &Parameters) -> Self {
        WritebackBufferStimulus {
            slots: parameters.slots,
            tag_lanes: parameters.rc_tag_lanes,
            registers: vec![0],
            buffer: model::WritebackBuffer::new(parameters),
        }
    }
}

impl<D: Data> Stimulus<WritebackBufferIn<D>, WritebackBufferOut<D>> for WritebackBufferStimulus<D> {
    fn next(&mut self, random: &mut Random) -> WritebackBufferIn<D> {
        if random.percent(2) {
            let count = random.pick(&[1, 4, 64]);
            self.registers = registers(random, count);
        }
        let mut inputs = WritebackBufferIn {
            push_warp: random.below(8) as u32,
            data: random.data(),
            ready: random.percent(60),
            look_warp: random.below(8) as u32,
            ..Default::default()
        };
        for slot in 0..self.slots {
            inputs.look[slot] = random.percent(50);
            inputs.look_register[slot] = random.pick(&self.registers);
        }
        inputs.push = self.buffer.settle(&inputs).free && random.percent(60);
        let pushed = lanes(random);
        for group in 0..LANES / self.tag_lanes {
            let mask = if self.tag_lanes == LANES { !0 } else { (1 << self.tag_lanes) - 1 };
            inputs.push_lanes[group] = pushed >> (group * self.tag_lanes) & mask;
            inputs.push_register[group] = random.pick(&self.registers);
        }
        inputs
    }

    fn observe(&mut self, inputs: &WritebackBufferIn<D>, _: &WritebackBufferOut<D>) -> Result<(), String> {
        self.buffer.settle(inputs);
        self.buffer.tick();
        Ok(())
    }
}
