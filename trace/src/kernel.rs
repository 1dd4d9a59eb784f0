// SPDX-License-Identifier: Apache-2.0
//! Kernels and workloads, wherever their instructions come from.

use std::fmt;
use std::sync::Arc;

use crate::block::{ThreadBlock, WARP_SIZE};
use crate::error::Result;
use crate::liveness::Liveness;
use crate::opcode::MemorySpace;
use crate::program::Program;
use crate::reuse::Annotator;

/// Bytes of shared memory that a multiprocessor of any GPU has, at most.
pub const MOST_SHARED_MEMORY: u32 = 228 << 10;

/// Bytes of the window in which shared and local memory appear among generic addresses.
const WINDOW_BYTES: u64 = 1 << 24;

/// Facts about a kernel that a trace has before its instructions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelHeader {
    /// Mangled name.
    pub name: String,
    /// Launch number the tracer gave it.
    pub id: u32,
    /// Thread blocks: x, y, z. A trace may hold fewer.
    pub grid: [u32; 3],
    /// Threads of a thread block: x, y, z.
    pub block: [u32; 3],
    /// Shared memory of a thread block, in bytes.
    pub shared_memory: u32,
    /// Registers per thread.
    pub nregs: u32,
    /// Compute capability of the machine code: 75 for Turing.
    pub binary_version: u32,
    /// Number of the CUDA stream that it was launched in.
    pub stream_id: u64,
    /// Where shared memory appears among generic addresses; 0 if the trace does not say.
    pub shared_base: u64,
    /// Where local memory appears among generic addresses; 0 if the trace does not say.
    pub local_base: u64,
    /// Version of the tracer, as its own file says.
    pub nvbit_version: String,
    /// Version of the trace format, 2 to 6. Version 1.2 counts as 2, and version 5 with two immediates as 6.
    pub tracer_version: u32,
}

impl KernelHeader {
    /// Threads of a thread block.
    pub fn threads_per_block(&self) -> u32 {
        self.block.iter().product()
    }

    /// Warps of a thread block.
    pub fn warps_per_block(&self) -> u32 {
        self.threads_per_block().div_ceil(WARP_SIZE)
    }

    /// Thread blocks of the grid.
    pub fn block_count(&self) -> u64 {
        self.grid.iter().map(|&size| u64::from(size)).product()
    }

    /// The space a generic address lies in: shared and local memory each have a 16 MiB window.
    pub fn space_of(&self, address: u64) -> MemorySpace {
        let within = |base: u64| base != 0 && address.wrapping_sub(base) < WINDOW_BYTES;
        if within(self.shared_base) {
            MemorySpace::Shared
        } else if within(self.local_base) {
            MemorySpace::Local
        } else {
            MemorySpace::Global
        }
    }
}

/// Yields the thread blocks of a kernel one at a time.
pub trait BlockSource: Send {
    /// The next thread block, its instructions interned in `program`, which is the same at every
    /// call; `None` at the end.
    fn next_block(&mut self, program: &mut Program) -> Result<Option<ThreadBlock>>;

    /// Asks, before the first block, for those only whose number leaves the remainder `own`, by `count`.
    /// Whether the source does so; one that would read the others anyway need not.
    fn restrict(&mut self, own: u64, count: u64) -> bool {
        let _ = (own, count);
        false
    }
}

pub(crate) type Opener = dyn Fn() -> Result<Box<dyn BlockSource>> + Send + Sync;
pub(crate) type Analysis = dyn Fn() -> Arc<Liveness> + Send + Sync;

/// A kernel launch that can be read any number of times. Cloning is cheap.
#[derive(Clone)]
pub struct Kernel {
    header: Arc<KernelHeader>,
    opener: Arc<Opener>,
    liveness: Option<Arc<Analysis>>,
    annotator: Option<Arc<Annotator>>,
}

impl Kernel {
    /// A kernel whose blocks come from what `open` returns; each call starts from the first block.
    pub fn new(
        header: KernelHeader,
        open: impl Fn() -> Result<Box<dyn BlockSource>> + Send + Sync + 'static,
    ) -> Kernel {
        Kernel { header: Arc::new(header), opener: Arc::new(open), liveness: None, annotator: None }
    }

    /// A kernel held in memory. The instructions of `blocks` index `program`.
    pub fn in_memory(header: KernelHeader, program: Program, blocks: Vec<ThreadBlock>) -> Kernel {
        let content = Arc::new((program, blocks));
        Kernel::new(header, move || Ok(Box::new(MemoryBlocks::new(Arc::clone(&content)))))
    }

    /// The kernel held in memory, with the blocks that are wanted by their number in the order of the stream,
    /// from 0.
    pub fn kept(&self, is_wanted: impl Fn(u64) -> bool) -> Result<Kernel> {
        let (mut reader, mut blocks) = (self.open()?, vec![]);
        let mut number = 0;
        while let Some(block) = reader.next_block()? {
            if is_wanted(number) {
                blocks.push(block);
            }
            number += 1;
        }
        let kernel = Kernel::in_memory(self.header().clone(), reader.program, blocks);
        Ok(Kernel { liveness: self.liveness.clone(), ..kernel })
    }

