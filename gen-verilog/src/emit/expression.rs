//! Expressions in which every operand has the width that its operator works at.
//!
//! Verilog widens operands to the widest of their context, which is how a carry that Rust drops comes
//! back to life. Here both sides of an operator are equally wide, and so is what they are assigned
//! to; a change of width is written out as a concatenation or a part select, inside of which Verilog
//! starts afresh. No context can then widen anything.

use num_bigint::BigUint;

use super::signals::{Role, SignalId, Signals};

#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    pub width: usize,
    pub kind: Kind,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    Literal(BigUint),
    Signal(SignalId),
    /// Bits of a signal from this one up.
    Part(SignalId, usize),
    /// The bit of a signal that an expression selects.
    Bit(SignalId, Box<Expression>),
    /// Bits of a signal from the one up that an expression selects.
    Window(SignalId, Box<Expression>),
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    fn symbol(self) -> &'static str {
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

    pub fn signal(signals: &Signals, id: SignalId) -> Self {
        Expression { width: signals[id].width, kind: Kind::Signal(id) }
    }

    pub fn unary(operator: Unary, operand: Expression) -> Self {
        let width = if operator == Unary::Not { operand.width } else { 1 };
        if operator != Unary::Not && operand.width == 1 {
            return operand;
        }
        Expression { width, kind: Kind::Unary(operator, Box::new(operand)) }
    }

    pub fn binary(operator: Binary, left: Expression, right: Expression) -> Self {
        let width = match operator {
            Binary::Equal
            | Binary::NotEqual
            | Binary::Less
            | Binary::LessEqual
            | Binary::Greater
            | Binary::GreaterEqual => 1,
            _ => left.width,
        };
        Expression { width, kind: Kind::Binary(operator, Box::new(left), Box::new(right)) }
    }

    /// Zeros above, most significant part first.
    pub fn widen(self, width: usize) -> Self {
        match (width - self.width, self.kind) {
            (0, kind) => Expression { width, kind },
            (_, Kind::Literal(value)) => Expression { width, kind: Kind::Literal(value) },
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
            Kind::Signal(id) => Kind::Part(*id, low),
            Kind::Part(id, first) => Kind::Part(*id, first + low),
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
    pub fn reads(&self, read: &mut impl FnMut(SignalId)) {
        match &self.kind {
            Kind::Literal(_) => {}
            Kind::Signal(id) | Kind::Part(id, _) => read(*id),
            Kind::Bit(id, index) | Kind::Window(id, index) => {
                read(*id);
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
            Kind::Signal(id) => of(*id)?,
            Kind::Part(id, low) => of(*id)? >> low,
            Kind::Bit(id, index) | Kind::Window(id, index) => of(*id)? >> small(index.value(of)?),
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
            Kind::Binary(operator, left, right) => {
                let (left, right) = (left.value(of)?, right.value(of)?);
                match operator {
                    Binary::Add => left + right,
                    Binary::Sub => left + &modulus - right,
                    Binary::Mul => left * right,
                    Binary::And => left & right,
                    Binary::Or => left | right,
                    Binary::Xor => left ^ right,
                    Binary::ShiftLeft => left << small(right).min(self.width as u64),
                    Binary::ShiftRight => left >> small(right),
                    Binary::Equal => truth(left == right),
                    Binary::NotEqual => truth(left != right),
                    Binary::Less => truth(left < right),
                    Binary::LessEqual => truth(left <= right),
                    Binary::Greater => truth(left > right),
                    Binary::GreaterEqual => truth(left >= right),
                }
            }
        };
        Some(value % modulus)
    }

    /// The value, if it is made of literals and constants only.
    pub fn constant(&self, signals: &Signals) -> Option<BigUint> {
        self.value(&|id| match &signals[id].role {
            Role::Constant(value) => Some(value.clone()),
            _ => None,
        })
    }

    /// The same with a value in the place of every signal that has one.
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

    /// As Verilog; parenthesised where it stands `inside` of an operator.
    fn write(&self, signals: &Signals, inside: bool, text: &mut String) {
        match &self.kind {
            Kind::Literal(value) => {
                let digits = if self.width <= 32 { format!("d{value}") } else { format!("h{value:x}") };
                text.push_str(&format!("{}'{digits}", self.width));
            }
            Kind::Signal(id) => text.push_str(&signals[*id].name),
            Kind::Part(id, low) => match &signals[*id].role {
                // Verilog-2001 takes no part of a localparam.
                Role::Constant(value) => {
                    let whole = Expression::literal(value.clone(), signals[*id].width);
                    let part = whole.slice(*low, self.width).expect("literals can be sliced");
                    part.write(signals, inside, text);
                }
                _ => {
                    let range = range(signals, *id, *low, self.width);
                    text.push_str(&format!("{}{range}", signals[*id].name));
                }
            },
            Kind::Bit(id, index) => {
                text.push_str(&format!("{}[{}]", signals[*id].name, index.text(signals)));
            }
            Kind::Window(id, low) => {
                text.push_str(&format!("{}[{} +: {}]", signals[*id].name, low.text(signals), self.width));
            }
            Kind::Concatenation(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| part.text(signals)).collect();
                text.push_str(&format!("{{{}}}", parts.join(", ")));
            }
            Kind::Unary(operator, operand) => {
                let symbol = match operator {
                    Unary::Not if self.width == 1 => "!",
                    Unary::Not => "~",
                    Unary::All => "&",
                    Unary::Any => "|",
                    Unary::Parity => "^",
                };
                // `a & &b` would read as `a && b`.
                let parentheses = inside && *operator != Unary::Not;
                text.push_str(if parentheses { "(" } else { "" });
                text.push_str(symbol);
                operand.write(signals, true, text);
                text.push_str(if parentheses { ")" } else { "" });
            }
            Kind::Binary(operator, left, right) => {
                text.push_str(if inside { "(" } else { "" });
                left.write(signals, true, text);
                text.push_str(&format!(" {} ", operator.symbol()));
                right.write(signals, true, text);
                text.push_str(if inside { ")" } else { "" });
            }
        }
    }

    pub fn text(&self, signals: &Signals) -> String {
        let mut text = String::new();
        self.write(signals, false, &mut text);
        text
    }
}

/// What an operation comes to whatever one of its operands is: `x & 0`, or `x <= 7` of three bits.
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

/// `[7:4]`, `[3]`, or nothing for a whole signal.
pub fn range(signals: &Signals, id: SignalId, low: usize, width: usize) -> String {
    match width {
        _ if width == signals[id].width => String::new(),
        1 => format!("[{low}]"),
        _ => format!("[{}:{low}]", low + width - 1),
    }
}

/// A shift amount: anything beyond the widest signal is as good as any other.
fn small(amount: BigUint) -> u64 {
    u64::try_from(amount).unwrap_or(u32::MAX as u64).min(u32::MAX as u64)
}
