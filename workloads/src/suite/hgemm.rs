// SPDX-License-Identifier: Apache-2.0
//! Half-precision matrix product on the tensor cores, with FP32 or half-precision sums.
//!
//! `hgemm` is C = A B, a layer's forward product, written in half precision; `hgemm_nt` is C = A Bᵀ, the
//! gradient of its input, and `hgemm_tn` is C = Aᵀ B, the gradient of its weights, written in FP32. Their
//! sums are FP32; those of `hgemm_f16`, `hgemm_nt_f16` and `hgemm_tn_f16` are half precision, two of them in
//! a register, and so is what is written. Each is one launch, a thread block per tile. No tile divides the
//! product at small size.
//!
//! [`TILES`] are the thread-block and warp tiles of "Inter-Warp Multicasting", table 3, and [`run_tile`]
//! runs C = A B with one of them.

pub use super::gemm::Tile;

use super::gemm::{halves, product, signs, sixteenths, transpose, GemmShape};
use super::{expect_equal, Benchmark, Size};
use crate::device::Device;
use crate::error::Result;
use crate::listing::Module;
use crate::pointer::Pointer;

pub(super) const HGEMM: Benchmark = Benchmark {
    name: "hgemm",
    stands_for: "DeepBench gemm",
    about: "half-precision matrix product, forward (tensor cores)",
    size: |size| shape(size).to_string(),
    run: |device, size| run_forward(device, &TILES[2], Factors::new(shape(size), sixteenths)),
};

pub(super) const HGEMM_NT: Benchmark = Benchmark {
    name: "hgemm_nt",
    stands_for: "DeepBench gemm",
    about: "half-precision matrix product, data gradient (tensor cores)",
    size: |size| shape(size).to_string(),
    run: |device, size| run_data_gradient(device, &DATA_GRADIENT, Factors::new(shape(size), sixteenths)),
};

pub(super) const HGEMM_TN: Benchmark = Benchmark {
    name: "hgemm_tn",
    stands_for: "DeepBench gemm",
    about: "half-precision matrix product, weight gradient (tensor cores)",
    size: |size| shape(size).to_string(),
    run: run_weight_gradient,
};

pub(super) const HGEMM_F16: Benchmark = Benchmark {
    name: "hgemm_f16",
    stands_for: "DeepBench gemm",
    about: "the same as hgemm with half-precision sums",
    size: |size| shape(size).to_string(),
    run: |device, size| run_forward(device, &FORWARD_F16, Factors::new(shape(size), signs)),
};

pub(super) const HGEMM_NT_F16: Benchmark = Benchmark {
    name: "hgemm_nt_f16",
    stands_for: "DeepBench gemm",
    about: "the same as hgemm_nt with half-precision sums",
    size: |size| shape(size).to_string(),
    run: |device, size| run_data_gradient(device, &DATA_GRADIENT_F16, Factors::new(shape(size), signs)),
};

pub(super) const HGEMM_TN_F16: Benchmark = Benchmark {
    name: "hgemm_tn_f16",
    stands_for: "DeepBench gemm",
    about: "the same as hgemm_tn with half-precision sums",
    size: |size| shape(size).to_string(),
    run: run_weight_gradient_f16,
};

/// The tiles of "Inter-Warp Multicasting", table 3, in its order. The table gives all six a 64 x 64 warp
/// tile, and 8, 8, 4, 4, 4 and 4 warps. The last three thread blocks are too small for both: theirs are four
/// smaller warp tiles.
pub const TILES: &[Tile] = &[
    Tile::new("hgemm_256x128x32_64x64", [256, 128, 32], [64, 64]),
    Tile::new("hgemm_128x256x32_64x64", [128, 256, 32], [64, 64]),
    Tile::new("hgemm_128x128x32_64x64", [128, 128, 32], [64, 64]),
    Tile::new("hgemm_128x64x32_64x32", [128, 64, 32], [64, 32]),
    Tile::new("hgemm_64x128x32_32x64", [64, 128, 32], [32, 64]),
    Tile::new("hgemm_64x64x32_32x32", [64, 64, 32], [32, 32]),
];

