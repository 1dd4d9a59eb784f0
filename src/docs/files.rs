// SPDX-License-Identifier: Apache-2.0
//! Where a module's page and files are.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{bail, Context, Result};
use gpurf_hw::catalogue::{find, Entry};

use super::project::Project;

/// RTL, reference model and testbench of some modules.
pub fn table(project: &Project, modules: &str) -> Result<String> {
    let mut text = String::from("| module | RTL | reference model | testbench |\n|---|---|---|---|\n");
    for module in modules.split(' ') {
        let [rtl, model, testbench] =
            files(project.root, find(module)?)?.map(|path| format!("[`{path}`](../{path})"));
        writeln!(text, "| `{module}` | {rtl} | {model} | {testbench} |")?;
    }
    Ok(text)
}

/// RTL, reference model and testbench of a module, from the root of the repository. What has several files is
/// a folder.
pub fn files(root: &Path, entry: &Entry) -> Result<[String; 3]> {
    let place = entry.source.trim_start_matches("hw/src/").trim_end_matches(".rs");
    let find = |of: &str| {
        let folder = format!("{of}/src/{place}");
        let file = format!("{folder}.rs");
        match (root.join(&file).exists(), root.join(&folder).exists()) {
            (true, _) => Ok(file),
            (false, true) => Ok(folder),
            (false, false) => bail!("{}: there is neither {file} nor {folder}", entry.name),
        }
    };
    Ok([entry.source.to_string(), find("sim")?, find("testbenches")?])
}

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
