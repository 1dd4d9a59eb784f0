//! Mutants of a design: copies of it with one small fault each, to see whether its testbench finds them.
//!
//! Yosys' `mutate` draws the faults: a port of a cell inverted, constant, or exchanged. All mutants of a design are one
//! netlist with a selector, which reads its number from a file when a simulation begins, so that it is compiled once.

mod equivalence;

use anyhow::{ensure, Result};
use gpurf_verilog::Hierarchy;

pub use equivalence::Equivalence;

use crate::yosys::Yosys;

/// Mutants of one design. They can be used as long as this lives.
pub struct Mutants<'a> {
    hierarchy: &'a Hierarchy,
    /// What holds of the inputs of any cycle, as one condition.
    protocol: String,
    yosys: Yosys,
    /// What is wrong with each.
    pub faults: Vec<Fault>,
}

/// One mutation.
#[derive(Clone, Debug)]
pub struct Fault {
    /// `inv`, `const0`, `const1`, `cnot0` or `cnot1`.
    pub mode: String,
    /// The signal at its place, if it has a name.
    pub wire: Option<String>,
    /// The port of a cell, and for `cnot0` and `cnot1` the bit of that port on which it depends.
    pub port: String,
    /// Lines of the design's text, from 1.
    pub lines: Vec<usize>,
    command: String,
}

const DESIGN: &str = "design.sv";
/// The design as faults are drawn from it.
const BASE: &str = "base.il";
const FAULTS: &str = "faults.ys";
const NETLIST: &str = "mutants.v";
/// Which mutant a simulation is.
const NUMBER: &str = "number";
const SELECTOR: &str = "mutant";
/// The inputs of this cycle keep to the protocol.
const KEPT: &str = "inputs_are_allowed";

impl<'a> Mutants<'a> {
    /// Draws so many faults, fewer if there are no more places. Memories are taken as right. The protocol is what holds of
    /// the inputs of any cycle, as Verilog has it.
    ///
    /// # Errors
    /// If Yosys is missing or fails.
    pub fn draw(hierarchy: &'a Hierarchy, protocol: &[String], count: usize, seed: u64) -> Result<Self> {
        let yosys = Yosys::new()?;
        yosys.write(DESIGN, &hierarchy.source())?;
        let top = &hierarchy.top;
        let drawn = yosys.run(
            &format!(
                "read_verilog -sv {DESIGN}; hierarchy -top {top}; proc; opt_clean; memory -nomap\n\
                 select -set memories t:$mem* %m; setattr -mod -set keep_hierarchy 1 @memories\n\
                 setattr -mod -unset keep_hierarchy {top}\n\
                 flatten; opt; memory -nomap; opt_clean; write_rtlil {BASE}\n\
                 select {top}; mutate -list {count} -seed {seed} -o {FAULTS}"
            ),
            None,
        )?;
        if !drawn {
            return Err(yosys.failure());
        }
        // All runs by one clock: a simulation in cycles does not tell its edges apart.
        let drawn = yosys.read(FAULTS)?;
        let faults = drawn.lines().map(Fault::read).filter(|fault| !fault.port.contains("CLK["));
        let faults: Vec<Fault> = faults.collect();
        let selected = faults.iter().zip(1..).map(|(fault, number)| {
            let options = fault.command.trim_start_matches("mutate");
            format!("mutate -ctrl {SELECTOR} 16 {number}{options}\n")
        });
        yosys.write(FAULTS, &selected.collect::<String>())?;
        // A fault cuts a bit out of a vector. Unless each driver has a wire of its own, and each output a buffer,
        // Verilator sees loops through vectors, and its 5.006 does not settle all of them.
        let selectable = yosys.run(
            &format!(
                "read_rtlil {BASE}; script {FAULTS}; rename {top} {top}_mutants\n\
                 select {top}_mutants; iopadmap -bits -outpad $_BUF_ A:Y; splitnets -driver; select -clear\n\
                 write_verilog -noattr {NETLIST}"
            ),
            None,
        )?;
        if !selectable {
            return Err(yosys.failure());
        }
        ensure!(!faults.is_empty(), "{top}: there is no place for a fault");
        let holds = protocol.iter().map(|condition| format!("({condition})"));
        let protocol = ["1'b1".to_string()].into_iter().chain(holds).collect::<Vec<_>>().join(" & ");
        let mutants = Mutants { hierarchy, protocol, yosys, faults };
        mutants.select(0)?;
        Ok(mutants)
    }

