// SPDX-License-Identifier: Apache-2.0
//! The formats that a waveform is written in.

use std::io::Result;

/// A file format. First scopes and variables are declared, then values change at times that rise. Variables
/// are numbered in the order of their declaration, from 0.
pub trait Format: Send {
    fn open_scope(&mut self, name: &str) -> Result<()>;
    fn close_scope(&mut self) -> Result<()>;
    fn declare_bits(&mut self, width: usize, name: &str) -> Result<()>;
    /// `longest`: bytes of the longest value.
    fn declare_text(&mut self, longest: usize, name: &str) -> Result<()>;
    fn end_declarations(&mut self) -> Result<()>;
    /// Values change at this time from now on, in ns.
    fn time(&mut self, time: u64) -> Result<()>;
    /// `0`, `1`, `x` or `z` a bit, the most significant one first.
    fn change_bits(&mut self, variable: usize, bits: &[u8]) -> Result<()>;
    fn change_text(&mut self, variable: usize, text: &str) -> Result<()>;
    fn finish(self: Box<Self>) -> Result<()>;
}
