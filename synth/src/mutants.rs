//! Mutants of a design: copies of it with one small fault each, to see whether its testbench finds them.
//!
//! Yosys' `mutate` draws the faults: a port of a cell inverted, constant, or exchanged. All mutants of a design are one
//! netlist with a selector, which reads its number from a file when a simulation begins, so that it is compiled once.

use std::time::Duration;

use anyhow::{ensure, Result};
use gpurf_verilog::Hierarchy;

use crate::yosys::Yosys;

/// Mutants of one design. They can be used as long as this lives.
pub struct Mutants<'a> {
    hierarchy: &'a Hierarchy,
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
const PROVED: &str = "proved";
const MITER: &str = "miter.aig";
const PROVE: &str = "prove.sh";
const SELECTOR: &str = "mutant";

impl<'a> Mutants<'a> {
    /// Draws so many faults, fewer if there are no more places.
    ///
    /// # Errors
    /// If Yosys is missing or fails.
    pub fn draw(hierarchy: &'a Hierarchy, count: usize, seed: u64) -> Result<Self> {
        let yosys = Yosys::new()?;
        yosys.write(DESIGN, &hierarchy.source())?;
        let top = &hierarchy.top;
        // A fault cuts a bit out of a vector. Unless each driver has a wire of its own, and each output a buffer,
        // Verilator sees loops through vectors, and its 5.006 does not settle all of them.
        let drawn = yosys.run(
            &format!(
                "read_verilog -sv {DESIGN}; hierarchy -top {top}; proc; flatten; opt; memory -nomap; opt_clean\n\
                 write_rtlil {BASE}\n\
                 mutate -list {count} -seed {seed} -o {FAULTS} -ctrl {SELECTOR} 16 1\n\
                 script {FAULTS}\nrename {top} {top}_mutants\n\
                 iopadmap -bits -outpad $_BUF_ A:Y; splitnets -driver; write_verilog -noattr {NETLIST}"
            ),
            None,
        )?;
        if !drawn {
            return Err(yosys.failure());
        }
        let faults: Vec<Fault> = yosys.read(FAULTS)?.lines().map(Fault::read).collect();
        ensure!(!faults.is_empty(), "{top}: there is no place for a fault");
        let mutants = Mutants { hierarchy, yosys, faults };
        mutants.select(0)?;
        Ok(mutants)
    }

    /// Verilog with the ports of the design; which mutant it is, a simulation learns when it begins.
    pub fn source(&self) -> Result<String> {
        let netlist = self.yosys.read(NETLIST)?;
        let ports = &self.hierarchy.top_module().ports;
        let declared = ports.iter().map(|port| {
            let direction = if port.is_input { "input" } else { "output" };
            format!("{direction} wire [{}:0] {}", port.width * port.count - 1, port.name)
        });
        let declared: Vec<_> = declared.collect();
        let connected: Vec<_> = ports.iter().map(|port| format!(".{0}({0})", port.name)).collect();
        // Yosys has no expression for a buffer.
        Ok(format!(
            "{netlist}\n\
             module \\$_BUF_ (input A, output Y);\nassign Y = A;\nendmodule\n\
             module {top} (\n  {declared}\n);\n\
             \x20 reg [15:0] {SELECTOR};\n  integer file, read;\n\
             \x20 initial begin\n\
             \x20   file = $fopen(\"{number}\", \"r\");\n\
             \x20   read = $fscanf(file, \"%d\", {SELECTOR});\n\
             \x20   $fclose(file);\n\
             \x20 end\n\
             \x20 {top}_mutants mutants ({connected}, .{SELECTOR}({SELECTOR}));\n\
             endmodule\n",
            top = self.hierarchy.top,
            declared = declared.join(",\n  "),
            connected = connected.join(", "),
            number = self.yosys.path().join(NUMBER).display(),
        ))
    }

    /// Which mutant simulations are that begin from now on, from 1; 0 is the design itself.
    pub fn select(&self, number: usize) -> Result<()> {
        self.yosys.write(NUMBER, &number.to_string())
    }

