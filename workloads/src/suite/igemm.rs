// SPDX-License-Identifier: Apache-2.0
//! Product of signed 8-bit matrices on the tensor cores, with 32-bit integer sums.
//!
//! C = A Bᵀ with B stored n x k, in one launch with a thread block per 128 x 128 tile, which does not divide
//! the product at small size.

use super::gemm::{GemmShape, Tile};
use super::{expect_equal, Benchmark, Size};
use crate::device::Device;
use crate::error::Result;
use crate::listing::Module;

pub(super) const IGEMM: Benchmark = Benchmark {
    name: "igemm",
    stands_for: "DeepBench gemm",
    about: "matrix product of signed bytes, forward (tensor cores)",
    size: |size| shape(size).to_string(),
    run: |device, size| run_on(device, shape(size)),
};

const TILE: Tile = Tile::new("igemm_128x128x64_64x64", [128, 128, 64], [64, 64]);

fn shape(size: Size) -> GemmShape {
    size.pick(
        GemmShape::new(328, 264, 176),
        GemmShape::new(1024, 1024, 1024),
        GemmShape::new(2048, 2048, 2048),
    )
}

/// Runs C = A Bᵀ, and checks the answer. A is `m` x `k` and B `n` x `k`.
pub fn run_shape(device: &mut Device, m: usize, n: usize, k: usize) -> Result<()> {
    run_on(device, GemmShape::new(m, n, k))
}

fn run_on(device: &mut Device, shape: GemmShape) -> Result<()> {
    let mut random = fastrand::Rng::with_seed(8);
    let a: Vec<i8> = (0..shape.m * shape.k).map(|_| random.i8(..)).collect();
    let b: Vec<i8> = (0..shape.n * shape.k).map(|_| random.i8(..)).collect();

    let module = Module::parse("igemm.sass", include_str!("../../kernels/igemm.sass"))?;
    let operands = [device.upload(&a), device.upload(&b)];
    let c = TILE.multiply(device, &module, shape, operands)?;
    expect_equal("C", &c, &products_of_rows(shape.k, &a, &b))
}

/// The products of every row of `a` with every row of `b`, rows of length `k`.
fn products_of_rows(k: usize, a: &[i8], b: &[i8]) -> Vec<i32> {
    // Processors multiply and add 16-bit numbers fastest.
    let widen = |matrix: &[i8]| matrix.iter().map(|&value| i16::from(value)).collect::<Vec<i16>>();
    let (a, b) = (widen(a), widen(b));
    let mut products = Vec::with_capacity(a.len() / k * (b.len() / k));
    for a in a.chunks_exact(k) {
        for b in b.chunks_exact(k) {
            products.push(a.iter().zip(b).map(|(&a, &b)| i32::from(a) * i32::from(b)).sum::<i32>());
        }
    }
    products
}
