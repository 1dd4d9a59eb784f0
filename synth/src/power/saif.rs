// SPDX-License-Identifier: Apache-2.0
//! Activity as SAIF, which power tools read.

use gpurf_verilog::writer;
use std::fmt::Write;

use crate::circuit::{Activity, Circuit};

/// The activity of all nets of a circuit as SAIF 2.0, over cycles of so many picoseconds. Names are those of
/// the netlist's Verilog.
pub fn saif(circuit: &Circuit, activity: &Activity, period_ps: u64) -> String {
    let duration = activity.cycles * period_ps;
    let mut text = format!(
        "(SAIFILE\n(SAIFVERSION \"2.0\")\n(DIRECTION \"backward\")\n(DESIGN \"{top}\")\n(PROGRAM_NAME \"gpurf\")\n\
         (VERSION \"{version}\")\n(DIVIDER / )\n(TIMESCALE 1 ps)\n(DURATION {duration})\n(INSTANCE {top}\n  (NET\n",
        top = circuit.top,
        version = writer().trim_start_matches("gpurf "),
    );
    for (net, name) in circuit.wires.iter().enumerate().skip(2).filter(|(_, name)| !name.is_empty()) {
        let high = (activity.high[net] * period_ps as f64).round() as u64;
        let name: String = name.chars().flat_map(escaped).collect();
        writeln!(
            text,
            "    ({name} (T0 {}) (T1 {high}) (TX 0) (TC {}) (IG 0))",
            duration - high,
            activity.toggles[net]
        )
        .expect("writing to a String");
    }
    text + "  )\n)\n)\n"
}

/// All but letters, digits and underscores stand behind a backslash.
fn escaped(letter: char) -> impl Iterator<Item = char> {
    let plain = letter.is_ascii_alphanumeric() || letter == '_';
    (!plain).then_some('\\').into_iter().chain([letter])
}
