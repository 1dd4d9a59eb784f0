// SPDX-License-Identifier: Apache-2.0
//! srad v1: speckle-reducing anisotropic diffusion of an image.
//!
//! A random image, of the benchmark's own extent at large size. `extract` takes it from logarithmic to
//! linear scale; each iteration sums the image and its square (`prepare`, `reduce` until one value is
//! left), reads the sums back for the speckle's coefficient of variation, and diffuses (`srad`, `srad2`);
//! `compress` goes back to logarithmic scale. The reference does the same pixel by pixel, with sums in
//! double precision.

use super::{expect_close, extent, Benchmark, Size, Tolerance};
use crate::{Argument, Device, Module, Result};

pub(super) const SRAD_V1: Benchmark = Benchmark {
    name: "srad_v1",
    stands_for: "Rodinia srad_v1",
    about: "speckle-reducing anisotropic diffusion of an image",
    size: |size| extent(input(size).0),
    run,
};

/// Threads of a block.
const THREADS: usize = 512;
/// How far each iteration goes.
const RATE: f32 = 0.5;

/// Rows and columns of the image, and iterations.
fn input(size: Size) -> ([usize; 2], usize) {
    size.pick(([60, 50], 2), ([160, 150], 6), ([502, 458], 10))
}

fn run(device: &mut Device, size: Size) -> Result<()> {
    let module = Module::parse("srad_v1.sass", include_str!("../../kernels/srad_v1.sass"))?;
    let ([rows, columns], iterations) = input(size);
    let pixels = rows * columns;
    let mut random = fastrand::Rng::with_seed(2);
    let input: Vec<f32> = (0..pixels).map(|_| f32::from(random.u8(..))).collect();

    let image = device.upload(&input);
    let above = device.upload(&before(rows));
    let below = device.upload(&after(rows));
    let left = device.upload(&before(columns));
    let right = device.upload(&after(columns));
    let [north, south, west, east, coefficients, sums, square_sums] =
        [(); 7].map(|()| device.allocate(4 * pixels as u64));

    // All kernels take a thread per value.
    let launch = |device: &mut Device, kernel, threads: usize, arguments: &[_]| {
        device.launch(&module, kernel, threads.div_ceil(THREADS) as u32, THREADS as u32, 0, arguments)
    };
    let integer = |value: usize| Argument::from(value as i32);

    launch(device, "extract", pixels, &[integer(pixels), image.into()])?;
    for _ in 0..iterations {
        let arguments = [integer(pixels), image.into(), sums.into(), square_sums.into()];
        launch(device, "prepare", pixels, &arguments)?;
        let (mut count, mut stride) = (pixels, 1);
        while count > 1 {
            let arguments = [integer(count), integer(stride), sums.into(), square_sums.into()];
            launch(device, "reduce", count, &arguments)?;
            count = count.div_ceil(THREADS);
            stride *= THREADS;
        }
        let sum = device.read::<f32>(sums, 1)?[0];
        let square_sum = device.read::<f32>(square_sums, 1)?[0];
        let speckle = variation(f64::from(sum), f64::from(square_sum), pixels);

        launch(
            device,
            "srad",
            pixels,
            &[
                integer(rows),
                integer(pixels),
                above.into(),
                below.into(),
                left.into(),
                right.into(),
                north.into(),
                south.into(),
                west.into(),
                east.into(),
                speckle.into(),
                coefficients.into(),
                image.into(),
            ],
        )?;
        launch(
            device,
            "srad2",
            pixels,
            &[
                RATE.into(),
                integer(rows),
                integer(pixels),
                below.into(),
                right.into(),
                north.into(),
                south.into(),
                west.into(),
                east.into(),
                coefficients.into(),
                image.into(),
            ],
        )?;
    }
    launch(device, "compress", pixels, &[integer(pixels), image.into()])?;

    // The device's exponential, logarithm and quotients are good to a few units in the last place of
    // values near 1, which the logarithmic scale multiplies by 255; its sums round in another order.
    let tolerance = Tolerance { relative: 1e-5, absolute: 5e-4 };
    let actual: Vec<f32> = device.read(image, pixels)?;
    expect_close("image", &actual, &diffused(&input, rows, columns, iterations), tolerance)
}

/// For every row or column the one before it; the first repeats.
fn before(count: usize) -> Vec<i32> {
    (0..count as i32).map(|i| (i - 1).max(0)).collect()
}

/// For every row or column the one after it; the last repeats.
fn after(count: usize) -> Vec<i32> {
    (0..count as i32).map(|i| (i + 1).min(count as i32 - 1)).collect()
}

/// The squared coefficient of variation of an image of so many pixels, from its sum and that of its
/// squares.
pub(super) fn variation(sum: f64, square_sum: f64, pixels: usize) -> f32 {
    let mean = sum / pixels as f64;
    let variance = square_sum / pixels as f64 - mean * mean;
    (variance / (mean * mean)) as f32
}

/// The image after so many iterations. Pixels lie column by column.
fn diffused(image: &[f32], rows: usize, columns: usize, iterations: usize) -> Vec<f32> {
    let mut image: Vec<f32> = image.iter().map(|pixel| (pixel / 255.0).exp()).collect();
    for _ in 0..iterations {
        let sum = image.iter().map(|&pixel| f64::from(pixel)).sum();
        let square_sum = image.iter().map(|&pixel| f64::from(pixel).powi(2)).sum();
        let speckle = variation(sum, square_sum, image.len());
        diffuse(&mut image, rows, columns, speckle, RATE);
    }
    image.iter().map(|pixel| pixel.ln() * 255.0).collect()
}

/// One iteration on a linear scale. Pixels lie column by column.
pub(super) fn diffuse(image: &mut [f32], rows: usize, columns: usize, speckle: f32, rate: f32) {
    let at = |row: usize, column: usize| column * rows + row;
    // North, south, west, east.
    let mut derivatives = vec![[0.0f32; 4]; image.len()];
    let mut coefficients = vec![0.0f32; image.len()];
    for column in 0..columns {
        for row in 0..rows {
            let centre = image[at(row, column)];
            let around = [
                image[at(row.saturating_sub(1), column)],
                image[at((row + 1).min(rows - 1), column)],
                image[at(row, column.saturating_sub(1))],
                image[at(row, (column + 1).min(columns - 1))],
            ];
            let to = around.map(|pixel| pixel - centre);
            let gradient = to.iter().map(|slope| slope * slope).sum::<f32>() / (centre * centre);
            let laplacian = to.iter().sum::<f32>() / centre;
            let numerator = 0.5 * gradient - laplacian * laplacian / 16.0;
            let variation = numerator / (1.0 + 0.25 * laplacian).powi(2);
            let excess = (variation - speckle) / (speckle * (1.0 + speckle));
            derivatives[at(row, column)] = to;
            coefficients[at(row, column)] = (1.0 / (1.0 + excess)).clamp(0.0, 1.0);
        }
    }
    for column in 0..columns {
        for row in 0..rows {
            let [north, south, west, east] = derivatives[at(row, column)];
            let here = coefficients[at(row, column)];
            let at_south = coefficients[at((row + 1).min(rows - 1), column)];
            let at_east = coefficients[at(row, (column + 1).min(columns - 1))];
            let divergence = here * north + at_south * south + here * west + at_east * east;
            image[at(row, column)] += 0.25 * rate * divergence;
        }
    }
}
