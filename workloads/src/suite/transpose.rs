// SPDX-License-Identifier: Apache-2.0
//! The CUDA SDK's transpose: a matrix transposed in four ways.
//!
//! A launch for each way, whose results must all be the transpose.

use super::{expect_equal, extent, Benchmark, Size};
use crate::{Device, Module, Result};

pub(super) const TRANSPOSE: Benchmark = Benchmark {
    name: "transpose",
    stands_for: "SDK, TR",
    about: "a matrix transposed in four ways",
    size: |size| extent(matrix(size)),
    run,
};

const TILE: u32 = 32;
const BLOCK: (u32, u32) = (32, 8);

/// Width and height of the matrix.
fn matrix(size: Size) -> [u32; 2] {
    size.pick([128, 96], [1024, 512], [2048, 2048])
}

fn run(device: &mut Device, size: Size) -> Result<()> {
    let [width, height] = matrix(size);
    let elements = width * height;
    let matrix: Vec<u32> = (0..elements).collect();

    let module = Module::parse("transpose.sass", include_str!("../../kernels/transpose.sass"))?;
    let source = device.upload(&matrix);
    for kernel in ["transpose_naive", "transpose_coalesced", "transpose_padded", "transpose_diagonal"] {
        let target = device.allocate(4 * u64::from(elements));
        let arguments = [target.into(), source.into(), (width as i32).into(), (height as i32).into()];
        device.launch(&module, kernel, (width / TILE, height / TILE), BLOCK, 0, &arguments)?;

        let expected: Vec<u32> = (0..width).flat_map(|x| (0..height).map(move |y| y * width + x)).collect();
        expect_equal(kernel, &device.read::<u32>(target, elements as usize)?, &expected)?;
    }
    Ok(())
}
