// SPDX-License-Identifier: Apache-2.0
//! Listings damaged at random: an error or a run, never a panic.

#[allow(dead_code)]
use std::path::Path;
use std::sync::LazyLock;

use crate::support::{launch_all, Frame};
use gpurf_fixtures::damage::{config, damage, damaged, watched};
use gpurf_workloads::{Device, LaunchFile, Module, Options};
use proptest::prelude::*;
use proptest::sample::{select, Index};

/// Lines of instructions, each once, of all opcodes that the listings have.
static INSTRUCTIONS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/");
    let mut found = std::collections::BTreeMap::new();
    for folder in ["../kernels", "listings"].map(|name| format!("{folder}{name}")) {
        let mut paths: Vec<_> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        for path in
            paths.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "sass"))
        {
            for line in std::fs::read_to_string(path).unwrap().lines() {
                let Some((_, rest)) = line.split_once("*/ ") else { continue };
                let Some((code, _)) = rest.split_once(" ;") else { continue };
                let opcode = code.split(' ').find(|word| !word.starts_with('@')).unwrap_or_default();
                // Two of each shape.
                let shape = code.replace(|c: char| c.is_ascii_digit(), "");
                let lines: &mut Vec<String> = found.entry((opcode.to_string(), shape.len())).or_default();
                if lines.len() < 2 {
                    lines.push(code.to_string());
                }
            }
        }
    }
    found.into_values().flatten().collect()
});

/// Small listings: of loops, calls, barriers, waiting, and the runtime's functions.
const LISTINGS: [&str; 6] = [
    include_str!("../kernels/nn.sass"),
    include_str!("../kernels/pathfinder.sass"),
    include_str!("../kernels/vectoradd.sass"),
    include_str!("listings/launches.sass"),
    include_str!("listings/library.sass"),
    include_str!("listings/waiting.sass"),
];

/// Pieces that mean something in a listing.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    "-", "~", "|", "!", "[", "]", "`(", ")", "@P0 ", "R254", "RZ", "R255", "UR62", "URZ", "UP6", "PT", "B15",
    "B16", "c[0x0]", "c[0x2][", "0x", "0xffffffffffffffff", "1e400", "-0x80000000", ".64", ".128", ".X",
    ".reuse", ".H1_H1", ".F32", ".B3", ";", "/*", "*/", "\n", ":", ", ", "+", ".zero 4000000000\n", ".section ",
    ".text.k", ".word 0x1\n", "é", "\u{0}", "99999999999999999999",
];

/// Registers, predicates and the like at the ends of their ranges.
fn exchange(line: &str, choices: &[usize]) -> String {
    let vector = ["R0", "R1", "R126", "R127", "R251", "R252", "R253", "R254", "RZ"];
    let uniform = ["UR0", "UR1", "UR60", "UR61", "UR62", "URZ"];
    let predicates = ["P0", "P6", "PT"];
    let mut choices = choices.iter().cycle();
    let mut out = String::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let word_end =
            rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len()).max(first.len_utf8());
        let word = &rest[..word_end];
        let number = |prefix: &str| {
            word.strip_prefix(prefix).is_some_and(|rest| {
                rest == "Z" || !rest.is_empty() && rest.bytes().all(|c| c.is_ascii_digit())
            })
        };
        let mut pick = |list: &[&str]| list[choices.next().unwrap() % list.len()].to_string();
        let replaced = if number("UR") {
            pick(&uniform)
        } else if number("R") {
            pick(&vector)
        } else if number("P") || word == "PT" {
            pick(&predicates)
        } else {
            word.to_string()
        };
        out += &replaced;
        rest = &rest[word_end..];
    }
    out
}

/// A launch file with every table.
const LAUNCH_FILE: &str = concat!(
    "listing = '",
    env!("CARGO_MANIFEST_DIR"),
    "/listings/launches.sass'\n",
    include_str!("support/everything.toml")
);

