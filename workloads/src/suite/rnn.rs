// SPDX-License-Identifier: Apache-2.0
//! Recurrent layers in half precision on the tensor cores: a vanilla RNN, an LSTM, and the RNN's gradients.
//!
//! Per time step two launches: the product of the weights with each sequence's input and previous state,
//! which lie side by side in one row (FP32 sums), and a kernel that makes the new state of these sums. `rnn`
//! runs one layer with tanh and one with ReLU; `rnn_bwd` goes back through the time steps of one with tanh
//! (gradient of the sums, then of input and previous state), and sums the gradients of weights and biases in
//! the end.

use half::f16;

use super::gemm::{halves, product, singles, transpose, GemmShape, Tile};
use super::{counted, expect_close, Benchmark, Size, Tolerance};
use crate::device::{Argument, Device};
use crate::error::Result;
use crate::listing::Module;
use crate::pointer::Pointer;

pub(super) const RNN: Benchmark = Benchmark {
    name: "rnn",
    stands_for: "DeepBench rnn",
    about: "vanilla RNN with tanh and with ReLU, forward (tensor cores)",
    size: |size| Layer::rnn(size).in_words(),
    run: run_rnn,
};

pub(super) const LSTM: Benchmark = Benchmark {
    name: "lstm",
    stands_for: "DeepBench rnn",
    about: "LSTM, forward (tensor cores)",
    size: |size| Layer::lstm(size).in_words(),
    run: run_lstm,
};

pub(super) const RNN_BWD: Benchmark = Benchmark {
    name: "rnn_bwd",
    stands_for: "DeepBench rnn",
    about: "vanilla RNN, gradients through time (tensor cores)",
    size: |size| Layer::rnn(size).in_words(),
    run: run_rnn_gradients,
};

/// States are rounded to half precision in every step, and sums that differ in their last bit, because they
/// were added in another order, may round to neighbouring halves, 2^-11 apart: a few of these per sum.
const ROUNDING: Tolerance = Tolerance { relative: 0.002, absolute: 0.002 };

/// Threads of a thread block of the kernels that follow a product.
const BLOCK: usize = 128;

/// A layer of recurrent units, and the sequences it runs over.
#[derive(Clone, Copy)]
struct Layer {
    batch: usize,
    steps: usize,
    inputs: usize,
    hidden: usize,
    /// Sums per hidden unit: 1, or an LSTM's 4.
    gates: usize,
}

impl Layer {
    fn rnn(size: Size) -> Layer {
        let [batch, steps, inputs, hidden] =
            size.pick([24, 4, 56, 136], [64, 8, 512, 512], [128, 12, 1024, 1024]);
        Layer { batch, steps, inputs, hidden, gates: 1 }
    }

    fn lstm(size: Size) -> Layer {
        let [batch, steps, inputs, hidden] =
            size.pick([24, 4, 40, 72], [64, 8, 256, 256], [128, 20, 512, 512]);
        Layer { batch, steps, inputs, hidden, gates: 4 }
    }

    fn in_words(self) -> String {
        counted(self.hidden, "hidden unit")
    }

    /// Length of a row of input and state.
    fn joined(self) -> usize {
        self.inputs + self.hidden
    }

    /// Rows of input and state of one time step, in values.
    fn step(self) -> usize {
        self.batch * self.joined()
    }

    fn sums(self) -> usize {
        self.gates * self.hidden
    }

    /// The product of every time step.
    fn product(self) -> GemmShape {
        GemmShape::new(self.batch, self.sums(), self.joined())
    }
}

const PRODUCT: Tile = Tile::new("recurrent_product", [64, 64, 32], [32, 32]);
const DATA_GRADIENT: Tile = Tile::new("recurrent_data_gradient", [64, 64, 32], [32, 32]);
const WEIGHT_GRADIENT: Tile = Tile::new("recurrent_weight_gradient", [64, 64, 32], [32, 32]);

/// The values that a layer computes with.
struct Parameters {
    /// Sums x input and state.
    weights: Vec<f16>,
    bias: Vec<f32>,
    /// For every time step and one more, a row of input and state per sequence. Only the first states are
    /// set.
    joined: Vec<f16>,
}

impl Parameters {
    fn random(layer: Layer, random: &mut fastrand::Rng) -> Parameters {
        let mut uniform = |limit: f32| limit * (2.0 * random.f32() - 1.0);
        // Sums then are about as large as what they are made of.
        let limit = (3.0 / layer.joined() as f32).sqrt();
        let weights = (0..layer.sums() * layer.joined()).map(|_| f16::from_f32(uniform(limit))).collect();
        let bias = (0..layer.sums()).map(|_| uniform(0.5)).collect();
        let mut joined: Vec<f16> =
            (0..(layer.steps + 1) * layer.step()).map(|_| f16::from_f32(uniform(1.0))).collect();
        for row in joined[layer.step()..].chunks_exact_mut(layer.joined()) {
            row[layer.inputs..].fill(f16::ZERO);
        }
        Parameters { weights, bias, joined }
    }

