// SPDX-License-Identifier: Apache-2.0
//! GPU code without a GPU: our own CUDA kernels as Turing machine code, an emulator that executes
//! it, and the instruction streams that come of it.

#![warn(missing_docs)]

pub mod binary;
mod device;
mod emulator;
mod error;
pub mod instruction_set;
mod launch_file;
pub mod listing;
mod pointer;
pub mod suite;
pub mod texture;

pub use device::{Argument, Device, Dim, Options};
pub use emulator::{Scope, Widening};
pub use error::{Cause, Error, Result};
pub use launch_file::LaunchFile;
pub use listing::Module;
pub use pointer::Pointer;
