// SPDX-License-Identifier: Apache-2.0
//! `gpurf demonstrator`: one sub-core for an FPGA, with the inputs that it had in a run and a memory that
//! plays them.
//!
//! The top counts hits, and folds all outputs of all cycles into a signature. It knows what the model
//! counted, and says whether it found the same.

use std::cell::RefCell;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::rc::Rc;

use anyhow::{ensure, Context, Result};
use clap::Args;
use gpurf_blocks::ports::{SubCoreIn, SubCoreOut};
use gpurf_blocks::{layout, packed, Clocked, Field, Parameters, Ports};
use gpurf_hw::catalogue::find;
use gpurf_sim::config::Config;
use gpurf_sim::engines::{Engines, RunsSubCore, SubCoreEngine};
use gpurf_sim::sm::{Design, Gpu};
use gpurf_synth::{implement, Target, Utilization, Utilizations};
use gpurf_trace::Reuse;
use gpurf_verilog::Port;
use gpurf_workloads::Options;
use serde::Serialize;

use crate::input::{EmulationArguments, Input};
use crate::output::{write, JsonArgument};
use crate::program;
use crate::records::origin;
use crate::verdict::Verdict;
use crate::verilog::hierarchy;

/// The module at the top.
const TOP: &str = "demonstrator";

#[derive(Args)]
#[command(after_help = "Examples:
  gpurf demonstrator sgemm --out out/demonstrator                          # minutes
  gpurf demonstrator bfs --cycles 2048 --out out/demonstrator --implement  # minutes

The folder has demonstrator.v: the sub-core with caching collectors and registers of 32 bits, a memory with its inputs, and
the top, which counts. Registers of 32 bits carry tokens that stand for values.")]
pub struct Arguments {
    /// The workload whose first sub-core is recorded
    input: String,
    /// The number of cycles that are recorded, from the first one of the run on
    #[arg(long, value_name = "CYCLES", default_value_t = 1024, value_parser = clap::value_parser!(u64).range(2..=4096))]
    cycles: u64,
    /// The folder that the Verilog is written into
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Map the design to an ECP5 with Yosys, and place and route it with nextpnr, if that is there
    #[arg(long)]
    implement: bool,
    /// Keep the figures of --implement in this file, beside those of `gpurf synth --target`
    #[arg(long, value_name = "FILE", requires = "implement", value_parser = crate::output::file())]
    record: Option<PathBuf>,
    #[command(flatten)]
    emulation: EmulationArguments,
    #[command(flatten)]
    json: JsonArgument,
}

/// Counts that the top finds if it does as the model does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
struct Counted {
    cycles: u64,
    /// Instructions that enter a collector.
    instructions: u64,
    /// Sources that were found in their collector.
    hits: u64,
    /// All outputs of all cycles, folded.
    signature: u32,
}

#[derive(Serialize)]
struct DemonstratorReport {
    input: String,
    file: PathBuf,
    counted: Counted,
    utilization: Option<Utilization>,
}

