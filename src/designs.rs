// SPDX-License-Identifier: Apache-2.0
//! Designs on the command line: help and shells list the presets, and several can be put together.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, Command, Error};
use gpurf_sim::sm::{Design, Preset, PRESETS};

/// Reads a design.
#[derive(Clone)]
pub struct DesignParser;

impl TypedValueParser for DesignParser {
    type Value = Design;

    fn parse_ref(&self, command: &Command, argument: Option<&Arg>, value: &OsStr) -> Result<Design, Error> {
        let text = value.to_string_lossy();
        let option = argument.and_then(Arg::get_long).unwrap_or_default();
        text.parse().map_err(|error| {
            let message = format!("--{option} {text}: {error}");
            command.clone().error(ErrorKind::ValueValidation, message)
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let value = |Preset { name, what, paper, .. }: &'static Preset| {
            PossibleValue::new(*name).help(format!("{what} ({paper})"))
        };
        Some(Box::new(PRESETS.iter().map(value)))
    }
}
