// SPDX-License-Identifier: Apache-2.0
//! The values of every net in every cycle as VCD, which power tools and viewers read.

use std::io::{Result, Write};

use vcd::{IdCode, SimulationCommand, TimescaleUnit, Value, Writer};

use crate::circuit::{Circuit, Gates, Net};

/// A waveform of all nets of a circuit, in one scope of the module's name. Names are those of the netlist's
/// Verilog.
///
/// The values of cycle `n` appear `n` periods after the start. A clock that rises at the end of a cycle does
/// so where the next one begins, and falls half a period later: the module's clock in each, one behind a gate
/// if the gate was open.
///
/// # Errors
/// All methods: if it cannot be written.
pub struct Vcd<W: Write> {
    writer: Writer<W>,
    variables: Vec<Option<IdCode>>,
    /// The level of each net as it was written last; that of a clock stays low.
    levels: Vec<u8>,
    /// The clocks that rise where the next cycle begins.
    rising: Vec<Net>,
    cycle: u64,
    period_ps: u64,
}

impl<W: Write> Vcd<W> {
    /// Begins a waveform whose cycles take so many picoseconds, at least two.
    pub fn new(writer: W, circuit: &Circuit, period_ps: u64) -> Result<Self> {
        let mut writer = Writer::new(writer);
        writer.timescale(1, TimescaleUnit::PS)?;
        writer.add_module(&circuit.top)?;
        let declare = |(net, name): (usize, &String)| match net > 1 && !name.is_empty() {
            true => writer.add_wire(1, name).map(Some),
            false => Ok(None),
        };
        let variables = circuit.wires.iter().enumerate().map(declare).collect::<Result<Vec<_>>>()?;
        writer.upscope()?;
        writer.enddefinitions()?;
        writer.timestamp(0)?;
        writer.begin(SimulationCommand::Dumpvars)?;
        for variable in variables.iter().flatten() {
            writer.change_scalar(*variable, Value::V0)?;
        }
        writer.end()?;
        let levels = vec![0; variables.len()];
        Ok(Vcd { writer, variables, levels, rising: vec![], cycle: 0, period_ps })
    }

    /// The cycle that was run last.
    pub fn sample(&mut self, gates: &Gates) -> Result<()> {
        let start = self.period_ps * self.cycle;
        self.writer.timestamp(start)?;
        self.write_clocks(Value::V1)?;
        for ((level, now), variable) in self.levels.iter_mut().zip(gates.levels()).zip(&self.variables) {
            if let (Some(variable), true) = (variable, level != now) {
                self.writer.change_scalar(*variable, *now == 1)?;
                *level = *now;
            }
        }
        self.fall(start)?;
        self.rising = gates.rising().collect();
        self.cycle += 1;
        Ok(())
    }

    /// Writes the edges that end the last cycle.
    pub fn finish(mut self) -> Result<()> {
        let end = self.period_ps * self.cycle;
        self.writer.timestamp(end)?;
        self.write_clocks(Value::V1)?;
        self.fall(end)?;
        self.writer.flush()
    }

    fn fall(&mut self, start: u64) -> Result<()> {
        if self.rising.is_empty() {
            return Ok(());
        }
        self.writer.timestamp(start + self.period_ps / 2)?;
        self.write_clocks(Value::V0)
    }

    fn write_clocks(&mut self, level: Value) -> Result<()> {
        for variable in self.rising.iter().filter_map(|net| self.variables[*net as usize]) {
            self.writer.change_scalar(variable, level)?;
        }
        Ok(())
    }
}
