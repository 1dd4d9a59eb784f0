// SPDX-License-Identifier: Apache-2.0
//! A waveform being written.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::Path;

use gpurf_files::NewFile;

use super::format::Format;
use super::fst::Fst;
use super::vcd::Vcd;

/// Its variables, and what they last were.
pub struct WaveformFile {
    format: Option<Box<dyn Format>>,
    file: NewFile,
    /// Scopes open, from outside in.
    scopes: Vec<String>,
    pub variables: Vec<WaveformVariable>,
    /// The values of each variable; none before the first one.
    values: Vec<Option<Shown>>,
    /// The last cycle written.
    last: Option<u64>,
}

/// A variable of a waveform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaveformVariable {
    /// With its scopes: `sub_core.outputs.hit_0`.
    pub path: String,
    /// In bits; of a text, those of its longest value's characters.
    pub width: usize,
    /// Its values are texts.
    pub is_text: bool,
    /// Events are made of it.
    pub is_watched: bool,
}

/// The value of a signal as a viewer shows it.
#[derive(PartialEq)]
pub enum Shown {
    /// `0`, `1`, `x` or `z` a bit, the most significant one first.
    Bits(Vec<u8>),
    /// The name of a state, or an instruction.
    Text(String),
}

/// A cycle of a waveform, in ns.
pub const CYCLE_NS: u64 = 2;
const CYCLE_COUNTER_BITS: usize = 32;
/// The variables that every file has.
pub const CLOCK: usize = 0;
const CYCLE: usize = 1;

impl WaveformFile {
    pub fn create(path: &Path) -> io::Result<Self> {
        if path.metadata().is_ok_and(|found| !found.is_file()) {
            let reason = format!("{}: not a plain file, which a waveform has to be", path.display());
            return Err(io::Error::new(ErrorKind::InvalidInput, reason));
        }
        let file = NewFile::create(path).map_err(io::Error::other)?;
        let handle = file.handle().map_err(io::Error::other)?;
        let format = format_of(path, handle).map_err(|error| named(path, error))?;
        Ok(WaveformFile {
            format: Some(format),
            file,
            scopes: vec![],
            variables: vec![],
            values: vec![],
            last: None,
        })
    }

    pub fn named(&self, error: io::Error) -> io::Error {
        named(self.file.path(), error)
    }

    /// The format that it is written in, until it is finished.
    pub fn format(&mut self) -> &mut dyn Format {
        &mut **self.format.as_mut().expect("the waveform is not finished")
    }

    pub fn open_top(&mut self, top: &str) -> io::Result<()> {
        self.open_scope(top)?;
        self.declare(1, "clock")?;
        self.declare(CYCLE_COUNTER_BITS, "cycle")?;
        Ok(())
    }

    pub fn close_top(&mut self) -> io::Result<()> {
        self.close_scope()?;
        self.format().end_declarations()
    }

    pub fn open_scope(&mut self, name: &str) -> io::Result<()> {
        self.scopes.push(name.into());
        self.format().open_scope(name)
    }

    pub fn close_scope(&mut self) -> io::Result<()> {
        self.scopes.pop();
        self.format().close_scope()
    }

    /// The new variable's number.
    fn note(&mut self, name: &str, width: usize, is_text: bool) -> usize {
        let path = format!("{}.{name}", self.scopes.join("."));
        self.variables.push(WaveformVariable { path, width, is_text, is_watched: false });
        self.values.push(None);
        self.values.len() - 1
    }

    /// The new variable's number.
    pub fn declare(&mut self, width: usize, name: &str) -> io::Result<usize> {
        self.format().declare_bits(width, name)?;
        Ok(self.note(name, width, false))
    }

    /// The same for names; `longest`: bytes of the longest one.
    pub fn declare_text(&mut self, longest: usize, name: &str) -> io::Result<usize> {
        self.format().declare_text(longest, name)?;
        Ok(self.note(name, 8 * longest, true))
    }

    /// Cycles must rise. The clock rises.
    pub fn begin_cycle(&mut self, cycle: u64) -> io::Result<()> {
        assert!(self.last.is_none_or(|last| cycle > last), "cycle {cycle} comes after {:?}", self.last);
        let begin = |file: &mut Self| {
            file.format().time(CYCLE_NS * cycle)?;
            file.format().change_bits(CLOCK, b"1")?;
            file.change(CYCLE, Shown::Bits(bits(&[cycle as u32], CYCLE_COUNTER_BITS)))
        };
        begin(self).map_err(|error| self.named(error))
    }

    /// The clock falls.
    pub fn end_cycle(&mut self, cycle: u64) -> io::Result<()> {
        let format = self.format();
        let fall =
            format.time(CYCLE_NS * cycle + CYCLE_NS / 2).and_then(|()| format.change_bits(CLOCK, b"0"));
        fall.map_err(|error| self.named(error))?;
        self.last = Some(cycle);
        Ok(())
    }

    pub fn change(&mut self, variable: usize, value: Shown) -> io::Result<()> {
        let last = &mut self.values[variable];
        if last.as_ref() == Some(&value) {
            return Ok(());
        }
        let format = self.format.as_mut().expect("the waveform is not finished");
        match last.insert(value) {
            Shown::Bits(bits) => format.change_bits(variable, bits),
            Shown::Text(text) => format.change_text(variable, text),
        }
    }

    /// The same for a text.
    pub fn change_text(&mut self, variable: usize, text: &str) -> io::Result<()> {
        match &self.values[variable] {
            Some(Shown::Text(last)) if last == text => Ok(()),
            _ => self.change(variable, Shown::Text(text.into())),
        }
    }

    /// Completes the file and gives it its name.
    pub fn finish(mut self) -> io::Result<()> {
        let Some(mut format) = self.format.take() else { return Ok(()) };
        // The last cycle is shown to its end.
        let ended = self.last.map_or(Ok(()), |last| format.time(CYCLE_NS * (last + 1)));
        let finished = ended.and_then(|()| format.finish());
        finished.map_err(|error| self.named(error))?;
        self.file.finish().map_err(io::Error::other)
    }
}

fn named(path: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// The lowest `width` bits of `words` (little end first), most significant bit first.
pub fn bits(words: &[u32], width: usize) -> Vec<u8> {
    (0..width).rev().map(|bit| b'0' + (words[bit / 32] >> (bit % 32) & 1) as u8).collect()
}

/// Returns true if a waveform of this name is FST: if it ends in `.fst`. Others are VCD.
pub fn is_fst(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("fst"))
}

fn format_of(path: &Path, file: File) -> io::Result<Box<dyn Format>> {
    let file = io::BufWriter::new(file);
    Ok(match is_fst(path) {
        true => Box::new(Fst::new(file)?),
        false => Box::new(Vcd::new(file)?),
    })
}
