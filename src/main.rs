//! The tool's own door: everything is in the library, which the Python module has as well.

use std::process::ExitCode;

fn main() -> ExitCode {
    gpurf::run(std::env::args_os().skip(1)).into()
}
