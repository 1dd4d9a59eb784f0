// SPDX-License-Identifier: Apache-2.0
//! Circuits of AND gates and registers, in AIGER's binary format.

use std::collections::HashMap;
use std::fs::File;
use std::io::Write;
use std::path::Path;

use anyhow::{ensure, Context, Result};
use flussab::DeferredWriter;
use flussab_aiger::aig::{OrderedAig, OrderedAndGate, SymbolTarget};
use flussab_aiger::binary::{Config, Parser, Writer};

/// Reads a circuit.
///
/// # Errors
/// If the file is none.
pub(crate) fn read(path: &Path) -> Result<OrderedAig<usize>> {
    let place = || path.display().to_string();
    let parser = Parser::from_read(File::open(path).with_context(place)?, Config::default());
    parser.and_then(Parser::parse).with_context(place)
}

/// Writes it.
///
/// # Errors
/// If that fails.
pub(crate) fn write(path: &Path, design: &OrderedAig<usize>) -> Result<()> {
    let place = || path.display().to_string();
    let mut writer = Writer::new(DeferredWriter::from_write(File::create(path).with_context(place)?));
    writer.write_ordered_aig(design);
    writer.flush().with_context(place)
}

/// The number of the signal that is an input of this name.
pub(crate) fn input(design: &OrderedAig<usize>, name: &str) -> Option<usize> {
    design.symbols.iter().find_map(|symbol| match symbol.target {
        SymbolTarget::Input(number) if symbol.name == name => Some(1 + number),
        _ => None,
    })
}

/// Makes outputs and next values of registers low where an output is low that has such a name. Those outputs
/// stay as they are, and so do next values where a run begins: all registers are low, and reset, which is an
/// input of this name, is high. Of an output that has a condition of its own, by its name without the number
/// of the bit, this is asked as well. After that registers alone have names: ABC reads no circuit with an
/// output that has the name of a register.
///
/// A circuit `of` another file, which was treated so, has the same inputs, registers and outputs: the other
/// file's conditions are used instead of those here, and registers get its order.
///
/// # Errors
/// If a file has no circuit, or they differ in what they have in common.
pub(crate) fn show_while(
    path: &Path,
    of: Option<&Path>,
    is_condition: impl Fn(&str) -> bool,
    own_condition: impl Fn(&str) -> Option<String>,
    reset: &str,
) -> Result<()> {
    let mut design = read(path)?;
    let other = of.map(read).transpose()?;
    if let Some(other) = &other {
        let counts =
            |design: &OrderedAig<usize>| (design.input_count, design.latches.len(), design.outputs.len());
        ensure!(counts(&design) == counts(other), "{}: other inputs, registers or outputs", path.display());
        order_registers(&mut design, other);
    }
    let names: HashMap<&str, usize> = (design.symbols.iter())
        .filter_map(|symbol| match symbol.target {
            SymbolTarget::Output(number) => Some((symbol.name.as_ref(), number)),
            _ => None,
        })
        .collect();
    let mut conditions: Vec<usize> =
        names.iter().filter(|(name, _)| is_condition(name)).map(|(_, number)| *number).collect();
    conditions.sort();
    let own = names.iter().filter_map(|(name, number)| {
        let is_bit = name.ends_with(']');
        let vector = name.rsplit_once('[').filter(|_| is_bit).map_or(*name, |(vector, _)| vector);
        let condition = own_condition(vector)?;
        let condition = [condition.clone(), condition + "[0]"].iter().find_map(|name| names.get(&**name))?;
        Some((*number, *condition))
    });
    let own: HashMap<usize, usize> = own.collect();

    let before = 1 + design.input_count + design.latches.len();
    let mut and_gates = std::mem::take(&mut design.and_gates);
    if let Some(other) = other {
        // Its gates come behind those here.
        let gates = 2 * and_gates.len();
        let moved = |signal: usize| if signal < 2 * before { signal } else { signal + gates };
        and_gates
            .extend(other.and_gates.iter().map(|gate| OrderedAndGate { inputs: gate.inputs.map(moved) }));
        conditions.iter().for_each(|&number| design.outputs[number] = moved(other.outputs[number]));
    }
    let mut and = |one: usize, other: usize| {
        and_gates.push(OrderedAndGate { inputs: [one.max(other), one.min(other)] });
        2 * (before + and_gates.len() - 1)
    };
    let values = design.outputs.clone();
    for number in 0..values.len() {
        if let Some(condition) = own.get(&number) {
            design.outputs[number] = and(values[number], values[*condition]);
        }
    }
    if let Some((first, others)) = conditions.split_first() {
        let all = others.iter().fold(values[*first], |all, number| and(all, values[*number]));
        let all_or_begins = input(&design, reset).map_or(all, |reset| {
            let registers = 1 + design.input_count..before;
            let begins = registers.fold(2 * reset, |begins, register| and(begins, 2 * register + 1));
            and(all ^ 1, begins ^ 1) ^ 1
        });
        for latch in &mut design.latches {
            latch.next_state = and(latch.next_state, all_or_begins);
        }
        for (output, number) in design.outputs.iter_mut().zip(0..) {
            if !conditions.contains(&number) {
                *output = and(*output, all);
            }
        }
    }
    design.max_var_index = before + and_gates.len() - 1;
    design.and_gates = and_gates;
    design.symbols.retain(|symbol| matches!(symbol.target, SymbolTarget::Latch(_)));
    write(path, &design)
}

