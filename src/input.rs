// SPDX-License-Identifier: Apache-2.0
//! Instruction streams by name or path: built-in workloads, launch files, Accel-Sim traces.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{bail, ensure, Context, Result};
use clap::{Args, ValueEnum};
use gpurf_blocks::suggestion;
use gpurf_trace::Workload;
use gpurf_workloads::suite::hgemm::{run_tile, Tile};
use gpurf_workloads::suite::{self, Benchmark};
use gpurf_workloads::{Device, LaunchFile, Options, Scope};
use serde::{Deserialize, Serialize};

use crate::output::{from_one, say, spinner};
use crate::{products, program};

/// How built-in workloads and launch files are executed.
#[derive(Args, Default)]
pub struct EmulationArguments {
    /// The size of the built-in workloads, which says how much work they do
    #[arg(long, value_enum, default_value_t)]
    pub size: Size,
    /// The number of threads that execute code and step SMs; without it, as many as there are processors. The
    /// results do not depend on it
    #[arg(long, value_name = "N", value_parser = from_one, allow_negative_numbers = true)]
    threads: Option<u64>,
    /// Where HADD2.F32, HMUL2.F32 and HFMA2.F32 round, which NVIDIA does not say
    #[arg(long, value_enum, default_value_t)]
    pub widening: Widening,
    /// A seed: warps of a block take turns of a few instructions in a random order. Without it, each runs
    /// until it waits or ends
    #[arg(long, value_name = "SEED")]
    pub warp_order: Option<u64>,
}

/// Where instructions round that make single precision of halves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Widening {
    /// The exact result, once to single precision
    #[default]
    Exact,
    /// The result to half precision, which is then widened
    Rounded,
}

impl From<Widening> for gpurf_workloads::Widening {
    fn from(widening: Widening) -> gpurf_workloads::Widening {
        match widening {
            Widening::Exact => gpurf_workloads::Widening::Exact,
            Widening::Rounded => gpurf_workloads::Widening::Rounded,
        }
    }
}

/// How much work a built-in workload does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Size {
    /// Up to about 100,000 warp instructions
    #[default]
    Small,
    /// Some millions of warp instructions
    Medium,
    /// Tens of millions of warp instructions
    Large,
}

impl From<Size> for suite::Size {
    fn from(size: Size) -> suite::Size {
        match size {
            Size::Small => suite::Size::Small,
            Size::Medium => suite::Size::Medium,
            Size::Large => suite::Size::Large,
        }
    }
}

/// Memory for the stream of a workload that is read many times, in bytes.
pub const KEEP_BYTES: usize = 1 << 30;

impl EmulationArguments {
    /// Sets the number of threads for the whole run of the tool.
    pub fn set_threads(&self) -> Result<()> {
        if let Some(threads) = self.threads {
            rayon::ThreadPoolBuilder::new()
                .num_threads(threads as usize)
                .build_global()
                .with_context(|| format!("--threads {threads}: give fewer"))?;
        }
        Ok(())
    }

    /// The options that are not left at their defaults, as on a command line.
    pub fn as_arguments(&self) -> Vec<String> {
        let EmulationArguments { size, widening, warp_order, .. } = self;
        let mut line = vec![];
        if *size != Size::default() {
            line.extend(["--size".into(), format!("{size:?}").to_lowercase()]);
        }
        if *widening != Widening::default() {
            line.extend(["--widening".into(), format!("{widening:?}").to_lowercase()]);
        }
        if let Some(seed) = warp_order {
            line.extend(["--warp-order".into(), seed.to_string()]);
        }
        line
    }

