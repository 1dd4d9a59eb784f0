// SPDX-License-Identifier: Apache-2.0
//! Waveforms as FST, the compressed format of GTKWave, which Surfer reads too.
//!
//! The library writes vectors only: a text is a vector of its characters, eight bits each, which viewers show
//! in their format "ASCII".

use std::fs::File;
use std::io::{BufWriter, Error, Result, Write};

use fst_writer::{
    FstBodyWriter, FstFileType, FstHeaderWriter, FstInfo, FstScopeType, FstSignalId, FstSignalType,
    FstVarDirection, FstVarType, FstWriteError,
};

use super::format::Format;
use crate::writer;

/// Changes are compressed and leave memory when they take so many bytes.
const BUFFER: usize = 1 << 26;

pub struct Fst {
    part: FilePart,
    variables: Vec<Variable>,
}

struct Variable {
    id: FstSignalId,
    bits: usize,
}

/// The file is written in two parts. `Between`: neither, while one is made of the other.
enum FilePart {
    Declarations(FstHeaderWriter<BufWriter<File>>),
    Values(FstBodyWriter<BufWriter<File>>),
    Between,
}

fn plain(error: FstWriteError) -> Error {
    match error {
        FstWriteError::Io(error) => error,
        other => Error::other(other),
    }
}

impl Fst {
    pub fn new(file: BufWriter<File>) -> Result<Self> {
        let info = FstInfo {
            start_time: 0,
            timescale_exponent: -9,
            version: writer().into(),
            // The same run gives the same bytes.
            date: String::new(),
            file_type: FstFileType::Verilog,
        };
        let header = FstHeaderWriter::new(file, &info).map_err(plain)?;
        Ok(Fst { part: FilePart::Declarations(header), variables: vec![] })
    }

    fn declarations(&mut self) -> &mut FstHeaderWriter<BufWriter<File>> {
        match &mut self.part {
            FilePart::Declarations(header) => header,
            _ => unreachable!("declarations come first"),
        }
    }

    fn values(&mut self) -> &mut FstBodyWriter<BufWriter<File>> {
        match &mut self.part {
            FilePart::Values(body) => body,
            _ => unreachable!("values come after the declarations"),
        }
    }

    fn declare(&mut self, bits: usize, name: &str, kind: FstVarType) -> Result<()> {
        let signal = FstSignalType::bit_vec(bits as u32);
        let id =
            self.declarations().var(name, signal, kind, FstVarDirection::Implicit, None).map_err(plain)?;
        self.variables.push(Variable { id, bits });
        Ok(())
    }
}

impl Format for Fst {
    fn open_scope(&mut self, name: &str) -> Result<()> {
        self.declarations().scope(name, "", FstScopeType::Module).map_err(plain)
    }

    fn close_scope(&mut self) -> Result<()> {
        self.declarations().up_scope().map_err(plain)
    }

    fn declare_bits(&mut self, width: usize, name: &str) -> Result<()> {
        self.declare(width, name, FstVarType::Wire)
    }

    fn declare_text(&mut self, longest: usize, name: &str) -> Result<()> {
        self.declare(8 * longest, name, FstVarType::Reg)
    }

    fn end_declarations(&mut self) -> Result<()> {
        if let FilePart::Declarations(header) = std::mem::replace(&mut self.part, FilePart::Between) {
            self.part = FilePart::Values(header.finish().map_err(plain)?);
        }
        Ok(())
    }

    fn time(&mut self, time: u64) -> Result<()> {
        let body = self.values();
        if body.size() > BUFFER {
            body.flush().map_err(plain)?;
        }
        body.time_change(time).map_err(plain)
    }

    fn change_bits(&mut self, variable: usize, bits: &[u8]) -> Result<()> {
        let id = self.variables[variable].id;
        self.values().signal_change(id, bits).map_err(plain)
    }

    fn change_text(&mut self, variable: usize, text: &str) -> Result<()> {
        let characters = self.variables[variable].bits / 8;
        let padded = text.bytes().chain(std::iter::repeat(0)).take(characters);
        let bits: Vec<u8> =
            padded.flat_map(|byte| (0..8).rev().map(move |bit| b'0' + (byte >> bit & 1))).collect();
        self.change_bits(variable, &bits)
    }

    fn finish(self: Box<Self>) -> Result<()> {
        match self.part {
            FilePart::Values(body) => body.finish().map_err(plain)?.flush(),
            _ => Ok(()),
        }
    }
}
