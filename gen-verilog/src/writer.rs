// SPDX-License-Identifier: Apache-2.0
//! The name under which files mention the program that writes them.

use std::sync::OnceLock;

static WRITER: OnceLock<String> = OnceLock::new();

/// Tells what program this is, with its version. The first call counts.
pub fn is_written_by(program: &str) {
    let _ = WRITER.set(program.to_string());
}

/// The program and its version.
pub fn writer() -> &'static str {
    WRITER.get().map_or(concat!("gpurf ", env!("CARGO_PKG_VERSION")), String::as_str)
}
