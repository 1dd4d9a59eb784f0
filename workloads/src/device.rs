//! The host's side of a program: device memory, copies, kernel launches.
//!
//! ```
//! use gpurf_workloads::{Device, Dim, Module};
//! # fn main() -> Result<(), gpurf_workloads::Error> {
//! let module = Module::parse("vectoradd.sass", include_str!("../kernels/vectoradd.sass"))?;
//! let mut device = Device::default();
//! let a = device.upload(&[1.0f32, 2.0, 3.0]);
//! let b = device.upload(&[10.0f32, 20.0, 30.0]);
//! let c = device.allocate(12);
//! device.launch(&module, "vectoradd", Dim::from(1), Dim::from(32), 0, &[a.into(), b.into(), c.into(), 3.into()])?;
//! assert_eq!(device.read::<f32>(c, 3)?, [11.0, 22.0, 33.0]);
//! # Ok(())
//! # }
//! ```

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::sync::Arc;

use bytemuck::{AnyBitPattern, NoUninit};
use gpurf_trace::{
    BlockSource, Command, Kernel as TraceKernel, KernelHeader, Program, ThreadBlock, Workload,
};
use rayon::prelude::*;

use crate::emulator::{
    self, AccessError, Code, Executed, Launch, LibraryFunction, Memory, LOCAL_WINDOW, MISSING, SHARED_WINDOW,
};
use crate::error::{readable, Error, Result};
use crate::listing::{Data, Kernel, Module, Operand, PARAMETER_BASE};
use crate::texture::{Image, Sampler, Texture};

/// An address in device memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pointer(pub u64);

impl Pointer {
    /// The address `bytes` further on.
    pub fn offset(self, bytes: u64) -> Pointer {
        Pointer(self.0 + bytes)
    }
}

/// Extent of a grid in blocks, or of a block in threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dim {
    pub x: u32,
    pub y: u32,
    pub z: u32,
}

impl From<u32> for Dim {
    fn from(x: u32) -> Dim {
        Dim { x, y: 1, z: 1 }
    }
}

impl From<(u32, u32)> for Dim {
    fn from((x, y): (u32, u32)) -> Dim {
        Dim { x, y, z: 1 }
    }
}

impl From<(u32, u32, u32)> for Dim {
    fn from((x, y, z): (u32, u32, u32)) -> Dim {
        Dim { x, y, z }
    }
}

/// A kernel argument: its bytes, little endian.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument(pub Vec<u8>);

macro_rules! argument_from {
    ($($scalar:ty)*) => {$(
        impl From<$scalar> for Argument {
            fn from(value: $scalar) -> Argument {
                Argument(value.to_le_bytes().to_vec())
            }
        }
    )*};
}

argument_from!(u8 i8 u16 i16 u32 i32 u64 i64 f32 f64);

impl From<Pointer> for Argument {
    fn from(pointer: Pointer) -> Argument {
        pointer.0.into()
    }
}

/// Where constant bank 0 has the address of the constants among other memory.
const CONSTANTS_WINDOW: usize = 0x50;
/// Most threads of a block.
const MAX_THREADS: u64 = 1024;
/// Most blocks of a grid, per dimension.
const MAX_GRID: [u32; 3] = [0x7fff_ffff, 0xffff, 0xffff];
/// Most shared memory of a block, in bytes.
const MAX_SHARED: u32 = 64 << 10;

/// What a device does beside computing.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Make the instruction streams of the launches.
    pub stream: bool,
    /// Streams are kept in memory up to so many bytes in all. Launches beyond are executed again each
    /// time that their stream is read.
    pub keep_bytes: usize,
    /// Bytes that kernels can allocate with `malloc`, for all modules on the device.
    pub heap_bytes: u64,
    /// Bytes of zeros before and behind each allocation that kernels may touch.
    pub margin: u64,
    /// Loads from shared memory carry a digest of the values that they gave their lanes.
    pub digests: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { stream: true, keep_bytes: 1 << 30, heap_bytes: 8 << 20, margin: 0, digests: false }
    }
}

/// Device memory and the copies and launches made so far.
#[derive(Default)]
pub struct Device {
    options: Options,
    memory: Memory,
    loaded: Vec<Loaded>,
    commands: Vec<Command>,
    textures: Arc<Vec<Texture>>,
    launches: u32,
    kept_bytes: usize,
    has_heap: bool,
    printed: String,
}

