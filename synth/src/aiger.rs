//! Circuits of AND gates and registers, in AIGER's binary format.

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
/// and so do next values in reset, which is an input of this name. After that nothing has a name: ABC reads no circuit with an
/// output that has the name of a register.
///
/// # Errors
/// If the file has no circuit.
pub(crate) fn show_while(path: &Path, is_condition: impl Fn(&str) -> bool, reset: &str) -> Result<()> {
    let mut design = read(path)?;
    let conditions: Vec<usize> = (design.symbols.iter())
        .filter_map(|symbol| match symbol.target {
            SymbolTarget::Output(number) if is_condition(&symbol.name) => Some(number),
            _ => None,
        })
        .collect();
    if let Some((first, others)) = conditions.split_first() {
        let mut and_gates = std::mem::take(&mut design.and_gates);
        let before = 1 + design.input_count + design.latches.len();
        let mut and = |one: usize, other: usize| {
            and_gates.push(OrderedAndGate { inputs: [one.max(other), one.min(other)] });
            2 * (before + and_gates.len() - 1)
        };
        let all = others.iter().fold(design.outputs[*first], |all, number| and(all, design.outputs[*number]));
        let all_or_reset = input(&design, reset).map_or(all, |reset| and(all ^ 1, (2 * reset) ^ 1) ^ 1);
        for latch in &mut design.latches {
            latch.next_state = and(latch.next_state, all_or_reset);
        }
        for (output, number) in design.outputs.iter_mut().zip(0..) {
            if !conditions.contains(&number) {
                *output = and(*output, all);
            }
        }
        design.max_var_index = before + and_gates.len() - 1;
        design.and_gates = and_gates;
    }
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
        // Inputs 1 and 2, the second of them the reset, and a register 3. The second output is the condition.
        let design = OrderedAig {
            max_var_index: 3,
            input_count: 2,
            latches: vec![OrderedLatch { next_state: 2, initialization: Some(false) }],
            outputs: vec![6, 2],
            and_gates: vec![],
            bad_state_properties: vec![],
            invariant_constraints: vec![],
            justice_properties: vec![],
            fairness_constraints: vec![],
            symbols: vec![
                symbol(SymbolTarget::Input(1), "reset"),
                symbol(SymbolTarget::Output(0), "q"),
                symbol(SymbolTarget::Output(1), "inside.kept"),
            ],
            comment: None,
        };
        write(&path, &design).unwrap();
        show_while(&path, |name| name.ends_with("kept"), "reset").unwrap();
        let shown = read(&path).unwrap();
        let inputs: Vec<_> = shown.and_gates.iter().map(|gate| gate.inputs).collect();
        // Neither is high; one is, and what the register gets; what it has, while the condition holds.
        assert_eq!(inputs, [[5, 3], [9, 2], [6, 2]]);
        assert_eq!((shown.latches[0].next_state, &shown.outputs[..]), (10, &[12, 2][..]));
    }
}
