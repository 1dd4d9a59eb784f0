// SPDX-License-Identifier: Apache-2.0
//! Verilog from a tree of rust-hdl blocks.
//!
//! rust-hdl's own generator names modules by their place in the tree and leaves widths and precedence
//! to Verilog's rules. This one emits one module per distinct [`Identity`](gpurf_hw::dialect::Identity),
//! which its instances share, and expressions that mean in Verilog what they mean in Rust. It accepts
//! what the attribute `#[rtl]` accepts, and checks what that attribute cannot see: signals that are
//! not assigned on every path, and logic in the clock path.

mod bundle;
mod contract;
mod error;
pub(crate) mod expression;
mod header;
pub(crate) mod implicit;
mod index;
mod instances;
pub(crate) mod kernel;
// One list of keywords serves the attribute `#[rtl]` and the names given here; a crate of macros
// cannot export it.
#[path = "../../../hw/rtl/src/rtl/keywords.rs"]
mod keywords;
mod lines;
mod module;
mod paths;
mod plan;
mod registers;
mod runs;
pub(crate) mod schedule;
pub(crate) mod scope;
mod sections;
pub(crate) mod signals;
mod simplify;
pub(crate) mod statement;
mod structure;
mod style;
mod text;
mod translator;
pub(crate) mod unroll;
mod uses;
mod value;

use std::collections::{HashMap, HashSet};

use rust_hdl::prelude::Block;

pub use contract::ContractRule;
pub use error::EmitError;
use error::Result;
use error::MAX_NAME;
use paths::Paths;
use scope::Scope;
pub use structure::{Node, PartOfModule, Structure};
pub use style::{Clock, Language, Origin, Reset, Style};

/// A module and all modules below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hierarchy {
    /// How it is written.
    pub style: Style,
    /// Name of the top module.
    pub top: String,
    /// Every module once, children before their parents, the top last.
    pub modules: Vec<VerilogModule>,
}

/// A module as it is emitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerilogModule {
    /// Its name, which tells its parameters.
    pub name: String,
    /// Title, and sections of the papers.
    pub origin: String,
    /// Its parameters and their values.
    pub parameters: Vec<(String, usize)>,
    /// In the order of declaration.
    pub ports: Vec<Port>,
    /// Inputs that nothing reads: modules that share their ports need not use all of them.
    pub unused_inputs: Vec<String>,
    /// Rules of its contract.
    pub contract: Vec<ContractRule>,
    /// The Verilog.
    pub text: String,
    /// The same without what is said about parts of the body, and without its contract.
    pub code: String,
}

impl VerilogModule {
    /// A module that was written elsewhere, with these ports.
    pub fn written(name: &str, ports: Vec<Port>, text: String) -> Self {
        VerilogModule {
            name: name.to_string(),
            origin: String::new(),
            parameters: vec![],
            ports,
            unused_inputs: vec![],
            contract: vec![],
            code: text.clone(),
            text,
        }
    }
}

/// A port of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// Its name in Verilog.
    pub name: String,
    /// Bits of an element.
    pub width: usize,
    /// Elements, packed with element 0 in the lowest bits; 1 for a port that is no array.
    pub count: usize,
    /// An input, not an output.
    pub is_input: bool,
}

/// Emits a module and all below it as Verilog-2005; the same module gives the same bytes.
///
/// # Errors
/// If the module breaks a rule that simulation in Rust cannot see, or holds what has no translation.
pub fn emit(top: &dyn Block) -> Result<Hierarchy> {
    emit_as(top, &Style::default())
}

/// Emits a module and all below it in this style.
///
/// # Errors
/// As [`emit`].
pub fn emit_as(top: &dyn Block, style: &Style) -> Result<Hierarchy> {
    let mut scope = scope::read(top)?;
    style.rename(&mut scope)?;
    let top = scope.identity.verilog_name.clone();
    let mut modules = Modules { style: style.clone(), ..Modules::default() };
    modules.add(&scope)?;
    Ok(Hierarchy { style: modules.style, top, modules: modules.list })
}

impl Hierarchy {
    /// All modules as one source text.
    pub fn source(&self) -> String {
        self.joined(|module| &module.text)
    }

    /// All modules without what is said about parts of their bodies, and without contracts: what measurements
    /// are of.
    pub fn code(&self) -> String {
        self.joined(|module| &module.code)
    }

    fn joined(&self, text: fn(&VerilogModule) -> &str) -> String {
        let texts = self.modules.iter().map(text).collect::<Vec<_>>().join("\n");
        match self.style.language {
            Language::Verilog => format!("`default_nettype none\n\n{texts}"),
            Language::SystemVerilog => texts,
        }
    }

    /// The top module.
    pub fn top_module(&self) -> &VerilogModule {
        self.modules.last().expect("a hierarchy has a top module")
    }

    /// The same ports in front of other Verilog, whose top module has the same name.
    pub fn with_source(mut self, text: String) -> Self {
        let mut top = self.modules.pop().expect("a hierarchy has a top module");
        top.code = text.clone();
        top.text = text;
        self.style.language = Language::SystemVerilog;
        Hierarchy { modules: vec![top], ..self }
    }
}

#[derive(Default)]
struct Modules {
    style: Style,
    list: Vec<VerilogModule>,
    by_name: HashMap<String, usize>,
    /// Combinational paths through each module.
    paths: HashMap<String, Paths>,
    /// Fingerprints of scopes that have been translated: their like need not be.
    translated: HashSet<u64>,
}

impl Modules {
    fn add(&mut self, scope: &Scope) -> Result<()> {
        if !self.translated.insert(scope.fingerprint) {
            return Ok(());
        }
        scope
            .children
            .iter()
            .filter(|child| !signals::is_register(child))
            .try_for_each(|child| self.add(child))?;
        let name = &scope.identity.verilog_name;
        if name.len() > MAX_NAME {
            return Err(EmitError::LongName { module: name.clone() });
        }
        let (module, paths) = module::module(scope, &self.style, &self.paths)?;
        match self.by_name.get(&module.name) {
            Some(known) if self.list[*known] == module => Ok(()),
            Some(_) => Err(EmitError::Ambiguous { module: module.name }),
            None => {
                self.by_name.insert(module.name.clone(), self.list.len());
                self.paths.insert(module.name.clone(), paths);
                self.list.push(module);
                Ok(())
            }
        }
    }
}
