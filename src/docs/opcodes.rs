//! What the emulator executes, and what it does not.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{bail, Context, Result};
use gpurf_workloads::instruction_set::{self, Opcode};
use gpurf_workloads::Module;

/// `executed`, families of opcodes with the modifiers that are known with each; or `refused`.
pub fn text(root: &Path, which: &str) -> Result<String> {
    match which {
        "executed" => executed(root),
        "refused" => refused(),
        which => bail!("`opcodes {which}`: write `opcodes executed` or `opcodes refused`"),
    }
}

fn executed(root: &Path) -> Result<String> {
    let listings = listings(root)?;
    let mut text = String::from("| family | opcodes and modifiers |\n|---|---|\n");
    for family in instruction_set::executed(&listings) {
        let opcodes: Vec<_> = family.opcodes.iter().map(opcode).collect();
        writeln!(text, "| {} | {} |", family.name, opcodes.join("<br>"))?;
    }
    Ok(text)
}

fn opcode(opcode: &Opcode) -> String {
    let modifiers = match &opcode.modifiers {
        None => " with any modifiers".into(),
        Some(modifiers) => modifiers.iter().fold(String::new(), |text, name| text + " ." + name),
    };
    format!("`{}`{modifiers}", opcode.name)
}

/// Opcodes that are refused by name.
fn refused() -> Result<String> {
    let mut text = String::from("| opcodes | what they are |\n|---|---|\n");
    for (opcodes, what) in instruction_set::not_executed() {
        let opcodes: Vec<_> = opcodes.split(' ').map(|opcode| format!("`{opcode}`")).collect();
        writeln!(text, "| {} | {what} |", opcodes.join(" "))?;
    }
    Ok(text)
}

/// All listings of the project.
fn listings(root: &Path) -> Result<Vec<Module>> {
    let mut paths: Vec<PathBuf> = vec![];
    for folder in ["workloads/kernels", "workloads/tests/listings"].map(|folder| root.join(folder)) {
        let context = || format!("{}: cannot be read", folder.display());
        for entry in fs::read_dir(&folder).with_context(context)? {
            paths.push(entry.with_context(context)?.path());
        }
    }
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "sass"));
    paths.sort();
    let parse = |path: &PathBuf| {
        let name = path.display().to_string();
        let text = fs::read_to_string(path).with_context(|| format!("{name}: cannot be read"))?;
        Ok(Module::parse(&name, &text)?)
    };
    paths.iter().map(parse).collect()
}
