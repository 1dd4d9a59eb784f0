// SPDX-License-Identifier: Apache-2.0
//! Declarations of events, read.

use super::expression::{EventExpression, Parser};
use super::EventError;

/// A line of a declaration.
pub enum DeclarationLine {
    Event(Declared),
    Valid {
        /// Signals whose elements have a meaning only under a condition.
        signals: Vec<String>,
        condition: EventExpression,
    },
    /// Signals that views show beside those of events; a module may lack those that are marked.
    Show(Vec<(String, bool)>),
}

pub struct Declared {
    pub kind: String,
    pub fields: Vec<(String, EventExpression)>,
    pub clauses: Vec<Clause>,
    pub text: Vec<Piece>,
}

pub enum Clause {
    For {
        variable: String,
        signal: String,
        /// Modules without the signal have no such event.
        is_optional: bool,
    },
    If(EventExpression),
}

/// A part of a text.
pub enum Piece {
    Plain(String),
    Value {
        expression: EventExpression,
        /// Names of its values, by number.
        names: Vec<String>,
    },
}

/// Name of the element in a condition of validity.
pub const ELEMENT: &str = "i";

impl DeclarationLine {
    pub fn parse(line: &str) -> Result<DeclarationLine, EventError> {
        parse(line).map_err(|problem| EventError(format!("{line}: {problem}")))
    }
}

fn parse(line: &str) -> Result<DeclarationLine, String> {
    if let Some(rest) = line.strip_prefix("valid ") {
        let (signals, condition) = rest.split_once(" if ").ok_or("a line `valid` has one `if`")?;
        let signals = signals.split_whitespace().map(String::from).collect();
        let mut parser = Parser::new(condition)?;
        let condition = parser.expression()?;
        parser.end()?;
        return Ok(DeclarationLine::Valid { signals, condition });
    }
    if let Some(signals) = line.strip_prefix("show ") {
        let shown = signals.split_whitespace().map(|name| match name.strip_suffix('?') {
            Some(name) => (name.to_string(), true),
            None => (name.to_string(), false),
        });
        return Ok(DeclarationLine::Show(shown.collect()));
    }
    let (head, text) = line.split_once(": ").ok_or("there is no `: ` before a text")?;
    let mut parser = Parser::new(head)?;
    let kind = parser.name()?;
    let mut fields = vec![];
    if parser.takes("(") {
        while !parser.takes(")") {
            let name = parser.name()?;
            parser.expect("=")?;
            fields.push((name, parser.expression()?));
            if !parser.takes(",") {
                parser.expect(")")?;
                break;
            }
        }
    }
    let mut clauses = vec![];
    loop {
        if parser.takes("for") {
            let variable = parser.name()?;
            parser.expect("in")?;
            let signal = parser.path()?;
            clauses.push(Clause::For { variable, signal, is_optional: parser.takes("?") });
        } else if parser.takes("if") {
            clauses.push(Clause::If(parser.expression()?));
        } else {
            parser.end()?;
            break;
        }
    }
    Ok(DeclarationLine::Event(Declared { kind, fields, clauses, text: pieces(text)? }))
}

fn pieces(text: &str) -> Result<Vec<Piece>, String> {
    let mut pieces = vec![];
    let mut rest = text;
    while let Some((plain, behind)) = rest.split_once('{') {
        let (value, behind) = behind.split_once('}').ok_or("a `{` of the text has no `}`")?;
        if !plain.is_empty() {
            pieces.push(Piece::Plain(plain.into()));
        }
        let (value, names) = value.split_once(':').unwrap_or((value, ""));
        let names = names.split(',').filter(|name| !name.is_empty()).map(String::from).collect();
        let mut parser = Parser::new(value)?;
        let expression = parser.expression()?;
        parser.end()?;
        pieces.push(Piece::Value { expression, names });
        rest = behind;
    }
    if !rest.is_empty() {
        pieces.push(Piece::Plain(rest.into()));
    }
    Ok(pieces)
}
