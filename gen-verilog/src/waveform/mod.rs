// SPDX-License-Identifier: Apache-2.0
//! Waveforms in the formats FST and VCD, which GTKWave and Surfer read; the file's ending says which.
//!
//! [`PortWaveform`] records the ports of any engine, [`ModuleWaveform`] every signal inside compiled RTL, by
//! its name in the emitted Verilog. A cycle takes two nanoseconds: the clock rises and signals change at its
//! start, the clock falls in its middle. Every file has a `cycle` counter beside the clock. Values are
//! written when they change.

mod file;
mod format;
mod fst;
mod inside;
mod ports;
mod vcd;

use std::io;
use std::path::Path;

pub use file::{is_fst, WaveformVariable, CYCLE_NS};
pub use inside::ModuleWaveform;
pub use ports::PortWaveform;

use file::{Shown, WaveformFile};
use gpurf_blocks::suggestion;

/// The extent of a waveform.
#[derive(Clone, Copy, Default)]
pub struct Extent<'a> {
    /// Instances by name, each with what lies in it; `top` is the module's own signals. Without a name, all
    /// are recorded.
    pub scopes: &'a [String],
    /// Next values and enables of registers are recorded beside the values that they hold.
    pub loads: bool,
    /// Names of texts that whoever samples gives beside the signals: `scenario`, or `instructions.issued` for
    /// one in a scope.
    pub texts: &'a [&'a str],
}

/// Bytes of the longest text.
const LONGEST_TEXT: usize = 48;

impl Extent<'_> {
    fn chooses(&self, scope: &str) -> bool {
        self.scopes.is_empty() || self.scopes.iter().any(|chosen| chosen == scope)
    }

    /// Each scope that is named must be among those there are.
    fn check(&self, path: &Path, there: &[String]) -> io::Result<()> {
        let Some(missing) = self.scopes.iter().find(|scope| !there.contains(scope)) else { return Ok(()) };
        let there =
            suggestion(missing, there.iter().map(String::as_str), "Without --scopes, all are recorded");
        let reason = format!("{}: there is no scope {missing}{there}", path.display());
        Err(io::Error::new(io::ErrorKind::InvalidInput, reason))
    }

    /// The texts stand beside the clock, before all signals.
    fn declare_texts(&self, file: &mut WaveformFile) -> io::Result<Vec<usize>> {
        let mut variables = vec![];
        for group in self.texts.chunk_by(|one, other| split(one).0 == split(other).0) {
            let scope = split(group[0]).0;
            scope.map_or(Ok(()), |scope| file.open_scope(scope))?;
            for name in group {
                variables.push(file.declare_text(LONGEST_TEXT, split(name).1)?);
            }
            scope.map_or(Ok(()), |_| file.close_scope())?;
        }
        Ok(variables)
    }
}

/// The scope of a text, if it has one, and its name there.
fn split(name: &str) -> (Option<&str>, &str) {
    name.split_once('.').map_or((None, name), |(scope, name)| (Some(scope), name))
}

fn write_texts(file: &mut WaveformFile, variables: &[usize], texts: &[&str]) -> io::Result<()> {
    let mut pairs = variables.iter().zip(texts);
    pairs.try_for_each(|(&variable, text)| file.change(variable, Shown::Text((*text).into())))
}
