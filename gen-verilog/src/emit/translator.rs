// SPDX-License-Identifier: Apache-2.0
//! The translation of a kernel, with its knowledge at each place: signals, and the loops around.

use rust_hdl::ast::VerilogExpression as Tree;

use super::error::EmitError;
use super::index::{parse_path, Index};
use super::sections::Sections;
use super::signals::{Element, Signals};

/// Why a translation goes no further.
pub enum Stop {
    Error(EmitError),
    /// Verilog has no loop for this: the loop with this variable is to be written out.
    WrittenOut(String),
}

impl From<EmitError> for Stop {
    fn from(error: EmitError) -> Self {
        Stop::Error(error)
    }
}

pub type Translation<T> = std::result::Result<T, Stop>;

pub struct Translator<'a> {
    pub signals: &'a Signals,
    pub loops: Vec<LoopVariable>,
    pub sections: Sections,
}

/// A loop's variable and its values; one, where the loop is written out.
pub struct LoopVariable {
    pub name: String,
    pub least: i64,
    pub most: i64,
}

impl Translator<'_> {
    /// The element at a path.
    pub fn find(&self, path: &str) -> Translation<Element> {
        let problem = |problem: String| Stop::from(self.error(format!("{path}: {problem}")));
        let (names, indices) = parse_path(path).map_err(problem)?;
        let (vector, lengths) = self.signals.find(&names).ok_or_else(|| self.unknown(path))?;
        if indices.len() != lengths.len() {
            return Err(self.unknown(path));
        }
        let is_known = |name: &str| self.loops.iter().any(|variable| variable.name == name);
        let single = self.loops.iter().filter(|variable| variable.least == variable.most);
        let single: Vec<_> = single.map(|variable| (variable.name.clone(), variable.least)).collect();
        let mut place = Index::of(0);
        for (index, length) in indices.iter().zip(lengths) {
            if let Some(stranger) = index.stranger(&is_known) {
                let text = format!("the index holds {stranger:?}, neither a number nor a loop variable");
                return Err(problem(text));
            }
            let index = index.turned(&single);
            match self.bounds(&index) {
                (0.., most) if most < *length as i64 => {}
                _ if index.number().is_none() => return Err(self.written_out(&index)),
                _ => return Err(self.unknown(path)),
            }
            place = place.times(*length).plus(index);
        }
        Ok(Element { vector, first: self.signals[vector].first, index: place })
    }

    /// Least and greatest value in the loops around.
    pub fn bounds(&self, index: &Index) -> (i64, i64) {
        index.bounds(&|name| {
            let variable = self.loops.iter().rev().find(|variable| variable.name == name);
            variable.map_or((i64::MIN / 2, i64::MAX / 2), |variable| (variable.least, variable.most))
        })
    }

    /// Asks for the loop that this index depends on to be written out.
    pub fn written_out(&self, index: &Index) -> Stop {
        Stop::WrittenOut(index.variable().unwrap_or_default().to_string())
    }

    pub fn error(&self, problem: String) -> EmitError {
        EmitError::Kernel { module: self.signals.module.clone(), problem }
    }

    fn unknown(&self, path: &str) -> Stop {
        let loops = self.loops.iter().map(|variable| match variable.least == variable.most {
            true => format!(", {} = {}", variable.name, variable.least),
            false => format!(", {} = {} to {}", variable.name, variable.least, variable.most),
        });
        let path = path.replace('$', ".");
        self.error(format!("there is no signal {path}{}", loops.collect::<String>())).into()
    }
}

/// The expression inside of parentheses.
pub fn peel(tree: &Tree) -> &Tree {
    match tree {
        Tree::Paren(inner) => peel(inner),
        tree => tree,
    }
}
