// SPDX-License-Identifier: Apache-2.0
//! Rodinia's Kmeans: points grouped around five centres.
//!
//! `invert_mapping` turns the layout of the points' 34 features (those of Rodinia's kdd_cup) once.
//! Then `assign_points` finds each point's nearest centre, a thread per point in blocks of 256, and
//! the host moves the centres to the means of their points, until no point changes its centre or
//! the rounds are used up.

use crate::device::Device;
use crate::error::Result;
use crate::listing::Module;

use super::{counted, expect_equal, Benchmark, Size};

pub(super) const KMEANS: Benchmark = Benchmark {
    name: "kmeans",
    stands_for: "Rodinia kmeans",
    about: "points of 34 features grouped around 5 centres",
    size: |size| counted(points(size), "point"),
    run,
};

const THREADS: u32 = 256;
const FEATURES: usize = 34;
const CLUSTERS: usize = 5;
const UNASSIGNED: i32 = -1;

type Point = [f32; FEATURES];

fn points(size: Size) -> usize {
    size.pick(1024, 16_384, 131_072)
}

fn run(device: &mut Device, size: Size) -> Result<()> {
    let count = points(size);
    let rounds = size.pick(4, 6, 8);
    let mut random = fastrand::Rng::with_seed(1);
    let points: Vec<Point> = (0..count).map(|_| std::array::from_fn(|_| random.f32())).collect();

    let module = Module::parse("kmeans.sass", include_str!("../../kernels/kmeans.sass"))?;
    let blocks = (count as u32).div_ceil(THREADS);
    let (point_argument, feature_argument) = ((count as i32).into(), (FEATURES as i32).into());
    let by_point = device.upload(&points);
    let by_feature = device.allocate((count * FEATURES * 4) as u64);
    let arguments = [by_point.into(), by_feature.into(), point_argument, feature_argument];
    device.launch(&module, "invert_mapping", blocks, THREADS, 0, &arguments)?;
    let inverted: Vec<f32> =
        (0..FEATURES).flat_map(|feature| points.iter().map(move |point| point[feature])).collect();
    expect_equal("feature", &device.read::<f32>(by_feature, count * FEATURES)?, &inverted)?;

    let membership = device.upload(&vec![UNASSIGNED; count]);
    let found = cluster(&points, rounds, |centres| {
        device.write_symbol(&module, "centres", centres)?;
        let arguments = [
            by_feature.into(),
            (FEATURES as i32).into(),
            (count as i32).into(),
            (CLUSTERS as i32).into(),
            membership.into(),
        ];
        device.launch(&module, "assign_points", blocks, THREADS, 0, &arguments)?;
        device.read::<i32>(membership, count)
    })?;

    let expected = cluster(&points, rounds, |centres| {
        Ok(points.iter().map(|point| nearest_centre(point, centres)).collect())
    })?;
    expect_equal("membership", &found, &expected)
}

/// Groups the points, from the first few as centres, with `assign` to find the nearest centre of each.
fn cluster(
    points: &[Point],
    rounds: usize,
    mut assign: impl FnMut(&[Point; CLUSTERS]) -> Result<Vec<i32>>,
) -> Result<Vec<i32>> {
    let mut centres: [Point; CLUSTERS] = std::array::from_fn(|cluster| points[cluster]);
    let mut membership = vec![UNASSIGNED; points.len()];
    for _ in 0..rounds {
        let assigned = assign(&centres)?;
        if assigned == membership {
            break;
        }
        membership = assigned;
        centres = means(points, &membership, &centres);
    }
    Ok(membership)
}

/// The means of the clusters' points. A cluster without points keeps its centre.
fn means(points: &[Point], membership: &[i32], centres: &[Point; CLUSTERS]) -> [Point; CLUSTERS] {
    let mut sums = [[0f64; FEATURES]; CLUSTERS];
    let mut sizes = [0usize; CLUSTERS];
    for (point, &cluster) in points.iter().zip(membership) {
        sizes[cluster as usize] += 1;
        for (sum, feature) in sums[cluster as usize].iter_mut().zip(point) {
            *sum += f64::from(*feature);
        }
    }
    std::array::from_fn(|cluster| match sizes[cluster] {
        0 => centres[cluster],
        size => sums[cluster].map(|sum| (sum / size as f64) as f32),
    })
}

/// Rounded like the kernel's code, so that both agree even where two centres are almost equally near.
fn nearest_centre(point: &Point, centres: &[Point; CLUSTERS]) -> i32 {
    let mut nearest = UNASSIGNED;
    let mut nearest_distance = f32::MAX;
    for (centre, cluster) in centres.iter().zip(0..) {
        let mut distance = 0f32;
        for (feature, coordinate) in point.iter().zip(centre) {
            let difference = feature - coordinate;
            distance = difference.mul_add(difference, distance);
        }
        if distance < nearest_distance {
            nearest_distance = distance;
            nearest = cluster;
        }
    }
    nearest
}
