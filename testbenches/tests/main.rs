// SPDX-License-Identifier: Apache-2.0
//! Tests of the testbenches that are not one for each module, as one program. The block of `own_block` is
//! known to its own alone.

mod compiled_faults;
mod events;
mod finereg;
mod modern;
mod multicast;
mod own_scheduler;
mod starvation;
mod sthld;
mod tree;
