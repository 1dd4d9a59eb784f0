//! Where a module's page and files are.

use std::ffi::OsStr;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{bail, Context, Result};
use gpurf_hw::catalogue::{find, Entry};

/// RTL, reference model and testbench of some modules.
pub fn table(root: &Path, modules: &str) -> Result<String> {
    let mut text = String::from("| module | RTL | reference model | testbench |\n|---|---|---|---|\n");
    for module in modules.split(' ') {
        let [rtl, model, testbench] =
            files(root, find(module)?)?.map(|path| format!("[`{path}`](../{path})"));
        writeln!(text, "| `{module}` | {rtl} | {model} | {testbench} |")?;
    }
    Ok(text)
}

/// RTL, reference model and testbench of a module, from the root of the repository. What has several files is a folder.
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

/// A module's name, with a link to its page if it has one.
pub fn module(root: &Path, name: &str) -> Result<String> {
    let page = page(root, name)?;
    let file = page.as_ref().and_then(|page| page.file_name()).map(OsStr::to_string_lossy);
    Ok(file.map_or(format!("`{name}`"), |file| format!("[`{name}`]({file})")))
}

/// The page that has the files or the ports of a module.
pub fn page(root: &Path, name: &str) -> Result<Option<PathBuf>> {
    for path in super::documents(root)? {
        let text =
            fs::read_to_string(&path).with_context(|| format!("{}: cannot be read", path.display()))?;
        let mut tables = text.lines().filter_map(super::name_of);
        if tables.any(|table| match table.split_once(' ') {
            Some(("files" | "ports", modules)) => modules.split(' ').any(|module| module == name),
            _ => false,
        }) {
            return Ok(Some(path));
        }
    }
    Ok(None)
}
