// SPDX-License-Identifier: Apache-2.0
//! Tests of the parts that all hardware is made with.

mod accepted;
mod wires;
