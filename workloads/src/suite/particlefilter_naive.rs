// SPDX-License-Identifier: Apache-2.0
//! particlefilter naive: the same filter as the float version, with only the resampling on the device.
//!
//! For each frame after the first the host moves and weighs the particles, uploads them, launches
//! `find_index`, and reads the resampled ones back. The device only compares and copies, so that they
//! must equal those of the reference, which resamples on the host.

use super::particlefilter_float::{Particles, Video, THREADS};
use super::{counted, expect_equal, Benchmark, Size};
use crate::{Device, Module, Result};

pub(super) const PARTICLEFILTER_NAIVE: Benchmark = Benchmark {
    name: "particlefilter_naive",
    stands_for: "Rodinia particlefilter",
    about: "resampling of a particle filter by linear search, double precision",
    size: |size| counted(input(size).0, "particle"),
    run,
};

/// Particles, frames, and pixels of a side of a frame.
fn input(size: Size) -> (usize, usize, usize) {
    size.pick((500, 4, 32), (2500, 6, 64), (8000, 8, 128))
}

fn run(device: &mut Device, size: Size) -> Result<()> {
    let module =
        Module::parse("particlefilter_naive.sass", include_str!("../../kernels/particlefilter_naive.sass"))?;
    let (count, frames, side) = input(size);
    let video = Video::new(frames, side);
    let mut particles = Particles::new(count, &video);
    let [x, y, cumulative, draws, resampled_x, resampled_y] =
        [(); 6].map(|()| device.allocate(8 * count as u64));

    for frame in 1..frames {
        particles.weigh(&video, frame);
        particles.normalize();
        device.write(x, &particles.x)?;
        device.write(y, &particles.y)?;
        device.write(cumulative, &particles.cumulative)?;
        device.write(draws, &particles.draws)?;
        device.launch(
            &module,
            "find_index",
            count.div_ceil(THREADS) as u32,
            THREADS as u32,
            0,
            &[
                x.into(),
                y.into(),
                cumulative.into(),
                draws.into(),
                resampled_x.into(),
                resampled_y.into(),
                (count as i32).into(),
            ],
        )?;
        particles.resample();
        expect_equal("x", &device.read::<f64>(resampled_x, count)?, &particles.resampled_x)?;
        expect_equal("y", &device.read::<f64>(resampled_y, count)?, &particles.resampled_y)?;
    }
    Ok(())
}
