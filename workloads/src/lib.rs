//! Instruction streams of gpurf's own.
