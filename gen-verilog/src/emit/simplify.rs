// SPDX-License-Identifier: Apache-2.0
//! Takes out of a kernel what cannot matter.
//!
//! Unrolled loops leave much of it behind: the default of an accumulator, comparisons of a slot with
//! itself, flags that are not set yet. Besides being noise, each is a dependency that is none and could
//! tie blocks together, in a circle even.

use std::collections::{HashMap, HashSet};

use num_bigint::BigUint;

use super::signals::{Element, Role, SignalId, Signals};
use super::statement::{AssignedPart, Position, Statement};
use super::uses::Uses;

type Values = HashMap<SignalId, BigUint>;

/// Replaces constants by their values, and drops branches that are not taken, assignments that are
/// overwritten unread, locals that are constant, and locals that only served what was dropped. Loops are
/// written out before.
///
/// A local that nothing ever read stays: it is for the lint check to report.
pub fn simplified(signals: &Signals, statements: Vec<Statement>) -> Vec<Statement> {
    fixed(signals, statements, &|element| element.id(), drop_dead_assignments)
}

/// The same for statements with loops, in which a vector is there or not as a whole.
pub fn tidied(signals: &Signals, statements: Vec<Statement>) -> Vec<Statement> {
    fixed(signals, statements, &|element| element.vector, drop_overwritten)
}

/// Simplifies until nothing changes; `key` tells apart what can be dropped.
fn fixed(
    signals: &Signals,
    mut statements: Vec<Statement>,
    key: &impl Fn(&Element) -> usize,
    drop_more: impl Fn(&mut Vec<Statement>),
) -> Vec<Statement> {
    let once_read = read_by(&statements, key);
    loop {
        let constants = constant_locals(signals, &statements, key);
        let folder = Folder { signals, constants: &constants };
        let mut simpler = folder.body(statements.clone(), &mut Values::new());
        drop_more(&mut simpler);
        let read = read_by(&simpler, key);
        let is_idle = |target: &Element| {
            let key = key(target);
            signals[target.vector].role == Role::Local && once_read.contains(&key) && !read.contains(&key)
        };
        retain(&mut simpler, &|target, _| !is_idle(target));
        if simpler == statements {
            return statements;
        }
        statements = simpler;
    }
}

fn read_by(statements: &[Statement], key: &impl Fn(&Element) -> usize) -> HashSet<usize> {
    let mut read = HashSet::new();
    let mut note = |element: &Element| {
        read.insert(key(element));
    };
    statements.iter().for_each(|statement| statement.reads(&mut note));
    read
}

/// Locals with one assignment, of a constant.
fn constant_locals(signals: &Signals, statements: &[Statement], key: &impl Fn(&Element) -> usize) -> Values {
    let mut assignments: HashMap<usize, usize> = HashMap::new();
    let mut count = |target: &Element| *assignments.entry(key(target)).or_default() += 1;
    statements.iter().for_each(|statement| statement.targets(&mut count));
    let constants = statements.iter().filter_map(|statement| match statement {
        Statement::Assign { target, part: AssignedPart::Whole, value, .. }
            if signals[target.vector].role == Role::Local && assignments[&key(target)] == 1 =>
        {
            Some((target.known()?, value.constant(signals)?))
        }
        _ => None,
    });
    constants.collect()
}

struct Folder<'a> {
    signals: &'a Signals,
    /// Locals that always have the same value.
    constants: &'a Values,
}

