//! Takes out of a kernel what cannot matter.
//!
//! Unrolled loops leave much of it behind: the default of an accumulator, comparisons of a slot with
//! itself, flags that are not set yet. Besides being noise, each is a dependency that is none and could
//! tie blocks together, in a circle even.

use std::collections::{HashMap, HashSet};

use num_bigint::BigUint;

use super::kernel::{Part, Position, Statement};
use super::schedule::Uses;
use super::signals::{Role, SignalId, Signals};

type Values = HashMap<SignalId, BigUint>;

/// Replaces constants by their values, and drops branches that are not taken, assignments that are
/// overwritten unread, locals that are constant, and locals that only served what was dropped.
///
/// A local that nothing ever read stays: it is for the lint check to report.
pub fn simplified(signals: &Signals, mut statements: Vec<Statement>) -> Vec<Statement> {
    let written = read_by(&statements);
    loop {
        let constants = constant_locals(signals, &statements);
        let folder = Folder { signals, constants: &constants };
        let mut simpler = folder.body(statements.clone(), &mut Values::new());
        drop_dead_assignments(&mut simpler);
        let read = read_by(&simpler);
        let is_idle =
            |id: &SignalId| signals[*id].role == Role::Local && written.contains(id) && !read.contains(id);
        retain(&mut simpler, &|target, _| !is_idle(target));
        if simpler == statements {
            return statements;
        }
        statements = simpler;
    }
}

fn read_by(statements: &[Statement]) -> HashSet<SignalId> {
    let mut read = HashSet::new();
    let mut note = |id| {
        read.insert(id);
    };
    statements.iter().for_each(|statement| statement.reads(&mut note));
    read
}

/// Locals with one assignment, of a constant.
fn constant_locals(signals: &Signals, statements: &[Statement]) -> Values {
    let uses = Uses::of(statements);
    let constants = statements.iter().filter_map(|statement| match statement {
        Statement::Assign { target, part: Part::Whole, value, .. }
            if signals[*target].role == Role::Local && uses.writes[target].0 == uses.writes[target].1 =>
        {
            Some((*target, value.constant(signals)?))
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
                Statement::Assign { target, .. } if self.constants.contains_key(&target) => {}
                Statement::Assign { target, part, value, at } => {
                    let value = value.with(self.signals, &value_of);
                    let part = match part {
                        Part::Bit(index) => Part::Bit(index.with(self.signals, &value_of)),
                        part => part,
                    };
                    // A child's input is read as it settles, not as it stands.
                    let is_own = !matches!(self.signals[target].role, Role::ChildInput(_));
                    match value.constant(self.signals) {
                        Some(value) if is_own && part == Part::Whole => known.insert(target, value),
                        _ => known.remove(&target),
                    };
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
            }
        }
        folded
    }

    /// Folds bodies of which one is taken; what they agree on stays known.
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
        if let Statement::Assign { target, part: Part::Whole, at, .. } = statement {
            if !uses.is_read_up_to(*target, *at) {
                alive_from.insert(*target, *at);
            }
        }
    }
    let alive = |target: &SignalId, at: &Position| alive_from.get(target).is_none_or(|from| at >= from);
    retain(statements, &alive);
}

fn retain(body: &mut Vec<Statement>, alive: &impl Fn(&SignalId, &Position) -> bool) {
    body.retain_mut(|statement| match statement {
        Statement::Assign { target, at, .. } => alive(target, at),
        Statement::If { then, otherwise, .. } => {
            retain(then, alive);
            retain(otherwise, alive);
            !then.is_empty() || !otherwise.is_empty()
        }
        Statement::Case { arms, .. } => {
            arms.iter_mut().for_each(|(_, body)| retain(body, alive));
            arms.iter().any(|(_, body)| !body.is_empty())
        }
    });
}