pub fn run(arguments: Arguments) -> Result<Verdict> {
    let mut known = arguments.record.as_deref().map(Utilizations::read).transpose()?;
    let input = Input::find(&arguments.input)?;
    fs::create_dir_all(&arguments.out)
        .with_context(|| format!("{}: cannot be made; check the folder above it", arguments.out.display()))?;
    let config = Config::default();
    let cycles = record(&input, &arguments, &config)?;
    let parameters = Parameters { width: 32, ..Design::MALEKEH.parameters(&config, 0) };
    let hierarchy = hierarchy(find("ccu_sub_core")?, &parameters)?;
    let top = Top::new(&hierarchy.top, &hierarchy.top_module().ports);
    let counted = top.counted(&cycles);
    let text = format!("{}\n{}", hierarchy.source(), top.verilog(&cycles, &counted, &arguments.input));
    let file = arguments.out.join(format!("{TOP}.v"));
    write(&file, &text)?;
    let utilization = match arguments.implement {
        true => Some(implement(&text, TOP, Target::Ecp5)?),
        false => None,
    };
    if let (Some(path), Some(known), Some(one)) = (&arguments.record, &mut known, &utilization) {
        known.replace(std::slice::from_ref(one), &origin());
        known.write(path)?;
    }
    let report = DemonstratorReport { input: arguments.input.clone(), file, counted, utilization };
    let written = arguments.json.write(&report);
    if arguments.json.leaves_tables() {
        let Counted { cycles, instructions, hits, signature } = counted;
        println!(
            "{}: {cycles} cycles, {instructions} instructions, {hits} hits, signature {signature:08x}",
            report.file.display()
        );
        if let Some(one) = &report.utilization {
            let all = std::slice::from_ref(one);
            println!("{}\n{}", Utilization::summary(all), Utilization::notes(all));
        }
        println!("gpurf {}", program::version());
    }
    written?;
    Ok(Verdict::Holds)
}

/// Inputs and outputs of a cycle.
type Cycle = (SubCoreIn<u32>, SubCoreOut<u32>);

/// Runs a workload under the model, and takes down what the first sub-core is given and says.
fn record(input: &Input, arguments: &Arguments, config: &Config) -> Result<Vec<Cycle>> {
    let workload = arguments.emulation.stream(input, Options::default())?;
    let design = Design::MALEKEH;
    let record: Rc<RefCell<Vec<Cycle>>> = Rc::default();
    let engine = |number: usize| Tap {
        model: design.model(config, 0),
        record: (number == 0).then(|| record.clone()),
        last: Default::default(),
    };
    let mut gpu = Gpu::new(config, design, 0, Engines::around(config, design, engine));
    gpu.clock_every_cycle();
    let reuse = Reuse { threshold: config.rthld, ..Reuse::default() };
    gpu.limit_cycles(arguments.cycles);
    gpu.run(&workload, Some(&reuse))?;
    drop(gpu);
    let mut cycles = record.take();
    ensure!(
        cycles.len() as u64 >= arguments.cycles,
        "{}: its first sub-core has {} cycles; give --cycles less",
        arguments.input,
        cycles.len()
    );
    cycles.truncate(arguments.cycles as usize);
    Ok(cycles)
}

/// The model of a sub-core; the first one takes down its cycles.
struct Tap {
    model: SubCoreEngine,
    record: Option<Rc<RefCell<Vec<Cycle>>>>,
    last: Cycle,
}

impl Clocked for Tap {
    type In = SubCoreIn<u32>;
    type Out = SubCoreOut<u32>;

    fn settle(&mut self, inputs: &SubCoreIn<u32>) -> SubCoreOut<u32> {
        let outputs = self.model.settle(inputs);
        self.last = (*inputs, outputs);
        outputs
    }

    fn tick(&mut self) {
        self.model.tick();
        if let Some(record) = &self.record {
            record.borrow_mut().push(self.last);
        }
    }
}

impl RunsSubCore for Tap {}

/// Where the bits of a port's element lie among those of all, and the word that has its value.
struct ElementPlace {
    first_bit: usize,
    width: usize,
    word: usize,
}

/// The top: ports of the sub-core, and where their bits lie in the rows of the memory and in what is folded.
struct Top<'a> {
    sub_core: &'a str,
    ports: &'a [Port],
    inputs: Vec<ElementPlace>,
    outputs: Vec<ElementPlace>,
}

impl<'a> Top<'a> {
    fn new(sub_core: &'a str, ports: &'a [Port]) -> Self {
        let inputs = places(ports, &layout::<SubCoreIn<u32>>(), true);
        let outputs = places(ports, &layout::<SubCoreOut<u32>>(), false);
        Top { sub_core, ports, inputs, outputs }
    }

