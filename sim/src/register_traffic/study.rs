// SPDX-License-Identifier: Apache-2.0
//! A run over an instruction stream.

use std::collections::{BTreeMap, VecDeque};

use gpurf_blocks::CacheAllocation;
use gpurf_trace::{DynamicInstruction, Kernel, KernelReader, Program, Result, ThreadBlock, Workload};
use rayon::prelude::*;

use super::configuration::Configuration;
use super::flags::ReuseFlags;
use super::operands::{objection, InstructionRegisters};
use super::rules::Rules;
use super::traffic::Traffic;
use super::warp::{TrafficCounter, WarpCache};

/// Thread blocks that are in memory at the same time, and bytes of them.
const BATCH_BLOCKS: usize = 256;
const BATCH_BYTES: usize = 64 << 20;

/// Caches of RFC-sim.
const PERSISTENT_CACHES: usize = 32;

/// The caches and rules to be counted with.
pub struct Study {
    /// The caches that are counted side by side.
    pub configurations: Vec<Configuration>,
    /// How is counted.
    pub rules: Rules,
    /// Reuse flags instead of those of the stream.
    pub flags: Option<ReuseFlags>,
}

/// The counts of a study, and remarks about them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrafficReport {
    /// The traffic of each configuration.
    pub traffic: Vec<Traffic>,
    /// Where RFC-sim would have ended, once each.
    pub notes: Vec<String>,
}

impl Study {
    /// One pass over the stream for all configurations. Results are the same for any number of threads.
    ///
    /// Thread blocks are counted in parallel, but where caches persist over them: then configurations are.
    pub fn run(&self, workload: &Workload) -> Result<TrafficReport> {
        let mut notes = Notes::default();
        let traffic = match self.rules.caches_persist {
            true => self.run_in_order(workload, &mut notes)?,
            false => self.run_by_block(workload, &mut notes)?,
        };
        Ok(TrafficReport { traffic, notes: notes.into_lines() })
    }

    fn run_by_block(&self, workload: &Workload, notes: &mut Notes) -> Result<Vec<Traffic>> {
        let mut sums = vec![Traffic::default(); self.configurations.len()];
        for kernel in self.kernels(workload) {
            let mut stream = Stream::open(kernel)?;
            while let Some(blocks) = stream.next_batch(self, notes)? {
                let operands = &stream.operands;
                let counts: Vec<_> = blocks.par_iter().map(|block| self.count(operands, block)).collect();
                for traffic in counts {
                    sums.iter_mut().zip(traffic).for_each(|(sum, traffic)| *sum += traffic);
                }
            }
        }
        Ok(sums)
    }

    fn run_in_order(&self, workload: &Workload, notes: &mut Notes) -> Result<Vec<Traffic>> {
        let of = |configuration| Persistent::new(configuration, &self.rules);
        let mut caches: Vec<_> = self.configurations.iter().map(of).collect();
        for kernel in self.kernels(workload) {
            let mut stream = Stream::open(kernel)?;
            while let Some(blocks) = stream.next_batch(self, notes)? {
                let operands = &stream.operands;
                caches.par_iter_mut().for_each(|caches| {
                    blocks.iter().for_each(|block| caches.run(operands, block));
                });
            }
            caches.iter_mut().for_each(Persistent::end_kernel);
        }
        Ok(caches.into_iter().map(Persistent::finish).collect())
    }

    /// The ones that are read at all.
    fn kernels<'w>(&self, workload: &'w Workload) -> impl Iterator<Item = &'w Kernel> {
        // The lines of these name block and warp before the program counter.
        let skipped = |kernel: &Kernel| self.rules.long_lines_skipped && kernel.header().tracer_version == 2;
        let kernels = workload.kernels().filter(move |kernel| !skipped(kernel));
        kernels.collect::<Vec<_>>().into_iter()
    }

    /// The operands of every instruction of a program from number `from` on.
    pub fn operands(&self, kernel: &str, program: &Program, from: usize) -> Vec<InstructionRegisters> {
        let places = program.instructions()[from..].iter();
        let positions = |pc| self.flags.as_ref().map(|flags| flags.of(kernel, pc));
        places.map(|place| InstructionRegisters::new(place, &self.rules, positions(place.pc))).collect()
    }

    /// Counts a thread block whose instructions have these operands, for each configuration. Every warp finds
    /// its cache empty.
    pub fn count(&self, operands: &[InstructionRegisters], block: &ThreadBlock) -> Vec<Traffic> {
        let count = |configuration: &Configuration| {
            let mut counter = TrafficCounter::default();
            for trace in &block.warps {
                let mut warp = WarpCache::new(configuration, &self.rules);
                let window = configuration.look_ahead.unwrap_or(0);
                for (number, instruction) in trace.instructions.iter().enumerate() {
                    let next = &trace.instructions[number + 1..];
                    let next = &next[..window.min(next.len())];
                    let named = |instruction: &DynamicInstruction, register| {
                        operands[instruction.static_index as usize].name(register)
                    };
                    let ahead = |register| next.iter().any(|instruction| named(instruction, register));
                    let of = &operands[instruction.static_index as usize];
                    warp.step(of, instruction.mask, &ahead, &mut counter);
                }
                warp.finish(&mut counter);
            }
            counter.traffic()
        };
        self.configurations.iter().map(count).collect()
    }

    fn flags_matter(&self) -> bool {
        let matter = |one: &Configuration| {
            one.look_ahead.is_some() || one.allocation == CacheAllocation::CompilerAided
        };
        self.configurations.iter().any(matter)
    }
}

