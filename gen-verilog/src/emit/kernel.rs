//! From a kernel's syntax tree to statements: loops unrolled, names resolved, widths settled.

use num_bigint::{BigInt, BigUint};
use rust_hdl::core::ast::{
    VerilogBlock, VerilogBlockOrConditional, VerilogConditional, VerilogExpression as Tree, VerilogLink,
    VerilogLinkDetails, VerilogMatch, VerilogOp, VerilogOpUnary, VerilogStatement,
};

use super::error::{EmitError, Result};
use super::expression::{Binary, Expression, Kind, Unary};
use super::index::{self, LoopVariable};
use super::scope::literal;
use super::signals::{SignalId, Signals};

#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    Assign {
        target: SignalId,
        part: Part,
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
}

impl Statement {
    /// Calls `read` for every signal that the statement reads, constants included.
    pub fn reads(&self, read: &mut impl FnMut(SignalId)) {
        match self {
            Statement::Assign { part, value, .. } => {
                value.reads(read);
                if let Part::Bit(index) = part {
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
        }
    }
}

/// A place in the order in which the kernel runs.
pub type Position = usize;

/// What of a signal an assignment changes.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    Whole,
    /// Bits from `low` up, as many as the value has.
    Bits {
        low: usize,
    },
    /// The bit that an expression selects.
    Bit(Expression),
}

/// Translates a kernel.
pub fn statements(signals: &Signals, kernel: &VerilogBlock) -> Result<Vec<Statement>> {
    let mut translator = Translator { signals, loops: vec![], at: 0 };
    let mut statements = vec![];
    translator.block(kernel, &mut statements)?;
    Ok(statements)
}

struct Translator<'a> {
    signals: &'a Signals,
    loops: Vec<LoopVariable>,
    at: Position,
}

