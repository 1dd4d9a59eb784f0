//! Mutants of a design: copies of it with one small fault each, to see whether its testbench finds them.
//!
//! Yosys' `mutate` draws the faults: a port of a cell inverted, constant, or exchanged. All mutants of a design are one
//! netlist with a selector, which reads its number from a file when a simulation begins, so that it is compiled once.

use std::time::Duration;

use anyhow::{ensure, Result};
use gpurf_verilog::Hierarchy;

use crate::autonomous;
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

/// What is known of a mutant that no run told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Equivalence {
    /// It answers as the design does, whatever the inputs.
    Proved,
    /// It can answer differently, or the time did not suffice.
    Open,
}

const DESIGN: &str = "design.sv";
/// The design as faults are drawn from it.
const BASE: &str = "base.il";
const FAULTS: &str = "faults.ys";
const NETLIST: &str = "mutants.v";
/// Which mutant a simulation is.
const NUMBER: &str = "number";
const PROOF: &str = "proof.v";
const SEEN: &str = "within_protocol";
const MITER: &str = "miter.aig";
const PROVE: &str = "prove.sh";
/// The design and a mutant, cut at their registers.
const GOLD: &str = "gold.aig";
const GATE: &str = "gate.aig";
const COMPARE: &str = "compare.sh";
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

    /// Whether a mutant that runs did not tell from the design can be told from it at all, as far as Yosys and its ABC find
    /// out in so many seconds for each attempt.
    ///
    /// First register by register: the next values and the outputs of the two are compared in any state that they have in
    /// common, by ABC's `cec`. Then, if there is a reset, from where a simulation begins, which is all registers at zero and a
    /// reset, and as long as inputs keep to the protocol: what follows no input and agrees in all its states becomes one, then
    /// registers of the two that are always equal or opposite do, and what is left is proved by property-directed reachability. Then by induction, name by name after what is built
    /// alike: two designs that have agreed for three cycles agree from then on. That they do so at the beginning, the runs
    /// have shown. A module without a clock is asked for its outputs under all inputs of the protocol.
    ///
    /// The designs stand without their memories: these answer alike if they are asked alike, so that what they are asked
    /// is compared as outputs are, and what they answer is any input. Nor does it matter which row of a memory is which: a
    /// mutant that numbers rows in another way is asked in those numbers.
    pub fn equivalence(&self, number: usize, seconds: u64) -> Result<Equivalence> {
        let top = &self.hierarchy.top;
        let fault = &self.faults[number - 1];
        let fault = fault.command.clone() + &self.numbers_rows_again(fault)?;
        let both = |top: &str, begins: &str| {
            // Bit by bit: what nobody reads of a vector is gone.
            let bits = format!(
                "{begins}memory_map {top}; opt_clean; expose -evert {top}/c:*; simplemap; opt -fast; rename {top}"
            );
            format!(
                "read_rtlil {BASE}; {bits} gold\n\
                 design -stash gold\n\
                 read_rtlil {BASE}\n{fault}\n{bits} gate\n\
                 design -stash gate\n\
                 design -copy-from gold -as gold gold; design -copy-from gate -as gate gate\n"
            )
        };
        let compared = both(top, "");
        let within = both(SEEN, &format!("read_verilog {PROOF}; hierarchy -top {SEEN}; proc; flatten; "));
        let names = format!(
            "{compared}equiv_make gold gate both; hierarchy -top both; opt_clean; opt_merge -share_all; opt_clean\n\
             equiv_struct; equiv_simple\n"
        );
        let from_reset = format!(
            "{within}miter -equiv -flatten gold gate both; hierarchy -top both; proc; flatten; opt\n\
             techmap; opt -fast; dffunmap; simplemap; setundef -undriven -zero; zinit -all; aigmap; opt_clean\n\
             write_aiger -zinit -symbols {MITER}"
        );
        let proved = format!("exec -q -expect-stdout Property.proved -- sh {PROVE}");
        let by_outputs = format!(
            "{within}miter -equiv -flatten gold gate both; hierarchy -top both; proc; flatten; opt_clean\n\
             sat -verify -prove trigger 0 both"
        );
        // A command of Yosys has no semicolons and takes quotes as they stand. If merging registers leaves nothing, some versions
        // of ABC have no answer: then the property is proved without it.
        let prove = format!(
            "said=$(yosys-abc -c 'read_aiger {MITER}; strash; scorr; dc2; pdr')\n\
             case $said in\n\
             *\"All outputs solved\"*UNDECIDED*) yosys-abc -c 'read_aiger {MITER}; strash; dc2; pdr' ;;\n\
             *) echo \"$said\" ;;\n\
             esac\n"
        );
        let has = |name: &str| self.hierarchy.top_module().ports.iter().any(|port| port.name == name);
        let (has_reset, has_clock) = (has("reset"), has("clock"));
        self.yosys.write(PROOF, &self.within_protocol())?;
        self.yosys.write(PROVE, &prove)?;
        // Registers stand in the same order in both; any order that pairs them would do.
        let cut = |text: &str, file: &str| {
            format!(
                "read_rtlil {BASE}\n{text}\nmemory_map {top}; opt_clean; expose -evert {top}/c:*; simplemap; techmap\n\
                 dffunmap; simplemap; setundef -undriven -zero; zinit -all; aigmap; opt_clean; write_aiger -zinit {file}\n"
            )
        };
        if !self.yosys.path().join(GOLD).exists() {
            ensure!(self.yosys.run(&cut("", GOLD), None)?, "{top}: Yosys cannot cut it at its registers");
        }
        let parts = [GOLD, GATE].map(|file| format!("read_aiger {file}; comb; write_aiger comb_{file}"));
        let compare = format!("yosys-abc -c '{}; cec -n comb_{GOLD} comb_{GATE}'\n", parts.join("; "));
        self.yosys.write(COMPARE, &compare)?;
        let by_registers =
            format!("{}exec -q -expect-stdout Networks.are.equivalent -- sh {COMPARE}", cut(&fault, GATE));
        let run = |proof: &str| self.yosys.run(proof, Some(Duration::from_secs(seconds)));
        let proved_from_reset = || -> Result<bool> {
            if !has_reset || !run(&from_reset)? {
                return Ok(false);
            }
            autonomous::merge(&self.yosys.path().join(MITER), "in_reset")?;
            run(&proved)
        };
        let proved = run(&by_registers)?
            || proved_from_reset()?
            || run(&(names + "equiv_induct -seq 3; equiv_status -assert"))?
            || !has_clock && run(&by_outputs)?;
        Ok(if proved { Equivalence::Proved } else { Equivalence::Open })
    }

    /// Commands that undo a fault where it makes other addresses of the addresses of memories. Only for memories with a row
    /// for each address and one address for all accesses: whatever is done to it, one to one, no answer tells.
    fn numbers_rows_again(&self, fault: &Fault) -> Result<String> {
        let of = |name: &str| options(&fault.command, name).concat();
        let (at_memory, wire) = (of("-port") == "address", of("-wire"));
        let is_seen = self.hierarchy.top_module().ports.iter().any(|port| port.name == wire);
        if !["inv", "cnot0", "cnot1"].contains(&fault.mode.as_str()) || is_seen && !at_memory {
            return Ok(String::new());
        }
        let numbers_rows = |kind: &str| {
            let module = self.hierarchy.modules.iter().find(|module| format!("\\{}", module.name) == kind);
            module.is_some_and(|module| {
                let has = |name: &str| module.ports.iter().any(|port| port.name == name);
                let of =
                    |name: &str| module.parameters.iter().find(|(known, _)| known == name).map(|(_, of)| *of);
                let is_full = of("address").zip(of("rows")).is_some_and(|(bits, rows)| 1 << bits == rows);
                is_full && has("address") && !has("second_address")
            })
        };
        let bit = |name| Some(of(name)).filter(|bit| !bit.is_empty()).map(|bit| format!(" {name} {bit}"));
        let bits: String = ["-portbit", "-ctrlbit"].into_iter().filter_map(bit).collect();
        let (mode, top) = (&fault.mode, &self.hierarchy.top);
        let (mut memory, mut again) = (None, String::new());
        for line in self.yosys.read(BASE)?.lines() {
            match line.split_whitespace().collect::<Vec<_>>()[..] {
                ["cell", kind, name] => memory = numbers_rows(kind).then(|| name.to_string()),
                ["connect", r"\address", signal] => {
                    let cell = memory.take().filter(|memory| match at_memory {
                        true => *memory == format!("\\{}", of("-cell")),
                        false => signal == format!("\\{wire}"),
                    });
                    if let Some(cell) = cell {
                        again += &format!(
                            "\nmutate -mode {mode} -module {top} -cell {cell} -port \\address{bits}"
                        );
                    }
                }
                _ => {}
            }
        }
        if !at_memory && !again.is_empty() {
            // It is not the signal that has its name in the design.
            again += &format!("\ncd {top}\nrename {wire} {SELECTOR}_{wire}\ncd");
        }
        Ok(again)
    }

    /// The design as a proof sees it: reset in the first cycle if it has a clock, with outputs that are low until then, and
    /// from when on its inputs break the protocol.
    fn within_protocol(&self) -> String {
        let ports = &self.hierarchy.top_module().ports;
        let has_clock = ports.iter().any(|port| port.name == "clock");
        let (mut declared, mut connected, mut inside) = (vec![], vec![], String::new());
        for port in ports {
            let (name, last) = (&port.name, port.width * port.count - 1);
            declared.push(format!("{} [{last}:0] {name}", if port.is_input { "input" } else { "output" }));
            connected.push(match (name.as_str(), port.is_input) {
                ("reset", _) => ".reset(reset | !begun)".to_string(),
                (_, true) => format!(".{name}({name})"),
                (_, false) => format!(".{name}(\\{name}_inside )"),
            });
            if !port.is_input {
                inside += &format!(
                    "wire [{last}:0] \\{name}_inside ;\nassign {name} = shown ? \\{name}_inside : 0;\n"
                );
            }
        }
        let shown = match has_clock {
            true => format!(
                "reg begun = 1'b0, broken = 1'b0;\nwire shown = begun & !broken & {KEPT};\n\
                 always @(posedge clock) begin\nbegun <= 1'b1;\nbroken <= broken | (begun & !{KEPT});\nend\n"
            ),
            false => format!("wire shown = {KEPT};\n"),
        };
        format!(
            "module {SEEN}({});\nwire {KEPT} = {};\n{shown}{inside}{} inside({});\nendmodule\n",
            declared.join(", "),
            self.protocol,
            self.hierarchy.top,
            connected.join(", ")
        )
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
