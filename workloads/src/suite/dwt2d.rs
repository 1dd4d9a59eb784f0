// SPDX-License-Identifier: Apache-2.0
//! dwt2d: discrete wavelet transform of an RGB image, forward, with the reversible 5/3 filter on
//! integers and the 9/7 filter on floats.
//!
//! A random image, odd in both extents so that borders and bands are uneven. For each filter `split_*`
//! makes three planes of the image, then `forward_*` transforms each plane, one launch a level: rows
//! first, then columns. The low-low band of a level is the plane of the next. The reference lifts whole
//! rows and whole columns; integers must be equal.

use bytemuck::Pod;

use super::{counted, expect_close, expect_equal, extent, Benchmark, Size, Tolerance};
use crate::{Argument, Device, Module, Result};

pub(super) const DWT2D: Benchmark = Benchmark {
    name: "dwt2d",
    stands_for: "Rodinia dwt2d",
    about: "discrete wavelet transform of an RGB image, 5/3 on integers and 9/7 on floats",
    size: |size| {
        let (image, levels) = input(size);
        format!("{}, {}", extent(image), counted(levels, "level"))
    },
    run,
};

/// Columns that a thread block transforms, and its threads.
const COLUMNS: usize = 64;
/// Rows of a window in shared memory.
const ROWS: usize = 8;
/// Windows that a thread block walks down.
const WINDOWS: usize = 3;
const SPLIT_THREADS: usize = 256;

/// A wavelet filter made of lifting steps.
trait Wavelet {
    type Sample: Pod;
    /// Ending of its kernels' names.
    const NAME: &'static str;
    const STEPS: usize;
    /// A sample of the image, centred on zero.
    fn centre(sample: u8) -> Self::Sample;
    /// The new value of a sample between two others.
    fn lift(step: usize, value: Self::Sample, before: Self::Sample, after: Self::Sample) -> Self::Sample;
    /// The final value of a lifted sample of the high or low band.
    fn scale(value: Self::Sample, high: bool) -> Self::Sample;
    fn check(what: &str, actual: &[Self::Sample], expected: &[Self::Sample]) -> Result<()>;
}

/// LeGall's 5/3 filter, reversible.
struct LeGall;

impl Wavelet for LeGall {
    type Sample = i32;
    const NAME: &'static str = "53";
    const STEPS: usize = 2;

    fn centre(sample: u8) -> i32 {
        i32::from(sample) - 128
    }

    fn lift(step: usize, value: i32, before: i32, after: i32) -> i32 {
        match step {
            0 => value - (before + after).div_euclid(2),
            _ => value + (before + after + 2).div_euclid(4),
        }
    }

    fn scale(value: i32, _high: bool) -> i32 {
        value
    }

    fn check(what: &str, actual: &[i32], expected: &[i32]) -> Result<()> {
        expect_equal(what, actual, expected)
    }
}

/// The 9/7 filter of Cohen, Daubechies and Feauveau.
struct Daubechies;

impl Daubechies {
    const FACTORS: [f32; 4] = [-1.586_134_3, -0.052_980_117, 0.882_911_1, 0.443_506_85];
    const SCALE: f32 = 1.230_174_1;
}

impl Wavelet for Daubechies {
    type Sample = f32;
    const NAME: &'static str = "97";
    const STEPS: usize = 4;

    fn centre(sample: u8) -> f32 {
        f32::from(sample) / 255.0 - 0.5
    }

    fn lift(step: usize, value: f32, before: f32, after: f32) -> f32 {
        value + Daubechies::FACTORS[step] * (before + after)
    }

    fn scale(value: f32, high: bool) -> f32 {
        if high {
            value * Daubechies::SCALE
        } else {
            value / Daubechies::SCALE
        }
    }

    fn check(what: &str, actual: &[f32], expected: &[f32]) -> Result<()> {
        // Samples are of the order of 1; the kernel fuses multiplication and addition in a dozen or so
        // operations a level.
        expect_close(what, actual, expected, Tolerance { relative: 2e-6, absolute: 2e-6 })
    }
}

/// Width and height of the image, and levels of the transform.
fn input(size: Size) -> ([usize; 2], usize) {
    size.pick(([75, 53], 2), ([301, 255], 3), ([1021, 767], 4))
}

