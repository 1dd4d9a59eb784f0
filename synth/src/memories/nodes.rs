// SPDX-License-Identifier: Apache-2.0
//! From one node to another.
//!
//! Energy and area by Stillmaker and Baas, "Scaling equations for the accurate prediction of CMOS device
//! performance from 180 nm to 7 nm" (Integration 58, 2017, pp. 74-81), tables for high performance: the
//! energy of a gate is a polynomial in the supply voltage. That is for logic; what it makes of memories
//! stands in `docs/memories.md` beside CACTI's own nodes. They have no leakage: here it goes with the width
//! of the transistors, the root of the area, times the supply, as if the current that leaks through a
//! micrometre of width were the same everywhere.
//!
//! Areas of memories shrink less than those of gates, as their cells do. Two rules more tell how far: by the
//! area of a bit cell that a manufacturer published for each node, and ideally, by the square of the nodes'
//! names.

use anyhow::{Context, Result};

/// The node at which the figures are.
pub(super) const MEASURED_NM: u32 = 45;

/// A node, and how figures at 45 nm change on the way to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProcessNode {
    nm: u32,
    /// Nominal supply, that of the transistor models to which the polynomials are fitted.
    volts: f64,
    /// Coefficients of the energy at the supply's square, the supply, and 1.
    energy: [f64; 3],
    /// Area, 45 nm = 1.
    area: f64,
    /// Area of the densest published bit cell of six transistors, in µm²: Intel's at 90, 65, 45, 32 and 14
    /// nm, TSMC's at the others.
    bit_cell_um2: f64,
}

const NODES: [ProcessNode; 9] = [
    ProcessNode { nm: 90, volts: 1.2, energy: [4.762, -4.781, 2.092], area: 2.8, bit_cell_um2: 1.0 },
    ProcessNode { nm: 65, volts: 1.1, energy: [3.755, -4.398, 1.975], area: 1.5, bit_cell_um2: 0.57 },
    ProcessNode { nm: 45, volts: 1.0, energy: [1.018, -0.3107, 0.1539], area: 1.0, bit_cell_um2: 0.346 },
    ProcessNode { nm: 32, volts: 0.9, energy: [0.8367, -0.4341, 0.1701], area: 0.46, bit_cell_um2: 0.171 },
    ProcessNode { nm: 20, volts: 0.9, energy: [0.373, -0.1582, 0.04104], area: 0.21, bit_cell_um2: 0.081 },
    ProcessNode { nm: 16, volts: 0.85, energy: [0.2958, -0.1241, 0.03024], area: 0.19, bit_cell_um2: 0.07 },
    ProcessNode { nm: 14, volts: 0.8, energy: [0.2363, -0.09675, 0.02239], area: 0.17, bit_cell_um2: 0.0588 },
    ProcessNode { nm: 10, volts: 0.75, energy: [0.2068, -0.09311, 0.02375], area: 0.1, bit_cell_um2: 0.042 },
    ProcessNode { nm: 7, volts: 0.7, energy: [0.1776, -0.09097, 0.02447], area: 0.059, bit_cell_um2: 0.027 },
];

impl ProcessNode {
    /// A node of the tables.
    ///
    /// # Errors
    /// If it is none of them; the message names them.
    pub fn of(nm: u32) -> Result<ProcessNode> {
        ProcessNode::all().find(|node| node.nm == nm).with_context(|| {
            let known: Vec<String> = ProcessNode::all().map(|node| node.nm.to_string()).collect();
            format!("no scaling to {nm} nm is known, only to {}", known.join(", "))
        })
    }

    /// All of them, the largest first.
    pub fn all() -> impl Iterator<Item = ProcessNode> {
        NODES.into_iter()
    }

    /// In nanometres.
    pub fn nm(&self) -> u32 {
        self.nm
    }

    /// Nominal supply.
    pub fn volts(&self) -> f64 {
        self.volts
    }

    /// Energy over that at 45 nm, each at its nominal supply.
    pub fn energy(&self) -> f64 {
        self.polynomial() / ProcessNode::measured().polynomial()
    }

    /// Area over that at 45 nm.
    pub fn area(&self) -> f64 {
        self.area
    }

    /// Area of a bit cell over that at 45 nm.
    pub fn bit_cell_area(&self) -> f64 {
        self.bit_cell_um2 / ProcessNode::measured().bit_cell_um2
    }

    /// Area of a bit cell, in µm².
    pub fn bit_cell_um2(&self) -> f64 {
        self.bit_cell_um2
    }

    /// The square of the nodes' ratio: no process shrinks like this.
    pub fn ideal_area(&self) -> f64 {
        (f64::from(self.nm) / f64::from(MEASURED_NM)).powi(2)
    }

    /// Leakage over that at 45 nm.
    pub fn leakage(&self) -> f64 {
        self.area.sqrt() * self.volts / ProcessNode::measured().volts
    }

    fn measured() -> ProcessNode {
        ProcessNode::of(MEASURED_NM).expect("it is in the table")
    }

    fn polynomial(&self) -> f64 {
        let [square, linear, constant] = self.energy;
        (square * self.volts + linear) * self.volts + constant
    }
}
