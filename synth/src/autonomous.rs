// SPDX-License-Identifier: Apache-2.0
//! Counters and other registers that follow no input but a reset: all their states can be walked through.
//!
//! Two such registers can count the same cycles in different codes. Then no invariant of few bits says that
//! what follows from them is the same, and provers of properties do not find it; a walk through their states
//! sees it.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use anyhow::Result;
use flussab_aiger::aig::OrderedAig;

use crate::aiger::{input, read, write};

/// Larger machines are left alone.
const MOST_STATES: usize = 1 << 17;

/// In a design in AIGER's binary format whose registers begin at zero: makes one signal of those that follow
/// no input but
/// `reset` and agree, or are opposite, whenever they can be seen.
///
/// # Errors
/// If the file is not such a design.
pub(crate) fn merge(path: &Path, reset: &str) -> Result<()> {
    let mut design = read(path)?;
    let Some(signals) = Machine::of(&design, reset).and_then(|machine| machine.signals()) else {
        return Ok(());
    };
    let instead = |literal: &mut usize| {
        if let Some(first) = signals.get(&(*literal >> 1)) {
            *literal = first ^ (*literal & 1);
        }
    };
    design.and_gates.iter_mut().flat_map(|gate| &mut gate.inputs).for_each(instead);
    design.latches.iter_mut().for_each(|latch| instead(&mut latch.next_state));
    design.outputs.iter_mut().for_each(instead);
    write(path, &design)
}

/// The registers of a design that follow no input but the reset, with the gates between them.
struct Machine<'a> {
    design: &'a OrderedAig<usize>,
    /// Numbers of the first register and of the first gate: inputs stand before them, registers between.
    first_register: usize,
    first_gate: usize,
    /// Number of the reset's signal; 0 without one.
    reset: usize,
    /// True if a signal belongs to it: the constant, inputs, registers and gates, as AIGER numbers them.
    belongs: Vec<bool>,
    /// Numbers of its registers.
    registers: Vec<usize>,
}

impl<'a> Machine<'a> {
    fn of(design: &'a OrderedAig<usize>, reset: &str) -> Option<Self> {
        let reset = input(design, reset).unwrap_or(0);
        let first_register = 1 + design.input_count;
        let first_gate = first_register + design.latches.len();
        let mut belongs = vec![true; first_gate + design.and_gates.len()];
        belongs[1..first_register].fill(false);
        belongs[reset] = true;
        // What follows a signal from outside is outside.
        loop {
            for (gate, number) in design.and_gates.iter().zip(first_gate..) {
                belongs[number] = gate.inputs.iter().all(|input| belongs[input >> 1]);
            }
            let leaves = |place: &usize| {
                belongs[first_register + place] && !belongs[design.latches[*place].next_state >> 1]
            };
            let leaving: Vec<usize> = (0..design.latches.len()).filter(leaves).collect();
            if leaving.is_empty() {
                break;
            }
            leaving.into_iter().for_each(|place| belongs[first_register + place] = false);
        }
        let registers: Vec<usize> = (first_register..first_gate).filter(|number| belongs[*number]).collect();
        (!registers.is_empty()).then_some(Machine {
            design,
            first_register,
            first_gate,
            reset,
            belongs,
            registers,
        })
    }

