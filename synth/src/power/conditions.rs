// SPDX-License-Identifier: Apache-2.0
//! How often the conditions hold under which a library gives energies and leakage.

use std::collections::HashMap;

use super::Chances;
use crate::boolean::Function;
use crate::circuit::{Activity, Circuit, Instance};

/// The conditions of one kind of cell as tables over the rows of its inputs and state, with the clock low and
/// high.
/// `None` stands for no condition.
struct Tables {
    /// Mean leakage in each row, in nanowatts.
    leakage_in: Vec<f64>,
    /// The internal powers of each pin.
    powers: Vec<Vec<Option<[u64; 2]>>>,
}

impl Tables {
    fn of(instance: &Instance) -> Tables {
        let cell = instance.cell;
        let powers = cell.pins.iter().map(|pin| {
            let conditions = pin.internal_power.iter().map(|power| power.when.as_ref());
            conditions.map(|when| when.map(|when| table(instance, when))).collect()
        });
        let leakage: Vec<[u64; 2]> =
            cell.leakage_when.iter().map(|(when, _)| table(instance, when)).collect();
        let in_row = |row: usize| {
            let (mut sum, mut rest) = (0.0, 1.0);
            for ((_, of_condition), table) in cell.leakage_when.iter().zip(&leakage) {
                let share = share(table, row);
                sum += share * of_condition;
                rest -= share;
            }
            sum + f64::max(rest, 0.0) * cell.leakage
        };
        Tables { leakage_in: (0..1 << instance.logic.bits()).map(in_row).collect(), powers: powers.collect() }
    }
}

/// The share of a cycle spent in a row in which a condition holds.
fn share(table: &[u64; 2], row: usize) -> f64 {
    ((table[0] >> row & 1) + (table[1] >> row & 1)) as f64 / 2.0
}

pub struct Conditions<'a> {
    circuit: &'a Circuit<'a>,
    chances: Chances,
    kinds: Vec<Tables>,
    /// The place of each instance's kind.
    kind: Vec<usize>,
}

impl<'a> Conditions<'a> {
    pub fn new(circuit: &'a Circuit<'a>, chances: Chances) -> Self {
        let (mut kinds, mut places) = (vec![], HashMap::new());
        let kind = circuit.instances.iter().map(|instance| {
            *places.entry(instance.kind).or_insert_with(|| {
                kinds.push(Tables::of(instance));
                kinds.len() - 1
            })
        });
        let kind = kind.collect();
        Conditions { circuit, chances, kinds, kind }
    }

    /// The share of the time in which an internal power of a pin counts.
    pub fn of_power(&self, activity: &Activity, place: usize, pin: usize, number: usize) -> f64 {
        match (&self.kinds[self.kind[place]].powers[pin][number], self.chances) {
            (None, _) => 1.0,
            (Some(table), Chances::Counted) => counted(activity, place, |row| share(table, row)),
            (Some(_), Chances::Independent) => {
                let instance = &self.circuit.instances[place];
                let when = instance.cell.pins[pin].internal_power[number].when.as_ref();
                independent(activity, instance, when.expect("there is a table of it"))
            }
        }
    }

    /// Mean leakage in nanowatts.
    pub fn leakage(&self, activity: &Activity, place: usize) -> f64 {
        let tables = &self.kinds[self.kind[place]];
        if self.chances == Chances::Counted {
            return counted(activity, place, |row| tables.leakage_in[row]);
        }
        let instance = &self.circuit.instances[place];
        let (mut sum, mut rest) = (0.0, 1.0);
        for (when, leakage) in &instance.cell.leakage_when {
            let chance = independent(activity, instance, when);
            sum += chance * leakage;
            rest -= chance;
        }
        sum + f64::max(rest, 0.0) * instance.cell.leakage
    }
}

/// The mean over the time of what an instance has in each of its rows.
fn counted(activity: &Activity, place: usize, in_row: impl Fn(usize) -> f64) -> f64 {
    let rows = &activity.rows[activity.offsets[place]..activity.offsets[place + 1]];
    let held = rows.iter().enumerate().filter(|(_, count)| **count > 0);
    held.map(|(row, count)| *count as f64 * in_row(row)).sum::<f64>() / (activity.cycles as f64).max(1.0)
}

/// The chance of a condition on pins that have nothing to do with each other.
fn independent(activity: &Activity, instance: &Instance, when: &Function) -> f64 {
    let duty = |net: u32| match net {
        0 | 1 => f64::from(net),
        net => activity.high[net as usize] / (activity.cycles as f64).max(1.0),
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
