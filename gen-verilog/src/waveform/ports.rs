// SPDX-License-Identifier: Apache-2.0
//! Recording of the ports of any engine.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use gpurf_blocks::{Field, PortLayout};
use rust_hdl::prelude::Block;

use super::file::{bits, Shown, WaveformFile, WaveformVariable};
use super::Extent;
use crate::emit::scope;
use crate::emit::signals::{Role, Signals};
use crate::{EmitError, Style};

/// Records the ports of an engine: the RTL, its reference model or its Verilog.
///
/// Inputs and outputs have a scope each. Ports that the module does not have, where an array of the
/// plain struct is longer than it needs, are left out.
///
/// # Errors
/// All methods: if the file cannot be written; the message names it. Until [`PortWaveform::finish`] the
/// waveform has a temporary name, and it is removed if it is never finished.
pub struct PortWaveform {
    file: WaveformFile,
    texts: Vec<usize>,
    inputs: Option<Side>,
    outputs: Option<Side>,
}

impl PortWaveform {
    /// `top` is the name of the outermost scope; `module` tells which of the ports there are and their
    /// widths.
    pub fn create(
        path: &Path,
        top: &str,
        module: &dyn Block,
        layout: &PortLayout,
        extent: Extent,
    ) -> io::Result<Self> {
        let sides = ["inputs", "outputs"];
        extent.check(path, &sides.map(String::from))?;
        let widths = PortWidths::of(module).map_err(io::Error::other)?;
        let mut file = WaveformFile::create(path)?;
        file.open_top(top)?;
        let texts = extent.declare_texts(&mut file)?;
        let [inputs, outputs] = sides.map(|side| extent.chooses(side).then_some(side));
        let mut declare = |side, fields| Side::declare(&mut file, side, fields, &widths);
        let inputs = inputs.map(|side| declare(side, &layout.inputs)).transpose()?;
        let outputs = outputs.map(|side| declare(side, &layout.outputs)).transpose()?;
        file.close_top()?;
        Ok(PortWaveform { file, texts, inputs, outputs })
    }

    /// The settled ports of a cycle as packed words, and the texts, in the order of their names. Cycles must
    /// rise; over those left out, values stand still.
    pub fn sample(&mut self, cycle: u64, inputs: &[u32], outputs: &[u32], texts: &[&str]) -> io::Result<()> {
        self.file.begin_cycle(cycle)?;
        super::write_texts(&mut self.file, &self.texts, texts)?;
        self.inputs.as_ref().map_or(Ok(()), |side| side.write(&mut self.file, inputs))?;
        self.outputs.as_ref().map_or(Ok(()), |side| side.write(&mut self.file, outputs))?;
        self.file.end_cycle(cycle)
    }

    /// The variables that it records.
    pub fn variables(&self) -> &[WaveformVariable] {
        &self.file.variables
    }

    /// Completes the file and gives it its name.
    pub fn finish(self) -> io::Result<()> {
        self.file.finish()
    }
}

/// Inputs or outputs of a module.
struct Side {
    /// Variable, first word and width of each port that the module has.
    ports: Vec<(usize, usize, usize)>,
}

impl Side {
    fn declare(
        file: &mut WaveformFile,
        scope: &str,
        fields: &[Field],
        widths: &PortWidths,
    ) -> io::Result<Self> {
        file.open_scope(scope)?;
        let mut ports = vec![];
        for field in fields {
            let name = field.name.to_string();
            if let Some(&width) = widths.0.get(&name) {
                ports.push((file.declare(width, &name)?, field.first_word, width));
            }
        }
        file.close_scope()?;
        Ok(Side { ports })
    }

    fn write(&self, file: &mut WaveformFile, words: &[u32]) -> io::Result<()> {
        for &(variable, first_word, width) in &self.ports {
            let value = bits(&words[first_word..], width);
            file.change(variable, Shown::Bits(value)).map_err(|error| file.named(error))?;
        }
        Ok(())
    }
}

/// Width of every port of a module, by its name: `source_valid_3`.
struct PortWidths(HashMap<String, usize>);

impl PortWidths {
    fn of(module: &dyn Block) -> Result<Self, EmitError> {
        let signals = Signals::of(&scope::read(module)?, &Style::default())?;
        let mut widths = HashMap::new();
        for vector in &signals.vectors {
            if !matches!(vector.role, Role::Input | Role::Output) {
                continue;
            }
            for element in 0..vector.count {
                let name = match vector.is_array {
                    true => format!("{}_{element}", vector.name),
                    false => vector.name.clone(),
                };
                widths.insert(name, vector.width);
            }
        }
        Ok(PortWidths(widths))
    }
}
