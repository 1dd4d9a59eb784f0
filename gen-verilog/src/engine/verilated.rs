//! The emitted Verilog, compiled by Verilator into the process.
//!
//! Crates that bind Verilator from Rust look every port up by name and symbol at each access. With
//! some hundred ports and millions of cycles that is most of the time, so a small C++ shim copies all
//! inputs and all outputs in one call each, and is loaded once.

use std::collections::HashMap;
use std::ffi::c_void;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use gpurf_blocks::{pack, unpack, Clocked, Ports};
use gpurf_hw::dialect::Module;
use libloading::Library;

use super::harness::{Harness, MODULE};
use super::{shim, EngineError};
use crate::cache;
use crate::lock::lock;
use crate::tools::{run, Tool, ToolError};
use crate::{emit, Hierarchy, Language};

/// A module's Verilog under clock and reset, run by Verilator.
pub struct Verilated<I: Ports, O: Ports> {
    model: Arc<Model>,
    instance: *mut c_void,
    inputs: I,
    outputs: O,
    /// Packed inputs and outputs.
    words: (Vec<u32>, Vec<u32>),
    /// The instance has settled for `inputs` in its present state.
    settled: bool,
}

// Safety: the instance is this engine's alone and refers to nothing of the thread that made it; the library
// is shared and only read.
unsafe impl<I: Ports + Send, O: Ports + Send> Send for Verilated<I, O> {}

impl<I: Ports, O: Ports> Verilated<I, O> {
    /// Emits the module's Verilog, compiles it unless that was done before, and resets it for one
    /// cycle.
    ///
    /// Compiled models are kept in `$GPURF_CACHE`, by default `gpurf` in the user's cache folder.
    ///
    /// # Errors
    /// If the module cannot be emitted, or Verilator or the C++ compiler is missing or fails.
    pub fn new<M: Module<In = I, Out = O>>(module: &M) -> Result<Self, EngineError> {
        Self::of(&emit(module)?)
    }

    /// The engine of a design whose top module has these ports.
    pub fn of(hierarchy: &Hierarchy) -> Result<Self, EngineError> {
        let harness = Harness::new::<I, O>(hierarchy);
        let model = model(&harness)?;
        let instance = (model.create)();
        let mut engine = Verilated {
            model,
            instance,
            inputs: I::default(),
            outputs: O::default(),
            words: (vec![0; harness.words.0], vec![0; harness.words.1]),
            settled: false,
        };
        engine.reset(&I::default());
        Ok(engine)
    }

    /// Holds reset for one cycle with these inputs. Memories keep what is in them or take what comes, and so do registers
    /// without a reset.
    pub fn reset(&mut self, inputs: &I) {
        self.set_reset(true);
        self.settle(inputs);
        self.tick();
        self.set_reset(false);
    }

    fn set_reset(&mut self, level: bool) {
        // Safety: the instance is alive until `self` is dropped.
        unsafe { (self.model.reset)(self.instance, level as u32) };
        self.settled = false;
    }
}

impl<I: Ports, O: Ports> Clocked for Verilated<I, O> {
    type In = I;
    type Out = O;

    fn settle(&mut self, inputs: &I) -> O {
        if !self.settled || *inputs != self.inputs {
            self.inputs = *inputs;
            pack(inputs, &mut self.words.0);
            let (inputs, outputs) = (self.words.0.as_ptr(), self.words.1.as_mut_ptr());
            // Safety: the shim was made for the layout that both buffers have.
            unsafe { (self.model.settle)(self.instance, inputs, outputs) };
            self.outputs = unpack(&self.words.1);
            self.settled = true;
        }
        self.outputs
    }

    fn tick(&mut self) {
        debug_assert!(self.settled, "settle comes before tick");
        // Safety: the instance is alive until `self` is dropped.
        unsafe { (self.model.tick)(self.instance) };
        self.settled = false;
    }
}

impl<I: Ports, O: Ports> Drop for Verilated<I, O> {
    fn drop(&mut self) {
        // Safety: nobody else holds the instance, and nobody uses it after this.
        unsafe { (self.model.destroy)(self.instance) };
    }
}

/// A loaded shim with the model behind it.
struct Model {
    create: extern "C" fn() -> *mut c_void,
    destroy: unsafe extern "C" fn(*mut c_void),
    reset: unsafe extern "C" fn(*mut c_void, u32),
    settle: unsafe extern "C" fn(*mut c_void, *const u32, *mut u32),
    tick: unsafe extern "C" fn(*mut c_void),
    /// Keeps the functions above in memory.
    _library: Library,
}