/// Pieces that mean something in a launch file.
#[rustfmt::skip]
const KEYS: &[&str] = &[
    "\"", "'", "[", "]", "[[", "{", "}", "=", ",", "\n", "#", "-", "_", ".", "0x", "1e400", "nan", "true", "\"zero\"",
    "\"iota\"", "buffer = ", "buffer = \"to\"", "variable = \"calls\"", "image = \"from\"", "first = ", "count = ",
    "size = ", "at = ", "offset = ", "i32 = ", "f16 = ", "u64 = ", "bytes = ", "struct = ", "array = ", "fill = ",
    "list = ", "range = { start = 1, step = 2 }", "file = \"missing\"", "[[launch]]\n", "[[launch.launch]]\n",
    "repeat = 2\n", "set = ", "until = ", "is = ", "shared = ", "\"cube\"", "\"mirror\"", "é", "\u{0}",
];

/// Damaged in up to so many places: few let much of it be used.
macro_rules! damages {
    ($pieces:expr, $most:literal) => {
        prop::collection::vec(damage($pieces), 0..=$most)
    };
}

/// The labels that code names, so that it can be linked.
fn labels(code: &str) -> String {
    let names = code.split("`(").skip(1).filter_map(|rest| rest.split_once(')'));
    names.map(|(label, _)| format!("{label}:\n")).collect()
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn a_damaged_listing_does_not_panic(listing in select(&LISTINGS[..]), damages in damages!(PIECES, 6)) {
        watched(&damaged(listing, &damages), launch_all);
    }

    #[test]
    fn a_damaged_launch_file_does_not_panic(damages in damages!(KEYS, 5)) {
        watched(&damaged(LAUNCH_FILE, &damages), |text| {
            // Large buffers and many rounds are allowed, but slow.
            let digits = text.split(|c: char| !c.is_ascii_digit() && c != '_').any(|run| run.len() > 4);
            if let (false, Ok(file)) = (digits, LaunchFile::parse(Path::new("test.toml"), text)) {
                let mut device = Device::new(file.options(Options { limit: 2000, ..Options::default() }));
                let _ = file.run(&mut device, |_| ());
            }
        });
    }

    /// A few instructions with whatever operands, as a kernel.
    #[test]
    fn instructions_with_exchanged_operands_do_not_panic(
        lines in prop::collection::vec((any::<Index>(), prop::collection::vec(any::<usize>(), 7)), 1..8),
        damages in damages!(PIECES, 1),
    ) {
        let lines = lines.iter().map(|(index, choices)| exchange(index.get::<String>(&INSTRUCTIONS), choices));
        let lines: Vec<String> = lines.collect();
        let all = damaged(&lines.join("\n"), &damages);
        // One by one, too: an error in one must not keep the others from being tried.
        for code in lines.iter().chain([&all]) {
            watched(&Frame::default().listing(&format!("{code}\n{}EXIT", labels(code))), launch_all);
        }
    }
}

#[test]
fn the_instructions_are_many_and_most_are_executed() {
    assert!(INSTRUCTIONS.len() > 500, "{}", INSTRUCTIONS.len());
    // Without damage all of them are known: what stops them are addresses of zero.
    for line in INSTRUCTIONS.iter() {
        let text = Frame::default().listing(&format!("{line}\n{}EXIT", labels(line)));
        let module = Module::parse("k.sass", &text).unwrap_or_else(|error| panic!("{error}"));
        let mut device = Device::new(Options { limit: 2000, ..Options::default() });
        if let Err(error) = device.launch(&module, "k", 1, 40, 256, &[0u64.into()]) {
            let text = error.to_string();
            let expected = [
                "out of bounds",
                "misaligned",
                "never come",
                "no barrier",
                "trapped",
                "no texture or surface",
                "jumps to",
                "left the kernel",
                "which the listing lacks",
                "without end",
            ];
            assert!(expected.iter().any(|part| text.contains(part)), "{text}");
        }
    }
}

#[test]
fn the_launch_file_runs_undamaged() {
    let file =
        LaunchFile::parse(Path::new("test.toml"), LAUNCH_FILE).unwrap_or_else(|error| panic!("{error}"));
    let mut device = Device::new(file.options(Options::default()));
    let mut lines = vec![];
    file.run(&mut device, |line| lines.push(line.to_string())).unwrap_or_else(|error| panic!("{error}"));
    // The loop ends after its first round.
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0], "round 10");
}
