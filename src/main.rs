//! The tool's own door: everything is in the library, which the Python module has as well.

use std::panic;
use std::process::{self, ExitCode};

/// What shells give a program that a closed pipe ended: 128 and the number of SIGPIPE.
const PIPE_CLOSED: i32 = 128 + 13;

fn main() -> ExitCode {
    end_quietly_when_the_reader_leaves();
    gpurf::run(std::env::args_os().skip(1)).into()
}

/// `gpurf ... | head`: Rust ignores SIGPIPE, so that pipes to other programs give errors, and `println!` panics instead.
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
