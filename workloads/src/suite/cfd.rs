// SPDX-License-Identifier: Apache-2.0
//! Rodinia's CFD Solver: compressible flow on a mesh of tetrahedra, by finite volumes.
//!
//! A cube of cells. Each cell is six tetrahedra, whose numbers are mixed. The floor is a wall, elsewhere
//! the far field comes in. A step is three stages of a Runge-Kutta method, each with its own fluxes. The
//! reference computes the same in double precision, face by face.

mod mesh;

use super::{counted, expect_close, Benchmark, Size, Tolerance};
use crate::{Argument, Device, Module, Pointer, Result};
use mesh::{dot, length, Mesh, Neighbour, FACES};

pub(super) const CFD: Benchmark = Benchmark {
    name: "cfd",
    stands_for: "Rodinia, CF",
    about: "compressible flow on a mesh of tetrahedra, by finite volumes",
    size: |size| counted(Mesh::elements_of_cube(input(size).0), "element"),
    run,
};

const THREADS: u32 = 192;
const COMPONENTS: usize = 5;
const STAGES: usize = 3;
const GAMMA: f64 = 1.4;
const SMOOTHING: f64 = 0.2;
/// The ratio of the flow far away to the velocity of sound there.
const MACH: f64 = 1.2;
/// Between that flow and the floor, in radians.
const INCIDENCE: f64 = 0.1;

/// Cells of a side of the cube, and steps in time.
fn input(size: Size) -> (usize, usize) {
    size.pick((4, 1), (14, 3), (24, 6))
}

fn run(device: &mut Device, size: Size) -> Result<()> {
    let (side, steps) = input(size);
    let mesh = Mesh::cube(side, &mut fastrand::Rng::with_seed(18));
    let count = mesh.elements.len();

    let module = Module::parse("cfd.sass", include_str!("../../kernels/cfd.sass"))?;
    let far_field = State::far_field();
    device.write_symbol(&module, "far_field", &far_field.0.map(|value| value as f32))?;
    let neighbours: Vec<i32> = (0..FACES)
        .flat_map(|face| mesh.elements.iter().map(move |element| element.faces[face].neighbour.number()))
        .collect();
    // x of all faces, then y and z.
    let normal = |axis: usize, face: usize| {
        mesh.elements.iter().map(move |element| element.faces[face].inward[axis] as f32)
    };
    let normals: Vec<f32> =
        (0..3).flat_map(|axis| (0..FACES).flat_map(move |face| normal(axis, face))).collect();
    let surfaces: Vec<f32> = mesh.elements.iter().map(|element| element.half_surface() as f32).collect();
    let neighbours = device.upload(&neighbours);
    let [normals, surfaces] = [device.upload(&normals), device.upload(&surfaces)];
    let [values, before, fluxes] = [(); 3].map(|()| device.allocate((4 * COMPONENTS * count) as u64));
    let factors = device.allocate(4 * count as u64);

    let launch = |device: &mut Device, kernel, places: &[Pointer], numbers: &[usize]| {
        let mut arguments: Vec<Argument> = places.iter().map(|&place| place.into()).collect();
        arguments.extend(numbers.iter().map(|&number| Argument::from(number as i32)));
        device.launch(&module, kernel, (count as u32).div_ceil(THREADS), THREADS, 0, &arguments)
    };
    launch(device, "cfd_initialize", &[values], &[count])?;
    for _ in 0..steps {
        let copy = device.read::<f32>(values, COMPONENTS * count)?;
        device.write(before, &copy)?;
        launch(device, "cfd_step_factor", &[values, surfaces, factors], &[count])?;
        for stage in 0..STAGES {
            launch(device, "cfd_flux", &[neighbours, normals, values, fluxes], &[count])?;
            launch(device, "cfd_advance", &[before, values, factors, fluxes], &[stage, STAGES, count])?;
        }
    }

    let mut expected = vec![far_field; count];
    for _ in 0..steps {
        expected = advanced(&mesh, &expected);
    }
    // Values are near 1; a flux is a difference of numbers of that size, rounded some hundred times in all
    // stages.
    let tolerance = Tolerance { relative: 0.0, absolute: 5e-6 * steps as f64 };
    let actual = device.read::<f32>(values, COMPONENTS * count)?;
    for (component, actual) in actual.chunks(count).enumerate() {
        let actual: Vec<f64> = actual.iter().copied().map(f64::from).collect();
        let expected: Vec<f64> = expected.iter().map(|state| state.0[component]).collect();
        expect_close(
            ["density", "momentum x", "momentum y", "momentum z", "energy"][component],
            &actual,
            &expected,
            tolerance,
        )?;
    }
    Ok(())
}