fn run(device: &mut Device, size: Size) -> Result<()> {
    let module = Module::parse("dwt2d.sass", include_str!("../../kernels/dwt2d.sass"))?;
    let ([width, height], levels) = input(size);
    let mut random = fastrand::Rng::with_seed(1);
    let image: Vec<[u8; 3]> = (0..width * height).map(|_| [(); 3].map(|()| random.u8(..))).collect();
    transform::<LeGall>(device, &module, &image, width, levels)?;
    transform::<Daubechies>(device, &module, &image, width, levels)
}

/// All three planes of the image through one filter.
fn transform<W: Wavelet>(
    device: &mut Device,
    module: &Module,
    image: &[[u8; 3]],
    width: usize,
    levels: usize,
) -> Result<()> {
    let pixels = image.len();
    let height = pixels / width;
    let integer = |value: usize| Argument::from(value as i32);

    let source = device.upload(image);
    let planes = [(); 3].map(|()| device.allocate(4 * pixels as u64));
    let [red, green, blue] = planes;
    device.launch(
        module,
        &format!("split_{}", W::NAME),
        pixels.div_ceil(SPLIT_THREADS) as u32,
        SPLIT_THREADS as u32,
        0,
        &[source.into(), integer(pixels), red.into(), green.into(), blue.into()],
    )?;

    for (colour, plane) in planes.into_iter().enumerate() {
        let bands = device.allocate(4 * pixels as u64);
        let (mut plane, mut plane_width, mut plane_height) = (plane, width, height);
        for level in 1..=levels {
            let (low_width, low_height) = (plane_width.div_ceil(2), plane_height.div_ceil(2));
            // Between levels the low-low band is a plane of its own; in the end it joins the others.
            let (low_band, low_stride) = if level < levels {
                (device.allocate(4 * (low_width * low_height) as u64), low_width)
            } else {
                (bands, width)
            };
            let blocks = (plane_width.div_ceil(COLUMNS) as u32, plane_height.div_ceil(WINDOWS * ROWS) as u32);
            device.launch(
                module,
                &format!("forward_{}", W::NAME),
                blocks,
                COLUMNS as u32,
                0,
                &[
                    plane.into(),
                    integer(plane_width),
                    integer(plane_height),
                    low_band.into(),
                    integer(low_stride),
                    bands.into(),
                    integer(width),
                    integer(WINDOWS),
                ],
            )?;
            (plane, plane_width, plane_height) = (low_band, low_width, low_height);
        }

        let mut expected: Vec<_> = image.iter().map(|pixel| W::centre(pixel[colour])).collect();
        let (mut low_width, mut low_height) = (width, height);
        for _ in 0..levels {
            forward::<W>(&mut expected, width, low_width, low_height);
            (low_width, low_height) = (low_width.div_ceil(2), low_height.div_ceil(2));
        }
        let what = format!("plane {colour} of the {} transform", W::NAME);
        W::check(&what, &device.read(bands, pixels)?, &expected)?;
    }
    Ok(())
}

/// One level, in place in the top left corner of a plane of rows `stride` apart.
fn forward<W: Wavelet>(plane: &mut [W::Sample], stride: usize, width: usize, height: usize) {
    for row in 0..height {
        let line = forward_line::<W>(plane[row * stride..][..width].to_vec());
        plane[row * stride..][..width].copy_from_slice(&line);
    }
    for column in 0..width {
        let line = (0..height).map(|row| plane[row * stride + column]).collect();
        for (row, sample) in forward_line::<W>(line).into_iter().enumerate() {
            plane[row * stride + column] = sample;
        }
    }
}

/// Lifts odd and even samples in turn, mirroring the line at its ends; then parts low from high.
fn forward_line<W: Wavelet>(mut line: Vec<W::Sample>) -> Vec<W::Sample> {
    let last = line.len() - 1;
    for step in 0..W::STEPS {
        for i in ((step + 1) % 2..line.len()).step_by(2) {
            let before = line[if i == 0 { 1 } else { i - 1 }];
            let after = line[if i == last { last - 1 } else { i + 1 }];
            line[i] = W::lift(step, line[i], before, after);
        }
    }
    let low = line.iter().step_by(2).map(|&sample| W::scale(sample, false));
    let high = line.iter().skip(1).step_by(2).map(|&sample| W::scale(sample, true));
    low.chain(high).collect()
}
