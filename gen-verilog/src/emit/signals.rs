// SPDX-License-Identifier: Apache-2.0
//! The signals that a kernel can name, and what they are called in Verilog.
//!
//! Signals in an array are the elements of one vector; a signal of its own is a vector of one element.

use std::collections::{HashMap, HashSet};

use gpurf_hw::dialect::REGISTER;
use num_bigint::BigUint;
use rust_hdl::atom::AtomKind;

use super::error::{EmitError, Result};
use super::index::{parse_path, Index};
use super::keywords::is_keyword;
use super::scope::{AtomDetails, Scope};
use super::{Language, Style};

/// Names of clock and reset in the declarations of modules.
pub const CLOCK: &str = "clock";
pub const RESET: &str = "reset";

/// A signal's place among all elements of all vectors of [`Signals`].
pub type SignalId = usize;

/// A vector's place in [`Signals`].
pub type VectorId = usize;

#[derive(Clone, Debug)]
pub struct Vector {
    pub name: String,
    /// True if it is an array in Rust; an array of one element is one.
    pub is_array: bool,
    pub count: usize,
    /// Bits of an element.
    pub width: usize,
    pub role: Role,
    pub is_clock: bool,
    /// The module's own reset, or that of a child that is a module of its own.
    pub is_reset: bool,
    /// The enum that it holds.
    pub states: Option<String>,
    /// Its first element; the others follow.
    pub first: SignalId,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Role {
    Input,
    Output,
    Local,
    /// The values of the elements.
    Constant(Vec<BigUint>),
    /// An input of the children with this number.
    ChildInput(usize),
    ChildOutput(usize),
}

impl Vector {
    /// Returns true if the kernel assigns it.
    pub fn is_assigned(&self) -> bool {
        matches!(self.role, Role::Output | Role::Local | Role::ChildInput(_))
    }

    /// Returns true if Verilog has an array for it: an array of one is a wire.
    pub fn is_packed(&self) -> bool {
        self.is_array && self.count > 1
    }

    /// Bits of all elements.
    pub fn bits(&self) -> usize {
        self.count * self.width
    }

    pub fn elements(&self) -> std::ops::Range<SignalId> {
        self.first..self.first + self.count
    }
}

/// One element of a vector.
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    pub vector: VectorId,
    /// The vector's first element.
    pub first: SignalId,
    pub index: Index,
}

impl Element {
    /// Which signal it is, if no loop decides.
    pub fn known(&self) -> Option<SignalId> {
        self.index.number().map(|index| self.first + index as usize)
    }

    /// Which signal it is, once loops are written out.
    pub fn id(&self) -> SignalId {
        self.known().expect("loops are written out")
    }
}

/// Children of one name: one, or the elements of an array.
pub struct Children {
    pub name: String,
    /// Field path without indices.
    pub path: String,
    pub is_array: bool,
    /// Their numbers in the scope, by index.
    pub members: Vec<usize>,
}

/// All signals of one module, its children's ports and its enum variants included.
pub struct Signals {
    pub module: String,
    pub language: Language,
    pub style: Style,
    pub vectors: Vec<Vector>,
    pub children: Vec<Children>,
    /// By element, its vector.
    owners: Vec<VectorId>,
    /// By field path without indices and with `$` for every `.` and `::`: `entries$d`, `State$Idle`; and the
    /// lengths of the arrays on the way.
    by_path: HashMap<String, (VectorId, Vec<usize>)>,
    /// Field paths of registers, without indices.
    registers: HashSet<String>,
    /// Outputs that are registers, `Out<Register<..>>`, and what those hold: one `output reg` is both.
    pub shown: HashMap<VectorId, VectorId>,
    /// By Verilog name, to the field path: every name is given once.
    names: HashMap<String, String>,
}

impl std::ops::Index<VectorId> for Signals {
    type Output = Vector;

    fn index(&self, id: VectorId) -> &Vector {
        &self.vectors[id]
    }
}

/// A signal of the scope, before it has a place in a vector.
struct Found<'a> {
    indices: Vec<usize>,
    atom: &'a AtomDetails,
}

