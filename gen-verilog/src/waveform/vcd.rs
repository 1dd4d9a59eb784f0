// SPDX-License-Identifier: Apache-2.0
//! Waveforms as VCD, a text that every viewer reads. A text is a variable of type `string`.

use std::fs::File;
use std::io::{BufWriter, Result};

use vcd::{IdCode, ReferenceIndex, SimulationCommand, TimescaleUnit, Value, VarType, Writer};

use super::format::Format;
use crate::writer as program;

pub struct Vcd {
    writer: Writer<BufWriter<File>>,
    variables: Vec<IdCode>,
    /// The values of the first time are being written.
    begun: Option<bool>,
}

impl Vcd {
    pub fn new(file: BufWriter<File>) -> Result<Self> {
        let mut writer = Writer::new(file);
        writer.version(program())?;
        writer.timescale(1, TimescaleUnit::NS)?;
        Ok(Vcd { writer, variables: vec![], begun: None })
    }

    /// Ends the values of the first time.
    fn end_first(&mut self) -> Result<()> {
        match self.begun.replace(false) {
            Some(true) => self.writer.end(),
            _ => Ok(()),
        }
    }
}

fn value(bit: u8) -> Value {
    match bit {
        b'0' => Value::V0,
        b'1' => Value::V1,
        b'z' => Value::Z,
        _ => Value::X,
    }
}

impl Format for Vcd {
    fn open_scope(&mut self, name: &str) -> Result<()> {
        self.writer.add_module(name)
    }

    fn close_scope(&mut self) -> Result<()> {
        self.writer.upscope()
    }

    fn declare_bits(&mut self, width: usize, name: &str) -> Result<()> {
        // An element of an array ends in its number, which is no range of bits.
        let range = (width > 1).then(|| ReferenceIndex::Range(width as i32 - 1, 0));
        self.variables.push(self.writer.add_var(VarType::Wire, width as u32, name, range)?);
        Ok(())
    }

    fn declare_text(&mut self, _longest: usize, name: &str) -> Result<()> {
        self.variables.push(self.writer.add_var(VarType::String, 1, name, None)?);
        Ok(())
    }

    fn end_declarations(&mut self) -> Result<()> {
        self.writer.enddefinitions()
    }

    fn time(&mut self, time: u64) -> Result<()> {
        let first = self.begun.is_none();
        self.end_first()?;
        self.writer.timestamp(time)?;
        if first {
            self.writer.begin(SimulationCommand::Dumpvars)?;
            self.begun = Some(true);
        }
        Ok(())
    }

    fn change_bits(&mut self, variable: usize, bits: &[u8]) -> Result<()> {
        match bits {
            &[bit] => self.writer.change_scalar(self.variables[variable], value(bit)),
            _ => self.writer.change_vector(self.variables[variable], bits.iter().copied().map(value)),
        }
    }

    fn change_text(&mut self, variable: usize, text: &str) -> Result<()> {
        // A value ends at the first blank, and there is one.
        let text = if text.is_empty() { "-" } else { text };
        self.writer.change_string(self.variables[variable], &text.replace(' ', "_"))
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        self.end_first()?;
        self.writer.flush()
    }
}
