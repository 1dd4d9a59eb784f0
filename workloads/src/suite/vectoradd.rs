// SPDX-License-Identifier: Apache-2.0
//! Sum of two vectors, the CUDA toolkit's first sample: blocks of 256 threads, a thread per element.

use crate::device::Device;
use crate::error::Result;
use crate::listing::Module;

use super::{counted, expect_equal, Benchmark, Size};

pub(super) const VECTORADD: Benchmark = Benchmark {
    name: "vectoradd",
    stands_for: "CUDA sample",
    about: "sum of two vectors (CUDA sample), a thread per element",
    size: |size| counted(elements(size), "element"),
    run,
};

const THREADS: u32 = 256;
/// Elements that are compared at a time.
const PIECE: usize = 1 << 20;

fn elements(size: Size) -> usize {
    (THREADS * size.pick(256, 4096, 1 << 15)) as usize
}

fn run(device: &mut Device, size: Size) -> Result<()> {
    let count = elements(size);
    let mut random = fastrand::Rng::with_seed(1);
    let mut upload = |device: &mut Device| {
        let start = random.clone();
        (device.upload(&vector(&mut random, count)), start)
    };
    let (device_a, mut a) = upload(device);
    let (device_b, mut b) = upload(device);

    let module = Module::parse("vectoradd.sass", include_str!("../../kernels/vectoradd.sass"))?;
    let device_c = device.allocate(count as u64 * 4);
    let arguments = [device_a.into(), device_b.into(), device_c.into(), (count as u32).into()];
    device.launch(&module, "vectoradd", count as u32 / THREADS, THREADS, 0, &arguments)?;

    // Piece by piece, as the vectors are large.
    for start in (0..count).step_by(PIECE) {
        let piece = PIECE.min(count - start);
        let terms = vector(&mut a, piece).into_iter().zip(vector(&mut b, piece));
        let expected: Vec<f32> = terms.map(|(a, b)| a + b).collect();
        let sums = device.read::<f32>(device_c.offset(start as u64 * 4), piece)?;
        expect_equal(&format!("sum from {start} on"), &sums, &expected)?;
    }
    Ok(())
}

fn vector(random: &mut fastrand::Rng, count: usize) -> Vec<f32> {
    (0..count).map(|_| random.f32()).collect()
}
