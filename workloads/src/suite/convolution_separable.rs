// SPDX-License-Identifier: Apache-2.0
//! The CUDA SDK's convolutionSeparable: an image convolved with a separable filter, rows first, then columns.
//!
//! A filter of 17 taps and a random image with zeros around it. The reference convolves with the square
//! filter that the two make, in double precision.

use super::{expect_close, extent, Benchmark, Size, Tolerance};
use crate::{Device, Module, Result};

pub(super) const CONVOLUTION_SEPARABLE: Benchmark = Benchmark {
    name: "convolutionSeparable",
    stands_for: "SDK, CS",
    about: "convolution of an image with a separable filter of 17 × 17 taps",
    size: |size| extent(image(size)),
    run,
};

const RADIUS: usize = 8;
/// Pixels of a block of either kernel, and its threads.
const ROWS_TILE: (u32, u32) = (128, 4);
const ROWS_BLOCK: (u32, u32) = (16, 4);
const COLUMNS_TILE: (u32, u32) = (16, 64);
const COLUMNS_BLOCK: (u32, u32) = (16, 8);

/// Width and height of the image.
fn image(size: Size) -> [u32; 2] {
    size.pick([128, 128], [1024, 512], [2048, 2048])
}

fn run(device: &mut Device, size: Size) -> Result<()> {
    let [width, height] = image(size);
    let pixels = (width * height) as usize;
    let mut random = fastrand::Rng::with_seed(7);
    let taps: Vec<f32> = (0..=2 * RADIUS).map(|_| random.f32()).collect();
    let image: Vec<f32> = (0..pixels).map(|_| f32::from(random.u8(..16))).collect();

    let module = Module::parse(
        "convolution_separable.sass",
        include_str!("../../kernels/convolution_separable.sass"),
    )?;
    device.write_symbol(&module, "taps", &taps)?;
    let source = device.upload(&image);
    let [between, target] = [(); 2].map(|()| device.allocate(4 * pixels as u64));
    let grid = |(x, y): (u32, u32)| (width / x, height / y);
    let (width_argument, height_argument) = ((width as i32).into(), (height as i32).into());
    let arguments = [source.into(), between.into(), width_argument];
    device.launch(&module, "convolve_rows", grid(ROWS_TILE), ROWS_BLOCK, 0, &arguments)?;
    let [_, between, width_argument] = arguments;
    let arguments = [between, target.into(), width_argument, height_argument];
    device.launch(&module, "convolve_columns", grid(COLUMNS_TILE), COLUMNS_BLOCK, 0, &arguments)?;

    let image = Image { pixels: image, width: width as usize, height: height as usize };
    let actual = device.read::<f32>(target, pixels)?;
    // Nothing is negative: 34 products and sums in single precision.
    let tolerance = Tolerance { relative: 4e-6, absolute: 0.0 };
    match size {
        // 289 products a pixel would take minutes of a large image: one row in 61 and one column in 67 show
        // all of a tile.
        Size::Large => {
            let places =
                (0..image.height).step_by(61).flat_map(|y| (0..image.width).step_by(67).map(move |x| (x, y)));
            let (actual, expected): (Vec<f64>, Vec<f64>) = places
                .map(|(x, y)| (f64::from(actual[y * image.width + x]), image.filtered(&taps, x, y)))
                .unzip();
            expect_close("sampled pixel", &actual, &expected, tolerance)
        }
        _ => {
            let places = (0..image.height).flat_map(|y| (0..image.width).map(move |x| (x, y)));
            let expected: Vec<f64> = places.map(|(x, y)| image.filtered(&taps, x, y)).collect();
            let actual: Vec<f64> = actual.into_iter().map(f64::from).collect();
            expect_close("pixel", &actual, &expected, tolerance)
        }
    }
}

/// Row by row.
struct Image {
    pixels: Vec<f32>,
    width: usize,
    height: usize,
}

impl Image {
    /// The pixel at a place after the convolution.
    fn filtered(&self, taps: &[f32], x: usize, y: usize) -> f64 {
        let reach = |at: usize, extent: usize| at.saturating_sub(RADIUS)..(at + RADIUS + 1).min(extent);
        // A filter is laid over the image back to front.
        let tap = |at: usize, from: usize| f64::from(taps[at + RADIUS - from]);
        let row = |from_y: usize| -> f64 {
            let pixel = |from_x: usize| f64::from(self.pixels[from_y * self.width + from_x]);
            reach(x, self.width).map(|from_x| tap(x, from_x) * pixel(from_x)).sum()
        };
        reach(y, self.height).map(|from_y| tap(y, from_y) * row(from_y)).sum()
    }
}
