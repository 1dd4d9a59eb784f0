// SPDX-License-Identifier: Apache-2.0
//! Parts of a module, and the signals by which they hang together: what a block diagram shows.

use std::collections::{BTreeMap, BTreeSet};

use rust_hdl::ast::Verilog;
use rust_hdl::prelude::Block;

use super::error::Result;
use super::kernel;
use super::scope::{self, Scope};
use super::signals::{is_register, Role, Signals, VectorId};
use super::style::Style;
use super::unroll::unrolled;
use super::uses::Uses;

/// A place in a module where values come from or go to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Node {
    /// Its inputs.
    Inputs,
    /// Its own registers, all together.
    Registers,
    /// The part of this name.
    Part(String),
    /// Its outputs.
    Outputs,
}

/// A part that is a module of its own, or an array of such parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartOfModule {
    /// Its name.
    pub name: String,
    /// The Verilog module that it is.
    pub module: String,
    /// Parts of this name.
    pub count: usize,
}

/// The structure of a module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Structure {
    /// Parts that are modules.
    pub parts: Vec<PartOfModule>,
    /// Names of its own registers.
    pub registers: Vec<String>,
    /// Signals by which values go from one place to another, with the logic between them left out: names of
    /// ports and registers where they come from.
    pub flows: BTreeMap<(Node, Node), BTreeSet<String>>,
}

impl Structure {
    /// The structure of a module; none of one that is Verilog of its own.
    ///
    /// # Errors
    /// As [`emit`](super::emit).
    pub fn of(top: &dyn Block) -> Result<Option<Structure>> {
        let scope = scope::read(top)?;
        let Verilog::Combinatorial(kernel) = &scope.code else { return Ok(None) };
        let signals = Signals::of(&scope, &Style::default())?;
        let statements = kernel::translated(&signals, kernel)?.statements;
        let uses = Uses::of(&unrolled(&statements));
        let mut origins: BTreeMap<VectorId, BTreeSet<VectorId>> = BTreeMap::new();
        for (read, _, target) in &uses.reads {
            origins.entry(signals.vector_of(*target)).or_default().insert(signals.vector_of(*read));
        }
        let mut structure = Structure::default();
        for children in &signals.children {
            let first = &scope.children[children.members[0]];
            match is_register(first) {
                true => structure.registers.push(children.name.clone()),
                false => structure.parts.push(PartOfModule {
                    name: children.name.clone(),
                    module: first.identity.verilog_name.clone(),
                    count: children.members.len(),
                }),
            }
        }
        for target in origins.keys() {
            let Some(to) = target_node(&scope, &signals, *target) else { continue };
            for origin in sources(&signals, &origins, *target) {
                let Some(from) = source_node(&scope, &signals, origin) else { continue };
                // Registers that keep their value, and parts that answer themselves, show nothing.
                if from != to {
                    let name = signals[origin].name.clone();
                    structure.flows.entry((from, to.clone())).or_default().insert(name);
                }
            }
        }
        Ok(Some(structure))
    }
}

/// Inputs and outputs of children that a signal follows on, through the logic of the module.
fn sources(
    signals: &Signals,
    origins: &BTreeMap<VectorId, BTreeSet<VectorId>>,
    target: VectorId,
) -> BTreeSet<VectorId> {
    let (mut found, mut seen, mut open) = (BTreeSet::new(), BTreeSet::from([target]), vec![target]);
    while let Some(vector) = open.pop() {
        for &origin in origins.get(&vector).into_iter().flatten().filter(|origin| seen.insert(**origin)) {
            match signals[origin].role {
                Role::Input | Role::ChildOutput(_) => drop(found.insert(origin)),
                _ => open.push(origin),
            }
        }
    }
    found
}

fn target_node(scope: &Scope, signals: &Signals, vector: VectorId) -> Option<Node> {
    match signals[vector].role {
        _ if signals[vector].is_clock || signals[vector].is_reset => None,
        Role::Output => Some(Node::Outputs),
        Role::ChildInput(number) => Some(child(scope, signals, number)),
        _ => None,
    }
}

fn source_node(scope: &Scope, signals: &Signals, vector: VectorId) -> Option<Node> {
    match signals[vector].role {
        _ if signals[vector].is_clock || signals[vector].is_reset => None,
        Role::Input => Some(Node::Inputs),
        Role::ChildOutput(number) => Some(child(scope, signals, number)),
        _ => None,
    }
}

fn child(scope: &Scope, signals: &Signals, number: usize) -> Node {
    let children = &signals.children[number];
    match is_register(&scope.children[children.members[0]]) {
        true => Node::Registers,
        false => Node::Part(children.name.clone()),
    }
}
