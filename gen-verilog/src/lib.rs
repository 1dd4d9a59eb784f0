// SPDX-License-Identifier: Apache-2.0
//! Verilog export, and the emitted Verilog run as an engine.
//!
//! [`emit`] turns a rust-hdl module into a [`Hierarchy`] of readable Verilog modules; [`export`] writes it
//! to files; [`check`] asks other tools what they think of it; [`Verilated`] and [`Icarus`] run it behind
//! the same interface as the rust-hdl module and its reference model.
//!
//! The operand collector unit as Verilog:
//!
//! ```
//! use gpurf_blocks::Parameters;
//! use gpurf_hw::collector::Ocu;
//! use gpurf_verilog::emit;
//!
//! let hierarchy = emit(&Ocu::<32>::new(&Parameters::default()))?;
//! assert!(hierarchy.source().contains(&format!("module {} (", hierarchy.top)));
//! # Ok::<(), gpurf_verilog::EmitError>(())
//! ```

#![warn(missing_docs)]

pub mod cache;
pub mod check;
mod compiled;
mod emit;
mod engine;
mod events;
mod export;
mod lock;
pub mod tools;
mod waveform;
mod writer;

pub use compiled::{
    Compiled, CompiledRtl, Fault, ObservedScope, ObservedSignal, PackedCompiled, PackedRtl, SignalRole,
    Values,
};
pub use emit::{
    emit, emit_as, Clock, ContractRule, EmitError, Hierarchy, Language, Node, Origin, PartOfModule, Port,
    Reset, Structure, Style, VerilogModule,
};
pub use engine::{EngineError, Icarus, Verilated};
pub use events::{declared_events, is_of_contract, DeclaredEvent, EventError, Events, Occurrence, Query};
pub use export::export;
pub use waveform::{is_fst, Extent, ModuleWaveform, PortWaveform, WaveformVariable, CYCLE_NS};
pub use writer::{is_written_by, writer};