/// Registers get the places of those that have the same names in another circuit, and what is left of them
/// the places that are left.
fn order_registers(design: &mut OrderedAig<usize>, other: &OrderedAig<usize>) {
    let places: HashMap<&str, usize> = registers(other).collect();
    let mut place_of = vec![None; design.latches.len()];
    let mut is_taken = vec![false; design.latches.len()];
    for (name, number) in registers(design) {
        if let Some(&place) = places.get(name) {
            (place_of[number], is_taken[place]) = (Some(place), true);
        }
    }
    let mut left = (0..is_taken.len()).filter(|place| !is_taken[*place]);
    let place_of: Vec<usize> =
        place_of.into_iter().map(|place| place.or_else(|| left.next()).expect("as many")).collect();
    let first = 1 + design.input_count;
    let moved = |signal: usize| match (signal / 2).checked_sub(first).and_then(|number| place_of.get(number))
    {
        Some(place) => 2 * (first + place) + signal % 2,
        None => signal,
    };
    for OrderedAndGate { inputs } in &mut design.and_gates {
        let [one, other] = inputs.map(moved);
        *inputs = [one.max(other), one.min(other)];
    }
    design.outputs.iter_mut().for_each(|output| *output = moved(*output));
    for symbol in &mut design.symbols {
        if let SymbolTarget::Latch(number) = &mut symbol.target {
            *number = place_of[*number];
        }
    }
    let latches = std::mem::take(&mut design.latches);
    let mut placed: Vec<_> = latches.into_iter().zip(&place_of).collect();
    placed.sort_by_key(|(_, place)| **place);
    design.latches = placed.into_iter().map(|(latch, _)| latch).collect();
    design.latches.iter_mut().for_each(|latch| latch.next_state = moved(latch.next_state));
}

/// Names of registers, and their numbers.
fn registers(design: &OrderedAig<usize>) -> impl Iterator<Item = (&str, usize)> {
    design.symbols.iter().filter_map(|symbol| match symbol.target {
        SymbolTarget::Latch(number) => Some((symbol.name.as_ref(), number)),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use flussab_aiger::aig::{OrderedLatch, Symbol};

    use super::*;

    #[test]
    fn what_stands_under_a_condition_is_low_without_it() {
        let symbol = |target, name: &'static str| Symbol { target, name: name.into() };
        let path = tempfile::NamedTempFile::new().unwrap().into_temp_path();
        // Inputs 1 and 2, the second of them the reset, and a register 3. The second output is the condition,
        // and the third is shown while the last is high.
        let design = OrderedAig {
            max_var_index: 3,
            input_count: 2,
            latches: vec![OrderedLatch { next_state: 2, initialization: Some(false) }],
            outputs: vec![6, 2, 3, 4],
            and_gates: vec![],
            bad_state_properties: vec![],
            invariant_constraints: vec![],
            justice_properties: vec![],
            fairness_constraints: vec![],
            symbols: vec![
                symbol(SymbolTarget::Input(1), "reset"),
                symbol(SymbolTarget::Output(0), "q"),
                symbol(SymbolTarget::Output(1), "inside.kept"),
                symbol(SymbolTarget::Output(2), "banks[0].row[1]"),
                symbol(SymbolTarget::Output(3), "reads"),
            ],
            comment: None,
        };
        write(&path, &design).unwrap();
        let own = |name: &str| (name == "banks[0].row").then(|| "reads".to_string());
        show_while(&path, None, |name| name.ends_with("kept"), own, "reset").unwrap();
        let shown = read(&path).unwrap();
        let inputs: Vec<_> = shown.and_gates.iter().map(|gate| gate.inputs).collect();
        // The row while it is read; a run begins; neither that nor the condition; what the register gets,
        // unless; what it has, and the others, while the condition holds.
        assert_eq!(inputs, [[4, 3], [7, 4], [11, 3], [13, 2], [6, 2], [8, 2], [4, 2]]);
        assert_eq!((shown.latches[0].next_state, &shown.outputs[..]), (14, &[16, 2, 18, 20][..]));

        // One whose condition is the other input stands under that of the first.
        let other = tempfile::NamedTempFile::new().unwrap().into_temp_path();
        write(&other, &OrderedAig { outputs: vec![6, 4, 3, 4], ..design }).unwrap();
        show_while(&other, Some(&path), |name| name.ends_with("kept"), |_| None, "reset").unwrap();
        let shown = read(&other).unwrap();
        assert_eq!((shown.and_gates.len(), shown.outputs[1]), (7 + 6, 2));
        assert_eq!(shown.and_gates[10].inputs, [6, 2], "what it has, while the first one's condition holds");
    }

    #[test]
    fn registers_stand_in_the_order_of_another_circuit() {
        let latch = |next_state| OrderedLatch { next_state, initialization: Some(false) };
        let with_names = |names: &[(usize, &'static str)]| OrderedAig {
            max_var_index: 5,
            input_count: 1,
            // Register 0 gets what 1 has, and that what 2 has; 2 gets the input.
            latches: vec![latch(6), latch(8), latch(2)],
            outputs: vec![4],
            and_gates: vec![OrderedAndGate { inputs: [8, 5] }],
            bad_state_properties: vec![],
            invariant_constraints: vec![],
            justice_properties: vec![],
            fairness_constraints: vec![],
            symbols: (names.iter())
                .map(|&(number, name)| Symbol { target: SymbolTarget::Latch(number), name: name.into() })
                .collect(),
            comment: None,
        };
        let mut design = with_names(&[(0, "c"), (2, "a")]);
        order_registers(&mut design, &with_names(&[(0, "a"), (1, "b"), (2, "c")]));
        // 0 stands where c does, 2 where a does, and 1 has lost its name.
        let next: Vec<usize> = design.latches.iter().map(|latch| latch.next_state).collect();
        assert_eq!((next, &design.outputs[..]), (vec![2, 4, 6], &[8][..]));
        assert_eq!(design.and_gates[0].inputs, [9, 4]);
        assert!(registers(&design).eq([("c", 2), ("a", 0)]));
    }
}