    /// `joined` with all states, which `cell` makes of the sums of a time step.
    fn states(&self, layer: Layer, mut cell: impl FnMut(&[f32]) -> Vec<f32>) -> Vec<f16> {
        let weights = transpose(&singles(&self.weights), layer.joined());
        let mut joined = self.joined.clone();
        for step in 0..layer.steps {
            let (now, next) = joined[step * layer.step()..][..2 * layer.step()].split_at_mut(layer.step());
            let mut sums = product(layer.product(), &singles(now), &weights);
            for sums in sums.chunks_exact_mut(layer.sums()) {
                sums.iter_mut().zip(&self.bias).for_each(|(sum, bias)| *sum += bias);
            }
            let states = halves(&cell(&sums));
            for (row, states) in next.chunks_exact_mut(layer.joined()).zip(states.chunks_exact(layer.hidden))
            {
                row[layer.inputs..].copy_from_slice(states);
            }
        }
        joined
    }
}

fn run_rnn(device: &mut Device, size: Size) -> Result<()> {
    run_activation(device, size, "rnn_tanh", f32::tanh)?;
    run_activation(device, size, "rnn_relu", |sum| sum.max(0.0))
}

fn run_activation(
    device: &mut Device,
    size: Size,
    kernel: &str,
    activation: impl Fn(f32) -> f32,
) -> Result<()> {
    let layer = Layer::rnn(size);
    let parameters = Parameters::random(layer, &mut fastrand::Rng::with_seed(5));
    let joined = run_forward(device, layer, &parameters, kernel, None)?;
    let expected = parameters.states(layer, |sums| sums.iter().map(|&sum| activation(sum)).collect());
    expect_close(kernel, &joined, &expected, ROUNDING)
}

fn run_lstm(device: &mut Device, size: Size) -> Result<()> {
    let layer = Layer::lstm(size);
    let parameters = Parameters::random(layer, &mut fastrand::Rng::with_seed(6));
    let mut cells = vec![0.0f32; layer.batch * layer.hidden];
    let device_cells = device.upload(&cells);
    let joined = run_forward(device, layer, &parameters, "lstm_cell", Some(device_cells))?;

    let sigmoid = |sum: f32| 1.0 / (1.0 + (-sum).exp());
    let expected = parameters.states(layer, |sums| {
        let mut states = Vec::with_capacity(cells.len());
        for (sums, cells) in sums.chunks_exact(layer.sums()).zip(cells.chunks_exact_mut(layer.hidden)) {
            for (unit, cell) in cells.iter_mut().enumerate() {
                let [input, forget, candidate, output] =
                    [0, 1, 2, 3].map(|gate| sums[gate * layer.hidden + unit]);
                *cell = sigmoid(forget) * *cell + sigmoid(input) * candidate.tanh();
                states.push(sigmoid(output) * cell.tanh());
            }
        }
        states
    });
    expect_close("states", &joined, &expected, ROUNDING)?;
    expect_close("cells", &device.read(device_cells, cells.len())?, &cells, ROUNDING)
}

/// Runs the time steps, and returns the rows of input and state. `kernel` makes the states of the sums; it
/// has memory of its own in `cells`, if given.
fn run_forward(
    device: &mut Device,
    layer: Layer,
    parameters: &Parameters,
    kernel: &str,
    cells: Option<Pointer>,
) -> Result<Vec<f16>> {
    let module = module()?;
    let weights = device.upload(&parameters.weights);
    let bias = device.upload(&parameters.bias);
    let joined = device.upload(&parameters.joined);
    let sums = device.allocate((layer.batch * layer.sums() * 4) as u64);
    for step in 0..layer.steps {
        let [now, next] = [step, step + 1].map(|step| joined.offset((step * layer.step() * 2) as u64));
        PRODUCT.launch(device, &module, layer.product(), [now, weights, sums])?;
        let pointers: Vec<Pointer> = [sums, bias].into_iter().chain(cells).chain([next]).collect();
        launch_units(device, &module, kernel, layer, &pointers)?;
    }
    device.read(joined, parameters.joined.len())
}

