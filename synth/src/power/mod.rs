// SPDX-License-Identifier: Apache-2.0
//! Energy of a netlist from what its nets do: inside the cells, on the wires, and leaking.
//!
//! Nets change without delay, at most once in a cycle: what glitches cost is left out. A net's load is the
//! capacitance of the pins that it drives and of a wire whose length the library's wire-load model gives by
//! their number. An energy inside a cell is read from the library's tables at the transition time of the
//! input and the load of the output; transition times are followed from the inputs through the cells, the
//! slowest one of each net. An output that several inputs can change takes their energies in proportion to
//! how often they change. A clock tree is not there: the clock drives all its pins at once.

mod conditions;
mod estimate;
mod gated;
mod loads;
mod memories;
mod opensta;
mod saif;
mod vcd;

use serde::{Deserialize, Serialize};

pub use estimate::{fitted, Estimator, Mean};
pub use gated::{behind_gates, BehindGate};
pub use memories::memories;
pub use opensta::opensta;
pub use saif::saif;
pub use vcd::Vcd;

use crate::circuit::{Activity, Circuit, Instance};
use crate::liberty::{Direction, WireLoad};
use conditions::Conditions;
use loads::{loads, transitions, Edges};

/// Conditions that an energy depends on beside the netlist and its activity.
#[derive(Clone, Debug)]
pub struct Setting {
    /// Transition time of the clock and of all inputs, in nanoseconds.
    pub input_transition_ns: f64,
    /// Load of each output port, in femtofarads.
    pub output_load_ff: f64,
    /// Capacitance of wires; `None` for none.
    pub wires: Option<WireLoad>,
    /// How often a condition on several pins holds.
    pub chances: Chances,
}

/// How often a condition on several pins of a cell is taken to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chances {
    /// As often as it did, the two halves of the clock's period counted alike.
    Counted,
    /// As if the pins had nothing to do with each other: what remains of an activity file.
    Independent,
}

/// Energies of one cycle in femtojoules, and leakage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Energy {
    /// Inside cells.
    pub internal_fj: f64,
    /// On the nets that they drive.
    pub switching_fj: f64,
    /// Lost at rest, in nanowatts.
    pub leakage_nw: f64,
}

impl Energy {
    /// The energy of a cycle of so many nanoseconds, in femtojoules: a nanowatt over a nanosecond is 10⁻³
    /// of one.
    pub fn per_cycle_fj(&self, period_ns: f64) -> f64 {
        self.dynamic_fj() + 1e-3 * self.leakage_nw * period_ns
    }

    /// The energy of the changes in a cycle, in femtojoules.
    pub fn dynamic_fj(&self) -> f64 {
        self.internal_fj + self.switching_fj
    }
}

impl std::ops::AddAssign for Energy {
    fn add_assign(&mut self, other: Energy) {
        self.internal_fj += other.internal_fj;
        self.switching_fj += other.switching_fj;
        self.leakage_nw += other.leakage_nw;
    }
}

impl std::iter::Sum for Energy {
    fn sum<I: Iterator<Item = Energy>>(energies: I) -> Energy {
        energies.fold(Energy::default(), |mut sum, energy| {
            sum += energy;
            sum
        })
    }
}

/// The purpose of a part of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Clock pins of registers, clock gates, and the nets of the clock.
    Clock,
    /// Registers, their clock pins left out.
    Registers,
    /// Cells that select one of two inputs.
    Multiplexers,
    /// All other cells.
    Logic,
    /// Memories, which have no cells.
    Memories,
}

impl Role {
    /// All of them.
    pub const ALL: [Role; 5] =
        [Role::Clock, Role::Registers, Role::Multiplexers, Role::Logic, Role::Memories];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Role::Clock => "clock",
            Role::Registers => "registers",
            Role::Multiplexers => "multiplexers",
            Role::Logic => "logic",
            Role::Memories => "memories",
        }
    }
}

/// Energies of one netlist.
pub struct Power {
    /// The energies of each instance, in the order of the circuit: at its clock pin, and elsewhere.
    pub instances: Vec<(Energy, Energy)>,
    /// The energy of the clock's net, which no cell drives.
    pub clock: Energy,
    /// The energy of all nets that other input ports drive. What drives them stands elsewhere: this is not in
    /// the sum.
    pub inputs: Energy,
    /// Changes in a cycle, load in femtofarads and energy in femtojoules of each net.
    pub nets: Vec<NetEnergy>,
}

/// The energy of one net in a cycle.
#[derive(Clone, Debug, Serialize)]
pub struct NetEnergy {
    /// Changes in a cycle.
    pub toggles: f64,
    /// Pins and wire.
    pub load_ff: f64,
    /// Half of load times squared voltage at each change.
    pub energy_fj: f64,
}

impl Power {
    /// Sums over all instances, and over the clock's net.
    pub fn total(&self) -> Energy {
        self.instances
            .iter()
            .map(|(clock, rest)| [*clock, *rest].into_iter().sum())
            .sum::<Energy>()
            .plus(self.clock)
    }

    /// The energy of the cells alone: as tools count that give a net's energy to the cell that drives it.
    pub fn cells(&self) -> Energy {
        self.instances.iter().map(|(clock, rest)| [*clock, *rest].into_iter().sum()).sum()
    }
}

impl Energy {
    fn plus(mut self, other: Energy) -> Energy {
        self += other;
        self
    }
}

/// The roles of an instance's energies: at its clock pin, and elsewhere.
pub fn roles(instance: &Instance) -> (Role, Role) {
    let rest = match () {
        _ if instance.logic.is_gate => Role::Clock,
        _ if instance.cell.sequential => Role::Registers,
        _ if instance.logic.is_multiplexer() => Role::Multiplexers,
        _ => Role::Logic,
    };
    (Role::Clock, rest)
}

