// SPDX-License-Identifier: Apache-2.0
//! Rodinia's Hotspot: the temperature of a chip over time under a map of the power it dissipates.
//!
//! A launch advances the whole chip by two time steps in overlapping tiles of 16 × 16 cells, one thread
//! each. In each tile, 12 × 12 cells come out right.

use crate::device::Device;
use crate::error::Result;
use crate::listing::Module;

use super::{expect_close, extent, Benchmark, Size, Tolerance};

pub(super) const HOTSPOT: Benchmark = Benchmark {
    name: "hotspot",
    stands_for: "Rodinia hotspot",
    about: "temperature of a chip, a stencil blocked in space and time",
    size: |size| extent([side(size); 2]),
    run,
};

const TILE: u32 = 16;
/// Time steps per launch.
const STEPS: u32 = 2;

/// In kelvin, as are all temperatures.
const AMBIENT: f32 = 80.0;
/// In metres.
const CHIP_THICKNESS: f32 = 0.0005;
/// In metres, of both sides.
const CHIP_SIDE: f32 = 0.016;
/// In joules per cubic metre and kelvin.
const HEAT_CAPACITY_OF_SILICON: f32 = 1.75e6;
/// The ratio of the chip's heat capacity to that of the silicon alone.
const CAPACITY_FACTOR: f32 = 0.5;
/// In watts per metre and kelvin.
const CONDUCTIVITY_OF_SILICON: f32 = 100.0;
/// In watts per square metre.
const MAXIMAL_POWER_DENSITY: f32 = 3.0e6;
/// By how much a temperature may change in a step.
const PRECISION: f32 = 0.001;

/// Cells of a side of the chip.
fn side(size: Size) -> u32 {
    size.pick(64, 256, 1024)
}

fn run(device: &mut Device, size: Size) -> Result<()> {
    let side = side(size);
    let launches = size.pick(2, 3, 3);
    let cells = (side * side) as usize;
    let mut random = fastrand::Rng::with_seed(1);
    let chip = Chip::new(side);
    let temperature: Vec<f32> = (0..cells).map(|_| 320.0 + 20.0 * random.f32()).collect();
    let power: Vec<f32> = (0..cells).map(|_| 0.001 * random.f32()).collect();

    let module = Module::parse("hotspot.sass", include_str!("../../kernels/hotspot.sass"))?;
    let device_power = device.upload(&power);
    let mut source = device.upload(&temperature);
    let mut target = device.allocate(cells as u64 * 4);
    let blocks = side.div_ceil(TILE - 2 * STEPS);
    for _ in 0..launches {
        let arguments = [
            STEPS.into(),
            device_power.into(),
            source.into(),
            target.into(),
            side.into(),
            side.into(),
            chip.capacity.into(),
            chip.resistance_x.into(),
            chip.resistance_y.into(),
            chip.resistance_z.into(),
            chip.step.into(),
        ];
        device.launch(&module, "hotspot", (blocks, blocks), (TILE, TILE), 0, &arguments)?;
        std::mem::swap(&mut source, &mut target);
    }

    // Both sides compute in single precision, the device with fused multiplication and addition: a
    // few units in the last place per step.
    let tolerance = Tolerance { relative: 1e-6, absolute: 0.0 };
    let mut expected = temperature;
    for _ in 0..launches * STEPS {
        expected = chip.advance(&expected, &power);
    }
    expect_close("temperature", &device.read::<f32>(source, cells)?, &expected, tolerance)
}

/// A chip of `side` × `side` cells: a network of thermal resistances and capacities.
struct Chip {
    side: usize,
    capacity: f32,
    resistance_x: f32,
    resistance_y: f32,
    /// To the ambient.
    resistance_z: f32,
    /// Duration of a time step.
    step: f32,
}

impl Chip {
    fn new(side: u32) -> Chip {
        let cell = CHIP_SIDE / side as f32;
        let capacity_per_area = CAPACITY_FACTOR * CHIP_THICKNESS * HEAT_CAPACITY_OF_SILICON;
        // Cells are square: their length along the current cancels their width across it.
        let resistance = 1.0 / (2.0 * CONDUCTIVITY_OF_SILICON * CHIP_THICKNESS);
        Chip {
            side: side as usize,
            capacity: capacity_per_area * cell * cell,
            resistance_x: resistance,
            resistance_y: resistance,
            resistance_z: CHIP_THICKNESS / (CONDUCTIVITY_OF_SILICON * cell * cell),
            step: PRECISION / (MAXIMAL_POWER_DENSITY / capacity_per_area),
        }
    }

    /// One time step of all cells. A cell at the edge is its own neighbour outside.
    fn advance(&self, temperature: &[f32], power: &[f32]) -> Vec<f32> {
        let side = self.side;
        let last = side - 1;
        (0..side * side)
            .map(|index| {
                let (y, x) = (index / side, index % side);
                let here = temperature[index];
                let north = temperature[y.saturating_sub(1) * side + x];
                let south = temperature[(y + 1).min(last) * side + x];
                let west = temperature[y * side + x.saturating_sub(1)];
                let east = temperature[y * side + (x + 1).min(last)];
                here + self.step / self.capacity
                    * (power[index]
                        + (south + north - 2.0 * here) / self.resistance_y
                        + (east + west - 2.0 * here) / self.resistance_x
                        + (AMBIENT - here) / self.resistance_z)
            })
            .collect()
    }
}
