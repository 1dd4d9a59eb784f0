// SPDX-License-Identifier: Apache-2.0
//! The emitted Verilog, interpreted by Icarus in a process of its own.
//!
//! A testbench reads one hexadecimal number per step from its standard input, a command digit above
//! the packed inputs, and answers a `settle` with the packed outputs in hexadecimal. Icarus knows
//! unknown values, which Verilator does not: an output that is not 0 or 1 stops the run.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use gpurf_blocks::{PackedClocked, PortLayout, Typed};
use gpurf_hw::dialect::Module;
use tempfile::TempDir;

use super::harness::{Harness, MODULE};
use super::EngineError;
use crate::tools::{run, write, Tool, ToolError};
use crate::{emit, Hierarchy};

/// Command digits of the testbench.
const TICK: char = '0';
const SETTLE: char = '1';
const SETTLE_IN_RESET: char = '2';

/// A module's Verilog under clock and reset, run by Icarus.
///
/// # Panics
/// `settle` and `tick` panic if an output is unknown (X or Z), naming it, or if the simulator dies.
pub struct Icarus {
    simulator: Child,
    commands: BufWriter<ChildStdin>,
    answers: BufReader<ChildStdout>,
    /// The latest inputs.
    inputs: Vec<u32>,
    line: String,
    cycle: u64,
    /// The port whose value stands at each word of the outputs.
    output_names: Vec<String>,
    /// Holds the compiled testbench while it runs.
    _folder: TempDir,
}

impl Icarus {
    /// Emits the module's Verilog, starts a simulator on it, and resets it for one cycle.
    ///
    /// # Errors
    /// If the module cannot be emitted, or Icarus is missing or refuses the Verilog.
    pub fn new<M: Module>(module: &M) -> Result<Typed<Self, M::In, M::Out>, EngineError> {
        Ok(Typed::new(Self::of(&emit(module)?, &PortLayout::of::<M::In, M::Out>())?))
    }

    /// The engine of a design whose top module has these ports.
    ///
    /// # Errors
    /// As [`Icarus::new`].
    pub fn of(hierarchy: &Hierarchy, layout: &PortLayout) -> Result<Self, EngineError> {
        let harness = Harness::new(hierarchy, layout);
        let folder = tempfile::tempdir().map_err(ToolError::files("cannot make a temporary folder"))?;
        let source = folder.path().join("testbench.v");
        let compiled = folder.path().join("testbench.vvp");
        let text = format!("{}\n{}", hierarchy.source(), testbench(&harness));
        write(&source, &text)?;
        let mut compiler = Tool::Iverilog.command()?;
        run(compiler.args(["-g2005", "-s", MODULE, "-o"]).arg(&compiled).arg(&source))?;
        let (simulator, commands, answers) = start(Tool::Vvp.command()?.arg("-n").arg(&compiled))?;
        let mut engine = Icarus {
            simulator,
            commands: BufWriter::new(commands),
            answers: BufReader::new(answers),
            inputs: layout.no_inputs(),
            line: String::new(),
            cycle: 0,
            output_names: (0..harness.words.1).map(|word| harness.output_at(word)).collect(),
            _folder: folder,
        };
        // Before the first edge an output may well be unknown.
        engine.command(SETTLE_IN_RESET);
        engine.answer();
        engine.command(TICK);
        Ok(engine)
    }

    /// Sends a command with the packed inputs.
    fn command(&mut self, command: char) {
        self.line.clear();
        self.line.push(command);
        for word in self.inputs.iter().rev() {
            write!(self.line, "{word:08x}").expect("writing to a String");
        }
        self.line.push('\n');
        if let Err(error) = self.commands.write_all(self.line.as_bytes()) {
            panic!("Icarus does not run any more: {error}");
        }
    }

    /// Reads a line of packed outputs.
    fn answer(&mut self) {
        self.line.clear();
        let read = self.commands.flush().and_then(|()| self.answers.read_line(&mut self.line));
        match read {
            Ok(count) if count > 0 => {}
            Ok(_) => panic!("Icarus has stopped in cycle {}", self.cycle),
            Err(error) => panic!("Icarus does not run any more: {error}"),
        }
    }
}

