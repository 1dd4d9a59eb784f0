// SPDX-License-Identifier: Apache-2.0
//! Rodinia's Gaussian: a system of linear equations made triangular, column by column.
//!
//! For each column, `fan1` computes the rows' multipliers (blocks of 512 threads) and `fan2` subtracts
//! the pivot row from the rows below (blocks of 4 × 4 threads, half a warp, as Rodinia sets them);
//! both grids cover the whole matrix every time.

use crate::device::Device;
use crate::error::Result;
use crate::listing::Module;

use super::{counted, expect_close, Benchmark, Size, Tolerance};

pub(super) const GAUSSIAN: Benchmark = Benchmark {
    name: "gaussian",
    stands_for: "Rodinia gaussian",
    about: "Gaussian elimination, two launches per column",
    size: |size| counted(unknowns(size), "unknown"),
    run,
};

const FAN1_THREADS: u32 = 512;
/// In both dimensions.
const FAN2_THREADS: u32 = 4;

fn unknowns(size: Size) -> u32 {
    size.pick(40, 128, 256)
}

fn run(device: &mut Device, size: Size) -> Result<()> {
    let unknowns = unknowns(size);
    let count = unknowns as usize;
    let (matrix, right) = random_system(count, &mut fastrand::Rng::with_seed(1));

    let module = Module::parse("gaussian.sass", include_str!("../../kernels/gaussian.sass"))?;
    let multipliers = device.upload(&vec![0f32; count * count]);
    let device_matrix = device.upload(&matrix);
    let device_right = device.upload(&right);
    let fan1_blocks = unknowns.div_ceil(FAN1_THREADS);
    let fan2_blocks = unknowns.div_ceil(FAN2_THREADS);
    for pivot in 0..unknowns - 1 {
        let fan1 = [multipliers.into(), device_matrix.into(), unknowns.into(), pivot.into()];
        device.launch(&module, "fan1", fan1_blocks, FAN1_THREADS, 0, &fan1)?;
        let fan2 =
            [multipliers.into(), device_matrix.into(), device_right.into(), unknowns.into(), pivot.into()];
        device.launch(&module, "fan2", (fan2_blocks, fan2_blocks), (FAN2_THREADS, FAN2_THREADS), 0, &fan2)?;
    }

    // Each value is the sum of up to 256 products in single precision; the dominant diagonal keeps
    // their rounding errors from growing.
    let tolerance = Tolerance { relative: 1e-5, absolute: 1e-4 };
    let expected = eliminate(count, &matrix, &right);
    expect_close("matrix", &device.read::<f32>(device_matrix, count * count)?, &expected.matrix, tolerance)?;
    expect_close("right-hand side", &device.read::<f32>(device_right, count)?, &expected.right, tolerance)?;
    let multipliers = device.read::<f32>(multipliers, count * count)?;
    expect_close("multiplier", &multipliers, &expected.multipliers, tolerance)
}

/// A matrix with a dominant diagonal, which needs no pivoting, and a right-hand side.
fn random_system(count: usize, random: &mut fastrand::Rng) -> (Vec<f32>, Vec<f32>) {
    let mut matrix: Vec<f32> = (0..count * count).map(|_| random.f32()).collect();
    for diagonal in matrix.iter_mut().step_by(count + 1) {
        *diagonal += count as f32;
    }
    (matrix, (0..count).map(|_| random.f32()).collect())
}

struct Eliminated {
    matrix: Vec<f32>,
    right: Vec<f32>,
    multipliers: Vec<f32>,
}

/// The same elimination in double precision.
fn eliminate(count: usize, matrix: &[f32], right: &[f32]) -> Eliminated {
    let mut matrix: Vec<f64> = matrix.iter().map(|&value| value.into()).collect();
    let mut right: Vec<f64> = right.iter().map(|&value| value.into()).collect();
    let mut multipliers = vec![0.0; count * count];
    for pivot in 0..count - 1 {
        for row in pivot + 1..count {
            let multiplier = matrix[row * count + pivot] / matrix[pivot * count + pivot];
            multipliers[row * count + pivot] = multiplier;
            for column in pivot..count {
                matrix[row * count + column] -= multiplier * matrix[pivot * count + column];
            }
            right[row] -= multiplier * right[pivot];
        }
    }
    let to_single = |values: Vec<f64>| values.into_iter().map(|value| value as f32).collect();
    Eliminated { matrix: to_single(matrix), right: to_single(right), multipliers: to_single(multipliers) }
}
