//! Circuits of AND gates and registers, in AIGER's binary format.

use std::collections::HashMap;
use std::fs::File;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
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

/// Makes outputs and next values of registers low where an output is low that has such a name. Those outputs stay as they are,
/// and so do next values in reset, which is an input of this name. Of an output that has a condition of its own, by its name
/// without the number of the bit, this is asked as well. After that nothing has a name: ABC reads no circuit with an output that
/// has the name of a register.
///
/// # Errors
/// If the file has no circuit.
pub(crate) fn show_while(
    path: &Path,
    is_condition: impl Fn(&str) -> bool,
    own_condition: impl Fn(&str) -> Option<String>,
    reset: &str,
) -> Result<()> {
    let mut design = read(path)?;
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
        let all_or_reset = input(&design, reset).map_or(all, |reset| and(all ^ 1, (2 * reset) ^ 1) ^ 1);
        for latch in &mut design.latches {
            latch.next_state = and(latch.next_state, all_or_reset);
        }
        for (output, number) in design.outputs.iter_mut().zip(0..) {
            if !conditions.contains(&number) {
                *output = and(*output, all);
            }
        }
    }
    design.max_var_index = before + and_gates.len() - 1;
    design.and_gates = and_gates;
    design.symbols.clear();
    write(path, &design)
}

#[cfg(test)]
mod tests {
    use flussab_aiger::aig::{OrderedLatch, Symbol};

    use super::*;

    #[test]
    fn what_stands_under_a_condition_is_low_without_it() {
        let symbol = |target, name: &'static str| Symbol { target, name: name.into() };
        let path = tempfile::NamedTempFile::new().unwrap().into_temp_path();
        // Inputs 1 and 2, the second of them the reset, and a register 3. The second output is the condition, and the third is
        // shown while the last is high.
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
        show_while(&path, |name| name.ends_with("kept"), own, "reset").unwrap();
        let shown = read(&path).unwrap();
        let inputs: Vec<_> = shown.and_gates.iter().map(|gate| gate.inputs).collect();
        // The row while it is read; neither is high; one is, and what the register gets; what it has, and the others, while the
        // condition holds.
        assert_eq!(inputs, [[4, 3], [5, 3], [11, 2], [6, 2], [8, 2], [4, 2]]);
        assert_eq!((shown.latches[0].next_state, &shown.outputs[..]), (12, &[14, 2, 16, 18][..]));
    }
}
