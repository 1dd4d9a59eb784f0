// SPDX-License-Identifier: Apache-2.0
//! Everything that models and hardware share, and nothing else: the contract of a block, its ports as data,
//! its parameters, and the sizes that all of them have.
//!
//! Nothing of the house is imported here, and nothing is known of how a block is made.

#![warn(missing_docs)]

// So that generated code writes the same paths here and elsewhere.
extern crate self as gpurf_blocks;

mod constants;
mod contract;
mod names;
mod parameters;
pub mod ports;
mod suggestion;

pub use constants::*;
pub use contract::*;
pub use names::*;
pub use parameters::*;
pub use suggestion::suggestion;
