//! Verilog export, and the emitted Verilog run as an engine.

pub mod check;
mod emit;
mod engine;
mod export;
pub mod tools;

pub use emit::{emit, Design, EmitError, Port, VerilogModule};
pub use engine::{EngineError, Icarus, Verilated};
pub use export::export;
