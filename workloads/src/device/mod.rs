// SPDX-License-Identifier: Apache-2.0
//! The host's side of a program: device memory, copies, kernel launches.
//!
//! ```
//! use gpurf_workloads::{Device, Dim, Module};
//! # fn main() -> Result<(), gpurf_workloads::Error> {
//! let module = Module::parse("vectoradd.sass", include_str!("../../kernels/vectoradd.sass"))?;
//! let mut device = Device::default();
//! let a = device.upload(&[1.0f32, 2.0, 3.0]);
//! let b = device.upload(&[10.0f32, 20.0, 30.0]);
//! let c = device.allocate(12);
//! let arguments = [a.into(), b.into(), c.into(), 3.into()];
//! device.launch(&module, "vectoradd", Dim::from(1), Dim::from(32), 0, &arguments)?;
//! assert_eq!(device.read::<f32>(c, 3)?, [11.0, 22.0, 33.0]);
//! # Ok(())
//! # }
//! ```

mod argument;
mod batches;
mod hazards;
mod history;
mod launch;
mod load;
mod loaded;
mod run;

use std::collections::BTreeSet;
use std::sync::Arc;

use bytemuck::{AnyBitPattern, NoUninit};
use gpurf_trace::{Command, Kernel as TraceKernel, Workload};

use crate::emulator::{self, AccessError, GlobalMemory, Hazard, Scope, Widening};
use crate::error::{Error, Result};
use crate::listing::Module;
use crate::pointer::Pointer;
use crate::texture::{Image, LevelOfDetail, Sampler, Texture};
use history::{EmulatedBlocks, History};
use loaded::Loaded;
use run::Stream;

pub use argument::{Argument, Dim};

/// Options of a device beside its computing.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Make the instruction streams of the launches.
    pub stream: bool,
    /// Streams are kept in memory up to so many bytes in all. Launches beyond are executed again each
    /// time that their stream is read, a few blocks at a time.
    pub keep_bytes: usize,
    /// Bytes that kernels can allocate with `malloc`, for all modules on the device.
    pub heap_bytes: u64,
    /// Stack of a thread in bytes at least, of kernels whose listing cannot tell how much they need, as with
    /// recursion.
    pub stack_bytes: u32,
    /// Where allocations start: a multiple of the size of a page.
    pub base: u64,
    /// Bytes of zeros before and behind each allocation that kernels may touch.
    pub margin: u64,
    /// Loads from shared memory carry a digest of the values that they gave their lanes.
    pub digests: bool,
    /// Instructions carry the values of their operands: see [`gpurf_trace::Operands`].
    pub values: bool,
    /// Instructions after which a warp is taken to be in an endless loop, which is an error.
    pub limit: u64,
    /// Where instructions that make single precision of halves round.
    pub widening: Widening,
    /// Look for what threads do to each other that nothing orders: see [`Device::take_hazards`].
    pub hazards: Option<Scope>,
    /// A seed: the warps of a block take turns of a few instructions, in a random order. Without it each runs
    /// until it waits, or for long.
    pub warp_order: Option<u64>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            stream: true,
            keep_bytes: 16 << 20,
            heap_bytes: 8 << 20,
            stack_bytes: 16 << 10,
            base: emulator::BASE,
            margin: 0,
            digests: false,
            values: false,
            limit: 1 << 32,
            widening: Widening::default(),
            hazards: None,
            warp_order: None,
        }
    }
}

/// Device memory and the copies and launches made so far.
#[derive(Default)]
pub struct Device {
    options: Options,
    memory: GlobalMemory,
    loaded: Vec<Loaded>,
    commands: Vec<Command>,
    textures: Arc<Vec<Texture>>,
    launches: u32,
    /// Launches that made streams.
    history: Arc<History>,
    /// Memory after the last of them, as who executes it again would have it.
    reached: GlobalMemory,
    kept_bytes: usize,
    has_heap: bool,
    printed: String,
    hazards: Vec<String>,
    /// Kernels and hazards that were told.
    told: BTreeSet<(String, Hazard)>,
}

impl Device {
    /// A device with nothing in its memory.
    pub fn new(options: Options) -> Device {
        let memory = GlobalMemory::from(options.base);
        Device { options, reached: memory.clone(), memory, ..Device::default() }
    }

    /// Zeroed memory of `bytes` bytes, aligned to 256.
    pub fn allocate(&mut self, bytes: u64) -> Pointer {
        let margin = self.options.margin.next_multiple_of(256);
        Pointer(self.memory.allocate_between(margin, bytes))
    }

    /// Takes an allocation back, whose addresses are not used again. False if there is none at this address.
    pub fn free(&mut self, pointer: Pointer) -> bool {
        let margin = self.options.margin.next_multiple_of(256);
        self.memory.free(pointer.0.wrapping_sub(margin))
    }

    /// Changes [`Options::stack_bytes`].
    pub fn set_stack_bytes(&mut self, bytes: u32) {
        self.options.stack_bytes = bytes;
    }

