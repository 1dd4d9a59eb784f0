// SPDX-License-Identifier: Apache-2.0
//! Expressions over signals, as Verilog writes them: from text to a tree, and on to a tree of values.

use std::sync::Arc;

use crate::{ObservedSignal, Values};

/// As it is written.
pub enum EventExpression {
    Number(u64),
    /// A signal, a variable or a field; with a `*` before it, a signal with a beginning that is known later.
    Name(String),
    /// Elements of a signal.
    Count(String),
    Index(Box<EventExpression>, Box<EventExpression>),
    Not(Box<EventExpression>),
    Binary(EventOperator, Box<EventExpression>, Box<EventExpression>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EventOperator {
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equal,
    Unequal,
    Below,
    Above,
    AtMost,
    AtLeast,
    Left,
    Right,
    Plus,
    Minus,
    Times,
}

/// By rising precedence: operators of a row bind alike.
const OPERATORS: [&[(&str, EventOperator)]; 10] = [
    &[("||", EventOperator::Or)],
    &[("&&", EventOperator::And)],
    &[("|", EventOperator::BitOr)],
    &[("^", EventOperator::BitXor)],
    &[("&", EventOperator::BitAnd)],
    &[("==", EventOperator::Equal), ("!=", EventOperator::Unequal)],
    &[
        ("<=", EventOperator::AtMost),
        (">=", EventOperator::AtLeast),
        ("<", EventOperator::Below),
        (">", EventOperator::Above),
    ],
    &[("<<", EventOperator::Left), (">>", EventOperator::Right)],
    &[("+", EventOperator::Plus), ("-", EventOperator::Minus)],
    &[("*", EventOperator::Times)],
];

const SYMBOLS: [&str; 26] = [
    "||", "&&", "==", "!=", "<=", ">=", "<<", ">>", "|", "^", "&", "<", ">", "+", "-", "*", "!", "?", "(",
    ")", "[", "]", ",", "=", ".", "#",
];

/// Reads tokens one after the other.
pub struct Parser<'a> {
    tokens: Vec<&'a str>,
    next: usize,
}

impl<'a> Parser<'a> {
    pub fn new(text: &'a str) -> Result<Self, String> {
        let mut tokens = vec![];
        let mut rest = text.trim_start();
        while let Some(letter) = rest.chars().next() {
            let length = match letter {
                'a'..='z' | 'A'..='Z' | '_' | '0'..='9' => rest
                    .find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
                    .unwrap_or(rest.len()),
                _ => {
                    let symbol = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol));
                    symbol.ok_or_else(|| format!("`{letter}` is no operator"))?.len()
                }
            };
            tokens.push(&rest[..length]);
            rest = rest[length..].trim_start();
        }
        Ok(Parser { tokens, next: 0 })
    }

    fn peek(&self) -> &'a str {
        self.tokens.get(self.next).copied().unwrap_or("")
    }

    pub fn takes(&mut self, token: &str) -> bool {
        let is_next = self.peek() == token;
        self.next += usize::from(is_next);
        is_next
    }

    pub fn expect(&mut self, token: &str) -> Result<(), String> {
        match self.takes(token) {
            true => Ok(()),
            false => Err(format!("`{token}` is missing before `{}`", self.peek())),
        }
    }

    pub fn end(&self) -> Result<(), String> {
        match self.peek() {
            "" => Ok(()),
            token => Err(format!("`{token}` has no place there")),
        }
    }

    pub fn name(&mut self) -> Result<String, String> {
        let token = self.peek();
        if !token.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_') {
            return Err(format!("a name is missing before `{token}`"));
        }
        self.next += 1;
        Ok(token.into())
    }

    /// `cache_table.entry_tag`
    pub fn path(&mut self) -> Result<String, String> {
        let mut path = self.name()?;
        while self.takes(".") {
            path = format!("{path}.{}", self.name()?);
        }
        Ok(path)
    }

    pub fn expression(&mut self) -> Result<EventExpression, String> {
        self.binary(0)
    }

    fn binary(&mut self, level: usize) -> Result<EventExpression, String> {
        let Some(operators) = OPERATORS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while let Some((_, operator)) = operators.iter().find(|(token, _)| *token == self.peek()) {
            self.next += 1;
            left = EventExpression::Binary(*operator, Box::new(left), Box::new(self.binary(level + 1)?));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<EventExpression, String> {
        if self.takes("!") {
            return Ok(EventExpression::Not(Box::new(self.unary()?)));
        }
        if self.takes("#") {
            return Ok(EventExpression::Count(self.path()?));
        }
        let mut value = if self.takes("*") {
            // The beginning of the name is shared with other signals.
            EventExpression::Name(format!("*{}", self.path()?))
        } else if self.takes("(") {
            let inner = self.expression()?;
            self.expect(")")?;
            inner
        } else if self.peek().starts_with(|letter: char| letter.is_ascii_digit()) {
            let digits = self.peek();
            self.next += 1;
            EventExpression::Number(digits.parse().map_err(|_| format!("{digits} is no number"))?)
        } else {
            EventExpression::Name(self.path()?)
        };
        while self.takes("[") {
            let index = self.expression()?;
            self.expect("]")?;
            value = EventExpression::Index(Box::new(value), Box::new(index));
        }
        Ok(value)
    }
}

/// A thing that has a value in a cycle.
#[derive(Clone)]
pub enum Term {
    Number(u64),
    /// A variable of a loop, by its number.
    Variable(usize),
    Field(Box<Term>),
    Signal(Arc<ObservedSignal>, Option<Box<Term>>),
    Bit(Box<Term>, Box<Term>),
    Not(Box<Term>),
    Binary(EventOperator, Box<Term>, Box<Term>),
}

/// The meaning of names.
pub trait NameMeanings {
    fn signal(&self, path: &str) -> Option<Arc<ObservedSignal>>;
    fn variable(&self, name: &str) -> Option<usize>;
    fn field(&self, name: &str) -> Option<Term>;
}

impl EventExpression {
    /// Finds what its names mean.
    pub fn bind(&self, names: &dyn NameMeanings) -> Result<Term, String> {
        let bound = |expression: &EventExpression| expression.bind(names).map(Box::new);
        Ok(match self {
            EventExpression::Number(number) => Term::Number(*number),
            EventExpression::Name(name) => {
                if let Some(number) = names.variable(name) {
                    return Ok(Term::Variable(number));
                }
                if let Some(term) = names.field(name) {
                    return Ok(Term::Field(Box::new(term)));
                }
                let signal = found(names, name)?;
                if signal.is_array {
                    return Err(format!("{name} is an array, and has no index"));
                }
                Term::Signal(signal, None)
            }
            EventExpression::Count(name) => Term::Number(found(names, name)?.count() as u64),
            EventExpression::Index(value, index) => {
                let index = bound(index)?;
                match &**value {
                    EventExpression::Name(name)
                        if names.variable(name).is_none() && names.field(name).is_none() =>
                    {
                        let signal = found(names, name)?;
                        match signal.is_array {
                            true => Term::Signal(signal, Some(index)),
                            false => Term::Bit(Box::new(Term::Signal(signal, None)), index),
                        }
                    }
                    value => Term::Bit(bound(value)?, index),
                }
            }
            EventExpression::Not(value) => Term::Not(bound(value)?),
            EventExpression::Binary(operator, left, right) => {
                Term::Binary(*operator, bound(left)?, bound(right)?)
            }
        })
    }
}

/// A signal that fits into a number.
fn found(names: &dyn NameMeanings, path: &str) -> Result<Arc<ObservedSignal>, String> {
    let signal = names.signal(path).ok_or_else(|| format!("there is no signal {path}"))?;
    match signal.width <= 64 {
        true => Ok(signal),
        false => Err(format!("{path} has more than 64 bits")),
    }
}

impl Term {
    /// The value for these values of the variables. Missing elements and bits are zero.
    pub fn value(&self, values: &dyn Values, variables: &[u64]) -> u64 {
        let of = |term: &Term| term.value(values, variables);
        match self {
            Term::Number(number) => *number,
            Term::Variable(number) => variables[*number],
            Term::Field(term) => of(term),
            Term::Signal(signal, None) => values.number(signal, 0),
            Term::Signal(signal, Some(index)) => match of(index) as usize {
                index if index < signal.count() => values.number(signal, index),
                _ => 0,
            },
            Term::Bit(term, index) => of(term).checked_shr(of(index) as u32).unwrap_or(0) & 1,
            Term::Not(term) => u64::from(of(term) == 0),
            Term::Binary(EventOperator::Or, left, right) => u64::from(of(left) != 0 || of(right) != 0),
            Term::Binary(EventOperator::And, left, right) => u64::from(of(left) != 0 && of(right) != 0),
            Term::Binary(operator, left, right) => operator.apply(of(left), of(right)),
        }
    }

    /// Names of its values, if it is a signal that has them.
    pub fn states(&self) -> &[String] {
        match self {
            Term::Field(term) => term.states(),
            Term::Signal(signal, _) => &signal.states,
            _ => &[],
        }
    }
}

impl EventOperator {
    /// Tells if its value is a bit.
    pub fn compares(self) -> bool {
        use EventOperator::{Above, AtLeast, AtMost, Below, Equal, Unequal};
        matches!(self, Equal | Unequal | Below | Above | AtMost | AtLeast)
    }

    /// As Verilog writes it.
    pub fn symbol(self) -> &'static str {
        let mut all = OPERATORS.iter().flat_map(|row| row.iter());
        all.find(|(_, operator)| *operator == self).map_or("", |(symbol, _)| symbol)
    }

    fn apply(self, left: u64, right: u64) -> u64 {
        match self {
            EventOperator::Or => u64::from(left != 0 || right != 0),
            EventOperator::And => u64::from(left != 0 && right != 0),
            EventOperator::BitOr => left | right,
            EventOperator::BitXor => left ^ right,
            EventOperator::BitAnd => left & right,
            EventOperator::Equal => u64::from(left == right),
            EventOperator::Unequal => u64::from(left != right),
            EventOperator::Below => u64::from(left < right),
            EventOperator::Above => u64::from(left > right),
            EventOperator::AtMost => u64::from(left <= right),
            EventOperator::AtLeast => u64::from(left >= right),
            EventOperator::Left => left.checked_shl(right as u32).unwrap_or(0),
            EventOperator::Right => left.checked_shr(right as u32).unwrap_or(0),
            EventOperator::Plus => left.wrapping_add(right),
            EventOperator::Minus => left.wrapping_sub(right),
            EventOperator::Times => left.wrapping_mul(right),
        }
    }
}
