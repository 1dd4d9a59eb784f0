// SPDX-License-Identifier: Apache-2.0
//! Parboil's stencil: Jacobi steps on a grid in three dimensions, each cell from itself and its six
//! neighbours.
//!
//! From random values. The reference does the same in double precision.

use super::{expect_close, extent, Benchmark, Size, Tolerance};
use crate::{Device, Module, Result};

pub(super) const STENCIL: Benchmark = Benchmark {
    name: "stencil",
    stands_for: "Parboil, ST",
    about: "Jacobi steps of seven points in three dimensions",
    size: |size| extent(input(size).0),
    run,
};

const BLOCK: (u32, u32) = (32, 4);
/// Cells of a layer that a block computes.
const TILE: (u32, u32) = (64, 4);
const CENTRE: f32 = 1.0 / 6.0;
const NEIGHBOUR: f32 = 1.0 / 36.0;

/// Cells along each axis, and steps.
fn input(size: Size) -> ([u32; 3], usize) {
    size.pick(([128, 32, 8], 1), ([256, 256, 16], 2), ([512, 512, 32], 3))
}

fn run(device: &mut Device, size: Size) -> Result<()> {
    let ([nx, ny, nz], steps) = input(size);
    let mut random = fastrand::Rng::with_seed(11);
    let values: Vec<f32> = (0..nx * ny * nz).map(|_| random.f32()).collect();

    let module = Module::parse("stencil.sass", include_str!("../../kernels/stencil.sass"))?;
    let [mut source, mut target] = [(); 2].map(|()| device.upload(&values));
    for _ in 0..steps {
        let arguments = [
            CENTRE.into(),
            NEIGHBOUR.into(),
            source.into(),
            target.into(),
            (nx as i32).into(),
            (ny as i32).into(),
            (nz as i32).into(),
        ];
        device.launch(
            &module,
            "stencil",
            (nx.div_ceil(TILE.0), ny.div_ceil(TILE.1)),
            BLOCK,
            0,
            &arguments,
        )?;
        std::mem::swap(&mut source, &mut target);
    }

    let extent = [nx, ny, nz].map(|extent| extent as usize);
    let mut expected = values;
    for _ in 0..steps {
        expected = stepped(&expected, extent);
    }
    // Values stay below 1.
    let tolerance = Tolerance { relative: 0.0, absolute: 1e-6 };
    expect_close("cell", &device.read::<f32>(source, expected.len())?, &expected, tolerance)
}

/// The cells after a step; those at the faces of the grid stay.
fn stepped(cells: &[f32], [nx, ny, nz]: [usize; 3]) -> Vec<f32> {
    let mut next = cells.to_vec();
    for z in 1..nz - 1 {
        for y in 1..ny - 1 {
            for x in 1..nx - 1 {
                let at = (z * ny + y) * nx + x;
                let around = [at - 1, at + 1, at - nx, at + nx, at - nx * ny, at + nx * ny];
                let sum: f64 = around.iter().map(|&at| f64::from(cells[at])).sum();
                next[at] = (f64::from(NEIGHBOUR) * sum - f64::from(CENTRE) * f64::from(cells[at])) as f32;
            }
        }
    }
    next
}
