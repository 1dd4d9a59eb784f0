// SPDX-License-Identifier: Apache-2.0
//! Parboil's LBM: flow through a box with obstacles by the lattice Boltzmann method, D3Q19.
//!
//! From random distributions, rows padded to a multiple of 32 values. One cell in twenty is an obstacle, and
//! one row in eight is driven. The reference fetches what arrives at a cell in double precision, where the
//! kernel sends it.

use super::{expect_close, extent, Benchmark, Size, Tolerance};
use crate::{Device, Module, Result};

pub(super) const LBM: Benchmark = Benchmark {
    name: "lbm",
    stands_for: "Parboil, LB",
    about: "flow around obstacles by the lattice Boltzmann method, D3Q19",
    size: |size| extent(input(size).0),
    run,
};

const VELOCITIES: usize = 19;
const RELAXATION: f64 = 1.95;
const DRIVEN_VELOCITY: [f64; 3] = [0.005, 0.002, 0.0];

/// Cells along each axis, and steps.
fn input(size: Size) -> ([usize; 3], usize) {
    size.pick(([32, 8, 4], 2), ([120, 16, 16], 4), ([120, 48, 48], 4))
}

fn run(device: &mut Device, size: Size) -> Result<()> {
    let (extent, steps) = input(size);
    let cells = Box3 { extent };
    let mut random = fastrand::Rng::with_seed(16);
    let kinds: Vec<Kind> = (0..cells.count()).map(|at| cells.kind(at, &mut random)).collect();
    let start: Vec<[f32; VELOCITIES]> = (0..cells.count())
        .map(|_| std::array::from_fn(|i| (weight(i) * (0.9 + 0.2 * random.f64())) as f32))
        .collect();

    let module = Module::parse("lbm.sass", include_str!("../../kernels/lbm.sass"))?;
    let [_, ny, nz] = extent;
    let stride = extent[0].next_multiple_of(32);
    let distribution = stride * ny * nz;
    let padded = |at: usize| at / extent[0] * stride + at % extent[0];
    let mut kind_bytes = vec![0u8; distribution];
    let mut values = vec![0f32; VELOCITIES * distribution];
    for (at, (kind, start)) in kinds.iter().zip(&start).enumerate() {
        kind_bytes[padded(at)] = *kind as u8;
        for (i, &value) in start.iter().enumerate() {
            values[i * distribution + padded(at)] = value;
        }
    }
    let device_kinds = device.upload(&kind_bytes);
    let mut source = device.upload(&values);
    let mut target = device.allocate(4 * values.len() as u64);
    drop(values);
    for _ in 0..steps {
        let arguments = [
            source.into(),
            target.into(),
            device_kinds.into(),
            (stride as i32).into(),
            (distribution as i32).into(),
        ];
        device.launch(&module, "lbm_step", (ny as u32, nz as u32), extent[0] as u32, 0, &arguments)?;
        std::mem::swap(&mut source, &mut target);
    }

    let mut expected = start;
    for _ in 0..steps {
        expected = cells.advance(&expected, &kinds);
    }
    // Distributions are at most a third; each step rounds some forty times.
    let tolerance = Tolerance { relative: 0.0, absolute: 2e-6 };
    for i in 0..VELOCITIES {
        let row = device.read::<f32>(source.offset((4 * i * distribution) as u64), distribution)?;
        let actual: Vec<f32> = (0..cells.count()).map(|at| row[padded(at)]).collect();
        let expected: Vec<f32> = expected.iter().map(|cell| cell[i]).collect();
        expect_close("distribution", &actual, &expected, tolerance)?;
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Fluid = 0,
    Obstacle = 1,
    Driven = 2,
}

/// Where velocity `i` carries a particle in a step. 2k - 1 and 2k are opposite.
fn direction(i: usize) -> [i32; 3] {
    let positive = [
        [0, 0, 0],
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
        [1, 1, 0],
        [1, -1, 0],
        [1, 0, 1],
        [1, 0, -1],
        [0, 1, 1],
        [0, 1, -1],
    ];
    let direction = positive[i.div_ceil(2)];
    if i % 2 == 1 {
        direction
    } else {
        direction.map(|along| -along)
    }
}

fn opposite(i: usize) -> usize {
    match i {
        0 => 0,
        i if i % 2 == 1 => i + 1,
        i => i - 1,
    }
}

fn weight(i: usize) -> f64 {
    match direction(i).iter().filter(|along| **along != 0).count() {
        0 => 1.0 / 3.0,
        1 => 1.0 / 18.0,
        _ => 1.0 / 36.0,
    }
}

/// Cells in three dimensions, x first; it continues at its opposite faces.
struct Box3 {
    extent: [usize; 3],
}

impl Box3 {
    fn count(&self) -> usize {
        self.extent.iter().product()
    }

    fn kind(&self, at: usize, random: &mut fastrand::Rng) -> Kind {
        let y = at / self.extent[0] % self.extent[1];
        match random.u8(..20) {
            0 => Kind::Obstacle,
            _ if y % 8 == 3 => Kind::Driven,
            _ => Kind::Fluid,
        }
    }

    /// The cell from which velocity `i` carries to this one.
    fn origin(&self, at: usize, i: usize) -> usize {
        let [nx, ny, _] = self.extent;
        let place = [at % nx, at / nx % ny, at / nx / ny];
        let direction = direction(i);
        let [x, y, z] = std::array::from_fn(|axis| {
            (place[axis] as i32 - direction[axis]).rem_euclid(self.extent[axis] as i32) as usize
        });
        (z * ny + y) * nx + x
    }

    fn advance(&self, cells: &[[f32; VELOCITIES]], kinds: &[Kind]) -> Vec<[f32; VELOCITIES]> {
        let leaving: Vec<_> = cells.iter().zip(kinds).map(|(cell, kind)| collided(cell, *kind)).collect();
        (0..cells.len()).map(|at| std::array::from_fn(|i| leaving[self.origin(at, i)][i] as f32)).collect()
    }
}

/// The flow that leaves a cell.
fn collided(cell: &[f32; VELOCITIES], kind: Kind) -> [f64; VELOCITIES] {
    let cell = cell.map(f64::from);
    if kind == Kind::Obstacle {
        return std::array::from_fn(|i| cell[opposite(i)]);
    }
    let density: f64 = cell.iter().sum();
    let flow = |axis: usize| -> f64 {
        (0..VELOCITIES).map(|i| f64::from(direction(i)[axis]) * cell[i]).sum::<f64>() / density
    };
    let velocity = if kind == Kind::Driven { DRIVEN_VELOCITY } else { [flow(0), flow(1), flow(2)] };
    let squared: f64 = velocity.iter().map(|along| along * along).sum();
    std::array::from_fn(|i| {
        let along: f64 = direction(i).iter().zip(velocity).map(|(&c, u)| f64::from(c) * u).sum();
        let equilibrium = weight(i) * density * (1.0 + 3.0 * along + 4.5 * along * along - 1.5 * squared);
        cell[i] + RELAXATION * (equilibrium - cell[i])
    })
}