const DATA_GRADIENT: Tile = Tile::new("hgemm_nt_128x128x32_64x64", [128, 128, 32], [64, 64]);
const WEIGHT_GRADIENT: Tile = Tile::new("hgemm_tn_128x128x32_64x64", [128, 128, 32], [64, 64]);
const FORWARD_F16: Tile = Tile::new("hgemm_f16_128x128x32_64x64", [128, 128, 32], [64, 64]);
const DATA_GRADIENT_F16: Tile = Tile::new("hgemm_nt_f16_128x128x32_64x64", [128, 128, 32], [64, 64]);
const WEIGHT_GRADIENT_F16: Tile = Tile::new("hgemm_tn_f16_128x128x32_64x64", [128, 128, 32], [64, 64]);

/// Runs C = A B with one of [`TILES`], and checks the answer. A is `m` x `k` and B `k` x `n`; `m`, `n` and
/// `k` are multiples of eight.
pub fn run_tile(device: &mut Device, tile: &Tile, m: usize, n: usize, k: usize) -> Result<()> {
    run_forward(device, tile, Factors::new(GemmShape::new(m, n, k), sixteenths))
}

fn run_forward(device: &mut Device, tile: &Tile, factors: Factors) -> Result<()> {
    let operands = [device.upload(&halves(&factors.a)), device.upload(&halves(&factors.b))];
    let c = tile.multiply(device, &module()?, factors.shape, operands)?;
    expect_equal("C", &c, &halves(&factors.product()))
}

fn run_data_gradient(device: &mut Device, tile: &Tile, factors: Factors) -> Result<()> {
    let b = transpose(&factors.b, factors.shape.n);
    let operands = [device.upload(&halves(&factors.a)), device.upload(&halves(&b))];
    let c = tile.multiply(device, &module()?, factors.shape, operands)?;
    expect_equal("C", &c, &halves(&factors.product()))
}

fn run_weight_gradient(device: &mut Device, size: Size) -> Result<()> {
    let factors = Factors::new(shape(size), sixteenths);
    let operands = factors.upload_transposed(device);
    let c = WEIGHT_GRADIENT.multiply(device, &module()?, factors.shape, operands)?;
    expect_equal("C", &c, &factors.product())
}

fn run_weight_gradient_f16(device: &mut Device, size: Size) -> Result<()> {
    let factors = Factors::new(shape(size), signs);
    let operands = factors.upload_transposed(device);
    let c = WEIGHT_GRADIENT_F16.multiply(device, &module()?, factors.shape, operands)?;
    expect_equal("C", &c, &halves(&factors.product()))
}

fn shape(size: Size) -> GemmShape {
    size.pick(
        GemmShape::new(328, 264, 208),
        GemmShape::new(1024, 1024, 1024),
        GemmShape::new(2048, 2048, 2048),
    )
}

/// A and B, with exact sums.
struct Factors {
    shape: GemmShape,
    a: Vec<f32>,
    b: Vec<f32>,
}

impl Factors {
    fn new(shape: GemmShape, values: fn(&mut fastrand::Rng, usize) -> Vec<f32>) -> Factors {
        let mut random = fastrand::Rng::with_seed(16);
        let (a, b) = (values(&mut random, shape.m * shape.k), values(&mut random, shape.k * shape.n));
        Factors { shape, a, b }
    }

    fn product(&self) -> Vec<f32> {
        product(self.shape, &self.a, &self.b)
    }

    /// Aᵀ and B.
    fn upload_transposed(&self, device: &mut Device) -> [Pointer; 2] {
        let a = transpose(&self.a, self.shape.k);
        [device.upload(&halves(&a)), device.upload(&halves(&self.b))]
    }
}

fn module() -> Result<Module> {
    Module::parse("hgemm.sass", include_str!("../../kernels/hgemm.sass"))
}
