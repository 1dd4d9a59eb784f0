// SPDX-License-Identifier: Apache-2.0
//! Convolution by 3 x 3 filters on the tensor cores (stride 1, zero padding 1), as implicit matrix products.
//!
//! Forward, data gradient and weight gradient in half precision with FP32 sums, the same with half-precision
//! sums (`_f16`), and forward on signed bytes; each one launch. Images are laid out image, row, column,
//! channel, filters filter, tap, channel (a tap is one of a filter's nine places).

use std::ops::{AddAssign, Mul};

use bytemuck::{AnyBitPattern, NoUninit};
use half::f16;

use super::gemm::{add_scaled, halves, signs, sixteenths, transpose};
use super::{counted, expect_equal, extent, Benchmark, Size};
use crate::device::{Argument, Device};
use crate::error::Result;
use crate::listing::Module;
use crate::pointer::Pointer;

pub(super) const CONV_FWD: Benchmark = Benchmark {
    name: "conv_fwd",
    stands_for: "DeepBench conv",
    about: "3 × 3 convolution in half precision (tensor cores)",
    size: Convolution::in_words,
    run: |device, size| run_forward(device, size, "conv_fwd", sixteenths),
};

pub(super) const CONV_DGRAD: Benchmark = Benchmark {
    name: "conv_dgrad",
    stands_for: "DeepBench conv",
    about: "3 × 3 convolution in half precision, data gradient (tensor cores)",
    size: Convolution::in_words,
    run: |device, size| run_data_gradient(device, size, "conv_dgrad", sixteenths),
};

pub(super) const CONV_WGRAD: Benchmark = Benchmark {
    name: "conv_wgrad",
    stands_for: "DeepBench conv",
    about: "3 × 3 convolution in half precision, weight gradient (tensor cores)",
    size: Convolution::in_words,
    run: run_weight_gradient,
};

pub(super) const CONV_FWD_F16: Benchmark = Benchmark {
    name: "conv_fwd_f16",
    stands_for: "DeepBench conv",
    about: "the same as conv_fwd with half-precision sums",
    size: Convolution::in_words,
    run: |device, size| run_forward(device, size, "conv_fwd_f16", signs),
};

pub(super) const CONV_DGRAD_F16: Benchmark = Benchmark {
    name: "conv_dgrad_f16",
    stands_for: "DeepBench conv",
    about: "the same as conv_dgrad with half-precision sums",
    size: Convolution::in_words,
    run: |device, size| run_data_gradient(device, size, "conv_dgrad_f16", signs),
};

pub(super) const CONV_WGRAD_F16: Benchmark = Benchmark {
    name: "conv_wgrad_f16",
    stands_for: "DeepBench conv",
    about: "the same as conv_wgrad with half-precision sums",
    size: Convolution::in_words,
    run: run_weight_gradient_f16,
};

pub(super) const CONV_INT8: Benchmark = Benchmark {
    name: "conv_int8",
    stands_for: "DeepBench conv",
    about: "3 × 3 convolution on signed bytes (tensor cores)",
    size: Convolution::in_words,
    run: run_bytes,
};

/// Places of a filter.
const TAPS: usize = 9;

#[derive(Clone, Copy)]
struct Convolution {
    images: usize,
    height: usize,
    width: usize,
    channels: usize,
    filters: usize,
}

impl Convolution {
    fn new(size: Size) -> Convolution {
        let [images, height, width, channels, filters] =
            size.pick([2, 14, 13, 32, 96], [4, 28, 28, 128, 128], [16, 28, 28, 256, 256]);
        Convolution { images, height, width, channels, filters }
    }

    fn in_words(size: Size) -> String {
        let Convolution { images, height, width, .. } = Convolution::new(size);
        format!("{} of {}", counted(images, "image"), extent([height, width]))
    }

    fn pixels(self) -> usize {
        self.images * self.height * self.width
    }

    fn weights(self) -> usize {
        self.filters * TAPS * self.channels
    }

