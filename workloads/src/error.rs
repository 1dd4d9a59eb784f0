// SPDX-License-Identifier: Apache-2.0
//! Errors of a listing, a launch or a running kernel.

use std::fmt;

use cpp_demangle::{DemangleOptions, Symbol};

/// A result with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Anything that stops a workload.
// The message of a variant says what its fields are.
#[allow(missing_docs)]
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A listing that cannot be read.
    #[error("{file}:{line}: {message}")]
    Listing { file: String, line: usize, message: String },

    /// A launch file that cannot be used.
    #[error("{file}:{line}: {message}")]
    LaunchFile { file: String, line: usize, message: String },

    /// A launch that the kernel or the machine does not allow.
    #[error("launch of {}: {message}", readable(kernel))]
    Launch { kernel: String, message: String },

    /// A copy to or from memory that was not allocated.
    #[error("copy of {bytes} bytes at {address:#x}: {message}")]
    Copy { address: u64, bytes: u64, message: String },

    /// An instruction that cannot be executed.
    #[error("{place}: {message}")]
    Fault { place: FaultPlace, message: String, cause: Cause },

    /// An instruction stream that cannot be made.
    #[error(transparent)]
    Trace(#[from] gpurf_trace::Error),

    /// The answer in device memory is not that of the reference.
    #[error("wrong answer: {message}")]
    Answer { message: String },
}

/// The kinds of faults that CUDA tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A global address outside of what is allocated.
    Address,
    /// A place outside of the block's shared memory or the thread's stack.
    Bounds,
    /// An address that is no multiple of what it is read or written by.
    Alignment,
    /// An `assert` that does not hold.
    Assertion,
    /// Waiting or looping without end.
    Endless,
    /// An instruction that is not known here.
    Unknown,
    /// Any other.
    Other,
}

/// Where a kernel stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultPlace {
    pub kernel: String,
    /// Byte offset in the kernel's code.
    pub pc: u32,
    /// The instruction as the listing has it.
    pub instruction: String,
    /// Thread block, warp within it and lane, as far as they are to blame.
    pub block: Option<[u32; 3]>,
    pub warp: Option<u32>,
    pub lane: Option<u32>,
}

impl fmt::Display for FaultPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "kernel {}, PC {:#06x} `{}`", readable(&self.kernel), self.pc, self.instruction)?;
        if let Some([x, y, z]) = self.block {
            write!(f, ", block ({x}, {y}, {z})")?;
        }
        if let Some(warp) = self.warp {
            write!(f, ", warp {warp}")?;
        }
        if let Some(lane) = self.lane {
            write!(f, ", lane {lane}")?;
        }
        Ok(())
    }
}

/// Longest name in a message, in characters.
const LONGEST: usize = 120;

/// A name as the source has it, without the type of a result, and cut if it is long.
pub(crate) fn readable(name: &str) -> String {
    let options = DemangleOptions::new().no_return_type();
    // Short names could be mangled types, too.
    let symbol = Some(name).filter(|name| name.starts_with("_Z")).and_then(|name| Symbol::new(name).ok());
    let demangled = symbol.and_then(|symbol| symbol.demangle_with_options(&options).ok());
    let name = demangled.unwrap_or_else(|| name.into());
    if name.chars().count() <= LONGEST {
        return name;
    }
    name.chars().take(LONGEST - 3).chain("...".chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_demangled_and_cut() {
        assert_eq!(readable("stencil"), "stencil");
        assert_eq!(readable("f"), "f");
        assert_eq!(readable("_Z4axpyPfi"), "axpy(float*, int)");
        assert_eq!(readable("_Z3runILi4EfEvPT0_"), "run<4, float>(float*)");
        // Not the whole of a name.
        assert_eq!(readable("_Z4axpyPf("), "_Z4axpyPf(");
        let long = format!("_Z4axpy{}", "f".repeat(100));
        assert_eq!(readable(&long).len(), LONGEST);
        assert!(readable(&long).ends_with("float, ..."), "{}", readable(&long));
    }
}
