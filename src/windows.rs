// SPDX-License-Identifier: Apache-2.0
//! `gpurf windows`: cycles of short sequences on silicon beside those of the sub-core that ships, and the GPU
//! of this machine as one more reference.

use std::fs;
use std::path::PathBuf;

use anyhow::{anyhow, Context, Result};
use clap::Args;
use gpurf_blocks::{Parameters, ReadRule};
use gpurf_card::{Architecture, Driver, Frame};
use gpurf_files::NewFolder;
use gpurf_sim::modern::{ClockedInstruction, Silicon, SiliconCard, SiliconWindow};

use crate::output::{file, progress, table, write_text};
use crate::verdict::Verdict;

#[derive(Args)]
#[command(after_help = "Examples:
  gpurf windows                         # a second
  gpurf windows --out windows.toml      # a second
  gpurf windows windows.toml            # a second
  gpurf windows --cubins out/windows    # a second
  gpurf windows --card --out card.toml  # minutes

A window is a sequence of instructions between two reads of the clock, each with stall count 1:
docs/modern.md. Its TOML file:

  [cards.\"A card\"]
  fp32_initiation = 2

  [[window]]
  card = \"A card\"
  code = \"NOP; FADD R8, R9, R10; FFMA R12, R10.reuse, R6, R7\"
  silicon = 6")]
pub struct Arguments {
    /// Windows with the cycles that they took on cards, instead of those that come with the tool
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Run the windows on a GPU of this machine, through NVIDIA's driver alone; each one once, whatever cards
    /// they are of
    #[arg(long)]
    card: bool,
    /// The number of the GPU among those of the driver
    #[arg(long, value_name = "NUMBER", default_value_t = 0, requires = "card")]
    device: usize,
    /// Runs of each window on the GPU; their median counts
    #[arg(long, value_name = "COUNT", default_value_t = 101, requires = "card",
          value_parser = clap::value_parser!(u32).range(3..=10_000))]
    runs: u32,
    /// Write the windows with all cycles to this file, which can be read again
    #[arg(long, value_name = "FILE", value_parser = file())]
    out: Option<PathBuf>,
    /// Write each window to this new folder as machine code for every architecture. Kernel `window` takes an
    /// address for the cycles of each run, the number of runs, and zero
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["card", "out"])]
    cubins: Option<PathBuf>,
}

const RULES: [ReadRule; 2] = [ReadRule::Packed, ReadRule::Held];

pub fn run(arguments: Arguments) -> Result<Verdict> {
    let mut silicon = match &arguments.file {
        None => Silicon::built_in(),
        Some(path) => {
            let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
            Silicon::parse(&text).map_err(|error| anyhow!("{}: {error}", path.display()))?
        }
    };
    if let Some(folder) = &arguments.cubins {
        return write_cubins(&silicon, folder);
    }
    if arguments.card {
        silicon = measure(&silicon, arguments.device, arguments.runs)?;
    }
    for place in 0..silicon.windows.len() {
        let [packed, held] = RULES.map(|read_rule| {
            silicon.cycles(&silicon.windows[place], &Parameters { read_rule, ..Parameters::default() })
        });
        let window = &mut silicon.windows[place];
        (window.packed, window.held) = (Some(packed), Some(held));
    }
    println!("{}", rows(&silicon));
    for (name, card) in &silicon.cards {
        let windows = || silicon.windows.iter().filter(|window| window.card == *name);
        let same = |cycles: fn(&SiliconWindow) -> Option<u64>| {
            windows().filter(|window| cycles(window) == Some(window.silicon)).count()
        };
        println!(
            "{name}{}: packed explains {} of {}, held {}.",
            card.measured.as_ref().map(|how| format!(" ({how})")).unwrap_or_default(),
            same(|window| window.packed),
            windows().count(),
            same(|window| window.held),
        );
    }
    write_text(arguments.out.as_deref(), || Ok(toml::to_string(&silicon)?))?;
    Ok(Verdict::Holds)
}

fn rows(silicon: &Silicon) -> comfy_table::Table {
    let mut rows = table(&["window", "card", "silicon", "packed", "held"]);
    for SiliconWindow { card, code, silicon, packed, held } in &silicon.windows {
        let cycles = |cycles: &Option<u64>| cycles.map(|cycles| cycles.to_string()).unwrap_or_default();
        rows.add_row([code.clone(), card.clone(), silicon.to_string(), cycles(packed), cycles(held)]);
    }
    rows
}

/// Each different window, in the order of the file.
fn sequences(silicon: &Silicon) -> Vec<(&str, Vec<ClockedInstruction>)> {
    let mut sequences: Vec<(&str, Vec<ClockedInstruction>)> = vec![];
    for SiliconWindow { code, .. } in &silicon.windows {
        if sequences.iter().all(|(other, _)| other != code) {
            sequences.push((code, ClockedInstruction::sequence(code).expect("it was read")));
        }
    }
    sequences
}

/// The windows on a GPU of this machine.
fn measure(silicon: &Silicon, device: usize, runs: u32) -> Result<Silicon> {
    let driver = Driver::open()?;
    let gpu = driver.gpu(device)?;
    let sequences = sequences(silicon);
    let progress = progress(sequences.len() as u64, "windows");
    let mut windows = vec![];
    for (code, instructions) in sequences {
        let mut cycles = gpu.run(&instructions, runs).with_context(|| format!("`{code}`"))?;
        cycles.sort_unstable();
        let median = u64::from(cycles[cycles.len() / 2]);
        let (card, code) = (gpu.name.clone(), code.to_string());
        windows.push(SiliconWindow { card, code, silicon: median, packed: None, held: None });
        progress.inc(1);
    }
    progress.finish_and_clear();
    let measured = gpu.card.measured.as_deref().unwrap_or_default();
    let date = humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string();
    let measured = format!("medians of {runs} runs, {measured}, {}", &date[..10]);
    let card = SiliconCard { measured: Some(measured), ..gpu.card.clone() };
    Ok(Silicon { cards: [(gpu.name.clone(), card)].into(), windows })
}

fn write_cubins(silicon: &Silicon, folder: &std::path::Path) -> Result<Verdict> {
    let written = NewFolder::create(folder)?;
    let sequences = sequences(silicon);
    for architecture in Architecture::ALL {
        let frame = Frame::of(architecture);
        let part = written.temporary().join(architecture.name);
        fs::create_dir(&part).with_context(|| format!("cannot write {}", part.display()))?;
        for (number, (_, code)) in sequences.iter().enumerate() {
            let path = part.join(format!("window_{number:02}.cubin"));
            fs::write(&path, frame.with(code)).with_context(|| format!("cannot write {}", path.display()))?;
        }
    }
    let list =
        sequences.iter().enumerate().map(|(number, (code, _))| format!("window_{number:02}: {code}\n"));
    let path = written.temporary().join("windows.txt");
    fs::write(&path, list.collect::<String>()).with_context(|| format!("cannot write {}", path.display()))?;
    written.finish()?;
    println!(
        "{} windows for {} architectures in {}; windows.txt lists them.",
        sequences.len(),
        Architecture::ALL.len(),
        folder.display()
    );
    Ok(Verdict::Holds)
}
