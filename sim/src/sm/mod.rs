// SPDX-License-Identifier: Apache-2.0
//! Streaming multiprocessors that run instruction streams, cycle by cycle, around the register-file
//! hardware of their four sub-cores. [`Gpu`] holds one or several of them.
//!
//! Kernels run one after the other, thread blocks as they fit. Instructions issue in order, one per
//! sub-core and cycle, under a scoreboard; fetch is ideal. Sub-cores without collectors may have control bits
//! instead, and an instruction front. Every operand is checked at dispatch, see
//! [`crate::statistics::Counters::token_checks`].
//!
//! What the stream leaves open, and what is assumed:
//! - A warp ends with its stream; its block leaves when everything its warps did is completed,
//!   stores included. `EXIT` itself does nothing.
//! - An instruction with any active lane writes its destinations as a whole. One without active lanes
//!   issues, reads its operands and is dispatched, and writes nothing.
//! - Predicates and uniform registers are not tracked: the stream does not name them.
//! - Generic addresses lie in the space of the instruction's first one.
//! - A block has one barrier, which waits for all of its warps that have instructions left.
//!
//! Under some designs more blocks are resident than have warp slots: see `switching`.
//!
//! Where no sub-core can issue, write, read or dispatch before the next completion, time jumps to it;
//! the counters are those of the cycles passed over. The hardware of a sub-core sees no clock edge in a cycle
//! in which its collectors are free and its inputs idle, nor in one that finds it standing still, with its
//! inputs as they were.

mod block_dispatcher;
mod blocks;
mod clock;
mod code;
mod completions;
mod context;
mod core;
mod decoded;
mod draw;
mod error;
mod executing;
mod execution;
mod gpu;
mod load_sharing;
mod machine;
mod marking;
mod memory;
mod memory_path;
mod monolithic;
mod mover;
mod names;
mod occupancy;
mod operations;
mod pipeline;
mod pool;
mod prefetch;
mod records;
mod register_cache;
mod renamed;
mod request;
mod resident;
mod shared_waits;
#[allow(clippy::module_inception)]
mod sm;
mod surroundings;
mod switching;
mod usage;
mod warp;

pub use crate::design::{
    Caching, Choices, CollectorKind, Dependences, Design, DesignError, Family, HardwarePart, KeptOperands,
    OperandBuffer, Preset, Residency, SharedLoads, Store, TwoLevel, PRESETS,
};
pub use draw::Sampling;
pub use error::SmError;
pub use gpu::Gpu;
pub use occupancy::Limit;
pub use pipeline::{PipelineInstruction, PipelineListener, Stage};
pub use warp::token;

pub use self::core::WINDOW_PLACE_BITS;
