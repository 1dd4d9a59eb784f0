// SPDX-License-Identifier: Apache-2.0
//! The dialect of rust-hdl in which the hardware is written.
//!
//! A module is a struct under `#[block]`, which makes everything of it that its fields say, and a kernel
//! under `#[rtl]`. [`Rtl`] drives it one clock cycle at a time behind [`gpurf_blocks::Clocked`], the one
//! interface that reference models, rust-hdl modules and emitted Verilog share.

mod activity;
mod array;
mod clocking;
mod declared;
mod driven;
mod driver;
mod identity;
pub mod kernel;
mod lane_memory;
mod memory;
mod monitor;
mod register;
mod two_port_memory;
mod typed;
mod watch;
pub mod wires;
mod word;

pub use array::{array, array_of};
pub use clocking::{clock_edge, Clocking};
pub use declared::{Configured, Declared, REGISTER};
pub use driven::Driven;
pub use driver::{Module, Rtl};
pub use gpurf_rtl::{block, bundle, modules, rtl, Module};
pub use identity::{Described, Identity, PortDoc};
pub use lane_memory::LaneMemory;
pub use memory::Memory;
pub use monitor::Monitor;
pub use register::Register;
pub use two_port_memory::TwoPortMemory;
pub use typed::typed;
pub use watch::Watch;
pub use wires::{Enabled, Held, Merged, Role, Wires};
pub use word::Word;