impl Translator<'_> {
    fn block(&mut self, block: &VerilogBlock, to: &mut Vec<Statement>) -> Result<()> {
        block.iter().try_for_each(|statement| self.statement(statement, to))
    }

    fn statement(&mut self, statement: &VerilogStatement, to: &mut Vec<Statement>) -> Result<()> {
        match statement {
            VerilogStatement::Assignment(target, value) => self.assignment(target, value, to),
            VerilogStatement::SliceAssignment { base, width, offset, replacement } => {
                let target = self.target(base)?;
                let low = self.number(offset)?;
                let value = self.expression(replacement, *width)?;
                self.assign(target, Part::Bits { low }, value, to)
            }
            VerilogStatement::If(choice) => self.conditional(choice, to),
            VerilogStatement::Match(choice) => self.selection(choice, to),
            VerilogStatement::Loop(each) => {
                for value in each.from.as_usize()..each.to.as_usize() {
                    self.loops.push(LoopVariable { name: each.index.clone(), value });
                    let result = self.block(&each.block, to);
                    self.loops.pop();
                    result?;
                }
                Ok(())
            }
            VerilogStatement::Comment(_) => Ok(()),
            VerilogStatement::Link(links) => links.iter().try_for_each(|link| self.link(link, to)),
            VerilogStatement::Macro(block) => self.block(block, to),
        }
    }

    fn assignment(&mut self, target: &Tree, value: &Tree, to: &mut Vec<Statement>) -> Result<()> {
        let target = self.target(target)?;
        if let Tree::IndexReplace(base, index, bit) = peel(value) {
            if matches!(peel(base), Tree::Signal(path) if self.find(path)? == Some(target)) {
                let part = match self.constant(index) {
                    Some(low) => Part::Bits { low: self.position(&low)? },
                    None => Part::Bit(self.bit_index(index, self.signals[target].width)?),
                };
                let bit = self.expression(bit, 1)?;
                return self.assign(target, part, bit, to);
            }
        }
        let value = self
            .expression(value, self.signals[target].width)
            .map_err(|error| self.in_assignment(target, error))?;
        self.assign(target, Part::Whole, value, to)
    }

    fn assign(
        &mut self,
        target: SignalId,
        part: Part,
        value: Expression,
        to: &mut Vec<Statement>,
    ) -> Result<()> {
        let width = self.signals[target].width;
        let part = match part {
            Part::Bits { low: 0 } if value.width == width => Part::Whole,
            Part::Bits { low } if low + value.width > width => {
                let name = &self.signals[target].name;
                return Err(self.error(format!("{name} has {width} bits, none at {low}")));
            }
            part => part,
        };
        to.push(Statement::Assign { target, part, value, at: self.next_position() });
        Ok(())
    }

    fn conditional(&mut self, choice: &VerilogConditional, to: &mut Vec<Statement>) -> Result<()> {
        let condition = self.expression(&choice.test, 1)?;
        let otherwise = |this: &mut Self, to: &mut Vec<Statement>| match &choice.otherwise {
            VerilogBlockOrConditional::Block(block) => this.block(block, to),
            VerilogBlockOrConditional::Conditional(statement) => this.statement(statement, to),
            VerilogBlockOrConditional::None => Ok(()),
        };
        if let Some(value) = condition.constant(self.signals) {
            return match value == BigUint::default() {
                true => otherwise(self, to),
                false => self.block(&choice.then, to),
            };
        }
        let at = self.next_position();
        let (mut then, mut rest) = (vec![], vec![]);
        self.block(&choice.then, &mut then)?;
        otherwise(self, &mut rest)?;
        to.push(Statement::If { condition, at, then, otherwise: rest });
        Ok(())
    }

    fn selection(&mut self, choice: &VerilogMatch, to: &mut Vec<Statement>) -> Result<()> {
        let selector = self.sized(&choice.test, "matched on")?;
        let at = self.next_position();
        let mut arms = vec![];
        for case in &choice.cases {
            // Rust's match is exhaustive, so the last arm stands for all that is left.
            let label = match case.condition.as_str() {
                "default" => Expression::literal(0u32, selector.width),
                "true" => Expression::literal(1u32, 1),
                "false" => Expression::literal(0u32, 1),
                label => match (label.parse::<u64>(), self.signals.find(label)) {
                    (Ok(number), _) => Expression::literal(number, selector.width),
                    (_, Some(variant)) => Expression::signal(self.signals, variant),
                    _ => return Err(self.error(format!("the pattern {label} is not known"))),
                },
            };
            let mut body = vec![];
            self.block(&case.block, &mut body)?;
            arms.push((label, body));
            if case.condition == "default" {
                break;
            }
        }
        to.push(Statement::Case { selector, at, arms });
        Ok(())
    }

    fn link(&mut self, link: &VerilogLink, to: &mut Vec<Statement>) -> Result<()> {
        let path = |owner: &str, details: &VerilogLinkDetails| {
            Tree::Signal(format!("{owner}{}", details.my_name.replace('.', "$")))
        };
        let (target, source) = match link {
            VerilogLink::Forward(link) => (path(&link.other_name, link), path(&link.owner_name, link)),
            VerilogLink::Backward(link) => (path(&link.owner_name, link), path(&link.other_name, link)),
            VerilogLink::Bidirectional(link) => {
                return Err(self.error(format!("{} is bidirectional", link.owner_name)))
            }
        };
        self.assignment(&target, &source, to)
    }

    /// Translates a value that must have this width; literals take it.
    fn expression(&self, tree: &Tree, width: usize) -> Result<Expression> {
        if let Some(value) = self.constant(tree) {
            return self.sized_literal(&value, width);
        }
        let expression = match peel(tree) {
            Tree::Signal(path) => {
                let id = self.find(path)?.ok_or_else(|| self.unknown(path))?;
                Expression::signal(self.signals, id)
            }
            Tree::Literal(value) => Expression::literal(literal(value).0, 1),
            Tree::Cast(value, bits) => self.cast(value, *bits)?,
            Tree::Binary(left, operator, right) => self.binary(left, operator, right, width)?,
            Tree::Unary(operator, operand) => match operator {
                VerilogOpUnary::Not => Expression::unary(Unary::Not, self.expression(operand, width)?),
                VerilogOpUnary::All => Expression::unary(Unary::All, self.sized(operand, "reduced")?),
                VerilogOpUnary::Any => Expression::unary(Unary::Any, self.sized(operand, "reduced")?),
                VerilogOpUnary::Xor => Expression::unary(Unary::Parity, self.sized(operand, "reduced")?),
                VerilogOpUnary::Neg => return Err(self.signed()),
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
            Tree::Signed(_) | Tree::Unsigned(_) => return Err(self.signed()),
            Tree::Paren(_) => unreachable!("parentheses are peeled"),
        };
        if expression.width != width {
            let text = expression.text(self.signals);
            let found = expression.width;
            return Err(self.error(format!("{text} has {found} bits where {width} are needed")));
        }
        Ok(expression)
    }

    /// Translates a value that brings its own width.
    fn sized(&self, tree: &Tree, fate: &str) -> Result<Expression> {
        match self.width(tree)? {
            Some(width) => self.expression(tree, width),
            None => Err(self.error(format!("a literal without a width is {fate}"))),
        }
    }

    /// The width that a value brings with it; none for numbers.
    fn width(&self, tree: &Tree) -> Result<Option<usize>> {
        Ok(match peel(tree) {
            _ if self.constant(tree).is_some() => None,
            Tree::Signal(path) => match self.find(path)? {
                Some(id) => Some(self.signals[id].width),
                None => return Err(self.unknown(path)),
            },
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

    fn cast(&self, value: &Tree, bits: usize) -> Result<Expression> {
        if let Some(value) = self.constant(value) {
            return self.sized_literal(&value, bits);
        }
        let value = self.sized(value, "cast")?;
        if value.width <= bits {
            return Ok(value.widen(bits));
        }
        value.slice(0, bits).ok_or_else(|| self.needs_local(&value))
    }

    fn binary(&self, left: &Tree, operator: &VerilogOp, right: &Tree, width: usize) -> Result<Expression> {
        let (operator, left, right) = match operation(operator) {
            Operation::Compare(operator) => {
                let operands = match self.width(left)?.max(self.width(right)?) {
                    Some(width) => width,
                    None => {
                        let values = self.constant(left).zip(self.constant(right));
                        let (left, right) = values.expect("operands without a width are numbers");
                        let holds = compare(operator, &left, &right);
                        return Ok(Expression::literal(holds as u32, 1));
                    }
                };
                (operator, self.expression(left, operands)?, self.expression(right, operands)?)
            }
            Operation::Shift(operator) => {
                let amount = match self.constant(right) {
                    Some(amount) => {
                        let amount = self.position(&amount)?;
                        Expression::literal(amount, bits_for(amount))
                    }
                    None => self.sized(right, "an amount")?,
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
    fn bits(&self, value: Expression, offset: &Tree, bits: usize) -> Result<Expression> {
        let width = value.width;
        if let Some(low) = self.constant(offset) {
            let low = self.position(&low)?;
            if low >= width {
                let text = value.text(self.signals);
                return Err(self.error(format!("{text} has {width} bits, none at {low}")));
            }
            let taken = bits.min(width - low);
            let slice = value.slice(low, taken).ok_or_else(|| self.needs_local(&value))?;
            return Ok(slice.widen(bits));
        }
        let Kind::Signal(id) = value.kind else { return Err(self.needs_local(&value)) };
        if width == 1 && bits == 1 {
            return Ok(value);
        }
        if bits == 1 {
            let index = self.bit_index(offset, width)?;
            return Ok(Expression { width: 1, kind: Kind::Bit(id, Box::new(index)) });
        }
        let offset = self.sized(offset, "an offset")?;
        let last = (1usize << offset.width.min(32)) - 1;
        if last + bits > width {
            let name = &self.signals[id].name;
            return Err(self.error(format!(
                "{bits} bits of {name} from a signal's value up may pass its end: shift {name} into a \
                 Local and take its low bits"
            )));
        }
        Ok(Expression { width: bits, kind: Kind::Window(id, Box::new(offset)) })
    }

    /// An index into `width` bits, as wide as it needs to be.
    fn bit_index(&self, index: &Tree, width: usize) -> Result<Expression> {
        let index = self.sized(index, "an index")?;
        let needed = bits_for(width - 1);
        if index.width <= needed {
            return Ok(index.widen(needed));
        }
        index.slice(0, needed).ok_or_else(|| self.needs_local(&index))
    }

    fn replace_bit(&self, value: &Tree, index: &Tree, bit: &Tree, width: usize) -> Result<Expression> {
        let value = self.expression(value, width)?;
        let bit = self.expression(bit, 1)?;
        let index = match self.constant(index) {
            None => self.sized(index, "an index")?,
            Some(index) => {
                let index = self.position(&index)?;
                if index >= width {
                    return Err(self.error(format!("bit {index} of {width} bits is replaced")));
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

    /// A number made of literals and loop variables.
    fn constant(&self, tree: &Tree) -> Option<BigInt> {
        match peel(tree) {
            Tree::Literal(number) => match literal(number) {
                (_, 1) => None,
                (value, _) => Some(value.into()),
            },
            Tree::Signal(name) => {
                let variable = self.loops.iter().rev().find(|variable| variable.name == *name)?;
                Some(variable.value.into())
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

    fn sized_literal(&self, value: &BigInt, width: usize) -> Result<Expression> {
        match BigUint::try_from(value.clone()) {
            Ok(value) if value.bits() <= width as u64 => Ok(Expression::literal(value, width)),
            _ => Err(self.error(format!("{value} does not fit into {width} bits"))),
        }
    }

    /// A bit position given by a constant.
    fn position(&self, value: &BigInt) -> Result<usize> {
        usize::try_from(value.clone()).map_err(|_| self.error(format!("there is no bit {value}")))
    }

    fn number(&self, tree: &Tree) -> Result<usize> {
        match self.constant(tree) {
            Some(value) => self.position(&value),
            None => Err(self.error("an offset is not a number".to_string())),
        }
    }

    fn target(&self, tree: &Tree) -> Result<SignalId> {
        let Tree::Signal(path) = peel(tree) else {
            return Err(self.error("an assignment drives a signal".to_string()));
        };
        let id = self.find(path)?.ok_or_else(|| self.unknown(path))?;
        let signal = &self.signals[id];
        if !signal.is_assigned() {
            let (module, signal) = (self.signals.module.clone(), signal.name.clone());
            return Err(EmitError::NotAssignable { module, signal });
        }
        Ok(id)
    }

    fn find(&self, path: &str) -> Result<Option<SignalId>> {
        let resolved =
            index::resolve(path, &self.loops).map_err(|problem| self.error(format!("{path}: {problem}")))?;
        Ok(self.signals.find(&resolved))
    }

    fn next_position(&mut self) -> Position {
        self.at += 1;
        self.at
    }

    fn error(&self, problem: String) -> EmitError {
        EmitError::Kernel { module: self.signals.module.clone(), problem }
    }

    fn unknown(&self, path: &str) -> EmitError {
        let loops = self.loops.iter().map(|variable| format!(", {} = {}", variable.name, variable.value));
        let path = path.replace('$', ".");
        self.error(format!("there is no signal {path}{}", loops.collect::<String>()))
    }

    fn signed(&self) -> EmitError {
        self.error("signed values are not translated: use Bits".to_string())
    }

    fn needs_local(&self, value: &Expression) -> EmitError {
        let text = value.text(self.signals);
        self.error(format!("bits cannot be taken of ({text}): assign it to a Local first"))
    }

    fn in_assignment(&self, target: SignalId, error: EmitError) -> EmitError {
        match error {
            EmitError::Kernel { module, problem } => {
                let target = &self.signals[target].name;
                EmitError::Kernel { module, problem: format!("{target}: {problem}") }
            }
            error => error,
        }
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

fn peel(tree: &Tree) -> &Tree {
    match tree {
        Tree::Paren(inner) => peel(inner),
        tree => tree,
    }
}
