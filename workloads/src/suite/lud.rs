// SPDX-License-Identifier: Apache-2.0
//! lud: LU decomposition of a dense matrix, in place, without pivoting.
//!
//! A random matrix with a dominant diagonal, in tiles of 16×16. For each tile on the diagonal `diagonal`
//! decomposes it, `perimeter` the tiles right of it and below it, and `internal` updates the square that
//! remains. The reference is Gaussian elimination in double precision.

use super::{counted, expect_close, Benchmark, Size, Tolerance};
use crate::{Device, Module, Result};

pub(super) const LUD: Benchmark = Benchmark {
    name: "lud",
    stands_for: "Rodinia lud",
    about: "LU decomposition of a dense matrix in tiles of 16 × 16",
    size: |size| counted(order(size), "row"),
    run,
};

const TILE: usize = 16;

fn order(size: Size) -> usize {
    size.pick(96, 400, 1024)
}

fn run(device: &mut Device, size: Size) -> Result<()> {
    let module = Module::parse("lud.sass", include_str!("../../kernels/lud.sass"))?;
    let order = order(size);
    let input = dominant_matrix(order);
    let matrix = device.upload(&input);

    for offset in (0..order).step_by(TILE) {
        let arguments = [matrix.into(), (order as i32).into(), (offset as i32).into()];
        device.launch(&module, "diagonal", 1, TILE as u32, 0, &arguments)?;
        let remaining = ((order - offset) / TILE - 1) as u32;
        if remaining > 0 {
            device.launch(&module, "perimeter", remaining, 2 * TILE as u32, 0, &arguments)?;
            let block = (TILE as u32, TILE as u32);
            device.launch(&module, "internal", (remaining, remaining), block, 0, &arguments)?;
        }
    }

    // Single precision against double: the dominant diagonal keeps rounding errors from growing.
    let tolerance = Tolerance { relative: 1e-5, absolute: 1e-6 };
    let actual: Vec<f32> = device.read(matrix, order * order)?;
    let actual: Vec<f64> = actual.into_iter().map(f64::from).collect();
    expect_close("matrix", &actual, &eliminated(&input, order), tolerance)
}

/// Random values, and on the diagonal more than any row of them adds up to.
fn dominant_matrix(order: usize) -> Vec<f32> {
    let mut random = fastrand::Rng::with_seed(6);
    let mut matrix: Vec<f32> = (0..order * order).map(|_| 2.0 * random.f32() - 1.0).collect();
    for row in 0..order {
        matrix[row * order + row] += order as f32;
    }
    matrix
}

/// L without its unit diagonal, and U, in one matrix.
fn eliminated(matrix: &[f32], order: usize) -> Vec<f64> {
    let mut matrix: Vec<f64> = matrix.iter().copied().map(f64::from).collect();
    for pivot in 0..order {
        let (above, below) = matrix.split_at_mut((pivot + 1) * order);
        let pivot_row = &above[pivot * order..];
        for row in below.chunks_mut(order) {
            row[pivot] /= pivot_row[pivot];
            for column in pivot + 1..order {
                row[column] -= row[pivot] * pivot_row[column];
            }
        }
    }
    matrix
}
