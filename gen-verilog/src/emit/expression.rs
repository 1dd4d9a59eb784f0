// SPDX-License-Identifier: Apache-2.0
//! Expressions in which every operand has the width that its operator works at.
//!
//! Verilog widens operands to the widest of their context, which is how a carry that Rust drops comes
//! back to life. Here both sides of an operator are equally wide, and so is what they are assigned
//! to; a change of width is written out as a concatenation or a part select. Verilog begins a new context
//! inside of these. No context can then widen anything.

use num_bigint::BigUint;

use super::index::{Index, LoopTurn};
use super::signals::{Element, SignalId, Signals};

#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    pub width: usize,
    pub kind: Kind,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    Literal(BigUint),
    /// A number that loop variables make: an amount of a shift, or compared with another.
    Number(Index),
    /// The same as a value of the expression's width, which holds it.
    Counted(Index),
    Signal(Element),
    /// Bits of a signal from this one up.
    Part(Element, Index),
    /// The bit of a signal that an expression selects.
    Bit(Element, Box<Expression>),
    /// Bits of a signal from the one up that an expression selects.
    Window(Element, Box<Expression>),
    /// Most significant first.
    Concatenation(Vec<Expression>),
    Unary(Unary, Box<Expression>),
    Binary(Binary, Box<Expression>, Box<Expression>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    Not,
    All,
    Any,
    Parity,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl Binary {
    pub fn symbol(self) -> &'static str {
        match self {
            Binary::Add => "+",
            Binary::Sub => "-",
            Binary::Mul => "*",
            Binary::And => "&",
            Binary::Or => "|",
            Binary::Xor => "^",
            Binary::ShiftLeft => "<<",
            Binary::ShiftRight => ">>",
            Binary::Equal => "==",
            Binary::NotEqual => "!=",
            Binary::Less => "<",
            Binary::LessEqual => "<=",
            Binary::Greater => ">",
            Binary::GreaterEqual => ">=",
        }
    }

    /// Bits of the result, for a first operand of this width.
    pub fn width(self, operand: usize) -> usize {
        match self {
            Binary::Equal
            | Binary::NotEqual
            | Binary::Less
            | Binary::LessEqual
            | Binary::Greater
            | Binary::GreaterEqual => 1,
            _ => operand,
        }
    }

    /// The result for operands of this width.
    pub fn of_values(self, left: &BigUint, right: &BigUint, width: usize) -> BigUint {
        let modulus = BigUint::from(1u32) << width;
        let truth = |holds: bool| BigUint::from(holds as u32);
        match self {
            Binary::Add => (left + right) % modulus,
            Binary::Sub => (left + &modulus - right) % modulus,
            Binary::Mul => (left * right) % modulus,
            Binary::And => left & right,
            Binary::Or => left | right,
            Binary::Xor => left ^ right,
            Binary::ShiftLeft => (left << small(right).min(width as u64)) % modulus,
            Binary::ShiftRight => left >> small(right),
            Binary::Equal => truth(left == right),
            Binary::NotEqual => truth(left != right),
            Binary::Less => truth(left < right),
            Binary::LessEqual => truth(left <= right),
            Binary::Greater => truth(left > right),
            Binary::GreaterEqual => truth(left >= right),
        }
    }

    /// The bits of the result depend only on the same bits of the operands.
    fn is_bitwise(self) -> bool {
        matches!(self, Binary::And | Binary::Or | Binary::Xor)
    }

    /// The low bits of the result depend only on the low bits of the operands.
    fn is_modular(self) -> bool {
        self.is_bitwise() || matches!(self, Binary::Add | Binary::Sub | Binary::Mul)
    }
}

impl Expression {
    pub fn literal(value: impl Into<BigUint>, width: usize) -> Self {
        Expression { width, kind: Kind::Literal(value.into()) }
    }

    pub fn signal(signals: &Signals, element: Element) -> Self {
        Expression { width: signals[element.vector].width, kind: Kind::Signal(element) }
    }

    /// A number that loop variables make; Verilog's `integer` has 32 bits.
    pub fn number(index: Index) -> Self {
        Expression { width: 32, kind: Kind::Number(index) }
    }

    pub fn unary(operator: Unary, operand: Expression) -> Self {
        let width = if operator == Unary::Not { operand.width } else { 1 };
        if operator != Unary::Not && operand.width == 1 {
            return operand;
        }
        Expression { width, kind: Kind::Unary(operator, Box::new(operand)) }
    }

