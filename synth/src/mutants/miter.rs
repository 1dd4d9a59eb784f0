// SPDX-License-Identifier: Apache-2.0
//! The circuit that tells whether a mutant does anything that its design does not, with both of them in it.
//!
//! The two stand without their memories. As long as they write the same, their memories hold the same; so
//! what both read in a cycle, in the same row, is the same, whatever it is. To read it again changes nothing
//! until it is written, and what only one of them reads else may be anything. That one reads and the other
//! does not is no difference yet: it is one where the answer is seen.

use gpurf_verilog::Port;

use super::{Memory, Pin};

/// The name of the circuit, and that of its output.
pub(super) const BOTH: &str = "both";

/// Before the names of inputs of the two.
pub(super) const INPUT: &str = "in_";

const SIDES: [&str; 2] = ["gold", "gate"];

/// Verilog of the circuit, which has one cycle of reset at first, if there is a clock, and looks no more once
/// inputs have broken a protocol of the design. It is made of modules `gold` and `gate` with these pins, and
/// with the ports of these memories beside them.
pub(super) fn miter(pins: &[Pin], memories: &[Memory]) -> String {
    let mut circuit = Circuit::default();
    for pin in pins {
        let Pin { name, bits, is_input } = pin;
        match is_input {
            _ if pin.is_kept() => circuit.is_kept_while(name),
            true => circuit.asks_both(name, *bits),
            false => circuit.compares(name, *bits),
        }
    }
    for Memory { cell, ports, .. } in memories {
        let with = |port: &&Port| port.name != "clock";
        let mut names: Vec<&str> = ports.iter().filter(with).map(|port| port.name.as_str()).collect();
        names.sort();
        if names == ["address", "enable", "read_data", "write", "write_data"] {
            circuit.has_memory(cell, ports);
            continue;
        }
        for Port { name, width, count, is_input } in ports.iter().filter(with) {
            let (name, bits) = (format!("{cell}.{name}"), width * count);
            match is_input {
                true => circuit.compares(&name, bits),
                false => circuit.asks_both(&name, bits),
            }
        }
    }
    circuit.verilog()
}

#[derive(Default)]
struct Circuit {
    inputs: Vec<String>,
    /// Signals and registers of the circuit itself.
    body: String,
    /// Connections of each of the two.
    connected: [String; 2],
    has_clock: bool,
    /// An expression that is high as long as protocols are kept.
    kept: String,
    /// Expressions that are high if they differ.
    differences: Vec<String>,
}

impl Circuit {
    fn input(&mut self, name: &str, bits: usize) {
        self.inputs.push(format!("input [{}:0] \\{name} ", bits - 1));
    }

    /// An input of the two is the same.
    fn asks_both(&mut self, name: &str, bits: usize) {
        self.input(&format!("{INPUT}{name}"), bits);
        self.has_clock |= name == "clock";
        let until_reset = if name == "reset" { "| !begun" } else { "" };
        for connected in &mut self.connected {
            *connected += &format!(", .\\{name} (\\{INPUT}{name} {until_reset})");
        }
    }

    /// The condition is the design's; the mutant's registers are not asked.
    fn is_kept_while(&mut self, name: &str) {
        self.shows(name, 1);
        self.kept += &format!(" & \\gold.{name} ");
    }

    /// An output of the two.
    fn shows(&mut self, name: &str, bits: usize) {
        for (side, connected) in SIDES.iter().zip(&mut self.connected) {
            self.body += &format!("wire [{}:0] \\{side}.{name} ;\n", bits - 1);
            *connected += &format!(", .\\{name} (\\{side}.{name} )");
        }
    }

    /// An output of the two must be the same.
    fn compares(&mut self, name: &str, bits: usize) {
        self.shows(name, bits);
        self.differences.push(format!("\\gold.{name} != \\gate.{name} "));
    }

    /// A memory of each of the two: what they write must be the same, and what they read shows a row that
    /// both have read in one cycle until one of them reads another row.
    fn has_memory(&mut self, cell: &str, ports: &[Port]) {
        let bits = |name: &str| {
            let port = ports.iter().find(|port| port.name == name);
            port.map_or(1, |port| port.width * port.count)
        };
        for name in ["enable", "write", "address", "write_data"] {
            self.shows(&format!("{cell}.{name}"), bits(name));
        }
        let [row, other] = ["row", "other_row"].map(|name| format!("{INPUT}{cell}.{name}"));
        for input in [&row, &other] {
            self.input(input, bits("read_data"));
        }
        let of = |side: &str, port: &str| format!("\\{side}.{cell}.{port} ");
        let [writes, reads] = ["", "!"]
            .map(|not| SIDES.map(|side| format!("({}& {not}{})", of(side, "enable"), of(side, "write"))));
        let [same_row, same_data] =
            ["address", "write_data"].map(|port| format!("({}== {})", of("gold", port), of("gate", port)));
        // Both show this row as it is now.
        let [shown, is_shown] = ["shown", "is_shown"].map(|name| format!("\\{cell}.{name} "));
        let again = SIDES.map(|side| format!("({is_shown}& {}== {shown})", of(side, "address")));
        let both_read = format!("({} & {} & {same_row})", reads[0], reads[1]);
        self.body += &format!(
            "reg {is_shown}= 0;\nreg [{last}:0] {shown}= 0;\n\
             always @(posedge \\{INPUT}clock )\n\
             if ({both_read}) begin {is_shown}<= 1'b1; {shown}<= {address}; end\n\
             else if ({} & !{} | {} & !{} | {} & {}) {is_shown}<= 1'b0;\n",
            reads[0],
            again[0],
            reads[1],
            again[1],
            writes[0],
            again[0],
            last = bits("address") - 1,
            address = of("gold", "address"),
        );
        let answers = [format!("\\{row} "), format!("{both_read} ? \\{row} : \\{other} ")];
        for (number, side) in SIDES.into_iter().enumerate() {
            let read = of(side, "read_data");
            self.body += &format!(
                "reg [{}:0] {read}= 0;\nalways @(posedge \\{INPUT}clock )\n\
                 if ({} & !{}) {read}<= {};\n",
                bits("read_data") - 1,
                reads[number],
                again[number],
                answers[number],
            );
            self.connected[number] += &format!(", .\\{cell}.read_data ({read})");
        }
        let [gold, gate] = writes;
        self.differences.push(format!("{gold} != {gate} | {gold} & !({same_row} & {same_data})"));
    }

    fn verilog(self) -> String {
        let Circuit { inputs, body, connected, has_clock, kept, differences } = self;
        let looks = match has_clock {
            true => format!(
                "reg begun = 1'b0, broken = 1'b0;\n\
                 always @(posedge \\{INPUT}clock ) begin begun <= 1'b1; broken <= broken | (begun & !kept); end\n"
            ),
            false => "wire begun = 1'b1, broken = 1'b0;\n".to_string(),
        };
        let instances = SIDES
            .iter()
            .zip(connected)
            .map(|(side, connected)| format!("{side} \\{side} ({});\n", connected.trim_start_matches(", ")));
        format!(
            "module {BOTH}({}, output trigger);\nwire kept = 1'b1{kept};\n{looks}{body}{}\
             assign trigger = begun & !broken & kept & ({});\nendmodule\n",
            inputs.join(", "),
            instances.collect::<String>(),
            differences.iter().map(|differs| format!("({differs})")).collect::<Vec<_>>().join(" | ")
        )
    }
}
