//! Cell libraries in the Liberty format: areas, and the cells that the flow asks for by function.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{bail, Context, Result};
use gpurf_verilog::cache;

use crate::boolean::Function;

/// A standard-cell library, read from a Liberty file.
#[derive(Clone, Debug)]
pub struct Library {
    /// Its file.
    pub path: PathBuf,
    /// Tells its text from any other.
    pub key: String,
    /// As the file calls it.
    pub name: String,
    /// By name.
    pub cells: BTreeMap<String, Cell>,
}

/// A cell, as far as areas and the choice of cells need it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    /// In the library's unit, which is µm² by custom.
    pub area: f64,
    /// Flip-flop, latch or clock gate.
    pub sequential: bool,
    /// A flip-flop: counts as one bit of state.
    pub flip_flop: bool,
    /// The pins, if it is a clock gate.
    pub clock_gate: Option<ClockGate>,
    inputs: Vec<String>,
    outputs: Vec<Output>,
}

/// The pins of an integrated clock gate that opens for a rising clock.
#[derive(Clone, Debug, PartialEq)]
pub struct ClockGate {
    /// Pin of the clock.
    pub clock: String,
    /// Pin that opens the gate.
    pub enable: String,
    /// Pin of the gated clock.
    pub output: String,
    /// Scan enable, tied low.
    pub test: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
struct Output {
    name: String,
    function: Option<String>,
}

impl Library {
    /// Reads a Liberty file.
    ///
    /// # Errors
    /// If the file cannot be read, or has no library with cells.
    pub fn read(path: &Path) -> Result<Library> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("{}: the Liberty file cannot be read", path.display()))?;
        let mut library = Library::parse(&text)
            .with_context(|| format!("{}: not a usable Liberty file", path.display()))?;
        library.path = path.to_path_buf();
        library.key = cache::key(&[&text]);
        Ok(library)
    }

    fn parse(text: &str) -> Result<Library> {
        let root = Parser::new(text).group_body()?;
        let Some(library) = root.groups.iter().find(|group| group.kind == "library") else {
            bail!("there is no `library (...) {{ ... }}` in it");
        };
        let cells = library.groups.iter().filter(|group| group.kind == "cell");
        let cells: BTreeMap<_, _> = cells.map(|group| (group.name.clone(), cell(group))).collect();
        if cells.is_empty() {
            bail!("library {} has no cells", library.name);
        }
        Ok(Library { path: PathBuf::new(), key: String::new(), name: library.name.clone(), cells })
    }

    /// Area of one gate equivalent in µm²: the cell called `NAND2_X1`, or else the smallest NAND of two.
    pub fn gate_equivalent(&self) -> Result<f64> {
        let named = self.cells.get("NAND2_X1");
        let smallest = || self.smallest(|inputs| !(inputs[0] && inputs[1]), 2).map(|(_, cell)| cell);
        match named.or_else(smallest) {
            Some(nand) if nand.area > 0.0 => Ok(nand.area),
            _ => bail!("{}: no NAND of two inputs with an area: areas cannot be given in gates", self.name),
        }
    }

    /// The smallest buffer: it is assumed to drive the inputs of a synthesized module.
    pub fn buffer(&self) -> Result<&str> {
        let found = self.smallest(|inputs| inputs[0], 1);
        found.map(|(name, _)| name).with_context(|| format!("{}: the library has no buffer", self.name))
    }

    /// The smallest clock gate for rising edges, if the library has one.
    pub fn clock_gate(&self) -> Option<(&str, &ClockGate)> {
        let gates =
            self.cells.iter().filter_map(|(name, cell)| Some((name, cell, cell.clock_gate.as_ref()?)));
        let smallest = gates.min_by(|a, b| a.1.area.total_cmp(&b.1.area))?;
        Some((smallest.0, smallest.2))
    }

    /// Names of all cells that hold state, where a combinational path ends.
    pub fn sequential(&self) -> impl Iterator<Item = &str> {
        self.cells.iter().filter(|(_, cell)| cell.sequential).map(|(name, _)| name.as_str())
    }

    fn smallest(&self, function: impl Fn(&[bool]) -> bool, inputs: usize) -> Option<(&str, &Cell)> {
        let computing = self.cells.iter().filter(|(_, cell)| cell.computes(&function, inputs));
        computing.map(|(name, cell)| (name.as_str(), cell)).min_by(|a, b| a.1.area.total_cmp(&b.1.area))
    }
}

