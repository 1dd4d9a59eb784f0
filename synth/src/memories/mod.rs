// SPDX-License-Identifier: Apache-2.0
//! Energies, areas and delays of memories, which have no cells: what CACTI says of some, and what follows
//! from that for others.
//!
//! `tools/cacti` writes the figures. A memory that CACTI was run for has its own; any other has those of the
//! nearest one with the same ports, and each figure grows from there by a power of the rows and a power of
//! the width. The powers are fitted to all memories with these ports. [`Memories::errors`] tells how far that
//! is from CACTI.

mod area;
mod growth;
mod nodes;

use std::path::Path;
use std::{fmt, fs};

use anyhow::{ensure, Context, Result};
use serde::{Deserialize, Serialize};

pub use area::{MemoryArea, MemoryArray};
pub use growth::RuleError;
use growth::{Figure, Growth};
pub use nodes::ProcessNode;

/// The figures that come with the project.
const FIGURES: &str = include_str!("../../memories.toml");

/// How much smaller or larger than a memory of CACTI's another one may be, in rows and in width.
const REACH: f64 = 8.0;

/// CACTI's figures, and how it was asked.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Memories {
    /// Name and version.
    pub tool: String,
    /// Where it is from.
    pub repository: String,
    /// Which state of that.
    pub commit: String,
    /// Node of what is not said to be of another, in nanometres.
    pub node_nm: u32,
    /// Temperature in kelvins.
    pub temperature_k: u32,
    /// Transistors of what is not said to be of others, as CACTI calls them.
    pub cell: String,
    /// The goal for which CACTI chooses its arrays.
    pub optimized: String,
    /// The wires between them.
    pub wires: String,
    /// Bits of an array; wider rows stand in several side by side.
    pub array_bits: usize,
    /// All that were run.
    #[serde(rename = "memory")]
    pub runs: Vec<MemoryRun>,
}

/// One run of CACTI. Energies are those of an access of a whole row, whatever its bits.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryRun {
    /// The part of the hardware that it stands for; none for those that are there for the rule.
    pub of: Option<String>,
    /// Rows.
    pub rows: usize,
    /// Bits of a row.
    pub width: usize,
    /// Ports that read or write.
    #[serde(default)]
    pub shared: usize,
    /// Ports that read.
    #[serde(default)]
    pub reads: usize,
    /// Ports that write.
    #[serde(default)]
    pub writes: usize,
    /// Ports that search all rows.
    #[serde(default)]
    pub searches: usize,
    /// Its node, if it is another.
    pub node_nm: Option<u32>,
    /// Its transistors, if they are others.
    pub cell: Option<String>,
    /// The ones around the cells, if they are others.
    pub periphery: Option<String>,
    /// `cache` with tags, or `cam`; none for a random-access memory.
    pub kind: Option<String>,
    /// The ways of a cache.
    pub ways: Option<usize>,
    /// Energy of a read.
    pub read_fj: f64,
    /// Energy of a write.
    pub write_fj: f64,
    /// Energy of a search.
    pub search_fj: Option<f64>,
    /// Leakage of all of it.
    pub leakage_nw: f64,
    /// From the address to the data.
    pub access_ns: f64,
    /// Area.
    pub area_um2: f64,
}

/// Ports of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ports {
    /// Ports that read or write, one of both in a cycle.
    pub shared: usize,
    /// Ports that read.
    pub reads: usize,
    /// Ports that write.
    pub writes: usize,
}

/// The figures of a memory.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MemoryEnergy {
    /// Energy of a read of a row.
    pub read_fj: f64,
    /// Energy of a write of a row.
    pub write_fj: f64,
    /// Leakage of all of it.
    pub leakage_nw: f64,
    /// Area.
    pub area_um2: f64,
    /// From the address to the data, where CACTI ran: no rule here takes a time to another node.
    pub access_ns: Option<f64>,
    /// Where the figures are from.
    pub source: String,
}

impl Ports {
    /// One that reads or writes.
    pub const ONE: Ports = Ports { shared: 1, reads: 0, writes: 0 };
    /// One that reads, and one that writes.
    pub const TWO: Ports = Ports { shared: 0, reads: 1, writes: 1 };
}

impl fmt::Display for Ports {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let counts = [(self.shared, "RW"), (self.reads, "R"), (self.writes, "W")];
        counts.iter().filter(|(count, _)| *count > 0).try_for_each(|(count, name)| write!(f, "{count}{name}"))
    }
}

