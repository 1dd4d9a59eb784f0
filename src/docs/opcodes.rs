// SPDX-License-Identifier: Apache-2.0
//! Instructions known to NVIDIA's disassembler that the emulator executes, and those that it does not.

use std::collections::BTreeSet;
use std::fmt::Write;

use anyhow::{bail, Result};
use gpurf_workloads::instruction_set::{self, Opcode};

use super::project::Project;

/// `executed`, families of opcodes with the modifiers that are known with each; or `refused`.
pub fn text(_: &Project, which: &str) -> Result<String> {
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

/// Constants of a bank that a uniform register names, which any opcode with constants can have.
const BINDLESS: &str = "cx[";

/// Instructions that are refused by name, of opcodes that are executed and of others.
fn refused() -> Result<String> {
    let (families, others) = instruction_set::opcodes();
    let opcodes: Vec<&Opcode> = families.iter().flat_map(|family| &family.opcodes).collect();
    let executed: usize = opcodes.iter().map(|opcode| opcode.instructions).sum();
    let refusals = || opcodes.iter().flat_map(|opcode| &opcode.refusals);
    let bindless = refusals().filter(|(instruction, _)| instruction.contains(BINDLESS)).count();
    let registers: BTreeSet<String> =
        refusals().filter_map(|(_, why)| special_register(why)).map(|name| format!("`{name}`")).collect();
    let mut text = format!(
        "Of {} instructions, one for each modifier and each kind of operand of {} opcodes, {executed} are executed. \
         {bindless} of the others have constants of a bank that a uniform register names (`cx[UR4][0x10]`), which no \
         opcode is executed with.\n\n",
        instruction_set::INSTRUCTIONS.lines().count(),
        opcodes.len() + others.len(),
    );
    text += "| opcode | modifiers refused | operands refused, such as |\n|---|---|---|\n";
    for opcode in opcodes {
        let operands = operands(opcode).join("<br>");
        if !opcode.refused.is_empty() || !operands.is_empty() {
            writeln!(text, "| `{}` |{} | {operands} |", opcode.name, modifiers(&opcode.refused))?;
        }
    }
    let others: Vec<_> = others.iter().map(|opcode| format!("`{}`", opcode.name)).collect();
    writeln!(text, "| `S2R` `CS2R` `S2UR` | | {} |", registers.into_iter().collect::<Vec<_>>().join(" "))?;
    writeln!(text, "| {} | all | |", others.join(" "))?;
    Ok(text)
}

fn special_register(why: &str) -> Option<&str> {
    why.strip_prefix("special register ")?.split(' ').next()
}

/// An instruction for each reason that is not a modifier, a special register or a constant without a known
/// bank.
fn operands(opcode: &Opcode) -> Vec<String> {
    let mut reasons = vec![];
    let mut shown = vec![];
    for (instruction, why) in &opcode.refusals {
        let name = instruction.split(' ').next().unwrap_or_default();
        let by_modifier = name.split('.').skip(1).any(|modifier| opcode.refused.contains(modifier));
        let elsewhere = special_register(why).is_some() || instruction.contains(BINDLESS);
        if by_modifier || elsewhere || reasons.contains(&why) {
            continue;
        }
        reasons.push(why);
        shown.push(format!("`{instruction}`").replace('|', "\\|"));
    }
    shown
}