impl Folder<'_> {
    /// Folds statements in sequence; `known` holds the values of signals assigned before.
    fn body(&self, body: Vec<Statement>, known: &mut Values) -> Vec<Statement> {
        let mut folded = vec![];
        for statement in body {
            let value_of = |id: SignalId| known.get(&id).or_else(|| self.constants.get(&id)).cloned();
            match statement {
                Statement::Assign { target, .. }
                    if target.known().is_some_and(|id| self.constants.contains_key(&id)) => {}
                Statement::Assign { target, part, value, at } => {
                    let value = value.with(self.signals, &value_of);
                    let part = match part {
                        AssignedPart::Bit(index) => AssignedPart::Bit(index.with(self.signals, &value_of)),
                        part => part,
                    };
                    // A child's input is read as it settles, not as it stands.
                    let is_own = !matches!(self.signals[target.vector].role, Role::ChildInput(_));
                    match (target.known(), value.constant(self.signals)) {
                        (Some(id), Some(value)) if is_own && part == AssignedPart::Whole => {
                            known.insert(id, value);
                        }
                        _ => self.forget(&target, known),
                    }
                    folded.push(Statement::Assign { target, part, value, at });
                }
                Statement::If { condition, at, then, otherwise } => {
                    let condition = condition.with(self.signals, &value_of);
                    match condition.constant(self.signals) {
                        Some(value) if value == BigUint::default() => {
                            folded.extend(self.body(otherwise, known));
                        }
                        Some(_) => folded.extend(self.body(then, known)),
                        None => {
                            let mut branches = self.branches([then, otherwise], known).into_iter();
                            let then = branches.next().unwrap_or_default();
                            let otherwise = branches.next().unwrap_or_default();
                            folded.push(Statement::If { condition, at, then, otherwise });
                        }
                    }
                }
                Statement::Case { selector, at, arms } => {
                    let selector = selector.with(self.signals, &value_of);
                    let (labels, bodies): (Vec<_>, Vec<_>) = arms.into_iter().unzip();
                    let bodies = self.branches(bodies, known);
                    let arms = labels.into_iter().zip(bodies).collect();
                    folded.push(Statement::Case { selector, at, arms });
                }
                Statement::For { variable, from, to, body } => {
                    // What a turn assigns the next one finds.
                    let mut forget = |target: &Element| self.forget(target, known);
                    body.iter().for_each(|statement| statement.targets(&mut forget));
                    let body = self.body(body, &mut known.clone());
                    if !body.is_empty() {
                        folded.push(Statement::For { variable, from, to, body });
                    }
                }
            }
        }
        folded
    }

    /// The values that an assignment changes are known no more.
    fn forget(&self, target: &Element, known: &mut Values) {
        match target.known() {
            Some(id) => {
                known.remove(&id);
            }
            None => self.signals[target.vector].elements().for_each(|id| {
                known.remove(&id);
            }),
        }
    }

    /// Folds alternative bodies: exactly one is taken. Values that they agree on stay known.
    fn branches(
        &self,
        bodies: impl IntoIterator<Item = Vec<Statement>>,
        known: &mut Values,
    ) -> Vec<Vec<Statement>> {
        let mut ends = vec![];
        let mut folded = vec![];
        for body in bodies {
            let mut end = known.clone();
            folded.push(self.body(body, &mut end));
            ends.push(end);
        }
        if let Some(mut common) = ends.pop() {
            common.retain(|id, value| ends.iter().all(|end| end.get(id) == Some(value)));
            *known = common;
        }
        folded
    }
}

/// Drops what an unconditional assignment overwrites before anyone has read it.
fn drop_dead_assignments(statements: &mut Vec<Statement>) {
    let uses = Uses::of(statements);
    let mut alive_from: HashMap<SignalId, Position> = HashMap::new();
    for statement in statements.iter() {
        if let Statement::Assign { target, part: AssignedPart::Whole, at, .. } = statement {
            if !uses.is_read_up_to(target.id(), *at) {
                alive_from.insert(target.id(), *at);
            }
        }
    }
    let alive = |target: &Element, at: Position| alive_from.get(&target.id()).is_none_or(|from| at >= *from);
    retain(statements, &alive);
}

/// Drops what a later assignment among the same statements overwrites before anyone has read it.
fn drop_overwritten(body: &mut Vec<Statement>) {
    for statement in body.iter_mut() {
        match statement {
            Statement::Assign { .. } => {}
            Statement::If { then, otherwise, .. } => [then, otherwise].into_iter().for_each(drop_overwritten),
            Statement::Case { arms, .. } => arms.iter_mut().for_each(|(_, arm)| drop_overwritten(arm)),
            Statement::For { body, .. } => drop_overwritten(body),
        }
    }
    let is_dead = |place: usize| match &body[place] {
        Statement::Assign { target, .. } => is_overwritten(target, &body[place + 1..]),
        _ => false,
    };
    let dead: Vec<bool> = (0..body.len()).map(is_dead).collect();
    let mut dead = dead.into_iter();
    body.retain(|_| !dead.next().expect("as many as statements"));
}

fn is_overwritten(target: &Element, rest: &[Statement]) -> bool {
    for statement in rest {
        let mut is_read = false;
        statement.reads(&mut |element| is_read |= element.vector == target.vector);
        match statement {
            _ if is_read => return false,
            Statement::Assign { target: other, part: AssignedPart::Whole, .. } if other == target => {
                return true
            }
            _ => {}
        }
    }
    false
}

fn retain(body: &mut Vec<Statement>, alive: &impl Fn(&Element, Position) -> bool) {
    body.retain_mut(|statement| match statement {
        Statement::Assign { target, at, .. } => alive(target, *at),
        Statement::If { then, otherwise, .. } => {
            retain(then, alive);
            retain(otherwise, alive);
            !then.is_empty() || !otherwise.is_empty()
        }
        Statement::Case { arms, .. } => {
            arms.iter_mut().for_each(|(_, body)| retain(body, alive));
            arms.iter().any(|(_, body)| !body.is_empty())
        }
        Statement::For { body, .. } => {
            retain(body, alive);
            !body.is_empty()
        }
    });
}
