// SPDX-License-Identifier: Apache-2.0
//! The statements of a kernel.

use super::expression::Expression;
use super::index::Index;
use super::signals::Element;

#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    Assign {
        target: Element,
        part: AssignedPart,
        value: Expression,
        at: Position,
    },
    If {
        condition: Expression,
        at: Position,
        then: Vec<Statement>,
        otherwise: Vec<Statement>,
    },
    /// The last arm is taken if no other is; labels are constants.
    Case {
        selector: Expression,
        at: Position,
        arms: Vec<(Expression, Vec<Statement>)>,
    },
    /// From the first number up to the last, which is left out.
    For {
        variable: String,
        from: usize,
        to: usize,
        body: Vec<Statement>,
    },
}

impl Statement {
    /// Calls `read` for every signal that the statement reads, constants included.
    pub fn reads(&self, read: &mut impl FnMut(&Element)) {
        match self {
            Statement::Assign { part, value, .. } => {
                value.reads(read);
                if let AssignedPart::Bit(index) = part {
                    index.reads(read);
                }
            }
            Statement::If { condition, then, otherwise, .. } => {
                condition.reads(read);
                then.iter().chain(otherwise).for_each(|statement| statement.reads(read));
            }
            Statement::Case { selector, arms, .. } => {
                selector.reads(read);
                for (number, (label, body)) in arms.iter().enumerate() {
                    if number + 1 < arms.len() {
                        label.reads(read);
                    }
                    body.iter().for_each(|statement| statement.reads(read));
                }
            }
            Statement::For { body, .. } => body.iter().for_each(|statement| statement.reads(read)),
        }
    }

    /// Calls `assigned` for every assignment's target.
    pub fn targets(&self, assigned: &mut impl FnMut(&Element)) {
        let mut all = |body: &[Statement]| body.iter().for_each(|statement| statement.targets(assigned));
        match self {
            Statement::Assign { target, .. } => assigned(target),
            Statement::If { then, otherwise, .. } => {
                all(then);
                all(otherwise);
            }
            Statement::Case { arms, .. } => arms.iter().for_each(|(_, body)| all(body)),
            Statement::For { body, .. } => all(body),
        }
    }

    /// The part of the statement that assigns what `keep` says.
    pub fn projected(&self, keep: &impl Fn(&Element) -> bool) -> Option<Statement> {
        let body = |body: &[Statement]| projected(body, keep);
        match self {
            Statement::Assign { target, .. } => keep(target).then(|| self.clone()),
            Statement::If { condition, at, then, otherwise } => {
                let (then, otherwise) = (body(then), body(otherwise));
                (!then.is_empty() || !otherwise.is_empty()).then(|| Statement::If {
                    condition: condition.clone(),
                    at: *at,
                    then,
                    otherwise,
                })
            }
            Statement::Case { selector, at, arms } => {
                let arms: Vec<_> = arms.iter().map(|(label, arm)| (label.clone(), body(arm))).collect();
                arms.iter().any(|(_, body)| !body.is_empty()).then(|| Statement::Case {
                    selector: selector.clone(),
                    at: *at,
                    arms,
                })
            }
            Statement::For { variable, from, to, body: all } => {
                let body = body(all);
                (!body.is_empty()).then(|| Statement::For {
                    variable: variable.clone(),
                    from: *from,
                    to: *to,
                    body,
                })
            }
        }
    }
}

/// The parts of statements that assign what `keep` says.
pub fn projected(body: &[Statement], keep: &impl Fn(&Element) -> bool) -> Vec<Statement> {
    body.iter().filter_map(|statement| statement.projected(keep)).collect()
}

/// A place in the order in which the kernel runs, once loops are written out.
pub type Position = usize;

/// The part of a signal that an assignment changes.
#[derive(Clone, Debug, PartialEq)]
pub enum AssignedPart {
    Whole,
    /// Bits from `low` up, as many as the value has.
    Bits {
        low: Index,
    },
    /// The bit that an expression selects.
    Bit(Expression),
}
