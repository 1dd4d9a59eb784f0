//! Verilog export, and the emitted Verilog run as an engine.

mod emit;
mod engine;
pub mod tools;

pub use emit::{emit, Design, EmitError, Port, VerilogModule};
pub use engine::{EngineError, Icarus, Verilated};
