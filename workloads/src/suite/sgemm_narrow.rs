// SPDX-License-Identifier: Apache-2.0
//! An FP32 matrix product that takes at most 63 registers a thread, which is what FineReg can count: R's
//! SGEMM.
//!
//! `C = β C + α A B`.

use super::{expect_close, extent, Benchmark, Size, Tolerance};
use crate::{Device, Module, Result};

pub(super) const SGEMM_NARROW: Benchmark = Benchmark {
    name: "sgemm_narrow",
    stands_for: "SGEMM, SG",
    about: "FP32 product with 16 sums and at most 63 registers a thread",
    size: |size| extent(shape(size)),
    run,
};

/// Rows and columns of a block.
const TILE: (usize, usize) = (128, 16);
const THREADS: u32 = 128;
const ALPHA: f32 = 1.25;
const BETA: f32 = 0.5;

/// Rows, columns and depth of the product.
fn shape(size: Size) -> [usize; 3] {
    size.pick([256, 64, 32], [1024, 512, 64], [2048, 1024, 160])
}

fn run(device: &mut Device, size: Size) -> Result<()> {
    let [rows, columns, depth] = shape(size);
    let mut random = fastrand::Rng::with_seed(13);
    let mut values = |count: usize| -> Vec<f32> { (0..count).map(|_| random.f32()).collect() };
    // A lies column by column.
    let (a, b, c) = (values(rows * depth), values(depth * columns), values(rows * columns));

    let module = Module::parse("sgemm_narrow.sass", include_str!("../../kernels/sgemm_narrow.sass"))?;
    let [device_a, device_b, device_c] = [&a, &b, &c].map(|matrix| device.upload(matrix));
    let arguments = [
        device_a.into(),
        device_b.into(),
        device_c.into(),
        (rows as i32).into(),
        (columns as i32).into(),
        (depth as i32).into(),
        ALPHA.into(),
        BETA.into(),
    ];
    let grid = ((columns / TILE.1) as u32, (rows / TILE.0) as u32);
    device.launch(&module, "sgemm_narrow", grid, THREADS, 0, &arguments)?;

    let mut expected: Vec<f64> = c.iter().map(|&c| f64::from(BETA) * f64::from(c)).collect();
    for (a_column, b_row) in a.chunks(rows).zip(b.chunks(columns)) {
        for (sums, &a) in expected.chunks_mut(columns).zip(a_column) {
            for (sum, &b) in sums.iter_mut().zip(b_row) {
                *sum += f64::from(ALPHA) * f64::from(a) * f64::from(b);
            }
        }
    }
    let actual: Vec<f64> = device.read::<f32>(device_c, rows * columns)?.into_iter().map(f64::from).collect();
    // Nothing is negative: up to 160 products, rounded at each step.
    expect_close("c", &actual, &expected, Tolerance { relative: 1e-5, absolute: 0.0 })
}
