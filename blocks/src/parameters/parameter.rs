// SPDX-License-Identifier: Apache-2.0
//! A parameter as data, and how its value is read from text.

use std::fmt;

use super::{Parameters, Values, PARAMETERS, TIMING};
use crate::suggestion;

/// A parameter of the hardware, as it is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name on the command line and in files.
    pub name: &'static str,
    /// A shorter name for the names of Verilog modules. Verilator cuts names of more than 127 characters.
    pub short: Option<&'static str>,
    /// The names of Verilog modules have it only where it is not the default.
    pub is_optional: bool,
    /// The description has one sentence or more.
    pub doc: &'static str,
    /// Which values it may have.
    pub values: Values,
    /// Unit of a number; empty where it has none.
    pub unit: &'static str,
    /// Paper and section, or the reason of a decision of this project.
    pub source: &'static str,
}

/// A part of a module's configuration: a parameter and its value, or a size of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its name on the command line and in files.
    pub name: &'static str,
    /// Its name within the names of Verilog modules.
    pub short: &'static str,
    /// The value as a number.
    pub number: usize,
    /// The value as text.
    pub text: String,
    /// The value is the default, which names leave out.
    pub is_default: bool,
}

impl Setting {
    /// A size that has no default.
    pub fn size(name: &'static str, number: usize) -> Self {
        Setting { name, short: name, number, text: number.to_string(), is_default: false }
    }
}

/// A parameter or a constant as documents and help show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// Its name on the command line and in files.
    pub name: String,
    /// The value that it has if none is given.
    pub default: String,
    /// Empty where the doc says it.
    pub values: String,
    /// Unit of a number; empty where it has none.
    pub unit: String,
    /// Its description.
    pub doc: String,
    /// Paper and section, or the reason of a decision of this project.
    pub source: String,
}

/// A parameter that does not exist, or a value that it cannot have. Says what is possible.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ParameterError(pub String);

impl Parameter {
    /// The parameter of this name.
    pub fn find(name: &str) -> Result<&'static Parameter, ParameterError> {
        PARAMETERS.iter().find(|parameter| parameter.name == name).ok_or_else(|| {
            let names = PARAMETERS.iter().map(|parameter| parameter.name).chain([TIMING]);
            let known = suggestion(name, names, "`gpurf names parameters` lists them");
            ParameterError(format!("no hardware parameter is called `{name}`{known}"))
        })
    }

    /// The default as text.
    pub fn default(&self) -> String {
        Parameters::default().text_of(self.name)
    }

    /// Possible values as a sentence goes on: `1 to 16383 cycles`, `4, 8 or 16`.
    pub fn possible(&self) -> String {
        let Parameter { values, unit, .. } = self;
        match *values {
            Values::Range { first, last, step: 1 } => format!("{first} to {last} {unit}").trim_end().into(),
            Values::Range { first, last, step } => format!("{first} to {last} {unit} in steps of {step}"),
            _ => values.to_string(),
        }
    }

    /// The parameter as documents and help show it.
    pub fn describe(&self) -> Description {
        Description {
            name: self.name.into(),
            default: self.default(),
            values: self.values.to_string(),
            unit: self.unit.into(),
            doc: self.doc.into(),
            source: self.source.into(),
        }
    }

    /// The message for a value that is not possible.
    pub(super) fn refused(&self, text: &str) -> String {
        let Parameter { name, .. } = self;
        format!("{name}={text} is not possible; {name} is {}", self.possible())
    }
}

impl fmt::Display for Parameter {
    /// A line of help: `entries: 4, 8 or 16 (8)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({})", self.name, self.possible(), self.default())
    }
}

/// A type of value that parameters have.
pub(super) trait ParameterValue: Sized {
    fn parse(text: &str, parameter: &Parameter) -> Result<Self, ParameterError>;
    fn text(&self) -> String;
    /// In the names of Verilog modules.
    fn number(&self) -> usize;
}

impl ParameterValue for usize {
    fn parse(text: &str, parameter: &Parameter) -> Result<Self, ParameterError> {
        let number = text.parse().ok().filter(|number| parameter.values.contains(*number));
        number.ok_or_else(|| ParameterError(parameter.refused(text)))
    }

    fn text(&self) -> String {
        self.to_string()
    }

    fn number(&self) -> usize {
        *self
    }
}

impl ParameterValue for bool {
    fn parse(text: &str, parameter: &Parameter) -> Result<Self, ParameterError> {
        text.parse().map_err(|_| ParameterError(parameter.refused(text)))
    }

    fn text(&self) -> String {
        self.to_string()
    }

    fn number(&self) -> usize {
        (*self).into()
    }
}