/// A module on the device.
struct Loaded {
    identity: u64,
    /// Kernels decoded so far.
    codes: Vec<Arc<Code>>,
    constants: Arc<Vec<u8>>,
    addresses: Arc<Vec<u8>>,
    /// Address and size of global variables.
    globals: BTreeMap<String, (u64, u32)>,
    /// Where a copy of the constants lies, for code that addresses them as other memory.
    constants_place: Option<u64>,
    /// Names that the module uses and lacks.
    missing: Arc<Vec<String>>,
}

impl Device {
    pub fn new(options: Options) -> Device {
        Device { options, ..Device::default() }
    }

    /// Zeroed memory of `bytes` bytes, aligned to 256.
    pub fn allocate(&mut self, bytes: u64) -> Pointer {
        let margin = self.options.margin.next_multiple_of(256);
        Pointer(self.memory.allocate_between(margin, bytes))
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
        let texture = Texture { image, sampler };
        let wrong = |message| copy_error_text(image.base.0, image.bytes() as usize, message);
        texture.check().map_err(wrong)?;
        let inside = self.memory.holds(image.base.0, image.bytes() as usize);
        if !inside || image.base.0 % u64::from(image.texel_bytes()) != 0 {
            return Err(wrong("the image is not inside of allocated memory, or misaligned".into()));
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
        let before = self.memory.clone();
        let blocks = self.execute(&launch)?;
        if self.options.stream {
            let header = self.header(&launch);
            let code = Arc::clone(&launch.code);
            let kernel = match blocks {
                Some(blocks) => TraceKernel::in_memory(header, launch.code.program.clone(), blocks),
                None => TraceKernel::new(header, move || {
                    Ok(Box::new(EmulatedBlocks::new(Arc::clone(&launch), before.clone())))
                }),
            };
            self.commands.push(Command::Kernel(kernel.with_liveness(move || code.liveness())));
        }
        Ok(())
    }

    /// What kernels printed since this was last asked for.
    pub fn take_printed(&mut self) -> String {
        std::mem::take(&mut self.printed)
    }

    /// The copies and launches so far as a workload.
    pub fn into_workload(self, name: impl Into<String>) -> Workload {
        Workload { name: name.into(), commands: self.commands }
    }

    /// Number of a module among the loaded ones; its variables get their places when it is first used.
    fn load(&mut self, module: &Module) -> Result<usize> {
        if let Some(index) = self.loaded.iter().position(|loaded| loaded.identity == module.identity) {
            return Ok(index);
        }
        let mut globals = BTreeMap::new();
        let mut bases = vec![];
        for data in module.globals.iter().filter(|data| !data.bytes.is_empty()) {
            let base = self.memory.allocate(data.bytes.len() as u64);
            let places = data.symbols.iter();
            globals.extend(
                places.map(|(name, &(offset, size))| (name.clone(), (base + u64::from(offset), size))),
            );
            bases.push((base, data));
        }
        let mut names = Names { globals: &globals, functions: &module.functions, missing: vec![] };
        for (base, data) in bases {
            self.memory.write(base, &names.relocated(data)).expect("just allocated");
        }
        let constants = names.relocated(&module.constants);
        let addresses = names.relocated(&module.addresses);
        for kernel in &module.kernels {
            for operand in kernel.instructions.iter().flat_map(|instruction| &instruction.operands) {
                if let Operand::Half { symbol, .. } = operand {
                    names.address(symbol);
                }
            }
        }
        let missing = Arc::new(names.missing);
        if !self.has_heap && module.allocates() {
            self.memory.add_heap(self.options.heap_bytes);
            self.has_heap = true;
        }
        let constants_place =
            module.addresses_constants().then(|| self.memory.allocate(constants.len() as u64));
        if let Some(place) = constants_place {
            self.memory.write(place, &constants).expect("just allocated");
        }
        self.loaded.push(Loaded {
            identity: module.identity,
            constants_place,
            codes: vec![],
            constants: Arc::new(constants),
            addresses: Arc::new(addresses),
            globals,
            missing,
        });
        Ok(self.loaded.len() - 1)
    }

    fn prepare(
        &mut self,
        module: &Module,
        name: &str,
        grid: [u32; 3],
        block: [u32; 3],
        shared: u32,
        arguments: &[Argument],
    ) -> Result<Launch> {
        let wrong = |message: String| Error::Launch { kernel: name.into(), message };
        let Some(kernel) = module.kernel(name) else {
            let shown = |kernel: &Kernel| match readable(&kernel.name) {
                readable if readable == kernel.name => readable,
                readable => format!("{} for {readable}", kernel.name),
            };
            let names: Vec<_> = module.kernels.iter().map(shown).collect();
            return Err(wrong(format!("the listing has no such kernel; it has {}", names.join(", "))));
        };
        if kernel.defect.is_some() {
            module.check(kernel)?;
        }
        let threads = block.iter().fold(1u64, |threads, &size| threads.saturating_mul(size.into()));
        if threads == 0 || threads > MAX_THREADS || block[2] > 64 {
            return Err(wrong(format!(
                "a block of {block:?} threads: give 1 to {MAX_THREADS} in all, at most 64 in z"
            )));
        }
        if grid.iter().zip(MAX_GRID).any(|(&size, limit)| size == 0 || size > limit) {
            return Err(wrong(format!("a grid of {grid:?} blocks: give 1 to {MAX_GRID:?}")));
        }
        let dynamic = shared;
        let shared = kernel.shared.next_multiple_of(16).saturating_add(shared);
        if shared > MAX_SHARED {
            return Err(wrong(format!("{shared} bytes of shared memory; a block has {MAX_SHARED} at most")));
        }
        let mut parameters = vec![0; PARAMETER_BASE as usize];
        for (place, value) in [
            (0x0, block[0]),
            (0x4, block[1]),
            (0x8, block[2]),
            (0xc, grid[0]),
            (0x10, grid[1]),
            (0x14, grid[2]),
        ] {
            parameters[place..place + 4].copy_from_slice(&value.to_le_bytes());
        }
        // What makes generic addresses of those in shared and local memory.
        for (place, window) in [(0x18, SHARED_WINDOW), (0x20, LOCAL_WINDOW)] {
            parameters[place..place + 8].copy_from_slice(&window.to_le_bytes());
        }
        // Dynamic shared memory, number of the launch, number of multiprocessors.
        parameters[0x2c..0x30].copy_from_slice(&dynamic.to_le_bytes());
        parameters[0x30..0x38].copy_from_slice(&u64::from(self.launches + 1).to_le_bytes());
        parameters[0x10c..0x110].copy_from_slice(&1u32.to_le_bytes());
        // The stack grows down from here; thread by thread it starts at address 0.
        parameters[0x28..0x2c].copy_from_slice(&emulator::stack_bytes(kernel).to_le_bytes());
        place_arguments(&mut parameters, kernel, arguments).map_err(wrong)?;

        let loaded = self.load(module)?;
        let loaded = &mut self.loaded[loaded];
        if let Some(place) = loaded.constants_place {
            parameters[CONSTANTS_WINDOW..CONSTANTS_WINDOW + 8].copy_from_slice(&place.to_le_bytes());
        }
        let code = match loaded.codes.iter().find(|code| code.kernel.name == name) {
            Some(code) => Arc::clone(code),
            None => {
                let names = Names {
                    globals: &loaded.globals,
                    functions: &module.functions,
                    missing: loaded.missing.to_vec(),
                };
                let names = RefCell::new(names);
                let code = Arc::new(Code::new(kernel, &|name| names.borrow_mut().address(name))?);
                loaded.codes.push(Arc::clone(&code));
                code
            }
        };
        Ok(Launch {
            code,
            grid,
            block,
            shared,
            parameters,
            constants: Arc::clone(&loaded.constants),
            addresses: Arc::clone(&loaded.addresses),
            missing: Arc::clone(&loaded.missing),
            textures: Arc::clone(&self.textures),
            digests: self.options.digests,
        })
    }

    /// Runs a launch. Gives its stream if that is wanted and small enough to keep.
    fn execute(&mut self, launch: &Launch) -> Result<Option<Vec<ThreadBlock>>> {
        let mut stream = (self.options.stream && self.kept_bytes < self.options.keep_bytes).then(Vec::new);
        let before = self.memory.clone();
        let snapshot = Arc::new(before.clone());
        let mut bytes = self.kept_bytes;
        let mut printed = String::new();
        let mut keep = |executed: Executed, memory: &mut Memory, stream: &mut Option<Vec<ThreadBlock>>| {
            let (writes, block, text) = executed;
            memory.commit(writes);
            printed.push_str(&text);
            bytes += block.as_ref().map_or(0, ThreadBlock::bytes);
            if bytes > self.options.keep_bytes {
                *stream = None;
            }
            if let Some(stream) = stream {
                stream.extend(block);
            }
        };
        let mut alone = true;
        'batches: for batch in batches(launch) {
            let seen = if launch.code.serial { Arc::new(self.memory.clone()) } else { Arc::clone(&snapshot) };
            for executed in run_batch(launch, &seen, batch, stream.is_some())? {
                let Some(executed) = executed else {
                    alone = false;
                    break 'batches;
                };
                keep(executed, &mut self.memory, &mut stream);
            }
        }
        if !alone {
            // Blocks wait for each other: once more, together.
            printed.clear();
            bytes = self.kept_bytes;
            let mut shared = Arc::new(before);
            self.memory = Memory::default();
            let all = launch.run_together(&mut shared, self.options.stream);
            self.memory = Arc::try_unwrap(shared).unwrap_or_else(|shared| (*shared).clone());
            let mut blocks = vec![];
            for (_, block, text) in all? {
                printed.push_str(&text);
                bytes += block.as_ref().map_or(0, ThreadBlock::bytes);
                blocks.extend(block);
            }
            // It cannot be executed again block by block, so it is kept however large it is.
            stream = self.options.stream.then_some(blocks);
        }
        self.printed.push_str(&printed);
        if stream.is_some() {
            self.kept_bytes = bytes;
        }
        Ok(stream)
    }

