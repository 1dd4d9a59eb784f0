// SPDX-License-Identifier: Apache-2.0
//! Names of the files of a synthesis, in the folder that Yosys works in.

pub const DESIGN: &str = "design.v";
pub const CONSTRAINTS: &str = "constraints.txt";
pub const CLOCK_GATING: &str = "clock_gating.v";
pub const MEMORIES: &str = "memories.json";
pub const CELLS: &str = "cells.json";
pub const DEPTH: &str = "depth.txt";
pub const NETLIST: &str = "netlist.v";
