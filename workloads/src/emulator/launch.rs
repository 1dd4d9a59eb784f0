// SPDX-License-Identifier: Apache-2.0
//! A launch of a kernel, thread block by thread block.

use std::sync::Arc;

use gpurf_trace::ThreadBlock;

use super::access::Touched;
use super::block_memory::{BlockMemory, Reads};
use super::code::Code;
use super::constants::Constants;
use super::execute::Scratch;
use super::fault::Fault;
use super::memory::{GlobalMemory, View, Writes};
use super::operation::{Control, Operation, ReductionKind, LANES};
use super::record::Recorder;
use super::warp::{Group, Waiting, Warp};
use super::watch::{Hazards, Watch};
use super::windows::{LOCAL_WINDOW, SHARED_WINDOW};
use crate::error::{Cause, Error, FaultPlace, Result};
use crate::listing::INSTRUCTION_BYTES;
use crate::texture::Texture;

/// Instructions a warp executes before another one gets its turn, so that one that waits for another
/// in a loop does not wait forever.
const SHARE: u64 = 1 << 16;
/// Turns of a block in which nothing in memory changes after which it is taken to wait for another one.
const PATIENCE: u32 = 64;
/// Instructions a warp executes at most before another one gets its turn, where the order is random.
const PART: u64 = 8;

/// A launch of a kernel.
pub(crate) struct Launch {
    pub code: Arc<Code>,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// The shared memory of a block, static and dynamic, in bytes.
    pub shared: u32,
    /// The stack of a thread, in bytes.
    pub stack: u32,
    /// Constant banks 0, 3 and 4: launch and parameters, variables, addresses. Bank 2 is the kernel's.
    pub parameters: Vec<u8>,
    pub constants: Arc<Vec<u8>>,
    pub addresses: Arc<Vec<u8>>,
    /// Names that the listing uses and lacks; their addresses are from [`super::windows::MISSING`] on.
    pub missing: Arc<Vec<String>>,
    /// Textures and surfaces behind handles: the first is 1.
    pub textures: Arc<Vec<Texture>>,
    /// Loads from shared memory are recorded with a digest of their values.
    pub digests: bool,
    /// Instructions are recorded with the values of their operands.
    pub values: bool,
    /// Instructions after which a warp is taken to be in an endless loop.
    pub limit: u64,
    /// Races of threads, where they are wanted.
    pub hazards: Option<Arc<Hazards>>,
    /// A seed: the warps of a block take short turns in a random order.
    pub warp_order: Option<u64>,
}

impl Launch {
    pub fn blocks(&self) -> u64 {
        self.grid.iter().map(|&size| u64::from(size)).product()
    }

    /// Executes the block of this number in x-first order against memory as it was before. `None`: it seems
    /// to wait for another block.
    pub fn run_block(
        &self,
        memory: &Arc<GlobalMemory>,
        number: u64,
        record: bool,
    ) -> Result<Option<Executed>> {
        let mut run = BlockRun::new(self, Arc::clone(memory), number, record);
        let mut quiet = 0;
        loop {
            run.memory.changed = false;
            run.memory.reads.clear();
            if run.turn(SHARE)? == Turn::Ended {
                return Ok(Some(run.finish()));
            }
            quiet = if run.memory.changed { 0 } else { quiet + 1 };
            // Who waits reads the same over and over; who computes reads nothing or ever something else.
            if quiet > 0 && run.memory.reads.are_few() || quiet == PATIENCE {
                return Ok(None);
            }
        }
    }
}

/// The results of a block: its writes, its stream, and the text that it printed.
pub(crate) type Executed = (Writes, Option<ThreadBlock>, String);

/// How far the warps of a block came.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    Going,
    Ended,
}

/// A barrier of a block.
#[derive(Clone, Copy, Default)]
pub(super) struct BarrierState {
    /// Threads it is to complete with, once one has arrived; 0: all that are alive.
    threads: Option<u32>,
    /// Threads that arrived without waiting.
    arrived: u32,
    /// Threads whose predicate held, and those it did not hold for.
    holding: u32,
    failing: u32,
    reduction: Option<ReductionKind>,
}

