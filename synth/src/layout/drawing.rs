// SPDX-License-Identifier: Apache-2.0
//! A layout as a picture.

use std::fmt::Write;

use super::physical::{Physical, Wire};

/// Pixels for each µm.
const SCALE: f64 = 6.0;
/// Colours of the layers of metal, the lowest first.
const LAYERS: [&str; 6] = ["#3465a4", "#cc3333", "#4e9a06", "#c17d11", "#75507b", "#06989a"];

impl Physical {
    /// As SVG: cells in their rows, those with a state darker, and the wires by layer.
    pub fn svg(&self) -> String {
        let (width, height) = (SCALE * self.width_um, SCALE * self.height_um);
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
             height=\"{height:.0}\">\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
        );
        for cell in self.cells() {
            let (x, y) = self.point((cell.x, cell.y + cell.height));
            let fill = if cell.kind.starts_with("DFF") { "#b8bcc4" } else { "#e6e8ec" };
            writeln!(
                text,
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{fill}\" stroke=\"#ffffff\"><title>{}</title></rect>",
                SCALE * cell.width,
                SCALE * cell.height,
                cell.kind
            )
            .expect("a string takes any text");
        }
        for (layer, colour) in (1..).zip(LAYERS) {
            let of_layer: Vec<&Wire> = self.wires.iter().filter(|wire| wire.layer == layer).collect();
            if of_layer.is_empty() {
                continue;
            }
            let lines: String = of_layer.iter().map(|wire| self.line(wire)).collect();
            writeln!(
                text,
                "<path d=\"{}\" stroke=\"{colour}\" stroke-width=\"1.4\" fill=\"none\"/>",
                lines.trim_end()
            )
            .expect("a string takes any text");
        }
        text + "</svg>\n"
    }

    /// Wires run along one axis only.
    fn line(&self, wire: &Wire) -> String {
        let ((x, y), (to_x, to_y)) = (self.point(wire.from), self.point(wire.to));
        match y == to_y {
            true => format!("M{x:.0} {y:.0}H{to_x:.0} "),
            false => format!("M{x:.0} {y:.0}V{to_y:.0} "),
        }
    }

    /// Pictures have their origin above.
    fn point(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (SCALE * x, SCALE * (self.height_um - y))
    }
}

#[cfg(test)]
mod tests {
    use super::super::physical::tests::small;

    #[test]
    fn cells_and_wires_stand_where_they_lie() {
        let svg = small().svg();
        assert!(svg.contains("viewBox=\"0 0 60 60\""), "{svg}");
        // The inverter at (1, 2.5), 10 high, in a die of 10: it ends 2.5 above the upper edge.
        assert!(
            svg.contains("<rect x=\"6.0\" y=\"-15.0\" width=\"9.6\" height=\"60.0\" fill=\"#e6e8ec\""),
            "{svg}"
        );
        assert!(svg.contains("<path d=\"M6 45H24\" stroke=\"#3465a4\""), "{svg}");
        assert!(svg.contains("<path d=\"M24 45V21 M24 21H36\" stroke=\"#cc3333\""), "{svg}");
        assert_eq!(svg.matches("<rect").count(), 2, "a ground and a cell, without the filler");
    }
}