    /// Whether a mutant that runs did not tell from the design can be told from it at all, as far as Yosys and its ABC find
    /// out in so many seconds for each of two attempts.
    ///
    /// A module without a clock is asked for its outputs under all inputs. Others first register by register: two designs that have agreed for three cycles agree from then on. That they do so at the
    /// beginning, the runs have shown. Then, if there is a reset, from where a simulation begins, which is all registers
    /// at zero and a reset: registers of the two that are always equal or opposite become one, and what is left is
    /// proved by property-directed reachability.
    pub fn equivalence(&self, number: usize, seconds: u64) -> Result<Equivalence> {
        let top = &self.hierarchy.top;
        let fault = &self.faults[number - 1].command;
        let both = format!(
            "read_rtlil {BASE}\nmemory_map; opt_clean; rename {top} gold; design -stash gold\n\
             read_rtlil {BASE}\n{fault}\nmemory_map; opt_clean; rename {top} gate; design -stash gate\n\
             design -copy-from gold -as gold gold; design -copy-from gate -as gate gate\n"
        );
        let by_register = "equiv_make gold gate both; hierarchy -top both; opt_clean\n\
             equiv_simple; equiv_induct -seq 3; equiv_status -assert";
        let from_reset = format!(
            "miter -equiv -flatten gold gate both; read_verilog {PROOF}; hierarchy -top {PROVED}; proc; flatten; opt\n\
             techmap; opt -fast; dffunmap; simplemap; setundef -undriven -zero; zinit -all; aigmap; opt_clean\n\
             write_aiger -zinit {MITER}\n\
             exec -q -expect-stdout Property.proved -- sh {PROVE}"
        );
        let by_outputs =
            "miter -equiv -flatten gold gate both; hierarchy -top both; proc; flatten; opt_clean\n\
             sat -verify -prove trigger 0 both";
        // A command of Yosys has no semicolons and takes quotes as they stand. If merging registers leaves nothing, some versions
        // of ABC have no answer: then the property is proved without it.
        let prove = format!(
            "ulimit -t {seconds}\n\
             said=$(yosys-abc -c 'read_aiger {MITER}; strash; scorr; dc2; pdr -T {seconds}')\n\
             case $said in\n\
             *\"All outputs solved\"*UNDECIDED*) yosys-abc -c 'read_aiger {MITER}; strash; dc2; pdr -T {seconds}' ;;\n\
             *) echo \"$said\" ;;\n\
             esac\n"
        );
        let has = |name: &str| self.hierarchy.top_module().ports.iter().any(|port| port.name == name);
        let (has_reset, has_clock) = (has("reset"), has("clock"));
        if has_reset {
            self.yosys.write(PROOF, &self.reset_miter())?;
            self.yosys.write(PROVE, &prove)?;
        }
        let proofs = [(true, by_register), (has_reset, &from_reset), (!has_clock, by_outputs)];
        for (_, proof) in proofs.into_iter().filter(|(applies, _)| *applies) {
            if self.yosys.run(&format!("{both}{proof}"), Some(Duration::from_secs(seconds)))? {
                return Ok(Equivalence::Proved);
            }
        }
        Ok(Equivalence::Open)
    }

    /// Yosys' miter of the two, which is reset in the first cycle and has an output that must stay low.
    fn reset_miter(&self) -> String {
        let inputs = || self.hierarchy.top_module().ports.iter().filter(|port| port.is_input);
        let declared: Vec<_> =
            inputs().map(|port| format!("input [{}:0] {}", port.width * port.count - 1, port.name)).collect();
        let others = inputs().filter(|port| port.name != "reset");
        let connected: String = others.map(|port| format!(", .in_{0}({0})", port.name)).collect();
        format!(
            "module {PROVED}({declared}, output different);\n\
             reg begun = 1'b0;\nalways @(posedge clock) begun <= 1'b1;\nwire trigger;\n\
             both both(.in_reset(reset | !begun){connected}, .trigger(trigger));\n\
             assign different = begun & trigger;\nendmodule\n",
            declared = declared.join(", ")
        )
    }
}

impl Fault {
    /// From a line of Yosys' list.
    fn read(line: &str) -> Self {
        let words: Vec<&str> = line.split_whitespace().collect();
        let options = |name: &str| {
            let of_name =
                words.windows(2).filter(move |pair| pair[0] == name).map(|pair| pair[1].to_string());
            of_name.collect::<Vec<_>>()
        };
        // `design.sv:17.7-17.12|design.sv:25.43-25.76`.
        let places = options("-src").join("|");
        let number = |place: &str| place.rsplit(':').next()?.split('.').next()?.parse().ok();
        let mut lines: Vec<usize> = places.split('|').filter_map(number).collect();
        lines.sort();
        lines.dedup();
        // The same fault without the selector.
        let command = match words.iter().position(|word| *word == "-ctrl") {
            Some(place) => [&words[..place], &words[place + 4..]].concat().join(" "),
            None => line.to_string(),
        };
        Fault { mode: options("-mode").concat(), wire: options("-wire").first().cloned(), lines, command }
    }
}
