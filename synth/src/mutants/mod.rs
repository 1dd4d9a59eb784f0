// SPDX-License-Identifier: Apache-2.0
//! Mutants of a design: copies of it with one small fault each, to see whether its testbench finds them.
//!
//! Yosys' `mutate` draws the faults: a port of a cell inverted, constant, or exchanged. All mutants of a
//! design are one netlist with a selector, which reads its number from a file when a simulation begins, so
//! that it is compiled once.

mod equivalence;
mod miter;

use std::collections::BTreeMap;

use anyhow::{ensure, Result};
use gpurf_verilog::{Hierarchy, Port, VerilogModule};

pub use equivalence::Equivalence;

use crate::yosys::Yosys;

/// Conditions that a module's inputs keep in any cycle, by the names of modules. They are expressions of
/// its Verilog, which may name its registers.
pub type Protocols = BTreeMap<String, Vec<String>>;

/// Mutants of one design. They can be used as long as this lives.
pub struct Mutants<'a> {
    hierarchy: &'a Hierarchy,
    yosys: Yosys,
    /// The fault of each.
    pub faults: Vec<Mutation>,
}

/// One mutation.
#[derive(Clone, Debug)]
pub struct Mutation {
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
/// In each module that has a protocol: the inputs of this cycle keep to it. Of all of them it is an output of
/// the flat design.
const KEPT: &str = "protocol_is_kept";

impl<'a> Mutants<'a> {
    /// Draws so many faults, fewer if there are no more places. Memories are taken as right.
    ///
    /// # Errors
    /// If Yosys is missing or fails.
    pub fn draw(hierarchy: &'a Hierarchy, protocols: &Protocols, count: usize, seed: u64) -> Result<Self> {
        let yosys = Yosys::new()?;
        let design = as_drawn_from(hierarchy, protocols);
        yosys.write(DESIGN, &design)?;
        let top = &hierarchy.top;
        // A protocol is no part of the design: its cells are not merged with others, and have no faults.
        let protocol_lines = design.lines().zip(1..).filter(|(line, _)| line.contains(KEPT));
        let cells = protocol_lines.map(|(_, number)| format!("a:src=*{DESIGN}:{number}.*"));
        let cells: Vec<String> = cells.collect();
        let deselect: String = cells.iter().map(|cells| format!("select -del {cells}\n")).collect();
        let without: String = cells.iter().map(|cells| format!(" */{cells} %d")).collect();
        // Instances have nothing in common: what one has is proved of it alone.
        let drawn = yosys.run(
            &format!(
                "read_verilog -sv {DESIGN}; hierarchy -top {top}; proc; opt_expr; opt_clean; memory -nomap\n\
                 select -set merged *{without}\n\
                 opt_merge @merged; opt_muxtree; opt_reduce; opt_merge @merged; opt_dff; opt_clean; opt_expr\n\
                 select -set memories t:$mem* %m; setattr -mod -set keep_hierarchy 1 @memories\n\
                 setattr -mod -unset keep_hierarchy {top}\n\
                 flatten; opt_clean; wreduce; opt_expr; opt_muxtree; opt_reduce; opt_dff; opt_expr; memory -nomap; opt_clean\n\
                 expose {top}/w:*{KEPT}; write_rtlil {BASE}\n\
                 select {top}\n{deselect}mutate -list {count} -seed {seed} -o {FAULTS}"
            ),
            None,
        )?;
        if !drawn {
            return Err(yosys.failure());
        }
        // All runs by one clock: a simulation in cycles does not tell its edges apart.
        let is_there = |fault: &Mutation| !fault.port.contains("CLK[");
        let drawn = yosys.read(FAULTS)?;
        let faults: Vec<Mutation> = drawn.lines().map(Mutation::read).filter(is_there).collect();
        let selected = faults.iter().zip(1..).map(|(fault, number)| {
            let options = fault.command.trim_start_matches("mutate");
            format!("mutate -ctrl {SELECTOR} 16 {number}{options}\n")
        });
        yosys.write(FAULTS, &selected.collect::<String>())?;
        // A fault cuts a bit out of a vector. Unless each driver has a wire of its own, whatever else it is
        // assigned to, and each output a buffer, Verilator sees loops through vectors, and its 5.006 does not
        // settle all of them, or says nothing and is wrong.
        let selectable = yosys.run(
            &format!(
                "read_rtlil {BASE}; script {FAULTS}; rename {top} {top}_mutants\n\
                 select {top}_mutants; iopadmap -bits -outpad $_BUF_ A:Y; opt_clean; splitnets -driver; select -clear\n\
                 write_verilog -noattr {NETLIST}"
            ),
            None,
        )?;
        if !selectable {
            return Err(yosys.failure());
        }
        ensure!(!faults.is_empty(), "{top}: there is no place for a fault");
        let mutants = Mutants { hierarchy, yosys, faults };
        mutants.select(0)?;
        Ok(mutants)
    }

