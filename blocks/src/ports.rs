// SPDX-License-Identifier: Apache-2.0
//! Inputs and outputs of every module as plain data: `CcuIn` and `CcuOut` of the module `Ccu`.
//!
//! Generated from the declarations under `hw/src`, and nothing else of the hardware is known here. Arrays are
//! as long as they can be under any parameters; elements past a module's own length stay zero.

// All are made alike, and arrays of more than 32 elements have no derived default.
#![allow(clippy::derivable_impls)]

use crate::constants::*;

include!(concat!(env!("OUT_DIR"), "/ports.rs"));
