// SPDX-License-Identifier: Apache-2.0
//! The contract that every engine of a block keeps, and ports as plain data.

mod clocked;
mod data;
mod lockstep;
mod packed;
mod ports;

pub use clocked::Clocked;
pub use data::{Data, Wide};
pub use lockstep::{difference, packed_difference, Divergence, Lockstep};
pub use packed::{Packed, PackedClocked, PortLayout, Typed};
pub use ports::{layout, pack, packed, unpack, Field, PortName, PortValue, PortVisitor, Ports};
