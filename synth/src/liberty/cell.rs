// SPDX-License-Identifier: Apache-2.0
//! One cell: its pins and functions, loads, transition times and energies.

use super::parser::LibertyGroup;
use super::tables::{Table, Templates};
use super::Units;
use crate::boolean::Function;

/// A cell of a library.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    /// In the library's unit, which is µm² by custom.
    pub area: f64,
    /// Flip-flop, latch or clock gate.
    pub sequential: bool,
    /// A flip-flop: counts as one bit of state.
    pub flip_flop: bool,
    /// The pins, if it is a clock gate.
    pub clock_gate: Option<ClockGate>,
    /// Signal pins, in the order of the file.
    pub pins: Vec<Pin>,
    /// The state of a flip-flop or a latch, and when it changes.
    pub(crate) state: Option<State>,
    /// Leakage where no condition holds, in nanowatts.
    pub leakage: f64,
    /// Leakage under a condition on the pins, in nanowatts.
    pub(crate) leakage_when: Vec<(Function, f64)>,
}

/// The pins of an integrated clock gate that opens for a rising clock.
#[derive(Clone, Debug, PartialEq)]
pub struct ClockGate {
    /// Pin of the clock.
    pub clock: String,
    /// Pin that opens the gate.
    pub enable: String,
    /// Pin of the gated clock.
    pub output: String,
    /// Scan enable, tied low.
    pub test: Option<String>,
}

/// The state of a flip-flop or a latch.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct State {
    /// The names by which the outputs' functions call the state and its inverse.
    pub names: [String; 2],
    pub next: Option<Function>,
    /// The pin at whose rising edge it changes, or while which is high.
    pub clock: Option<String>,
    /// It is a latch: what it is to hold passes while the clock is high.
    pub passes: bool,
    /// It can be cleared or set without a clock.
    pub asynchronous: bool,
}

/// Which way a pin goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Into the cell.
    Input,
    /// Out of it.
    Output,
}

/// A signal pin.
#[derive(Clone, Debug, PartialEq)]
pub struct Pin {
    /// As the netlist calls it.
    pub name: String,
    /// Input or output.
    pub direction: Direction,
    /// Capacitance in femtofarads.
    pub capacitance: f64,
    pub(crate) function: Option<Function>,
    /// Energies inside the cell when this pin changes.
    pub internal_power: Vec<InternalPower>,
    /// How fast an output changes.
    pub arcs: Vec<Arc>,
}

/// Energy inside a cell at a change of one pin, in femtojoules.
#[derive(Clone, Debug, PartialEq)]
pub struct InternalPower {
    /// The input that the change of the output comes from.
    pub related: Option<String>,
    pub(crate) when: Option<Function>,
    /// When the pin rises.
    pub rise: Option<Table>,
    /// When the pin falls.
    pub fall: Option<Table>,
}

/// Transition times of an output in nanoseconds, after a change of one input.
#[derive(Clone, Debug, PartialEq)]
pub struct Arc {
    /// The input.
    pub related: String,
    /// A rising input makes a rising output, a falling one a falling one, or the opposite; `None` if both
    /// occur.
    pub inverts: Option<bool>,
    /// Only a rising edge of the input counts: it is a clock.
    pub rising_edge: bool,
    /// The table of the rising output.
    pub rise: Table,
    /// The table of the falling output.
    pub fall: Table,
}

impl Cell {
    pub(super) fn read(group: &LibertyGroup, templates: &Templates, units: &Units) -> Cell {
        let has = |kind: &str| group.of_kind(kind).next().is_some();
        let with = |attribute: &str| {
            let mut pins = group.of_kind("pin");
            pins.find(|pin| pin.get(attribute) == Some("true")).map(|pin| pin.name.clone())
        };
        let kind = group.get("clock_gating_integrated_cell").unwrap_or_default();
        let clock_gate = || {
            Some(ClockGate {
                clock: with("clock_gate_clock_pin")?,
                enable: with("clock_gate_enable_pin")?,
                output: with("clock_gate_out_pin")?,
                test: with("clock_gate_test_pin"),
            })
        };
        let leakage_when = group.of_kind("leakage_power").filter_map(|leakage| {
            let condition = Function::parse(leakage.get("when")?)?;
            Some((condition, leakage.number("value")? * units.leakage))
        });
        Cell {
            area: group.number("area").unwrap_or(0.0),
            sequential: has("ff") || has("ff_bank") || has("latch") || has("statetable"),
            flip_flop: has("ff"),
            clock_gate: if kind.starts_with("latch_posedge") { clock_gate() } else { None },
            pins: group.of_kind("pin").filter_map(|pin| Pin::read(pin, templates, units)).collect(),
            state: group.of_kind("ff").chain(group.of_kind("latch")).next().map(State::read),
            leakage: group.number("cell_leakage_power").unwrap_or(0.0) * units.leakage,
            leakage_when: leakage_when.collect(),
        }
    }

