//! Half-precision matrix product on the tensor cores, with FP32 sums.
//!
//! `hgemm` is C = A B, a layer's forward product, written in half precision; `hgemm_nt` is C = A Bᵀ, the
//! gradient of its input, and `hgemm_tn` is C = Aᵀ B, the gradient of its weights, written in FP32. Each is
//! one launch, a thread block per tile. Small: 328 x 264 x 208 (m x n x k), which no tile divides; medium:
//! 1024 x 1024 x 1024; large: 2048 x 2048 x 2048.
//!
//! [`TILES`] are the thread-block and warp tiles of "Inter-Warp Multicasting", table 3, and [`run_tile`]
//! runs C = A B with one of them.

pub use super::gemm::Tile;

use super::gemm::{halves, product, sixteenths, transpose, Shape};
use super::{expect_equal, Benchmark, Size};
use crate::device::Device;
use crate::error::Result;
use crate::listing::Module;

pub(super) const HGEMM: Benchmark = Benchmark {
    name: "hgemm",
    about: "Half-precision matrix product, forward (tensor cores)",
    run: |device, size| run_forward(device, &TILES[2], shape(size)),
};

pub(super) const HGEMM_NT: Benchmark = Benchmark {
    name: "hgemm_nt",
    about: "Half-precision matrix product, data gradient (tensor cores)",
    run: run_data_gradient,
};

pub(super) const HGEMM_TN: Benchmark = Benchmark {
    name: "hgemm_tn",
    about: "Half-precision matrix product, weight gradient (tensor cores)",
    run: run_weight_gradient,
};

/// The tiles of "Inter-Warp Multicasting", table 3, in its order. The table gives all six a 64 x 64 warp tile,
/// and 8, 8, 4, 4, 4 and 4 warps. The last three thread blocks are too small for both: theirs are four
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

/// Runs C = A B with one of [`TILES`], and checks the answer. A is `m` x `k` and B `k` x `n`; `m`, `n` and `k`
/// are multiples of eight.
pub fn run_tile(device: &mut Device, tile: &Tile, m: usize, n: usize, k: usize) -> Result<()> {
    run_forward(device, tile, Shape::new(m, n, k))
}

fn run_forward(device: &mut Device, tile: &Tile, shape: Shape) -> Result<()> {
    let (a, b) = factors(shape);
    let operands = [device.upload(&halves(&a)), device.upload(&halves(&b))];
    let c = tile.multiply(device, &module()?, shape, operands)?;
    expect_equal("C", &c, &halves(&product(shape, &a, &b)))
}

fn run_data_gradient(device: &mut Device, size: Size) -> Result<()> {
    let shape = shape(size);
    let (a, b) = factors(shape);
    let operands = [device.upload(&halves(&a)), device.upload(&halves(&transpose(&b, shape.n)))];
    let c = DATA_GRADIENT.multiply(device, &module()?, shape, operands)?;
    expect_equal("C", &c, &halves(&product(shape, &a, &b)))
}

fn run_weight_gradient(device: &mut Device, size: Size) -> Result<()> {
    let shape = shape(size);
    let (a, b) = factors(shape);
    let operands = [device.upload(&halves(&transpose(&a, shape.k))), device.upload(&halves(&b))];
    let c = WEIGHT_GRADIENT.multiply(device, &module()?, shape, operands)?;
    expect_equal("C", &c, &product(shape, &a, &b))
}

fn shape(size: Size) -> Shape {
    size.pick(Shape::new(328, 264, 208), Shape::new(1024, 1024, 1024), Shape::new(2048, 2048, 2048))
}

/// A and B, with exact sums.
fn factors(shape: Shape) -> (Vec<f32>, Vec<f32>) {
    let mut random = fastrand::Rng::with_seed(16);
    (sixteenths(&mut random, shape.m * shape.k), sixteenths(&mut random, shape.k * shape.n))
}

fn module() -> Result<Module> {
    Module::parse("hgemm.sass", include_str!("../../kernels/hgemm.sass"))
}
