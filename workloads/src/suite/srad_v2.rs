// SPDX-License-Identifier: Apache-2.0
//! Rodinia's srad_v2: speckle-reducing anisotropic diffusion of an image, in tiles of 16 × 16 pixels.
//!
//! Before each iteration of a random image the host reads it and takes the speckle's coefficient of variation
//! from a part of it. The benchmark's kernels read beside the image at its edges and do not use it; these do
//! not. The reference is that of [`srad_v1`](super::srad_v1), which diffuses alike.

use super::srad_v1::{diffuse, variation};
use super::{expect_close, extent, Benchmark, Size, Tolerance};
use crate::{Device, Module, Result};

pub(super) const SRAD_V2: Benchmark = Benchmark {
    name: "srad_v2",
    stands_for: "Rodinia, SR",
    about: "speckle-reducing anisotropic diffusion of an image, in tiles",
    size: |size| extent(input(size).0),
    run,
};

const TILE: u32 = 16;
const RATE: f32 = 0.5;

/// Columns and rows of the image, and iterations.
fn input(size: Size) -> ([usize; 2], usize) {
    size.pick(([64, 48], 2), ([256, 256], 4), ([1024, 768], 8))
}

fn run(device: &mut Device, size: Size) -> Result<()> {
    let ([columns, rows], iterations) = input(size);
    let pixels = columns * rows;
    let mut random = fastrand::Rng::with_seed(14);
    let input: Vec<f32> = (0..pixels).map(|_| random.f32().exp()).collect();

    let module = Module::parse("srad_v2.sass", include_str!("../../kernels/srad_v2.sass"))?;
    let image = device.upload(&input);
    let [east, west, north, south, coefficients] = [(); 5].map(|()| device.allocate(4 * pixels as u64));
    let slopes = [east, west, north, south].map(Into::into);
    let extent = [(columns as i32).into(), (rows as i32).into()];
    let grid = (columns as u32 / TILE, rows as u32 / TILE);
    let mut expected = input;
    // In the reference, pixels lie column by column: it has the image transposed, and diffusion treats both
    // alike.
    let (reference_rows, reference_columns) = (columns, rows);
    for _ in 0..iterations {
        let now = device.read::<f32>(image, pixels)?;
        let arguments =
            [&slopes[..], &[image.into(), coefficients.into()], &extent, &[speckle(&now, columns).into()]];
        device.launch(&module, "srad_coefficients", grid, (TILE, TILE), 0, &arguments.concat())?;
        let arguments = [&slopes[..], &[image.into(), coefficients.into()], &extent, &[RATE.into()]];
        device.launch(&module, "srad_diffuse", grid, (TILE, TILE), 0, &arguments.concat())?;

        let speckle = speckle(&expected, columns);
        diffuse(&mut expected, reference_rows, reference_columns, speckle, RATE);
    }

    // A few units in the last place of each quotient.
    let tolerance = Tolerance { relative: 1e-5, absolute: 0.0 };
    expect_close("image", &device.read::<f32>(image, pixels)?, &expected, tolerance)
}

/// The squared coefficient of variation in the upper left quarter, which stands for a part without features.
fn speckle(image: &[f32], columns: usize) -> f32 {
    let rows = image.len() / columns;
    let part = image.chunks(columns).take(rows / 2).flat_map(|row| &row[..columns / 2]);
    let (sum, square_sum) = part.fold((0.0, 0.0), |(sum, squares), &pixel| {
        (sum + f64::from(pixel), squares + f64::from(pixel).powi(2))
    });
    variation(sum, square_sum, (rows / 2) * (columns / 2))
}
