// SPDX-License-Identifier: Apache-2.0
//! The tool's own door: everything is in the library, which the Python module has as well.

use std::env;
use std::panic;
use std::path::PathBuf;
use std::process::{self, ExitCode};

/// The exit code that shells give a program that a closed pipe ended: 128 and the number of SIGPIPE.
const PIPE_CLOSED: i32 = 128 + 13;

fn main() -> ExitCode {
    end_quietly_when_the_reader_leaves();
    let program = gpurf::Program { file: running(), commit: gpurf_commit::commit!() };
    gpurf::run(program, env::args_os().skip(1)).into()
}

/// The file of the running program. Linux has a name for it that stays right if a build replaces the file.
fn running() -> PathBuf {
    match PathBuf::from("/proc/self/exe") {
        here if here.exists() => here,
        _ => env::current_exe().unwrap_or_else(|_| env::args_os().next().unwrap_or_default().into()),
    }
}

/// `gpurf ... | head`: Rust ignores SIGPIPE, so that pipes to other programs give errors, and `println!`
/// panics instead. Messages never panic: see `say!`.
fn end_quietly_when_the_reader_leaves() {
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        let message = panic.payload().downcast_ref::<String>().map_or("", String::as_str);
        if message.starts_with("failed printing to stdout") && message.contains("Broken pipe") {
            process::exit(PIPE_CLOSED);
        }
        report(panic);
    }));
}
