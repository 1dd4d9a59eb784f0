// SPDX-License-Identifier: Apache-2.0
//! Languages and names that a design is written with.

use super::error::{EmitError, Result};
use super::keywords::is_keyword;
use super::scope::Scope;

/// The language of a design.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// Verilog-2005, as every tool reads it.
    #[default]
    Verilog,
    /// SystemVerilog: arrays have two dimensions, processes say what they are for, states are an enum.
    SystemVerilog,
}

/// How a design is written, and what its modules, clock and reset are called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// The language of its text.
    pub language: Language,
    /// Stands before the name of every module.
    pub prefix: String,
    /// Name of the top module, instead of its own; no prefix stands before it.
    pub name: Option<String>,
    /// Name of the clock.
    pub clock: Clock,
    /// Name and level of the reset.
    pub reset: Reset,
    /// Further text at the head of each module; nothing by default.
    pub origin: Option<Origin>,
}

/// Name of the clock in every module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clock(pub String);

impl Default for Clock {
    fn default() -> Self {
        Clock("clock".into())
    }
}

/// The reset of every module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reset {
    /// Its name.
    pub name: String,
    /// It resets while it is low.
    pub is_low: bool,
}

impl Default for Reset {
    fn default() -> Self {
        Reset { name: "reset".into(), is_low: false }
    }
}

/// Where a file of Verilog comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The command that makes it.
    pub command: String,
    /// Letter by which a paper is cited, and the paper.
    pub papers: Vec<(String, String)>,
}

impl Style {
    /// Another language, and all names as they are.
    pub fn of(language: Language) -> Self {
        Style { language, ..Style::default() }
    }

    /// Gives every module of a tree its name.
    pub(super) fn rename(&self, top: &mut Scope) -> Result<()> {
        let prefix = Some(&self.prefix).filter(|prefix| !prefix.is_empty());
        let mut names = [&self.clock.0, &self.reset.name].into_iter().chain(prefix).chain(&self.name);
        if let Some(name) = names.find(|name| !is_name(name)) {
            return Err(EmitError::Name { name: name.clone() });
        }
        fn each(scope: &mut Scope, prefix: &str) {
            scope.identity.verilog_name.insert_str(0, prefix);
            scope.children.iter_mut().for_each(|child| each(child, prefix));
        }
        each(top, &self.prefix);
        if let Some(name) = &self.name {
            if top.children.iter().any(|child| has(child, name)) {
                let (module, name) = (top.identity.verilog_name.clone(), name.clone());
                return Err(EmitError::NameOfPart { module, name });
            }
            top.identity.verilog_name = name.clone();
        }
        Ok(())
    }
}

fn has(scope: &Scope, name: &str) -> bool {
    scope.identity.verilog_name == name || scope.children.iter().any(|child| has(child, name))
}

fn is_name(text: &str) -> bool {
    let is_first = |letter: char| letter.is_ascii_alphabetic() || letter == '_';
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    text.starts_with(is_first) && text.chars().all(is_letter) && !is_keyword(text)
}
