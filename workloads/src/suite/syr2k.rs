// SPDX-License-Identifier: Apache-2.0
//! PolyBench's SYR2K: `C = β C + α (A Bᵀ + B Aᵀ)`, a thread per element of C.
//!
//! The reference sums in double precision.

use super::{expect_close, extent, Benchmark, Size, Tolerance};
use crate::{Device, Module, Result};

pub(super) const SYR2K: Benchmark = Benchmark {
    name: "syr2k",
    stands_for: "PolyBench, SY2",
    about: "a symmetric update of rank 2k, a thread per element",
    size: |size| {
        let (side, depth) = input(size);
        format!("{}, depth {depth}", extent([side; 2]))
    },
    run,
};

const BLOCK: (u32, u32) = (32, 8);
const ALPHA: f32 = 1.5;
const BETA: f32 = 0.75;

/// Rows of C, and columns of A and B.
fn input(size: Size) -> (usize, usize) {
    size.pick((64, 24), (256, 48), (512, 128))
}

fn run(device: &mut Device, size: Size) -> Result<()> {
    let (side, depth) = input(size);
    let mut random = fastrand::Rng::with_seed(12);
    let mut values = |count: usize| -> Vec<f32> { (0..count).map(|_| random.f32()).collect() };
    let (a, b, c) = (values(side * depth), values(side * depth), values(side * side));

    let module = Module::parse("syr2k.sass", include_str!("../../kernels/syr2k.sass"))?;
    let [device_a, device_b, device_c] = [&a, &b, &c].map(|matrix| device.upload(matrix));
    let arguments = [
        ALPHA.into(),
        BETA.into(),
        device_a.into(),
        device_b.into(),
        device_c.into(),
        (side as i32).into(),
        (depth as i32).into(),
    ];
    let side32 = side as u32;
    device.launch(
        &module,
        "syr2k",
        (side32.div_ceil(BLOCK.0), side32.div_ceil(BLOCK.1)),
        BLOCK,
        0,
        &arguments,
    )?;

    let product =
        |a: &[f32], b: &[f32]| -> f64 { a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum() };
    let row = |matrix: &'_ [f32], number: usize| matrix[number * depth..(number + 1) * depth].to_vec();
    let mut expected = vec![];
    for y in 0..side {
        let (a_row, b_row) = (row(&a, y), row(&b, y));
        for x in 0..side {
            let both = product(&a_row, &row(&b, x)) + product(&b_row, &row(&a, x));
            expected.push(f64::from(BETA) * f64::from(c[y * side + x]) + f64::from(ALPHA) * both);
        }
    }
    let actual: Vec<f64> = device.read::<f32>(device_c, side * side)?.into_iter().map(f64::from).collect();
    // Nothing is negative: up to 256 products, rounded at each step.
    expect_close("c", &actual, &expected, Tolerance { relative: 2e-5, absolute: 0.0 })
}
