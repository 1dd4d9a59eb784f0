//! What the emulator executes of Turing's instruction set, as it is documented.

use std::collections::{BTreeMap, BTreeSet};

use crate::emulator::decode::families::{FAMILIES, OTHERS};
use crate::emulator::decode::{self, ANY};
use crate::listing::Module;

/// Opcodes that are decoded alike.
pub struct Family {
    /// What the family does.
    pub name: &'static str,
    /// Its opcodes, by name.
    pub opcodes: Vec<Opcode>,
}

/// An opcode that is executed.
pub struct Opcode {
    /// Without modifiers.
    pub name: &'static str,
    /// Modifiers that it is known with; `None`: with any.
    pub modifiers: Option<BTreeSet<String>>,
}

/// What is executed. Modifiers are those that the decoder looks for in the instructions of these listings, and
/// those that the instructions have.
pub fn executed(listings: &[Module]) -> Vec<Family> {
    let mut known: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for kernel in listings.iter().flat_map(|listing| &listing.kernels) {
        for instruction in &kernel.instructions {
            let Ok(decoding) = decode::decode(instruction, kernel.registers) else { continue };
            let mut names = instruction.opcode.split('.').filter(|name| !name.is_empty());
            let modifiers = known.entry(names.next().unwrap_or_default()).or_default();
            modifiers.extend(decoding.known);
            modifiers.extend(names);
        }
    }
    let mut opcode = |&name: &&'static str| {
        let modifiers = known.remove(name).unwrap_or_default();
        let any = modifiers.contains(ANY);
        Opcode { name, modifiers: (!any).then(|| modifiers.into_iter().map(String::from).collect()) }
    };
    FAMILIES
        .iter()
        .map(|family| Family { name: family.name, opcodes: family.opcodes.iter().map(&mut opcode).collect() })
        .collect()
}

/// Turing's opcodes that are not executed, by what they would do.
pub fn not_executed() -> &'static [(&'static str, &'static str)] {
    OTHERS
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The message of a kernel of one instruction without operands.
    fn refusal(opcode: &str) -> String {
        let text = format!(".target sm_75\n.section .text.k,\"ax\",@progbits\n/*0000*/ {opcode} ;\n");
        let module = Module::parse("k.sass", &text).unwrap_or_else(|error| panic!("{error}"));
        module.check(&module.kernels[0]).err().map(|error| error.to_string()).unwrap_or_default()
    }

    #[test]
    fn opcodes_are_executed_or_refused_by_name_as_listed() {
        let mut seen = BTreeSet::new();
        for family in FAMILIES {
            for opcode in family.opcodes {
                assert!(seen.insert(*opcode), "{opcode} is there twice");
                assert!(!refusal(opcode).contains("is not known to the emulator; what"), "{opcode}");
            }
        }
        for opcode in OTHERS.iter().flat_map(|(opcodes, _)| opcodes.split(' ')) {
            assert!(seen.insert(opcode), "{opcode} is there twice");
            assert!(refusal(opcode).contains(&format!("opcode `{opcode}` is not known")), "{opcode}");
        }
    }
}