    /// Verilog with the ports of the design; which mutant it is, a simulation learns when it begins. Outputs
    /// of the design itself are wrong in a cycle in which its inputs, or those of a module in it, break their
    /// protocol.
    pub fn source(&self) -> Result<String> {
        let netlist = self.yosys.read(NETLIST)?;
        let ports = &self.hierarchy.top_module().ports;
        let declared = ports.iter().map(|port| {
            let direction = if port.is_input { "input" } else { "output" };
            format!("{direction} wire [{}:0] {}", port.width * port.count - 1, port.name)
        });
        let declared: Vec<_> = declared.collect();
        let pins = pins(&self.yosys.read(BASE)?, &self.hierarchy.top);
        let kept = pins.iter().filter(|pin| pin.is_kept()).map(|pin| format!(" & \\{}_inside ", pin.name));
        let connected = pins.iter().map(|Pin { name, is_input, .. }| match is_input {
            true => format!(".\\{name} (\\{name} )"),
            false => format!(".\\{name} (\\{name}_inside )"),
        });
        let connected: Vec<_> = connected.collect();
        let outputs = pins.iter().filter(|pin| !pin.is_input).map(|pin| {
            let Pin { name, bits, .. } = pin;
            let inside = format!("  wire [{}:0] \\{name}_inside ;\n", bits - 1);
            match pin.is_kept() {
                true => inside,
                false => {
                    format!("{inside}  assign \\{name} = right ? \\{name}_inside : ~\\{name}_inside ;\n")
                }
            }
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
             \x20 wire right;\n{outputs}\
             \x20 assign right = {SELECTOR} != 0 | (1'b1{kept});\n\
             \x20 {top}_mutants mutants ({connected}, .{SELECTOR}({SELECTOR}));\n\
             endmodule\n",
            top = self.hierarchy.top,
            declared = declared.join(",\n  "),
            connected = connected.join(", "),
            kept = kept.collect::<String>(),
            outputs = outputs.collect::<String>(),
            number = self.yosys.path().join(NUMBER).display(),
        ))
    }

    /// Which mutant simulations are that begin from now on, from 1; 0 is the design itself.
    pub fn select(&self, number: usize) -> Result<()> {
        self.yosys.write(NUMBER, &number.to_string())
    }
}

/// The design's Verilog, with a condition in each module that has a protocol, in its last line. And a memory
/// has no more address bits than its rows need, so that there are no faults in others, or on their way.
fn as_drawn_from(hierarchy: &Hierarchy, protocols: &Protocols) -> String {
    let mut design = hierarchy.clone();
    for module in &mut design.modules {
        if let Some(rows) = rows(module) {
            for port in module.ports.iter().filter(|port| port.name.ends_with("address")) {
                let declared = |bits| format!("[{}:0] {}", bits - 1, port.name);
                let needed = (rows - 1).max(1).ilog2() + 1;
                module.code = module.code.replace(&declared(port.width), &declared(needed as usize));
            }
        }
        if let Some(protocol) = protocols.get(&module.name).filter(|protocol| !protocol.is_empty()) {
            let holds = protocol.iter().map(|condition| format!("({condition})"));
            let holds = holds.collect::<Vec<_>>().join(" & ");
            let body = module.code.trim_end().trim_end_matches("endmodule");
            module.code = format!("{body}(* keep *) wire {KEPT} = {holds}; endmodule\n");
        }
    }
    design.code()
}

/// The rows of a module that is a memory.
pub(crate) fn rows(module: &VerilogModule) -> Option<usize> {
    module.parameters.iter().find(|(name, _)| name == "rows").map(|(_, rows)| *rows)
}

/// A port of so many bits.
struct Pin {
    name: String,
    bits: usize,
    is_input: bool,
}

impl Pin {
    /// It says whether a module's inputs keep to its protocol.
    fn is_kept(&self) -> bool {
        self.name.ends_with(KEPT)
    }
}

/// The ports of a module in a text of Yosys'.
fn pins(text: &str, module: &str) -> Vec<Pin> {
    let (mut pins, mut inside) = (vec![], false);
    for line in text.lines() {
        match line.split_whitespace().collect::<Vec<_>>()[..] {
            ["module", name] => inside = name == format!("\\{module}"),
            ["wire", ref options @ .., name] if inside => {
                let option = |name: &str| options.iter().position(|option| *option == name);
                let bits = option("width").and_then(|at| options.get(at + 1)?.parse().ok()).unwrap_or(1);
                let is_input = option("input").is_some();
                if is_input || option("output").is_some() {
                    pins.push(Pin { name: name.trim_start_matches('\\').into(), bits, is_input });
                }
            }
            _ => {}
        }
    }
    pins
}

/// A memory in the flat design.
struct Memory<'a> {
    cell: String,
    ports: &'a [Port],
    rows: usize,
    /// The signal at its address.
    address: String,
}

impl Memory<'_> {
    /// A signal that is high in a cycle in which the memory's answer depends on this input of a port.
    fn is_asked(&self, output: &str) -> Option<String> {
        let enable = match output.strip_prefix(&self.cell)?.strip_prefix('.')? {
            "address" => "enable",
            "write_data" => "write",
            "second_address" => "second_enable",
            _ => return None,
        };
        Some(format!("{}.{enable}", self.cell))
    }

