// SPDX-License-Identifier: Apache-2.0
//! The emulator's inner loop does not allocate: executing an instruction costs no memory.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

use gpurf_workloads::{Device, Dim, Module, Options};

struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps to the contract of `GlobalAlloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps to the contract of `GlobalAlloc`.
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps to the contract of `GlobalAlloc`.
        unsafe { System.realloc(place, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const M: usize = 128;
const N: usize = 128;

/// Allocations of one product of an M x `k` and a `k` x N matrix, and its instructions.
fn product(module: &Module, k: usize, stream: bool) -> (u64, u64) {
    let mut device = Device::new(Options { stream, ..Options::default() });
    let [a, b] = [device.upload(&vec![1.0f32; M * k]), device.upload(&vec![1.0f32; k * N])];
    let c = device.allocate((M * N * 4) as u64);
    let arguments = [a.into(), b.into(), c.into(), (M as i32).into(), (N as i32).into(), (k as i32).into()];
    let launch = |device: &mut Device| {
        device.launch(module, "sgemm_nn", Dim::from(1), Dim::from(256), 0, &arguments).expect("a launch");
    };
    // The first launch decodes the kernel.
    launch(&mut device);
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    launch(&mut device);
    let allocations = ALLOCATIONS.load(Ordering::Relaxed) - before;
    assert_eq!(device.read::<f32>(c, M * N).expect("allocated"), vec![k as f32; M * N]);
    let workload = device.into_workload("sgemm");
    let instructions = workload.kernels().last().map_or(0, |kernel| {
        let mut reader = kernel.open().expect("in memory");
        reader.next_block().expect("in memory").expect("one block").instruction_count()
    });
    (allocations, instructions)
}

#[test]
fn more_instructions_take_no_more_allocations() {
    let module = Module::parse("sgemm.sass", include_str!("../kernels/sgemm.sass")).expect("a listing");
    let (_, few) = product(&module, 16, true);
    let (_, many) = product(&module, 1024, true);
    let more = many - few;
    assert!(more > 500_000, "{more} more instructions");

    let (few, _) = product(&module, 16, false);
    let (many, _) = product(&module, 1024, false);
    assert!(many <= few + 8, "{few} allocations, and {many} with {more} more instructions");

    // Streams grow by doubling.
    let (few, _) = product(&module, 16, true);
    let (many, _) = product(&module, 1024, true);
    assert!(many < few + 1000, "{few} allocations, and {many} with {more} more instructions");
}
