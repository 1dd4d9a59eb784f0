// SPDX-License-Identifier: Apache-2.0
//! The contract that every engine of a block keeps, and ports as plain data.

mod clocked;
mod data;
mod lockstep;
mod ports;

pub use clocked::Clocked;
pub use data::{Data, Wide};
pub use lockstep::{difference, Divergence, Lockstep};
pub use ports::{layout, pack, packed, unpack, Field, PortName, PortValue, PortVisitor, Ports};