impl Cell {
    /// Whether the cell's only output is `wanted` of its inputs, in any order.
    fn computes(&self, wanted: &impl Fn(&[bool]) -> bool, inputs: usize) -> bool {
        let [Output { function: Some(function), .. }] = &self.outputs[..] else {
            return false;
        };
        if self.sequential || self.inputs.len() != inputs {
            return false;
        }
        let Some(function) = Function::parse(function) else {
            return false;
        };
        (0..1u32 << inputs).all(|row| {
            let values: Vec<bool> = (0..inputs).map(|bit| row >> bit & 1 == 1).collect();
            let input = |name: &str| self.inputs.iter().position(|input| input == name).map(|at| values[at]);
            function.evaluate(&input) == Some(wanted(&values))
        })
    }
}

fn cell(group: &Group) -> Cell {
    let has = |kind: &str| group.groups.iter().any(|child| child.kind == kind);
    let pins = || group.groups.iter().filter(|child| child.kind == "pin");
    let with =
        |attribute: &str| pins().find(|pin| pin.get(attribute) == Some("true")).map(|pin| pin.name.clone());
    let rising =
        group.get("clock_gating_integrated_cell").is_some_and(|kind| kind.starts_with("latch_posedge"));
    let clock_gate = || {
        Some(ClockGate {
            clock: with("clock_gate_clock_pin")?,
            enable: with("clock_gate_enable_pin")?,
            output: with("clock_gate_out_pin")?,
            test: with("clock_gate_test_pin"),
        })
    };
    let directed =
        |direction: &'static str| pins().filter(move |pin| pin.get("direction") == Some(direction));
    Cell {
        area: group.get("area").and_then(|area| area.parse().ok()).unwrap_or(0.0),
        sequential: has("ff") || has("ff_bank") || has("latch") || has("statetable"),
        flip_flop: has("ff"),
        clock_gate: if rising { clock_gate() } else { None },
        inputs: directed("input").map(|pin| pin.name.clone()).collect(),
        outputs: directed("output")
            .map(|pin| Output { name: pin.name.clone(), function: pin.get("function").map(str::to_string) })
            .collect(),
    }
}

/// `kind (name) { attributes, groups }`.
#[derive(Default)]
struct Group {
    kind: String,
    name: String,
    attributes: Vec<(String, String)>,
    groups: Vec<Group>,
}

impl Group {
    fn get(&self, attribute: &str) -> Option<&str> {
        self.attributes.iter().find(|(name, _)| name == attribute).map(|(_, value)| value.as_str())
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Self {
        Parser { text, at: 0 }
    }

    /// Statements up to the closing brace or the end of the file.
    fn group_body(&mut self) -> Result<Group> {
        let mut group = Group::default();
        while let Some(token) = self.token()? {
            match token {
                "}" => break,
                ";" => continue,
                name => self.statement(name, &mut group)?,
            }
        }
        Ok(group)
    }

    /// What follows a name: `: value ;`, `(arguments) ;` or `(arguments) { body }`.
    fn statement(&mut self, name: &str, group: &mut Group) -> Result<()> {
        match self.token()? {
            Some(":") => {
                let mut value = vec![];
                while let Some(token) = self.token()?.filter(|token| *token != ";") {
                    value.push(token.trim_matches('"'));
                }
                group.attributes.push((name.to_string(), value.join(" ")));
            }
            Some("(") => {
                let mut arguments = vec![];
                while let Some(token) = self.token()?.filter(|token| *token != ")") {
                    arguments.push(token.trim_matches('"'));
                }
                let before = self.at;
                if self.token()? == Some("{") {
                    let body = self.group_body()?;
                    let name = (name.to_string(), arguments.first().unwrap_or(&"").to_string());
                    group.groups.push(Group { kind: name.0, name: name.1, ..body });
                } else {
                    self.at = before;
                }
            }
            other => bail!("line {}: `:` or `(` must follow `{name}`, not {other:?}", self.line()),
        }
        Ok(())
    }

    fn line(&self) -> usize {
        1 + self.text[..self.at].matches('\n').count()
    }

    /// The next token: punctuation, a quoted string with its quotes, or a word.
    fn token(&mut self) -> Result<Option<&'a str>> {
        self.skip_blanks();
        let rest = &self.text[self.at..];
        let Some(first) = rest.chars().next() else {
            return Ok(None);
        };
        let length = match first {
            '{' | '}' | '(' | ')' | ':' | ';' | ',' => 1,
            '"' => match rest[1..].find('"') {
                Some(end) => end + 2,
                None => bail!("line {}: a string is not closed", self.line()),
            },
            _ => rest.find(|c: char| c.is_whitespace() || "{}():;,\"".contains(c)).unwrap_or(rest.len()),
        };
        self.at += length;
        Ok(Some(&rest[..length]))
    }

