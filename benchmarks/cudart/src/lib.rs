// SPDX-License-Identifier: Apache-2.0
//! The CUDA runtime without a GPU: programs that are linked with this library in NVIDIA's place run their
//! kernels in the emulator, and everything else as ever. What they launched and copied is written as a trace
//! when they end.
//!
//! | variable | |
//! |---|---|
//! | `GPURF_TRACE` | folder of the trace; without it none is written |
//! | `GPURF_INSTRUCTIONS` | instructions of threads: the launch that reaches them is the trace's last |
//! | `GPURF_MARGIN` | bytes of zeros before and behind each allocation that kernels may touch (default 0) |
//! | `GPURF_WIDENING` | `exact` (default) or `rounded`: where `HADD2.F32` and its like round |
//! | `GPURF_RACES` | set: names races of the threads of a block; `grid`: of blocks too |
//! | `GPURF_WARP_ORDER` | a seed: warps take turns of a few instructions in a random order |
//!
//! Copies and launches are synchronous, and there is one device. Memory that is freed is not used again. A
//! kernel's fault is an error that stays, as in CUDA, with the reason on standard error. The program then
//! ends with exit code 2 unless it asks for the error. What the emulator cannot run ends the program at once,
//! with exit code 2. Calls that are not here are missing at link time, by name.

// The interface is C's: what is behind pointers is as the CUDA runtime has it, or the program is wrong.
#![allow(clippy::missing_safety_doc, non_snake_case)]

mod arrays;
mod copies;
mod device;
mod errors;
mod fat_binary;
mod functions;
mod graphs;
mod host;
mod ipc;
mod launches;
mod memory;
mod operations;
mod per_thread;
mod pools;
mod streams;
mod symbols;
