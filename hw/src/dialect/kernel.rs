// SPDX-License-Identifier: Apache-2.0
//! A kernel as data: what `#[rtl]` writes of it for Verilog.
//!
//! A module has as many types as it has widths and sizes, its kernel has one text. The text is a constant
//! without type parameters; what the parameters decide, widths and ends of loops, are numbers that stand
//! beside it.

use std::cell::RefCell;

use rust_hdl::ast::{
    Verilog, VerilogBlock, VerilogBlockOrConditional, VerilogCase, VerilogConditional, VerilogExpression,
    VerilogLiteral, VerilogLoop, VerilogMatch, VerilogOp, VerilogOpUnary, VerilogStatement,
};

use super::wires::Assigned;

/// A statement of a kernel; paths to signals have `$` between names.
pub enum Statement {
    /// Statements that belong together, and what is said about them.
    Section(&'static str, &'static [Statement]),
    /// `x = value;`
    Assign(&'static str, Expression),
    /// A wire or a bundle, assigned as one.
    Wires(Assigned<'static>),
    /// `if test { .. } else { .. }`
    If(Expression, &'static [Statement], &'static [Statement]),
    /// `match selector { pattern => .. }`; the last pattern may be `default`.
    Match(Expression, &'static [(&'static str, &'static [Statement])]),
    /// `for variable in from..to { .. }`
    For(&'static str, Number, Number, &'static [Statement]),
    /// `for variable in (0..to).rev() { .. }`
    Backwards(&'static str, Number, &'static [Statement]),
}

/// A value in a kernel.
pub enum Expression {
    /// A signal, a loop's variable, or the name of a state.
    Signal(&'static str),
    /// `true`, `false`
    Bit(bool),
    /// A number without a width.
    Number(i32),
    /// At another width.
    Cast(&'static Expression, Number),
    /// In parentheses.
    Paren(&'static Expression),
    /// An operator between two.
    Binary(&'static Expression, VerilogOp, &'static Expression),
    /// An operator before one, or a reduction of it.
    Unary(VerilogOpUnary, &'static Expression),
    /// A bit of the first, at the second.
    BitOf(&'static Expression, &'static Expression),
    /// As many bits of the first, from the second.
    Slice(&'static Expression, Number, &'static Expression),
    /// The first, with the bit at the second replaced.
    Replaced(&'static Expression, &'static Expression, &'static Expression),
}

/// A number that is known when a module is built.
#[derive(Clone, Copy)]
pub enum Number {
    /// As it is written.
    Plain(usize),
    /// One of those that a module's parameters decide.
    Parameter(usize),
}

/// The kernel as rust-hdl's syntax tree, with these numbers for its parameters.
pub fn verilog(kernel: &'static [Statement], parameters: &[usize]) -> Verilog {
    Verilog::Combinatorial(Kernel { parameters, backwards: RefCell::default() }.block(kernel))
}

struct Kernel<'a> {
    parameters: &'a [usize],
    /// Variables of the loops around that run backwards, and their largest numbers. Verilog counts up, and
    /// takes the variable off this number.
    backwards: RefCell<Vec<(&'static str, usize)>>,
}

impl Kernel<'_> {
    fn block(&self, block: &'static [Statement]) -> VerilogBlock {
        block.iter().map(|statement| self.statement(statement)).collect()
    }

    fn statement(&self, statement: &'static Statement) -> VerilogStatement {
        match statement {
            Statement::Section(text, block) => {
                let comment = VerilogStatement::Comment(text.to_string());
                VerilogStatement::Macro([vec![comment], self.block(block)].concat())
            }
            Statement::Assign(target, value) => {
                VerilogStatement::Assignment(self.signal(target), self.expression(value))
            }
            Statement::Backwards(variable, to, block) => {
                let to = self.number(*to);
                self.backwards.borrow_mut().push((variable, to.saturating_sub(1)));
                let block = self.block(block);
                self.backwards.borrow_mut().pop();
                VerilogStatement::Loop(VerilogLoop {
                    index: variable.to_string(),
                    from: 0.into(),
                    to: to.into(),
                    block,
                })
            }
            Statement::Wires(assigned) => VerilogStatement::Link(vec![assigned.link()]),
            Statement::If(test, then, otherwise) => VerilogStatement::If(VerilogConditional {
                test: self.expression(test),
                then: self.block(then),
                otherwise: match otherwise {
                    [] => VerilogBlockOrConditional::None,
                    [next @ Statement::If(..)] => {
                        VerilogBlockOrConditional::Conditional(Box::new(self.statement(next)))
                    }
                    block => VerilogBlockOrConditional::Block(self.block(block)),
                },
            }),
            Statement::Match(selector, arms) => VerilogStatement::Match(VerilogMatch {
                test: self.expression(selector),
                cases: arms
                    .iter()
                    .map(|(pattern, block)| VerilogCase {
                        condition: pattern.to_string(),
                        block: self.block(block),
                    })
                    .collect(),
            }),
            Statement::For(variable, from, to, block) => VerilogStatement::Loop(VerilogLoop {
                index: variable.to_string(),
                from: self.number(*from).into(),
                to: self.number(*to).into(),
                block: self.block(block),
            }),
        }
    }

    fn expression(&self, value: &'static Expression) -> VerilogExpression {
        use VerilogExpression as Tree;
        match value {
            Expression::Signal(path) => self.signal(path),
            Expression::Bit(bit) => Tree::Literal((*bit).into()),
            Expression::Number(number) => Tree::Literal(VerilogLiteral::from(*number)),
            Expression::Cast(of, width) => Tree::Cast(self.boxed(of), self.number(*width)),
            Expression::Paren(of) => Tree::Paren(self.boxed(of)),
            Expression::Binary(left, operator, right) => {
                Tree::Binary(self.boxed(left), operator.clone(), self.boxed(right))
            }
            Expression::Unary(operator, of) => Tree::Unary(operator.clone(), self.boxed(of)),
            Expression::BitOf(of, at) => Tree::Index(self.boxed(of), self.boxed(at)),
            Expression::Slice(of, width, at) => {
                Tree::Slice(self.boxed(of), self.number(*width), self.boxed(at))
            }
            Expression::Replaced(of, at, bit) => {
                Tree::IndexReplace(self.boxed(of), self.boxed(at), self.boxed(bit))
            }
        }
    }

    fn boxed(&self, value: &'static Expression) -> Box<VerilogExpression> {
        Box::new(self.expression(value))
    }

    /// A signal, in a loop that runs backwards with the number that its variable stands for.
    fn signal(&self, path: &str) -> VerilogExpression {
        let mut path = path.to_string();
        for (variable, last) in self.backwards.borrow().iter() {
            if path == *variable {
                let (last, counted) = (VerilogLiteral::from(*last as u32), VerilogExpression::Signal(path));
                let last = Box::new(VerilogExpression::Literal(last));
                return VerilogExpression::Binary(last, VerilogOp::Sub, Box::new(counted));
            }
            path = counted_down(&path, variable, *last);
        }
        VerilogExpression::Signal(path)
    }

    fn number(&self, number: Number) -> usize {
        match number {
            Number::Plain(number) => number,
            Number::Parameter(which) => self.parameters[which],
        }
    }
}

/// `queue[31-w]` for `queue[w]`.
fn counted_down(path: &str, variable: &str, last: usize) -> String {
    let mut counted = String::new();
    let mut depth = 0;
    for word in path.split_inclusive(|letter: char| !(letter.is_alphanumeric() || letter == '_')) {
        let name = word.trim_end_matches(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
        let after = &word[name.len()..];
        counted += &match depth > 0 && name == variable {
            true => format!("({last}-{variable})"),
            false => name.to_string(),
        };
        counted += after;
        depth += after.matches('[').count();
        depth -= after.matches(']').count();
    }
    counted
}
