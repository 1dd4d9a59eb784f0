// SPDX-License-Identifier: Apache-2.0
//! Expressions and statements as text.

use std::fmt::Write;

use super::expression::{Binary, Expression, Kind, Unary};
use super::index::Index;
use super::signals::{Element, Signals, Vector};
use super::statement::{AssignedPart, Statement};
use super::Language;

pub const IN_MEMORY: &str = "writing to a String never fails";

impl Expression {
    pub fn text(&self, signals: &Signals) -> String {
        let mut text = String::new();
        self.write(signals, false, &mut text);
        text
    }

    /// As Verilog; parenthesised where it stands `inside` of an operator.
    fn write(&self, signals: &Signals, inside: bool, text: &mut String) {
        match &self.kind {
            Kind::Literal(value) => {
                let digits = if self.width <= 32 { format!("d{value}") } else { format!("h{value:x}") };
                text.push_str(&format!("{}'{digits}", self.width));
            }
            Kind::Number(index) => text.push_str(&index.to_string()),
            Kind::Counted(index) => {
                let is_operation = matches!(index, Index::Operation(..));
                let value = counted(index, self.width);
                text.push_str(&if inside && is_operation { format!("({value})") } else { value });
            }
            Kind::Signal(element) => match number_of(signals, element) {
                Some(value) => Expression { width: self.width, kind: value }.write(signals, inside, text),
                None => text.push_str(&place(signals, element, &Index::of(0), self.width)),
            },
            // Verilog-2001 takes no part of a localparam.
            Kind::Part(element, low) => {
                match (element.known().and_then(|id| signals.constant(id)), low.number()) {
                    (Some(value), Some(low)) => {
                        let whole = Expression::literal(value, signals[element.vector].width);
                        let part = whole.slice(low as usize, self.width).expect("literals can be sliced");
                        part.write(signals, inside, text);
                    }
                    _ => text.push_str(&place(signals, element, low, self.width)),
                }
            }
            Kind::Bit(element, index) => text.push_str(&selected(signals, element, index, None)),
            Kind::Window(element, low) => {
                text.push_str(&selected(signals, element, low, Some(self.width)));
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
}

/// Arithmetic over loop variables at this width: what is beyond it does not change what is within.
fn counted(index: &Index, width: usize) -> String {
    let operand = |index: &Index| match index {
        Index::Operation(..) => format!("({})", counted(index, width)),
        _ => counted(index, width),
    };
    match index {
        Index::Number(number) => format!("{width}'d{}", number.rem_euclid(1 << width)),
        Index::Variable(name) if width == 32 => name.clone(),
        Index::Variable(name) if width == 1 => format!("{name}[0]"),
        Index::Variable(name) => format!("{name}[{}:0]", width - 1),
        Index::Operation(left, operator, right) => {
            format!("{} {} {}", operand(left), operator.symbol(), operand(right))
        }
    }
}

/// The number that stands instead of an element of a constant array.
fn number_of(signals: &Signals, element: &Element) -> Option<Kind> {
    let vector = &signals[element.vector];
    let value = signals.constant(element.known()?).filter(|_| vector.is_packed())?;
    Some(Kind::Literal(value))
}

/// `width` bits of an element from `low` up.
pub fn place(signals: &Signals, element: &Element, low: &Index, width: usize) -> String {
    let vector = &signals[element.vector];
    let name = &vector.name;
    if vector.is_packed() && vector.width > 1 && signals.language == Language::SystemVerilog {
        let bits = bits_from(low, width, vector.width);
        return format!("{name}[{}]{bits}", element.index);
    }
    let offset = element.index.clone().times(vector.width).plus(low.clone());
    let level = if vector.is_reset && signals.style.reset.is_low { "!" } else { "" };
    format!("{level}{name}{}", bits_from(&offset, width, vector.bits()))
}

/// `[7:4]`, `[3]`, `[i*4 +: 4]`, or nothing for all bits.
fn bits_from(low: &Index, width: usize, of: usize) -> String {
    match low.number() {
        _ if width == of => String::new(),
        _ if width == 1 => format!("[{low}]"),
        Some(number) => format!("[{}:{number}]", number as usize + width - 1),
        None => format!("[{low} +: {width}]"),
    }
}

/// A bit of an element that an expression selects, or several from there up.
fn selected(signals: &Signals, element: &Element, index: &Expression, width: Option<usize>) -> String {
    let vector = &signals[element.vector];
    let name = &vector.name;
    let (before, offset) = match (vector.is_packed(), signals.language) {
        (true, Language::SystemVerilog) if vector.width > 1 => (format!("[{}]", element.index), Index::of(0)),
        _ => (String::new(), element.index.clone().times(vector.width)),
    };
    let index = match offset.number() {
        Some(0) => index.text(signals),
        // As wide as the numbers that it is added to.
        _ => format!("{offset} + {}", index.clone().widen(index.width.max(32)).text(signals)),
    };
    match width {
        Some(width) => format!("{name}{before}[{index} +: {width}]"),
        None => format!("{name}{before}[{index}]"),
    }
}

/// `[7:0] name`, `[7*8-1:0] name`, `[6:0][7:0] name`.
pub fn declared(signals: &Signals, kind: &str, vector: &Vector) -> String {
    let Vector { name, count, width, .. } = vector;
    let range = match (vector.is_packed(), width, signals.language) {
        (false, 1, _) => String::new(),
        (false, ..) => format!("[{}:0] ", width - 1),
        (true, 1, _) => format!("[{}:0] ", count - 1),
        (true, _, Language::Verilog) => format!("[{count}*{width}-1:0] "),
        (true, _, Language::SystemVerilog) => format!("[{}:0][{}:0] ", count - 1, width - 1),
    };
    format!("{kind} {range}{name}")
}

/// The time at which assignments take effect: at once, or at the end of the clock edge.
#[derive(Clone, Copy, PartialEq)]
pub enum Assignment {
    Blocking,
    Nonblocking,
}

pub fn write_body(signals: &Signals, body: &[Statement], how: Assignment, depth: usize, text: &mut String) {
    let margin = "  ".repeat(depth);
    for statement in body {
        match statement {
            Statement::Assign { target, part, value, .. } => {
                let place = match part {
                    AssignedPart::Whole => {
                        place(signals, target, &Index::of(0), signals[target.vector].width)
                    }
                    AssignedPart::Bits { low } => place(signals, target, low, value.width),
                    AssignedPart::Bit(index) => selected(signals, target, index, None),
                };
                let sign = if how == Assignment::Blocking { "=" } else { "<=" };
                writeln!(text, "{margin}{place} {sign} {};", value.text(signals)).expect(IN_MEMORY);
            }
            Statement::If { condition, then, otherwise, .. } if then.is_empty() => {
                write!(text, "{margin}if ({})", opposite(condition).text(signals)).expect(IN_MEMORY);
                write_branch(signals, otherwise, how, depth, text);
            }
            Statement::If { condition, then, otherwise, .. } => {
                write!(text, "{margin}if ({})", condition.text(signals)).expect(IN_MEMORY);
                write_branch(signals, then, how, depth, text);
                if otherwise.is_empty() {
                    continue;
                }
                match matches!(then[..], [Statement::Assign { .. }]) {
                    true => text.push_str(&format!("{margin}else")),
                    false => {
                        text.truncate(text.trim_end().len());
                        text.push_str(" else");
                    }
                }
                if let [Statement::If { .. }] = otherwise[..] {
                    let mut chained = String::new();
                    write_body(signals, otherwise, how, depth, &mut chained);
                    write!(text, " {}", chained.trim_start()).expect(IN_MEMORY);
                } else {
                    write_branch(signals, otherwise, how, depth, text);
                }
            }
            Statement::Case { selector, arms, .. } => {
                writeln!(text, "{margin}case ({})", selector.text(signals)).expect(IN_MEMORY);
                for (number, (label, body)) in arms.iter().enumerate() {
                    // The last arm is for all that is left, whatever it is called.
                    let is_named = matches!(label.kind, Kind::Signal(_));
                    let label = match (number + 1 == arms.len(), is_named) {
                        (true, true) => format!("default /* {} */", label.text(signals)),
                        (true, false) => "default".to_string(),
                        (false, _) => label.text(signals),
                    };
                    write!(text, "{margin}  {label}:").expect(IN_MEMORY);
                    match body.is_empty() {
                        true => text.push_str(" ;\n"),
                        false => write_branch(signals, body, how, depth + 1, text),
                    }
                }
                writeln!(text, "{margin}endcase").expect(IN_MEMORY);
            }
            Statement::For { variable, from, to, body } => {
                let header =
                    format!("for ({variable} = {from}; {variable} < {to}; {variable} = {variable} + 1)");
                write!(text, "{margin}{header}").expect(IN_MEMORY);
                if let [Statement::For { .. }] = body[..] {
                    text.push('\n');
                    write_body(signals, body, how, depth + 1, text);
                } else {
                    write_branch(signals, body, how, depth, text);
                }
            }
        }
    }
}

/// The condition that holds where another does not.
fn opposite(condition: &Expression) -> Expression {
    match &condition.kind {
        Kind::Binary(Binary::Equal, left, right) => {
            Expression::binary(Binary::NotEqual, (**left).clone(), (**right).clone())
        }
        Kind::Binary(Binary::NotEqual, left, right) => {
            Expression::binary(Binary::Equal, (**left).clone(), (**right).clone())
        }
        Kind::Unary(Unary::Not, operand) => (**operand).clone(),
        _ => Expression::unary(Unary::Not, condition.clone()),
    }
}

/// One assignment stands on the line of its condition; all else in a block of its own.
fn write_branch(signals: &Signals, body: &[Statement], how: Assignment, depth: usize, text: &mut String) {
    if let [Statement::Assign { .. }] = body {
        text.push(' ');
        return write_body(signals, body, how, 0, text);
    }
    text.push_str(" begin\n");
    write_body(signals, body, how, depth + 1, text);
    writeln!(text, "{}end", "  ".repeat(depth)).expect(IN_MEMORY);
}

/// The loop variables of statements, in the order of their loops.
pub fn variables(body: &[Statement]) -> Vec<String> {
    fn walk(body: &[Statement], found: &mut Vec<String>) {
        for statement in body {
            match statement {
                Statement::Assign { .. } => {}
                Statement::If { then, otherwise, .. } => {
                    walk(then, found);
                    walk(otherwise, found);
                }
                Statement::Case { arms, .. } => arms.iter().for_each(|(_, body)| walk(body, found)),
                Statement::For { variable, body, .. } => {
                    if !found.contains(variable) {
                        found.push(variable.clone());
                    }
                    walk(body, found);
                }
            }
        }
    }
    let mut found = vec![];
    walk(body, &mut found);
    found
}

/// Loop variables that some path through the statements leaves alone: synthesis would see latches.
pub fn skipped(body: &[Statement]) -> Vec<String> {
    fn always(body: &[Statement], found: &mut Vec<String>) {
        for statement in body {
            if let Statement::For { variable, body, .. } = statement {
                found.push(variable.clone());
                always(body, found);
            }
        }
    }
    let mut reached = vec![];
    always(body, &mut reached);
    let mut all = variables(body);
    all.retain(|variable| !reached.contains(variable));
    all
}

/// Returns true if a literal is all zeros or all ones, whatever its width.
pub fn is_number(expression: &Expression, signals: &Signals, number: u32) -> bool {
    expression.constant(signals) == Some(number.into())
}

/// An expression that reads well where it is used: a signal of its own or a number.
pub fn is_plain(expression: &Expression) -> bool {
    matches!(expression.kind, Kind::Signal(_) | Kind::Literal(_))
}
