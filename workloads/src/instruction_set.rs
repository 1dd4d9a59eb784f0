// SPDX-License-Identifier: Apache-2.0
//! Instructions of Turing's instruction set that the emulator executes, as it is documented.

use std::collections::{BTreeMap, BTreeSet};

use crate::emulator::decode::families::{self, FAMILIES};
use crate::error::Error;
use crate::listing::Module;

/// An instruction of every opcode, modifier and kind of operands that NVIDIA's disassembler knows for
/// `sm_75`, one to a line. Written by the example `encodings`.
pub const INSTRUCTIONS: &str = include_str!("../instruction_set/sm_75.txt");

/// Opcodes that are decoded alike.
pub struct OpcodeFamily {
    /// The purpose of the family.
    pub name: &'static str,
    /// Its opcodes, by name.
    pub opcodes: Vec<Opcode>,
}

/// An opcode that exists, up to its first dot.
#[derive(Default)]
pub struct Opcode {
    /// Without modifiers.
    pub name: String,
    /// Modifiers that it is executed with.
    pub executed: BTreeSet<String>,
    /// Modifiers that it is not executed with.
    pub refused: BTreeSet<String>,
    /// How many of its instructions among [`INSTRUCTIONS`] are executed.
    pub instructions: usize,
    /// The ones that are not executed, each with why.
    pub refusals: Vec<(&'static str, String)>,
}

/// All of [`INSTRUCTIONS`], as the decoder takes them: families whose opcodes are executed, and opcodes that
/// are not.
pub fn opcodes() -> (Vec<OpcodeFamily>, Vec<Opcode>) {
    let mut opcodes: BTreeMap<&str, Opcode> = BTreeMap::new();
    for line in INSTRUCTIONS.lines() {
        let mut names = line.split(' ').next().unwrap_or_default().split('.');
        let name = names.next().unwrap_or_default();
        let opcode = opcodes.entry(name).or_default();
        opcode.name = name.into();
        let modifiers = names.map(String::from);
        match refusal(line) {
            None => {
                opcode.instructions += 1;
                opcode.executed.extend(modifiers);
            }
            Some(why) => {
                opcode.refused.extend(modifiers);
                opcode.refusals.push((line, why));
            }
        }
    }
    for opcode in opcodes.values_mut() {
        // What another instruction is executed with is not what stops this one.
        opcode.refused = &opcode.refused - &opcode.executed;
    }
    let mut family = |family: &families::FamilyDecoder| OpcodeFamily {
        name: family.name,
        opcodes: family.opcodes.iter().filter_map(|name| opcodes.remove(name)).collect(),
    };
    let families = FAMILIES.iter().map(&mut family).collect();
    (families, opcodes.into_values().collect())
}

/// Why an instruction is not executed.
fn refusal(instruction: &str) -> Option<String> {
    let instruction = linked(instruction);
    let text = format!(
        ".target sm_75\n.section .text.k,\"ax\",@progbits\n.sectioninfo @\"SHI_REGISTERS=255\"\n\
         /*0000*/ {instruction} ;\n.L:\n/*0010*/ EXIT ;\n"
    );
    let module = Module::parse("k.sass", &text);
    let checked =
        module.and_then(|module| module.kernels.first().map_or(Ok(()), |kernel| module.check(kernel)));
    checked.err().map(|error| match error {
        Error::Fault { message, .. } | Error::Listing { message, .. } => message,
        error => error.to_string(),
    })
}

/// Where to jump to stands as a number in a single instruction, and as a label in a listing.
fn linked(instruction: &str) -> String {
    let (rest, target) = instruction.rsplit_once(' ').unwrap_or((instruction, ""));
    let is_number = target.trim_start_matches('-').starts_with("0x");
    let jumps =
        ["BRA", "BSSY", "CALL"].iter().any(|opcode| instruction.split(['.', ' ']).next() == Some(*opcode));
    match jumps && is_number {
        true => format!("{rest} `(.L)"),
        false => instruction.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_executed_or_refused_by_name() {
        let (families, others) = opcodes();
        let known: BTreeSet<&str> =
            INSTRUCTIONS.lines().map(|line| line.split(['.', ' ']).next().unwrap_or_default()).collect();
        assert!(known.len() > 120, "{}", known.len());
        let mut count = 0;
        for opcode in families.iter().flat_map(|family| &family.opcodes) {
            count += opcode.instructions + opcode.refusals.len();
            for (line, why) in &opcode.refusals {
                // What is refused is named: the opcode with its modifiers, a modifier, an operand, a special
                // register.
                let named = [&opcode.name, "special register ", "operand `"];
                assert!(named.iter().any(|part| why.contains(part)), "{line}: {why}");
            }
        }
        for opcode in &others {
            assert_eq!(opcode.instructions, 0, "{} is in no family", opcode.name);
            count += opcode.refusals.len();
        }
        assert_eq!(count, INSTRUCTIONS.lines().count());
    }

    #[test]
    fn opcodes_are_in_one_family() {
        let mut seen = BTreeSet::new();
        for name in FAMILIES.iter().flat_map(|family| family.opcodes) {
            assert!(seen.insert(name), "{name} is there twice");
        }
    }
}