    /// For each of its signals the first that is always equal or opposite, as a literal. None if there are
    /// too many states.
    fn signals(&self) -> Option<BTreeMap<usize, usize>> {
        let members: Vec<usize> = (0..self.belongs.len()).filter(|number| self.belongs[*number]).collect();
        // Signals are alike until a state tells them apart. The first one decides who is opposite.
        let mut class = vec![0; members.len()];
        let mut opposite = None;
        let mut values = vec![false; self.belongs.len()];
        let (mut seen, mut waiting) = (HashSet::new(), vec![vec![false; self.registers.len()]]);
        seen.insert(waiting[0].clone());
        while let Some(state) = waiting.pop() {
            for reset in [true, false] {
                self.registers.iter().zip(&state).for_each(|(number, value)| values[*number] = *value);
                values[self.reset] = reset && self.reset > 0;
                for (gate, number) in self.design.and_gates.iter().zip(self.first_gate..) {
                    values[number] =
                        self.belongs[number] && gate.inputs.iter().all(|input| is_high(&values, *input));
                }
                let now: Vec<bool> = members.iter().map(|number| values[*number]).collect();
                let opposite = opposite.get_or_insert_with(|| now.clone());
                let mut parts = BTreeMap::new();
                for (class, (now, opposite)) in class.iter_mut().zip(now.iter().zip(opposite)) {
                    let next = parts.len();
                    *class = *parts.entry((*class, now ^ *opposite)).or_insert(next);
                }
                let next = self.registers.iter().map(|number| {
                    let latch = self.design.latches[number - self.first_register];
                    is_high(&values, latch.next_state)
                });
                let next: Vec<bool> = next.collect();
                if seen.insert(next.clone()) {
                    waiting.push(next);
                }
            }
            if seen.len() > MOST_STATES {
                return None;
            }
        }
        let opposite = opposite?;
        let mut firsts = BTreeMap::new();
        let signals = members.iter().zip(class.iter().zip(&opposite)).map(|(number, (class, opposite))| {
            let (first, of_first) = *firsts.entry(*class).or_insert((*number, *opposite));
            (*number, first << 1 | usize::from(*opposite != of_first))
        });
        Some(signals.collect())
    }
}

fn is_high(values: &[bool], literal: usize) -> bool {
    values[literal >> 1] ^ (literal & 1 == 1)
}

#[cfg(test)]
mod tests {
    use flussab_aiger::aig::{OrderedAndGate, OrderedLatch, Symbol, SymbolTarget};

    use super::*;

    /// Two counters of three states in different codes, and a register that follows an input.
    fn design() -> OrderedAig<usize> {
        let register = |next_state| OrderedLatch { next_state, initialization: Some(false) };
        let and = |one, other| OrderedAndGate { inputs: [one, other] };
        let (of, not) = (|number: usize| 2 * number, |number: usize| 2 * number + 1);
        OrderedAig {
            max_var_index: 14,
            // 1: the reset, 2: another.
            input_count: 2,
            // 3 and 4: low and high of the counter 00, 01, 10. 5 and 6: of the counter 00, 10, 11. 7 is
            // outside.
            latches: [9, 10, 13, 12, 2].map(|next| register(of(next))).to_vec(),
            outputs: vec![of(8), of(11), of(14)],
            and_gates: vec![
                // 8 to 10: the first is at zero; its next bits, low and high.
                and(not(3), not(4)),
                and(of(8), not(1)),
                and(of(3), not(1)),
                // 11 to 13: the second is at zero; its next bits, high and low.
                and(not(5), not(6)),
                and(not(5), not(1)),
                and(of(6), of(12)),
                // 14: outside.
                and(of(7), of(6)),
            ],
            bad_state_properties: vec![],
            invariant_constraints: vec![],
            justice_properties: vec![],
            fairness_constraints: vec![],
            symbols: vec![Symbol { target: SymbolTarget::Input(0), name: "reset".into() }],
            comment: None,
        }
    }

    #[test]
    fn signals_that_agree_in_all_states_are_one() {
        let path = tempfile::NamedTempFile::new().unwrap().into_temp_path();
        write(&path, &design()).unwrap();
        merge(&path, "reset").unwrap();
        let merged = read(&path).unwrap();
        // Both are at zero in the same cycles.
        assert_eq!(merged.outputs[0], merged.outputs[1]);
        // What is outside stays as it is.
        assert_eq!(merged.outputs[2], design().outputs[2]);
        assert_eq!(merged.and_gates[6], design().and_gates[6]);
        assert_eq!(merged.latches[4], design().latches[4]);
    }

    #[test]
    fn what_differs_in_one_state_stays_apart() {
        let mut design = design();
        // The second counter goes on to 11 again and again.
        design.and_gates[4].inputs[0] = 1;
        let signals = Machine::of(&design, "reset").unwrap().signals().unwrap();
        assert_ne!(signals[&8], signals[&11]);
    }
}
