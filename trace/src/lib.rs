//! Instruction streams: types, Accel-Sim reader and writer, reuse distances.