    pub fn binary(operator: Binary, left: Expression, right: Expression) -> Self {
        let width = operator.width(left.width);
        Expression { width, kind: Kind::Binary(operator, Box::new(left), Box::new(right)) }
    }

    /// Zeros above, most significant part first.
    pub fn widen(self, width: usize) -> Self {
        match (width - self.width, self.kind) {
            (0, kind) => Expression { width, kind },
            (_, Kind::Literal(value)) => Expression { width, kind: Kind::Literal(value) },
            (zeros, Kind::Concatenation(mut parts)) if matches!(parts[0].kind, Kind::Literal(_)) => {
                parts[0].width += zeros;
                Expression { width, kind: Kind::Concatenation(parts) }
            }
            (zeros, kind) => {
                let low = Expression { width: width - zeros, kind };
                let parts = vec![Expression::literal(0u32, zeros), low];
                Expression { width, kind: Kind::Concatenation(parts) }
            }
        }
    }

    /// `width` bits from bit `low` up; none where Verilog has no way to take them.
    pub fn slice(&self, low: usize, width: usize) -> Option<Self> {
        if low == 0 && width == self.width {
            return Some(self.clone());
        }
        let kind = match &self.kind {
            Kind::Literal(value) => Kind::Literal((value >> low) % (BigUint::from(1u32) << width)),
            Kind::Signal(element) => Kind::Part(element.clone(), Index::of(low)),
            Kind::Part(element, first) => Kind::Part(element.clone(), first.clone().plus(Index::of(low))),
            Kind::Concatenation(parts) => {
                let mut first = self.width;
                let mut taken = vec![];
                for part in parts {
                    first -= part.width;
                    let (from, to) = (low.max(first), (low + width).min(first + part.width));
                    if from < to {
                        taken.push(part.slice(from - first, to - from)?);
                    }
                }
                match taken.len() {
                    1 => return taken.pop(),
                    _ => Kind::Concatenation(taken),
                }
            }
            Kind::Unary(Unary::Not, operand) => Kind::Unary(Unary::Not, Box::new(operand.slice(low, width)?)),
            Kind::Binary(operator, left, right)
                if operator.is_bitwise() || (operator.is_modular() && low == 0) =>
            {
                let (left, right) = (left.slice(low, width)?, right.slice(low, width)?);
                Kind::Binary(*operator, Box::new(left), Box::new(right))
            }
            Kind::Binary(Binary::ShiftLeft, value, amount) if low == 0 => {
                Kind::Binary(Binary::ShiftLeft, Box::new(value.slice(0, width)?), amount.clone())
            }
            _ => return None,
        };
        Some(Expression { width, kind })
    }

    /// Calls `read` for every signal in the expression, constants included.
    pub fn reads(&self, read: &mut impl FnMut(&Element)) {
        match &self.kind {
            Kind::Literal(_) | Kind::Number(_) | Kind::Counted(_) => {}
            Kind::Signal(element) | Kind::Part(element, _) => read(element),
            Kind::Bit(element, index) | Kind::Window(element, index) => {
                read(element);
                index.reads(read);
            }
            Kind::Concatenation(parts) => parts.iter().for_each(|part| part.reads(read)),
            Kind::Unary(_, operand) => operand.reads(read),
            Kind::Binary(_, left, right) => {
                left.reads(read);
                right.reads(read);
            }
        }
    }

    /// The value, if all signals in it have one.
    pub fn value(&self, of: &impl Fn(SignalId) -> Option<BigUint>) -> Option<BigUint> {
        let modulus = BigUint::from(1u32) << self.width;
        let truth = |holds: bool| BigUint::from(holds as u32);
        let value = match &self.kind {
            Kind::Literal(value) => value.clone(),
            Kind::Number(index) | Kind::Counted(index) => BigUint::try_from(index.number()?).ok()?,
            Kind::Signal(element) => of(element.known()?)?,
            Kind::Part(element, low) => of(element.known()?)? >> low.number()?,
            Kind::Bit(element, index) | Kind::Window(element, index) => {
                of(element.known()?)? >> small(&index.value(of)?)
            }
            Kind::Concatenation(parts) => parts
                .iter()
                .try_fold(BigUint::default(), |high, part| Some((high << part.width) + part.value(of)?))?,
            Kind::Unary(operator, operand) => {
                let value = operand.value(of)?;
                match operator {
                    Unary::Not => &modulus - 1u32 - value,
                    Unary::All => truth(value.count_ones() == operand.width as u64),
                    Unary::Any => truth(value.count_ones() > 0),
                    Unary::Parity => truth(value.count_ones() % 2 == 1),
                }
            }
            Kind::Binary(operator, one, other) => {
                operator.of_values(&one.value(of)?, &other.value(of)?, one.width)
            }
        };
        Some(value % modulus)
    }

