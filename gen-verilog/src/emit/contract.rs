// SPDX-License-Identifier: Apache-2.0
//! Contracts of modules as checks in their Verilog, for simulation.
//!
//! The hardware declares it beside the module ([`gpurf_hw::dialect::Watch`]), as an event of the kind
//! `misuse` or `fault` that never happens. Lines about what the module's text names are checked in Verilog;
//! compiled RTL knows all of them.

use std::fmt::Write;

use gpurf_hw::dialect::Watch;

use crate::events::{
    is_of_contract, Clause, DeclarationLine, Declared, EventExpression, EventOperator, Piece,
};

use super::lines::comment;
use super::scope::Scope;
use super::signals::{Role, Signals, Vector, RESET};
use super::text::IN_MEMORY;
use super::Language;

/// A rule of a module's contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContractRule {
    /// Whoever drives the module owes it; else the module does.
    pub is_of_driver: bool,
    /// The rule in words, with values in braces.
    pub text: String,
    /// When it does happen, as a condition over the module's signals.
    pub broken: String,
}

/// The lines of a module's contract.
fn lines(scope: &Scope) -> Vec<(Declared, &'static str)> {
    let own = Watch::all().filter(|watch| watch.module == scope.identity.module);
    let lines = own.flat_map(|watch| watch.lines).filter_map(|line| match DeclarationLine::parse(line) {
        Ok(DeclarationLine::Event(declared)) if is_of_contract(&declared.kind) => {
            Some((declared, line.split_once(": ").map_or("", |(_, text)| text)))
        }
        _ => None,
    });
    lines.collect()
}

fn is_clocked(signals: &Signals) -> bool {
    signals.vectors.iter().any(|vector| vector.is_clock && vector.role == Role::Input)
}

/// The rules of a module.
pub fn rules(scope: &Scope, signals: &Signals, code: &str) -> Vec<ContractRule> {
    let lines = lines(scope);
    let rule = |(declared, text): &(Declared, &str)| Check { signals, declared, code }.rule(text);
    lines.iter().filter_map(rule).collect()
}

/// The checks of a module whose text is this, or nothing.
pub fn text(scope: &Scope, signals: &Signals, code: &str) -> String {
    let lines = if is_clocked(signals) { lines(scope) } else { vec![] };
    let checks: Vec<_> =
        lines.iter().filter_map(|(declared, _)| Check { signals, declared, code }.text()).collect();
    if checks.is_empty() {
        return String::new();
    }
    let mut variables: Vec<&String> = checks.iter().flat_map(|(variables, _)| variables).collect();
    variables.sort();
    variables.dedup();
    let mut text = String::from("\n`ifndef SYNTHESIS\n");
    text += &comment("  ", "The contract.");
    let (clock, reset) = (&signals.style.clock.0, &signals.style.reset);
    let reset = match (signals.find(RESET), reset.is_low) {
        (None, _) => String::new(),
        (Some(_), true) => format!("if ({}) ", reset.name),
        (Some(_), false) => format!("if (!{}) ", reset.name),
    };
    writeln!(text, "  always @(posedge {clock}) {reset}begin : {}", signals.fresh("contract"))
        .expect(IN_MEMORY);
    for variable in variables {
        writeln!(text, "    integer {variable};").expect(IN_MEMORY);
    }
    checks.iter().for_each(|(_, check)| text += check);
    text + "  end\n`endif\n"
}

/// Loops' variables around, each with what stands for it.
type Variables = Vec<(String, Sized)>;

/// A check under construction.
struct Check<'a> {
    signals: &'a Signals,
    declared: &'a Declared,
    /// The module's text up to here.
    code: &'a str,
}