    /// The model's counts.
    fn counted(&self, cycles: &[Cycle]) -> Counted {
        let mut counted = Counted { cycles: cycles.len() as u64, ..Counted::default() };
        for (_, outputs) in cycles {
            counted.instructions += u64::from(outputs.issued);
            counted.hits += outputs.hit.iter().filter(|hit| **hit).count() as u64;
            let folded = bits(&self.outputs, outputs).iter().fold(0, |folded, word| folded ^ word);
            counted.signature = counted.signature.rotate_left(1) ^ folded;
        }
        counted
    }

    /// Bits of all inputs or outputs.
    fn width(&self, is_input: bool) -> usize {
        own(self.ports, is_input).map(|port| port.width * port.count).sum()
    }

    fn verilog(&self, cycles: &[Cycle], counted: &Counted, workload: &str) -> String {
        let Counted { hits, instructions, signature, .. } = counted;
        let (rows, width, said) = (cycles.len(), self.width(true), self.width(false));
        let address = rows.next_power_of_two().trailing_zeros();
        let mut contents = String::new();
        for (row, (inputs, _)) in cycles.iter().enumerate() {
            let digits: String =
                bits(&self.inputs, inputs).iter().rev().map(|word| format!("{word:08x}")).collect();
            let digits = &digits[digits.len() - width.div_ceil(4)..];
            writeln!(contents, "    rows[{row}] = {width}'h{digits};").expect("a string takes any text");
        }
        let mut connections = String::new();
        for is_input in [true, false] {
            let mut first = 0;
            for Port { name, width, count, .. } in own(self.ports, is_input) {
                let wires = if is_input { "inputs" } else { "outputs" };
                let last = first + width * count - 1;
                writeln!(connections, "    .{name}({wires}[{last}:{first}]),")
                    .expect("a string takes any text");
                first = last + 1;
            }
        }
        let place = |name: &str| -> (usize, usize) {
            let before = own(self.ports, false).take_while(|port| port.name != name);
            let first = before.map(|port| port.width * port.count).sum();
            let port = own(self.ports, false).find(|port| port.name == name).expect("a port of the sub-core");
            (first, first + port.width * port.count - 1)
        };
        let ((hit, last_hit), (issued, _)) = (place("hit"), place("issued"));
        let folded: Vec<String> = (0..said.div_ceil(32))
            .map(|word| {
                let (first, last) = (32 * word, (32 * word + 31).min(said - 1));
                format!("said[{last}:{first}]")
            })
            .collect();
        format!(
            "// {TOP}: plays what the first sub-core was given in the first {rows} cycles of {workload}, and counts.
module {TOP} (
  input wire clock,
  input wire reset,
  // Sources that were found in their collector.
  output reg [15:0] hits,
  // Instructions that entered a collector.
  output reg [15:0] instructions,
  // All outputs of all cycles, folded.
  output reg [31:0] signature,
  // All was played.
  output wire done,
  // All was played, and the model counted the same.
  output wire passed
);

  reg [{input_msb}:0] rows [0:{last_row}];
  reg [{input_msb}:0] inputs;
  wire [{output_msb}:0] outputs;
  reg [{output_msb}:0] said;
  reg [{address}:0] next;
  reg playing, heard;
  reg [3:0] found;
  integer slot;

  initial begin
{contents}  end

  // A row is read a cycle before it is played; what the sub-core says is counted a cycle later.
  always @(posedge clock) inputs <= rows[next[{address_msb}:0]];

  always @* begin
    found = 4'd0;
    for (slot = {hit}; slot <= {last_hit}; slot = slot + 1) found = found + {{3'd0, said[slot]}};
  end

  always @(posedge clock)
    if (reset) begin
      next <= {next_width}'d0;
      playing <= 1'b0;
      heard <= 1'b0;
      hits <= 16'd0;
      instructions <= 16'd0;
      signature <= 32'd0;
    end else begin
      if (next != {next_width}'d{rows}) next <= next + {next_width}'d1;
      playing <= next != {next_width}'d{rows};
      heard <= playing;
      said <= outputs;
      if (heard) begin
        hits <= hits + {{12'd0, found}};
        instructions <= instructions + {{15'd0, said[{issued}]}};
        signature <= {{signature[30:0], signature[31]}} ^ {folded};
      end
    end

  assign done = next == {next_width}'d{rows} && !playing && !heard;
  assign passed = done && hits == 16'd{hits} && instructions == 16'd{instructions} && signature == 32'h{signature:08x};

  {sub_core} sub_core (
{connections}    .clock(clock),
    .reset(!playing)
  );
endmodule
",
            input_msb = width - 1,
            last_row = rows - 1,
            output_msb = said - 1,
            address_msb = address - 1,
            next_width = address + 1,
            sub_core = self.sub_core,
            folded = folded.join(" ^ "),
        )
    }
}

/// Ports of a direction, without clock and reset.
fn own(ports: &[Port], is_input: bool) -> impl Iterator<Item = &Port> {
    let is_one =
        move |port: &&Port| port.is_input == is_input && !["clock", "reset"].contains(&port.name.as_str());
    ports.iter().filter(is_one)
}

/// Where elements of ports lie, one port behind the other.
fn places(ports: &[Port], fields: &[Field], is_input: bool) -> Vec<ElementPlace> {
    let mut places = vec![];
    let mut before = 0;
    for Port { name, width, count, .. } in own(ports, is_input) {
        for field in fields.iter().filter(|field| field.name.field == name) {
            let index = field.name.index.unwrap_or(0);
            if index < *count {
                places.push(ElementPlace {
                    first_bit: before + index * width,
                    width: *width,
                    word: field.first_word,
                });
            }
        }
        before += width * count;
    }
    places
}

/// Bits of ports, one port behind the other, in words.
fn bits<P: Ports>(places: &[ElementPlace], ports: &P) -> Vec<u32> {
    let values = packed(ports);
    let last = places.iter().map(|place| place.first_bit + place.width).max().unwrap_or(0);
    let mut words = vec![0_u32; last.div_ceil(32)];
    for ElementPlace { first_bit, width, word } in places {
        for bit in (0..*width).filter(|bit| values[*word] >> bit & 1 == 1) {
            words[(first_bit + bit) / 32] |= 1 << ((first_bit + bit) % 32);
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn port(name: &str, width: usize, count: usize, is_input: bool) -> Port {
        Port { name: name.into(), width, count, is_input }
    }

    /// Ports stand one behind the other, elements of an array from the lowest bits on.
    #[test]
    fn bits_lie_where_the_verilog_has_them() {
        let ports =
            [port("clock", 1, 1, true), port("unit_ready", 8, 1, true), port("write_register", 8, 2, true)];
        let top = Top::new("sub_core", &ports);
        let mut inputs = SubCoreIn::<u32>::default();
        inputs.unit_ready = 0x12;
        (inputs.write_register[0], inputs.write_register[1]) = (0x34, 0x156);
        assert_eq!(bits(&top.inputs, &inputs), [0x0056_3412], "and no more than a port's bits");
        assert_eq!(top.width(true), 24);
    }

    #[test]
    fn every_output_of_every_cycle_is_in_the_signature() {
        let ports = [port("issued", 1, 1, false), port("hit", 1, 7, false)];
        let top = Top::new("sub_core", &ports);
        let mut outputs = SubCoreOut::<u32>::default();
        (outputs.issued, outputs.hit[2]) = (true, true);
        let idle = SubCoreOut::<u32>::default();
        let counted = top.counted(&[(Default::default(), outputs), (Default::default(), idle)]);
        let expected = Counted { cycles: 2, instructions: 1, hits: 1, signature: 0b1001 << 1 };
        assert_eq!(counted, expected);
    }
}
