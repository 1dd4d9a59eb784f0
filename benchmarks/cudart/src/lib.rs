//! The CUDA runtime without a GPU: programs that are linked with this library in NVIDIA's place run their kernels in
//! the emulator, and everything else as ever. What they launched and copied is written as a trace when they end.
//!
//! | variable | |
//! |---|---|
//! | `GPURF_TRACE` | folder of the trace; without it none is written |
//! | `GPURF_MARGIN` | bytes of zeros before and behind each allocation that kernels may touch (default 0) |
//!
//! Copies and launches are synchronous, there is one device, and memory that is freed is not used again. A launch without
//! blocks or threads is an error that the program may look at or not, as in CUDA; any other that the emulator refuses ends the program with exit code 2 and the reason on standard error. Calls that are not here are
//! missing at link time, by name.

// The interface is C's: what is behind pointers is as the CUDA runtime has it, or the program is wrong.
#![allow(clippy::missing_safety_doc, non_snake_case)]

mod copies;
mod fat_binary;
mod host;
mod launches;
mod queries;

/// `cudaSuccess`.
const SUCCESS: i32 = 0;
/// `cudaErrorInvalidValue`.
const INVALID: i32 = 1;
/// `cudaErrorInvalidConfiguration`: a launch without blocks or threads. The program goes on.
const INVALID_CONFIGURATION: i32 = 9;
