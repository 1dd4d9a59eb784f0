// SPDX-License-Identifier: Apache-2.0
//! From a kernel's syntax tree to statements: loops stay loops where Verilog can have them.

use num_bigint::BigUint;
use rust_hdl::ast::{
    VerilogBlock, VerilogBlockOrConditional, VerilogConditional, VerilogExpression as Tree, VerilogLink,
    VerilogLinkDetails, VerilogLoop, VerilogMatch, VerilogStatement,
};

use gpurf_hw::dialect::wires::Assigned;

use super::bundle;
use super::error::{EmitError, Result};
use super::expression::Expression;
use super::index::Index;
use super::sections::Sections;
use super::signals::{Element, Signals};
use super::statement::{AssignedPart, Statement};
use super::translator::{peel, LoopVariable, Stop, Translation, Translator};

/// A kernel in the emitter's terms.
pub struct Kernel {
    pub statements: Vec<Statement>,
    pub sections: Sections,
}

/// Translates a kernel.
pub fn translated(signals: &Signals, kernel: &VerilogBlock) -> Result<Kernel> {
    let mut translator = Translator { signals, loops: vec![], sections: Sections::default() };
    let mut statements = vec![];
    match translator.block(kernel, &mut statements) {
        Ok(()) => Ok(Kernel { statements, sections: translator.sections }),
        Err(Stop::Error(error)) => Err(error),
        Err(Stop::WrittenOut(variable)) => Err(translator.error(format!("{variable} is no loop's variable"))),
    }
}

