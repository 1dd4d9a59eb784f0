// SPDX-License-Identifier: Apache-2.0
//! The library that Verilator and the C++ compiler make of a design, with the functions of the [shim].
//!
//! The C++ is compiled here and not by Verilator's makefile, which reads the headers of its runtime, most of
//! what a small model takes, twice for each.

use std::collections::HashMap;
use std::ffi::c_void;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock};
use std::{fs, iter, thread};

use libloading::Library;

use super::harness::{Harness, MODULE};
use super::{shim, EngineError};
use crate::lock::lock;
use crate::tools::{run, write, Tool, ToolError};
use crate::{cache, Language};

/// A loaded shim with the model behind it.
pub struct Model {
    pub create: extern "C" fn() -> *mut c_void,
    pub destroy: unsafe extern "C" fn(*mut c_void),
    pub reset: unsafe extern "C" fn(*mut c_void, u32),
    pub settle: unsafe extern "C" fn(*mut c_void, *const u32, *mut u32),
    pub tick: unsafe extern "C" fn(*mut c_void),
    /// Keeps the functions above in memory.
    _library: Library,
}

impl Model {
    /// The model of a design, which is built if the cache does not hold it.
    pub fn of(harness: &Harness) -> Result<Arc<Model>, EngineError> {
        /// Each behind a lock of its own, so that models are built side by side.
        type Models = Mutex<HashMap<String, Arc<Mutex<Option<Arc<Model>>>>>>;
        static LOADED: OnceLock<Models> = OnceLock::new();

        let sources = Sources::of(harness);
        let key = cache::key(&[
            &sources.verilog,
            &sources.shim,
            &Tool::Verilator.version()?,
            &sources.options.join(" "),
            &CXX_OPTIONS.join(" "),
        ]);
        let place = lock(LOADED.get_or_init(Models::default)).entry(key.clone()).or_default().clone();
        // Held while building: a second thread that wants the same model waits for it.
        let mut loaded = lock(&place);
        if let Some(model) = &*loaded {
            return Ok(model.clone());
        }
        let library = cache::folder().join(format!("{}-{key}.so", harness.hierarchy.top));
        if !library.exists() {
            sources.build(&library)?;
        }
        let model = Arc::new(Model::load(&library)?);
        *loaded = Some(model.clone());
        Ok(model)
    }

    fn load(library: &Path) -> Result<Self, EngineError> {
        let failed = |error: libloading::Error| EngineError::Load {
            library: library.display().to_string(),
            problem: error.to_string(),
        };
        // Safety: the library was built from the shim, whose functions have these types.
        unsafe {
            let library = Library::new(library).map_err(failed)?;
            Ok(Model {
                create: *library.get(b"gpurf_create\0").map_err(failed)?,
                destroy: *library.get(b"gpurf_destroy\0").map_err(failed)?,
                reset: *library.get(b"gpurf_reset\0").map_err(failed)?,
                settle: *library.get(b"gpurf_settle\0").map_err(failed)?,
                tick: *library.get(b"gpurf_tick\0").map_err(failed)?,
                _library: library,
            })
        }
    }
}

/// How Verilator translates. Warnings are the lint check's business. The functions are cut into pieces: the
/// C++ compiler takes minutes over the few long ones that a sub-core makes, and more with each level of
/// optimization. Nor is all of a large module inlined at each of its instances, as it would be at this level:
/// 32 tag arrays take twice as long to build then, and longer to run.
const OPTIONS: [&str; 11] = [
    "--cc",
    "-O3",
    "--inline-mult",
    "20000",
    "--output-split",
    "500000",
    "--output-split-cfuncs",
    "200",
    "-Wno-fatal",
    "-Wno-lint",
    "-Wno-style",
];

/// An option that netlists need beside those. Versions of Verilator from 4.2 on fold long chains of
/// exclusive ORs wrong (its issues 4059, 4709, 4857 and 5186): an adder made of cells had one bit inverted.
/// The emitted Verilog has no such chains; netlists and other files come as SystemVerilog.
const SAFE: &str = "-fno-const-bit-op-tree";

/// How the C++ is compiled. What `-O1` does beyond `-Og` takes a third of the time of a sub-core's model, and
/// makes none faster. Hidden symbols keep the models of one process apart.
const CXX_OPTIONS: [&str; 6] =
    ["-Og", "-fPIC", "-fvisibility=hidden", "-DVM_COVERAGE=0", "-DVM_SC=0", "-DVM_TRACE=0"];

/// The sources that a model is built from.
struct Sources {
    verilog: String,
    shim: String,
    /// The options of Verilator.
    options: Vec<&'static str>,
}

impl Sources {
    fn of(harness: &Harness) -> Self {
        let safe = (harness.hierarchy.style.language == Language::SystemVerilog).then_some(SAFE);
        Sources {
            verilog: format!("{}\n{}", harness.hierarchy.source(), shim::verilog(harness)),
            shim: shim::source(harness),
            options: OPTIONS.into_iter().chain(safe).collect(),
        }
    }

