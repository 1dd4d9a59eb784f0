// SPDX-License-Identifier: Apache-2.0
//! A kernel as data: what `#[rtl]` writes of it for Verilog.
//!
//! A module has as many types as it has widths and sizes, its kernel has one text. The text is a constant
//! without type parameters; what the parameters decide, widths and ends of loops, are numbers that stand
//! beside it.

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
    Verilog::Combinatorial(Kernel { parameters }.block(kernel))
}

struct Kernel<'a> {
    parameters: &'a [usize],
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
                VerilogStatement::Assignment(signal(target), self.expression(value))
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
            Expression::Signal(path) => signal(path),
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

    fn number(&self, number: Number) -> usize {
        match number {
            Number::Plain(number) => number,
            Number::Parameter(which) => self.parameters[which],
        }
    }
}

fn signal(path: &str) -> VerilogExpression {
    VerilogExpression::Signal(path.to_string())
}
