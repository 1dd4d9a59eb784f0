// SPDX-License-Identifier: Apache-2.0
//! All modules by name: what can be exported, tested and synthesized. Their declarations enter them.

use std::sync::LazyLock;

use gpurf_blocks::{suggestion, ParameterError};

use crate::dialect::Declared;

pub use inventory::submit;

/// The names of a module.
#[derive(Clone, Copy, Debug)]
pub struct Naming {
    /// In Verilog and on the command line: `cache_table`.
    pub module: &'static str,
    /// In words: "Caching collector unit".
    pub title: &'static str,
    /// Sections of the papers, empty for what every designer knows.
    pub paper: &'static str,
    /// Parameters that change it, in the order of its name in Verilog; the others are ignored.
    pub parameters: &'static [&'static str],
}

impl Naming {
    /// Title and paper in letters that every Verilog tool reads.
    pub fn origin(&self) -> String {
        match self.paper {
            "" => self.title.to_string(),
            paper => format!("{} ({})", self.title, paper.replace('§', "").replace('–', "-")),
        }
    }
}

/// A port as declared.
#[derive(Debug)]
pub struct Port {
    /// In Verilog and in the plain struct.
    pub name: &'static str,
    /// An output otherwise.
    pub is_input: bool,
    /// The type that it, or each of its elements, carries: `Bit`, `Bits<8>`.
    pub carried: &'static str,
    /// Number of elements, for an array: `banks`.
    pub length: Option<&'static str>,
    /// The condition on parameters under which the module has it; empty where it always has.
    pub when: &'static str,
    /// The comment of the bundle that begins with it; else empty.
    pub bundle: &'static str,
    /// The comment of its declaration.
    pub doc: &'static str,
}

/// One module.
#[derive(Debug)]
pub struct CatalogueEntry {
    /// In Verilog and on the command line.
    pub name: &'static str,
    /// All that it is called.
    pub naming: Naming,
    /// Ports in the order of declaration, without clock and reset.
    pub ports: &'static [Port],
    /// Text at the head of its file: what it does, its timing and its protocol, in Markdown.
    pub about: &'static str,
    /// The file that declares it, from the root of the workspace.
    pub source: &'static str,
}

inventory::collect!(CatalogueEntry);

impl CatalogueEntry {
    /// The entry of a module, which its declaration submits.
    pub const fn of<M: Declared>() -> Self {
        CatalogueEntry {
            name: M::NAMING.module,
            naming: M::NAMING,
            ports: M::PORTS,
            about: M::ABOUT,
            source: M::SOURCE,
        }
    }

    /// Parameters that change the module; the others are ignored.
    pub fn parameters(&self) -> &'static [&'static str] {
        self.naming.parameters
    }
}

/// Enters a module into the catalogue: `enter!(Ccu<W, I>)`, with the const generics of [`crate::generics!`].
/// `#[block]` does so for a module that is generic in nothing else.
#[macro_export]
macro_rules! enter {
    ($module:ty) => {
        $crate::catalogue::submit! {
            $crate::example!($crate::catalogue::CatalogueEntry::of::<$module>())
        }
    };
}

/// Every module, in the order of their files.
pub fn catalogue() -> &'static [&'static CatalogueEntry] {
    static CATALOGUE: LazyLock<Vec<&'static CatalogueEntry>> = LazyLock::new(|| {
        let mut entries: Vec<&CatalogueEntry> = inventory::iter::<CatalogueEntry>.into_iter().collect();
        entries.sort_by_key(|entry| (entry.source, entry.name));
        entries
    });
    &CATALOGUE
}

/// Looks a module up by name.
pub fn find(name: &str) -> Result<&'static CatalogueEntry, ParameterError> {
    catalogue().iter().find(|entry| entry.name == name).copied().ok_or_else(|| {
        let names = catalogue().iter().map(|entry| entry.name);
        let known = suggestion(name, names, "`gpurf names modules` lists them");
        ParameterError(format!("no module is called `{name}`{known}"))
    })
}