    /// Options by which an execution differs from others, with their values.
    pub fn properties(&self) -> [(&'static str, String); 3] {
        let EmulationArguments { size, widening, warp_order, .. } = self;
        [
            ("--size", format!("{size:?}")),
            ("--widening", format!("{widening:?}")),
            ("--warp-order", format!("{warp_order:?}")),
        ]
    }

    /// The instruction stream of an input, which is executed for it if need be.
    pub fn stream(&self, input: &Input, options: Options) -> Result<Workload> {
        let name = input.name();
        let spinner = spinner(format!("executing {name}"));
        let workload = input.workload(self, options);
        spinner.finish_and_clear();
        workload
    }
}

/// The thing that an INPUT stands for.
pub enum Input {
    BuiltIn(&'static Benchmark),
    LaunchFile {
        name: String,
        file: Box<LaunchFile>,
    },
    Trace {
        name: String,
        path: PathBuf,
    },
    /// A half-precision matrix product: rows, columns and depth.
    Product {
        name: String,
        tile: &'static Tile,
        shape: [usize; 3],
    },
    /// A square matrix product of C Table V.
    Square(products::Product),
}

impl Input {
    /// A built-in workload, a square product, a launch file, a trace file, a kernel list or a folder holding
    /// one.
    pub fn find(name: &str) -> Result<Input> {
        let path = Path::new(name);
        if let Some(built_in) = Input::built_in(name) {
            if path.exists() {
                say_built_in_is_taken(name);
            }
            return Ok(built_in);
        }
        if !path.exists() {
            ensure!(!name.contains(['/', '.']), "{name}: there is no such file or folder; check the path");
            let products: Vec<String> = products::Product::all().map(|product| product.name).collect();
            let names = suite::SUITE
                .iter()
                .map(|benchmark| benchmark.name)
                .chain(products.iter().map(String::as_str));
            let known = suggestion(name, names, "`gpurf names workloads` lists them");
            bail!("{name}: neither a built-in workload nor a file or folder{known}");
        }
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        match extension {
            "toml" => {
                let text = std::fs::read_to_string(path)
                    .with_context(|| format!("{name}: the launch file cannot be read; check it"))?;
                Ok(Input::LaunchFile { name: stem, file: Box::new(LaunchFile::parse(path, &text)?) })
            }
            "sass" | "cu" | "cubin" => bail!(
                "{name}: code alone does not say what to launch; write a launch file: a TOML file with \
                 `listing = \"{name}\"`, a table [buffers.NAME] for each buffer, and [[launch]] with kernel, grid, block \
                 and arguments"
            ),
            _ => Ok(Input::Trace { name: stem, path: path.to_path_buf() }),
        }
    }

    fn built_in(name: &str) -> Option<Input> {
        let benchmark = suite::named(name).map(Input::BuiltIn);
        benchmark.or_else(|| products::Product::named(name).map(Input::Square))
    }

    /// Several, by name: before one of them is executed, all are found.
    pub fn find_all(names: &[String]) -> Result<Vec<Input>> {
        names.iter().map(|name| Input::find(name)).collect()
    }

    /// Several, by name, or all built-in workloads if none is named.
    pub fn find_all_or_built_in(names: &[String]) -> Result<Vec<Input>> {
        match names.is_empty() {
            true => Ok(suite::SUITE.iter().copied().map(Input::BuiltIn).collect()),
            false => Input::find_all(names),
        }
    }

    /// Paths of the launch files and traces that stand in a folder, in order. No two have the same name.
    pub fn paths_in(folder: &Path) -> Result<Vec<String>> {
        let read = |folder: &Path| -> Result<Vec<PathBuf>> {
            let entries = std::fs::read_dir(folder)
                .with_context(|| format!("{}: the folder cannot be read; check it", folder.display()))?;
            entries.map(|entry| Ok(entry?.path())).collect()
        };
        let named = |path: &Path, start: &str| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(start))
        };
        let mut paths = vec![];
        for path in read(folder)? {
            let is_trace = path.is_dir() && read(&path)?.iter().any(|file| named(file, "kernelslist"));
            if is_trace || path.extension().is_some_and(|extension| extension == "toml") {
                paths.push(path);
            }
        }
        paths.sort();
        ensure!(
            !paths.is_empty(),
            "{}: there is neither a launch file (.toml) nor a trace (a folder with a kernelslist) in it",
            folder.display(),
        );
        for (number, path) in paths.iter().enumerate() {
            let other = paths[..number].iter().find(|other| other.file_stem() == path.file_stem());
            if let Some(other) = other {
                bail!(
                    "{} and {} have the same name, and so would their results; rename one",
                    other.display(),
                    path.display()
                );
            }
        }
        Ok(paths.iter().map(|path| path.to_string_lossy().into_owned()).collect())
    }

