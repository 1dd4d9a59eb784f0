// SPDX-License-Identifier: Apache-2.0
//! The emitted Verilog: its text, what it refuses, and that it runs as the Rust does.

// The derive macro of `Module` names the dialect by this path.

mod bundles;
mod engines;
mod implicit;
mod lockstep;
mod loops;
mod names;
mod operations;
mod refusals;
mod registers;
mod states;
mod text;
mod toys;
mod traps;
