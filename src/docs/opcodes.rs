//! What the emulator executes of the instructions that NVIDIA's disassembler knows, and what it does not.

use std::fmt::Write;
use std::path::Path;

use anyhow::{bail, Result};
use gpurf_workloads::instruction_set::{self, Opcode};

/// `executed`, families of opcodes with the modifiers that are known with each; or `refused`.
pub fn text(_: &Path, which: &str) -> Result<String> {
    match which {
        "executed" => executed(),
        "refused" => refused(),
        which => bail!("`opcodes {which}`: write `opcodes executed` or `opcodes refused`"),
    }
}

fn executed() -> Result<String> {
    let mut text = String::from("| family | opcodes and modifiers |\n|---|---|\n");
    for family in instruction_set::opcodes().0 {
        let opcodes: Vec<_> = family
            .opcodes
            .iter()
            .map(|opcode| format!("`{}`{}", opcode.name, modifiers(&opcode.executed)))
            .collect();
        writeln!(text, "| {} | {} |", family.name, opcodes.join("<br>"))?;
    }
    Ok(text)
}

fn modifiers<'a>(names: impl IntoIterator<Item = &'a String>) -> String {
    names.into_iter().fold(String::new(), |text, name| text + " ." + name)
}

/// What is refused by name, of opcodes that are executed and of others.
fn refused() -> Result<String> {
    let (families, others) = instruction_set::opcodes();
    let opcodes: Vec<&Opcode> = families.iter().flat_map(|family| &family.opcodes).collect();
    let executed: usize = opcodes.iter().map(|opcode| opcode.instructions).sum();
    let mut text = format!(
        "Of {} instructions, one for each modifier and each kind of operands of {} opcodes, {executed} are executed.\n\n",
        instruction_set::INSTRUCTIONS.lines().count(),
        opcodes.len() + others.len(),
    );
    text += "| opcode | modifiers refused | operands refused, such as |\n|---|---|---|\n";
    for opcode in opcodes.iter().filter(|opcode| !opcode.refusals.is_empty()) {
        writeln!(
            text,
            "| `{}` |{} | {} |",
            opcode.name,
            modifiers(&opcode.refused),
            operands(opcode).join("<br>")
        )?;
    }
    let others: Vec<_> = others.iter().map(|opcode| format!("`{}`", opcode.name)).collect();
    writeln!(text, "| {} | all | |", others.join(" "))?;
    Ok(text)
}

/// An instruction for each reason that is not a modifier.
fn operands(opcode: &Opcode) -> Vec<String> {
    let mut reasons = vec![];
    let mut shown = vec![];
    for (instruction, why) in &opcode.refusals {
        let name = instruction.split(' ').next().unwrap_or_default();
        let by_modifier = name.split('.').skip(1).any(|modifier| opcode.refused.contains(modifier));
        if by_modifier || reasons.contains(&why) {
            continue;
        }
        reasons.push(why);
        let register = why.strip_prefix("special register ").and_then(|rest| rest.split(' ').next());
        shown.push(format!("`{}`", register.unwrap_or(instruction)).replace('|', "\\|"));
    }
    shown
}
