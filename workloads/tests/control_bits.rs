// SPDX-License-Identifier: Apache-2.0
//! Control bits of our own listings: what NVIDIA's compiler writes beside instructions for Turing.

use std::collections::BTreeMap;

use gpurf_trace::{Control, RegisterId};
use gpurf_workloads::listing::{Instruction, Operand, RegisterFile};
use gpurf_workloads::Module;

use crate::streams::programs;

/// The listings of the built-in workloads, by file.
fn listings() -> Vec<(String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../kernels");
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<_> = paths.filter(|path| path.extension().is_some_and(|is| is == "sass")).collect();
    paths.sort();
    let read = |path: &std::path::PathBuf| {
        (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read_to_string(path).unwrap())
    };
    paths.iter().map(read).collect()
}

fn instructions() -> Vec<Instruction> {
    let kernels =
        listings().into_iter().flat_map(|(file, text)| Module::parse(&file, &text).unwrap().kernels);
    let all = kernels.flat_map(|kernel| kernel.instructions);
    // Nothing comes between kernels and functions that they call; it has no encoding.
    all.filter(|instruction| instruction.encoding.is_some()).collect()
}

/// The figures of a count that was made on the text of the listings, without this code.
#[test]
fn the_compiler_uses_every_field() {
    let instructions = instructions();
    let all: Vec<Control> = instructions.iter().map(|instruction| instruction.control).collect();
    assert_eq!(all.len(), 39_112);
    let mut stalls: BTreeMap<u8, usize> = BTreeMap::new();
    all.iter().for_each(|control| *stalls.entry(control.stall()).or_default() += 1);
    let expected = [
        (0, 404),
        (1, 13_476),
        (2, 9_936),
        (3, 2_070),
        (4, 5_767),
        (5, 3_237),
        (6, 537),
        (7, 686),
        (8, 2_120),
        (9, 62),
        (10, 120),
        (11, 43),
        (12, 643),
        (15, 11),
    ];
    assert_eq!(stalls, BTreeMap::from(expected));
    let share = |holds: &dyn Fn(&Control) -> bool| {
        (1000 * all.iter().filter(|control| holds(control)).count() + all.len() / 2) / all.len()
    };
    assert_eq!(share(&|control| control.yields()), 241, "parts per thousand");
    assert_eq!(share(&|control| control.write_barrier().is_some()), 172);
    assert_eq!(share(&|control| control.read_barrier().is_some()), 77);
    assert_eq!(share(&|control| control.wait_mask() != 0), 137);
    assert_eq!(share(&|control| control.reuse() != 0), 113);
    let waits = |counters| all.iter().filter(|control| control.wait_mask().count_ones() == counters).count();
    assert_eq!((waits(1), waits(2), waits(3) + waits(4) + waits(5)), (5_144, 184, 40));
    let slots =
        [0, 1, 2, 3].map(|slot| all.iter().filter(|control| control.reuse() >> slot & 1 == 1).count());
    assert_eq!(slots, [1_923, 2_309, 324, 0]);
    assert!(all.iter().all(|control| control.stall() != 1 || !control.yields()));
    assert!(all.iter().all(|control| control.stall() < 12 || control.yields()));
}

#[test]
fn reuse_bits_are_those_of_the_operands_that_the_text_marks() {
    let mut marked = 0;
    for (file, text) in listings() {
        for (kernel, program) in programs(&file, &text) {
            for (listed, place) in kernel.instructions.iter().zip(program.instructions()) {
                let operands = listed.operands.iter().filter_map(|operand| match operand {
                    Operand::Register(register) if register.file == RegisterFile::Vector => Some(register),
                    _ => None,
                });
                for register in operands.filter(|register| !register.is_zero()) {
                    let number = RegisterId(register.index);
                    let Some(index) = place.sources.iter().position(|&source| source == number) else {
                        continue;
                    };
                    let again = listed.operands.iter().filter(|operand| {
                        matches!(operand, Operand::Register(other) if other.file == register.file
                            && other.index == register.index && other.reuse)
                    });
                    assert_eq!(place.is_reused(index), again.count() > 0, "{file}: {}", listed.text);
                    marked += usize::from(register.reuse);
                }
            }
        }
    }
    assert!(marked > 4_000, "{marked}");
}
