//! What a waveform is written in.

use std::fs::File;
use std::io::{BufWriter, Result};
use std::path::Path;

use super::fst::Fst;
use super::vcd::Vcd;

/// A file format. First scopes and variables are declared, then values change at times that rise. Variables are numbered
/// in the order of their declaration, from 0.
pub trait Format {
    fn open_scope(&mut self, name: &str) -> Result<()>;
    fn close_scope(&mut self) -> Result<()>;
    fn declare_bits(&mut self, width: usize, name: &str) -> Result<()>;
    /// `longest`: bytes of the longest value.
    fn declare_text(&mut self, longest: usize, name: &str) -> Result<()>;
    /// Another name, in the open scope, of a variable of bits.
    fn declare_alias(&mut self, variable: usize, width: usize, name: &str) -> Result<()>;
    fn end_declarations(&mut self) -> Result<()>;
    /// Values change at this time from now on, in ns.
    fn time(&mut self, time: u64) -> Result<()>;
    /// `0`, `1`, `x` or `z` a bit, the most significant one first.
    fn change_bits(&mut self, variable: usize, bits: &[u8]) -> Result<()>;
    fn change_text(&mut self, variable: usize, text: &str) -> Result<()>;
    fn finish(self: Box<Self>) -> Result<()>;
}

/// Whether a waveform of this name is FST: if it ends in `.fst`. Others are VCD.
pub fn is_fst(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("fst"))
}

pub fn format_of(path: &Path, file: File) -> Result<Box<dyn Format>> {
    let file = BufWriter::new(file);
    Ok(match is_fst(path) {
        true => Box::new(Fst::new(file)?),
        false => Box::new(Vcd::new(file)?),
    })
}
