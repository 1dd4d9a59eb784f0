//! Verilog export, and the emitted Verilog run as an engine.
//!
//! [`emit`] turns a rust-hdl module into a [`Design`] of readable Verilog modules; [`export`] writes it
//! to files; [`check`] asks other tools what they think of it; [`Verilated`] and [`Icarus`] run it behind
//! the same interface as the rust-hdl module and its reference model.

pub mod cache;
pub mod check;
mod emit;
mod engine;
mod export;
pub mod tools;

pub use emit::{emit, emit_as, Design, EmitError, Language, Port, VerilogModule};
pub use engine::{EngineError, Icarus, Verilated};
pub use export::export;
