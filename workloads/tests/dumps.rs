// SPDX-License-Identifier: Apache-2.0
//! Output of `cuobjdump -sass`, made of listings that `nvdisasm -hex` wrote: the same code, but no sections
//! around it.

use std::collections::HashMap;
use std::fmt::Write;

use gpurf_workloads::{Argument, Module};

use crate::support::device;

const LISTINGS: [(&str, &str); 5] = [
    ("nn", include_str!("../kernels/nn.sass")),
    ("pathfinder", include_str!("../kernels/pathfinder.sass")),
    ("vectoradd", include_str!("../kernels/vectoradd.sass")),
    ("control", include_str!("listings/control.sass")),
    ("waiting", include_str!("listings/waiting.sass")),
];

const HEAD: &str =
    "Fatbin elf code:\n================\narch = sm_75\n\n\tcode for sm_75\n\t.target\tsm_75\n\n";

/// A listing as `cuobjdump -sass` prints it.
fn dump(listing: &str) -> String {
    let mut out = String::from(HEAD);
    for section in listing.split(".section .text.").skip(1) {
        let section = section.split(".section ").next().unwrap();
        let name = section.split(',').next().unwrap();
        let lines: Vec<&str> = section.lines().map(str::trim).collect();
        let mut places = HashMap::from([(name, "0x0".to_string())]);
        for (number, line) in lines.iter().enumerate() {
            let next = lines[number..].iter().find_map(|line| line.strip_prefix("/*")?.split_once("*/ "));
            if let (Some(label), Some((pc, _))) = (line.strip_suffix(':'), next) {
                places.insert(label, format!("{:#x}", u32::from_str_radix(pc, 16).unwrap()));
            }
        }
        writeln!(
            out,
            "\t\tFunction : {name}\n\t.headerflags\t@\"EF_CUDA_SM75 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM75)\""
        )
        .unwrap();
        for line in lines.iter().filter(|line| line.starts_with("/*")) {
            match line.split_once("`(").and_then(|(before, rest)| Some((before, rest.split_once(')')?))) {
                Some((before, (label, rest))) if places.contains_key(label) => {
                    writeln!(out, "        {before}{}{rest}", places[label]).unwrap();
                }
                _ => writeln!(out, "        {line}").unwrap(),
            }
        }
        out += "\t\t..........\n\n";
    }
    out
}

#[test]
fn a_dump_has_the_code_of_the_listing() {
    let mut branches = 0;
    for (name, listing) in LISTINGS {
        let expected = Module::parse(name, listing).unwrap();
        let found = Module::parse(name, &dump(listing)).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((found.target, found.kernels.len()), (75, expected.kernels.len()), "{name}");
        for kernel in &expected.kernels {
            let dumped = found.kernel(&kernel.name).unwrap();
            assert_eq!(dumped.defect, None);
            assert!(dumped.registers > 0 && dumped.registers <= kernel.registers, "{}", kernel.name);
            assert_eq!(dumped.instructions.len(), kernel.instructions.len());
            for (dumped, instruction) in dumped.instructions.iter().zip(&kernel.instructions) {
                // A half of an address has a name in one and a number in the other.
                let is_named = instruction.text.contains('@');
                assert!(is_named || dumped.operands == instruction.operands, "{name}: {}", instruction.text);
                assert_eq!((dumped.pc, &dumped.opcode), (instruction.pc, &instruction.opcode));
                assert_eq!((dumped.encoding, dumped.control), (instruction.encoding, instruction.control));
                branches += usize::from(instruction.opcode == "BRA");
            }
        }
    }
    assert!(branches > 50, "{branches}");
}

#[test]
fn a_dump_runs() {
    let module = Module::parse("vectoradd", &dump(LISTINGS[2].1)).unwrap();
    let name = module.kernels[0].name.clone();
    let mut device = device();
    let [a, b] = [1.5f32, 2.0].map(|value| device.upload(&[value; 64]));
    let sum = device.upload(&[0f32; 64]);
    let arguments = [Argument::from(a), b.into(), sum.into(), 64u32.into()];
    device.launch(&module, &name, 2, 32, 0, &arguments).unwrap();
    assert_eq!(device.read::<f32>(sum, 64).unwrap(), [3.5; 64]);
}

/// Code between the lines that a dump has around it.
fn function(target: &str, code: &str) -> String {
    let mut text = format!("\tcode for {target}\n\t.target\t{target}\n\n\t\tFunction : k\n");
    for (number, line) in code.lines().enumerate() {
        writeln!(text, "        /*{:04x}*/ {line} ; /* 0x0 */\n /* 0x0 */", 16 * number).unwrap();
    }
    text + "\t\t..........\n\n\n"
}

#[test]
fn code_for_other_targets_is_passed_over() {
    let foreign = function("sm_61", "XMAD R0, R1, R2, R3\nEXIT");
    let own = function("sm_75", "MOV R9, 0x1\nEXIT");
    let module = Module::parse("k", &format!("{foreign}{own}{foreign}")).unwrap();
    assert_eq!((module.kernels.len(), module.kernels[0].registers), (1, 10));
    let error = Module::parse("k", &foreign).unwrap_err().to_string();
    assert!(error.contains("code for sm_61; only Turing's is executed"), "{error}");
    let flagged = "\t\tFunction : k\n\t.headerflags\t@\"EF_CUDA_SM86 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM86)\"\n";
    let error = Module::parse("k", flagged).unwrap_err().to_string();
    assert!(error.contains("k:2: code for sm_86"), "{error}");
    let error = Module::parse("k", "").unwrap_err().to_string();
    assert!(error.contains("k:1: there is no kernel") && error.contains("cuobjdump -sass"), "{error}");
}

#[test]
fn what_a_dump_lacks_is_said_where_it_is_needed() {
    let fault = |code: &str| {
        let module = Module::parse("k", &function("sm_75", code)).unwrap();
        device().launch(&module, "k", 1, 32, 0, &[]).unwrap_err().to_string()
    };
    let error = fault("MOV R0, 0x10\nSTS [R0], R0\nEXIT");
    assert!(error.contains("`shared` in a launch file gives it more"), "{error}");
    let error = fault("MOV R0, c[0x3][0x0]\nEXIT");
    assert!(error.contains("give the output of `nvdisasm -hex`, not of `cuobjdump -sass`"), "{error}");
    let error = fault("BRA 0x400\nEXIT");
    assert!(error.contains("operand 1 of `BRA`"), "{error}");
}