    /// The neighbour of a pixel at a tap, unless it lies outside the image.
    fn neighbour(self, pixel: usize, tap: usize) -> Option<usize> {
        let (row, column) = (pixel / self.width % self.height, pixel % self.width);
        let (down, right) = (tap / 3, tap % 3);
        let inside =
            (1..=self.height).contains(&(row + down)) && (1..=self.width).contains(&(column + right));
        inside.then(|| pixel + down * self.width + right - self.width - 1)
    }

    /// Calls `visit` with every tap, pixel, and neighbour of the pixel at the tap.
    fn for_each_neighbour(self, mut visit: impl FnMut(usize, usize, usize)) {
        for tap in 0..TAPS {
            for pixel in 0..self.pixels() {
                if let Some(neighbour) = self.neighbour(pixel, tap) {
                    visit(tap, pixel, neighbour);
                }
            }
        }
    }

    /// Pixels x filters.
    fn forward<T>(self, image: &[T], weights: &[T]) -> Vec<T>
    where
        T: Copy + Default + AddAssign + Mul<Output = T>,
    {
        let mut outputs = vec![T::default(); self.pixels() * self.filters];
        let weights = transpose(weights, TAPS * self.channels);
        self.for_each_neighbour(|tap, pixel, neighbour| {
            for channel in 0..self.channels {
                let weights = row(&weights, tap * self.channels + channel, self.filters);
                let outputs = &mut outputs[pixel * self.filters..][..self.filters];
                add_scaled(outputs, image[neighbour * self.channels + channel], weights);
            }
        });
        outputs
    }

    /// Gradient of the image: every output's goes back to the neighbours that it was made of.
    fn data_gradient(self, outputs: &[f32], weights: &[f32]) -> Vec<f32> {
        let mut image = vec![0.0; self.pixels() * self.channels];
        self.for_each_neighbour(|tap, pixel, neighbour| {
            for filter in 0..self.filters {
                let weights = row(weights, filter * TAPS + tap, self.channels);
                let image = &mut image[neighbour * self.channels..][..self.channels];
                add_scaled(image, outputs[pixel * self.filters + filter], weights);
            }
        });
        image
    }

    /// Gradient of the filters: every output's times the neighbours that it was made of.
    fn weight_gradient(self, outputs: &[f32], image: &[f32]) -> Vec<f32> {
        let mut weights = vec![0.0; self.weights()];
        self.for_each_neighbour(|tap, pixel, neighbour| {
            for filter in 0..self.filters {
                let weights = &mut weights[(filter * TAPS + tap) * self.channels..][..self.channels];
                let image = row(image, neighbour, self.channels);
                add_scaled(weights, outputs[pixel * self.filters + filter], image);
            }
        });
        weights
    }

    /// Launches a kernel whose product is `rows` x `columns`, four warps per 128 x 64 of it.
    fn launch(
        self,
        device: &mut Device,
        kernel: &str,
        [rows, columns]: [usize; 2],
        pointers: [Pointer; 3],
    ) -> Result<()> {
        let module = Module::parse("conv.sass", include_str!("../../kernels/conv.sass"))?;
        let grid = (columns.div_ceil(64) as u32, rows.div_ceil(128) as u32);
        let sizes = [self.images, self.height, self.width, self.channels, self.filters];
        let mut arguments = pointers.map(Argument::from).to_vec();
        arguments.extend(sizes.map(|size| Argument::from(size as i32)));
        device.launch(&module, kernel, grid, 128, 0, &arguments)
    }
}

fn row<T>(matrix: &[T], row: usize, columns: usize) -> &[T] {
    &matrix[row * columns..][..columns]
}

/// How factors are drawn, so that sums are exact.
type Values = fn(&mut fastrand::Rng, usize) -> Vec<f32>;

