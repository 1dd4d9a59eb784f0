// SPDX-License-Identifier: Apache-2.0
//! Registers behind clock gates as registers with an enable, which proofs need.
//!
//! A clock gate is a latch and a gate in the clock: a second clock, which no proof by registers takes. What
//! it is there for is simple: a register behind it takes something over at those edges of the clock before
//! which its enable was high. A latch behind it passes what comes in the cycle behind such an edge, and holds
//! what it had at the end of that cycle.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::liberty::Library;

/// An instance of a cell as Yosys writes it, one pin in a line.
struct Instance<'a> {
    kind: &'a str,
    /// Pins and what is connected to them.
    pins: Vec<(&'a str, &'a str)>,
}

impl<'a> Instance<'a> {
    /// The instance that begins in the first of these lines, if there is one, and how many lines it takes.
    fn read(lines: &[&'a str]) -> Option<(Self, usize)> {
        let kind = lines.first()?.trim_start().strip_suffix('(')?.split_whitespace().next()?;
        let end = lines.iter().position(|line| line.trim() == ");")?;
        let pin = |line: &&'a str| {
            let line = line.trim_start().strip_prefix('.')?.trim_end_matches(',');
            line.strip_suffix(')')?.split_once('(')
        };
        let pins = lines[1..end].iter().map(pin).collect::<Option<_>>()?;
        Some((Instance { kind, pins }, end + 1))
    }

    fn at(&self, pin: &str) -> Option<&'a str> {
        self.pins.iter().find(|(name, _)| *name == pin).map(|(_, net)| *net)
    }
}

/// A clock gate: its condition, and the clock in front of it.
struct Gate<'a> {
    clock: &'a str,
    opens: String,
}

/// A netlist and the models of its cells, in which registers behind a clock gate have the clock in front of
/// it and an enable instead. Others stay as they are: they make a proof fail, and never one succeed.
pub fn without_clock_gates<'a>(module: &str, models: &'a str, library: &'a Library) -> String {
    let lines: Vec<&str> = module.lines().collect();
    let instances =
        (0..lines.len()).filter_map(|line| Instance::read(&lines[line..]).map(|found| (line, found)));
    let instances: Vec<(usize, (Instance, usize))> = instances.collect();
    let gates = instances.iter().filter_map(|(_, (instance, _))| {
        let gate = library.cells.get(instance.kind)?.clock_gate.as_ref()?;
        let enable = instance.at(&gate.enable)?;
        let opens = match gate.test.as_ref().and_then(|pin| instance.at(pin)) {
            Some(test) => format!("{enable} | {test}"),
            None => enable.to_string(),
        };
        Some((instance.at(&gate.output)?, Gate { clock: instance.at(&gate.clock)?, opens }))
    });
    let gates: HashMap<&str, Gate> = gates.collect();

    let kinds: BTreeSet<&str> = instances.iter().map(|(_, (instance, _))| instance.kind).collect();
    let known = |kind: &str| latch(library, kind).or_else(|| with_enable(models, kind));
    let registers = kinds.into_iter().filter_map(|kind| Some((kind, known(kind)?)));
    let registers: BTreeMap<&str, (String, &str)> = registers.collect();
    let mut changed: HashMap<usize, String> = HashMap::new();
    for (line, (instance, length)) in &instances {
        let Some((_, clock)) = registers.get(instance.kind) else { continue };
        let Some(gate) = instance.at(clock).and_then(|net| gates.get(net)) else { continue };
        for (place, text) in lines.iter().enumerate().skip(*line).take(*length) {
            let pin = format!(".{clock}(");
            if place == *line {
                changed.insert(place, text.replacen(instance.kind, &gated(instance.kind), 1));
            } else if text.trim_start().starts_with(&pin) {
                let comma = if text.ends_with(',') { "," } else { "" };
                let pins = format!("    {pin}{}), .{OPEN}({}){comma}", gate.clock, gate.opens);
                changed.insert(place, pins);
            }
        }
    }
    let module = lines.iter().enumerate().map(|(place, line)| changed.get(&place).map_or(*line, |line| line));
    let module = module.collect::<Vec<_>>().join("\n");
    let more = registers.into_values().map(|(model, _)| model);
    more.chain([models.to_string(), module, String::new()]).collect::<Vec<_>>().join("\n")
}

/// Pin of the enable.
const OPEN: &str = "opens_gate";

/// Name of a register with an enable.
fn gated(kind: &str) -> String {
    format!("{kind}_behind_gate")
}

/// The model of a latch behind a clock gate, and the pin of its clock; none if the cell is no latch.
fn latch<'a>(library: &'a Library, kind: &str) -> Option<(String, &'a str)> {
    let [data, clock, output] = library.cells.get(kind)?.latch_pins()?;
    let model = format!(
        "module {}({OPEN}, {data}, {clock}, {output});\n\
         \x20 input {OPEN}, {data}, {clock};\n\
         \x20 output {output};\n\
         \x20 reg open, held;\n\
         \x20 always @(posedge {clock}) begin\n\
         \x20   open <= {OPEN};\n\
         \x20   held <= {output};\n\
         \x20 end\n\
         \x20 assign {output} = open ? {data} : held;\n\
         endmodule\n",
        gated(kind)
    );
    Some((model, clock))
}

/// The model of a register with an enable, and the pin of its clock; none if the cell is no register. Some
/// versions of Yosys give a model a register for each of its outputs, all on one clock.
fn with_enable<'a>(models: &'a str, kind: &str) -> Option<(String, &'a str)> {
    let head = format!("module {kind}(");
    let model = models.split_inclusive("endmodule\n").find_map(|text| Some(&text[text.find(&head)?..]))?;
    let mut clocks =
        model.split("always @(posedge ").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0));
    let clock = clocks.next()?;
    if clocks.any(|other| other != clock) {
        return None;
    }
    let edge = format!("always @(posedge {clock})");
    let model = model
        .replacen(&head, &format!("module {}({OPEN}, ", gated(kind)), 1)
        .replacen(");\n", &format!(");\n  input {OPEN};\n"), 1)
        .replace(&edge, &format!("{edge} if ({OPEN})"));
    Some((model, clock))
}
