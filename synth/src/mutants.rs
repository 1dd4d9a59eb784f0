//! Mutants of a design: copies of it with one small fault each, to see whether its testbench finds them.
//!
//! Yosys' `mutate` draws the faults: a port of a cell inverted, constant, or exchanged. All mutants of a design are one
//! netlist with a selector, which reads its number from a file when a simulation begins, so that it is compiled once.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{ensure, Context, Result};
use gpurf_verilog::tools::Tool;
use gpurf_verilog::Design;
use tempfile::TempDir;

/// Mutants of one design. They can be used as long as this lives.
pub struct Mutants {
    folder: TempDir,
    top: String,
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

/// Steps before faults are drawn: what is equal in every design.
const PREPARED: &str = "proc; flatten; opt; memory -nomap; opt_clean";
const DESIGN: &str = "design.sv";
const SELECTOR: &str = "mutant";

impl Mutants {
    /// Draws so many faults, fewer if there are no more places.
    ///
    /// # Errors
    /// If Yosys is missing or fails.
    pub fn draw(design: &Design, count: usize, seed: u64) -> Result<Self> {
        let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
        let top = design.top.clone();
        fs::write(folder.path().join(DESIGN), design.source()).context("cannot write the design")?;
        let mutants = Mutants { folder, top, faults: vec![] };
        let top = &mutants.top;
        mutants.yosys(
            &format!(
                "read_verilog -sv {DESIGN}; hierarchy -top {top}; {PREPARED}\n\
                 mutate -list {count} -seed {seed} -o faults.ys -ctrl {SELECTOR} 16 1\n\
                 script faults.ys\nrename {top} {top}_mutants\nwrite_verilog -noattr mutants.v"
            ),
            None,
        )?;
        let faults = fs::read_to_string(mutants.path().join("faults.ys")).context("Yosys lists no faults")?;
        let faults: Vec<Fault> = faults.lines().map(Fault::read).collect();
        ensure!(!faults.is_empty(), "{top}: there is no place for a fault");
        mutants.select(0)?;
        Ok(Mutants { faults, ..mutants })
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Verilog with the ports of the design; which mutant it is, a simulation learns when it begins.
    pub fn source(&self, design: &Design) -> Result<String> {
        let netlist = fs::read_to_string(self.path().join("mutants.v")).context("Yosys wrote no netlist")?;
        let ports = &design.top_module().ports;
        let declared = ports.iter().map(|port| {
            let direction = if port.is_input { "input" } else { "output" };
            format!("{direction} wire [{}:0] {}", port.width * port.count - 1, port.name)
        });
        let declared: Vec<_> = declared.collect();
        let connected: Vec<_> = ports.iter().map(|port| format!(".{0}({0})", port.name)).collect();
        Ok(format!(
            "{netlist}\n\
             module {top} (\n  {declared}\n);\n\
             \x20 reg [15:0] {SELECTOR};\n  integer file, read;\n\
             \x20 initial begin\n\
             \x20   file = $fopen(\"{number}\", \"r\");\n\
             \x20   read = $fscanf(file, \"%d\", {SELECTOR});\n\
             \x20   $fclose(file);\n\
             \x20 end\n\
             \x20 {top}_mutants mutants ({connected}, .{SELECTOR}({SELECTOR}));\n\
             endmodule\n",
            top = self.top,
            declared = declared.join(",\n  "),
            connected = connected.join(", "),
            number = self.path().join("number").display(),
        ))
    }

    /// Which mutant simulations are that begin from now on, from 1; 0 is the design itself.
    pub fn select(&self, number: usize) -> Result<()> {
        fs::write(self.path().join("number"), number.to_string()).context("cannot write the mutant's number")
    }

    /// Whether a mutant can be told from the design at all, as far as Yosys finds out: register by register, then by
    /// temporal induction from reset.
    pub fn equivalence(&self, number: usize, seconds: u64) -> Result<Equivalence> {
        let top = &self.top;
        let fault = &self.faults[number - 1].command;
        let both = format!(
            "read_verilog -sv {DESIGN}; hierarchy -top {top}; {PREPARED}\ndesign -save base\n\
             memory_map; opt_clean; rename {top} gold; design -stash gold\n\
             design -load base\n{fault}\nmemory_map; opt_clean; rename {top} gate; design -stash gate\n\
             design -copy-from gold -as gold gold; design -copy-from gate -as gate gate\n"
        );
        let by_register = "equiv_make gold gate both; hierarchy -top both; opt_clean\n\
             equiv_simple; equiv_induct -seq 3; equiv_status -assert";
        let from_reset = format!(
            "miter -equiv -flatten gold gate both; hierarchy -top both; async2sync\n\
             sat -verify -tempinduct -prove trigger 0 -set-at 1 in_reset 1 -seq 1 -maxsteps 8 \
             -ignore_unknown_cells -timeout {seconds} both"
        );
        let has_reset = fs::read_to_string(self.path().join(DESIGN)).is_ok_and(|text| text.contains("reset"));
        for proof in [by_register, &from_reset] {
            if proof == from_reset && !has_reset {
                continue;
            }
            if self.yosys(&format!("{both}{proof}"), Some(Duration::from_secs(seconds))).is_ok() {
                return Ok(Equivalence::Proved);
            }
        }
        Ok(Equivalence::Open)
    }

    fn yosys(&self, script: &str, limit: Option<Duration>) -> Result<()> {
        fs::write(self.path().join("script.ys"), script).context("cannot write a script")?;
        let mut yosys = Tool::Yosys.command()?;
        let mut child = yosys
            .args(["-q", "-l", "log", "script.ys"])
            .current_dir(self.path())
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .context("Yosys cannot be started")?;
        let began = std::time::Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if limit.is_some_and(|limit| began.elapsed() > limit) {
                child.kill()?;
                break child.wait()?;
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        let log = || fs::read_to_string(self.path().join("log")).unwrap_or_default();
        ensure!(status.success(), "Yosys fails:\n{}", log());
        Ok(())
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
