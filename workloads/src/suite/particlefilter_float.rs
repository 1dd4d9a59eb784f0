// SPDX-License-Identifier: Apache-2.0
//! particlefilter float: a particle filter follows a disk through a noisy video, all on the device.
//!
//! For each frame after the first, `likelihood` moves the particles and weighs them, `sum` adds the
//! weights, `normalize_weights` divides by the sum, `accumulate` forms the cumulative distribution, and
//! `find_index` resamples. The reference takes the same steps in the order of the particles; [`Video`]
//! and [`Particles`] also serve the naive version, where the host takes most of them.

use super::{counted, expect_close, Benchmark, Size, Tolerance};
use crate::{Device, Module, Result};

pub(super) const PARTICLEFILTER_FLOAT: Benchmark = Benchmark {
    name: "particlefilter_float",
    stands_for: "Rodinia particlefilter",
    about: "a disk followed through a noisy video, all steps on the device, double precision",
    size: |size| counted(input(size).0, "particle"),
    run,
};

/// Threads of a block.
pub(super) const THREADS: usize = 128;
/// The disk's radius, in pixels.
const RADIUS: i32 = 5;
const BACKGROUND: f64 = 100.0;
const DISK: f64 = 228.0;

/// Particles, frames, and pixels of a side of a frame.
fn input(size: Size) -> (usize, usize, usize) {
    size.pick((192, 4, 32), (1000, 10, 64), (4000, 8, 128))
}

fn run(device: &mut Device, size: Size) -> Result<()> {
    let module =
        Module::parse("particlefilter_float.sass", include_str!("../../kernels/particlefilter_float.sass"))?;
    let (count, frames, side) = input(size);
    let video = Video::new(frames, side);
    let mut expected = Particles::new(count, &video);

    let seeds = device.upload(&expected.seeds);
    let resampled_x = device.upload(&expected.resampled_x);
    let resampled_y = device.upload(&expected.resampled_y);
    let pixels = device.upload(&video.pixels);
    let disk = disk();
    let disk_points = device.upload(&disk);
    let indices = device.allocate(4 * (count * disk.len()) as u64);
    let [x, y, weights, cumulative, draws] = [(); 5].map(|()| device.allocate(8 * count as u64));
    let blocks = count.div_ceil(THREADS) as u32;
    let partial_sums = device.allocate(8 * u64::from(blocks));
    let first_draw = device.allocate(8);
    let particles = count as i32;

    for frame in 1..frames {
        let mut launch = |kernel, blocks, arguments: &[_]| {
            device.launch(&module, kernel, blocks, THREADS as u32, 0, arguments)
        };
        launch(
            "likelihood",
            blocks,
            &[
                x.into(),
                y.into(),
                resampled_x.into(),
                resampled_y.into(),
                indices.into(),
                disk_points.into(),
                (disk.len() as i32).into(),
                pixels.into(),
                weights.into(),
                seeds.into(),
                partial_sums.into(),
                particles.into(),
                (frame as i32).into(),
                (frames as i32).into(),
                (side as i32).into(),
                (video.pixels.len() as i32).into(),
            ],
        )?;
        launch(
            "sum",
            1,
            &[partial_sums.into(), (blocks as i32).into(), first_draw.into(), seeds.into(), particles.into()],
        )?;
        launch(
            "normalize_weights",
            blocks,
            &[weights.into(), partial_sums.into(), first_draw.into(), draws.into(), particles.into()],
        )?;
        launch("accumulate", 1, &[weights.into(), cumulative.into(), particles.into()])?;
        launch(
            "find_index",
            blocks,
            &[
                x.into(),
                y.into(),
                cumulative.into(),
                draws.into(),
                resampled_x.into(),
                resampled_y.into(),
                particles.into(),
            ],
        )?;

        expected.weigh(&video, frame);
        expected.normalize();
        expected.resample();
    }

    // Exponents reach a few hundred, which multiplies the rounding error of what is exponentiated.
    let tolerance = Tolerance { relative: 1e-10, absolute: 1e-12 };
    expect_close("cumulative", &device.read::<f64>(cumulative, count)?, &expected.cumulative, tolerance)?;
    expect_close("x", &device.read::<f64>(resampled_x, count)?, &expected.resampled_x, tolerance)?;
    expect_close("y", &device.read::<f64>(resampled_y, count)?, &expected.resampled_y, tolerance)
}

/// A bright disk that moves over a darker background, with noise on both.
pub(super) struct Video {
    frames: usize,
    /// Width and height.
    side: usize,
    /// The frames of a pixel lie side by side.
    pixels: Vec<u8>,
}

