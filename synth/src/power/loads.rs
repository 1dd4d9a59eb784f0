// SPDX-License-Identifier: Apache-2.0
//! Loads of nets, and how fast they change.

use super::Setting;
use crate::circuit::Circuit;
use crate::liberty::Direction;

/// Transition times of one net in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Edges {
    pub rise: f64,
    pub fall: f64,
}

/// Load of each net in femtofarads. Pins of memories have none here.
pub fn loads(circuit: &Circuit, setting: &Setting) -> Vec<f64> {
    let mut loads = vec![0.0; circuit.nets.len()];
    let mut fanouts = circuit.fanouts.clone();
    for instance in &circuit.instances {
        for (pin, net) in instance.cell.pins.iter().zip(&instance.pins) {
            if let (Direction::Input, Some(net)) = (pin.direction, net) {
                loads[*net as usize] += pin.capacitance;
            }
        }
    }
    for net in circuit.ports.values().filter(|port| !port.is_input).flat_map(|port| &port.bits) {
        loads[*net as usize] += setting.output_load_ff;
        fanouts[*net as usize] += 1;
    }
    if let Some(wires) = &setting.wires {
        loads.iter_mut().zip(&fanouts).for_each(|(load, fanout)| *load += wires.of(*fanout as usize));
    }
    // Constants are tied where they are needed.
    loads[..2].fill(0.0);
    loads
}

/// The slowest transition of each net.
pub fn transitions(circuit: &Circuit, loads: &[f64], setting: &Setting) -> Vec<Edges> {
    let given = setting.input_transition_ns;
    // Clocks stay as given, also behind their gates; and what memories drive.
    let mut edges = vec![Edges { rise: given, fall: given }; circuit.nets.len()];
    let registers = circuit.instances.iter().enumerate().filter(|(_, instance)| instance.logic.holds());
    let order = registers.map(|(place, _)| place).chain(circuit.combinational());
    for place in order.collect::<Vec<_>>() {
        let instance = &circuit.instances[place];
        for (pin, net) in instance.cell.pins.iter().zip(&instance.pins) {
            let (Direction::Output, Some(net), false) = (pin.direction, net, pin.arcs.is_empty()) else {
                continue;
            };
            let load = loads[*net as usize];
            let mut slowest = Edges::default();
            for arc in &pin.arcs {
                let related = instance.pin(&arc.related).and_then(|pin| instance.pins[pin]);
                let from = related.map_or(Edges { rise: given, fall: given }, |net| edges[net as usize]);
                let (rise, fall) = match arc.inverts {
                    _ if arc.rising_edge => (from.rise, from.rise),
                    Some(false) => (from.rise, from.fall),
                    Some(true) => (from.fall, from.rise),
                    None => (from.rise.max(from.fall), from.rise.max(from.fall)),
                };
                slowest.rise = slowest.rise.max(arc.rise.at(rise, load));
                slowest.fall = slowest.fall.max(arc.fall.at(fall, load));
            }
            edges[*net as usize] = slowest;
        }
    }
    edges
}
