// SPDX-License-Identifier: Apache-2.0
//! Tests of the tool and of everything together, as one program: it is linked once, and none waits for the
//! slowest of another.

mod activity;
mod architecture;
mod areas;
mod calibrate;
mod checkpoint;
mod compare;
mod cores;
mod cudart;
mod demonstrator;
mod designs;
mod docs;
mod engines;
mod errors;
mod finereg;
mod fpga;
mod install;
mod latches;
mod launch_files;
mod layout;
mod memory;
mod netlist;
mod other_verilog;
mod power;
mod register_cache;
mod repeat;
mod report;
mod sthld;
mod synth;
mod traces;
mod waveforms;
mod windows;
mod workflow;
mod workloads;
