// SPDX-License-Identifier: Apache-2.0
//! Traffic of register caches, counted without an SM: which reads and writes a cache of a few registers per
//! thread keeps from the register file, and what that costs. C §IV to §VI.
//!
//! A [`Study`] takes an instruction stream and counts for many [`Configuration`]s in one pass. Threads meet
//! in nothing, so the order of warps does not matter and no clock is needed. [`Rules`] say where C's
//! simulator RFC-sim counts otherwise than C describes; each can be switched alone.
//!
//! `docs/register-traffic.md` says what is counted and what was decided where C is silent.

mod cache;
mod configuration;
mod energy;
mod flags;
mod operands;
mod rules;
mod shape;
mod study;
mod tally;
mod traffic;
mod warp;

pub use configuration::{Configuration, Reach};
pub use energy::{EnergyTable, TrafficEnergy};
pub use flags::{FlagError, ReuseFlags};
pub use operands::{InstructionRegisters, Source};
pub use rules::{Difference, Rules};
pub use study::{Study, TrafficReport};
pub use traffic::Traffic;
pub use warp::{TrafficCounter, WarpCache};