impl Video {
    /// The disk starts in the middle and moves one pixel in x and two in y a frame.
    pub(super) fn new(frames: usize, side: usize) -> Video {
        let mut random = fastrand::Rng::with_seed(4);
        let mut pixels = vec![0; frames * side * side];
        let middle = side as i32 / 2;
        for x in 0..side {
            for y in 0..side {
                for frame in 0..frames {
                    let shift = frame as i32;
                    let (from_x, from_y) = (x as i32 - middle - shift, y as i32 - middle + 2 * shift);
                    let inside = from_x * from_x + from_y * from_y < RADIUS * RADIUS;
                    let noise = 20.0 * (random.f64() - 0.5);
                    let pixel = if inside { DISK } else { BACKGROUND } + noise;
                    pixels[(x * side + y) * frames + frame] = pixel as u8;
                }
            }
        }
        Video { frames, side, pixels }
    }
}

/// The points of the disk about its centre, y before x.
fn disk() -> Vec<[i32; 2]> {
    let across = 1 - RADIUS..RADIUS;
    let points = across.clone().flat_map(|y| across.clone().map(move |x| [y, x]));
    points.filter(|[y, x]| x * x + y * y < RADIUS * RADIUS).collect()
}

/// The filter's state.
pub(super) struct Particles {
    seeds: Vec<i32>,
    pub(super) x: Vec<f64>,
    pub(super) y: Vec<f64>,
    weights: Vec<f64>,
    /// Sums of the weights up to each particle's.
    pub(super) cumulative: Vec<f64>,
    /// Where in the distribution each particle is drawn again.
    pub(super) draws: Vec<f64>,
    pub(super) resampled_x: Vec<f64>,
    pub(super) resampled_y: Vec<f64>,
}

impl Particles {
    /// All of them in the middle of the video.
    pub(super) fn new(count: usize, video: &Video) -> Particles {
        let mut random = fastrand::Rng::with_seed(3);
        let zeros = vec![0.0; count];
        let middle = vec![(video.side / 2) as f64; count];
        Particles {
            seeds: (0..count).map(|_| random.i32(1..i32::MAX)).collect(),
            x: zeros.clone(),
            y: zeros.clone(),
            weights: zeros.clone(),
            cumulative: zeros.clone(),
            draws: zeros,
            resampled_x: middle.clone(),
            resampled_y: middle,
        }
    }

    /// Moves every particle by the motion model and weighs it by how much the frame looks like a disk
    /// there.
    pub(super) fn weigh(&mut self, video: &Video, frame: usize) {
        let disk = disk();
        for i in 0..self.x.len() {
            self.x[i] = self.resampled_x[i] + 1.0 + 5.0 * self.normal(i);
            self.y[i] = self.resampled_y[i] - 2.0 + 2.0 * self.normal(i);
            let (centre_x, centre_y) = (self.x[i].round() as i32, self.y[i].round() as i32);
            let mut likelihood = 0.0;
            for [y, x] in &disk {
                let place = (centre_x + x) * video.side as i32 + centre_y + y;
                let index = (place * video.frames as i32 + frame as i32).unsigned_abs() as usize;
                let pixel = f64::from(video.pixels.get(index).copied().unwrap_or(video.pixels[0]));
                likelihood += ((pixel - BACKGROUND).powi(2) - (pixel - DISK).powi(2)) / 50.0;
            }
            self.weights[i] = (likelihood / disk.len() as f64).exp() / self.x.len() as f64;
        }
    }

    /// Makes the weights a distribution and chooses where to draw from it.
    pub(super) fn normalize(&mut self) {
        let count = self.x.len() as f64;
        let total: f64 = self.weights.iter().sum();
        let first_draw = self.uniform(0) / count;
        let mut running = 0.0;
        for i in 0..self.x.len() {
            self.weights[i] /= total;
            running += self.weights[i];
            self.cumulative[i] = running;
            self.draws[i] = first_draw + i as f64 / count;
        }
    }

    /// Draws every particle again.
    pub(super) fn resample(&mut self) {
        for i in 0..self.x.len() {
            let found = self.cumulative.iter().position(|&sum| sum >= self.draws[i]);
            let index = found.unwrap_or(self.x.len() - 1);
            self.resampled_x[i] = self.x[index];
            self.resampled_y[i] = self.y[index];
        }
    }

    /// The next value of a particle's linear congruential generator, in [0, 1].
    fn uniform(&mut self, index: usize) -> f64 {
        let next = self.seeds[index].wrapping_mul(1_103_515_245).wrapping_add(12345);
        self.seeds[index] = next % i32::MAX;
        (f64::from(self.seeds[index]) / f64::from(i32::MAX)).abs()
    }

    /// A normally distributed value, by the method of Box and Muller.
    fn normal(&mut self, index: usize) -> f64 {
        let (u, v) = (self.uniform(index), self.uniform(index));
        (-2.0 * u.ln()).sqrt() * (2.0 * std::f64::consts::PI * v).cos()
    }
}
