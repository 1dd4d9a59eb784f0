//! How often the conditions hold under which a library gives energies and leakage.

use std::collections::HashMap;

use super::Chances;
use crate::boolean::Function;
use crate::circuit::{Activity, Circuit, Instance};

/// The conditions of one kind of cell as tables over the rows of its inputs and state, with the clock low and high.
/// `None` stands for no condition.
struct Tables {
    leakage: Vec<[u64; 2]>,
    /// Of each pin's internal powers.
    powers: Vec<Vec<Option<[u64; 2]>>>,
}

pub struct Conditions<'a> {
    circuit: &'a Circuit<'a>,
    activity: &'a Activity,
    chances: Chances,
    kinds: HashMap<&'a str, Tables>,
}

impl<'a> Conditions<'a> {
    pub fn new(circuit: &'a Circuit<'a>, activity: &'a Activity, chances: Chances) -> Self {
        let mut kinds = HashMap::new();
        for instance in &circuit.instances {
            kinds.entry(instance.kind).or_insert_with(|| {
                let cell = instance.cell;
                let powers = cell.pins.iter().map(|pin| {
                    let conditions = pin.internal_power.iter().map(|power| power.when.as_ref());
                    conditions.map(|when| when.map(|when| table(instance, when))).collect()
                });
                Tables {
                    leakage: cell.leakage_when.iter().map(|(when, _)| table(instance, when)).collect(),
                    powers: powers.collect(),
                }
            });
        }
        Conditions { circuit, activity, chances, kinds }
    }

    /// The share of the time in which an internal power of a pin counts.
    pub fn of_power(&self, place: usize, pin: usize, number: usize) -> f64 {
        let instance = &self.circuit.instances[place];
        match (&self.kinds[instance.kind].powers[pin][number], self.chances) {
            (None, _) => 1.0,
            (Some(table), Chances::Counted) => self.counted(place, table),
            (Some(_), Chances::Independent) => {
                let when = instance.cell.pins[pin].internal_power[number].when.as_ref();
                self.independent(instance, when.expect("there is a table of it"))
            }
        }
    }

    /// Mean leakage in nanowatts.
    pub fn leakage(&self, place: usize) -> f64 {
        let instance = &self.circuit.instances[place];
        let cell = instance.cell;
        let (mut sum, mut rest) = (0.0, 1.0);
        for ((when, leakage), table) in cell.leakage_when.iter().zip(&self.kinds[instance.kind].leakage) {
            let chance = match self.chances {
                Chances::Counted => self.counted(place, table),
                Chances::Independent => self.independent(instance, when),
            };
            sum += chance * leakage;
            rest -= chance;
        }
        sum + rest.max(0.0) * cell.leakage
    }

    fn counted(&self, place: usize, table: &[u64; 2]) -> f64 {
        let offsets = &self.activity.offsets;
        let rows = &self.activity.rows[offsets[place]..offsets[place + 1]];
        let held = rows.iter().enumerate().filter(|(_, count)| **count > 0).map(|(row, count)| {
            let halves = (table[0] >> row & 1) + (table[1] >> row & 1);
            *count as f64 * halves as f64 / 2.0
        });
        held.sum::<f64>() / (self.activity.cycles as f64).max(1.0)
    }

    fn independent(&self, instance: &Instance, when: &Function) -> f64 {
        let duty = |net: u32| match net {
            0 | 1 => f64::from(net),
            net => self.activity.high[net as usize] / (self.activity.cycles as f64).max(1.0),
        };
        let of_pin = |name: &str| {
            let pin = instance.pin(name)?;
            let net = instance.pins[pin].or_else(|| instance.outputs().next())?;
            // The other output of a flip-flop is its inverse.
            let is_own = instance.pins[pin].is_some();
            Some(if is_own { duty(net) } else { 1.0 - duty(net) })
        };
        when.chance(&of_pin).unwrap_or(0.0)
    }
}

/// Rows in which a condition holds. One that names what is no pin never does.
fn table(instance: &Instance, when: &Function) -> [u64; 2] {
    let logic = &instance.logic;
    [false, true].map(|clock| {
        let mut table = 0;
        for row in 0..1u64 << logic.bits() {
            let value = |name: &str| {
                let pin = instance.pin(name)?;
                if logic.clock == Some(pin) {
                    return Some(clock);
                }
                if let Some(bit) = logic.inputs.iter().position(|input| *input == pin) {
                    return Some(row >> bit & 1 == 1);
                }
                let (_, output) = logic.outputs.iter().find(|(output, _)| *output == pin)?;
                Some(match logic.next {
                    Some(open) if logic.is_gate => clock && open >> row & 1 == 1,
                    _ => output >> row & 1 == 1,
                })
            };
            table |= u64::from(when.evaluate(&value).unwrap_or(false)) << row;
        }
        table
    })
}