    /// Verilog with the ports of the design; which mutant it is, a simulation learns when it begins. Outputs are wrong, even
    /// those of the design, if inputs break the protocol.
    pub fn source(&self) -> Result<String> {
        let netlist = self.yosys.read(NETLIST)?;
        let ports = &self.hierarchy.top_module().ports;
        let declared = ports.iter().map(|port| {
            let direction = if port.is_input { "input" } else { "output" };
            format!("{direction} wire [{}:0] {}", port.width * port.count - 1, port.name)
        });
        let declared: Vec<_> = declared.collect();
        let connected = ports.iter().map(|port| match port.is_input {
            true => format!(".{0}({0})", port.name),
            false => format!(".{0}(\\{0}_inside )", port.name),
        });
        let connected: Vec<_> = connected.collect();
        let outputs = ports.iter().filter(|port| !port.is_input).map(|port| {
            let (name, last) = (&port.name, port.width * port.count - 1);
            format!(
                "  wire [{last}:0] \\{name}_inside ;\n  assign {name} = {KEPT} ? \\{name}_inside : ~\\{name}_inside ;\n"
            )
        });
        // Yosys has no expression for a buffer.
        Ok(format!(
            "{netlist}\n\
             module \\$_BUF_ (input A, output Y);\nassign Y = A;\nendmodule\n\
             module {top} (\n  {declared}\n);\n\
             \x20 reg [15:0] {SELECTOR};\n  integer {SELECTOR}_file, {SELECTOR}_read;\n\
             \x20 initial begin\n\
             \x20   {SELECTOR}_file = $fopen(\"{number}\", \"r\");\n\
             \x20   {SELECTOR}_read = $fscanf({SELECTOR}_file, \"%d\", {SELECTOR});\n\
             \x20   $fclose({SELECTOR}_file);\n\
             \x20 end\n\
             \x20 wire {KEPT} = {protocol};\n{outputs}\
             \x20 {top}_mutants mutants ({connected}, .{SELECTOR}({SELECTOR}));\n\
             endmodule\n",
            top = self.hierarchy.top,
            declared = declared.join(",\n  "),
            connected = connected.join(", "),
            protocol = self.protocol,
            outputs = outputs.collect::<String>(),
            number = self.yosys.path().join(NUMBER).display(),
        ))
    }

    /// Which mutant simulations are that begin from now on, from 1; 0 is the design itself.
    pub fn select(&self, number: usize) -> Result<()> {
        self.yosys.write(NUMBER, &number.to_string())
    }
}

impl Fault {
    /// From a line of Yosys' list.
    fn read(line: &str) -> Self {
        let options = |name: &str| options(line, name);
        // `design.sv:17.7-17.12|design.sv:25.43-25.76`.
        let places = options("-src").join("|");
        let number = |place: &str| place.rsplit(':').next()?.split('.').next()?.parse().ok();
        let mut lines: Vec<usize> = places.split('|').filter_map(number).collect();
        lines.sort();
        lines.dedup();
        let bit = |name: &str| format!("{}[{}]", options("-port").concat(), options(name).concat());
        let mut port = format!("{} {}", options("-cell").concat(), bit("-portbit"));
        if !options("-ctrlbit").is_empty() {
            port += &format!(" by {}", bit("-ctrlbit"));
        }
        let (mode, wire) = (options("-mode").concat(), options("-wire").first().cloned());
        Fault { mode, wire, port, lines, command: line.to_string() }
    }
}

/// The values of an option in a line of Yosys' list.
fn options(line: &str, name: &str) -> Vec<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    words.windows(2).filter(|pair| pair[0] == name).map(|pair| pair[1].to_string()).collect()
}
