// SPDX-License-Identifier: Apache-2.0
//! The page of each module.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The pages that have the files or the ports of modules, by module.
pub struct Pages(BTreeMap<String, PathBuf>);

impl Pages {
    /// From all documents. The first that names a module has it.
    pub fn read(root: &Path) -> Result<Self> {
        let mut pages = BTreeMap::new();
        for path in super::documents(root)? {
            let text =
                fs::read_to_string(&path).with_context(|| format!("{}: cannot be read", path.display()))?;
            let tables = text.lines().filter_map(super::name_of).filter_map(|table| table.split_once(' '));
            for (_, modules) in tables.filter(|(name, _)| ["files", "ports"].contains(name)) {
                for module in modules.split(' ') {
                    pages.entry(module.to_string()).or_insert_with(|| path.clone());
                }
            }
        }
        Ok(Pages(pages))
    }

    /// The page of a module, if it has one.
    pub fn of(&self, module: &str) -> Option<&Path> {
        self.0.get(module).map(PathBuf::as_path)
    }

    /// A module's name, with a link to its page if it has one.
    pub fn link(&self, module: &str) -> String {
        match self.of(module).and_then(Path::file_name) {
            Some(file) => format!("[`{module}`]({})", file.to_string_lossy()),
            None => format!("`{module}`"),
        }
    }
}
