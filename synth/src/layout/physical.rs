// SPDX-License-Identifier: Apache-2.0
//! Places of cells and wires, from the files that qflow writes (DEF) and that come with the cells (LEF).

use std::collections::BTreeMap;

use anyhow::{Context, Result};

/// A layout's shapes, in µm from the lower left corner of the die.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Physical {
    /// Width of the die.
    pub width_um: f64,
    /// Its height.
    pub height_um: f64,
    /// Cells, fillers among them.
    pub(super) placed: Vec<Placed>,
    /// Wires between two points.
    pub(super) wires: Vec<Wire>,
}

/// A cell in its place.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Placed {
    pub kind: String,
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

/// A straight wire.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Wire {
    pub layer: usize,
    pub from: (f64, f64),
    pub to: (f64, f64),
}

impl Placed {
    fn is_filler(&self) -> bool {
        self.kind.starts_with("FILL")
    }
}

impl Physical {
    /// Reads shapes of cells, and where they are placed.
    ///
    /// # Errors
    /// If the die, or the shape of a placed cell, is not there.
    pub fn read(lef: &str, def: &str) -> Result<Physical> {
        let sizes = sizes(lef);
        let mut physical = Physical::default();
        let (mut scale, mut left, mut lower) = (100.0, 0.0, 0.0);
        let mut section = "";
        let mut layer = 0;
        let mut at = (0.0, 0.0);
        let mut is_begun = false;
        for line in def.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                ["UNITS", "DISTANCE", "MICRONS", number, ..] => scale = number.parse()?,
                ["DIEAREA", "(", x, y, ")", "(", right, upper, ")", ..] => {
                    let um = |text: &str| -> Result<f64> { Ok(text.parse::<f64>()? / scale) };
                    (left, lower) = (um(x)?, um(y)?);
                    (physical.width_um, physical.height_um) = (um(right)? - left, um(upper)? - lower);
                }
                [name @ ("COMPONENTS" | "NETS" | "SPECIALNETS"), _, ";"] => section = name,
                ["END", ..] => section = "",
                ["-", _, kind, "+", "PLACED" | "FIXED", "(", x, y, ")", ..] if section == "COMPONENTS" => {
                    let (width, height) =
                        *sizes.get(kind).with_context(|| format!("cell {kind} has no shape"))?;
                    let (x, y) = (x.parse::<f64>()? / scale - left, y.parse::<f64>()? / scale - lower);
                    physical.placed.push(Placed { kind: kind.to_string(), x, y, width, height });
                }
                _ if section == "NETS" => {
                    // After ROUTED or NEW comes a layer, then points: a star stands for the coordinate of the
                    // point before.
                    let mut rest = words.iter();
                    while let Some(word) = rest.next() {
                        match *word {
                            "ROUTED" | "NEW" => {
                                let name = rest.next().copied().unwrap_or_default();
                                layer = name.trim_start_matches(|one: char| !one.is_ascii_digit()).parse()?;
                                is_begun = false;
                            }
                            "(" => {
                                let (Some(x), Some(y)) = (rest.next(), rest.next()) else { break };
                                if *x == "PIN" || !(is_number(x) && is_number(y)) {
                                    continue;
                                }
                                let place = |text: &str, before: f64, origin: f64| match text.parse::<f64>() {
                                    Ok(number) => number / scale - origin,
                                    Err(_) => before,
                                };
                                let point = (place(x, at.0, left), place(y, at.1, lower));
                                if is_begun {
                                    physical.wires.push(Wire { layer, from: at, to: point });
                                }
                                (at, is_begun) = (point, true);
                            }
                            _ => {}
                        }
                    }
                }
                _ => {}
            }
        }
        (physical.width_um > 0.0).then_some(physical).context("there is no die")
    }

    /// Cells that compute or keep something.
    pub(super) fn cells(&self) -> impl Iterator<Item = &Placed> {
        self.placed.iter().filter(|one| !one.is_filler())
    }

    /// Area of all of them.
    pub fn cell_area_um2(&self) -> f64 {
        self.cells().map(|one| one.width * one.height).sum()
    }

    /// Length of all wires.
    pub fn wire_um(&self) -> f64 {
        let length = |wire: &Wire| (wire.from.0 - wire.to.0).abs() + (wire.from.1 - wire.to.1).abs();
        self.wires.iter().map(length).sum()
    }
}

/// A coordinate, or the star instead of one.
fn is_number(text: &str) -> bool {
    text == "*" || text.parse::<f64>().is_ok()
}

/// Widths and heights of cells by name.
fn sizes(lef: &str) -> BTreeMap<&str, (f64, f64)> {
    let mut sizes = BTreeMap::new();
    let mut name = "";
    for line in lef.lines() {
        match line.split_whitespace().collect::<Vec<_>>()[..] {
            ["MACRO", one] => name = one,
            ["SIZE", width, "BY", height, ..] => {
                if let (Ok(width), Ok(height)) = (width.parse(), height.parse()) {
                    sizes.insert(name, (width, height));
                }
            }
            _ => {}
        }
    }
    sizes
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    const LEF: &str =
        "MACRO INV\n  SIZE 1.6 BY 10.000 ;\nEND INV\nMACRO FILL\n  SIZE\t0.8 BY 10.000 ;\nEND FILL\n";
    const DEF: &str = "UNITS DISTANCE MICRONS 100 ;\nDIEAREA ( -100 -200 ) ( 900 800 ) ;\nCOMPONENTS 2 ;\n\
                       - INV_1 INV + PLACED ( 0 50 ) FS ;\n- FILL_1 FILL + PLACED ( 160 50 ) FS ;\nEND COMPONENTS\n\
                       NETS 1 ;\n- a\n  ( PIN a )\n  ( INV_1 A )\n+ ROUTED metal1 ( 0 50 ) ( 300 * ) M2_M1\n\
                       \x20 NEW metal2 ( 300 50 ) ( * 450 ) ( 500 * ) ;\nEND NETS\nSPECIALNETS 1 ;\n- b\n\
                       + ROUTED metal1 40 ( 0 0 ) ( 900 * ) ;\nEND SPECIALNETS\n";

    pub(in crate::layout) fn small() -> Physical {
        Physical::read(LEF, DEF).unwrap()
    }

    #[test]
    fn cells_and_wires_are_read_in_micrometres_from_the_corner() {
        let small = small();
        assert_eq!((small.width_um, small.height_um), (10.0, 10.0));
        let inverter = small.cells().next().unwrap();
        assert_eq!((inverter.x, inverter.y, inverter.width, inverter.height), (1.0, 2.5, 1.6, 10.0));
        assert_eq!((small.placed.len(), small.cells().count()), (2, 1));
        assert_eq!(small.cell_area_um2(), 16.0);
        let layers: Vec<usize> = small.wires.iter().map(|wire| wire.layer).collect();
        assert_eq!(layers, [1, 2, 2]);
        // 3 along, 4 up and 2 along.
        assert_eq!(small.wire_um(), 9.0);
        assert_eq!(small.wires[0], Wire { layer: 1, from: (1.0, 2.5), to: (4.0, 2.5) });
    }

    #[test]
    fn what_has_no_shape_is_named() {
        let unknown = DEF.replace("INV_1 INV", "XOR_1 XOR");
        assert_eq!(Physical::read(LEF, &unknown).unwrap_err().to_string(), "cell XOR has no shape");
        assert_eq!(Physical::read(LEF, "").unwrap_err().to_string(), "there is no die");
    }
}
