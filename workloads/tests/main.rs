// SPDX-License-Identifier: Apache-2.0
//! Tests of the emulator and its workloads, as one program; that of allocations has an allocator of its own.

mod compiled;
mod control_bits;
mod damaged;
mod divergence;
mod dumps;
mod faults;
mod launch_files;
mod liveness;
mod opcodes;
mod races;
mod replay;
mod streams;
mod suite;
mod support;
mod warp_order;
