//! What NVIDIA's compiler makes of our CUDA in `listings/`, against Rust's own arithmetic.

#[allow(dead_code)]
#[path = "../support/mod.rs"]
mod support;

mod atomics;
mod control;
mod floats;
mod idioms;
mod images;
mod integers;
mod library;
mod waiting;
mod warps;

use std::sync::LazyLock;

use bytemuck::{AnyBitPattern, NoUninit};
use gpurf_workloads::Module;

use support::device;

macro_rules! listing {
    ($name:ident, $file:literal) => {
        static $name: LazyLock<Module> =
            LazyLock::new(|| Module::parse($file, include_str!(concat!("../listings/", $file))).unwrap());
    };
}

listing!(ATOMICS, "atomics.sass");
listing!(CONTROL, "control.sass");
listing!(FLOATS, "floats.sass");
listing!(IDIOMS, "idioms.sass");
listing!(IMAGES, "images.sass");
listing!(INTEGERS, "integers.sass");
listing!(FUNCTIONS_DEBUG, "functions_debug.sass");
listing!(FUNCTIONS_SEPARATE, "functions_separate.sass");
listing!(LIBRARY, "library.sass");
listing!(WAITING, "waiting.sass");
listing!(WARPS, "warps.sass");

/// Threads of a block; there are as many blocks as the values need.
const BLOCK: usize = 64;

/// What kernel `name` makes of each value.
#[track_caller]
fn unary<T: NoUninit, R: AnyBitPattern + NoUninit>(module: &Module, name: &str, values: &[T]) -> Vec<R> {
    map(module, name, &[values])
}

/// What kernel `name` makes of the values of two lists.
#[track_caller]
fn binary<T: NoUninit, R: AnyBitPattern + NoUninit>(module: &Module, name: &str, a: &[T], b: &[T]) -> Vec<R> {
    assert_eq!(a.len(), b.len());
    map(module, name, &[a, b])
}

#[track_caller]
fn map<T: NoUninit, R: AnyBitPattern + NoUninit>(module: &Module, name: &str, lists: &[&[T]]) -> Vec<R> {
    let mut device = device();
    let count = lists[0].len();
    let threads = count.next_multiple_of(BLOCK);
    let mut arguments = vec![];
    for list in lists {
        let mut list = list.to_vec();
        list.resize(threads, list[0]);
        arguments.push(device.upload(&list).into());
    }
    let out = device.allocate((threads * size_of::<R>()) as u64);
    arguments.push(out.into());
    device
        .launch(module, name, (threads / BLOCK) as u32, BLOCK as u32, 0, &arguments)
        .unwrap_or_else(|error| panic!("{error}"));
    device.read(out, count).unwrap()
}