    /// All of its thread blocks, where otherwise a part of them stands for all.
    pub fn whole(self) -> Input {
        match self {
            Input::Square(product) => Input::Square(product.whole()),
            input => input,
        }
    }

    pub fn name(&self) -> &str {
        match self {
            Input::BuiltIn(benchmark) => benchmark.name,
            Input::LaunchFile { name, .. } | Input::Trace { name, .. } | Input::Product { name, .. } => name,
            Input::Square(product) => &product.name,
        }
    }

    /// A digest of the files that its stream is made from; a built-in workload is part of the program.
    pub fn digest(&self) -> Result<String> {
        let files = match self {
            Input::LaunchFile { file, .. } => file.files(),
            Input::Trace { path, .. } => gpurf_trace::files(path)?,
            Input::BuiltIn(_) | Input::Product { .. } | Input::Square(_) => return Ok("built in".into()),
        };
        program::digest_of(files.iter().map(PathBuf::as_path))
    }

    /// The instruction stream. Code is executed for it, and its answer must be right.
    pub fn workload(&self, emulation: &EmulationArguments, options: Options) -> Result<Workload> {
        let size = emulation.size;
        if size != Size::Small && !matches!(self, Input::BuiltIn(_)) {
            say!("{}: --size is for built-in workloads; this input has a size of its own", self.name());
        }
        if let Input::Trace { path, .. } = self {
            return Ok(gpurf_trace::open_with(path, |note| say!("note: {note}"))?);
        }
        let mut device = Device::new(self.options(emulation, options));
        self.execute(size, &mut device)?;
        Ok(device.into_workload(self.name()))
    }

    /// Executes the code and compares its answer, without a stream.
    pub fn check(&self, emulation: &EmulationArguments) -> Result<()> {
        match self {
            Input::Trace { path, .. } => {
                bail!("{}: a trace has no answer to check; leave it out", path.display())
            }
            Input::LaunchFile { name, file } if !file.has_expectations() => {
                bail!("{name}: the launch file has no answer to check; add an [[expect]]")
            }
            _ => {
                let options = Options { stream: false, ..Options::default() };
                self.execute(emulation.size, &mut Device::new(self.options(emulation, options)))
            }
        }
    }

    /// Races, a line for each pair of places in the code.
    ///
    /// # Errors
    /// Of a trace, which executes nothing, and if a kernel fails.
    pub fn races(&self, emulation: &EmulationArguments, scope: Scope) -> Result<Vec<String>> {
        if let Input::Trace { path, .. } = self {
            bail!("{}: a trace executes nothing, and has no races to find; leave it out", path.display());
        }
        let options = Options { stream: false, hazards: Some(scope), ..Options::default() };
        let mut device = Device::new(self.options(emulation, options));
        self.execute(emulation.size, &mut device)?;
        Ok(device.take_hazards())
    }

    /// A launch file may want more of the device.
    fn options(&self, emulation: &EmulationArguments, options: Options) -> Options {
        let options =
            Options { widening: emulation.widening.into(), warp_order: emulation.warp_order, ..options };
        match self {
            Input::LaunchFile { file, .. } => file.options(options),
            _ => options,
        }
    }

    fn execute(&self, size: Size, device: &mut Device) -> Result<()> {
        match self {
            Input::BuiltIn(benchmark) => {
                (benchmark.run)(device, size.into()).with_context(|| benchmark.name.to_string())
            }
            // Beside the results on standard output, which programs may read.
            Input::LaunchFile { file, .. } => Ok(file.run(device, |line| say!("{line}"))?),
            Input::Trace { .. } => Ok(()),
            Input::Product { name, tile, shape: [m, n, k] } => {
                run_tile(device, tile, *m, *n, *k).with_context(|| name.clone())
            }
            Input::Square(product) => product.run(device).with_context(|| product.name.clone()),
        }
    }
}

/// Says once that a name is not that of the file or folder here.
fn say_built_in_is_taken(name: &str) {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if SAID.lock().unwrap_or_else(PoisonError::into_inner).insert(name.into()) {
        say!("note: {name} is the built-in workload; ./{name} names the file or folder of this name");
    }
}

/// Returns true if an error is that of a wrong answer, and not of unusable input.
pub fn is_wrong_answer(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(gpurf_workloads::Error::Answer { .. }))
}