fn run_forward(device: &mut Device, size: Size, kernel: &str, values: Values) -> Result<()> {
    let convolution = Convolution::new(size);
    let (pixels, filters) = (convolution.pixels(), convolution.filters);
    let mut random = fastrand::Rng::with_seed(1);
    let image = values(&mut random, pixels * convolution.channels);
    let weights = values(&mut random, convolution.weights());

    let outputs = device.allocate((pixels * filters * 2) as u64);
    let pointers = [device.upload(&halves(&image)), device.upload(&halves(&weights)), outputs];
    convolution.launch(device, kernel, [pixels, filters], pointers)?;
    let expected = halves(&convolution.forward(&image, &weights));
    expect_equal("outputs", &device.read(outputs, pixels * filters)?, &expected)
}

fn run_data_gradient(device: &mut Device, size: Size, kernel: &str, values: Values) -> Result<()> {
    let convolution = Convolution::new(size);
    let (pixels, channels) = (convolution.pixels(), convolution.channels);
    let mut random = fastrand::Rng::with_seed(2);
    let outputs = values(&mut random, pixels * convolution.filters);
    let weights = values(&mut random, convolution.weights());

    let image = device.allocate((pixels * channels * 2) as u64);
    let pointers = [device.upload(&halves(&outputs)), device.upload(&halves(&weights)), image];
    convolution.launch(device, kernel, [pixels, channels], pointers)?;
    let expected = halves(&convolution.data_gradient(&outputs, &weights));
    expect_equal("image gradient", &device.read(image, pixels * channels)?, &expected)
}

fn run_weight_gradient(device: &mut Device, size: Size) -> Result<()> {
    let (found, expected) = weight_gradient::<f32>(device, size, "conv_wgrad", sixteenths)?;
    expect_equal("filter gradient", &found, &expected)
}

fn run_weight_gradient_f16(device: &mut Device, size: Size) -> Result<()> {
    let (found, expected) = weight_gradient::<f16>(device, size, "conv_wgrad_f16", signs)?;
    expect_equal("filter gradient", &found, &halves(&expected))
}

/// The kernel's results, and the right ones.
fn weight_gradient<T: AnyBitPattern + NoUninit>(
    device: &mut Device,
    size: Size,
    kernel: &str,
    values: Values,
) -> Result<(Vec<T>, Vec<f32>)> {
    let convolution = Convolution::new(size);
    let pixels = convolution.pixels();
    let mut random = fastrand::Rng::with_seed(3);
    let outputs = values(&mut random, pixels * convolution.filters);
    let image = values(&mut random, pixels * convolution.channels);

    let weights = device.allocate((convolution.weights() * size_of::<T>()) as u64);
    let pointers = [device.upload(&halves(&outputs)), device.upload(&halves(&image)), weights];
    let product = [convolution.filters, TAPS * convolution.channels];
    convolution.launch(device, kernel, product, pointers)?;
    let expected = convolution.weight_gradient(&outputs, &image);
    Ok((device.read(weights, convolution.weights())?, expected))
}

fn run_bytes(device: &mut Device, size: Size) -> Result<()> {
    let mut convolution = Convolution::new(size);
    // A step of the kernel is 64 channels of bytes.
    convolution.channels = convolution.channels.max(64);
    let (pixels, filters) = (convolution.pixels(), convolution.filters);
    let mut random = fastrand::Rng::with_seed(4);
    let image: Vec<i8> = (0..pixels * convolution.channels).map(|_| random.i8(..)).collect();
    let weights: Vec<i8> = (0..convolution.weights()).map(|_| random.i8(..)).collect();

    let outputs = device.allocate((pixels * filters * 4) as u64);
    let pointers = [device.upload(&image), device.upload(&weights), outputs];
    convolution.launch(device, "conv_int8", [pixels, filters], pointers)?;
    let widen = |values: &[i8]| values.iter().map(|&value| i32::from(value)).collect::<Vec<i32>>();
    let expected = convolution.forward(&widen(&image), &widen(&weights));
    expect_equal("outputs", &device.read(outputs, pixels * filters)?, &expected)
}
