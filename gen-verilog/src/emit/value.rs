// SPDX-License-Identifier: Apache-2.0
//! From a kernel's expressions to [`Expression`]s: names resolved, widths settled.

use num_bigint::{BigInt, BigUint};
use rust_hdl::ast::{VerilogExpression as Tree, VerilogOp, VerilogOpUnary};

use super::error::EmitError;
use super::expression::{Binary, Expression, Kind, Unary};
use super::index::{Index, IndexOperator};
use super::scope::literal;
use super::translator::{peel, Stop, Translation, Translator};

impl Translator<'_> {
    /// Translates a value that must have this width; literals take it.
    pub(super) fn expression(&self, tree: &Tree, width: usize) -> Translation<Expression> {
        if let Some(value) = self.constant(tree) {
            return self.sized_literal(&value, width);
        }
        if let Some(index) = self.index(tree) {
            return self.counted(index, width);
        }
        let expression = match peel(tree) {
            Tree::Signal(path) => Expression::signal(self.signals, self.find(path)?),
            Tree::Literal(value) => Expression::literal(literal(value).0, 1),
            Tree::Cast(value, bits) => self.cast(value, *bits)?,
            Tree::Binary(left, operator, right) => self.binary(left, operator, right, width)?,
            Tree::Unary(operator, operand) => match operator {
                VerilogOpUnary::Not => Expression::unary(Unary::Not, self.expression(operand, width)?),
                VerilogOpUnary::All => Expression::unary(Unary::All, self.sized(operand, "reduced")?),
                VerilogOpUnary::Any => Expression::unary(Unary::Any, self.sized(operand, "reduced")?),
                VerilogOpUnary::Xor => Expression::unary(Unary::Parity, self.sized(operand, "reduced")?),
                VerilogOpUnary::Neg => return Err(self.signed().into()),
            },
            Tree::Index(value, index) => {
                let value = self.sized(value, "cut into bits")?;
                self.bits(value, index, 1)?
            }
            Tree::Slice(value, bits, offset) => {
                let value = self.sized(value, "cut into bits")?;
                self.bits(value, offset, *bits)?
            }
            Tree::IndexReplace(value, index, bit) => self.replace_bit(value, index, bit, width)?,
            Tree::Signed(_) | Tree::Unsigned(_) => return Err(self.signed().into()),
            Tree::Paren(_) => unreachable!("parentheses are peeled"),
        };
        if expression.width != width {
            let text = expression.text(self.signals);
            let found = expression.width;
            let problem = format!("{text} has {found} bits where {width} are needed");
            return Err(self.error(problem).into());
        }
        Ok(expression)
    }

    /// Translates a value that brings its own width.
    pub(super) fn sized(&self, tree: &Tree, fate: &str) -> Translation<Expression> {
        match self.width(tree)? {
            Some(width) => self.expression(tree, width),
            None => match self.index(tree) {
                Some(index) => Err(self.written_out(&index)),
                None => Err(self.error(format!("a literal without a width is {fate}")).into()),
            },
        }
    }

    /// The width that a value brings with it; none for numbers.
    fn width(&self, tree: &Tree) -> Translation<Option<usize>> {
        Ok(match peel(tree) {
            _ if self.constant(tree).is_some() || self.index(tree).is_some() => None,
            Tree::Signal(path) => Some(self.signals[self.find(path)?.vector].width),
            Tree::Literal(_) => Some(1),
            Tree::Cast(_, bits) | Tree::Slice(_, bits, _) => Some(*bits),
            Tree::Binary(left, operator, right) => match operation(operator) {
                Operation::Compare(_) => Some(1),
                Operation::Shift(_) => self.width(left)?,
                // Rust's product is as wide as both factors together.
                Operation::Combine(Binary::Mul) => {
                    self.width(left)?.zip(self.width(right)?).map(|(left, right)| left + right)
                }
                Operation::Combine(_) => self.width(left)?.max(self.width(right)?),
            },
            Tree::Unary(VerilogOpUnary::Not | VerilogOpUnary::Neg, operand) => self.width(operand)?,
            Tree::Unary(..) | Tree::Index(..) => Some(1),
            Tree::IndexReplace(value, ..) | Tree::Signed(value) | Tree::Unsigned(value) => {
                self.width(value)?
            }
            Tree::Paren(_) => unreachable!("parentheses are peeled"),
        })
    }

    fn cast(&self, value: &Tree, bits: usize) -> Translation<Expression> {
        if let Some(value) = self.constant(value) {
            return self.sized_literal(&value, bits);
        }
        if let Some(index) = self.index(value) {
            return self.counted(index, bits);
        }
        let value = self.sized(value, "cast")?;
        if value.width <= bits {
            return Ok(value.widen(bits));
        }
        value.slice(0, bits).ok_or_else(|| self.needs_local(&value).into())
    }

    fn binary(
        &self,
        left: &Tree,
        operator: &VerilogOp,
        right: &Tree,
        width: usize,
    ) -> Translation<Expression> {
        let (operator, left, right) = match operation(operator) {
            Operation::Compare(operator) => {
                let operands = match self.width(left)?.max(self.width(right)?) {
                    Some(width) => width,
                    None => return self.compared_numbers(left, operator, right),
                };
                (operator, self.expression(left, operands)?, self.expression(right, operands)?)
            }
            Operation::Shift(operator) => {
                let amount = match self.constant(right) {
                    Some(amount) => {
                        let amount = self.position(&amount)?;
                        Expression::literal(amount, bits_for(amount))
                    }
                    None => match self.index(right) {
                        Some(index) => self.index_number(index)?,
                        None => self.sized(right, "an amount")?,
                    },
                };
                (operator, self.expression(left, width)?, amount)
            }
            Operation::Combine(Binary::Mul) => {
                let (left, right) = (self.sized(left, "multiplied")?, self.sized(right, "multiplied")?);
                let width = left.width + right.width;
                (Binary::Mul, left.widen(width), right.widen(width))
            }
            Operation::Combine(operator) => {
                let left = self.expression(left, width)?;
                // Rust adds a Bit to Bits: a carry.
                let right = match self.width(right)? {
                    Some(1) if operator == Binary::Add => self.expression(right, 1)?.widen(width),
                    _ => self.expression(right, width)?,
                };
                (operator, left, right)
            }
        };
        Ok(Expression::binary(operator, left, right))
    }

    /// `bits` bits of a value; zeros beyond its end, as Rust has them.
    fn bits(&self, value: Expression, offset: &Tree, bits: usize) -> Translation<Expression> {
        let width = value.width;
        if let Some(low) = self.constant(offset) {
            let low = self.position(&low)?;
            if low >= width {
                let text = value.text(self.signals);
                return Err(self.error(format!("{text} has {width} bits, none at {low}")).into());
            }
            let taken = bits.min(width - low);
            let slice = value.slice(low, taken).ok_or_else(|| Stop::from(self.needs_local(&value)))?;
            return Ok(slice.widen(bits));
        }
        if let Some(low) = self.index(offset) {
            let (least, most) = self.bounds(&low);
            return match value.kind {
                Kind::Signal(element) if 0 <= least && most + bits as i64 <= width as i64 => {
                    Ok(Expression { width: bits, kind: Kind::Part(element, low) })
                }
                _ => Err(self.written_out(&low)),
            };
        }
        let Kind::Signal(element) = &value.kind else { return Err(self.needs_local(&value).into()) };
        if width == 1 && bits == 1 {
            return Ok(value);
        }
        let element = element.clone();
        if bits == 1 {
            let index = self.bit_index(offset, width)?;
            return Ok(Expression { width: 1, kind: Kind::Bit(element, Box::new(index)) });
        }
        let offset = self.sized(offset, "an offset")?;
        let last = (1usize << offset.width.min(32)) - 1;
        if last + bits > width {
            let name = &self.signals[element.vector].name;
            return Err(self
                .error(format!(
                    "{bits} bits of {name} from a signal's value up may pass its end: shift {name} into a \
                 Local and take its low bits"
                ))
                .into());
        }
        Ok(Expression { width: bits, kind: Kind::Window(element, Box::new(offset)) })
    }

    /// An index into `width` bits, as wide as it needs to be.
    pub(super) fn bit_index(&self, index: &Tree, width: usize) -> Translation<Expression> {
        let index = self.sized(index, "an index")?;
        let needed = bits_for(width - 1);
        if index.width <= needed {
            return Ok(index.widen(needed));
        }
        index.slice(0, needed).ok_or_else(|| self.needs_local(&index).into())
    }

    fn replace_bit(&self, value: &Tree, index: &Tree, bit: &Tree, width: usize) -> Translation<Expression> {
        let value = self.expression(value, width)?;
        let bit = self.expression(bit, 1)?;
        let index = match (self.constant(index), self.index(index)) {
            (None, None) => self.sized(index, "an index")?,
            (None, Some(index)) => match self.bounds(&index) {
                (0.., most) if most < width as i64 => Expression::number(index),
                _ => return Err(self.written_out(&index)),
            },
            (Some(index), _) => {
                let index = self.position(&index)?;
                if index >= width {
                    return Err(self.error(format!("bit {index} of {width} bits is replaced")).into());
                }
                let above = match width - index - 1 {
                    0 => Some(vec![]),
                    above => value.slice(index + 1, above).map(|part| vec![part]),
                };
                let below = match index {
                    0 => Some(vec![]),
                    below => value.slice(0, below).map(|part| vec![part]),
                };
                if let (Some(above), Some(below)) = (above, below) {
                    let parts = above.into_iter().chain([bit]).chain(below).collect();
                    return Ok(Expression { width, kind: Kind::Concatenation(parts) });
                }
                Expression::literal(index, bits_for(index))
            }
        };
        let shifted = |value: Expression| Expression::binary(Binary::ShiftLeft, value, index.clone());
        let mask = shifted(Expression::literal(1u32, width));
        let cleared = Expression::binary(Binary::And, value, Expression::unary(Unary::Not, mask));
        Ok(Expression::binary(Binary::Or, cleared, shifted(bit.widen(width))))
    }

    /// A number made of literals, and of loop variables that have one value.
    pub(super) fn constant(&self, tree: &Tree) -> Option<BigInt> {
        match peel(tree) {
            Tree::Literal(number) => match literal(number) {
                (_, 1) => None,
                (value, _) => Some(value.into()),
            },
            Tree::Signal(name) => {
                let variable = self.loops.iter().rev().find(|variable| variable.name == *name)?;
                (variable.least == variable.most).then(|| variable.least.into())
            }
            Tree::Binary(left, operator, right) => {
                let (left, right) = (self.constant(left)?, self.constant(right)?);
                match operator {
                    VerilogOp::Add => Some(left + right),
                    VerilogOp::Sub => Some(left - right),
                    VerilogOp::Mul => Some(left * right),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn sized_literal(&self, value: &BigInt, width: usize) -> Translation<Expression> {
        match BigUint::try_from(value.clone()) {
            Ok(value) if value.bits() <= width as u64 => Ok(Expression::literal(value, width)),
            _ => Err(self.error(format!("{value} does not fit into {width} bits")).into()),
        }
    }

    /// A bit position given by a constant.
    pub(super) fn position(&self, value: &BigInt) -> Translation<usize> {
        usize::try_from(value.clone()).map_err(|_| self.error(format!("there is no bit {value}")).into())
    }

    pub(super) fn number(&self, tree: &Tree) -> Translation<usize> {
        match self.constant(tree) {
            Some(value) => self.position(&value),
            None => match self.index(tree) {
                Some(index) => Err(self.written_out(&index)),
                None => Err(self.error("an offset is not a number".to_string()).into()),
            },
        }
    }

    /// A number that loop variables with several values make.
    pub(super) fn index(&self, tree: &Tree) -> Option<Index> {
        let index = self.arithmetic(tree)?;
        index.variable().is_some().then_some(index)
    }

    fn arithmetic(&self, tree: &Tree) -> Option<Index> {
        if let Some(value) = self.constant(tree) {
            return i64::try_from(value).ok().map(Index::Number);
        }
        match peel(tree) {
            Tree::Signal(name) => self
                .loops
                .iter()
                .any(|variable| variable.name == *name)
                .then(|| Index::Variable(name.to_string())),
            Tree::Binary(left, operator, right) => {
                let operator = match operator {
                    VerilogOp::Add => IndexOperator::Add,
                    VerilogOp::Sub => IndexOperator::Sub,
                    VerilogOp::Mul => IndexOperator::Mul,
                    _ => return None,
                };
                Some(Index::combined(self.arithmetic(left)?, operator, self.arithmetic(right)?))
            }
            _ => None,
        }
    }

    /// As an operand of its own, which is no signal's width.
    fn index_number(&self, index: Index) -> Translation<Expression> {
        match self.bounds(&index) {
            (0.., _) => Ok(Expression::number(index)),
            _ => Err(self.written_out(&index)),
        }
    }

    /// As a value of this width, if it has room for it in every turn.
    fn counted(&self, index: Index, width: usize) -> Translation<Expression> {
        match self.bounds(&index) {
            (0.., most) if width <= 32 && most < 1 << width => {
                Ok(Expression { width, kind: Kind::Counted(index) })
            }
            _ => Err(self.written_out(&index)),
        }
    }

    fn compared_numbers(&self, left: &Tree, operator: Binary, right: &Tree) -> Translation<Expression> {
        if let (Some(left), Some(right)) = (self.constant(left), self.constant(right)) {
            return Ok(Expression::literal(compare(operator, &left, &right) as u32, 1));
        }
        let number = |tree: &Tree| {
            let index =
                self.arithmetic(tree).ok_or_else(|| self.error("a number is too large".to_string()))?;
            self.index_number(index)
        };
        Ok(Expression::binary(operator, number(left)?, number(right)?))
    }

    fn signed(&self) -> EmitError {
        self.error("signed values are not translated: use Bits".to_string())
    }

    fn needs_local(&self, value: &Expression) -> EmitError {
        let text = value.text(self.signals);
        self.error(format!("bits cannot be taken of ({text}): assign it to a Local first"))
    }
}

enum Operation {
    Combine(Binary),
    Shift(Binary),
    Compare(Binary),
}

fn operation(operator: &VerilogOp) -> Operation {
    match operator {
        VerilogOp::Add => Operation::Combine(Binary::Add),
        VerilogOp::Sub => Operation::Combine(Binary::Sub),
        VerilogOp::Mul => Operation::Combine(Binary::Mul),
        // On single bits, where Rust has `&&` and `||`, these are the same.
        VerilogOp::BitAnd | VerilogOp::LogicalAnd => Operation::Combine(Binary::And),
        VerilogOp::BitOr | VerilogOp::LogicalOr => Operation::Combine(Binary::Or),
        VerilogOp::BitXor => Operation::Combine(Binary::Xor),
        VerilogOp::Shl => Operation::Shift(Binary::ShiftLeft),
        VerilogOp::Shr => Operation::Shift(Binary::ShiftRight),
        VerilogOp::Eq => Operation::Compare(Binary::Equal),
        VerilogOp::Ne => Operation::Compare(Binary::NotEqual),
        VerilogOp::Lt => Operation::Compare(Binary::Less),
        VerilogOp::Le => Operation::Compare(Binary::LessEqual),
        VerilogOp::Gt => Operation::Compare(Binary::Greater),
        VerilogOp::Ge => Operation::Compare(Binary::GreaterEqual),
    }
}

fn compare(operator: Binary, left: &BigInt, right: &BigInt) -> bool {
    match operator {
        Binary::Equal => left == right,
        Binary::NotEqual => left != right,
        Binary::Less => left < right,
        Binary::LessEqual => left <= right,
        Binary::Greater => left > right,
        Binary::GreaterEqual => left >= right,
        _ => unreachable!("{operator:?} compares nothing"),
    }
}

/// Bits that a number takes, at least one.
fn bits_for(value: usize) -> usize {
    ((usize::BITS - value.leading_zeros()) as usize).max(1)
}
