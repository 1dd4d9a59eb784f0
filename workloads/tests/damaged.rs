//! Listings damaged at random: an error or a run, never a panic.

#[allow(dead_code)]
mod support;

use std::path::Path;
use std::sync::LazyLock;

use gpurf_workloads::{Device, LaunchFile, Module, Options};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use support::{goes_forward, launch_all, Frame};

/// Lines of instructions, each once, of all opcodes that the listings have.
static INSTRUCTIONS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/");
    let mut found = std::collections::BTreeMap::new();
    for folder in ["kernels", "tests/listings"].map(|name| format!("{folder}{name}")) {
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

const SMALL: &str = include_str!("../kernels/pathfinder.sass");

#[derive(Clone, Debug)]
enum Damage {
    Truncate(usize),
    Delete(usize, usize),
    Insert(usize, String),
    SwapLines(usize, usize),
    RepeatLine(usize),
}

fn damage() -> impl Strategy<Value = Damage> {
    let pieces = [
        "-",
        "~",
        "|",
        "!",
        "[",
        "]",
        "`(",
        ")",
        "@P0 ",
        "R254",
        "RZ",
        "R255",
        "UR62",
        "URZ",
        "UP6",
        "PT",
        "B15",
        "B16",
        "c[0x0]",
        "c[0x2][",
        "0x",
        "0xffffffffffffffff",
        "1e400",
        "-0x80000000",
        ".64",
        ".128",
        ".X",
        ".reuse",
        ".H1_H1",
        ".F32",
        ".B3",
        ";",
        "/*",
        "*/",
        "\n",
        ":",
        ", ",
        "+",
        ".zero 4000000000\n",
        ".section ",
        ".text.k",
        ".word 0x1\n",
        "é",
        "\u{0}",
        "99999999999999999999",
    ];
    prop_oneof![
        any::<usize>().prop_map(Damage::Truncate),
        (any::<usize>(), 1..20usize).prop_map(|(at, count)| Damage::Delete(at, count)),
        (any::<usize>(), prop::sample::select(pieces.to_vec()))
            .prop_map(|(at, piece)| Damage::Insert(at, piece.into())),
        (any::<usize>(), any::<usize>()).prop_map(|(a, b)| Damage::SwapLines(a, b)),
        any::<usize>().prop_map(Damage::RepeatLine),
    ]
}

fn apply(text: &mut String, damage: &Damage) {
    let boundary = |text: &str, at: usize| {
        (at % (text.len() + 1)..=text.len()).find(|&at| text.is_char_boundary(at)).unwrap()
    };
    match damage {
        Damage::Truncate(at) => text.truncate(boundary(text, *at)),
        Damage::Delete(at, count) => {
            let start = boundary(text, *at);
            let end =
                (start + count..=text.len()).find(|&end| text.is_char_boundary(end)).unwrap_or(text.len());
            text.replace_range(start..end, "");
        }
        Damage::Insert(at, piece) => text.insert_str(boundary(text, *at), piece),
        Damage::SwapLines(a, b) => {
            let mut lines: Vec<&str> = text.lines().collect();
            let count = lines.len().max(1);
            if !lines.is_empty() {
                lines.swap(a % count, b % count);
            }
            *text = lines.join("\n");
        }
        Damage::RepeatLine(at) => {
            let mut lines: Vec<&str> = text.lines().collect();
            if !lines.is_empty() {
                let at = at % lines.len();
                lines.insert(at, lines[at]);
            }
            *text = lines.join("\n");
        }
    }
}

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

/// The same few each time; or as many as `PROPTEST_CASES` says, from `PROPTEST_RNG_SEED` on. The command for a million
/// is `PROPTEST_CASES=1000000 cargo test --release -p gpurf-workloads --test damaged`.
fn config() -> ProptestConfig {
    let given = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    let [cases, seed] = ["PROPTEST_CASES", "PROPTEST_RNG_SEED"].map(|name| std::env::var(name).is_ok());
    ProptestConfig {
        cases: if cases { given.cases } else { 300 },
        rng_seed: if seed { given.rng_seed } else { RngSeed::Fixed(1) },
        ..given
    }
}

/// A launch file with every table.
const LAUNCH_FILE: &str = concat!(
    "listing = '",
    env!("CARGO_MANIFEST_DIR"),
    "/tests/listings/launches.sass'\n",
    include_str!("support/everything.toml")
);

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_damaged_listing_does_not_panic(damages in prop::collection::vec(damage(), 1..12)) {
        let mut text = SMALL.to_string();
        for damage in &damages {
            apply(&mut text, damage);
        }
        launch_all(&text);
    }

    #[test]
    fn a_damaged_launch_file_does_not_panic(damages in prop::collection::vec(damage(), 0..6)) {
        let mut text = LAUNCH_FILE.to_string();
        for damage in &damages {
            apply(&mut text, damage);
        }
        // Large buffers are allowed, but slow.
        let digits = |text: &str| text.split(|c: char| !c.is_ascii_digit() && c != '_').any(|run| run.len() > 4);
        if let (false, Ok(file)) = (digits(&text), LaunchFile::parse(Path::new("test.toml"), &text)) {
            let mut device = Device::new(file.options(Options::default()));
            let _ = file.run(&mut device, |_| ());
        }
    }

    /// A few instructions with whatever operands, as a kernel.
    #[test]
    fn instructions_with_exchanged_operands_do_not_panic(
        lines in prop::collection::vec((any::<prop::sample::Index>(), prop::collection::vec(any::<usize>(), 7)), 1..8),
        damages in prop::collection::vec(damage(), 0..2),
    ) {
        let lines: Vec<String> = lines.iter().map(|(index, choices)| exchange(index.get::<String>(&INSTRUCTIONS), choices)).collect();
        let mut code = lines.join("\n");
        for damage in &damages {
            apply(&mut code, damage);
        }
        // One by one, too: an error in one must not keep the others from being tried.
        for code in lines.iter().chain([&code]) {
            let labels: String = code.split("`(").skip(1).filter_map(|rest| rest.split_once(')')).map(|(label, _)| format!("{label}:\n")).collect();
            launch_all(&Frame::default().listing(&format!("{code}\n{labels}EXIT")));
        }
    }
}

#[test]
fn the_instructions_are_many_and_most_are_executed() {
    assert!(INSTRUCTIONS.len() > 500, "{}", INSTRUCTIONS.len());
    // Without damage all of them are known: what stops them are addresses of zero.
    for line in INSTRUCTIONS.iter() {
        let labels: String = line
            .split("`(")
            .skip(1)
            .filter_map(|rest| rest.split_once(')'))
            .map(|(label, _)| format!("{label}:\n"))
            .collect();
        let text = Frame::default().listing(&format!("{line}\n{labels}EXIT"));
        let module = Module::parse("k.sass", &text).unwrap_or_else(|error| panic!("{error}"));
        let kernel = &module.kernels[0];
        if goes_forward(kernel) {
            let mut device = Device::new(Options::default());
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
                ];
                assert!(expected.iter().any(|part| text.contains(part)), "{text}");
            }
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
