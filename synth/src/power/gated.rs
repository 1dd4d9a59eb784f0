// SPDX-License-Identifier: Apache-2.0
//! Activity of the inputs of registers behind clock gates.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use crate::circuit::{Activity, Circuit, Net};

/// Flip-flops or latches behind one clock gate.
#[derive(Clone, Debug, Serialize)]
pub struct BehindGate {
    /// The first of their bits by name.
    pub register: String,
    /// How many they are.
    pub bits: usize,
    /// How often the gate opens in a cycle.
    pub writes: f64,
    /// Changes of an input in a cycle, the mean over the bits. With data that come only to be written it is
    /// no more than `writes`.
    pub input_changes: f64,
    /// The same of an output.
    pub output_changes: f64,
}

/// All registers behind clock gates, by name.
pub fn behind_gates(circuit: &Circuit, activity: &Activity) -> Vec<BehindGate> {
    let steps = (activity.steps as f64).max(1.0);
    let changes = |nets: &[Net]| nets.iter().map(|net| activity.toggles[*net as usize]).sum::<u64>() as f64;
    let gates = circuit.instances.iter().filter(|instance| instance.logic.is_gate);
    let clocks: HashMap<Net, usize> =
        gates.flat_map(|gate| gate.outputs()).enumerate().map(|(number, net)| (net, number)).collect();
    let mut found: BTreeMap<usize, (Net, Vec<Net>, Vec<Net>)> = BTreeMap::new();
    for instance in circuit.instances.iter().filter(|instance| instance.logic.holds()) {
        let clock = instance.logic.clock.and_then(|pin| instance.pins[pin]);
        let Some((clock, gate)) = clock.and_then(|net| Some((net, *clocks.get(&net)?))) else { continue };
        let (_, inputs, outputs) = found.entry(gate).or_insert((clock, vec![], vec![]));
        inputs.extend(instance.logic.inputs.iter().filter_map(|pin| instance.pins[*pin]));
        outputs.extend(instance.outputs().next());
    }
    let registers = found.into_values().filter(|(_, _, outputs)| !outputs.is_empty());
    let registers = registers.map(|(clock, inputs, outputs)| {
        let bits = outputs.len();
        let names = outputs.iter().map(|net| &circuit.nets[*net as usize]);
        let first = names.min_by_key(|name| (name.len(), name.as_str()));
        BehindGate {
            register: first.cloned().unwrap_or_default(),
            bits,
            writes: changes(&[clock]) / 2.0 / steps,
            input_changes: changes(&inputs) / bits as f64 / steps,
            output_changes: changes(&outputs) / bits as f64 / steps,
        }
    });
    let mut registers: Vec<BehindGate> = registers.collect();
    registers.sort_by(|a, b| a.register.cmp(&b.register));
    registers
}
