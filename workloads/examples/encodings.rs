//! What Turing's instructions look like: every opcode and modifier that NVIDIA's disassembler knows for `sm_75`.
//!
//! `cargo run -p gpurf-workloads --example encodings` changes the bits of encodings that hold opcodes and
//! modifiers, has the disassembler say what that is, and writes one line of each kind to
//! `workloads/instruction_set/sm_75.txt`: a line for each modifier of each opcode, and for each kind of operands.
//! The tables of `docs/emulator.md` say which of them are executed. The disassembler is that of `workloads/build`; it
//! gives up at the first word that is no instruction and is started anew for each of these, so that this takes hours.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Bits of the opcode, and with them those of the kinds of its operands.
const OPCODE: u128 = 0x1ff;
const FORM: u128 = 0xfff;
/// Kinds of operands, and bits beside them, that one at least of all opcodes has: registers; immediates, or an operand
/// less; constants; and the same in the uniform datapath.
const KINDS: [u128; 5] = [1 << 9, 4 << 9, 5 << 9, 1 << 9 | 1 << UNIFORM, 4 << 9 | 1 << UNIFORM];
/// Guarded by PT, and no wait for anything.
const PLAIN: u128 = 7 << 12 | 0xfe0 << 108;
/// Bits that hold modifiers. Below are registers and immediates, above what the scheduler is told.
const MODIFIERS: std::ops::Range<u32> = 58..105;
/// Tells uniform registers from constants, where the opcode allows both.
const UNIFORM: u32 = 91;
/// Bits of a modifier that are changed together, at most.
const WINDOW: u32 = 4;

fn main() -> Result<()> {
    let workloads = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut disassembler = Disassembler::find(workloads)?;
    let mut forms = seeds(workloads)?;
    for kind in KINDS {
        let known: BTreeSet<u128> = forms.keys().map(|form| form & OPCODE).collect();
        let others = (0..=OPCODE).filter(|opcode| !known.contains(opcode));
        let words: Vec<u128> = others.map(|opcode| opcode | PLAIN | kind).collect();
        for (word, _) in disassembler.texts(&words)? {
            forms.insert(word & FORM, word);
        }
        eprintln!("{} opcodes with kinds of operands", forms.len());
    }
    let mut kept = Kept::default();
    for (number, &form) in forms.values().enumerate() {
        for (_, text) in disassembler.texts(&variants(form))? {
            kept.add(&text);
        }
        eprintln!("{} of {}: {} lines", number + 1, forms.len(), kept.lines.len());
    }
    let path = workloads.join("instruction_set/sm_75.txt");
    fs::create_dir_all(path.parent().expect("a folder"))?;
    let lines: String = kept.lines.iter().map(|line| line.clone() + "\n").collect();
    let temporary = path.with_extension("new");
    fs::write(&temporary, lines)?;
    fs::rename(&temporary, &path)?;
    println!("{}: {} lines", path.display(), kept.lines.len());
    Ok(())
}

/// An encoding of each opcode and kind of operands in the project's listings.
fn seeds(workloads: &Path) -> Result<BTreeMap<u128, u128>> {
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
                    let word = upper << 64 | lower;
                    found.entry(word & FORM).or_insert(word);
                }
            }
        }
    }
    Ok(found)
}

/// The half of an encoding that ends a line.
fn half(line: &str) -> Option<u128> {
    let (_, rest) = line.strip_suffix(" */")?.rsplit_once("/* 0x")?;
    u128::from_str_radix(rest, 16).ok().filter(|_| rest.len() == 16)
}

/// An encoding with a few neighbouring bits changed, in every way; itself first, then those with fewest changes.
fn variants(form: u128) -> Vec<u128> {
    let bits = |range: std::ops::Range<u32>| range.fold(0u128, |bits, bit| bits | 1 << bit);
    let allowed = bits(MODIFIERS) & !(1 << UNIFORM);
    let mut seen = BTreeSet::new();
    for place in MODIFIERS {
        seen.extend((0..1u128 << WINDOW).map(|value| value << place & allowed));
    }
    // Which special register is read.
    seen.extend((0..256).map(|value| value << 72));
    let mut changes: Vec<u128> = seen.into_iter().collect();
    changes.sort_by_key(|change| change.count_ones());
    changes.into_iter().map(|change| form ^ change).collect()
}

/// Lines that show something no other one shows.
#[derive(Default)]
struct Kept {
    lines: BTreeSet<String>,
    /// Opcodes with a modifier, or with a kind of operands.
    shown: BTreeSet<(String, String)>,
}

impl Kept {
    fn add(&mut self, text: &str) {
        let code = match text.strip_prefix('@') {
            Some(rest) => rest.split_once(' ').map_or("", |(_, code)| code),
            None => text,
        };
        let (opcode, operands) = code.split_once(' ').unwrap_or((code, ""));
        let mut names = opcode.split('.');
        let base = names.next().unwrap_or_default();
        // What the disassembler has no name for.
        if code.contains("INVALID") || code.contains('?') || base.is_empty() {
            return;
        }
        let mut features: Vec<String> = names.map(String::from).collect();
        features.push(format!(" {}", shape(operands)));
        let new = features.into_iter().filter(|name| self.shown.insert((base.to_string(), name.clone())));
        if new.count() > 0 {
            self.lines.insert(code.to_string());
        }
    }
}

/// Operands without the numbers in them.
fn shape(operands: &str) -> String {
    let mut shape = String::new();
    let mut previous = ' ';
    for c in operands.replace("0x", "0").chars() {
        match (previous, c) {
            // Of a name, such as that of a special register.
            ('A'..='Z' | '_' | '.', 'A'..='Z' | '_' | '.') => shape.push(c),
            ('0', '0'..='9' | 'a'..='f') => continue,
            (_, '0'..='9') => shape.push('0'),
            _ => shape.push(c),
        }
        previous = if c.is_ascii_digit() { '0' } else { c };
    }
    shape
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

    /// Those of the words that are instructions, with their texts.
    fn texts(&mut self, words: &[u128]) -> Result<Vec<(u128, String)>> {
        let mut words = words.to_vec();
        while !words.is_empty() {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            fs::write(self.image.path(), bytes)?;
            let mut command = Command::new(&self.program);
            let output = command.args(["-b", "SM75", "-ndf"]).arg(self.image.path()).output()?;
            let message = String::from_utf8_lossy(&output.stderr);
            if let Some(place) = message.split("at address 0x").nth(1).and_then(|rest| rest.get(..8)) {
                // It says where the first word is that is none, and nothing else.
                words.remove(usize::from_str_radix(place, 16)? / 16);
                continue;
            }
            let text = String::from_utf8_lossy(&output.stdout);
            let lines = text.lines().filter_map(|line| {
                let (place, text) = line.trim_start().strip_prefix("/*")?.split_once("*/")?;
                let word = words.get(usize::from_str_radix(place, 16).ok()? / 16)?;
                Some((*word, text.trim().trim_end_matches(';').trim_end().to_string()))
            });
            let lines: Vec<_> = lines.collect();
            if !output.status.success() || lines.is_empty() {
                return Err(format!("{}: {message}", self.program.display()).into());
            }
            return Ok(lines);
        }
        Ok(vec![])
    }
}