impl MemoryRun {
    /// Its ports, those apart that search.
    pub fn ports(&self) -> Ports {
        Ports { shared: self.shared, reads: self.reads, writes: self.writes }
    }

    /// A random-access memory of the usual node and cells.
    fn is_usual(&self) -> bool {
        self.kind.is_none() && self.node_nm.is_none() && self.cell.is_none()
    }
}

impl Default for Memories {
    fn default() -> Self {
        toml::from_str(FIGURES).expect("the embedded figures are valid")
    }
}

impl Memories {
    /// Reads a file that `tools/cacti` wrote.
    ///
    /// # Errors
    /// If it cannot be read, or is no such file.
    pub fn read(path: &Path) -> Result<Memories> {
        let text = fs::read_to_string(path).with_context(|| format!("{}: cannot be read", path.display()))?;
        toml::from_str(&text).with_context(|| format!("{}: no figures of memories", path.display()))
    }

    /// The figures of a memory of so many rows of so many bits.
    ///
    /// # Errors
    /// If CACTI was run for none with such ports, or for none that is near enough.
    pub fn access(&self, rows: usize, width: usize, ports: Ports) -> Result<MemoryEnergy> {
        ensure!(rows > 0 && width > 0, "a memory of {rows} rows of {width} bits is none");
        let arrays = width.div_ceil(self.array_bits);
        let bits = width.div_ceil(arrays);
        let (nearest, growth) = self.nearest(rows, bits, ports)?;
        let of_one = |figure: Figure| growth.scaled(figure, nearest, rows, bits);
        let figure = |figure: Figure| of_one(figure) * arrays as f64;
        let several = if arrays > 1 { format!("{arrays} arrays of {bits} bits; ") } else { String::new() };
        let is_own = (nearest.rows, nearest.width) == (rows, bits);
        let how = if is_own { "for" } else { "scaled from" };
        Ok(MemoryEnergy {
            read_fj: figure(Figure::Read),
            write_fj: figure(Figure::Write),
            leakage_nw: figure(Figure::Leakage),
            area_um2: figure(Figure::Area),
            access_ns: Some(of_one(Figure::Access)),
            source: format!("{several}{} {how} {} × {}, {ports}", self.tool, nearest.rows, nearest.width),
        })
    }

    /// The run that is nearest to an array, and how figures change from there.
    fn nearest(&self, rows: usize, bits: usize, ports: Ports) -> Result<(&MemoryRun, Growth)> {
        let arrays: Vec<&MemoryRun> = self.arrays().filter(|one| one.ports() == ports).collect();
        let ratios = |one: &MemoryRun| [rows as f64 / one.rows as f64, bits as f64 / one.width as f64];
        let far = |one: &MemoryRun| ratios(one).iter().map(|ratio| ratio.ln().abs()).sum::<f64>();
        let nearest = arrays.iter().copied().min_by(|a, b| far(a).total_cmp(&far(b)));
        let nearest = nearest.with_context(|| {
            let mut known: Vec<String> = self.arrays().map(|one| one.ports().to_string()).collect();
            known.sort();
            known.dedup();
            format!("{} was run for no memory with ports {ports}, only {}", self.tool, known.join(", "))
        })?;
        ensure!(
            ratios(nearest).iter().all(|ratio| (1.0 / REACH..=REACH).contains(ratio)),
            "a memory of {rows} × {bits} with ports {ports} is too far from all that {} was run for; the nearest has {} × {}",
            self.tool,
            nearest.rows,
            nearest.width
        );
        Ok((nearest, Growth::of(&arrays)))
    }

    /// The runs that others are scaled from.
    fn arrays(&self) -> impl Iterator<Item = &MemoryRun> {
        self.runs.iter().filter(|one| one.is_usual() && one.width <= self.array_bits)
    }
}

impl MemoryEnergy {
    /// The same at another node.
    #[must_use]
    pub fn at(&self, node: &ProcessNode) -> MemoryEnergy {
        MemoryEnergy {
            read_fj: self.read_fj * node.energy(),
            write_fj: self.write_fj * node.energy(),
            leakage_nw: self.leakage_nw * node.leakage(),
            area_um2: self.area_um2 * node.area(),
            access_ns: self.access_ns.filter(|_| node.nm() == nodes::MEASURED_NM),
            source: match node.nm() {
                nodes::MEASURED_NM => self.source.clone(),
                nm => format!("{}; scaled to {nm} nm", self.source),
            },
        }
    }
}