    /// Changes [`Options::heap_bytes`], before the first module that allocates is on the device.
    pub fn set_heap_bytes(&mut self, bytes: u64) {
        self.options.heap_bytes = bytes;
    }

    /// Gives an allocation a name for messages.
    pub fn name(&mut self, pointer: Pointer, name: &str) {
        self.memory.name(pointer.0, name);
    }

    /// Addresses of a module's `__device__` variables.
    ///
    /// # Errors
    /// None so far.
    pub fn variables(&mut self, module: &Module) -> Result<Vec<(String, u64)>> {
        let loaded = self.load(module)?;
        let globals = self.loaded[loaded].globals.iter();
        Ok(globals.map(|(name, (address, _))| (name.clone(), *address)).collect())
    }

    /// Bytes of a `__constant__` or `__device__` variable.
    ///
    /// # Errors
    /// There is no such variable, or it is smaller.
    pub fn read_symbol(
        &mut self,
        module: &Module,
        symbol: &str,
        start: usize,
        bytes: usize,
    ) -> Result<Vec<u8>> {
        let loaded = self.load(module)?;
        let loaded = &self.loaded[loaded];
        let constant = module.constants.symbols.get(symbol).copied();
        let global = loaded.globals.get(symbol).copied();
        let size = constant.map(|(_, size)| size).or(global.map(|(_, size)| size));
        let wrong = |message| copy_error_text(0, bytes, message);
        let Some(size) = size else { return Err(wrong(format!("the listing has no variable {symbol}"))) };
        if start + bytes > size as usize {
            return Err(wrong(format!("variable {symbol} has only {size} bytes")));
        }
        match (constant, global) {
            (Some((offset, _)), _) => {
                let start = offset as usize + start;
                Ok(loaded.constants[start..start + bytes].to_vec())
            }
            (None, Some((address, _))) => self.read(Pointer(address + start as u64), bytes),
            (None, None) => unreachable!("it has a size"),
        }
    }

    /// Allocates memory and copies `data` into it.
    pub fn upload<T: NoUninit>(&mut self, data: &[T]) -> Pointer {
        let pointer = self.allocate(size_of_val(data) as u64);
        self.write(pointer, data).expect("just allocated");
        pointer
    }

    /// Copies `data` to allocated memory.
    ///
    /// # Errors
    /// Some of the place was not allocated.
    pub fn write<T: NoUninit>(&mut self, to: Pointer, data: &[T]) -> Result<()> {
        let bytes: &[u8] = bytemuck::cast_slice(data);
        self.memory.write(to.0, bytes).map_err(|error| copy_error(to.0, bytes.len(), error))?;
        if self.options.stream {
            self.commands.push(Command::MemcpyHtoD { address: to.0, bytes: bytes.len() as u64 });
        }
        Ok(())
    }

    /// Copies what of `data` differs to allocated memory.
    ///
    /// # Errors
    /// Some of the place was not allocated.
    pub fn update(&mut self, to: Pointer, data: &[u8]) -> Result<()> {
        let written = self.memory.update(to.0, data).map_err(|error| copy_error(to.0, data.len(), error))?;
        if self.options.stream {
            let copies = written.into_iter();
            self.commands
                .extend(copies.map(|(address, bytes)| Command::MemcpyHtoD { address, bytes: bytes as u64 }));
        }
        Ok(())
    }

    /// Copies from allocated memory, to `into`.
    ///
    /// # Errors
    /// Some of the place was not allocated.
    pub fn read_into(&self, from: Pointer, into: &mut [u8]) -> Result<()> {
        let bytes = into.len();
        self.memory.read(from.0, into).map_err(|error| copy_error(from.0, bytes, error))
    }

