// SPDX-License-Identifier: Apache-2.0
//! Where the signals of a kernel are assigned and read.

use std::collections::{BTreeMap, BTreeSet};

use super::signals::{Element, SignalId};
use super::statement::{AssignedPart, Position, Statement};

/// Places of a kernel's statements, by signal.
pub struct Uses {
    /// First and last assignment.
    pub writes: BTreeMap<SignalId, (Position, Position)>,
    /// Reads, each with its place and the signal whose value depends on it.
    pub reads: BTreeSet<(SignalId, Position, SignalId)>,
}

impl Uses {
    pub fn of(statements: &[Statement]) -> Self {
        let mut uses = Uses { writes: BTreeMap::new(), reads: BTreeSet::new() };
        uses.walk(statements, &mut vec![]);
        uses
    }

    fn walk(&mut self, body: &[Statement], conditions: &mut Vec<(SignalId, Position)>) {
        for statement in body {
            match statement {
                Statement::Assign { target, part, value, at } => {
                    let target = target.id();
                    let (_, last) = self.writes.entry(target).or_insert((*at, *at));
                    *last = *at;
                    let mut read = |element: &Element| {
                        self.reads.insert((element.id(), *at, target));
                    };
                    value.reads(&mut read);
                    if let AssignedPart::Bit(index) = part {
                        index.reads(&mut read);
                    }
                    self.reads.extend(conditions.iter().map(|(id, at)| (*id, *at, target)));
                }
                Statement::If { condition, at, then, otherwise } => {
                    let outside = conditions.len();
                    condition.reads(&mut |element| conditions.push((element.id(), *at)));
                    self.walk(then, conditions);
                    self.walk(otherwise, conditions);
                    conditions.truncate(outside);
                }
                Statement::Case { selector, at, arms } => {
                    let outside = conditions.len();
                    selector.reads(&mut |element| conditions.push((element.id(), *at)));
                    arms.iter().for_each(|(_, body)| self.walk(body, conditions));
                    conditions.truncate(outside);
                }
                Statement::For { .. } => unreachable!("loops are written out"),
            }
        }
    }

    /// Returns true if the signal is read after its first assignment and up to this place.
    pub fn is_read_up_to(&self, id: SignalId, end: Position) -> bool {
        let (first, _) = self.writes[&id];
        first < end && self.reads.range((id, first + 1, 0)..=(id, end, SignalId::MAX)).next().is_some()
    }
}
