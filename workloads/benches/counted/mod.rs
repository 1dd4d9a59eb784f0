// SPDX-License-Identifier: Apache-2.0
//! The unit in which the speed of launches is counted.

use gpurf_workloads::Device;

/// Warp instructions of all launches on a device that makes streams.
pub fn instructions(device: Device) -> u64 {
    let workload = device.into_workload("");
    let count = |kernel: &gpurf_trace::Kernel| {
        let mut reader = kernel.open().expect("the stream is in memory");
        let mut count = 0;
        while let Some(block) = reader.next_block().expect("the stream is in memory") {
            count += block.instruction_count();
        }
        count
    };
    workload.kernels().map(count).sum()
}