impl Check<'_> {
    /// Its loops' variables, and its lines; none if it speaks of what the text has no name for.
    fn text(&self) -> Option<(Vec<String>, String)> {
        let mut variables: Variables = vec![];
        let mut text = String::new();
        let mut margin = String::from("    ");
        let mut conditions: Vec<String> = vec![];
        let test = |conditions: &mut Vec<String>, margin: &mut String, text: &mut String| {
            if !conditions.is_empty() {
                let condition = match &conditions[..] {
                    [one] if one.starts_with('(') => one.clone(),
                    all => format!("({})", all.join(" && ")),
                };
                conditions.clear();
                writeln!(text, "{margin}if {condition} begin").expect(IN_MEMORY);
                *margin += "  ";
            }
        };
        let mut begun = vec![];
        for clause in &self.declared.clauses {
            match clause {
                Clause::For { variable, signal, .. } => {
                    let count = self.named(signal)?.count;
                    if count == 1 {
                        variables.push((variable.clone(), Sized::number(0)));
                        continue;
                    }
                    if !conditions.is_empty() {
                        begun.push(margin.clone());
                    }
                    test(&mut conditions, &mut margin, &mut text);
                    writeln!(
                        text,
                        "{margin}for ({variable} = 0; {variable} < {count}; {variable} = {variable} + 1)"
                    )
                    .expect(IN_MEMORY);
                    margin += "  ";
                    variables.push((variable.clone(), Sized::of(variable.clone(), INTEGER)));
                }
                Clause::If(condition) => {
                    conditions.push(self.expression(condition, &variables)?.condition());
                }
            }
        }
        begun.push(margin.clone());
        if conditions.is_empty() {
            conditions.push("1'b1".to_string());
        }
        test(&mut conditions, &mut margin, &mut text);
        let (mut format, mut values) = (String::new(), String::new());
        for piece in &self.declared.text {
            match piece {
                Piece::Plain(plain) => format += plain,
                Piece::Value { expression, .. } => {
                    format += "%0d";
                    write!(values, ", {}", self.expression(expression, &variables)?.text).expect(IN_MEMORY);
                }
            }
        }
        let kind = &self.declared.kind;
        writeln!(text, "{margin}$fatal(1, \"%m: {kind}: {format}\"{values});").expect(IN_MEMORY);
        for margin in begun.iter().rev() {
            writeln!(text, "{margin}end").expect(IN_MEMORY);
        }
        let looped = variables.into_iter().filter(|(name, value)| *name == value.text);
        Some((looped.map(|(name, _)| name).collect(), text))
    }

    fn rule(&self, text: &str) -> Option<ContractRule> {
        let mut cases = vec![];
        self.cases(&self.declared.clauses, &mut vec![], &[], &mut cases)?;
        Some(ContractRule {
            is_of_driver: self.declared.kind == "misuse",
            text: text.to_string(),
            broken: if cases.is_empty() { "1'b0".to_string() } else { cases.join(" || ") },
        })
    }

    /// Every case in which the rule is broken, loops written out.
    fn cases(
        &self,
        clauses: &[Clause],
        variables: &mut Variables,
        conditions: &[String],
        cases: &mut Vec<String>,
    ) -> Option<()> {
        match clauses.split_first() {
            None => cases.push(format!("({})", conditions.join(" && "))),
            Some((Clause::If(condition), rest)) => {
                let condition = self.expression(condition, variables)?.condition();
                self.cases(rest, variables, &[conditions, &[condition]].concat(), cases)?;
            }
            Some((Clause::For { variable, signal, .. }, rest)) => {
                for number in 0..self.named(signal)?.count as u64 {
                    variables.push((variable.clone(), Sized::number(number)));
                    self.cases(rest, variables, conditions, cases)?;
                    variables.pop();
                }
            }
        }
        Some(())
    }

    /// A port, or what the text declares within the module; the text has no name for what is used once.
    fn named(&self, name: &str) -> Option<&Vector> {
        let is_port = |vector: &Vector| matches!(vector.role, Role::Input | Role::Output);
        let is_declared = |vector: &Vector| {
            !matches!(vector.role, Role::Constant(_)) && self.code.contains(&format!(" {};\n", vector.name))
        };
        let mut vectors = self.signals.vectors.iter().filter(|vector| vector.name == name);
        vectors.find(|vector| is_port(vector) || is_declared(vector))
    }

    fn expression(&self, expression: &EventExpression, variables: &Variables) -> Option<Sized> {
        let variable = |name: &String| variables.iter().find(|(variable, _)| variable == name);
        let of = |expression: &EventExpression| self.expression(expression, variables);
        let sized = |text: String, width: usize| Some(Sized::of(text, width));
        match expression {
            EventExpression::Number(number) => Some(Sized::number(*number)),
            EventExpression::Name(name) => match variable(name) {
                Some((_, value)) => Some(value.clone()),
                None => sized(name.clone(), self.named(name)?.width),
            },
            EventExpression::Count(name) => Some(Sized::number(self.named(name)?.count as u64)),
            EventExpression::Index(value, index) => {
                let at = of(index)?.text;
                let EventExpression::Name(name) = &**value else {
                    let value = of(value)?;
                    return sized(format!("(({} >> {at}) & {}'d1)", value.text, value.width), value.width);
                };
                let Vector { width, count, is_array, .. } = *self.named(name)?;
                match (&**index, is_array, self.signals.language) {
                    // An element that is not there is zero.
                    (EventExpression::Number(number), true, _) if *number >= count as u64 => {
                        sized(format!("{width}'d0"), width)
                    }
                    (_, true, _) if count == 1 => sized(name.clone(), width),
                    (_, true, Language::Verilog) if width > 1 => {
                        sized(format!("{name}[({at})*{width} +: {width}]"), width)
                    }
                    (_, true, _) => sized(format!("{name}[{at}]"), width),
                    (_, false, _) => sized(format!("{name}[{at}]"), 1),
                }
            }
            EventExpression::Not(value) => sized(format!("!{}", of(value)?.condition()), 1),
            EventExpression::Binary(operator, left, right) => {
                let (left, right) = (of(left)?, of(right)?);
                let symbol = operator.symbol();
                if matches!(operator, EventOperator::And | EventOperator::Or) {
                    return sized(format!("({} {symbol} {})", left.condition(), right.condition()), 1);
                }
                let both = left.width.max(right.width);
                let width = match operator {
                    EventOperator::Left | EventOperator::Right => {
                        return sized(format!("({} {symbol} {})", left.text, right.text), left.width)
                    }
                    EventOperator::Plus => both + 1,
                    EventOperator::Times => left.width + right.width,
                    _ => both,
                };
                let text = format!("({} {symbol} {})", left.at(width), right.at(width));
                sized(text, if operator.compares() { 1 } else { width })
            }
        }
    }
}

/// Bits of a loop's variable.
const INTEGER: usize = 32;

/// An expression and its width in bits.
#[derive(Clone)]
struct Sized {
    text: String,
    width: usize,
    is_number: bool,
}

impl Sized {
    fn of(text: String, width: usize) -> Self {
        Sized { text, width, is_number: false }
    }

    fn number(number: u64) -> Self {
        let width = number.checked_ilog2().map_or(1, |high| high as usize + 1);
        Sized { text: format!("{width}'d{number}"), width, is_number: true }
    }

    /// The same, wider.
    fn at(&self, width: usize) -> String {
        match width - self.width {
            0 => self.text.clone(),
            _ if self.is_number => self.text.replacen(&self.width.to_string(), &width.to_string(), 1),
            missing => format!("{{{missing}'d0, {}}}", self.text),
        }
    }

    /// The same as a condition: it is not zero.
    fn condition(&self) -> String {
        match self.width {
            1 => self.text.clone(),
            width => format!("({} != {width}'d0)", self.text),
        }
    }
}
