// SPDX-License-Identifier: Apache-2.0
//! What all hardware is made with.

mod accepted;
mod wires;
