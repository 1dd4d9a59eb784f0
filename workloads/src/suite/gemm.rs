// SPDX-License-Identifier: Apache-2.0
//! Common parts of the matrix workloads: shapes, tiles, inputs whose sums are exact, and the plain product.

use std::fmt;
use std::ops::{AddAssign, Mul};

use bytemuck::{AnyBitPattern, NoUninit};
use half::f16;

use crate::device::{Argument, Device, Dim};
use crate::error::Result;
use crate::listing::Module;
use crate::pointer::Pointer;

use super::extent;

/// A product of an `m` x `k` and a `k` x `n` matrix; all matrices are row-major.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GemmShape {
    pub m: usize,
    pub n: usize,
    pub k: usize,
}

impl GemmShape {
    pub fn new(m: usize, n: usize, k: usize) -> GemmShape {
        GemmShape { m, n, k }
    }
}

impl fmt::Display for GemmShape {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(&extent([self.m, self.n, self.k]))
    }
}

/// How a kernel divides a product: among thread blocks, and a thread block's part among warps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    /// Name of the kernel.
    pub kernel: &'static str,
    /// Rows of C of a thread block.
    pub block_m: usize,
    /// Columns of C of a thread block.
    pub block_n: usize,
    /// Step of a thread block along K.
    pub block_k: usize,
    /// Rows of C of a warp.
    pub warp_m: usize,
    /// Columns of C of a warp.
    pub warp_n: usize,
}

impl Tile {
    pub(super) const fn new(
        kernel: &'static str,
        [block_m, block_n, block_k]: [usize; 3],
        [warp_m, warp_n]: [usize; 2],
    ) -> Tile {
        Tile { kernel, block_m, block_n, block_k, warp_m, warp_n }
    }

    /// Warps of a thread block.
    pub const fn warps(&self) -> usize {
        (self.block_m / self.warp_m) * (self.block_n / self.warp_n)
    }

    /// Threads of a thread block.
    pub(super) fn block(&self) -> Dim {
        Dim::from(32 * self.warps() as u32)
    }

    /// Thread blocks of an `m` x `n` result.
    pub(super) fn grid(&self, m: usize, n: usize) -> Dim {
        Dim::from((n.div_ceil(self.block_n) as u32, m.div_ceil(self.block_m) as u32))
    }

    /// Launches the kernel on matrices in device memory: the product of the first two goes to the third.
    pub(super) fn launch(
        &self,
        device: &mut Device,
        module: &Module,
        shape: GemmShape,
        matrices: [Pointer; 3],
    ) -> Result<()> {
        let GemmShape { m, n, k } = shape;
        let sizes = [m, n, k].map(|size| Argument::from(size as i32));
        let arguments = [matrices.map(Argument::from), sizes].concat();
        device.launch(module, self.kernel, self.grid(m, n), self.block(), 0, &arguments)
    }

    /// The product of matrices in device memory.
    pub(super) fn multiply<T: AnyBitPattern + NoUninit>(
        &self,
        device: &mut Device,
        module: &Module,
        shape: GemmShape,
        [a, b]: [Pointer; 2],
    ) -> Result<Vec<T>> {
        let count = shape.m * shape.n;
        let c = device.allocate((count * size_of::<T>()) as u64);
        self.launch(device, module, shape, [a, b, c])?;
        device.read(c, count)
    }
}

/// Random multiples of 1/16 from -1 to 1: exact in half precision. Products of two are multiples of 1/256,
/// and FP32 holds sums of 65,536 of these exactly: in whatever order a kernel adds them, the answer is the
/// same.
pub(super) fn sixteenths(random: &mut fastrand::Rng, count: usize) -> Vec<f32> {
    (0..count).map(|_| f32::from(random.i8(-16..=16)) / 16.0).collect()
}

/// Random signs: -1, 0 or 1. Half precision holds sums of 2,048 products of two of these exactly.
pub(super) fn signs(random: &mut fastrand::Rng, count: usize) -> Vec<f32> {
    (0..count).map(|_| f32::from(random.i8(-1..=1))).collect()
}

/// The product of `a` and `b`.
pub(super) fn product<T>(shape: GemmShape, a: &[T], b: &[T]) -> Vec<T>
where
    T: Copy + Default + AddAssign + Mul<Output = T>,
{
    // Rows of B that stay in the cache while they meet every row of A.
    const ROWS: usize = 64;
    let mut c = vec![T::default(); shape.m * shape.n];
    for first in (0..shape.k).step_by(ROWS) {
        for (a, c) in a.chunks_exact(shape.k).zip(c.chunks_exact_mut(shape.n)) {
            for k in first..shape.k.min(first + ROWS) {
                add_scaled(c, a[k], &b[k * shape.n..][..shape.n]);
            }
        }
    }
    c
}

/// Adds `factor` times `values` to `sums`.
pub(super) fn add_scaled<T: Copy + AddAssign + Mul<Output = T>>(sums: &mut [T], factor: T, values: &[T]) {
    for (sum, &value) in sums.iter_mut().zip(values) {
        *sum += factor * value;
    }
}

/// The transpose of a matrix of `columns` columns.
pub(super) fn transpose<T: Copy>(matrix: &[T], columns: usize) -> Vec<T> {
    (0..columns).flat_map(|column| matrix.iter().skip(column).step_by(columns).copied()).collect()
}

/// To single precision.
pub(super) fn singles(values: &[f16]) -> Vec<f32> {
    values.iter().map(|value| value.to_f32()).collect()
}

/// Rounds to half precision.
pub(super) fn halves(values: &[f32]) -> Vec<f16> {
    values.iter().map(|&value| f16::from_f32(value)).collect()
}
