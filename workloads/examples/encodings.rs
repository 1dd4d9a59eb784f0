// SPDX-License-Identifier: Apache-2.0
//! Encodings of Turing's instructions: every opcode and modifier that NVIDIA's disassembler knows for
//! `sm_75`.
//!
//! `cargo run --release -p gpurf-workloads --example encodings` begins with an instruction of each opcode and
//! kind of operands, changes the bits that hold modifiers, has the disassembler say what that is, and goes on
//! from whatever shows something new until nothing does. An instruction for each modifier of each opcode, and
//! for each kind of operands, becomes a line of `workloads/instruction_set/sm_75.txt`. The tables of
//! `docs/emulator.md` say which of them are executed. The disassembler is that of `workloads/build`.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Bits of the opcode, and with them those of the kinds of its operands.
const FORM: u128 = 0xfff;
/// Tells uniform registers from constants, where the opcode allows both.
const UNIFORM: u128 = 1 << 91;
/// The guard, and what the scheduler is told; and both as they are plainest: PT, and no barrier for sources,
/// nor for results if their time is known; those of other instructions have one.
const GUARD: u128 = 0xf << 12 | !0 << 105;
const PLAIN: u128 = 0x7 << 12 | 0x3f << 110;
const RESULT_BARRIER: u128 = 0x7 << 110;
/// Bits that hold modifiers. Below are registers and immediates, above what the scheduler is told.
const MODIFIERS: std::ops::Range<u32> = 58..105;
/// Bits of a modifier that are changed together, at most.
const WINDOW: u32 = 4;

fn main() -> Result<()> {
    let workloads = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut disassembler = Disassembler::find(workloads)?;
    let mut kept = Kept::default();
    let mut seen = HashSet::new();
    // The plainest instructions first: those that show one new thing, in variants of what compilers make.
    let blank = (0..=FORM).map(|form| form | PLAIN).flat_map(|word| [word, word | UNIFORM]);
    let blank = blank.flat_map(|word| [word, word ^ RESULT_BARRIER]).collect();
    for mut words in [seeds(workloads)?, blank] {
        words.retain(|word| seen.insert(*word));
        while !words.is_empty() {
            let texts = disassembler.texts(&words)?;
            words = vec![];
            for most in [1, usize::MAX] {
                let new = texts.iter().filter(|(_, text)| kept.add(text, most));
                words.extend(new.flat_map(|(word, _)| variants(*word)).filter(|word| seen.insert(*word)));
            }
            eprintln!("{} words, {} lines", seen.len(), kept.lines.len());
        }
    }
    let path = workloads.join("instruction_set/sm_75.txt");
    fs::create_dir_all(path.parent().expect("a folder"))?;
    let lines: String = kept.lines.iter().map(|line| line.clone() + "\n").collect();
    gpurf_files::write(&path, lines)?;
    println!("{}: {} lines of {} words", path.display(), kept.lines.len(), seen.len());
    Ok(())
}

/// An encoding of each opcode and kind of operands in the project's listings.
fn seeds(workloads: &Path) -> Result<Vec<u128>> {
    let mut found = BTreeMap::new();
    for folder in ["kernels", "tests/listings"] {
        let mut paths = vec![];
        for entry in fs::read_dir(workloads.join(folder))? {
            paths.push(entry?.path());
        }
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "sass"));
        paths.sort();
        for path in paths {
            let text = fs::read_to_string(&path)?;
            let halves: Vec<Option<u128>> = text.lines().map(half).collect();
            // The lower half stands beside the instruction, the upper one on the next line.
            for (pair, line) in halves.windows(2).zip(text.lines()) {
                if let ([Some(lower), Some(upper)], true) = (pair, line.contains(" ;")) {
                    let word = (upper << 64 | lower) & !GUARD | PLAIN;
                    found.entry(word & (FORM | UNIFORM)).or_insert(word);
                }
            }
        }
    }
    Ok(found.into_values().collect())
}

/// The half of an encoding that ends a line.
fn half(line: &str) -> Option<u128> {
    let (_, rest) = line.strip_suffix(" */")?.rsplit_once("/* 0x")?;
    u128::from_str_radix(rest, 16).ok().filter(|_| rest.len() == 16)
}

/// An instruction with a few neighbouring bits changed, in every way, those with fewest changes first.
fn variants(word: u128) -> impl Iterator<Item = u128> {
    let bits = MODIFIERS.fold(0u128, |bits, bit| bits | 1 << bit);
    let mut changes = BTreeSet::new();
    for place in MODIFIERS {
        changes.extend((1..1u128 << WINDOW).map(|value| value << place & bits));
    }
    // Which special register is read.
    changes.extend((1..256).map(|value| value << 72));
    let mut changes: Vec<u128> = changes.into_iter().collect();
    changes.sort_by_key(|change| change.count_ones());
    changes.into_iter().map(move |change| word ^ change)
}

