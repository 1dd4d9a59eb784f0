//! The dialect of rust-hdl in which the hardware is written, and the contract it is run by.
//!
//! A module is a struct with `#[derive(LogicBlock, Module)]`, a kernel under `#[rtl]`, and an
//! [`Identity`]. [`Rtl`] drives it one clock cycle at a time behind [`Clocked`], the one interface
//! that reference models, rust-hdl modules and emitted Verilog share.

mod activity;
mod array;
mod clocked;
mod data;
mod driver;
mod identity;
mod lockstep;
mod memory;
mod ports;
mod register;
mod waveform;

pub use array::array;
pub use clocked::Clocked;
pub use data::{Data, Wide, Word};
pub use driver::{Module, Rtl};
pub use gpurf_rtl::{rtl, Module};
pub use identity::{Described, Identity, Origin};
pub use lockstep::{difference, Divergence, Lockstep};
pub use memory::Memory;
pub use ports::{layout, pack, unpack, Field, PortName, PortValue, PortVisitor, Ports};
pub use register::Register;
pub use waveform::{ModuleWaveform, PortWaveform};