impl PackedClocked for Icarus {
    fn settle(&mut self, inputs: &[u32], outputs: &mut [u32]) {
        self.inputs.copy_from_slice(inputs);
        self.command(SETTLE);
        self.answer();
        let digits = self.line.trim_end();
        // One digit stands above the words, so that there is a number even without outputs.
        let words = digits.as_bytes()[1..].chunks(8).rev().zip(outputs).zip(&self.output_names);
        for ((digits, word), name) in words {
            let digits = std::str::from_utf8(digits).expect("Icarus writes ASCII");
            *word = u32::from_str_radix(digits, 16)
                .unwrap_or_else(|_| panic!("cycle {}: {name} is unknown in Icarus: 'h{digits}", self.cycle));
        }
    }

    fn tick(&mut self) {
        self.command(TICK);
        self.cycle += 1;
    }
}

impl Drop for Icarus {
    fn drop(&mut self) {
        // It has nothing to save; a simulator that is gone already is as good.
        let _ = self.simulator.kill();
        let _ = self.simulator.wait();
    }
}

fn start(command: &mut Command) -> Result<(Child, ChildStdin, ChildStdout), EngineError> {
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut child = child.map_err(ToolError::files("cannot run vvp"))?;
    let commands = child.stdin.take().expect("standard input is a pipe");
    let answers = child.stdout.take().expect("standard output is a pipe");
    Ok((child, commands, answers))
}

/// Packs the ports into two numbers, as the plain structs are packed, and steps on command.
fn testbench(harness: &Harness) -> String {
    let Harness { hierarchy, inputs, outputs, words: (in_words, out_words) } = harness;
    let mut wires = String::new();
    for wire in inputs {
        let (name, width, low) = (&wire.name, wire.width, 32 * wire.first_word);
        let range = format!("[{}:0]", width - 1);
        writeln!(wires, "  wire {range} {name} = inputs[{low} +: {width}];").expect("writing to a String");
    }
    for wire in outputs {
        let (name, width, low) = (&wire.name, wire.width, 32 * wire.first_word);
        writeln!(wires, "  wire [{}:0] {name};\n  assign outputs[{low} +: {width}] = {name};", width - 1)
            .expect("writing to a String");
    }
    // Bits that no port drives are zero: the upper bits of a word, and elements that do not exist.
    let mut driven = vec![false; 32 * out_words];
    outputs.iter().for_each(|wire| {
        let first = 32 * wire.first_word;
        driven[first..first + wire.width].fill(true);
    });
    let mut bit = 0;
    while bit < driven.len() {
        let end = driven[bit..].iter().position(|other| *other != driven[bit]);
        let end = end.map_or(driven.len(), |length| bit + length);
        if !driven[bit] {
            let width = end - bit;
            writeln!(wires, "  assign outputs[{bit} +: {width}] = {{{width}{{1'b0}}}};")
                .expect("writing to a String");
        }
        bit = end;
    }
    let (in_bits, out_bits) = (32 * in_words, 32 * out_words);
    let (top, connections) = (&hierarchy.top, harness.connections());
    format!(
        "module {MODULE};
  reg clock;
  reg reset;
  // The command stands above the inputs, and a zero digit above the outputs.
  reg [{in_bits} + 3:0] inputs;
  wire [{out_bits} + 3:0] outputs;
  integer count;

  assign outputs[{out_bits} +: 4] = 4'd0;
{wires}
  {top} dut (
{connections}
  );

  initial begin
    clock = 1'b0;
    reset = 1'b1;
    count = $fscanf(32'h8000_0000, \"%h\", inputs);
    while (count == 1) begin
      if (inputs[{in_bits} +: 4] == 4'd0) begin
        clock = 1'b1;
        #1;
      end else begin
        clock = 1'b0;
        reset = inputs[{in_bits} +: 4] == 4'd2;
        #1;
        $display(\"%h\", outputs);
        $fflush;
      end
      count = $fscanf(32'h8000_0000, \"%h\", inputs);
    end
    $finish;
  end
endmodule
"
    )
}