fn run_rnn_gradients(device: &mut Device, size: Size) -> Result<()> {
    let layer = Layer::rnn(size);
    let (states, rows) = (layer.batch * layer.hidden, layer.steps * layer.batch);
    let mut random = fastrand::Rng::with_seed(7);
    let parameters = Parameters::random(layer, &mut random);
    let joined = parameters.states(layer, |sums| sums.iter().map(|sum| sum.tanh()).collect());
    let upstream: Vec<f16> =
        (0..layer.steps * states).map(|_| f16::from_f32(2.0 * random.f32() - 1.0)).collect();

    let module = module()?;
    let weights = device.upload(&parameters.weights);
    let device_joined = device.upload(&joined);
    let device_upstream = device.upload(&upstream);
    let gradients = device.allocate((layer.steps * states * 2) as u64);
    // After the last time step comes no other: zeros.
    let joined_gradients = device.upload(&vec![0.0f32; (layer.steps + 1) * layer.step()]);
    for step in (0..layer.steps).rev() {
        let [now, later] =
            [step, step + 1].map(|step| joined_gradients.offset((step * layer.step() * 4) as u64));
        let state = device_joined.offset(((step + 1) * layer.step() * 2) as u64);
        let [upstream, gradient] =
            [device_upstream, gradients].map(|pointer| pointer.offset((step * states * 2) as u64));
        launch_units(device, &module, "rnn_tanh_gradient", layer, &[upstream, later, state, gradient])?;
        let shape = GemmShape::new(layer.batch, layer.joined(), layer.hidden);
        DATA_GRADIENT.launch(device, &module, shape, [gradient, weights, now])?;
    }
    let weight_shape = GemmShape::new(layer.hidden, layer.joined(), rows);
    let weight_gradient: Vec<f32> =
        WEIGHT_GRADIENT.multiply(device, &module, weight_shape, [gradients, device_joined])?;
    let bias_gradient = device.allocate((layer.hidden * 4) as u64);
    let arguments =
        [gradients.into(), bias_gradient.into(), (rows as i32).into(), (layer.hidden as i32).into()];
    let grid = layer.hidden.div_ceil(BLOCK) as u32;
    device.launch(&module, "rnn_bias_gradient", grid, BLOCK as u32, 0, &arguments)?;

    let expected = Gradients::new(layer, &parameters, &singles(&joined), &singles(&upstream));
    let steps = layer.steps * layer.step();
    expect_close(
        "gradients of inputs and states",
        &device.read(joined_gradients, steps)?,
        &expected.joined,
        ROUNDING,
    )?;
    // Of the rows that these are sums of, each may have been rounded otherwise, up or down.
    let summed = Tolerance { absolute: ROUNDING.absolute * (rows as f64).sqrt() / 2.0, ..ROUNDING };
    expect_close("weight gradient", &weight_gradient, &expected.weights, summed)?;
    expect_close("bias gradient", &device.read(bias_gradient, layer.hidden)?, &expected.bias, summed)
}

/// The gradients of a layer with tanh.
struct Gradients {
    /// Inputs and states, for every time step.
    joined: Vec<f32>,
    weights: Vec<f32>,
    bias: Vec<f32>,
}

impl Gradients {
    /// Goes back through time, given the gradient of every time step's states from the layer above.
    fn new(layer: Layer, parameters: &Parameters, joined: &[f32], upstream: &[f32]) -> Gradients {
        let (states, rows) = (layer.batch * layer.hidden, layer.steps * layer.batch);
        let weights = singles(&parameters.weights);
        // Of the sums.
        let mut sums = vec![0.0; layer.steps * states];
        let mut joined_gradients = vec![0.0; (layer.steps + 1) * layer.step()];
        for step in (0..layer.steps).rev() {
            let (now, later) = joined_gradients[step * layer.step()..].split_at_mut(layer.step());
            let sums = &mut sums[step * states..][..states];
            for (index, sum) in sums.iter_mut().enumerate() {
                let place = index / layer.hidden * layer.joined() + layer.inputs + index % layer.hidden;
                let state = joined[(step + 1) * layer.step() + place];
                let gradient = (upstream[step * states + index] + later[place]) * (1.0 - state * state);
                *sum = f16::from_f32(gradient).to_f32();
            }
            now.copy_from_slice(&product(
                GemmShape::new(layer.batch, layer.joined(), layer.hidden),
                sums,
                &weights,
            ));
        }
        joined_gradients.truncate(layer.steps * layer.step());

        let by_unit = transpose(&sums, layer.hidden);
        Gradients {
            joined: joined_gradients,
            weights: product(
                GemmShape::new(layer.hidden, layer.joined(), rows),
                &by_unit,
                &joined[..rows * layer.joined()],
            ),
            bias: by_unit.chunks_exact(rows).map(|gradients| gradients.iter().sum()).collect(),
        }
    }
}

/// Launches a kernel with a thread per sequence and hidden unit.
fn launch_units(
    device: &mut Device,
    module: &Module,
    kernel: &str,
    layer: Layer,
    pointers: &[Pointer],
) -> Result<()> {
    let sizes = [layer.batch, layer.hidden, layer.inputs].map(|size| Argument::from(size as i32));
    let arguments: Vec<Argument> = pointers.iter().map(|&pointer| pointer.into()).chain(sizes).collect();
    let grid = (layer.batch * layer.hidden).div_ceil(BLOCK) as u32;
    device.launch(module, kernel, grid, BLOCK as u32, 0, &arguments)
}

fn module() -> Result<Module> {
    Module::parse("rnn.sass", include_str!("../../kernels/rnn.sass"))
}
