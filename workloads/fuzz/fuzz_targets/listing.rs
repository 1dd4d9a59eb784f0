// SPDX-License-Identifier: Apache-2.0
//! Any text as a listing, and as the code of a kernel: parsed, decoded and, where it ends soon, run.
//!
//! With cargo-fuzz and a nightly compiler, in `workloads`:
//!
//! ```text
//! mkdir -p fuzz/corpus/listing && cp kernels/vectoradd.sass kernels/pathfinder.sass fuzz/corpus/listing/
//! cargo +nightly fuzz run listing -- -max_total_time=600
//! ```

#![no_main]

#[allow(dead_code)]
#[path = "../../tests/support/mod.rs"]
mod support;

use libfuzzer_sys::fuzz_target;
use support::{launch_all, Frame};

fuzz_target!(|text: &str| {
    // Sections of a gigabyte are allowed, but slow.
    let large = |rest: &str| rest.trim_start().bytes().take_while(u8::is_ascii_digit).count() > 5;
    if text.split(".zero").skip(1).any(large) {
        return;
    }
    launch_all(text);
    launch_all(&Frame::default().listing(text));
});