    /// Skips white space, continued lines and comments.
    fn skip_blanks(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let blank = rest.len() - rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\\').len();
            self.at += blank;
            let rest = &rest[blank..];
            self.at += match () {
                _ if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
                _ if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
                _ => return,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIBRARY: &str = r#"
        /* a comment; with { braces } */
        library ("toy") {
          time_unit : "1ns"; // to the end of the line
          capacitive_load_unit (1,ff);
          cell (NA2) {
            area : 0.5;
            pin (A) { direction : input; values ("1, 2", \
              "3, 4"); }
            pin (B) { direction : "input"; }
            pin (Y) { direction : output; function : "(A*B)'"; }
          }
          cell (BIGNAND) {
            area : 2.0
            ; pin (A) { direction : input; } pin (B) { direction : input; }
            pin (Y) { direction : output; function : "!A | !B"; }
          }
          cell (NOR) {
            area : 0.4;
            pin (A) { direction : input; } pin (B) { direction : input; }
            pin (Y) { direction : output; function : "!(A+B)"; }
          }
          cell (BUF) {
            area : 0.7;
            pin (I) { direction : input; } pin (O) { direction : output; function : "I"; }
          }
          cell (FF) {
            area : 4.0;
            ff (IQ, IQN) { next_state : "D"; clocked_on : "CK"; }
            pin (D) { direction : input; } pin (CK) { direction : input; clock : true; }
            pin (Q) { direction : output; function : "IQ"; }
          }
          cell (GATE) {
            area : 3.0; clock_gating_integrated_cell : "latch_posedge";
            statetable ("CK E", "IQ") { table : "L L : - : L"; }
            pin (CK) { direction : input; clock_gate_clock_pin : true; }
            pin (E) { direction : input; clock_gate_enable_pin : true; }
            pin (Z) { direction : output; clock_gate_out_pin : true; }
          }
        }"#;

    #[test]
    fn reads_cells_and_finds_them_by_function() {
        let library = Library::parse(LIBRARY).unwrap();
        assert_eq!((library.name.as_str(), library.cells.len()), ("toy", 6));
        assert_eq!(library.gate_equivalent().unwrap(), 0.5);
        assert_eq!(library.buffer().unwrap(), "BUF");
        assert!(library.cells["FF"].flip_flop && !library.cells["GATE"].flip_flop);
        assert_eq!(library.sequential().collect::<Vec<_>>(), ["FF", "GATE"]);
        let (name, pins) = library.clock_gate().unwrap();
        assert_eq!((name, &pins.enable[..], &pins.output[..], &pins.test), ("GATE", "E", "Z", &None));
    }

    #[test]
    fn the_named_nand_is_preferred() {
        let text = LIBRARY.replace("BIGNAND", "NAND2_X1");
        assert_eq!(Library::parse(&text).unwrap().gate_equivalent().unwrap(), 2.0);
    }

    #[test]
    fn refuses_what_is_not_liberty() {
        let message = |text: &str| format!("{:#}", Library::parse(text).unwrap_err());
        assert!(message("module top; endmodule").contains("line 1"));
        assert!(message("library (empty) { }").contains("no cells"));
        assert!(message("").contains("no `library"));
    }
}
