// SPDX-License-Identifier: Apache-2.0
//! FP32 matrix product on the CUDA cores.
//!
//! Three launches, with a thread block per 128 x 128 tile: C = A B (a layer's forward product), C = A Bᵀ (the
//! gradient of its input) and C = Aᵀ B (the gradient of its weights).

use super::gemm::{product, sixteenths, transpose, GemmShape, Tile};
use super::{expect_equal, Benchmark, Size};
use crate::device::Device;
use crate::error::Result;
use crate::listing::Module;

pub(super) const SGEMM: Benchmark = Benchmark {
    name: "sgemm",
    stands_for: "",
    about: "FP32 matrix product, forward and gradients (CUDA cores)",
    size: |size| shape(size).to_string(),
    run,
};

fn shape(size: Size) -> GemmShape {
    size.pick(GemmShape::new(256, 128, 32), GemmShape::new(512, 256, 256), GemmShape::new(1024, 512, 512))
}

fn run(device: &mut Device, size: Size) -> Result<()> {
    let shape = shape(size);
    let mut random = fastrand::Rng::with_seed(32);
    let a = sixteenths(&mut random, shape.m * shape.k);
    let b = sixteenths(&mut random, shape.k * shape.n);
    let expected = product(shape, &a, &b);

    let module = Module::parse("sgemm.sass", include_str!("../../kernels/sgemm.sass"))?;
    let [a, transposed_a] = [device.upload(&a), device.upload(&transpose(&a, shape.k))];
    let [b, transposed_b] = [device.upload(&b), device.upload(&transpose(&b, shape.n))];
    for (kernel, operands) in
        [("sgemm_nn", [a, b]), ("sgemm_nt", [a, transposed_b]), ("sgemm_tn", [transposed_a, b])]
    {
        let tile = Tile::new(kernel, [128, 128, 8], [32, 64]);
        let c: Vec<f32> = tile.multiply(device, &module, shape, operands)?;
        expect_equal(kernel, &c, &expected)?;
    }
    Ok(())
}
