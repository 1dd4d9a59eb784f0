//! Sum of two vectors, the CUDA toolkit's first sample: blocks of 256 threads, a thread per element.
//!
//! Small is 256 blocks, medium 4096.

use crate::device::Device;
use crate::error::Result;
use crate::listing::Module;

use super::{expect_equal, Benchmark, Size};

pub(super) const VECTORADD: Benchmark =
    Benchmark { name: "vectoradd", about: "sum of two vectors (CUDA sample), a thread per element", run };

const THREADS: u32 = 256;

fn run(device: &mut Device, size: Size) -> Result<()> {
    let count = THREADS * size.pick(256, 4096, 1 << 17);
    let mut random = fastrand::Rng::with_seed(1);
    let mut vector = || (0..count).map(|_| random.f32()).collect::<Vec<_>>();
    let (a, b) = (vector(), vector());

    let module = Module::parse("vectoradd.sass", include_str!("../../kernels/vectoradd.sass"))?;
    let (device_a, device_b) = (device.upload(&a), device.upload(&b));
    let device_c = device.allocate(u64::from(count) * 4);
    let arguments = [device_a.into(), device_b.into(), device_c.into(), count.into()];
    device.launch(&module, "vectoradd", count / THREADS, THREADS, 0, &arguments)?;

    let expected: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
    expect_equal("sum", &device.read::<f32>(device_c, count as usize)?, &expected)
}
