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
use gpurf_sim::config::Config;
use gpurf_sim::modern::{
    AddressRegister, ClockedInstruction, MemoryTables, Silicon, SiliconCard, SiliconWindow,
};

use crate::output::{file, progress, table, write_text};
use crate::verdict::Verdict;

#[derive(Args)]
#[command(after_help = "Examples:
  gpurf windows                         # a second
  gpurf windows --out windows.toml      # a second
  gpurf windows windows.toml            # a second
  gpurf windows --cubins out/windows    # a second
  gpurf windows --card --out card.toml  # minutes
  gpurf windows --memory                # a second

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
    /// Instead of windows: the rates and latencies of memory instructions that H measured on an RTX A6000,
    /// Tables 1 and 2, beside those of the SM with memory.pipeline=address_units
    #[arg(long, conflicts_with_all = ["file", "card", "out", "cubins"])]
    memory: bool,
}

const RATES: &str =
    "Cycle in which each memory instruction of a warp issues, by the sub-cores that have one: H Table 1";
const LATENCIES: &str =
    "Cycles from an issue to that of an instruction that overwrites its sources or uses its result: H Table 2";
const RULES: [ReadRule; 2] = [ReadRule::Packed, ReadRule::Held];

pub fn run(arguments: Arguments) -> Result<Verdict> {
    if arguments.memory {
        return memory();
    }
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

/// A table as rows of texts below its header.
pub struct MemoryTable {
    /// The words above each column.
    pub header: Vec<String>,
    /// Rows of as many cells.
    pub rows: Vec<Vec<String>>,
}

/// H's Table 1, and the SM's cycles beside it.
pub fn issue_rates(config: &Config) -> MemoryTable {
    const INSTRUCTIONS: usize = 10;
    let rates = MemoryTables::of_h().rates;
    let mut header = vec!["instruction".to_string()];
    header.extend(rates.iter().flat_map(|rates| match rates.sub_cores {
        1 => ["H, 1 sub-core".to_string(), "here".to_string()],
        count => [format!("H, {count}"), "here".to_string()],
    }));
    let measured: Vec<_> = rates.iter().map(|rates| rates.measure(config, INSTRUCTIONS)).collect();
    let cell = |cycles: &[u64]| {
        let distinct = cycles.windows(2).any(|pair| pair[0] != pair[1]);
        let shown = if distinct { cycles } else { &cycles[..1] };
        shown.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")
    };
    let rows = (0..INSTRUCTIONS).map(|number| {
        let cells = rates.iter().zip(&measured);
        let cells = cells.flat_map(|(rates, here)| [cell(&rates.cycles_of(number)), cell(&here[number])]);
        [format!("{}", number + 1)].into_iter().chain(cells).collect()
    });
    MemoryTable { header, rows: rows.collect() }
}

/// H's Table 2, and the SM's cycles beside it.
pub fn memory_latencies(config: &Config) -> MemoryTable {
    let header = ["instruction", "address", "H, WAR", "here", "H, RAW", "here"].map(String::from).to_vec();
    let mut rows = vec![];
    for latency in MemoryTables::of_h().latencies {
        for (place, width) in latency.widths().enumerate() {
            let about = if latency.approximate.contains(&width) { "about " } else { "" };
            let address = match latency.address {
                AddressRegister::Regular => "regular",
                AddressRegister::Uniform if latency.code == "LDC" => "immediate",
                AddressRegister::Uniform => "uniform",
            };
            let raw = latency.raw.get(place);
            rows.push(vec![
                latency.name(width),
                address.into(),
                format!("{about}{}", latency.war[place]),
                latency.measure_war(config, width).to_string(),
                raw.map_or(String::new(), u64::to_string),
                raw.map_or(String::new(), |_| latency.measure_raw(config, width).to_string()),
            ]);
        }
    }
    MemoryTable { header, rows }
}

/// The machine whose memory pipeline is H's.
pub fn memory_machine() -> Config {
    Config::load(None, &["memory.pipeline=address_units".into()]).expect("the pipeline is known")
}

fn memory() -> Result<Verdict> {
    let config = memory_machine();
    for (title, of) in [(RATES, issue_rates(&config)), (LATENCIES, memory_latencies(&config))] {
        let header: Vec<&str> = of.header.iter().map(String::as_str).collect();
        let mut shown = table(&header);
        for row in of.rows {
            shown.add_row(row);
        }
        println!("{title}\n{shown}");
    }
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
