// SPDX-License-Identifier: Apache-2.0
//! Whole cubins: their frames hold what a window needs, and NVIDIA's disassembler reads the window in them.

use std::path::PathBuf;
use std::process::Command;

use gpurf_card::{Architecture, Frame};
use gpurf_sim::modern::{ClockedInstruction, Silicon};
use gpurf_trace::Control;

/// NVIDIA's disassembler, where `make workloads` has installed it.
fn disassembler() -> Option<PathBuf> {
    let project = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let venv = std::env::var_os("GPURF_CUDA").map_or(project.join(".venv-cuda"), PathBuf::from);
    let libraries = std::fs::read_dir(venv.join("lib")).ok()?;
    let tools =
        libraries.map(|entry| entry.expect("a folder").path().join("site-packages/nvidia/cu13/bin/nvdisasm"));
    tools.into_iter().find(|tool| tool.exists())
}

/// Instructions of a cubin with their control bits.
fn disassembled(tool: &PathBuf, cubin: &[u8]) -> Vec<(String, Control)> {
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), cubin).expect("written");
    let output = Command::new(tool).args(["-c", "-hex"]).arg(file.path()).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> = text.lines().collect();
    let pairs = lines.windows(2).filter_map(|pair| {
        let (code, _) = pair[0].split_once("*/")?.1.split_once(';')?;
        let half = pair[1].trim().strip_prefix("/* 0x")?.strip_suffix(" */")?;
        Some((code.trim().to_string(), Control::of_upper_half(u64::from_str_radix(half, 16).ok()?)))
    });
    pairs.collect()
}

/// The text of an instruction with its registers counted from the first of a window.
fn moved(code: &str) -> String {
    let mut words = code.split(", ").enumerate().map(|(place, word)| {
        let (before, register) =
            if place == 0 { word.split_once(' ').unwrap_or((word, "")) } else { ("", word) };
        let (number, reuse) = register.strip_suffix(".reuse").map_or((register, ""), |rest| (rest, ".reuse"));
        match number.strip_prefix('R').and_then(|number| number.parse::<u32>().ok()) {
            Some(number) => format!("{before} R{}{reuse}", number + 32).trim().to_string(),
            None => word.to_string(),
        }
    });
    let first = words.next().expect("an opcode");
    words.fold(first, |code, word| format!("{code}, {word}"))
}

#[test]
fn the_disassembler_reads_windows_in_their_frames() {
    let Some(tool) = disassembler() else {
        return gpurf_fixtures::skipped(
            "NVIDIA's disassembler is not installed; `make workloads` installs it",
        );
    };
    let silicon = Silicon::built_in();
    for architecture in Architecture::ALL {
        let frame = Frame::of(architecture);
        // Some windows on the first architecture, one with reuse on the others: the disassembler is slow.
        let (first, step) = if architecture == Architecture::ALL[0] { (0, 4) } else { (15, 26) };
        for window in silicon.windows.iter().skip(first).step_by(step) {
            let code = ClockedInstruction::sequence(&window.code).expect("it was read");
            let all = disassembled(&tool, &frame.with(&code));
            let texts: Vec<&str> = all.iter().map(|(text, _)| &text[..]).collect();
            let (first, last) = ("CS2R.32 R64, SR_CLOCKLO", "CS2R.32 R66, SR_CLOCKLO");
            let start = texts.iter().position(|text| *text == first).expect("the first clock");
            let end = texts.iter().position(|text| *text == last).expect("the second clock");
            let expected: Vec<String> = window.code.split("; ").map(moved).collect();
            assert_eq!(texts[start + 1..end], expected, "{}", architecture.name);
            for (text, control) in &all[start..=end] {
                assert_eq!((control.stall(), control.yields(), control.wait_mask()), (1, false, 0), "{text}");
                assert_eq!((control.write_barrier(), control.read_barrier()), (None, None), "{text}");
            }
            assert_eq!(
                texts[end + 1..].iter().take_while(|text| **text == "NOP").count(),
                26 - expected.len()
            );
            // Only the window has registers from 32 on, and the store takes the difference.
            let pauses = start - 4;
            let stored = texts[end..].iter().position(|text| text.starts_with("STG")).expect("a store") + end;
            let (_, to) = texts[stored].rsplit_once(", ").expect("what it stores");
            assert!(texts[end..stored].contains(&&format!("IADD3 {to}, R66, -R64, RZ")[..]), "{texts:?}");
            for text in texts[..pauses].iter().chain(&texts[stored..stored + 4]) {
                let mut words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
                let register = |word: &str| word.strip_prefix('R').and_then(|number| number.parse().ok());
                assert!(words.all(|word| register(word).unwrap_or(0) < 32), "{}: {text}", architecture.name);
            }
        }
    }
}

#[test]
fn frames_have_the_registers_of_their_windows() {
    for architecture in Architecture::ALL {
        let cubin = Frame::of(architecture).with(&ClockedInstruction::sequence("NOP").expect("a window"));
        let registers = registers(&cubin);
        assert!((67..=255).contains(&registers), "{}: {registers}", architecture.name);
        assert_eq!(Architecture::of(architecture.capability), Some(architecture));
    }
    assert_eq!(Architecture::of((8, 7)).map(|newest| newest.name), Some("sm_86"));
    for unknown in [(7, 0), (7, 2), (10, 0), (12, 0)] {
        assert_eq!(Architecture::of(unknown), None);
    }
}

/// Registers of the kernel, as the file says it: an attribute with the number 0x2f, of eight bytes, the
/// number of a symbol before the count.
fn registers(cubin: &[u8]) -> u32 {
    let mut found = cubin.windows(12).filter(|bytes| bytes.starts_with(&[0x04, 0x2f, 8, 0]));
    let attribute = found.next().expect("each kernel has it");
    assert!(found.next().is_none(), "there is one kernel");
    u32::from_le_bytes(attribute[8..].try_into().expect("four bytes"))
}