impl Model {
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

/// Loads the model of a design, which is built if the cache does not hold it.
fn model(harness: &Harness) -> Result<Arc<Model>, EngineError> {
    /// Each behind a lock of its own, so that models are built side by side.
    type Models = Mutex<HashMap<String, Arc<Mutex<Option<Arc<Model>>>>>>;
    static LOADED: OnceLock<Models> = OnceLock::new();

    let verilog = format!("{}\n{}", harness.hierarchy.source(), shim::verilog(harness));
    let shim = shim::source(harness);
    let options = options(harness.hierarchy);
    let key = cache::key(&[&verilog, &shim, &Tool::Verilator.version()?, &options.join(" ")]);
    let place = lock(LOADED.get_or_init(Models::default)).entry(key.clone()).or_default().clone();
    // Held while building: a second thread that wants the same model waits for it.
    let mut loaded = lock(&place);
    if let Some(model) = &*loaded {
        return Ok(model.clone());
    }
    let library = cache::folder().join(format!("{}-{key}.so", harness.hierarchy.top));
    if !library.exists() {
        build(&verilog, &shim, &options, &library)?;
    }
    let model = Arc::new(Model::load(&library)?);
    *loaded = Some(model.clone());
    Ok(model)
}

/// How models are built. Warnings are the lint check's business; hidden symbols keep the models of one
/// process apart. The functions are cut into pieces: the C++ compiler takes minutes over the few long ones
/// that a sub-core makes, and more with each level of optimization. Nor is all of a large module inlined at each of its
/// instances, as it would be at this level: 32 tag arrays take twice as long to build then, and longer to run.
const OPTIONS: [&str; 21] = [
    "--cc",
    "--exe",
    "--build",
    "-j",
    "2",
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
    "--CFLAGS",
    "-fPIC -fvisibility=hidden",
    "--LDFLAGS",
    "-shared",
    "--MAKEFLAGS",
    "OPT_FAST=-O1",
];

/// What netlists need beside that. Versions of Verilator from 4.2 on fold long chains of exclusive ORs wrong (its issues
/// 4059, 4709, 4857 and 5186): of an adder made of cells, one bit was inverted. What is emitted here has no such chains;
/// netlists and other files come as SystemVerilog.
const SAFE: &str = "-fno-const-bit-op-tree";

fn options(hierarchy: &Hierarchy) -> Vec<&'static str> {
    let safe = (hierarchy.language == Language::SystemVerilog).then_some(SAFE);
    OPTIONS.into_iter().chain(safe).collect()
}

/// Builds in a folder of its own and moves the result into place: other processes may be building
/// the same model.
fn build(verilog: &str, shim: &str, options: &[&str], library: &Path) -> Result<(), EngineError> {
    let cache = library.parent().expect("a library lies in a folder");
    let writing = |path: &PathBuf| ToolError::files(format!("cannot write {}", path.display()));
    let folder = fs::create_dir_all(cache).and_then(|()| tempfile::tempdir_in(cache));
    let folder = folder.map_err(writing(&cache.to_path_buf()))?;
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).map_err(writing(&path)).map(|()| path)
    };
    let (verilog, shim) = (write("design.v", verilog)?, write("shim.cpp", shim)?);
    let output = folder.path().join("objects");
    let runtime = Runtime::of(options)?;
    let known = runtime.bring(&output)?;
    run(Tool::Verilator
        .command()?
        .args(options)
        .args(known.then(Runtime::make_flags).iter().flatten())
        .args(["--prefix", shim::CLASS, "--top-module", MODULE, "-o", "model.so", "-Mdir"])
        .arg(&output)
        .args([verilog, shim]))?;
    if !known {
        runtime.keep(&output)?;
    }
    Ok(gpurf_files::rename(&output.join("model.so"), library).map_err(ToolError::from)?)
}

/// What Verilator's own sources are compiled to is the same for all models built with the same options, and takes longer than
/// a small model does.
struct Runtime {
    /// In the cache.
    folder: PathBuf,
}

impl Runtime {
    const OBJECTS: [&str; 2] = ["verilated.o", "verilated_threads.o"];

    fn of(options: &[&str]) -> Result<Runtime, EngineError> {
        let key = cache::key(&[&Tool::Verilator.version()?, &Tool::Cxx.version()?, &options.join(" ")]);
        Ok(Runtime { folder: cache::folder().join(format!("verilator-{key}")) })
    }

    /// The options with which Make takes the objects as they are, although they are older than what says how to make them.
    fn make_flags() -> [String; 2] {
        ["--MAKEFLAGS".into(), Self::OBJECTS.map(|name| format!("-o {name}")).join(" ")]
    }

    /// Puts the objects where a model is built, if they are known. Whether they are.
    fn bring(&self, output: &Path) -> Result<bool, ToolError> {
        if !Self::OBJECTS.iter().all(|name| self.folder.join(name).exists()) {
            return Ok(false);
        }
        let copy = |name| fs::copy(self.folder.join(name), output.join(name));
        let copied = fs::create_dir_all(output)
            .and_then(|()| Self::OBJECTS.into_iter().try_for_each(|name| copy(name).map(drop)));
        copied.map_err(ToolError::files(format!("cannot write {}", output.display())))?;
        Ok(true)
    }

    /// Keeps the objects that a model was built with.
    fn keep(&self, output: &Path) -> Result<(), ToolError> {
        let folder = fs::create_dir_all(&self.folder);
        folder.map_err(ToolError::files(format!("cannot write {}", self.folder.display())))?;
        let keep = |name| gpurf_files::rename(&output.join(name), &self.folder.join(name));
        Ok(Self::OBJECTS.into_iter().try_for_each(keep)?)
    }
}