    /// The value, if it is made of literals and constants only.
    pub fn constant(&self, signals: &Signals) -> Option<BigUint> {
        self.value(&|id| signals.constant(id))
    }

    /// The same in these turns of the loops around it.
    pub fn turned(&self, turns: &[LoopTurn]) -> Self {
        let turned = |element: &Element| Element { index: element.index.turned(turns), ..element.clone() };
        let kind = match &self.kind {
            Kind::Literal(value) => Kind::Literal(value.clone()),
            Kind::Number(index) => Kind::Number(index.turned(turns)),
            Kind::Counted(index) => Kind::Counted(index.turned(turns)),
            Kind::Signal(element) => Kind::Signal(turned(element)),
            Kind::Part(element, low) => Kind::Part(turned(element), low.turned(turns)),
            Kind::Bit(element, index) => Kind::Bit(turned(element), Box::new(index.turned(turns))),
            Kind::Window(element, low) => Kind::Window(turned(element), Box::new(low.turned(turns))),
            Kind::Concatenation(parts) => {
                Kind::Concatenation(parts.iter().map(|part| part.turned(turns)).collect())
            }
            Kind::Unary(operator, operand) => Kind::Unary(*operator, Box::new(operand.turned(turns))),
            Kind::Binary(operator, left, right) => {
                let (left, right) = (left.turned(turns), right.turned(turns));
                Kind::Binary(*operator, Box::new(left), Box::new(right))
            }
        };
        Expression { width: self.width, kind }
    }

    /// The same with a value instead of every signal that has one.
    pub fn with(self, signals: &Signals, of: &impl Fn(SignalId) -> Option<BigUint>) -> Self {
        if let Some(value) = self.value(of) {
            return Expression::literal(value, self.width);
        }
        let width = self.width;
        match self.kind {
            Kind::Bit(id, index) => {
                Expression { width, kind: Kind::Bit(id, Box::new(index.with(signals, of))) }
            }
            Kind::Window(id, low) => {
                Expression { width, kind: Kind::Window(id, Box::new(low.with(signals, of))) }
            }
            Kind::Concatenation(parts) => {
                let parts = parts.into_iter().map(|part| part.with(signals, of)).collect();
                Expression { width, kind: Kind::Concatenation(parts) }
            }
            Kind::Unary(operator, operand) => Expression::unary(operator, operand.with(signals, of)),
            Kind::Binary(operator, left, right) => {
                let (left, right) = (left.with(signals, of), right.with(signals, of));
                match decided(operator, &left, &right, signals) {
                    Some(outcome) => outcome,
                    None => Expression::binary(operator, left, right),
                }
            }
            kind => Expression { width, kind },
        }
    }
}

/// The value that an operation has whatever one of its operands is: `x & 0`, or `x <= 7` of three bits.
fn decided(operator: Binary, left: &Expression, right: &Expression, signals: &Signals) -> Option<Expression> {
    for (one, other) in [(left, right), (right, left)].iter().filter(|_| left.width == 1) {
        let Some(value) = one.constant(signals) else { continue };
        match (operator, value.bit(0)) {
            (Binary::And, true) | (Binary::Or, false) => return Some((*other).clone()),
            (Binary::And, false) | (Binary::Or, true) => return Some(Expression::literal(value, 1)),
            _ => {}
        }
    }
    let bounds = |operand: &Expression| match operand.constant(signals) {
        Some(value) => (value.clone(), value),
        None => (BigUint::default(), (BigUint::from(1u32) << operand.width) - 1u32),
    };
    let ((left_least, left_most), (right_least, right_most)) = (bounds(left), bounds(right));
    let (always, never) = match operator {
        Binary::Less => (left_most < right_least, left_least >= right_most),
        Binary::LessEqual => (left_most <= right_least, left_least > right_most),
        Binary::Greater => (left_least > right_most, left_most <= right_least),
        Binary::GreaterEqual => (left_least >= right_most, left_most < right_least),
        _ => return None,
    };
    (always || never).then(|| Expression::literal(always as u32, 1))
}

/// A shift amount: anything beyond the widest signal is as good as any other.
fn small(amount: &BigUint) -> u64 {
    u64::try_from(amount).unwrap_or(u32::MAX as u64).min(u32::MAX as u64)
}
