// SPDX-License-Identifier: Apache-2.0
//! lavaMD: potential and forces between the particles of neighbouring boxes, in double precision.
//!
//! Boxes fill a three-dimensional grid. Particles lie at random in their box and have random charges.
//! One launch of `potential`, a thread block per box, adds up what the particles of the box itself and of
//! the boxes around it exert on each particle. The reference adds up the same pairs.

use bytemuck::{Pod, Zeroable};

use super::{counted, expect_close, Benchmark, Size, Tolerance};
use crate::{Device, Module, Result};

pub(super) const LAVAMD: Benchmark = Benchmark {
    name: "lavaMD",
    stands_for: "Rodinia lavaMD",
    about: "potential and forces between particles of neighbouring boxes, double precision",
    size: |size| {
        let (extent, particles) = input(size);
        let boxes: i32 = extent.iter().product();
        format!("{boxes} boxes of {}", counted(particles, "particle"))
    },
    run,
};

/// Threads of a block.
const THREADS: u32 = 128;
/// How fast the potential falls off with the distance.
const ALPHA: f64 = 0.5;

/// As the kernel declares it.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Box {
    /// Index of its first particle.
    offset: i32,
    neighbour_count: i32,
    neighbours: [i32; 26],
}

/// A position, after half the square of its length; or a force, after a potential.
type Vector = [f64; 4];

/// Boxes along each axis, and particles of a box.
fn input(size: Size) -> ([i32; 3], usize) {
    size.pick(([2, 2, 1], 44), ([3, 3, 2], 100), ([4, 4, 3], 100))
}

fn run(device: &mut Device, size: Size) -> Result<()> {
    let module = Module::parse("lavamd.sass", include_str!("../../kernels/lavamd.sass"))?;
    let (extent, particles) = input(size);
    let boxes = grid(extent, particles);
    let mut random = fastrand::Rng::with_seed(5);
    let positions: Vec<Vector> = coordinates(extent)
        .flat_map(|corner| std::iter::repeat_n(corner, particles))
        .map(|corner| {
            let [x, y, z] = corner.map(|coordinate| coordinate as f64 + random.f64());
            [(x * x + y * y + z * z) / 2.0, x, y, z]
        })
        .collect();
    let charges: Vec<f64> = positions.iter().map(|_| random.f64()).collect();

    let boxes_there = device.upload(&boxes);
    let positions_there = device.upload(&positions);
    let charges_there = device.upload(&charges);
    let forces = device.upload(&vec![[0.0f64; 4]; positions.len()]);
    device.launch(
        &module,
        "potential",
        boxes.len() as u32,
        THREADS,
        0,
        &[
            ALPHA.into(),
            (boxes.len() as i32).into(),
            (particles as i32).into(),
            boxes_there.into(),
            positions_there.into(),
            charges_there.into(),
            forces.into(),
        ],
    )?;

    // Sums of thousands of terms, rounded differently where the kernel fuses multiplication and
    // addition; forces of either sign may cancel to something small.
    let tolerance = Tolerance { relative: 1e-12, absolute: 1e-12 };
    let actual: Vec<Vector> = device.read(forces, positions.len())?;
    let expected = forces_on_all(&boxes, particles, &positions, &charges);
    expect_close("force", actual.as_flattened(), expected.as_flattened(), tolerance)
}

/// The corners of all boxes, x fastest.
fn coordinates([width, height, depth]: [i32; 3]) -> impl Iterator<Item = [i32; 3]> {
    (0..depth).flat_map(move |z| (0..height).flat_map(move |y| (0..width).map(move |x| [x, y, z])))
}

/// All boxes and which ones touch which; the grid ends at its faces.
fn grid(extent: [i32; 3], particles: usize) -> Vec<Box> {
    coordinates(extent)
        .enumerate()
        .map(|(number, home)| {
            let mut this =
                Box { offset: (number * particles) as i32, neighbour_count: 0, neighbours: [0; 26] };
            for (other, there) in coordinates(extent).enumerate() {
                let touches = home.iter().zip(there).all(|(here, there)| (here - there).abs() <= 1);
                if touches && other != number {
                    this.neighbours[this.neighbour_count as usize] = other as i32;
                    this.neighbour_count += 1;
                }
            }
            this
        })
        .collect()
}

/// The potential and the force on each particle.
fn forces_on_all(boxes: &[Box], particles: usize, positions: &[Vector], charges: &[f64]) -> Vec<Vector> {
    let particles_of = |this: &Box| this.offset as usize..this.offset as usize + particles;
    let mut forces = vec![[0.0; 4]; positions.len()];
    for home in boxes {
        let neighbours = &home.neighbours[..home.neighbour_count as usize];
        let around = neighbours.iter().map(|&number| &boxes[number as usize]);
        for there in std::iter::once(home).chain(around) {
            for i in particles_of(home) {
                for j in particles_of(there) {
                    let [_, x, y, z] = std::array::from_fn(|axis| positions[i][axis] - positions[j][axis]);
                    let potential = (-ALPHA * ALPHA * (x * x + y * y + z * z)).exp();
                    forces[i][0] += charges[j] * potential;
                    for (sum, difference) in forces[i][1..].iter_mut().zip([x, y, z]) {
                        *sum += charges[j] * 2.0 * potential * difference;
                    }
                }
            }
        }
    }
    forces
}
