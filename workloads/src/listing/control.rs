// SPDX-License-Identifier: Apache-2.0
//! Control bits of a listing of any target since Volta, for traces of its kernels.
//!
//! Nothing is executed, so that operands need not be understood: only which of them are vector registers.

use std::collections::BTreeMap;
use std::sync::Arc;

use gpurf_trace::{Control, ControlBits, DependenceLimit, ListedControl, RegisterId};

use crate::error::{Error, Result};

/// Reads the control bits of every kernel of a listing. `file` names it in errors.
///
/// # Errors
/// A listing without encodings, as `nvdisasm -hex` and `cuobjdump -sass` print them.
pub fn control_bits(file: &str, text: &str) -> Result<ControlBits> {
    let mut kernels: BTreeMap<String, BTreeMap<u32, ListedControl>> = BTreeMap::new();
    let mut kernel: Option<String> = None;
    let mut last: Option<(u32, &str)> = None;
    for line in text.lines().map(str::trim) {
        // A section also has lines of its flags and of what it is for.
        if let Some(section) = line.strip_prefix(".section").filter(|rest| rest.starts_with([' ', '\t'])) {
            let name = section.trim().split(',').next().unwrap_or_default();
            kernel = name.strip_prefix(".text.").map(str::to_string);
        } else if let Some(name) = line.strip_prefix("Function : ") {
            kernel = Some(name.trim().to_string());
        }
        let (Some(kernel), Some(rest)) = (&kernel, line.strip_prefix("/*")) else { continue };
        let Some((head, rest)) = rest.split_once("*/") else { continue };
        let (head, rest) = (head.trim(), rest.trim());
        match (u32::from_str_radix(head, 16), rest.split_once(';')) {
            (Ok(pc), Some((code, _))) => last = Some((pc, code)),
            _ => {
                let half = head.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok());
                if let (Some(half), Some((pc, code))) = (half.filter(|_| rest.is_empty()), last.take()) {
                    let control = Control::of_upper_half(half);
                    let limit = DependenceLimit::of_code(code);
                    let listed = ListedControl { control, limit, operands: operands(code) };
                    kernels.entry(kernel.clone()).or_default().insert(pc, listed);
                }
            }
        }
    }
    if kernels.is_empty() {
        return Err(Error::Listing {
            file: file.into(),
            line: 1,
            message: "there are no encodings, which hold the control bits; give the output of `nvdisasm -hex` or of \
                      `cuobjdump -sass`"
                .into(),
        });
    }
    let kernels = kernels.into_iter().map(|(name, places)| (name, Arc::new(places)));
    Ok(ControlBits { kernels: kernels.collect() })
}

/// First registers of the operands of an instruction, predicates apart.
fn operands(code: &str) -> Vec<Option<RegisterId>> {
    let code = code.trim();
    let guarded = code.strip_prefix('@').and_then(|rest| rest.split_once(char::is_whitespace));
    let code = guarded.map_or(code, |(_, rest)| rest.trim_start());
    let Some((_, operands)) = code.split_once(char::is_whitespace) else { return vec![] };
    let operands = operands.split(',').map(|operand| operand.trim().trim_start_matches(['-', '|', '~', '!']));
    let is_predicate = |operand: &str| {
        let name = operand.strip_prefix('U').unwrap_or(operand);
        name.strip_prefix('P')
            .is_some_and(|rest| rest == "T" || rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    operands.filter(|operand| !is_predicate(operand)).map(register).collect()
}

/// The vector register in an operand, RZ apart.
fn register(operand: &str) -> Option<RegisterId> {
    let mut before = ' ';
    for (place, letter) in operand.char_indices() {
        if letter == 'R' && !before.is_ascii_alphanumeric() && before != '_' {
            let digits = &operand[place + 1..];
            let end = digits.find(|next: char| !next.is_ascii_digit()).unwrap_or(digits.len());
            return digits[..end].parse().ok().map(RegisterId);
        }
        before = letter;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_are_registers_or_not() {
        let numbers = |code| operands(code).iter().map(|one| one.map(|id| id.0)).collect::<Vec<_>>();
        assert_eq!(
            numbers("@!P0 LOP3.LUT R55, R29, 0x3, R92.reuse, 0xf8, !PT"),
            [Some(55), Some(29), None, Some(92), None]
        );
        assert_eq!(numbers("ISETP.GE.AND P0, PT, -R7, c[0x0][0x17c], PT"), [Some(7), None]);
        assert_eq!(numbers("LDG.E R28, desc[UR4][R2.64+0x8]"), [Some(28), Some(2)]);
        assert_eq!(numbers("IADD3 R4, P1, RZ, |R6|, UR5"), [Some(4), None, Some(6), None]);
        assert_eq!(numbers("S2R R0, SR_TID.X"), [Some(0), None]);
        assert_eq!(numbers("NOP"), []);
    }

    #[test]
    fn a_listing_of_any_target_gives_its_control_bits() {
        let text = "\t.target\tsm_86\n\t.section\t.text._Z1kv,\"ax\"\n\t.sectionflags\t@\"\"\n.text._Z1kv:\n\
                    /*0000*/ MOV R1, c[0x0][0x28] ; /* 0x00000a0000017a02 */\n/* 0x000fe40000000f00 */\n\
                    /*0010*/ FADD R2, R1.reuse, R3 ; /* 0x0 */\n/* 0x042fc80000000000 */\n\
                    /*0020*/ DEPBAR.LE SB5, 0x1 ; /* 0x0 */\n/* 0x000fe20000000000 */\n";
        let found = control_bits("k.sass", text).unwrap();
        let places = &found.kernels["_Z1kv"];
        assert_eq!(places.keys().copied().collect::<Vec<_>>(), [0, 0x10, 0x20]);
        let limit = DependenceLimit { counter: 5, value: 1, mask: 0 };
        assert_eq!((places[&0x10].limit, places[&0x20].limit), (None, Some(limit)));
        assert_eq!((places[&0].control.stall(), places[&0].control.reuse()), (2, 0));
        assert_eq!((places[&0x10].control.stall(), places[&0x10].control.reuse()), (4, 1));
        let error = control_bits("k.sass", ".section .text.k\n/*0000*/ EXIT ;\n").unwrap_err().to_string();
        assert!(error.contains("k.sass") && error.contains("nvdisasm -hex"), "{error}");
    }
}
