// SPDX-License-Identifier: Apache-2.0
//! Warp instructions per second of launches of matrix products, on one thread and without the instruction
//! stream.
//!
//! `cargo bench -p gpurf-workloads --bench launch`. Nothing but launches is executed for long, so that a
//! profile of it is one of the emulator.

mod counted;

use criterion::{criterion_group, criterion_main, Criterion, Throughput};
use gpurf_clock::{processor_time, ProcessorTime};
use gpurf_workloads::{Argument, Device, Dim, Module, Options};

use counted::instructions;

/// A product of square matrices of ones.
struct Product {
    name: &'static str,
    listing: &'static str,
    kernel: &'static str,
    size: u32,
    /// Threads of a block, which computes 128 x 128 elements.
    threads: u32,
    one: &'static [u8],
    result_bytes: u64,
}

const PRODUCTS: [Product; 2] = [
    Product {
        name: "sgemm",
        listing: include_str!("../kernels/sgemm.sass"),
        kernel: "sgemm_nn",
        size: 512,
        threads: 256,
        one: &1f32.to_le_bytes(),
        result_bytes: 4,
    },
    Product {
        name: "hgemm",
        listing: include_str!("../kernels/hgemm.sass"),
        kernel: "hgemm_128x128x32_64x64",
        size: 1024,
        threads: 128,
        one: &0x3c00u16.to_le_bytes(),
        result_bytes: 2,
    },
];

impl Product {
    /// A launch of it, ready to be repeated.
    fn launch(&self, stream: bool) -> (Device, impl Fn(&mut Device)) {
        let mut device = Device::new(Options { stream, ..Options::default() });
        let module = Module::parse(self.name, self.listing).expect("a listing of the project");
        let elements = self.size as usize * self.size as usize;
        let matrix = self.one.repeat(elements);
        let matrices = [device.upload(&matrix), device.upload(&matrix)];
        let result = device.allocate(elements as u64 * self.result_bytes);
        let pointers = [matrices[0], matrices[1], result].map(Argument::from);
        let arguments = [pointers, [self.size as i32; 3].map(Argument::from)].concat();
        let (kernel, blocks, threads) = (self.kernel, self.size / 128, self.threads);
        (device, move |device| {
            let grid = Dim::from((blocks, blocks));
            device.launch(&module, kernel, grid, threads, 0, &arguments).expect("it runs");
        })
    }
}

fn launches(criterion: &mut Criterion<ProcessorTime>) {
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().expect("the first pool");
    let mut group = criterion.benchmark_group("launches");
    for product in &PRODUCTS {
        let (mut device, launch) = product.launch(true);
        launch(&mut device);
        group.throughput(Throughput::Elements(instructions(device)));
        let (mut device, launch) = product.launch(false);
        group.bench_function(product.name, |bencher| bencher.iter(|| launch(&mut device)));
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = processor_time();
    targets = launches
}
criterion_main!(benches);