/// A thread block being executed.
pub(super) struct BlockRun<'a> {
    pub launch: &'a Launch,
    pub constants: Constants<'a>,
    pub memory: BlockMemory<'a>,
    pub warps: Vec<Warp>,
    pub barriers: [BarrierState; 16],
    pub recorder: Option<Recorder<'a>>,
    pub scratch: Scratch,
    /// Where hazards are wanted.
    watch: Option<Watch>,
    /// Where it is random.
    order: Option<Order>,
}

/// A random order of the warps of a block.
struct Order {
    random: fastrand::Rng,
    warps: Vec<usize>,
}

impl Order {
    fn new(seed: u64, block: u64, warps: usize) -> Order {
        let mut seeds = fastrand::Rng::with_seed(seed);
        let random = fastrand::Rng::with_seed(seeds.u64(..).wrapping_add(block));
        Order { random, warps: (0..warps).collect() }
    }
}

impl<'a> BlockRun<'a> {
    pub(super) fn new(
        launch: &'a Launch,
        memory: Arc<GlobalMemory>,
        number: u64,
        record: bool,
    ) -> BlockRun<'a> {
        let [x, y, _] = launch.grid.map(u64::from);
        let id = [number % x, number / x % y, number / (x * y)].map(|position| position as u32);
        let threads: u32 = launch.block.iter().product();
        let kernel = &launch.code.kernel;
        let warps = (0..threads.div_ceil(LANES as u32))
            .map(|warp| Warp::new(kernel.registers, threads - warp * LANES as u32))
            .collect::<Vec<_>>();
        let local_bytes = u64::from(launch.stack);
        let mut banks: [&[u8]; 16] = [&[]; 16];
        banks[0] = &launch.parameters;
        banks[2] = &kernel.literals;
        banks[3] = &launch.constants;
        banks[4] = &launch.addresses;
        BlockRun {
            launch,
            constants: Constants { banks, block: id, block_size: launch.block, shared_size: launch.shared },
            memory: BlockMemory {
                global: View::new(memory),
                changed: false,
                reads: Reads::default(),
                shared: vec![0; launch.shared as usize],
                local: vec![0; warps.len() * LANES * local_bytes as usize],
                local_bytes,
                shared_window: SHARED_WINDOW,
                local_window: LOCAL_WINDOW,
                printed: String::new(),
                textures: &launch.textures,
                digests: launch.digests && record,
            },
            recorder: record.then(|| {
                let valued = launch.values.then_some(&launch.code.program);
                Recorder::new(warps.len(), valued)
            }),
            watch: launch
                .hazards
                .as_ref()
                .map(|hazards| Watch::new(Arc::clone(hazards), number, warps.len(), launch.shared)),
            order: launch.warp_order.map(|seed| Order::new(seed, number, warps.len())),
            warps,
            barriers: [BarrierState::default(); 16],
            scratch: Scratch::default(),
        }
    }

    pub(super) fn finish(self) -> Executed {
        let id = self.constants.block;
        self.watch.into_iter().for_each(Watch::finish);
        let recorded = self.recorder.map(|recorder| recorder.finish(id));
        (self.memory.global.into_writes(), recorded, self.memory.printed)
    }

    /// Lets each warp run until it ends, waits or has executed so many instructions. In a random order, it
    /// gets these in small parts.
    pub(super) fn turn(&mut self, share: u64) -> Result<Turn> {
        let part = if self.order.is_some() { PART } else { share };
        let mut left = share;
        loop {
            let mut ran = false;
            let mut stopped = false;
            if let Some(Order { random, warps }) = &mut self.order {
                random.shuffle(warps);
            }
            for place in 0..self.warps.len() {
                let (number, share) = match &mut self.order {
                    Some(Order { random, warps }) => (warps[place], random.u64(1..=part)),
                    None => (place, share),
                };
                while self.warps[number].select() {
                    ran = true;
                    if !self.run_warp(number, share)? {
                        stopped = true;
                        // Its lanes elsewhere, if there are some, may be what it waits for.
                        if left <= part {
                            self.warps[number].rotate();
                        }
                        break;
                    }
                }
            }
            if self.warps.iter().all(|warp| warp.groups.is_empty()) {
                return Ok(Turn::Ended);
            }
            if !ran {
                return Err(self.stuck());
            }
            if stopped {
                left = left.saturating_sub(part);
            }
            if left == 0 {
                return Ok(Turn::Going);
            }
        }
    }

    /// Lets the selected group of a warp run until it waits, ends or has had its share, which the
    /// result tells by `false`.
    pub(super) fn run_warp(&mut self, number: usize, share: u64) -> Result<bool> {
        match self.watch {
            Some(_) => self.run_watched::<true>(number, share),
            None => self.run_watched::<false>(number, share),
        }
    }

    /// As [`BlockRun::run_warp`], with or without an eye on hazards.
    fn run_watched<const WATCHED: bool>(&mut self, number: usize, share: u64) -> Result<bool> {
        let launch = self.launch;
        let share = launch.limit.min(self.warps[number].executed + share);
        loop {
            let warp = &mut self.warps[number];
            let Some(group) = warp.groups.last() else { return Ok(true) };
            if group.waiting != Waiting::Not {
                return Ok(true);
            }
            let pc = group.pc;
            if warp.executed >= share {
                if warp.executed >= launch.limit {
                    let lane = group.mask.trailing_zeros() as usize;
                    let fault = Fault::new("executes without end").at(lane).of(Cause::Endless);
                    return Err(self.fault_at(number, pc, fault));
                }
                return Ok(false);
            }
            let index = (pc / INSTRUCTION_BYTES) as usize;
            let Some(decoded) = launch.code.decoded.get(index) else {
                let message = format!("execution left the kernel at {pc:#x}");
                let lane = group.mask.trailing_zeros() as usize;
                return Err(self.fault_at(number, pc, Fault::new(message).at(lane)));
            };
            let mask = group.mask & warp.predicate(decoded.guard);
            warp.executed += 1;
            if let Some(recorder) = &mut self.recorder {
                recorder.before(warp, index as u32);
            }
            let executed = match &decoded.operation {
                Operation::Compute(compute) => {
                    if WATCHED && mask != 0 && is_shuffle(launch, index) {
                        let scratch = &mut self.scratch;
                        let idle = warp.idle_source(compute, mask, &self.constants, number as u32, scratch);
                        if let (Some((lane, from)), Some(watch)) = (idle, &mut self.watch) {
                            watch.idle(number, pc, lane, from);
                        }
                    }
                    let executed =
                        warp.compute(compute, mask, &self.constants, number as u32, &mut self.scratch);
                    self.scratch.touched.clear();
                    warp.advance();
                    executed
                }
                Operation::Access(access) => {
                    let touched = &mut self.scratch.touched;
                    let executed =
                        warp.access(access, mask, &self.constants, number as u32, &mut self.memory, touched);
                    if let (true, Some(watch)) = (WATCHED, &mut self.watch) {
                        let opcode = &launch.code.kernel.instructions[index].opcode;
                        let addresses = &touched.addresses[..touched.count];
                        watch.access(access, opcode, number, pc, mask, addresses, &self.memory);
                    }
                    warp.advance();
                    executed
                }
                Operation::Control(control) => {
                    self.scratch.touched.clear();
                    self.control(number, control, mask)
                }
            };
            if let Err(fault) = executed {
                return Err(self.fault_at(number, pc, fault));
            }
            // A barrier is recorded once all lanes that wait there are known.
            let waits = matches!(&decoded.operation, Operation::Control(Control::Barrier { wait: true, .. }));
            if let Some(recorder) = &mut self.recorder {
                if !waits || mask == 0 {
                    recorder.push(number, index as u32, mask, &self.scratch.touched);
                    recorder.after(number, &self.warps[number], index as u32);
                }
            }
            if matches!(
                &decoded.operation,
                Operation::Control(Control::Barrier { .. } | Control::Exit { .. })
            ) {
                self.release_barriers();
            }
        }
    }

    pub(super) fn control(&mut self, number: usize, control: &Control, mask: u32) -> Result<(), Fault> {
        let warp = &mut self.warps[number];
        match control {
            Control::Barrier { number: barrier, threads, reduction, wait } if mask != 0 => {
                let operand = |source| warp.barrier_operand(source, mask, &self.constants, number as u32);
                let barrier = operand(*barrier)?;
                if barrier >= 16 {
                    return Err(Fault::new(format!("there is no barrier {barrier}")));
                }
                let threads = threads.map_or(Ok(0), operand)?;
                let state = &mut self.barriers[barrier as usize];
                state.threads.get_or_insert(threads);
                if let Some(watch) = &mut self.watch {
                    watch.arrive(number, barrier as u8);
                }
                if let Some(reduction) = reduction {
                    let holds = warp.predicate(reduction.predicate);
                    state.holding += (mask & holds).count_ones();
                    state.failing += (mask & !holds).count_ones();
                    state.reduction = Some(reduction.kind);
                }
                warp.advance();
                if *wait {
                    warp.wait_at_barrier(mask, barrier as u8);
                } else {
                    state.arrived += warp.threads_at_barrier(mask);
                }
                Ok(())
            }
            Control::CallLibrary { function } => {
                warp.advance();
                warp.call_library(*function, mask, number as u32, &mut self.memory)
            }
            Control::CallAbsolute { register } => {
                warp.call(*register, mask, number as u32, &mut self.memory, &self.launch.missing)
            }
            _ => warp.control(control, mask, &self.constants, number as u32),
        }
    }

    /// Lets the threads go on whose barrier is complete.
    pub(super) fn release_barriers(&mut self) {
        for barrier in 0..16u8 {
            let BarrierState { threads: Some(threads), arrived, .. } = self.barriers[usize::from(barrier)]
            else {
                continue;
            };
            let waiting = |warp: &Warp| warp.lanes_waiting(Waiting::Barrier(barrier));
            let complete = match threads {
                0 => self.warps.iter().all(|warp| waiting(warp) == warp.live),
                _ => {
                    let waiting = self.warps.iter().map(|warp| warp.threads_at_barrier(waiting(warp)));
                    arrived + waiting.sum::<u32>() >= threads
                }
            };
            if complete {
                self.release_barrier(barrier);
            }
        }
    }

    pub(super) fn release_barrier(&mut self, barrier: u8) {
        let state = std::mem::take(&mut self.barriers[usize::from(barrier)]);
        let reduced = state.reduction.map(|kind| match kind {
            ReductionKind::Count => state.holding,
            ReductionKind::And => u32::from(state.failing == 0),
            ReductionKind::Or => u32::from(state.holding != 0),
        });
        let here = |group: &Group| group.waiting == Waiting::Barrier(barrier);
        if let Some(watch) = &mut self.watch {
            let waiting = |warp: &Warp| warp.groups.iter().any(here);
            let warps = self.warps.iter().enumerate().filter(|(_, warp)| waiting(warp));
            watch.release(warps.map(|(number, _)| number), barrier);
        }
        for (number, warp) in self.warps.iter_mut().enumerate() {
            if let (Some(reduced), true) = (reduced, warp.groups.iter().any(here)) {
                warp.reduced = reduced;
            }
            while let Some(pc) = warp.groups.iter().find(|group| here(group)).map(|group| group.pc) {
                let lanes = warp
                    .groups
                    .iter()
                    .filter(|group| here(group) && group.pc == pc)
                    .fold(0, |all, group| all | group.mask);
                warp.join(pc, lanes, |group| here(group) && group.pc == pc);
                if let Some(recorder) = &mut self.recorder {
                    let index = pc / INSTRUCTION_BYTES - 1;
                    recorder.before(warp, index);
                    recorder.push(number, index, lanes, &Touched::default());
                    recorder.after(number, warp, index);
                }
            }
        }
    }

    #[cold]
    pub(super) fn fault_at(&self, warp: usize, pc: u32, fault: Fault) -> Error {
        let kernel = &self.launch.code.kernel;
        let instruction = kernel.instructions.get((pc / INSTRUCTION_BYTES) as usize);
        Error::Fault {
            place: FaultPlace {
                kernel: kernel.name.clone(),
                pc,
                instruction: instruction.map_or("", |instruction| &instruction.text).into(),
                block: Some(self.constants.block),
                warp: Some(warp as u32),
                lane: fault.lane,
            },
            message: fault.message,
            cause: fault.cause,
        }
    }

    /// The error of a block in which no warp can go on.
    #[cold]
    pub(super) fn stuck(&self) -> Error {
        let waiting = self.warps.iter().enumerate().find_map(|(number, warp)| {
            let group = warp.groups.first()?;
            Some((number, group.pc - INSTRUCTION_BYTES, group.mask.trailing_zeros(), group.waiting))
        });
        let (warp, pc, lane, waiting) = waiting.expect("some warp has not ended");
        let elsewhere = |group: &&Group| group.waiting != waiting;
        let missing = self.warps.iter().enumerate().find_map(|(number, warp)| {
            let group = warp.groups.iter().find(elsewhere)?;
            Some(format!(
                "; warp {number}, lane {} waits at {:#06x} instead",
                group.mask.trailing_zeros(),
                group.pc - INSTRUCTION_BYTES
            ))
        });
        let message = format!("waits for threads that never come{}", missing.unwrap_or_default());
        self.fault_at(warp, pc, Fault::new(message).at(lane as usize).of(Cause::Endless))
    }
}