    /// With its live registers, where there is a listing to find them in. They are asked for when needed.
    pub fn with_liveness(self, analysis: impl Fn() -> Arc<Liveness> + Send + Sync + 'static) -> Kernel {
        Kernel { liveness: Some(Arc::new(analysis)), ..self }
    }

    /// How its live registers are found, where a listing has them.
    pub(crate) fn listed(&self) -> Option<Arc<Analysis>> {
        self.liveness.clone()
    }

    /// Its live registers, where a listing has them.
    pub(crate) fn listed_liveness(&self) -> Option<Arc<Liveness>> {
        self.liveness.as_ref().map(|analysis| analysis())
    }

    /// The header, which is known before its instructions are read.
    pub fn header(&self) -> &KernelHeader {
        &self.header
    }

    /// How its blocks are had.
    pub(crate) fn opener(&self) -> &Arc<Opener> {
        &self.opener
    }

    /// With the `near_` masks of all that is read set.
    pub(crate) fn with_annotator(&self, annotator: Annotator) -> Kernel {
        Kernel { annotator: Some(Arc::new(annotator)), ..self.clone() }
    }

    /// Starts reading, with every `near_` mask zero unless the kernel is [annotated](Kernel::annotated).
    pub fn open(&self) -> Result<KernelReader> {
        Ok(KernelReader {
            header: Arc::clone(&self.header),
            program: Program::default(),
            source: (self.opener)()?,
            annotator: self.annotator.clone(),
            share: (0, 1),
            number: 0,
        })
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kernel").field("header", &self.header).finish_non_exhaustive()
    }
}

struct MemoryBlocks {
    content: Arc<(Program, Vec<ThreadBlock>)>,
    has_program: bool,
    next: usize,
    /// From one block that is asked for to the next.
    step: usize,
}

impl MemoryBlocks {
    fn new(content: Arc<(Program, Vec<ThreadBlock>)>) -> Self {
        MemoryBlocks { content, has_program: false, next: 0, step: 1 }
    }
}

impl BlockSource for MemoryBlocks {
    fn next_block(&mut self, program: &mut Program) -> Result<Option<ThreadBlock>> {
        let (whole_program, blocks) = &*self.content;
        if !self.has_program {
            program.clone_from(whole_program);
            self.has_program = true;
        }
        let block = blocks.get(self.next).cloned();
        self.next += self.step;
        Ok(block)
    }

    fn restrict(&mut self, own: u64, count: u64) -> bool {
        (self.next, self.step) = (own as usize, count as usize);
        true
    }
}

/// A kernel being read: one thread block in memory at a time.
pub struct KernelReader {
    header: Arc<KernelHeader>,
    program: Program,
    source: Box<dyn BlockSource>,
    annotator: Option<Arc<Annotator>>,
    /// The blocks of the source that are wanted: those whose number leaves this remainder, by how many.
    share: (u64, u64),
    /// The number of the source's next block.
    number: u64,
}

impl KernelReader {
    /// Leaves out all blocks but those whose number in the order of the stream, from 0, leaves the remainder
    /// `own` when it is divided by `count`. To be said before the first block is read.
    pub fn restrict(&mut self, own: u64, count: u64) {
        if !self.source.restrict(own, count) {
            self.share = (own, count);
        }
    }

    /// The header, which is known before the kernel's instructions are read.
    pub fn header(&self) -> &KernelHeader {
        &self.header
    }

    /// The static instructions of the blocks read so far.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The next thread block in trace order; `None` at the end. After an error the reader is at an
    /// unspecified place: stop.
    pub fn next_block(&mut self) -> Result<Option<ThreadBlock>> {
        let (own, count) = self.share;
        let mut block = self.source.next_block(&mut self.program)?;
        while block.is_some() && self.number % count != own {
            self.number += 1;
            block = self.source.next_block(&mut self.program)?;
        }
        self.number += 1;
        if let (Some(block), Some(annotator)) = (&mut block, &self.annotator) {
            annotator.annotate(&self.program, block);
        }
        Ok(block)
    }
}

/// An entry of a workload.
#[derive(Clone, Debug)]
pub enum Command {
    /// A copy to device memory of `bytes` bytes before the next kernel.
    MemcpyHtoD {
        /// First byte, in global memory.
        address: u64,
        /// Length.
        bytes: u64,
    },
    /// A launch.
    Kernel(Kernel),
}

/// A program run: copies and kernels in order.
#[derive(Clone, Debug)]
pub struct Workload {
    /// Its name in tables.
    pub name: String,
    /// Copies and launches, in the order of the program.
    pub commands: Vec<Command>,
}

impl Workload {
    /// The kernels in launch order.
    pub fn kernels(&self) -> impl Iterator<Item = &Kernel> {
        self.commands.iter().filter_map(|command| match command {
            Command::Kernel(kernel) => Some(kernel),
            Command::MemcpyHtoD { .. } => None,
        })
    }
}