impl Translator<'_> {
    fn block(&mut self, block: &VerilogBlock, to: &mut Vec<Statement>) -> Translation<()> {
        block.iter().try_for_each(|statement| self.statement(statement, to))
    }

    fn statement(&mut self, statement: &VerilogStatement, to: &mut Vec<Statement>) -> Translation<()> {
        match statement {
            VerilogStatement::Assignment(target, value) => match bundle::enabled(self, target, value)? {
                Some(statements) => self.block(&statements, to),
                None => self.assignment(target, value, to),
            },
            VerilogStatement::SliceAssignment { base, width, offset, replacement } => {
                let target = self.target(base)?;
                let low = Index::of(self.number(offset)?);
                let value = self.expression(replacement, *width)?;
                self.assign(target, AssignedPart::Bits { low }, value, to)
            }
            VerilogStatement::If(choice) => self.conditional(choice, to),
            VerilogStatement::Match(choice) => self.selection(choice, to),
            VerilogStatement::Loop(each) => self.each(each, to),
            VerilogStatement::Comment(text) => {
                self.sections.comments.push(text.clone());
                Ok(())
            }
            VerilogStatement::Link(links) => links.iter().try_for_each(|link| self.link(link, to)),
            VerilogStatement::Macro(block) => self.block(block, to),
        }
    }

    fn each(&mut self, each: &VerilogLoop, to: &mut Vec<Statement>) -> Translation<()> {
        let (from, end) = (each.from.as_usize(), each.to.as_usize());
        if from + 1 < end {
            let mut body = vec![];
            match self.turns(each, from, end - 1, &mut body) {
                Ok(()) if body.is_empty() => return Ok(()),
                Ok(()) => {
                    to.push(Statement::For { variable: each.index.clone(), from, to: end, body });
                    return Ok(());
                }
                Err(Stop::WrittenOut(variable)) if variable == each.index => {}
                Err(stop) => return Err(stop),
            }
        }
        (from..end).try_for_each(|value| self.turns(each, value, value, to))
    }

    /// Translates a loop's body for these values of its variable.
    fn turns(
        &mut self,
        each: &VerilogLoop,
        least: usize,
        most: usize,
        to: &mut Vec<Statement>,
    ) -> Translation<()> {
        let (least, most) = (least as i64, most as i64);
        self.loops.push(LoopVariable { name: each.index.clone(), least, most });
        let result = self.block(&each.block, to);
        self.loops.pop();
        result
    }

    fn assignment(&mut self, target: &Tree, value: &Tree, to: &mut Vec<Statement>) -> Translation<()> {
        let target = self.target(target)?;
        if let Tree::IndexReplace(base, index, bit) = peel(value) {
            if matches!(peel(base), Tree::Signal(path) if self.find(path)? == target) {
                let part = match (self.constant(index), self.index(index)) {
                    (Some(low), _) => AssignedPart::Bits { low: Index::of(self.position(&low)?) },
                    (None, Some(low)) => AssignedPart::Bits { low },
                    (None, None) => {
                        AssignedPart::Bit(self.bit_index(index, self.signals[target.vector].width)?)
                    }
                };
                let bit = self.expression(bit, 1)?;
                return self.assign(target, part, bit, to);
            }
        }
        let value = self
            .expression(value, self.signals[target.vector].width)
            .map_err(|stop| self.in_assignment(&target, stop))?;
        self.assign(target, AssignedPart::Whole, value, to)
    }

    fn assign(
        &mut self,
        target: Element,
        part: AssignedPart,
        value: Expression,
        to: &mut Vec<Statement>,
    ) -> Translation<()> {
        let width = self.signals[target.vector].width;
        let part = match part {
            AssignedPart::Bits { low } => match self.bounds(&low) {
                (0, 0) if value.width == width => AssignedPart::Whole,
                (0.., most) if most + value.width as i64 <= width as i64 => AssignedPart::Bits { low },
                _ if low.number().is_none() => return Err(self.written_out(&low)),
                _ => {
                    let name = &self.signals[target.vector].name;
                    return Err(self.error(format!("{name} has {width} bits, none at {low}")).into());
                }
            },
            part => part,
        };
        if let Some(section) = self.sections.comments.len().checked_sub(1) {
            self.sections.of.entry(target.vector).or_insert(section);
        }
        to.push(Statement::Assign { target, part, value, at: 0 });
        Ok(())
    }

    fn conditional(&mut self, choice: &VerilogConditional, to: &mut Vec<Statement>) -> Translation<()> {
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
        let (mut then, mut rest) = (vec![], vec![]);
        self.block(&choice.then, &mut then)?;
        otherwise(self, &mut rest)?;
        to.push(Statement::If { condition, at: 0, then, otherwise: rest });
        Ok(())
    }

    fn selection(&mut self, choice: &VerilogMatch, to: &mut Vec<Statement>) -> Translation<()> {
        let selector = self.sized(&choice.test, "matched on")?;
        let mut arms = vec![];
        for case in &choice.cases {
            // Rust's match is exhaustive, so the last arm stands for all that is left.
            let label = match case.condition.as_str() {
                "default" => Expression::literal(0u32, selector.width),
                "true" => Expression::literal(1u32, 1),
                "false" => Expression::literal(0u32, 1),
                label => match (label.parse::<u64>(), self.signals.find(label)) {
                    (Ok(number), _) => Expression::literal(number, selector.width),
                    (_, Some((variant, _))) => {
                        let variant = self.signals.element(self.signals[variant].first);
                        Expression::signal(self.signals, variant)
                    }
                    _ => return Err(self.error(format!("the pattern {label} is not known")).into()),
                },
            };
            let mut body = vec![];
            self.block(&case.block, &mut body)?;
            arms.push((label, body));
            if case.condition == "default" {
                break;
            }
        }
        to.push(Statement::Case { selector, at: 0, arms });
        Ok(())
    }

    fn link(&mut self, link: &VerilogLink, to: &mut Vec<Statement>) -> Translation<()> {
        if let Some(assigned) = Assigned::of(link) {
            let statements = bundle::assigned(self, &assigned)?;
            return self.block(&statements, to);
        }
        let path = |owner: &str, details: &VerilogLinkDetails| {
            Tree::Signal(format!("{owner}{}", details.my_name.replace('.', "$")))
        };
        let (target, source) = match link {
            VerilogLink::Forward(link) => (path(&link.other_name, link), path(&link.owner_name, link)),
            VerilogLink::Backward(link) => (path(&link.owner_name, link), path(&link.other_name, link)),
            VerilogLink::Bidirectional(link) => {
                return Err(self.error(format!("{} is bidirectional", link.owner_name)).into())
            }
        };
        self.assignment(&target, &source, to)
    }

    fn target(&self, tree: &Tree) -> Translation<Element> {
        let Tree::Signal(path) = peel(tree) else {
            return Err(self.error("an assignment drives a signal".to_string()).into());
        };
        let element = self.find(path)?;
        let signal = &self.signals[element.vector];
        if !signal.is_assigned() {
            let (module, signal) = (self.signals.module.clone(), signal.name.clone());
            return Err(EmitError::NotAssignable { module, signal }.into());
        }
        Ok(element)
    }

    fn in_assignment(&self, target: &Element, stop: Stop) -> Stop {
        match stop {
            Stop::Error(EmitError::Kernel { module, problem }) => {
                let target = &self.signals[target.vector].name;
                EmitError::Kernel { module, problem: format!("{target}: {problem}") }.into()
            }
            stop => stop,
        }
    }
}
