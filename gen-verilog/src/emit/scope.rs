// SPDX-License-Identifier: Apache-2.0
//! The tree of blocks, as a rust-hdl probe finds it.

use std::fmt::{self, Write};
use std::hash::{DefaultHasher, Hasher};

use gpurf_hw::dialect::wires::{field_path, verilog_path};
use gpurf_hw::dialect::{Described, Identity};
use num_bigint::BigUint;
use rust_hdl::ast::{Verilog, VerilogLiteral};
use rust_hdl::atom::{Atom, AtomKind};
use rust_hdl::prelude::Block;
use rust_hdl::probe::Probe;
use rust_hdl::type_descriptor::TypeKind;

use super::error::{EmitError, Result};

/// One block: its ports and signals, its children, its kernel.
pub struct Scope {
    /// Field name in the parent, with array indices after `$`: `entries$3`.
    pub key: String,
    pub identity: Described,
    pub atoms: Vec<AtomDetails>,
    pub children: Vec<Scope>,
    pub code: Verilog,
    /// A digest of all that it is translated from, its children's included: the same in two scopes that do
    /// not differ but in their keys.
    pub fingerprint: u64,
}

impl Scope {
    fn of(
        key: String,
        identity: Described,
        atoms: Vec<AtomDetails>,
        children: Vec<Scope>,
        code: Verilog,
    ) -> Self {
        let mut hash = Hashed::default();
        write!(hash, "{identity:?} {atoms:?} {code:?}").expect("hashing does not fail");
        for child in &children {
            write!(hash, "{} {}", child.key, child.fingerprint).expect("hashing does not fail");
        }
        Scope { key, identity, atoms, children, code, fingerprint: hash.0.finish() }
    }
}

/// The hash of a text that need not be kept; rust-hdl's code can be printed and not be compared.
#[derive(Default)]
struct Hashed(DefaultHasher);

impl Write for Hashed {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.write(text.as_bytes());
        Ok(())
    }
}

#[derive(Debug)]
pub struct AtomDetails {
    /// Field name, with array indices after `$`: `tag$3`; of a bundle's wire `head$3$unit`.
    pub key: String,
    /// The same in Verilog: the wires of a flat bundle do without its name.
    pub name: String,
    pub kind: AtomKind,
    pub width: usize,
    pub is_clock: bool,
    pub is_signed: bool,
    /// Present value; what a constant holds.
    pub value: BigUint,
    /// Names of the variants, `State::Idle`, if the type is an enum.
    pub variants: Vec<String>,
}

/// Reads the tree below a block.
pub fn read(top: &dyn Block) -> Result<Scope> {
    let mut reader = Reader::default();
    top.accept("top", &mut reader);
    match (reader.error, reader.finished) {
        (Some(error), _) => Err(error),
        (None, Some(scope)) => Ok(scope),
        (None, None) => Err(EmitError::NoIdentity { path: "top".to_string() }),
    }
}

/// The number and the width of a literal.
pub fn literal(literal: &VerilogLiteral) -> (BigUint, usize) {
    let text = format!("{literal:x}");
    let (width, digits) = text.split_once("'h").expect("a literal is <width>'h<digits>");
    let value = BigUint::parse_bytes(digits.as_bytes(), 16).expect("hexadecimal digits");
    (value, width.parse().expect("a width"))
}

#[derive(Default)]
struct Reader {
    open: Vec<Unfinished>,
    finished: Option<Scope>,
    error: Option<EmitError>,
}

struct Unfinished {
    key: String,
    identity: Option<Described>,
    namespaces: Vec<String>,
    atoms: Vec<AtomDetails>,
    children: Vec<Scope>,
}

impl Probe for Reader {
    fn visit_start_scope(&mut self, name: &str, _: &dyn Block) {
        let around = self.open.last().map_or(&[][..], |scope| &scope.namespaces);
        let path: Vec<String> = around.iter().cloned().chain([name.to_string()]).collect();
        self.open.push(Unfinished {
            key: field_path(&path),
            identity: None,
            namespaces: vec![],
            atoms: vec![],
            children: vec![],
        });
    }

    fn visit_start_namespace(&mut self, name: &str, _: &dyn Block) {
        self.scope().namespaces.push(name.to_string());
    }

    fn visit_atom(&mut self, name: &str, atom: &dyn Atom) {
        let scope = self.scope();
        if let Some(identity) = Identity::of(atom) {
            scope.identity = Some(identity);
            return;
        }
        let mut path = scope.namespaces.clone();
        path.push(name.to_string());
        let descriptor = atom.descriptor();
        scope.atoms.push(AtomDetails {
            key: field_path(&path),
            name: verilog_path(&path),
            kind: atom.kind(),
            width: atom.bits(),
            is_clock: descriptor.name == "clock",
            is_signed: matches!(descriptor.kind, TypeKind::Signed(_)),
            value: if atom.kind() == AtomKind::Constant {
                literal(&atom.verilog()).0
            } else {
                BigUint::default()
            },
            variants: match descriptor.kind {
                TypeKind::Enum(variants) => variants,
                _ => vec![],
            },
        });
    }

    fn visit_end_namespace(&mut self, _: &str, _: &dyn Block) {
        self.scope().namespaces.pop();
    }

    fn visit_end_scope(&mut self, _: &str, node: &dyn Block) {
        let path: Vec<_> = self.open.iter().map(|scope| scope.key.replace('$', "_")).collect();
        let scope = self.open.pop().expect("a scope ends that has started");
        let Some(identity) = scope.identity else {
            self.error.get_or_insert(EmitError::NoIdentity { path: path.join(".") });
            return;
        };
        let Unfinished { key, atoms, children, .. } = scope;
        let scope = Scope::of(key, identity, atoms, children, node.hdl());
        match self.open.last_mut() {
            Some(parent) => parent.children.push(scope),
            None => self.finished = Some(scope),
        }
    }
}

impl Reader {
    fn scope(&mut self) -> &mut Unfinished {
        self.open.last_mut().expect("atoms stand in a scope")
    }
}
