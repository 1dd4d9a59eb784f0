// SPDX-License-Identifier: Apache-2.0
//! Engines that run the hardware in a streaming multiprocessor, by name.

use clap::ValueEnum;

/// The engine that runs the hardware of the SM's sub-cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Engines {
    /// The reference models
    Model,
    /// The RTL, compiled to machine code
    Rtl,
    /// The RTL as rust-hdl evaluates it, slowly
    RustHdl,
    /// The emitted Verilog under Verilator
    Verilator,
    /// Models and RTL side by side, compared in every cycle
    Lockstep,
    /// Models, RTL and emitted Verilog side by side, compared in every cycle
    LockstepVerilator,
}

impl Engines {
    /// As statistics name it.
    pub fn name(self) -> &'static str {
        match self {
            Engines::Model => "model",
            Engines::Rtl => "rtl",
            Engines::Verilator => "verilator",
            Engines::RustHdl => "rust-hdl",
            Engines::Lockstep => "lockstep: model, rtl",
            Engines::LockstepVerilator => "lockstep: model, rtl, verilator",
        }
    }
}