    /// All accesses go to one address.
    fn has_one_address(&self) -> bool {
        self.ports.iter().all(|port| port.name != "second_address")
    }
}

/// The memories in a text of Yosys'.
fn memories<'a>(hierarchy: &'a Hierarchy, text: &str) -> Vec<Memory<'a>> {
    let (mut memories, mut open) = (vec![], None);
    for line in text.lines() {
        match line.split_whitespace().collect::<Vec<_>>()[..] {
            ["cell", kind, cell] => {
                let module = hierarchy.modules.iter().find(|module| format!("\\{}", module.name) == kind);
                open = module.and_then(|module| {
                    let rows = rows(module)?;
                    let cell = cell.trim_start_matches('\\').to_string();
                    Some(Memory { cell, ports: &module.ports, rows, address: String::new() })
                });
            }
            ["connect", r"\address", ref signal @ ..] => {
                let address = signal.concat().trim_start_matches('\\').to_string();
                memories.extend(open.take().map(|memory| Memory { address, ..memory }));
            }
            _ => {}
        }
    }
    memories
}

impl Mutation {
    /// It is where a memory is told which row is meant.
    fn is_at_an_address(&self) -> bool {
        options(&self.command, "-port").concat() == "address"
    }

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
        Mutation { mode, wire, port, lines, command: line.to_string() }
    }
}

/// The values of an option in a line of Yosys' list.
fn options(line: &str, name: &str) -> Vec<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    words.windows(2).filter(|pair| pair[0] == name).map(|pair| pair[1].to_string()).collect()
}
