// SPDX-License-Identifier: Apache-2.0
//! Proofs that a netlist does what its Verilog says.

use std::time::{Duration, Instant};

use anyhow::Result;
use gpurf_verilog::Hierarchy;
use serde::Serialize;

use crate::gated::without_clock_gates;
use crate::liberty::Library;
use crate::netlist::Netlist;
use crate::yosys::Yosys;

/// Facts that are known of a netlist and its Verilog.
#[derive(Clone, Debug, Serialize)]
pub struct Proof {
    /// How it was proved; none if it was not.
    pub by: Option<&'static str>,
    /// Seconds that all attempts took.
    pub seconds: f64,
}

const DESIGN: &str = "design.sv";
const CELLS: &str = "cells.v";

/// Tries to prove that no inputs tell a netlist from its design: each attempt has so many seconds.
///
/// First register by register, matched by their names: if two that agree in all registers agree in all
/// outputs, and in all registers after the next edge. Where that is too strict, because the netlist uses that
/// some states do not occur, by induction over cycles from reset. Memories are made of registers on both
/// sides, and registers behind a clock gate take over what comes at the edges of the clock before which the
/// gate's enable is high: a clock gate itself is not proved.
///
/// # Errors
/// If Yosys is missing or cannot be started.
pub fn prove(hierarchy: &Hierarchy, netlist: &Netlist, library: &Library, seconds: u64) -> Result<Proof> {
    let began = Instant::now();
    let yosys = Yosys::new()?;
    let top = &hierarchy.top;
    yosys.write(DESIGN, &hierarchy.source())?;
    yosys.write(CELLS, &without_clock_gates(&netlist.module, &netlist.models, library))?;
    let both = format!(
        "read_verilog -sv {DESIGN}; hierarchy -top {top}; proc; flatten; memory; opt_clean\n\
         rename {top} gold; design -stash gold\n\
         read_verilog -sv {CELLS}; hierarchy -top {top}; proc; flatten; memory; opt_clean\n\
         rename {top} gate; design -stash gate\n\
         design -copy-from gold -as gold gold; design -copy-from gate -as gate gate\n"
    );
    let by_register = "equiv_make gold gate both; hierarchy -top both; opt -share_all; opt_clean\n\
         equiv_struct; equiv_simple; equiv_simple -seq 3; equiv_induct -seq 3; equiv_status -assert";
    let from_reset = format!(
        "miter -equiv -flatten gold gate both; hierarchy -top both; async2sync; opt -full\n\
         sat -verify -tempinduct -prove trigger 0 -set-at 1 in_reset 1 -seq 1 -maxsteps 8 -timeout {seconds} both"
    );
    let combinational = format!(
        "miter -equiv -flatten gold gate both; hierarchy -top both; opt -full\n\
         sat -verify -prove trigger 0 -timeout {seconds} both"
    );
    let has = |name: &str| hierarchy.top_module().ports.iter().any(|port| port.name == name);
    let attempts = [
        ("registers by name", has("clock").then_some(by_register)),
        ("induction from reset", has("reset").then_some(&from_reset[..])),
        ("all inputs", (!has("clock")).then_some(&combinational[..])),
    ];
    let mut by = None;
    for (name, proof) in attempts {
        let Some(proof) = proof else { continue };
        if yosys.run(&format!("{both}{proof}"), Some(Duration::from_secs(seconds)))? {
            by = Some(name);
            break;
        }
    }
    Ok(Proof { by, seconds: began.elapsed().as_secs_f64() })
}
