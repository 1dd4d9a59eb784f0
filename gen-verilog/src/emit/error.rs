// SPDX-License-Identifier: Apache-2.0
//! Reasons why a module has no Verilog.

use thiserror::Error;

/// Verilator cuts longer names of modules, and cannot then find them.
pub const MAX_NAME: usize = 127;

/// A module that cannot be emitted; `signal` is its name in Verilog.
// The message of a variant says what it is, and what its fields are.
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EmitError {
    #[error("the block at {path} has no `identity: Identity` field, so its module has no name")]
    NoIdentity { path: String },

    #[error(
        "two instances of {module} differ in their Verilog: add what distinguishes them to the \
         parameters of its Identity"
    )]
    Ambiguous { module: String },

    #[error(
        "{module}: a name of {} characters, of which Verilator takes no more than {MAX_NAME}: give its parameters short \
         names", module.len()
    )]
    LongName { module: String },

    #[error("{name} is no name of Verilog: take letters, digits and underscores, and no keyword")]
    Name { name: String },

    #[error("{module}: a part of it is called {name}: choose another name for the top module")]
    NameOfPart { module: String, name: String },

    #[error("{module}: both {first} and {second} would be called {name}: rename one of them")]
    Collision { module: String, name: String, first: String, second: String },

    #[error("{module}: {signal} is a keyword of Verilog or SystemVerilog: rename the field")]
    Keyword { module: String, signal: String },

    #[error(
        "{module}: {signal} is not assigned on every path, which makes a latch: assign a default \
         before the first `if`"
    )]
    Latch { module: String, signal: String },

    #[error(
        "{module}: {signal} is read before its first assignment in the same block: move the \
         assignment up"
    )]
    ReadBeforeAssignment { module: String, signal: String },

    #[error(
        "{module}: {signal} is an input of a part and depends on itself: rust-hdl reads its old value there, Verilog the \
         one just assigned; make it in a Local"
    )]
    ReadBack { module: String, signal: String },

    #[error(
        "{module}: {signal} is a clock and must be the module's own `clock`, assigned once outside \
         of every `if`: logic in the clock path makes Rust and Verilog order edges differently"
    )]
    ClockPath { module: String, signal: String },

    #[error(
        "{module}: {} feed each other in a circle of blocks, on which Verilog simulators may never \
         settle: assign what one of them needs apart from the rest", signals.join(", ")
    )]
    Loop { module: String, signals: Vec<String> },

    #[error("{module}: {signal} is never assigned: drive it, if only with zero")]
    Undriven { module: String, signal: String },

    #[error("{module}: {signal} is assigned, but it is driven from outside of the kernel")]
    NotAssignable { module: String, signal: String },

    /// Something in the kernel that has no translation.
    #[error("{module}: {problem}")]
    Kernel { module: String, problem: String },
}

pub(super) type Result<T> = std::result::Result<T, EmitError>;
