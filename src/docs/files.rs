// SPDX-License-Identifier: Apache-2.0
//! Where a module's page and files are.

use std::fmt::Write;
use std::path::Path;

use anyhow::{bail, Result};
use gpurf_hw::catalogue::{find, CatalogueEntry};

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
pub fn files(root: &Path, entry: &CatalogueEntry) -> Result<[String; 3]> {
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