/// A kernel being read.
struct Stream<'w> {
    kernel: &'w Kernel,
    reader: KernelReader,
    /// The operands of its instructions so far.
    operands: Vec<InstructionRegisters>,
}

impl<'w> Stream<'w> {
    fn open(kernel: &'w Kernel) -> Result<Stream<'w>> {
        Ok(Stream { kernel, reader: kernel.open()?, operands: vec![] })
    }

    fn next_batch(&mut self, study: &Study, notes: &mut Notes) -> Result<Option<Vec<ThreadBlock>>> {
        let (mut blocks, mut bytes) = (vec![], 0);
        while blocks.len() < BATCH_BLOCKS && bytes < BATCH_BYTES {
            let Some(block) = self.reader.next_block()? else { break };
            bytes += block.bytes();
            blocks.push(block);
        }
        let first = self.operands.len();
        self.operands.extend(study.operands(&self.kernel.header().name, self.reader.program(), first));
        if study.rules == Rules::RFC_SIM {
            let places = &self.reader.program().instructions()[first..];
            for (place, operands) in places.iter().zip(&self.operands[first..]) {
                notes.add(objection(place, operands, study.flags_matter()));
            }
        }
        Ok((!blocks.is_empty()).then_some(blocks))
    }
}

/// The caches of RFC-sim, which warps find as their predecessors left them.
struct Persistent {
    caches: Vec<Slot>,
    window: usize,
    counter: TrafficCounter,
}

struct Slot {
    warp: WarpCache,
    /// Instructions that wait until the look-ahead has seen what comes behind them.
    waiting: VecDeque<(InstructionRegisters, u32)>,
}

impl Persistent {
    fn new(configuration: &Configuration, rules: &Rules) -> Persistent {
        let slot = || Slot { warp: WarpCache::new(configuration, rules), waiting: VecDeque::new() };
        let window = configuration.look_ahead.unwrap_or(0);
        let caches = (0..PERSISTENT_CACHES).map(|_| slot()).collect();
        Persistent { caches, window, counter: TrafficCounter::default() }
    }

    fn run(&mut self, operands: &[InstructionRegisters], block: &ThreadBlock) {
        for trace in &block.warps {
            let slot = &mut self.caches[trace.id as usize % PERSISTENT_CACHES];
            slot.warp.hand_over();
            for instruction in &trace.instructions {
                let of = &operands[instruction.static_index as usize];
                if self.window == 0 {
                    slot.warp.step(of, instruction.mask, &|_| false, &mut self.counter);
                } else if !of.skipped {
                    slot.waiting.push_back((of.clone(), instruction.mask));
                    if slot.waiting.len() > self.window {
                        slot.advance(&mut self.counter);
                    }
                }
            }
        }
    }

    /// The first cache does what waits for it; the others keep it for the next kernel.
    fn end_kernel(&mut self) {
        while !self.caches[0].waiting.is_empty() {
            self.caches[0].advance(&mut self.counter);
        }
    }

    fn finish(mut self) -> Traffic {
        self.caches.into_iter().for_each(|slot| slot.warp.finish(&mut self.counter));
        self.counter.traffic()
    }
}

impl Slot {
    /// The instruction that waits longest.
    fn advance(&mut self, counter: &mut TrafficCounter) {
        let Some((operands, mask)) = self.waiting.pop_front() else { return };
        let waiting = &self.waiting;
        let ahead = |register| waiting.iter().any(|(operands, _)| operands.name(register));
        self.warp.step(&operands, mask, &ahead, counter);
    }
}

/// Cases that RFC-sim could not have counted, and how many instructions of the code each concerns.
#[derive(Default)]
struct Notes(BTreeMap<String, u64>);

impl Notes {
    fn add(&mut self, objection: Option<String>) {
        if let Some(objection) = objection {
            *self.0.entry(objection).or_default() += 1;
        }
    }

    fn into_lines(self) -> Vec<String> {
        let line = |(objection, places): (String, u64)| {
            let places = if places == 1 { "1 place".into() } else { format!("{places} places") };
            format!("RFC-sim would end at {places}: {objection}")
        };
        self.0.into_iter().map(line).collect()
    }
}