    fn header(&self, launch: &Launch) -> KernelHeader {
        KernelHeader {
            name: launch.code.kernel.name.clone(),
            id: self.launches,
            grid: launch.grid,
            block: launch.block,
            shared_memory: launch.shared,
            nregs: launch.code.kernel.registers,
            binary_version: 75,
            shared_base: SHARED_WINDOW,
            local_base: LOCAL_WINDOW,
            tracer_version: 5,
            ..KernelHeader::default()
        }
    }
}

/// Ranges of blocks that are executed side by side: one at a time where their order matters.
fn batches(launch: &Launch) -> impl Iterator<Item = Range<u64>> {
    let blocks = launch.blocks();
    let size = if launch.code.serial { 1 } else { BATCH };
    (0..blocks.div_ceil(size)).map(move |batch| batch * size..((batch + 1) * size).min(blocks))
}

/// Blocks executed side by side. More than there are threads, so that none waits long for a slow one.
const BATCH: u64 = 64;

/// Executes some blocks of a launch; results are in the order of the blocks, `None` where one waits for others.
fn run_batch(
    launch: &Launch,
    memory: &Arc<Memory>,
    blocks: Range<u64>,
    record: bool,
) -> Result<Vec<Option<Executed>>> {
    blocks.into_par_iter().map(|number| launch.run_block(memory, number, record)).collect()
}

