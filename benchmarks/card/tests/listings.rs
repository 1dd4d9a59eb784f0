// SPDX-License-Identifier: Apache-2.0
//! Encodings are those of NVIDIA's compiler, wherever a listing has such an instruction.

use std::collections::BTreeMap;
use std::fs;

use gpurf_card::Encoding;
use gpurf_sim::modern::{ClockedInstruction, ClockedOpcode};
use gpurf_trace::Control;

/// `/* 0x0000000400117202 */`
fn word(text: &str) -> Option<u64> {
    let digits = text.rsplit_once("/* 0x")?.1.strip_suffix(" */")?;
    u64::from_str_radix(digits, 16).ok()
}

#[test]
fn instructions_are_encoded_as_the_compiler_does_it() {
    let workloads = concat!(env!("CARGO_MANIFEST_DIR"), "/../../workloads");
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    for folder in ["kernels", "tests/listings"] {
        for entry in fs::read_dir(format!("{workloads}/{folder}")).expect("listings") {
            let path = entry.expect("a file").path();
            if path.extension().is_none_or(|extension| extension != "sass") {
                continue;
            }
            let text = fs::read_to_string(&path).expect("text");
            let lines: Vec<&str> = text.lines().collect();
            for pair in lines.windows(2) {
                let Some((_, code)) = pair[0].split_once("*/ ") else { continue };
                let Some((code, _)) = code.split_once(" ;") else { continue };
                let (Some(low), Some(high)) = (word(pair[0]), word(pair[1])) else { continue };
                // A guard, another modifier or another kind of operand: no instruction of a window.
                let Ok(instruction) = ClockedInstruction::parse(code) else { continue };
                if instruction.opcode == ClockedOpcode::Clock {
                    continue;
                }
                let encoding = Encoding::of(&instruction, 0, Control::of_upper_half(high));
                assert_eq!(encoding, Encoding { low, high }, "{}: {code}", path.display());
                let name: &'static str = instruction.opcode.into();
                *found.entry(name.to_string()).or_default() += 1;
                for (operand, _) in
                    (0..3).enumerate().filter(|(operand, _)| instruction.reuse >> operand & 1 == 1)
                {
                    *found.entry(format!("reuse {operand}")).or_default() += 1;
                }
            }
        }
    }
    for name in ["NOP", "MOV", "IADD3", "FADD", "FFMA"] {
        assert!(found.get(name) > Some(&100), "{name}: {found:?}");
    }
    assert!((0..3).all(|operand| found.contains_key(&format!("reuse {operand}"))), "{found:?}");
}