/// The part of a circuit's energies that does not depend on the activity of its nets.
pub struct Meter<'a> {
    circuit: &'a Circuit<'a>,
    /// The load of each net, in femtofarads.
    loads: Vec<f64>,
    slopes: Vec<Edges>,
    conditions: Conditions<'a>,
}

impl<'a> Meter<'a> {
    /// The meter of a circuit in this setting.
    pub fn new(circuit: &'a Circuit<'a>, setting: &Setting) -> Meter<'a> {
        let loads = loads(circuit, setting);
        let slopes = transitions(circuit, &loads, setting);
        Meter { circuit, loads, slopes, conditions: Conditions::new(circuit, setting.chances) }
    }

    /// Energies if the nets did this.
    pub fn power(&self, activity: &Activity) -> Power {
        let Meter { circuit, loads, .. } = self;
        let voltage = circuit.library.voltage;
        let steps = (activity.steps as f64).max(1.0);
        let nets = loads.iter().zip(&activity.toggles).map(|(load, toggles)| {
            let toggles = *toggles as f64 / steps;
            NetEnergy { toggles, load_ff: *load, energy_fj: 0.5 * load * voltage * voltage * toggles }
        });
        let nets: Vec<NetEnergy> = nets.collect();
        let of_instance = |(place, instance): (usize, &Instance)| {
            let mut both = (Energy::default(), Energy::default());
            for (pin, description) in instance.cell.pins.iter().enumerate() {
                let energy = match description.direction {
                    Direction::Input => self.at_input(activity, &nets, place, pin),
                    Direction::Output => self.at_output(activity, &nets, place, pin),
                };
                let part = if instance.logic.clock == Some(pin) { &mut both.0 } else { &mut both.1 };
                part.internal_fj += energy;
            }
            both.1.switching_fj = instance.outputs().map(|net| nets[net as usize].energy_fj).sum();
            both.1.leakage_nw = self.conditions.leakage(activity, place);
            both
        };
        let instances = circuit.instances.iter().enumerate().map(of_instance).collect();
        let on_net = |net: u32| Energy { switching_fj: nets[net as usize].energy_fj, ..Energy::default() };
        let inputs = circuit.ports.values().filter(|port| port.is_input).flat_map(|port| &port.bits);
        Power {
            instances,
            clock: circuit.clock.map(on_net).unwrap_or_default(),
            inputs: inputs.filter(|net| Some(**net) != circuit.clock).map(|net| on_net(*net)).sum(),
            nets,
        }
    }

    /// Energy inside a cell at the changes of an input, in femtojoules in a cycle.
    fn at_input(&self, activity: &Activity, nets: &[NetEnergy], place: usize, pin: usize) -> f64 {
        let instance = &self.circuit.instances[place];
        let Some(net) = instance.pins[pin] else { return 0.0 };
        // Most nets of a wide module rest.
        if nets[net as usize].toggles == 0.0 {
            return 0.0;
        }
        let powers = &instance.cell.pins[pin].internal_power;
        let slope = self.slopes[net as usize];
        let energies = powers.iter().enumerate().map(|(number, power)| {
            // Half of the changes rise.
            let rise = power.rise.as_ref().map_or(0.0, |table| table.at(slope.rise, 0.0));
            let fall = power.fall.as_ref().map_or(0.0, |table| table.at(slope.fall, 0.0));
            self.conditions.of_power(activity, place, pin, number) * (rise + fall) / 2.0
        });
        energies.sum::<f64>() * nets[net as usize].toggles
    }

    /// The same of an output. Of two outputs of a flip-flop, one that goes nowhere changes with the other.
    fn at_output(&self, activity: &Activity, nets: &[NetEnergy], place: usize, pin: usize) -> f64 {
        let instance = &self.circuit.instances[place];
        let powers = &instance.cell.pins[pin].internal_power;
        let own = instance.pins[pin].filter(|net| *net > 1);
        let counted = own.or_else(|| instance.outputs().next().filter(|_| instance.logic.holds()));
        let (Some(counted), false) = (counted, powers.is_empty()) else { return 0.0 };
        let toggles = nets[counted as usize].toggles;
        if toggles == 0.0 {
            return 0.0;
        }
        let load = own.map_or(0.0, |net| self.loads[net as usize]);
        let weighted = powers.iter().enumerate().map(|(number, power)| {
            let related = power.related.as_ref().and_then(|name| instance.pin(name));
            let related = related.and_then(|pin| instance.pins[pin]);
            let changes = related.map_or(1.0, |net| nets[net as usize].toggles);
            let slope = related.map_or(Edges::default(), |net| self.slopes[net as usize]);
            // What makes an output rise is not told: the mean of both edges of the input.
            let slope = (slope.rise + slope.fall) / 2.0;
            let rise = power.rise.as_ref().map_or(0.0, |table| table.at(slope, load));
            let fall = power.fall.as_ref().map_or(0.0, |table| table.at(slope, load));
            (changes * self.conditions.of_power(activity, place, pin, number), (rise + fall) / 2.0)
        });
        let weighted: Vec<(f64, f64)> = weighted.collect();
        let weights: f64 = weighted.iter().map(|(weight, _)| weight).sum();
        let mean = match weights > 0.0 {
            true => weighted.iter().map(|(weight, energy)| weight * energy).sum::<f64>() / weights,
            false => weighted.iter().map(|(_, energy)| energy).sum::<f64>() / weighted.len() as f64,
        };
        mean * toggles
    }
}
