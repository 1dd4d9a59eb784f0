// SPDX-License-Identifier: Apache-2.0
//! Parameters of the hardware: each is declared once, and everything else is made from its declaration.

mod check;
pub mod corners;
mod declare;
mod declared;
mod parameter;
mod policy;
mod scheduling;
mod sthld_table;
pub mod timing;
mod values;

pub use declared::*;
pub use parameter::{Description, Parameter, ParameterError, Setting};
pub use policy::{
    Allocation, CacheAllocation, CacheReplacement, CacheWrite, Choice, DestinationMapping, Isolation,
    IssueLatch, LruStorage, Occupied, ReadRule, Refill, ReplacementPolicy, ReuseEntries, Search, Storage,
    Tie, Waiting,
};
pub use scheduling::{Scheduling, WarpOrder};
pub use sthld_table::{Edges, SthldTable, Transition};
pub use timing::{Timing, TIMING, TIMINGS};
pub use values::Values;