    /// Copies `count` values from allocated memory.
    ///
    /// # Errors
    /// Some of the place was not allocated.
    pub fn read<T: AnyBitPattern + NoUninit>(&self, from: Pointer, count: usize) -> Result<Vec<T>> {
        let mut values = vec![T::zeroed(); count];
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut values);
        let length = bytes.len();
        self.memory.read(from.0, bytes).map_err(|error| copy_error(from.0, length, error))?;
        Ok(values)
    }

    /// Copies `data` to the `__constant__` or `__device__` variable `symbol` of a module.
    ///
    /// # Errors
    /// There is no such variable, or it is smaller.
    pub fn write_symbol<T: NoUninit>(&mut self, module: &Module, symbol: &str, data: &[T]) -> Result<()> {
        let bytes: &[u8] = bytemuck::cast_slice(data);
        let loaded = self.load(module)?;
        let loaded = &mut self.loaded[loaded];
        let fits = |address: u64, size: u32| {
            if bytes.len() <= size as usize {
                return Ok(());
            }
            Err(copy_error_text(address, bytes.len(), format!("variable {symbol} has only {size} bytes")))
        };
        if let Some(&(offset, size)) = module.constants.symbols.get(symbol) {
            fits(offset.into(), size)?;
            let start = offset as usize;
            Arc::make_mut(&mut loaded.constants)[start..start + bytes.len()].copy_from_slice(bytes);
            if let Some(place) = loaded.constants_place {
                self.memory.write(place + u64::from(offset), bytes).expect("allocated with the module");
            }
            return Ok(());
        }
        match loaded.globals.get(symbol).copied() {
            Some((address, size)) => {
                fits(address, size)?;
                self.write(Pointer(address), data)
            }
            None => Err(copy_error_text(0, bytes.len(), format!("the listing has no variable {symbol}"))),
        }
    }

    /// A handle for an image, as a `cudaTextureObject_t` or a `cudaSurfaceObject_t` is one.
    ///
    /// # Errors
    /// An image or a sampler that is not possible, or memory that was not allocated.
    pub fn bind(&mut self, image: Image, sampler: Sampler) -> Result<u64> {
        self.bind_levels(&[image], sampler, LevelOfDetail::default())
    }

    /// The same for an image of several levels: each is half as large as the one before it, at least a texel.
    ///
    /// # Errors
    /// The same.
    pub fn bind_levels(&mut self, levels: &[Image], sampler: Sampler, detail: LevelOfDetail) -> Result<u64> {
        let Some((&image, smaller)) = levels.split_first() else {
            return Err(copy_error_text(0, 0, "an image has a level at least".into()));
        };
        let texture = Texture { image, smaller: smaller.to_vec(), sampler, detail };
        let wrong = |message| copy_error_text(image.base.0, image.bytes() as usize, message);
        texture.check().map_err(wrong)?;
        for level in levels {
            let inside = self.memory.holds(level.base.0, level.bytes() as usize);
            if !inside || level.base.0 % u64::from(level.texel_bytes()) != 0 {
                return Err(wrong("the image is not inside of allocated memory, or misaligned".into()));
            }
        }
        let textures = Arc::make_mut(&mut self.textures);
        textures.push(texture);
        Ok(textures.len() as u64)
    }

    /// Launches a kernel and runs it to its end. `shared` is the dynamic shared memory in bytes.
    ///
    /// # Errors
    /// The kernel cannot be launched so, or does something it must not.
    pub fn launch(
        &mut self,
        module: &Module,
        kernel: &str,
        grid: impl Into<Dim>,
        block: impl Into<Dim>,
        shared: u32,
        arguments: &[Argument],
    ) -> Result<()> {
        let (grid, block) = (grid.into(), block.into());
        let launch = self.prepare(
            module,
            kernel,
            [grid.x, grid.y, grid.z],
            [block.x, block.y, block.z],
            shared,
            arguments,
        )?;
        self.launches += 1;
        let launch = Arc::new(launch);
        if !self.options.stream {
            let executed = self.execute(&launch).map(drop);
            self.note_hazards(&launch);
            return executed;
        }
        let before = self.memory.clone();
        let changes = before.changes_since(&self.reached);
        let executed = self.execute(&launch);
        self.note_hazards(&launch);
        let stream = executed?;
        let is_settled = matches!(stream, Stream::Settled(_));
        self.reached = if is_settled { before } else { self.memory.clone() };
        let number = self.history.add(Arc::clone(&launch), changes, is_settled);
        let header = self.header(&launch);
        let kernel = match stream {
            Stream::Kept(blocks) | Stream::Settled(blocks) => {
                TraceKernel::in_memory(header, launch.code.program.clone(), blocks)
            }
            Stream::Dropped => {
                let history = Arc::clone(&self.history);
                TraceKernel::new(header, move || {
                    Ok(Box::new(EmulatedBlocks::new(Arc::clone(&history), number)))
                })
            }
        };
        let code = Arc::clone(&launch.code);
        self.commands.push(Command::Kernel(kernel.with_liveness(move || code.liveness())));
        Ok(())
    }

    /// The kernels launched so far, each once: its listing's file, and its name.
    pub fn launched(&self) -> impl Iterator<Item = (&str, &str)> {
        let loaded = self.loaded.iter();
        loaded.flat_map(|loaded| loaded.codes.iter().map(|code| (&*loaded.file, &*code.kernel.name)))
    }

    /// Races since this was last asked for, a line for each pair of places in the code. Two warps access the
    /// same bytes of shared memory with no barrier between, and one writes; or a shuffle reads a lane that
    /// does not execute. With [`Scope::Grid`] also: two blocks access the same bytes of global memory with
    /// no atomic operation between, and one writes.
    pub fn take_hazards(&mut self) -> Vec<String> {
        std::mem::take(&mut self.hazards)
    }

    /// Text that kernels printed since this was last asked for.
    pub fn take_printed(&mut self) -> String {
        std::mem::take(&mut self.printed)
    }

    /// The copies and launches so far as a workload.
    pub fn into_workload(self, name: impl Into<String>) -> Workload {
        Workload { name: name.into(), commands: self.commands }
    }
}

fn copy_error(address: u64, bytes: usize, error: AccessError) -> Error {
    copy_error_text(address, bytes, format!("the place is {error}"))
}

fn copy_error_text(address: u64, bytes: usize, message: String) -> Error {
    Error::Copy { address, bytes: bytes as u64, message }
}