    /// The pins of data, clock and output, if it is a latch that is open while its clock is high.
    pub(crate) fn latch_pins(&self) -> Option<[&str; 3]> {
        let state = self.state.as_ref().filter(|state| state.passes && !state.asynchronous)?;
        let Some(Function::Input(data)) = &state.next else { return None };
        let shows = |pin: &&Pin| pin.function == Some(Function::Input(state.names[0].clone()));
        let output = self.directed(Direction::Output).find(shows)?;
        let is_plain = self.directed(Direction::Input).count() == 2;
        is_plain.then_some([data, state.clock.as_deref()?, &output.name])
    }

    /// Its pins of one direction, in the order of the file.
    pub fn directed(&self, direction: Direction) -> impl Iterator<Item = &Pin> {
        self.pins.iter().filter(move |pin| pin.direction == direction)
    }

    /// Returns true if the cell's only output is `wanted` of its inputs, in any order.
    pub(super) fn computes(&self, wanted: &impl Fn(&[bool]) -> bool, inputs: usize) -> bool {
        let names: Vec<_> = self.directed(Direction::Input).map(|pin| &pin.name).collect();
        let mut outputs = self.directed(Direction::Output);
        let (Some(Pin { function: Some(function), .. }), None) = (outputs.next(), outputs.next()) else {
            return false;
        };
        !self.sequential
            && names.len() == inputs
            && (0..1u32 << inputs).all(|row| {
                let values: Vec<bool> = (0..inputs).map(|bit| row >> bit & 1 == 1).collect();
                let input = |name: &str| names.iter().position(|input| *input == name).map(|at| values[at]);
                function.evaluate(&input) == Some(wanted(&values))
            })
    }
}

impl State {
    fn read(group: &LibertyGroup) -> Self {
        let name = |place: usize| group.arguments.get(place).cloned().unwrap_or_default();
        let passes = group.kind == "latch";
        let [next, clock] = if passes { ["data_in", "enable"] } else { ["next_state", "clocked_on"] };
        let clock = group.get(clock).and_then(Function::parse);
        State {
            names: [name(0), name(1)],
            next: group.get(next).and_then(Function::parse),
            clock: match clock {
                Some(Function::Input(pin)) => Some(pin),
                _ => None,
            },
            passes,
            asynchronous: group.get("clear").or(group.get("preset")).is_some(),
        }
    }
}

impl Pin {
    /// None for pins that are neither inputs nor outputs: supplies, and nodes inside.
    fn read(group: &LibertyGroup, templates: &Templates, units: &Units) -> Option<Pin> {
        let table = |group: &LibertyGroup, kind: &str, scale: f64| {
            group.of_kind(kind).next().and_then(|table| Table::read(table, templates, units, scale))
        };
        let internal_power = group.of_kind("internal_power").map(|power| {
            let both = table(power, "power", units.energy());
            InternalPower {
                related: power.get("related_pin").map(str::to_string),
                when: power.get("when").and_then(Function::parse),
                rise: table(power, "rise_power", units.energy()).or_else(|| both.clone()),
                fall: table(power, "fall_power", units.energy()).or(both),
            }
        });
        let arcs = group.of_kind("timing").filter_map(|timing| {
            let kind = timing.get("timing_type").unwrap_or("combinational");
            Some(Arc {
                related: timing.get("related_pin")?.to_string(),
                inverts: match timing.get("timing_sense") {
                    Some("positive_unate") => Some(false),
                    Some("negative_unate") => Some(true),
                    _ => None,
                },
                rising_edge: kind == "rising_edge",
                rise: table(timing, "rise_transition", units.time)?,
                fall: table(timing, "fall_transition", units.time)?,
            })
        });
        Some(Pin {
            name: group.name.clone(),
            direction: match group.get("direction")? {
                "input" => Direction::Input,
                "output" => Direction::Output,
                _ => return None,
            },
            capacitance: group.number("capacitance").unwrap_or(0.0) * units.capacitance,
            function: group.get("function").and_then(Function::parse),
            internal_power: internal_power.collect(),
            arcs: arcs.collect(),
        })
    }
}
