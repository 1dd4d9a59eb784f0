// SPDX-License-Identifier: Apache-2.0
//! Every built-in workload gives the right answer.

use gpurf_workloads::suite::{Size, SUITE};
use gpurf_workloads::{Device, Options};

#[test]
fn every_workload_gives_the_answer_of_its_reference() {
    let mut wrong = vec![];
    for benchmark in SUITE {
        let start = std::time::Instant::now();
        let mut device = Device::new(Options::default());
        match (benchmark.run)(&mut device, Size::Small) {
            Ok(()) => {
                let workload = device.into_workload(benchmark.name);
                let mut n = 0;
                for k in workload.kernels() {
                    let mut r = k.open().unwrap();
                    while let Some(b) = r.next_block().unwrap() {
                        n += b.instruction_count();
                    }
                }
                println!("{}: ok {n} {:?}", benchmark.name, start.elapsed())
            }
            Err(error) => {
                println!("{}: {error}", benchmark.name);
                wrong.push(format!("{}: {error}", benchmark.name))
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
