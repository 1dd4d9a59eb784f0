// SPDX-License-Identifier: Apache-2.0
//! Parboil's TPACF: histograms of the angles between galaxies, for their two-point angular correlation.
//!
//! One set of observed points and one or several random ones, on the northern half of the sphere; observed
//! points cluster. Bins are even in the logarithm of the angle, five a decade, from 1 to 10,000 arc minutes.
//! The reference finds a pair's bin by going through all bounds.

use super::{counted, expect_equal, Benchmark, Size};
use crate::{Device, Module, Result};

pub(super) const TPACF: Benchmark = Benchmark {
    name: "tpacf",
    stands_for: "Parboil, TA",
    about: "histograms of the angles between points of the sphere",
    size: |size| {
        let (sets, points) = input(size);
        format!("{} of {points}", counted(sets, "set"))
    },
    run,
};

const BINS: usize = 20;
const BINS_PER_DECADE: f64 = 5.0;
const THREADS: u32 = 256;

/// Random sets, and points of a set.
fn input(size: Size) -> (usize, usize) {
    size.pick((1, 64), (28, 192), (28, 512))
}

fn run(device: &mut Device, size: Size) -> Result<()> {
    let (sets, points) = input(size);
    let mut random = fastrand::Rng::with_seed(15);
    let mut all = vec![clustered(points, &mut random)];
    all.extend((0..sets).map(|_| (0..points).map(|_| anywhere(&mut random)).collect()));
    let bounds = bounds();

    let module = Module::parse("tpacf.sass", include_str!("../../kernels/tpacf.sass"))?;
    device.write_symbol(&module, "bounds", &bounds)?;
    let blocks = 1 + 2 * sets;
    let histograms = device.allocate((8 * blocks * BINS) as u64);
    let coordinate = |axis: usize| all.iter().flatten().map(|point| point[axis]).collect::<Vec<f32>>();
    let [x, y, z] = [0, 1, 2].map(|axis| device.upload(&coordinate(axis)));
    let arguments =
        [histograms.into(), x.into(), y.into(), z.into(), (sets as i32).into(), (points as i32).into()];
    device.launch(&module, "angular_histograms", blocks as u32, THREADS, 0, &arguments)?;

    let mut expected = vec![];
    for set in &all {
        let pairs = (0..points).flat_map(|i| (0..i).map(move |j| (set[j], set[i])));
        expected.extend(histogram(pairs, &bounds));
    }
    for set in &all[1..] {
        let pairs = all[0].iter().flat_map(|&observed| set.iter().map(move |&random| (observed, random)));
        expected.extend(histogram(pairs, &bounds));
    }
    expect_equal("histogram", &device.read::<u64>(histograms, expected.len())?, &expected)
}

/// On the unit sphere.
type Point = [f32; 3];

/// Evenly distributed on the northern half.
fn anywhere(random: &mut fastrand::Rng) -> Point {
    on_sphere(std::f64::consts::TAU * random.f64(), random.f64())
}

/// A few points, and others near to them.
fn clustered(count: usize, random: &mut fastrand::Rng) -> Vec<Point> {
    let centres: Vec<[f64; 2]> =
        (0..count.div_ceil(16)).map(|_| [std::f64::consts::TAU * random.f64(), random.f64()]).collect();
    let near = |random: &mut fastrand::Rng| {
        let [longitude, height] = centres[random.usize(..centres.len())];
        let spread = |random: &mut fastrand::Rng| 0.02 * (random.f64() - 0.5);
        on_sphere(longitude + spread(random), (height + spread(random)).clamp(0.0, 1.0))
    };
    (0..count).map(|_| near(random)).collect()
}

fn on_sphere(longitude: f64, height: f64) -> Point {
    let around = (1.0 - height * height).sqrt();
    [around * longitude.cos(), around * longitude.sin(), height].map(|coordinate| coordinate as f32)
}

/// Cosines of the angles between bins: falling.
fn bounds() -> [f32; BINS + 1] {
    std::array::from_fn(|bin| {
        let minutes = 10f64.powf(bin as f64 / BINS_PER_DECADE);
        (minutes / 60.0).to_radians().cos() as f32
    })
}

/// Pairs closer than the first bound count to the first bin, those farther than the last one to none.
fn histogram(pairs: impl Iterator<Item = (Point, Point)>, bounds: &[f32; BINS + 1]) -> [u64; BINS] {
    let mut counts = [0; BINS];
    for (a, b) in pairs {
        // As the kernel rounds: a product, and two fused multiplications and additions.
        let cosine = a[2].mul_add(b[2], a[1].mul_add(b[1], a[0] * b[0]));
        if let Some(bin) = bounds[1..].iter().position(|&bound| cosine >= bound) {
            counts[bin] += 1;
        }
    }
    counts
}