impl Signals {
    pub fn of(scope: &Scope, style: &Style) -> Result<Self> {
        let mut signals = Signals {
            module: scope.identity.verilog_name.clone(),
            language: style.language,
            style: style.clone(),
            vectors: vec![],
            children: vec![],
            owners: vec![],
            by_path: HashMap::new(),
            registers: HashSet::new(),
            shown: HashMap::new(),
            names: HashMap::new(),
        };
        let own = scope.atoms.iter().map(|atom| (atom.key.as_str(), atom));
        for (path, found) in gathered(own) {
            let role = match found[0].atom.kind {
                AtomKind::InputParameter => Role::Input,
                AtomKind::OutputParameter => Role::Output,
                AtomKind::LocalSignal => Role::Local,
                AtomKind::Constant => {
                    Role::Constant(found.iter().map(|found| found.atom.value.clone()).collect())
                }
                _ => return Err(signals.unsupported(&path, "is neither In, Out, Local nor Constant")),
            };
            let (name, _) = split(&found[0].atom.name);
            let name = signals.port_name(&name.replace('$', "_"), found[0].atom);
            signals.add(&path, &name, found, role)?;
        }
        for (path, members) in gathered_children(scope) {
            let number = signals.children.len();
            let first = &scope.children[members[0]];
            let (name, is_array) = (path.replace('$', "_"), first.key != path);
            match is_register(first) {
                true => drop(signals.registers.insert(path.clone())),
                false => signals.name(&name, &path)?,
            }
            let ports: Vec<(String, &AtomDetails)> = members
                .iter()
                .map(|member| &scope.children[*member])
                .flat_map(|child| {
                    child.atoms.iter().map(|atom| (format!("{}${}", child.key, atom.key), atom))
                })
                .collect();
            for (port, found) in gathered(ports.iter().map(|(key, atom)| (key.as_str(), *atom))) {
                let role = match found[0].atom.kind {
                    AtomKind::InputParameter => Role::ChildInput(number),
                    AtomKind::OutputParameter => Role::ChildOutput(number),
                    _ => continue,
                };
                // A register is called by its own name, without a `q`; the inputs of one that is an output,
                // by the output's.
                let verilog = match is_register(first) {
                    true => match port.strip_suffix("$q") {
                        Some(held) => held.replace('$', "_"),
                        None => port.replace(&format!("{REGISTER}$"), "_").replace('$', "_"),
                    },
                    false => format!("{name}_{}", split(&found[0].atom.name).0.replace('$', "_")),
                };
                signals.add(&port, &verilog, found, role)?;
            }
            signals.children.push(Children { name, path, is_array, members });
        }
        signals.show_registers();
        Ok(signals)
    }

    /// Gives registers that outputs are the names of these.
    fn show_registers(&mut self) {
        for held in 0..self.vectors.len() {
            let Some(output) = self[held].name.strip_suffix(REGISTER) else { continue };
            let is_output = |vector: &Vector| vector.role == Role::Output && vector.name == output;
            if let Some(shown) = self.vectors.iter().position(is_output) {
                self.vectors[held].name = output.to_string();
                self.shown.insert(shown, held);
            }
        }
    }

    /// Elements of all vectors.
    pub fn len(&self) -> usize {
        self.owners.len()
    }

    /// The vector at a field path of the kernel, and the lengths of the arrays on the way. A register's
    /// own path is what it holds.
    pub fn find(&self, path: &str) -> Option<(VectorId, &[usize])> {
        let found = self.by_path.get(path).or_else(|| {
            let held = self.by_path.get(&format!("{path}$q"))?;
            matches!(self[held.0].role, Role::ChildOutput(_)).then_some(held)
        });
        found.map(|(vector, lengths)| (*vector, lengths.as_slice()))
    }

    /// The wires of a bundle, or of the bundles in an array, which a kernel assigns as one: what follows on
    /// its path, and the lengths of the arrays on the way. Of registers, what they are loaded with.
    pub fn wires(&self, bundle: &str) -> Vec<(&str, &[usize])> {
        let below = self.by_path.iter().filter_map(|(path, (vector, lengths))| {
            let wire = path.strip_prefix(bundle)?.strip_prefix('$')?;
            let wire = match path.rsplit_once('$').filter(|(owner, _)| self.registers.contains(*owner)) {
                Some(_) => wire.strip_suffix("$d")?,
                None => wire,
            };
            self[*vector].is_assigned().then_some((*vector, wire, lengths.as_slice()))
        });
        let mut below: Vec<_> = below.collect();
        below.sort();
        below.into_iter().map(|(_, wire, lengths)| (wire, lengths)).collect()
    }

