// SPDX-License-Identifier: Apache-2.0
//! Writes loops out: every statement names the elements that it reads and assigns.

use num_bigint::BigUint;

use super::expression::{Expression, Kind};
use super::index::{Index, LoopTurn};
use super::signals::Element;
use super::statement::{AssignedPart, Position, Statement};

/// The same statements without loops, each with its place in the order in which they run.
pub fn unrolled(body: &[Statement]) -> Vec<Statement> {
    let mut unroller = Unroller { turns: vec![], at: 0 };
    let mut statements = vec![];
    unroller.body(body, &mut statements);
    statements
}

struct Unroller {
    turns: Vec<LoopTurn>,
    at: Position,
}

impl Unroller {
    fn body(&mut self, body: &[Statement], to: &mut Vec<Statement>) {
        for statement in body {
            match statement {
                Statement::Assign { target, part, value, .. } => {
                    let target = Element { index: target.index.turned(&self.turns), ..target.clone() };
                    let part = match part {
                        AssignedPart::Whole => AssignedPart::Whole,
                        AssignedPart::Bits { low } => AssignedPart::Bits { low: low.turned(&self.turns) },
                        AssignedPart::Bit(index) => AssignedPart::Bit(self.turned(index)),
                    };
                    let value = self.turned(value);
                    to.push(Statement::Assign { target, part, value, at: self.next() });
                }
                Statement::If { condition, then, otherwise, .. } => {
                    let condition = self.turned(condition);
                    if let Kind::Literal(value) = &condition.kind {
                        self.body(if *value == BigUint::default() { otherwise } else { then }, to);
                        continue;
                    }
                    let at = self.next();
                    let (mut taken, mut rest) = (vec![], vec![]);
                    self.body(then, &mut taken);
                    self.body(otherwise, &mut rest);
                    to.push(Statement::If { condition, at, then: taken, otherwise: rest });
                }
                Statement::Case { selector, arms, .. } => {
                    let (selector, at) = (self.turned(selector), self.next());
                    let arms = arms.iter().map(|(label, body)| {
                        let mut arm = vec![];
                        self.body(body, &mut arm);
                        (label.clone(), arm)
                    });
                    let arms = arms.collect();
                    to.push(Statement::Case { selector, at, arms });
                }
                Statement::For { variable, from, to: end, body } => {
                    for value in *from..*end {
                        self.turns.push((variable.clone(), value as i64));
                        self.body(body, to);
                        self.turns.pop();
                    }
                }
            }
        }
    }

    /// An expression in the present turns, with numbers instead of loop variables.
    fn turned(&self, expression: &Expression) -> Expression {
        if self.turns.is_empty() {
            return expression.clone();
        }
        settled(expression.turned(&self.turns))
    }

    fn next(&mut self) -> Position {
        self.at += 1;
        self.at
    }
}

/// Replaces what has become a number by a literal.
fn settled(expression: Expression) -> Expression {
    let Expression { width, kind } = expression;
    let each = |boxed: Box<Expression>| Box::new(settled(*boxed));
    let kind = match kind {
        Kind::Number(Index::Number(number)) | Kind::Counted(Index::Number(number)) => {
            Kind::Literal(BigUint::try_from(number).expect("numbers of loops are not negative"))
        }
        Kind::Bit(element, index) => Kind::Bit(element, each(index)),
        Kind::Window(element, low) => Kind::Window(element, each(low)),
        Kind::Concatenation(parts) => Kind::Concatenation(parts.into_iter().map(settled).collect()),
        Kind::Unary(operator, operand) => Kind::Unary(operator, each(operand)),
        Kind::Binary(operator, left, right) => {
            let expression = Expression { width, kind: Kind::Binary(operator, each(left), each(right)) };
            match expression.value(&|_| None) {
                Some(value) => Kind::Literal(value),
                None => expression.kind,
            }
        }
        kind => kind,
    };
    Expression { width, kind }
}
