// SPDX-License-Identifier: Apache-2.0
//! Kinds of devices, and what Yosys calls their cells.

use std::fmt;
use std::str::FromStr;

use anyhow::{bail, Result};
use serde::{Deserialize, Serialize};

/// A kind of device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Target {
    /// Lattice ECP5.
    Ecp5,
    /// Lattice iCE40.
    Ice40,
    /// Xilinx, seventh series.
    Xilinx,
}

impl Target {
    /// All of them.
    pub const ALL: [Target; 3] = [Target::Ecp5, Target::Ice40, Target::Xilinx];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Target::Ecp5 => "ecp5",
            Target::Ice40 => "ice40",
            Target::Xilinx => "xilinx",
        }
    }

    /// The command of Yosys, without buffers at the ports.
    pub(super) fn command(self) -> &'static str {
        match self {
            Target::Ecp5 => "synth_ecp5",
            Target::Ice40 => "synth_ice40",
            Target::Xilinx => "synth_xilinx -family xc7 -noiopad -noclkbuf",
        }
    }

    /// The device for which nextpnr places and routes out of context, as its option names it.
    pub fn device(self) -> Option<&'static str> {
        (self == Target::Ecp5).then_some("85k")
    }

    /// A description of its look-up tables and memories.
    pub(super) fn cells(self) -> &'static str {
        match self {
            Target::Ecp5 => "ECP5: tables of 4 inputs, memories of 16 × 4 bits in tables, blocks of 18 kbit",
            Target::Ice40 => "iCE40: tables of 4 inputs, no memories in tables, blocks of 4 kbit",
            Target::Xilinx => {
                "seventh series: tables of up to 6 inputs, memories in tables, blocks of 18 or 36 kbit"
            }
        }
    }

    /// A look-up table of logic.
    pub(super) fn is_lut(self, cell: &str) -> bool {
        match self {
            Target::Ecp5 => cell == "LUT4",
            Target::Ice40 => cell == "SB_LUT4",
            Target::Xilinx => matches!(cell, "LUT1" | "LUT2" | "LUT3" | "LUT4" | "LUT5" | "LUT6" | "INV"),
        }
    }

    pub(super) fn is_flip_flop(self, cell: &str) -> bool {
        match self {
            Target::Ecp5 => cell == "TRELLIS_FF",
            Target::Ice40 => cell.starts_with("SB_DFF"),
            Target::Xilinx => matches!(cell, "FDRE" | "FDSE" | "FDCE" | "FDPE"),
        }
    }

    pub(super) fn is_carry(self, cell: &str) -> bool {
        match self {
            Target::Ecp5 => cell == "CCU2C",
            Target::Ice40 => cell == "SB_CARRY",
            Target::Xilinx => cell == "CARRY4",
        }
    }

    pub(super) fn is_lut_memory(self, cell: &str) -> bool {
        match self {
            Target::Ecp5 => cell == "TRELLIS_DPR16X4",
            Target::Ice40 => false,
            Target::Xilinx => cell.starts_with("RAM") && !cell.starts_with("RAMB") || cell.starts_with("SRL"),
        }
    }

    pub(super) fn is_block_memory(self, cell: &str) -> bool {
        match self {
            Target::Ecp5 => matches!(cell, "DP16KD" | "PDPW16KD"),
            Target::Ice40 => cell.starts_with("SB_RAM40"),
            Target::Xilinx => cell.starts_with("RAMB"),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Target {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Target> {
        match Target::ALL.into_iter().find(|target| target.name() == text) {
            Some(target) => Ok(target),
            None => bail!("there are {}", Target::ALL.map(Target::name).join(", ")),
        }
    }
}
