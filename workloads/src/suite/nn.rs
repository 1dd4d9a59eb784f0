// SPDX-License-Identifier: Apache-2.0
//! Rodinia's nn: the records of hurricanes nearest to a place.
//!
//! `euclid` computes the distance of every record, a thread each in blocks of 256; the host picks the
//! ten nearest. Small has as many records as Rodinia.

use bytemuck::NoUninit;

use crate::device::Device;
use crate::error::Result;
use crate::listing::Module;

use super::{counted, expect_close, expect_equal, Benchmark, Size, Tolerance};

pub(super) const NN: Benchmark = Benchmark {
    name: "nn",
    stands_for: "Rodinia nn",
    about: "distances of records from a place, a thread per record",
    size: |size| counted(records(size), "record"),
    run,
};

const THREADS: u32 = 256;
/// Records that are compared at a time.
const PIECE: usize = 1 << 20;
const NEAREST: usize = 10;
const HERE: Coordinates = Coordinates { latitude: 30.0, longitude: 90.0 };

/// As the kernel has it.
#[derive(Clone, Copy, NoUninit)]
#[repr(C)]
struct Coordinates {
    latitude: f32,
    longitude: f32,
}

fn records(size: Size) -> usize {
    size.pick(42_764, 1_500_000, 8_000_000)
}

fn run(device: &mut Device, size: Size) -> Result<()> {
    let count = records(size);
    let mut random = fastrand::Rng::with_seed(1);
    let mut again = random.clone();

    let module = Module::parse("nn.sass", include_str!("../../kernels/nn.sass"))?;
    let device_places = device.upload(&places(&mut random, count));
    let device_distances = device.allocate(count as u64 * 4);
    let arguments = [
        device_places.into(),
        device_distances.into(),
        (count as i32).into(),
        HERE.latitude.into(),
        HERE.longitude.into(),
    ];
    device.launch(&module, "euclid", (count as u32).div_ceil(THREADS), THREADS, 0, &arguments)?;

    // The kernel fuses one multiplication with the addition: half a unit in the last place more or
    // less before the root.
    let tolerance = Tolerance { relative: 2e-7, absolute: 0.0 };
    let (mut found, mut expected) = (Nearest::default(), Nearest::default());
    // Piece by piece, as there are many.
    for start in (0..count).step_by(PIECE) {
        let piece = PIECE.min(count - start);
        let distances = device.read::<f32>(device_distances.offset(start as u64 * 4), piece)?;
        let right: Vec<f32> = places(&mut again, piece).iter().map(distance).collect();
        expect_close(&format!("distance from {start} on"), &distances, &right, tolerance)?;
        found.add(start, &distances);
        expected.add(start, &right);
    }
    expect_equal("nearest record", &found.records(), &expected.records())
}

fn places(random: &mut fastrand::Rng, count: usize) -> Vec<Coordinates> {
    let mut place = || Coordinates { latitude: 7.0 + 56.0 * random.f32(), longitude: 358.0 * random.f32() };
    (0..count).map(|_| place()).collect()
}

/// In degrees, on a flat map.
fn distance(place: &Coordinates) -> f32 {
    let latitude = HERE.latitude - place.latitude;
    let longitude = HERE.longitude - place.longitude;
    (latitude * latitude + longitude * longitude).sqrt()
}

/// The records with the smallest distances, nearest first.
#[derive(Default)]
struct Nearest {
    sorted: Vec<(f32, usize)>,
}

impl Nearest {
    /// Takes the distances of records from number `start` on.
    fn add(&mut self, start: usize, distances: &[f32]) {
        for (number, &distance) in (start..).zip(distances) {
            let place = self.sorted.partition_point(|(nearer, _)| *nearer <= distance);
            if place < NEAREST {
                self.sorted.insert(place, (distance, number));
                self.sorted.truncate(NEAREST);
            }
        }
    }

    fn records(&self) -> Vec<usize> {
        self.sorted.iter().map(|(_, number)| *number).collect()
    }
}
