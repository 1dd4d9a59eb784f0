// SPDX-License-Identifier: Apache-2.0
//! The hardware: rust-hdl modules, one per file.
//!
//! Every module is written in the dialect of [`dialect`], and its file opens with its text: full name,
//! section of the paper, function, timing, decisions. Its page includes that text. F is the full Malekeh
//! paper, W the workshop paper, R the FineReg paper, C the register cache.

#![warn(missing_docs)]

// So that `#[block]` writes the same paths here and elsewhere.
extern crate self as gpurf_hw;

pub mod bundles;
pub mod catalogue;
pub mod cells;
pub mod collector;
pub mod dialect;
pub mod finereg;
mod generics;
pub mod issue;
pub mod modern;
pub mod multicast;
pub mod operand_stage;
pub mod register_cache;
pub mod register_file;
pub mod sub_core;
