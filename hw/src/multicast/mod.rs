// SPDX-License-Identifier: Apache-2.0
//! Inter-warp multicasting: I §3. Loads of the same data by several warps leave shared memory once.
//!
//! The inter-warp multicasting unit ([`Iwmu`]) stands between the sub-cores and shared memory. It keeps
//! multicasting loads (MLDS) in the load request table (LRT) until another warp asks for the same data into
//! the same register. Then one access serves both. The table has two readings: [`LrtScan`], a memory that
//! four comparators search row by row, and [`LrtCam`], whose entries are all compared at once.
//!
//! `V`: bits of a warp's number; `A`: bits of a shared-memory address. The paper has 6 and 16.

pub use gpurf_blocks::ports::{LrtIn, LrtOut};

crate::dialect::modules!("src/multicast");
