//! All modules by name: what can be exported, tested and synthesized. `#[block]` enters each of them.

use std::sync::LazyLock;

use gpurf_blocks::{ParameterError, Parameters};
use rust_hdl::prelude::Block;

pub use inventory::submit;

/// One module, as its declaration describes it.
#[derive(Debug)]
pub struct Entry {
    pub name: &'static str,
    pub title: &'static str,
    /// Sections of the papers, empty for what every designer knows.
    pub paper: &'static str,
    /// Parameters that change it; the others are ignored.
    pub parameters: &'static [&'static str],
    /// Ports in the order of declaration, without clock and reset.
    pub ports: &'static [Port],
    /// The file that declares it, from the root of its package's workspace.
    pub source: &'static str,
    /// The module as a block, for those who only walk through it.
    pub build: fn(&Parameters) -> Box<dyn Block>,
}

/// A port as declared.
#[derive(Debug)]
pub struct Port {
    pub name: &'static str,
    pub is_input: bool,
    /// What it, or each of its elements, carries: `Bit`, `Bits<8>`.
    pub carried: &'static str,
    /// Number of elements, for an array: `banks`.
    pub length: Option<&'static str>,
    pub doc: &'static str,
}

inventory::collect!(Entry);

/// Every module, in the order of their files.
pub fn catalogue() -> &'static [&'static Entry] {
    static CATALOGUE: LazyLock<Vec<&'static Entry>> = LazyLock::new(|| {
        let mut entries: Vec<&Entry> = inventory::iter::<Entry>.into_iter().collect();
        entries.sort_by_key(|entry| (entry.source, entry.name));
        entries
    });
    &CATALOGUE
}

/// Looks a module up by name.
pub fn find(name: &str) -> Result<&'static Entry, ParameterError> {
    catalogue().iter().find(|entry| entry.name == name).copied().ok_or_else(|| {
        let names: Vec<_> = catalogue().iter().map(|entry| entry.name).collect();
        ParameterError(format!("no module is called `{name}`; there are {}", names.join(", ")))
    })
}