/// Executes a launch again for its stream.
struct EmulatedBlocks {
    launch: Arc<Launch>,
    memory: Memory,
    batches: Box<dyn Iterator<Item = Range<u64>> + Send>,
    ready: VecDeque<ThreadBlock>,
    started: bool,
}

impl EmulatedBlocks {
    fn new(launch: Arc<Launch>, memory: Memory) -> EmulatedBlocks {
        let batches = Box::new(batches(&launch));
        EmulatedBlocks { launch, memory, batches, ready: VecDeque::new(), started: false }
    }
}

impl BlockSource for EmulatedBlocks {
    fn next_block(&mut self, program: &mut Program) -> gpurf_trace::Result<Option<ThreadBlock>> {
        if !self.started {
            program.clone_from(&self.launch.code.program);
            self.started = true;
        }
        while self.ready.is_empty() {
            let Some(batch) = self.batches.next() else { return Ok(None) };
            let seen = Arc::new(self.memory.clone());
            let executed = run_batch(&self.launch, &seen, batch, true)
                .map_err(|error| gpurf_trace::Error::Source { message: error.to_string() })?;
            // A launch whose blocks wait for each other was kept when it ran.
            for (writes, block, _) in executed.into_iter().flatten() {
                self.ready.extend(block);
                if self.launch.code.serial {
                    self.memory.commit(writes);
                }
            }
        }
        Ok(self.ready.pop_front())
    }
}

