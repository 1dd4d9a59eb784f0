// SPDX-License-Identifier: Apache-2.0
//! Readers of the declarations of hardware modules.
//!
//! The attributes of `gpurf-rtl` make modules of declarations; the build script of `gpurf-blocks` makes of
//! the same declarations the plain structs of their ports, for those who know no hardware.

mod attribute;
mod block;
mod bundle;
mod bundles;
mod condition;
mod declaration;
mod derive;
mod fields;
mod known;
mod let_wire;
mod lets;
mod listed;
mod modules;
mod ports;
mod reading;
mod sizes;
mod wires;

pub use block::expand as block;
pub use bundle::expand as bundle;
pub use condition::decided;
pub use derive::expand as derive_module;
pub use known::{Known, Nature};
pub use lets::Lets;
pub use modules::expand as modules;
pub use ports::structs_of as ports;
