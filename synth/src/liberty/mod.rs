// SPDX-License-Identifier: Apache-2.0
//! Cell libraries in the Liberty format: areas, functions, loads and powers, and the cells that the flow asks
//! for by function.
//!
//! `liberty-db` 0.17 reads Nangate's file in 0.10 s, this parser in 0.04 s; it would take the place of the
//! two syntaxes alone, of the file and of functions, brings 20 crates and 75 s of compilation into whatever
//! uses it, and refuses a `;` on a line of its own. `liberty-parse` 0.1 takes 0.14 s, knows nothing of
//! functions, and refuses comments with `//`.

mod cell;
mod parser;
mod tables;
mod wires;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{bail, Context, Result};
use gpurf_verilog::cache;

pub use cell::{Arc, Cell, ClockGate, Direction, InternalPower, Pin};
pub use tables::Table;
pub use wires::WireLoad;

use parser::Parser;
use tables::Templates;

/// A standard-cell library, read from a Liberty file.
#[derive(Clone, Debug)]
pub struct Library {
    /// Its file.
    pub path: PathBuf,
    /// Tells its text from any other.
    pub key: String,
    /// As the file calls it.
    pub name: String,
    /// By name.
    pub cells: BTreeMap<String, Cell>,
    /// Supply voltage in volts; energies that switch a capacitance are in femtojoules.
    pub voltage: f64,
    /// Wire-load models by name, and the one that the library takes by default.
    pub wire_loads: BTreeMap<String, WireLoad>,
    /// Its name.
    pub default_wire_load: Option<String>,
}

impl Library {
    /// Reads a Liberty file.
    ///
    /// # Errors
    /// If the file cannot be read, or has no library with cells.
    pub fn read(path: &Path) -> Result<Library> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("{}: the Liberty file cannot be read", path.display()))?;
        let mut library = Library::parse(&text)
            .with_context(|| format!("{}: not a usable Liberty file", path.display()))?;
        // Yosys and OpenSTA read it from folders of their own.
        library.path = std::path::absolute(path).with_context(|| format!("{}", path.display()))?;
        library.key = cache::key(&[&text]);
        Ok(library)
    }

    fn parse(text: &str) -> Result<Library> {
        let root = Parser::new(text).group_body()?;
        let Some(library) = root.of_kind("library").next() else {
            bail!("there is no `library (...) {{ ... }}` in it");
        };
        let units = Units::of(library);
        let templates = Templates::of(library);
        let cells = library.of_kind("cell");
        let cells: BTreeMap<_, _> =
            cells.map(|group| (group.name.clone(), Cell::read(group, &templates, &units))).collect();
        if cells.is_empty() {
            bail!("library {} has no cells", library.name);
        }
        let wire_loads = library.of_kind("wire_load");
        Ok(Library {
            path: PathBuf::new(),
            key: String::new(),
            name: library.name.clone(),
            cells,
            voltage: library.number("nom_voltage").unwrap_or(1.0) * units.voltage,
            wire_loads: wire_loads.map(|group| (group.name.clone(), WireLoad::read(group, &units))).collect(),
            default_wire_load: library.get("default_wire_load").map(str::to_string),
        })
    }

    /// Area of one gate equivalent in µm²: the cell called `NAND2_X1`, or else the smallest NAND of two.
    pub fn gate_equivalent(&self) -> Result<f64> {
        let named = self.cells.get("NAND2_X1");
        let smallest = || self.smallest(|inputs| !(inputs[0] && inputs[1]), 2).map(|(_, cell)| cell);
        match named.or_else(smallest) {
            Some(nand) if nand.area > 0.0 => Ok(nand.area),
            _ => bail!("{}: no NAND of two inputs with an area: areas cannot be given in gates", self.name),
        }
    }

    /// The smallest buffer: it is assumed to drive the inputs of a synthesized module.
    pub fn buffer(&self) -> Result<&str> {
        let found = self.smallest(|inputs| inputs[0], 1);
        found.map(|(name, _)| name).with_context(|| format!("{}: the library has no buffer", self.name))
    }

    /// The smallest clock gate for rising edges, if the library has one.
    pub fn clock_gate(&self) -> Option<(&str, &ClockGate)> {
        let gates =
            self.cells.iter().filter_map(|(name, cell)| Some((name, cell, cell.clock_gate.as_ref()?)));
        let smallest = gates.min_by(|a, b| a.1.area.total_cmp(&b.1.area))?;
        Some((smallest.0, smallest.2))
    }

    /// The smallest latch that is open while its clock is high, if the library has one: its name, and its
    /// pins of data, clock and output.
    pub fn latch(&self) -> Option<(&str, [&str; 3])> {
        let latches = self.cells.iter().filter_map(|(name, cell)| Some((name, cell, cell.latch_pins()?)));
        let smallest = latches.min_by(|a, b| a.1.area.total_cmp(&b.1.area))?;
        Some((smallest.0, smallest.2))
    }

    /// Names of all latches that are open while their clock is high.
    pub fn latches(&self) -> impl Iterator<Item = &str> {
        self.cells.iter().filter(|(_, cell)| cell.latch_pins().is_some()).map(|(name, _)| name.as_str())
    }

    /// Names of all cells that hold state, where a combinational path ends.
    pub fn sequential(&self) -> impl Iterator<Item = &str> {
        self.cells.iter().filter(|(_, cell)| cell.sequential).map(|(name, _)| name.as_str())
    }

    fn smallest(&self, function: impl Fn(&[bool]) -> bool, inputs: usize) -> Option<(&str, &Cell)> {
        let computing = self.cells.iter().filter(|(_, cell)| cell.computes(&function, inputs));
        computing.map(|(name, cell)| (name.as_str(), cell)).min_by(|a, b| a.1.area.total_cmp(&b.1.area))
    }
}

