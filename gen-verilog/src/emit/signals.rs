//! The signals that a kernel can name, and what they are called in Verilog.

use std::collections::HashMap;

use num_bigint::BigUint;
use rust_hdl::core::atom::AtomKind;

use super::error::{EmitError, Result};
use super::keywords::is_keyword;
use super::scope::{AtomDetails, Scope};

/// A signal's place in [`Signals`].
pub type SignalId = usize;

#[derive(Clone, Debug)]
pub struct Signal {
    pub name: String,
    pub width: usize,
    pub role: Role,
    pub is_clock: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Role {
    Input,
    Output,
    Local,
    Constant(BigUint),
    /// An input of the child with this number.
    ChildInput(usize),
    ChildOutput(usize),
}

impl Signal {
    /// Whether the kernel assigns it.
    pub fn is_assigned(&self) -> bool {
        matches!(self.role, Role::Output | Role::Local | Role::ChildInput(_))
    }
}

/// All signals of one module, its children's ports and its enum variants included.
pub struct Signals {
    pub module: String,
    list: Vec<Signal>,
    /// By field path, with `$` for every `.`, `::` and array index: `entries$3$d`, `State$Idle`.
    by_path: HashMap<String, SignalId>,
    /// By Verilog name, to the field path: every name is given once.
    names: HashMap<String, String>,
}

impl std::ops::Index<SignalId> for Signals {
    type Output = Signal;

    fn index(&self, id: SignalId) -> &Signal {
        &self.list[id]
    }
}

impl Signals {
    pub fn of(scope: &Scope) -> Result<Self> {
        let module = scope.identity.verilog.clone();
        let mut signals = Signals { module, list: vec![], by_path: HashMap::new(), names: HashMap::new() };
        for atom in &scope.atoms {
            let role = match atom.kind {
                AtomKind::InputParameter => Role::Input,
                AtomKind::OutputParameter => Role::Output,
                AtomKind::LocalSignal => Role::Local,
                AtomKind::Constant => Role::Constant(atom.value.clone()),
                _ => return Err(signals.unsupported(&atom.key, "is neither In, Out, Local nor Constant")),
            };
            signals.add(atom, "", &atom.key.replace('$', "_"), role)?;
        }
        for (number, child) in scope.children.iter().enumerate() {
            let instance = child.key.replace('$', "_");
            if !is_register(child) {
                signals.name(&instance, &child.key)?;
            }
            for atom in &child.atoms {
                let role = match atom.kind {
                    AtomKind::InputParameter => Role::ChildInput(number),
                    AtomKind::OutputParameter => Role::ChildOutput(number),
                    _ => continue,
                };
                // A register is called by its own name, without a `q`.
                let name = match is_register(child) && atom.key == "q" {
                    true => instance.clone(),
                    false => format!("{instance}_{}", atom.key.replace('$', "_")),
                };
                signals.add(atom, &format!("{}$", child.key), &name, role)?;
            }
        }
        Ok(signals)
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// The signal at a field path of the kernel.
    pub fn find(&self, path: &str) -> Option<SignalId> {
        self.by_path.get(path).copied()
    }

    fn add(&mut self, atom: &AtomDetails, prefix: &str, name: &str, role: Role) -> Result<()> {
        let path = format!("{prefix}{}", atom.key);
        if atom.is_signed {
            return Err(self.unsupported(&path, "is signed: use Bits"));
        }
        if atom.width == 0 {
            return Err(self.unsupported(&path, "has no bits"));
        }
        self.name(name, &path)?;
        self.push(path, Signal { name: name.to_string(), width: atom.width, role, is_clock: atom.is_clock });
        for (value, variant) in atom.variants.iter().enumerate() {
            let path = variant.replace("::", "$");
            if self.by_path.contains_key(&path) {
                continue;
            }
            let name = variant.replace("::", "_");
            self.name(&name, variant)?;
            let role = Role::Constant(BigUint::from(value));
            self.push(path, Signal { name, width: atom.width, role, is_clock: false });
        }
        Ok(())
    }

    fn push(&mut self, path: String, signal: Signal) {
        self.by_path.insert(path, self.list.len());
        self.list.push(signal);
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

    fn unsupported(&self, path: &str, what: &str) -> EmitError {
        EmitError::Kernel { module: self.module.clone(), problem: format!("{path} {what}") }
    }
}

/// Registers are written into the module that holds them.
pub fn is_register(scope: &Scope) -> bool {
    scope.identity.base() == "register"
}
