// SPDX-License-Identifier: Apache-2.0
//! Rodinia's Backprop: one training step of a neural network with 16 hidden units and one output.
//!
//! `layer_forward` sums inputs × weights, a block for every 16 inputs; the host adds the blocks' sums,
//! computes the output and the errors, and `adjust_weights` then moves the weights between input and
//! hidden layer.

use crate::device::Device;
use crate::error::Result;
use crate::listing::Module;

use super::{counted, expect_close, Benchmark, Size, Tolerance};

pub(super) const BACKPROP: Benchmark = Benchmark {
    name: "backprop",
    stands_for: "Rodinia backprop",
    about: "a training step of a neural network with 16 hidden units",
    size: |size| counted(inputs(size), "input"),
    run,
};

const HIDDEN: usize = 16;
/// A row of weights: one to the hidden layer's unused unit 0, then one to each hidden unit.
const ROW: usize = HIDDEN + 1;
/// Inputs per thread block.
const INPUTS: usize = 16;
const LEARNING_RATE: f64 = 0.3;
const MOMENTUM: f64 = 0.3;
const TARGET: f64 = 0.1;

fn inputs(size: Size) -> usize {
    size.pick(1024, 32_768, 262_144)
}

fn run(device: &mut Device, size: Size) -> Result<()> {
    let inputs = inputs(size);
    let network = Network::random(inputs, &mut fastrand::Rng::with_seed(1));
    let blocks = inputs / INPUTS;
    let grid = (1, blocks as u32);
    let block = (HIDDEN as u32, INPUTS as u32);

    let module = Module::parse("backprop.sass", include_str!("../../kernels/backprop.sass"))?;
    let input = device.upload(&network.input);
    let weights = device.upload(&network.weights);
    let previous = device.upload(&network.previous);
    let partial_sums = device.allocate((blocks * HIDDEN * 4) as u64);
    let hidden_argument = (HIDDEN as i32).into();
    let arguments = [input.into(), weights.into(), partial_sums.into(), hidden_argument];
    device.launch(&module, "layer_forward", grid, block, 0, &arguments)?;

    let mut sums = network.bias_sums();
    for of_block in device.read::<f32>(partial_sums, blocks * HIDDEN)?.chunks(HIDDEN) {
        for (sum, part) in sums.iter_mut().zip(of_block) {
            *sum += f64::from(*part);
        }
    }
    let delta = network.hidden_deltas(&sums);
    let device_delta = device.upload(&delta.map(|delta| delta as f32));
    let hidden_argument = (HIDDEN as i32).into();
    let arguments = [device_delta.into(), hidden_argument, input.into(), weights.into(), previous.into()];
    device.launch(&module, "adjust_weights", grid, block, 0, &arguments)?;

    // The device multiplies and adds in single precision, but only 16 products at a time; all sums
    // over the whole layer are in double precision on both sides.
    let tolerance = Tolerance { relative: 1e-6, absolute: 1e-7 };
    let (expected_weights, expected_previous) = network.train();
    let count = expected_weights.len();
    expect_close("weight", &device.read::<f32>(weights, count)?, &expected_weights, tolerance)?;
    expect_close("change", &device.read::<f32>(previous, count)?, &expected_previous, tolerance)
}

/// Units count from 1 in each layer; unit 0 is the bias, which is always 1.
struct Network {
    input: Vec<f32>,
    /// From each input to each hidden unit.
    weights: Vec<f32>,
    /// The last change of these weights.
    previous: Vec<f32>,
    /// From each hidden unit to the output. Its training is the host's and not done here.
    output_weights: [f64; ROW],
}

impl Network {
    fn random(inputs: usize, random: &mut fastrand::Rng) -> Network {
        // Small enough for sums of the order of 1, where units learn.
        let scale = (inputs as f32).sqrt().recip();
        let mut around_zero = |scale: f32| scale * (2.0 * random.f32() - 1.0);
        Network {
            weights: (0..(inputs + 1) * ROW).map(|_| around_zero(scale)).collect(),
            previous: (0..(inputs + 1) * ROW).map(|_| around_zero(scale / 10.0)).collect(),
            output_weights: std::array::from_fn(|_| around_zero(1.0).into()),
            input: std::iter::once(1.0).chain((0..inputs).map(|_| random.f32())).collect(),
        }
    }

    /// The amount that the bias adds to each hidden unit's sum.
    fn bias_sums(&self) -> [f64; HIDDEN] {
        std::array::from_fn(|hidden| f64::from(self.weights[hidden + 1]))
    }

    /// The errors of the hidden units whose inputs add up to `sums`.
    fn hidden_deltas(&self, sums: &[f64; HIDDEN]) -> [f64; ROW] {
        let hidden = sums.map(sigmoid);
        let from_hidden =
            hidden.iter().zip(&self.output_weights[1..]).map(|(hidden, weight)| hidden * weight);
        let output = sigmoid(self.output_weights[0] + from_hidden.sum::<f64>());
        let output_delta = output * (1.0 - output) * (TARGET - output);
        std::array::from_fn(|unit| match unit {
            0 => 0.0,
            _ => hidden[unit - 1] * (1.0 - hidden[unit - 1]) * output_delta * self.output_weights[unit],
        })
    }

    /// The same training step: the new weights between input and hidden layer, and their changes.
    fn train(self) -> (Vec<f32>, Vec<f32>) {
        let mut sums = [0.0; HIDDEN];
        for (weights, input) in self.weights.chunks(ROW).zip(&self.input) {
            for (sum, weight) in sums.iter_mut().zip(&weights[1..]) {
                *sum += f64::from(*weight) * f64::from(*input);
            }
        }
        let delta = self.hidden_deltas(&sums);

        let Network { input, mut weights, mut previous, .. } = self;
        for (row, input) in input.iter().enumerate() {
            for (unit, delta) in delta.iter().enumerate().skip(1) {
                let index = row * ROW + unit;
                let change =
                    LEARNING_RATE * delta * f64::from(*input) + MOMENTUM * f64::from(previous[index]);
                weights[index] = (f64::from(weights[index]) + change) as f32;
                previous[index] = change as f32;
            }
        }
        (weights, previous)
    }
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}