    /// Returns true if a register is at this field path.
    pub fn is_register(&self, path: &str) -> bool {
        self.registers.contains(path)
    }

    /// The element that a key of the scope names, indices included.
    pub fn at(&self, key: &str) -> Option<SignalId> {
        let (path, indices) = parse_path(key).ok()?;
        let indices: Vec<usize> = indices
            .iter()
            .map(|index| index.number().map(|number| number as usize))
            .collect::<Option<_>>()?;
        let (vector, lengths) = self.by_path.get(&path)?;
        (lengths.len() == indices.len()).then(|| self[*vector].first + row_major(lengths, &indices))
    }

    pub fn vector_of(&self, id: SignalId) -> VectorId {
        self.owners[id]
    }

    pub fn owner(&self, id: SignalId) -> &Vector {
        &self.vectors[self.owners[id]]
    }

    /// The element as text names it: `tag`, `tag[3]`.
    pub fn name_of(&self, id: SignalId) -> String {
        let vector = self.owner(id);
        match vector.is_array {
            true => format!("{}[{}]", vector.name, id - vector.first),
            false => vector.name.clone(),
        }
    }

    /// The value of an element that is constant.
    pub fn constant(&self, id: SignalId) -> Option<BigUint> {
        let vector = self.owner(id);
        match &vector.role {
            Role::Constant(values) => Some(values[id - vector.first].clone()),
            _ => None,
        }
    }

    /// Names of an enum's states, by number.
    pub fn states(&self, states: &str) -> Vec<String> {
        let of_enum = self.vectors.iter().filter(|vector| vector.states.as_deref() == Some(states));
        let states = of_enum.filter(|vector| matches!(vector.role, Role::Constant(_)));
        states.map(|vector| vector.name.clone()).collect()
    }

    /// The name of an enum's state zero.
    pub fn first_state(&self, states: &str) -> Option<&str> {
        let zero = Role::Constant(vec![BigUint::default()]);
        let is_zero = |vector: &&Vector| vector.states.as_deref() == Some(states) && vector.role == zero;
        self.vectors.iter().find(is_zero).map(|vector| vector.name.as_str())
    }

    pub fn element(&self, id: SignalId) -> Element {
        let vector = self.owners[id];
        let first = self[vector].first;
        Element { vector, first, index: Index::of(id - first) }
    }

    /// A name of the text's own, which no signal has.
    pub fn fresh(&self, wanted: &str) -> String {
        let mut name = wanted.to_string();
        while self.names.contains_key(&name) || is_keyword(&name) {
            name.push('_');
        }
        name
    }

    fn add(&mut self, path: &str, name: &str, found: Vec<Found>, role: Role) -> Result<()> {
        let atom = found[0].atom;
        if atom.is_signed {
            return Err(self.unsupported(path, "is signed: use Bits"));
        }
        if atom.width == 0 {
            return Err(self.unsupported(path, "has no bits"));
        }
        let lengths = lengths(&found).ok_or_else(|| {
            self.unsupported(path, "has elements that differ in length, width or direction")
        })?;
        self.name(name, path)?;
        let is_reset = match role {
            Role::Input => path == RESET,
            Role::ChildInput(_) => {
                path.rsplit_once('$').is_some_and(|(child, port)| port == RESET && !self.is_register(child))
            }
            _ => false,
        };
        let states =
            atom.variants.first().and_then(|name| name.split_once("::")).map(|(name, _)| name.to_string());
        let vector = Vector {
            name: name.to_string(),
            is_array: !lengths.is_empty(),
            count: found.len(),
            width: atom.width,
            role,
            is_clock: atom.is_clock,
            is_reset,
            states: states.clone(),
            first: self.owners.len(),
        };
        self.push(path.to_string(), vector, lengths);
        for (value, variant) in atom.variants.iter().enumerate() {
            let path = variant.replace("::", "$");
            if self.by_path.contains_key(&path) {
                continue;
            }
            let name = variant.replace("::", "_");
            self.name(&name, variant)?;
            let vector = Vector {
                name,
                is_array: false,
                count: 1,
                width: atom.width,
                role: Role::Constant(vec![BigUint::from(value)]),
                is_clock: false,
                is_reset: false,
                states: states.clone(),
                first: self.owners.len(),
            };
            self.push(path, vector, vec![]);
        }
        Ok(())
    }