    /// Builds in a folder of its own and moves the result into place: other processes may be building
    /// the same model.
    fn build(&self, library: &Path) -> Result<(), EngineError> {
        let folder = scratch_folder()?;
        let (verilog, objects) = (folder.path().join("design.v"), folder.path().join("objects"));
        write(&verilog, &self.verilog)?;
        run(Tool::Verilator
            .command()?
            .args(&self.options)
            .args(["--prefix", shim::CLASS, "--top-module", MODULE, "-Mdir"])
            .args([&objects, &verilog]))?;
        let runtime = Runtime::get()?;
        let units = self.units(&objects)?;
        on_all_processors(&units, |unit| compile(&mut runtime.compiler()?, unit, &unit.with_extension("o")))?;
        let compiled = units.iter().map(|unit| unit.with_extension("o"));
        let model = folder.path().join("model.so");
        let linked = ["-shared", "-pthread", "-latomic", "-o"];
        run(Tool::Cxx.command()?.args(compiled).args(runtime.objects()).args(linked).arg(&model))?;
        Ok(gpurf_files::rename(&model, library).map_err(ToolError::from)?)
    }

    /// The files that the compiler is called for: each large one of Verilator's, and one that includes the
    /// small ones and the shim.
    fn units(&self, objects: &Path) -> Result<Vec<PathBuf>, ToolError> {
        const LARGE: u64 = 500_000;
        let listed = || -> std::io::Result<Vec<(String, u64)>> {
            let files = fs::read_dir(objects)?.map(|file| {
                let file = file?;
                Ok((file.file_name().to_string_lossy().into_owned(), file.metadata()?.len()))
            });
            files.collect()
        };
        let mut files = listed().map_err(ToolError::files(format!("cannot read {}", objects.display())))?;
        files.retain(|(name, _)| name.ends_with(".cpp"));
        files.sort();
        let (large, small): (Vec<_>, Vec<_>) = files.into_iter().partition(|&(_, size)| size > LARGE);
        let includes = small.iter().map(|(name, _)| format!("#include \"{name}\"\n"));
        let rest = objects.join("model_and_shim.cpp");
        write(&rest, &(includes.collect::<String>() + &self.shim))?;
        Ok(large.into_iter().map(|(name, _)| objects.join(name)).chain([rest]).collect())
    }
}

/// Does something with each item, in threads of its own: one of a pool, waiting here with a model's lock in
/// hand, might be given work that wants the same model.
fn on_all_processors<T: Sync>(
    items: &[T],
    work: impl Fn(&T) -> Result<(), ToolError> + Sync,
) -> Result<(), ToolError> {
    let left = Mutex::new(items.iter());
    let next = || lock(&left).next();
    thread::scope(|scope| {
        let threads = thread::available_parallelism().map_or(1, usize::from).min(items.len());
        let worker = || iter::from_fn(next).try_for_each(&work);
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("a command that fails is no panic"))
    })
}

/// A folder in the cache, so that what is made in it can be moved to its place there.
fn scratch_folder() -> Result<tempfile::TempDir, ToolError> {
    let cache = cache::folder();
    let folder = fs::create_dir_all(&cache).and_then(|()| tempfile::tempdir_in(&cache));
    folder.map_err(ToolError::files(format!("cannot write {}", cache.display())))
}

fn compile(compiler: &mut Command, source: &Path, object: &Path) -> Result<(), ToolError> {
    run(compiler.arg("-c").arg(source).arg("-o").arg(object)).map(drop)
}

/// The object files of Verilator's own sources and headers, the same for all models: they are kept in the
/// cache.
struct Runtime {
    folder: PathBuf,
    /// Verilator's headers and sources.
    include: PathBuf,
}

impl Runtime {
    const SOURCES: [&str; 2] = ["verilated", "verilated_threads"];
    const HEADER: &str = "runtime.h";

    fn get() -> Result<Runtime, EngineError> {
        let root = run(Tool::Verilator.command()?.args(["--getenv", "VERILATOR_ROOT"]))?;
        let include = Path::new(root.trim()).join("include");
        let (verilator, compiler) = (Tool::Verilator.version()?, Tool::Cxx.version()?);
        let key = cache::key(&[&verilator, &include.to_string_lossy(), &compiler, &CXX_OPTIONS.join(" ")]);
        let runtime = Runtime { folder: cache::folder().join(format!("verilator-{key}")), include };
        // Compiled once in a process, even if many models want it at a time.
        static COMPILING: Mutex<()> = Mutex::new(());
        let _alone = lock(&COMPILING);
        if !runtime.folder.exists() {
            runtime.compile()?;
        }
        Ok(runtime)
    }

    /// The compiler, which reads the headers in the form that it made of them.
    fn compiler(&self) -> Result<Command, ToolError> {
        let mut compiler = self.plain_compiler()?;
        compiler.arg("-include").arg(self.folder.join(Self::HEADER));
        Ok(compiler)
    }

    fn plain_compiler(&self) -> Result<Command, ToolError> {
        let mut compiler = Tool::Cxx.command()?;
        compiler.args(CXX_OPTIONS).arg("-I").arg(&self.include).arg("-I").arg(self.include.join("vltstd"));
        Ok(compiler)
    }

    fn objects(&self) -> [PathBuf; 2] {
        Self::SOURCES.map(|name| self.folder.join(format!("{name}.o")))
    }

    fn compile(&self) -> Result<(), EngineError> {
        let scratch = scratch_folder()?;
        let header = scratch.path().join(Self::HEADER);
        write(&header, "#include \"verilated.h\"\n")?;
        run(self.plain_compiler()?.args(["-x", "c++-header"]).arg(&header))?;
        for name in Self::SOURCES {
            let source = self.include.join(format!("{name}.cpp"));
            let object = scratch.path().join(format!("{name}.o"));
            compile(&mut self.plain_compiler()?, &source, &object)?;
        }
        match gpurf_files::rename(scratch.path(), &self.folder) {
            // Another process was faster.
            Err(_) if self.folder.exists() => Ok(()),
            renamed => Ok(renamed.map_err(ToolError::from)?),
        }
    }
}
