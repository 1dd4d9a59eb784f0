// SPDX-License-Identifier: Apache-2.0
//! Executes Turing machine code, thread block by thread block.
//!
//! [`Code`] is a kernel ready to execute, [`Launch`] one launch of it. [`Launch::run_block`] executes a
//! block: its warps take turns, each running until it ends, waits at a barrier, or has had its share.
//! Instructions take effect in program order and at once; there is no timing here.

mod access;
mod arithmetic;
mod atomic;
mod block_memory;
mod code;
mod constants;
mod control;
mod control_flow;
pub(crate) mod decode;
pub(crate) mod driver;
mod execute;
mod fault;
mod float_text;
mod grid_watch;
mod heap;
mod images;
mod intern;
mod launch;
mod library;
mod library_function;
mod memory;
mod operation;
mod record;
mod resident;
mod texture;
mod warp;
mod watch;
mod windows;

pub use arithmetic::Widening;
pub(crate) use code::Code;
pub(crate) use decode::registers_used;
pub(crate) use launch::{Executed, Launch};
pub(crate) use library_function::LibraryFunction;
pub(crate) use memory::{AccessError, Changes, GlobalMemory, BASE};
pub use watch::Scope;
pub(crate) use watch::{index_of, Hazard, Hazards};
pub(crate) use windows::{LOCAL_WINDOW, MISSING, SHARED_WINDOW};
