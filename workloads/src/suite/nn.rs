//! Rodinia's nn: the records of hurricanes nearest to a place.
//!
//! `euclid` computes the distance of every record, a thread each in blocks of 256; the host picks the
//! ten nearest. 42,764 records (Rodinia's number), 1,500,000 and 16,800,000; the last need a grid of
//! two dimensions, as Rodinia lays it out: rows of at most 65,535 blocks.

use bytemuck::NoUninit;

use crate::device::Device;
use crate::error::Result;
use crate::listing::Module;

use super::{expect_close, expect_equal, Benchmark, Size, Tolerance};

pub(super) const NN: Benchmark =
    Benchmark { name: "nn", about: "distances of records from a place, a thread per record", run };

const THREADS: u32 = 256;
const BLOCKS_PER_ROW: u32 = 65_535;
const NEAREST: usize = 10;
const HERE: Place = Place { latitude: 30.0, longitude: 90.0 };

/// As the kernel has it.
#[derive(Clone, Copy, NoUninit)]
#[repr(C)]
struct Place {
    latitude: f32,
    longitude: f32,
}

fn run(device: &mut Device, size: Size) -> Result<()> {
    let count: usize = size.pick(42_764, 1_500_000, 16_800_000);
    let mut random = fastrand::Rng::with_seed(1);
    let places: Vec<Place> = (0..count)
        .map(|_| Place { latitude: 7.0 + 56.0 * random.f32(), longitude: 358.0 * random.f32() })
        .collect();

    let module = Module::parse("nn.sass", include_str!("../../kernels/nn.sass"))?;
    let device_places = device.upload(&places);
    let device_distances = device.allocate(count as u64 * 4);
    let blocks = (count as u32).div_ceil(THREADS);
    let grid = (blocks.min(BLOCKS_PER_ROW), blocks.div_ceil(BLOCKS_PER_ROW));
    let arguments = [
        device_places.into(),
        device_distances.into(),
        (count as i32).into(),
        HERE.latitude.into(),
        HERE.longitude.into(),
    ];
    device.launch(&module, "euclid", grid, THREADS, 0, &arguments)?;

    let distances = device.read::<f32>(device_distances, count)?;
    let expected: Vec<f32> = places.iter().map(distance).collect();
    // The kernel fuses one multiplication with the addition: half a unit in the last place more or
    // less before the root.
    let tolerance = Tolerance { relative: 2e-7, absolute: 0.0 };
    expect_close("distance", &distances, &expected, tolerance)?;
    expect_equal("nearest record", &nearest(&distances), &nearest(&expected))
}

/// In degrees, on a flat map.
fn distance(place: &Place) -> f32 {
    let latitude = HERE.latitude - place.latitude;
    let longitude = HERE.longitude - place.longitude;
    (latitude * latitude + longitude * longitude).sqrt()
}

/// The records with the smallest distances, nearest first.
fn nearest(distances: &[f32]) -> Vec<usize> {
    let mut records: Vec<usize> = (0..distances.len()).collect();
    records.select_nth_unstable_by(NEAREST, |&a, &b| distances[a].total_cmp(&distances[b]));
    records.truncate(NEAREST);
    records.sort_by(|&a, &b| distances[a].total_cmp(&distances[b]));
    records
}