fn is_shuffle(launch: &Launch, index: usize) -> bool {
    launch.code.kernel.instructions[index].opcode.starts_with("SHFL")
}

impl Warp {
    /// The running group goes on to the next instruction.
    #[inline]
    fn advance(&mut self) {
        if let Some(group) = self.groups.last_mut() {
            group.pc += INSTRUCTION_BYTES;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emulator::arithmetic::Widening;
    use crate::listing::Module;

    #[test]
    fn a_warp_without_end_is_stopped_where_it_is() {
        // With a barrier in the loop, the warps wait for each other over and over.
        for wait in ["NOP", "BAR.SYNC 0x0"] {
            let text =
                endless(&format!("/*0000*/ NOP ;\nagain:\n/*0010*/ {wait} ;\n/*0020*/ BRA `(again) ;\n"));
            assert!(text.starts_with("kernel k, PC 0x00"), "{text}");
            assert!(
                text.contains("block (0, 0, 0), warp ") && text.contains("executes without end"),
                "{text}"
            );
        }
    }

    /// The message about code that goes on forever.
    fn endless(code: &str) -> String {
        let text = format!(".target sm_75\n.section .text.k\n.sectioninfo @\"SHI_REGISTERS=8\"\n{code}");
        let module = Module::parse("k.sass", &text).unwrap();
        let code = Code::new(&module.kernels[0], Widening::default(), &|_| 0).unwrap();
        let launch = Launch {
            code: Arc::new(code),
            grid: [1; 3],
            block: [40, 1, 1],
            shared: 0,
            stack: 0,
            parameters: vec![],
            constants: Arc::default(),
            addresses: Arc::default(),
            missing: Arc::default(),
            textures: Arc::default(),
            digests: false,
            values: false,
            limit: 1000,
            hazards: None,
            warp_order: None,
        };
        let Err(error) = launch.run_block(&Arc::default(), 0, false) else { panic!("it ended") };
        error.to_string()
    }
}
