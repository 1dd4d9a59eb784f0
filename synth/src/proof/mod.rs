// SPDX-License-Identifier: Apache-2.0
//! Proofs about exported Verilog: what modules owe at their ports, and what their monitors say of their
//! inside.

mod abc;
mod contract;
mod design;
mod monitor;
mod smt;

use std::path::Path;

use anyhow::Result;

use crate::yosys::Yosys;

pub use contract::prove_contract;
pub use monitor::{prove_monitor, Property, PropertyKind, Watched};

/// The result of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// In every cycle after a reset, for all inputs that keep the driver's rules.
    Always,
    /// Not: it is broken this many cycles after the beginning.
    Not {
        /// Cycles of the shortest run that was found.
        cycles: u64,
    },
    /// It can happen, so many cycles after the beginning; it is no rule.
    Reached {
        /// Cycles of the shortest run that was found.
        cycles: u64,
    },
    /// Not broken in so many cycles from the beginning; beyond them it is open.
    Bounded {
        /// Cycles that were looked at.
        cycles: u64,
    },
    /// The time did not suffice.
    Open,
}

/// A rule and what is known of it.
#[derive(Clone, Debug)]
pub struct RuleProof {
    /// The rule, in words.
    pub rule: String,
    /// The result.
    pub holds: Holds,
    /// How it was found.
    pub method: String,
    /// Seconds by the clock.
    pub seconds: f64,
}

const TRACE: &str = "trace.vcd";

/// Writes a run of so many cycles at whose end an output of a design is high, as a waveform.
fn counterexample(
    yosys: &Yosys,
    design: &str,
    output: &str,
    start: &str,
    cycles: u64,
    path: &Path,
) -> Result<()> {
    let script = format!(
        "read_rtlil {design}; sat -prove {output} 0 -tempinduct-baseonly {start} -maxsteps {cycles} -show-public \
         -dump_vcd {TRACE}"
    );
    yosys.run(&script, None)?;
    Ok(gpurf_files::write(path, yosys.read(TRACE)?)?)
}
