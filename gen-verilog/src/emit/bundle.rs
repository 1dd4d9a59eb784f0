// SPDX-License-Identifier: Apache-2.0
//! Assignments to a whole bundle, as assignments to each of its wires.

use gpurf_hw::dialect::wires::{Assigned, AssignedValue};
use rust_hdl::ast::{VerilogBlock, VerilogExpression as Tree, VerilogLoop, VerilogOp, VerilogStatement};

use super::index::parse_path;
use super::translator::{peel, Translation, Translator};

/// Assignments that a kernel writes as one: to a wire, a register, or every wire of a bundle.
pub(super) fn assigned(kernel: &Translator, assigned: &Assigned) -> Translation<VerilogBlock> {
    let (names, indices) = names(kernel, assigned.target)?;
    if kernel.signals.is_register(&names) {
        return Ok(vec![assignment(assigned, "", "$d")]);
    }
    if kernel.signals.find(&names).is_some() {
        return Ok(vec![assignment(assigned, "", "")]);
    }
    let wires = kernel.signals.wires(&names);
    if wires.is_empty() {
        let target = assigned.target.replace('$', ".");
        return Err(kernel.error(format!("{target} is neither a signal nor a bundle")).into());
    }
    let mut statements: VerilogBlock = vec![];
    for run in wires.chunk_by(|(_, one), (_, next)| one == next) {
        let lengths = run[0].1.get(indices..).unwrap_or_default();
        let variables = variables(kernel, lengths.len());
        let index: String = variables.iter().map(|variable| format!("[{variable}]")).collect();
        let block = run.iter().map(|(wire, _)| {
            let port = if kernel.signals.is_register(&format!("{names}${wire}")) { "$d" } else { "" };
            assignment(assigned, &format!("${wire}{index}"), port)
        });
        statements.extend(looped(block.collect(), &variables, lengths));
    }
    Ok(statements)
}

/// The enable of a bundle of registers, as that of each.
pub(super) fn enabled(kernel: &Translator, target: &Tree, value: &Tree) -> Translation<Option<VerilogBlock>> {
    let Tree::Signal(path) = peel(target) else { return Ok(None) };
    let path = path.strip_suffix("$next").unwrap_or(path);
    let Some(bundle) = path.strip_suffix("$enable") else { return Ok(None) };
    let (names, indices) = names(kernel, bundle)?;
    if kernel.signals.is_register(&names) || kernel.signals.find(&format!("{names}$enable")).is_some() {
        return Ok(None);
    }
    let wires = kernel.signals.wires(&names);
    let mut statements = vec![];
    // A signal is named again; what else is computed, for the first, serves the others as well.
    let mut shared = matches!(peel(value), Tree::Signal(_)).then(|| value.clone());
    for (wire, lengths) in
        wires.iter().filter(|(wire, _)| kernel.signals.is_register(&format!("{names}${wire}")))
    {
        let lengths = lengths.get(indices..).unwrap_or_default();
        let variables = variables(kernel, lengths.len());
        let index: String = variables.iter().map(|variable| format!("[{variable}]")).collect();
        let enable = Tree::Signal(format!("{bundle}${wire}{index}$enable"));
        let from = shared.clone().unwrap_or_else(|| value.clone());
        let assignment = VerilogStatement::Assignment(enable.clone(), from);
        statements.extend(looped(vec![assignment], &variables, lengths));
        if lengths.is_empty() {
            shared.get_or_insert(enable);
        }
    }
    Ok((!statements.is_empty()).then_some(statements))
}

fn assignment(assigned: &Assigned, wire: &str, port: &str) -> VerilogStatement {
    let of = |path: &str| Tree::Signal(format!("{path}{wire}"));
    let value = match assigned.value {
        AssignedValue::Zero => Tree::Literal(0u32.into()),
        AssignedValue::Of(path) => of(path),
        AssignedValue::Either(one, other) => {
            Tree::Binary(Box::new(of(one)), VerilogOp::BitOr, Box::new(of(other)))
        }
    };
    VerilogStatement::Assignment(Tree::Signal(format!("{}{wire}{port}", assigned.target)), value)
}

fn looped(block: VerilogBlock, variables: &[String], lengths: &[usize]) -> VerilogBlock {
    variables.iter().zip(lengths).rev().fold(block, |block, (variable, length)| {
        let (from, to) = (0usize.into(), (*length).into());
        vec![VerilogStatement::Loop(VerilogLoop { index: variable.clone(), from, to, block })]
    })
}

/// Names for the variables of loops of the emitter's own, unlike every other name here.
fn variables(kernel: &Translator, count: usize) -> Vec<String> {
    let mut variables: Vec<String> = vec![];
    while variables.len() < count {
        let mut name = kernel.signals.fresh("i");
        while variables.contains(&name) || kernel.loops.iter().any(|variable| variable.name == name) {
            name = kernel.signals.fresh(&format!("{name}_"));
        }
        variables.push(name);
    }
    variables
}

fn names(kernel: &Translator, path: &str) -> Translation<(String, usize)> {
    let (names, indices) = parse_path(path).map_err(|problem| kernel.error(format!("{path}: {problem}")))?;
    Ok((names, indices.len()))
}
