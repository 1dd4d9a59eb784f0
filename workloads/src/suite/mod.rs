//! The built-in workloads, one file each: inputs, launches, and the answer checked against a plain
//! Rust computation of the same algorithm.

mod check;

pub use check::{expect_close, expect_equal, Tolerance};

use crate::device::Device;
use crate::error::Result;

/// How much work a run does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Size {
    /// About 10,000 to 300,000 warp instructions: seconds, for tests.
    Small,
    /// About 1 to 4 million warp instructions.
    Medium,
    /// Tens of millions.
    Large,
}

impl Size {
    /// The value meant for this size.
    pub fn pick<T>(self, small: T, medium: T, large: T) -> T {
        match self {
            Size::Small => small,
            Size::Medium => medium,
            Size::Large => large,
        }
    }
}

/// A built-in workload.
pub struct Benchmark {
    /// As the papers write it.
    pub name: &'static str,
    /// One line: what it computes, and on what.
    pub about: &'static str,
    /// Uploads the inputs, launches the kernels, and compares the answer with the reference.
    pub run: fn(&mut Device, Size) -> Result<()>,
}

/// All built-in workloads.
pub const SUITE: &[&Benchmark] = &[];
