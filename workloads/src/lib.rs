//! Instruction streams of gpurf's own.
//!
//! [`example`] writes a small, well understood one directly: a tiled matrix product.

pub mod example;
