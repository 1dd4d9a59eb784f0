// SPDX-License-Identifier: Apache-2.0
//! Results of our CUDA in `listings/` as NVIDIA's compiler makes it, against Rust's own arithmetic.

#[allow(dead_code)]
mod atomics;
mod control;
mod floats;
mod idioms;
mod images;
mod integers;
mod language;
mod library;
mod templates;
mod waiting;
mod warps;

use std::sync::LazyLock;

use bytemuck::{AnyBitPattern, NoUninit};
use gpurf_workloads::{Argument, Module, Pointer};

use crate::support::device;

macro_rules! listing {
    ($name:ident, $file:literal) => {
        static $name: LazyLock<Module> =
            LazyLock::new(|| Module::parse($file, include_str!(concat!("../listings/", $file))).unwrap());
    };
}

listing!(ATOMICS, "atomics.sass");
listing!(CHILDREN, "children.sass");
listing!(CONTROL, "control.sass");
listing!(FLOATS, "floats.sass");
listing!(IDIOMS, "idioms.sass");
listing!(IMAGES, "images.sass");
listing!(INTEGERS, "integers.sass");
listing!(FUNCTIONS_DEBUG, "functions_debug.sass");
listing!(FUNCTIONS_SEPARATE, "functions_separate.sass");
listing!(LANGUAGE, "language.sass");
listing!(LIBRARY, "library.sass");
listing!(TEMPLATES, "templates.sass");
listing!(WAITING, "waiting.sass");
listing!(WARPS, "warps.sass");

/// Threads of a block; there are as many blocks as the values need.
const BLOCK: usize = 64;

/// The results of kernel `name` for each value.
#[track_caller]
fn unary<T: NoUninit, R: AnyBitPattern + NoUninit>(module: &Module, name: &str, values: &[T]) -> Vec<R> {
    map(module, name, &[values])
}

/// The results of kernel `name` for the values of two lists.
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

/// A kernel launched on a new device: arguments from `make`, which gives the buffer to read too.
#[track_caller]
fn launched<R: AnyBitPattern + NoUninit>(
    module: &Module,
    name: &str,
    [blocks, threads, shared]: [u32; 3],
    count: usize,
    make: impl FnOnce(&mut gpurf_workloads::Device) -> (Vec<Argument>, Pointer),
) -> Vec<R> {
    let mut device = device();
    let (arguments, out) = make(&mut device);
    let result = device.launch(module, name, blocks, threads, shared, &arguments);
    result.unwrap_or_else(|error| panic!("{error}"));
    device.read(out, count).unwrap()
}

/// Every kernel of the listings is launched by name in these tests, which compare what it leaves. Prints how
/// many they are.
#[test]
fn every_kernel_is_compared() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = |folder: &str, extension: &str| -> Vec<std::path::PathBuf> {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let mut paths: Vec<_> =
            entries.filter(|path| path.extension().is_some_and(|found| found == extension)).collect();
        paths.sort();
        paths
    };
    let tests = files(folder.join("compiled").to_str().unwrap(), "rs");
    let mut text: String = tests.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    text += &std::fs::read_to_string(folder.join("launch_files.rs")).unwrap();
    text += &std::fs::read_to_string(folder.join("support/everything.toml")).unwrap();
    let text = text.replace('\\', "");
    let (mut kernels, mut listings) = (0, 0);
    for path in files(folder.join("listings").to_str().unwrap(), "sass") {
        let listing = std::fs::read_to_string(&path).unwrap();
        let module = Module::parse(path.to_str().unwrap(), &listing).unwrap();
        listings += 1;
        for kernel in module.kernels.iter().filter(|kernel| kernel.parameters.is_some()) {
            kernels += 1;
            // Atomic operations are named by where they are, and by what they do.
            let parts = kernel
                .name
                .split_once('_')
                .filter(|(space, _)| ["global", "reduce", "shared"].contains(space));
            let names = [Some(kernel.name.as_str()), parts.map(|(_, operation)| operation)];
            let named = names.iter().flatten().any(|name| text.contains(&format!("\"{name}\"")));
            assert!(named, "{}: no test launches {}", path.display(), kernel.name);
        }
    }
    println!("{kernels} kernels of {listings} listings are launched and compared");
    assert!(kernels > 200, "{kernels}");
}