/// Factors for the numbers of the file.
struct Units {
    /// To femtofarads.
    capacitance: f64,
    /// To nanoseconds.
    time: f64,
    /// To nanowatts.
    leakage: f64,
    /// To volts.
    voltage: f64,
}

impl Units {
    fn of(library: &parser::LibertyGroup) -> Self {
        let load = library.list("capacitive_load_unit").and_then(|list| {
            let scale: f64 = list.first()?.trim().parse().ok()?;
            Some(scale * prefixed(list.get(1)?.trim(), "f")? * 1e15)
        });
        let unit = |attribute: &str, of: &str| {
            let text = library.get(attribute)?;
            let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
            Some(text[..digits].parse::<f64>().ok()? * prefixed(&text[digits..], of)?)
        };
        // What the format takes where a file says nothing: 1 ns and 1 pF.
        Units {
            capacitance: load.unwrap_or(1000.0),
            time: unit("time_unit", "s").unwrap_or(1e-9) * 1e9,
            leakage: unit("leakage_power_unit", "w").unwrap_or(1e-9) * 1e9,
            voltage: unit("voltage_unit", "v").unwrap_or(1.0),
        }
    }

    /// The factor from internal energies to femtojoules: the format gives them in the unit of capacitance
    /// times that of voltage squared.
    fn energy(&self) -> f64 {
        self.capacitance * self.voltage * self.voltage
    }
}

/// `ff`, `nW`, `mV`: the prefix as a number.
fn prefixed(unit: &str, of: &str) -> Option<f64> {
    let unit = unit.to_ascii_lowercase();
    Some(match unit.strip_suffix(of)? {
        "" => 1.0,
        "m" => 1e-3,
        "u" => 1e-6,
        "n" => 1e-9,
        "p" => 1e-12,
        "f" => 1e-15,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIBRARY: &str = r#"
        /* a comment; with { braces } */
        library ("toy") {
          time_unit : "1ns"; // to the end of the line
          capacitive_load_unit (1,ff);
          cell (NA2) {
            area : 0.5;
            pin (A) { direction : input; values ("1, 2", \
              "3, 4"); }
            pin (B) { direction : "input"; }
            pin (Y) { direction : output; function : "(A*B)'"; }
          }
          cell (BIGNAND) {
            area : 2.0
            ; pin (A) { direction : input; } pin (B) { direction : input; }
            pin (Y) { direction : output; function : "!A | !B"; }
          }
          cell (NOR) {
            area : 0.4;
            pin (A) { direction : input; } pin (B) { direction : input; }
            pin (Y) { direction : output; function : "!(A+B)"; }
          }
          cell (BUF) {
            area : 0.7;
            pin (I) { direction : input; } pin (O) { direction : output; function : "I"; }
          }
          cell (FF) {
            area : 4.0;
            ff (IQ, IQN) { next_state : "D"; clocked_on : "CK"; }
            pin (D) { direction : input; } pin (CK) { direction : input; clock : true; }
            pin (Q) { direction : output; function : "IQ"; }
          }
          cell (GATE) {
            area : 3.0; clock_gating_integrated_cell : "latch_posedge";
            statetable ("CK E", "IQ") { table : "L L : - : L"; }
            pin (CK) { direction : input; clock_gate_clock_pin : true; }
            pin (E) { direction : input; clock_gate_enable_pin : true; }
            pin (Z) { direction : output; clock_gate_out_pin : true; }
          }
        }"#;

    #[test]
    fn reads_cells_and_finds_them_by_function() {
        let library = Library::parse(LIBRARY).unwrap();
        assert_eq!((library.name.as_str(), library.cells.len()), ("toy", 6));
        assert_eq!(library.gate_equivalent().unwrap(), 0.5);
        assert_eq!(library.buffer().unwrap(), "BUF");
        assert!(library.cells["FF"].flip_flop && !library.cells["GATE"].flip_flop);
        assert_eq!(library.sequential().collect::<Vec<_>>(), ["FF", "GATE"]);
        let (name, pins) = library.clock_gate().unwrap();
        assert_eq!((name, &pins.enable[..], &pins.output[..], &pins.test), ("GATE", "E", "Z", &None));
    }

    #[test]
    fn the_named_nand_is_preferred() {
        let text = LIBRARY.replace("BIGNAND", "NAND2_X1");
        assert_eq!(Library::parse(&text).unwrap().gate_equivalent().unwrap(), 2.0);
    }

    #[test]
    fn refuses_what_is_not_liberty() {
        let message = |text: &str| format!("{:#}", Library::parse(text).unwrap_err());
        assert!(message("module top; endmodule").contains("line 1"));
        assert!(message("library (empty) { }").contains("no cells"));
        assert!(message("").contains("no `library"));
    }
}