/// Puts arguments where the kernel expects them, or, if its listing does not tell, one after the
/// other, each aligned to its size.
fn place_arguments(bank: &mut Vec<u8>, kernel: &Kernel, arguments: &[Argument]) -> Result<(), String> {
    let base = bank.len();
    if let Some(parameters) = &kernel.parameters {
        if parameters.len() != arguments.len() {
            return Err(format!(
                "{} arguments given, the kernel takes {}",
                arguments.len(),
                parameters.len()
            ));
        }
    }
    for (number, Argument(bytes)) in arguments.iter().enumerate() {
        let start = match &kernel.parameters {
            Some(parameters) => {
                let parameter = parameters[number];
                if parameter.size as usize != bytes.len() {
                    return Err(format!(
                        "argument {} has {} bytes, the kernel takes {}",
                        number + 1,
                        bytes.len(),
                        parameter.size
                    ));
                }
                base + parameter.offset as usize
            }
            None => base + (bank.len() - base).next_multiple_of(bytes.len().max(1)),
        };
        bank.resize(bank.len().max(start + bytes.len()), 0);
        bank[start..start + bytes.len()].copy_from_slice(bytes);
    }
    // Wide constant accesses may reach past the last argument.
    bank.resize(bank.len().next_multiple_of(8), 0);
    Ok(())
}

/// What the names of a module stand for.
struct Names<'a> {
    globals: &'a BTreeMap<String, (u64, u32)>,
    functions: &'a BTreeMap<String, u32>,
    missing: Vec<String>,
}

impl Names<'_> {
    /// Of a variable, a function, or one of the library; what is nowhere gets a place at which it traps.
    fn address(&mut self, name: &str) -> u64 {
        if let Some((address, _)) = self.globals.get(name) {
            return *address;
        }
        if let Some(place) = self.functions.get(name) {
            return (*place).into();
        }
        if let Some(function) = LibraryFunction::named(name) {
            return function.address();
        }
        let known = self.missing.iter().position(|known| known == name);
        let number = known.unwrap_or_else(|| {
            self.missing.push(name.into());
            self.missing.len() - 1
        });
        MISSING + 16 * number as u64
    }

    /// The bytes of a section with addresses in the place of names.
    fn relocated(&mut self, data: &Data) -> Vec<u8> {
        let mut bytes = data.bytes.clone();
        for (offset, symbol) in &data.relocations {
            let address = self.address(symbol);
            let place = &mut bytes[*offset as usize..*offset as usize + 8];
            let within = u64::from_le_bytes((&*place).try_into().expect("eight bytes"));
            place.copy_from_slice(&address.wrapping_add(within).to_le_bytes());
        }
        bytes
    }
}

fn copy_error(address: u64, bytes: usize, error: AccessError) -> Error {
    copy_error_text(address, bytes, format!("the place is {error}"))
}

fn copy_error_text(address: u64, bytes: usize, message: String) -> Error {
    Error::Copy { address, bytes: bytes as u64, message }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a block does that reads elements of a buffer many times and stores nothing: those that `mask` picks.
    fn reads(mask: u32) -> Option<Executed> {
        let code = format!(
            ".target sm_75\n.section .text.k,\"ax\",@progbits\n.sectioninfo @\"SHI_REGISTERS=16\"\n\
             /*0000*/ MOV R2, c[0x0][0x160] ;\n\
             /*0010*/ MOV R3, c[0x0][0x164] ;\n\
             /*0020*/ MOV R4, RZ ;\n\
             .L_1:\n\
             /*0030*/ IADD3 R4, R4, 0x1, RZ ;\n\
             /*0040*/ LOP3.LUT R5, R4, {mask:#x}, RZ, 0xc0, !PT ;\n\
             /*0050*/ IMAD.WIDE R6, R5, 0x4, R2 ;\n\
             /*0060*/ LDG.E.SYS R8, [R6] ;\n\
             /*0070*/ ISETP.NE.AND P0, PT, R4, 0x8000, PT ;\n\
             /*0080*/ @P0 BRA `(.L_1) ;\n\
             /*0090*/ EXIT ;\n"
        );
        let module = Module::parse("k.sass", &code).unwrap_or_else(|error| panic!("{error}"));
        let mut device = Device::default();
        let buffer = device.allocate(4 << 10);
        let launch = device.prepare(&module, "k", [1; 3], [32, 1, 1], 0, &[buffer.into()]);
        let launch = launch.unwrap_or_else(|error| panic!("{error}"));
        launch.run_block(&Arc::new(device.memory.clone()), 0, false).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn only_who_reads_the_same_over_and_over_is_taken_to_wait() {
        assert!(reads(0x3ff).is_some());
        assert!(reads(0).is_none());
    }
}