/// Density, momentum and energy of an element, each per volume.
#[derive(Clone, Copy)]
struct State([f64; COMPONENTS]);

impl State {
    /// The velocity of sound and the pressure are 1 there.
    fn far_field() -> State {
        let (density, pressure) = (GAMMA, 1.0);
        // Down onto the floor.
        let velocity = [MACH * INCIDENCE.cos(), 0.0, -MACH * INCIDENCE.sin()];
        let energy = pressure / (GAMMA - 1.0) + 0.5 * density * dot(velocity, velocity);
        let [x, y, z] = velocity.map(|along| density * along);
        State([density, x, y, z, energy])
    }

    fn velocity(&self) -> [f64; 3] {
        std::array::from_fn(|axis| self.0[axis + 1] / self.0[0])
    }

    fn pressure(&self) -> f64 {
        let [density, .., energy] = self.0;
        (GAMMA - 1.0) * (energy - 0.5 * density * dot(self.velocity(), self.velocity()))
    }

    /// The speed of the fastest wave.
    fn fastest(&self) -> f64 {
        length(self.velocity()) + (GAMMA * self.pressure() / self.0[0]).sqrt()
    }

    /// The flux through a face, whose normal is as long as it is large.
    fn flux(&self, normal: [f64; 3]) -> [f64; COMPONENTS] {
        let through = dot(self.velocity(), normal);
        let mut flux = self.0.map(|component| component * through);
        flux[4] += self.pressure() * through;
        for axis in 0..3 {
            flux[axis + 1] += self.pressure() * normal[axis];
        }
        flux
    }
}

/// All elements after a step in time.
fn advanced(mesh: &Mesh, before: &[State]) -> Vec<State> {
    let factors: Vec<f64> = mesh
        .elements
        .iter()
        .zip(before)
        .map(|(element, state)| 0.5 / (element.half_surface() * state.fastest()))
        .collect();
    let mut states = before.to_vec();
    for stage in 0..STAGES {
        let fluxes: Vec<_> = (0..states.len()).map(|element| inflow(mesh, &states, element)).collect();
        for (element, state) in states.iter_mut().enumerate() {
            let factor = factors[element] / (STAGES - stage) as f64;
            *state = State(std::array::from_fn(|i| before[element].0[i] + factor * fluxes[element][i]));
        }
    }
    states
}

/// The flux into an element through all its faces.
fn inflow(mesh: &Mesh, states: &[State], element: usize) -> [f64; COMPONENTS] {
    let here = states[element];
    let mut sum = [0.0; COMPONENTS];
    for face in &mesh.elements[element].faces {
        let normal = face.inward;
        let mean = |other: &State| -> [f64; COMPONENTS] {
            let (a, b) = (here.flux(normal), other.flux(normal));
            std::array::from_fn(|i| 0.5 * (a[i] + b[i]))
        };
        let flux = match face.neighbour {
            // Nothing but its pressure.
            Neighbour::Wall => {
                let [x, y, z] = normal.map(|along| here.pressure() * along);
                [0.0, x, y, z, 0.0]
            }
            Neighbour::FarField => mean(&State::far_field()),
            Neighbour::Element(number) => {
                let there = states[number];
                let viscosity = 0.5 * SMOOTHING * length(normal) * (here.fastest() + there.fastest());
                let mean = mean(&there);
                std::array::from_fn(|i| mean[i] - viscosity * (here.0[i] - there.0[i]))
            }
        };
        for (sum, flux) in sum.iter_mut().zip(flux) {
            *sum += flux;
        }
    }
    sum
}