    fn push(&mut self, path: String, vector: Vector, lengths: Vec<usize>) {
        self.owners.extend(std::iter::repeat_n(self.vectors.len(), vector.count));
        self.by_path.insert(path, (self.vectors.len(), lengths));
        self.vectors.push(vector);
    }

    fn name(&mut self, name: &str, path: &str) -> Result<()> {
        let (module, name) = (self.module.clone(), name.to_string());
        if is_keyword(&name) {
            return Err(EmitError::Keyword { module, signal: name });
        }
        match self.names.insert(name.clone(), path.to_string()) {
            Some(first) => Err(EmitError::Collision { module, name, first, second: path.to_string() }),
            None => Ok(()),
        }
    }

    /// The name that a port has in the style of the design.
    fn port_name(&self, name: &str, port: &AtomDetails) -> String {
        match (port.kind, name) {
            (AtomKind::InputParameter, CLOCK) if port.is_clock => self.style.clock.0.clone(),
            (AtomKind::InputParameter, RESET) => self.style.reset.name.clone(),
            _ => name.to_string(),
        }
    }

    fn unsupported(&self, path: &str, what: &str) -> EmitError {
        EmitError::Kernel { module: self.module.clone(), problem: format!("{path} {what}") }
    }
}

/// Signals by their path without indices, in the order in which they were declared.
fn gathered<'a>(atoms: impl Iterator<Item = (&'a str, &'a AtomDetails)>) -> Vec<(String, Vec<Found<'a>>)> {
    let mut all: Vec<(String, Vec<Found>)> = vec![];
    let mut places: HashMap<String, usize> = HashMap::new();
    for (key, atom) in atoms {
        let (path, indices) = split(key);
        let place = *places.entry(path.clone()).or_insert(all.len());
        if place == all.len() {
            all.push((path, vec![]));
        }
        all[place].1.push(Found { indices, atom });
    }
    all
}

/// Children by their name without indices.
fn gathered_children(scope: &Scope) -> Vec<(String, Vec<usize>)> {
    let mut all: Vec<(String, Vec<usize>)> = vec![];
    for (number, child) in scope.children.iter().enumerate() {
        let (path, _) = split(&child.key);
        match all.iter_mut().find(|(known, _)| *known == path) {
            Some((_, members)) => members.push(number),
            None => all.push((path, vec![number])),
        }
    }
    all
}

/// `entries$3$d` as `entries$d` and 3.
fn split(key: &str) -> (String, Vec<usize>) {
    let (mut names, mut indices) = (vec![], vec![]);
    for step in key.split('$') {
        match step.parse() {
            Ok(index) => indices.push(index),
            Err(_) => names.push(step),
        }
    }
    (names.join("$"), indices)
}

/// The lengths of the arrays around these elements, if they fill them in order and are alike.
fn lengths(found: &[Found]) -> Option<Vec<usize>> {
    let last = found.last()?;
    let lengths: Vec<usize> = last.indices.iter().map(|index| index + 1).collect();
    let one = last.atom;
    let fits = found.iter().enumerate().all(|(place, Found { indices, atom })| {
        indices.len() == lengths.len()
            && row_major(&lengths, indices) == place
            && (atom.width, atom.kind, atom.is_clock) == (one.width, one.kind, one.is_clock)
    });
    (fits && lengths.iter().product::<usize>() == found.len()).then_some(lengths)
}

fn row_major(lengths: &[usize], indices: &[usize]) -> usize {
    lengths.iter().zip(indices).fold(0, |place, (length, index)| place * length + index)
}

/// Registers are written into the module that holds them.
pub fn is_register(scope: &Scope) -> bool {
    scope.identity.module == "register"
}