/// Lines that show something no other one shows.
#[derive(Default)]
struct Kept {
    lines: BTreeSet<String>,
    /// Opcodes with a modifier, with an operand of some kind at some place, or with a number of operands.
    shown: BTreeSet<(String, String)>,
}

impl Kept {
    /// Returns true if the instruction shows anything new to go on from, but no more than `most` things.
    fn add(&mut self, code: &str, most: usize) -> bool {
        let (opcode, operands) = code.split_once(' ').unwrap_or((code, ""));
        let mut names = opcode.split('.');
        let base = names.next().unwrap_or_default();
        // What the disassembler has no name for: variants of it may have one.
        let nameless =
            code.contains("INVALID") || code.contains('?') || base.is_empty() || base.starts_with("__");
        let mut features: BTreeSet<String> = match nameless {
            true => ["nameless".into()].into(),
            false => names.map(|name| format!(".{name}")).collect(),
        };
        if !nameless {
            let operands = operands.split(", ").enumerate();
            features.extend(operands.clone().map(|(place, operand)| format!("{place} {}", kind(operand))));
            features.insert(format!("{} operands", operands.count()));
        }
        let new = features.into_iter().map(|feature| (base.to_string(), feature));
        let new: Vec<_> = new.filter(|feature| !self.shown.contains(feature)).collect();
        let kept = (1..=most).contains(&new.len());
        if kept {
            self.shown.extend(new);
        }
        if kept && !nameless {
            self.lines.insert(code.to_string());
        }
        kept
    }
}

/// An operand without the numbers in it: which register it is, or which immediate, does not matter.
fn kind(operand: &str) -> String {
    let mut kind = String::new();
    let mut rest = operand;
    while let Some(c) = rest.chars().next() {
        // A number, or a name such as that of a register, a part of one or a special register.
        let word = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let (name, behind) = rest.split_at(word.max(1));
        rest = behind;
        kind += match name {
            "RZ" | "URZ" | "PT" | "UPT" | "SRZ" => &name[..name.len() - 1],
            "INF" | "QNAN" | "SNAN" => "0",
            _ if c.is_ascii_digit() => "0",
            _ if name.starts_with("SR_") => name,
            _ => name.trim_end_matches(|c: char| c.is_ascii_digit()),
        };
    }
    // Signs of numbers, and their fractions.
    for (long, short) in [("0.0", "0"), ("0e-0", "0"), ("0e+0", "0"), ("+-0", "+0")] {
        kind = kind.replace(long, short);
    }
    match kind.strip_prefix(['-', '+']) {
        Some(number) if number.starts_with('0') => number.into(),
        _ => kind,
    }
}

struct Disassembler {
    program: PathBuf,
    /// Where it finds the words.
    image: tempfile::NamedTempFile,
}

impl Disassembler {
    fn find(workloads: &Path) -> Result<Disassembler> {
        let environment =
            std::env::var_os("GPURF_CUDA").map_or_else(|| workloads.join("../.venv-cuda"), PathBuf::from);
        let message = || format!("{}: no disassembler; run workloads/build", environment.display());
        for entry in fs::read_dir(environment.join("lib")).map_err(|_| message())? {
            let program = entry?.path().join("site-packages/nvidia/cu13/bin/nvdisasm");
            if program.exists() {
                return Ok(Disassembler { program, image: tempfile::NamedTempFile::new()? });
            }
        }
        Err(message().into())
    }

    /// The ones of the words that are instructions, with their texts.
    fn texts(&mut self, words: &[u128]) -> Result<Vec<(u128, String)>> {
        let mut words = words.to_vec();
        loop {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            fs::write(self.image.path(), bytes)?;
            let mut command = Command::new(&self.program);
            let output = command.args(["-b", "SM75", "-ndf"]).arg(self.image.path()).output()?;
            // It says where all the words are that are none, and then nothing of the others.
            let message = String::from_utf8_lossy(&output.stderr);
            let places = message.split("at address 0x").skip(1).filter_map(|rest| rest.get(..8));
            let numbers = places.map(|place| Ok(usize::from_str_radix(place, 16)? / 16));
            let wrong = numbers.collect::<Result<HashSet<usize>>>()?;
            if !wrong.is_empty() {
                let mut number = 0..;
                words.retain(|_| number.next().is_some_and(|number| !wrong.contains(&number)));
                continue;
            }
            let text = String::from_utf8_lossy(&output.stdout);
            let lines = text.lines().filter_map(|line| {
                let (place, text) = line.trim_start().strip_prefix("/*")?.split_once("*/")?;
                let word = words.get(usize::from_str_radix(place, 16).ok()? / 16)?;
                Some((*word, text.trim().trim_end_matches(';').trim_end().to_string()))
            });
            // A few words are instructions without a text.
            let lines: Vec<_> = lines.collect();
            if !output.status.success() || lines.is_empty() && !words.is_empty() {
                return Err(format!("{}: {message}", self.program.display()).into());
            }
            return Ok(lines);
        }
    }
}
