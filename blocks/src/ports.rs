//! Inputs and outputs of every module as plain data: `CcuIn` and `CcuOut` of the module `Ccu`.
//!
//! Generated from the declarations under `hw/src`, and nothing else of the hardware is known here. Arrays are as long as
//! they can be under any parameters; elements past a module's own length stay zero.

// All are made alike: arrays of more than 32 elements have no derived default, and a length that is a choice is the larger of
// two, even if one of them is zero.
#![allow(clippy::absurd_extreme_comparisons, clippy::derivable_impls)]

use crate::constants::*;

include!(concat!(env!("OUT_DIR"), "/ports.rs"));
