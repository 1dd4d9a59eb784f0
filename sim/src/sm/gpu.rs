// SPDX-License-Identifier: Apache-2.0
//! Streaming multiprocessors side by side, under one STHLD controller.
//!
//! A kernel's thread blocks are dealt to the SMs in turn; a kernel starts when the one before has ended on
//! all of them. Each SM has its own share of L2 and of the bandwidth behind it, so that between two ends of
//! an interval no SM depends on another: they can run on any number of threads with the same result. Or they
//! share one L2 and one DRAM (`l2.shared`): then what they ask of it is answered in the order of cycles, in
//! a cycle in the order of SMs. At the end of an interval the controller compares the instructions of all SMs
//! in the interval with those of the one before (F §IV-B3), and STHLD changes.

use std::io;

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::Allocation;
use gpurf_trace::{Command, Kernel, KernelHeader, Reuse, Workload};
use rayon::prelude::*;

use super::draw::{observe, ClusterPlan, Sampling};
use super::error::SmError;
use super::marking::PartnerMarks;
use super::memory::Partitions;
use super::occupancy::Occupancy;
use super::pipeline::PipelineListener;
use super::sm::{Launch, Sm};
use super::usage::Usage;
use crate::checkpoint::{checkpoint, Checkpoint};
use crate::config::{Config, OperandSelection, Sthld};
use crate::design::{Caching, Design, SharedLoads};
use crate::energy::EventEnergies;
use crate::engines::{Engines, RunsSubCore};
use crate::issue::SthldController;
use crate::statistics::{
    ratio, Auxiliary, Counters, Draw, Draws, Interval, KernelStatistics, ResidentBlocks, Sample, Stalls,
    Statistics, Summary,
};

/// SMs whose sub-cores' hardware is run by engines of type `E`.
pub struct Gpu<E> {
    sms: Vec<Sm<E>>,
    /// L2 and DRAM that the SMs share.
    partitions: Option<Box<Partitions>>,
    /// SMs that share them take turns.
    turns: bool,
    /// Launches that are over.
    launches: u64,
    under_way: Option<UnderWay>,
    config: Config,
    design: Design,
    seed: u64,
    controller: Option<SthldController>,
    sthld: u32,
    cycle: u64,
    cycle_limit: u64,
    /// Counters at the start of the present interval.
    interval_start: Counters,
    intervals: Vec<Interval>,
    kernels: Vec<KernelStatistics>,
    sampling: Option<Sampled>,
}

checkpoint! {
    [<E: RunsSubCore>] Gpu<E> {
        values: partitions controller sthld cycle interval_start intervals kernels sampling;
        parts: sms;
        fixed: turns launches under_way config design seed cycle_limit;
    }
}

/// A launch that is not over.
struct UnderWay {
    header: KernelHeader,
    plan: Option<ClusterPlan>,
}

/// Everything drawn from the launches.
#[derive(BorshSerialize, BorshDeserialize)]
struct Sampled {
    sampling: Sampling,
    draws: Vec<Draw>,
    /// Counted in the launches that were simulated whole.
    whole: Counters,
    /// Thread blocks of all launches.
    blocks: u64,
}

/// Runs all SMs until a cycle; whether the kernel is over on all of them.
type RunAll<E> = fn(&mut [Sm<E>], u64) -> Result<bool, SmError>;

impl<E: RunsSubCore> Gpu<E> {
    /// `engines` make what runs the hardware. The seed is that of the hardware's random choices.
    ///
    /// Hardware that does nothing for two cycles, and is given the same again, is taken to do nothing in the
    /// next one either, and is not asked; see [`Gpu::clock_every_cycle`].
    pub fn new(config: &Config, design: Design, seed: u64, mut engines: Engines<E>) -> Self {
        let count = config.sms as u64;
        let sms = (0..count).map(|number| Sm::new(config, design, (number, count), &mut engines));
        let mut gpu = Gpu {
            sms: sms.collect(),
            partitions: config.l2.shared.then(|| Box::new(Partitions::shared(config))),
            // Blocks that switch ask L2 beside the load/store unit, and go on with the answer.
            turns: design.switches(),
            launches: 0,
            under_way: None,
            config: config.clone(),
            design,
            seed,
            controller: None,
            sthld: 0,
            cycle: 0,
            cycle_limit: u64::MAX,
            interval_start: Counters::default(),
            intervals: Vec::new(),
            kernels: Vec::new(),
            sampling: None,
        };
        match config.sthld {
            _ if design.allocation != Allocation::Malekeh => {}
            Sthld::Fixed(sthld) => gpu.set_sthld(sthld),
            Sthld::Adaptive(_) => {
                gpu.controller = Some(SthldController::new(&config.hardware));
            }
        }
        gpu
    }

    /// Ends the run after so many cycles, in the middle of a kernel if need be.
    pub fn limit_cycles(&mut self, cycles: u64) {
        self.cycle_limit = cycles;
    }

    /// Simulates only thread blocks drawn from each launch; before anything is run.
    pub fn sample(&mut self, sampling: Sampling) {
        self.sampling = Some(Sampled { sampling, draws: vec![], whole: Counters::default(), blocks: 0 });
    }

    /// Gives the hardware a clock edge in the cycles in which nothing can happen too, so that its cycles are
    /// the SM's. The statistics are the same.
    pub fn clock_every_cycle(&mut self) {
        for sm in &mut self.sms {
            sm.jump = false;
            sm.machine.sub_cores.iter_mut().for_each(|sub_core| sub_core.skip_nothing());
        }
    }

    /// Has SMs that share L2 take turns cycle by cycle, on one thread: the one that is furthest behind goes
    /// first, of several the one with the least number. That says what L2 answers. The statistics are the
    /// same.
    pub fn take_turns(&mut self) {
        self.turns = true;
    }

    /// Counts, under any design, what [`ResidentBlocks`] says of resident blocks and of the registers they
    /// use.
    pub fn observe_residency(&mut self) {
        for sm in &mut self.sms {
            let context = &mut sm.machine.context;
            context.records.usage = Some(Box::new(Usage::new(context.config.finereg.window)));
        }
    }

    /// Tells a listener, beside others, what the instructions of the first SM go through; before anything is
    /// run.
    pub fn listen(&mut self, listener: Box<dyn PipelineListener>) {
        self.sms[0].machine.context.records.pipeline.get_or_insert_default().listen(listener);
    }

    /// The engines of collectors, by number.
    pub fn engines(&self) -> impl Iterator<Item = &E> {
        self.sms.iter().flat_map(|sm| sm.machine.sub_cores.iter().filter_map(|sub_core| sub_core.engine()))
    }

    /// Cycles run so far.
    pub fn cycles(&self) -> u64 {
        self.cycle
    }

    /// Warp instructions run so far.
    pub fn warp_instructions(&self) -> u64 {
        self.sms.iter().map(|sm| sm.machine.context.records.counters.warp_instructions).sum()
    }

    /// Runs all copies and kernels. With `reuse`, instructions are annotated with it.
    pub fn run(&mut self, workload: &Workload, reuse: Option<&Reuse>) -> Result<(), SmError> {
        self.run_in_steps(workload, reuse, u64::MAX, || Ok(()))
    }

    /// The same in steps of so many cycles. After each, and at the end of each kernel, `look` is called; its
    /// error ends the run.
    pub fn run_in_steps<F: From<SmError>>(
        &mut self,
        workload: &Workload,
        reuse: Option<&Reuse>,
        cycles: u64,
        mut look: impl FnMut() -> Result<(), F>,
    ) -> Result<(), F> {
        for command in &workload.commands {
            match command {
                Command::MemcpyHtoD { address, bytes } => self.copy_to_device(*address, *bytes),
                Command::Kernel(kernel) => {
                    self.launch(kernel, reuse)?;
                    let mut goes_on = true;
                    while goes_on {
                        goes_on = self.advance(self.cycle.saturating_add(cycles))?;
                        look()?;
                    }
                }
            }
        }
        Ok(())
    }

    /// A copy from the host, which leaves its data in L2 and takes no time.
    pub fn copy_to_device(&mut self, address: u64, bytes: u64) {
        match &mut self.partitions {
            Some(partitions) => partitions.copy_to_device(address, bytes),
            None => self
                .sms
                .iter_mut()
                .for_each(|sm| sm.machine.context.memory.unit.copy_to_device(address, bytes)),
        }
    }

    /// Launches a kernel and runs it to its end, or to the limit of cycles.
    pub fn run_kernel(&mut self, kernel: &Kernel, reuse: Option<&Reuse>) -> Result<(), SmError> {
        self.launch(kernel, reuse)?;
        while self.advance(u64::MAX)? {}
        Ok(())
    }

    /// Launches a kernel, unless the limit of cycles is reached. The one before must be over.
    pub fn launch(&mut self, kernel: &Kernel, reuse: Option<&Reuse>) -> Result<(), SmError> {
        assert!(self.under_way.is_none(), "kernels run one after the other");
        if self.cycle >= self.cycle_limit {
            return Ok(());
        }
        let header = kernel.header().clone();
        let kernel = &match self.config.operands {
            OperandSelection::Registers => kernel.clone(),
            OperandSelection::Named => kernel.with_named_operands(),
        };
        let uses_liveness = self.design.residency.needs_live_registers()
            || matches!(self.design.register_cache, Some(Caching::Strands | Caching::Intervals));
        let liveness = uses_liveness.then(|| kernel.liveness()).transpose()?;
        let marks = match self.design.shared_loads() == SharedLoads::APART && self.config.mlds.transfers == 1
        {
            true => PartnerMarks::none(),
            false => PartnerMarks::new(&self.config.mlds, self.design.shared_loads(), kernel)?,
        };
        let plan = self.plan(kernel)?;
        let kernel = match reuse {
            Some(reuse) => kernel.annotated(reuse)?,
            None => kernel.clone(),
        };
        let launch = Launch { kernel, marks, liveness, plan: plan.clone() };
        self.sms.iter_mut().for_each(|sm| sm.launch(launch.clone()));
        self.under_way = Some(UnderWay { header, plan });
        Ok(())
    }

    /// Runs the launched kernel until cycle `until`, the end of the interval, the limit of cycles or its own
    /// end, whatever comes first. Whether it goes on. Where it stops between two ends of an interval changes
    /// nothing.
    pub fn advance(&mut self, until: u64) -> Result<bool, SmError> {
        self.advance_by(until, one_by_one)
    }

    fn advance_by(&mut self, until: u64, run_all: RunAll<E>) -> Result<bool, SmError> {
        if self.under_way.is_none() {
            return Ok(false);
        }
        let interval_end = self.interval_start.cycles + self.config.hardware.interval as u64;
        let end = interval_end.min(self.cycle_limit).min(until);
        let over = match &mut self.partitions {
            Some(partitions) if !self.turns => in_rounds(&mut self.sms, partitions, end, run_all)?,
            Some(_) => in_turns(&mut self.sms, &mut self.partitions, end)?,
            None => run_all(&mut self.sms, end)?,
        };
        let reached = self.sms.iter().map(|sm| sm.now()).max().unwrap_or(end);
        self.cycle = if over { reached } else { end };
        self.sms.iter_mut().for_each(|sm| sm.idle_until(self.cycle));
        if self.cycle == interval_end {
            self.end_interval();
        }
        let ends = over || self.cycle >= self.cycle_limit;
        if ends {
            self.finish_kernel()?;
        }
        Ok(!ends)
    }

    /// The state of the run, as [`Gpu::restore`] takes it up.
    ///
    /// # Errors
    /// [`io::ErrorKind::Unsupported`] if the engines do not show their state, as hardware does not, or if
    /// there are listeners.
    pub fn save(&self) -> io::Result<Vec<u8>> {
        if self.sms.iter().any(|sm| sm.machine.context.records.pipeline.is_some()) {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let mut state = borsh::to_vec(&self.launches)?;
        Checkpoint::save(self, &mut state)?;
        Ok(state)
    }

    /// Takes a run up where another one was saved, of the same configuration, design, seed and sampling,
    /// before anything is run. The kernel that was under way, if one was, is launched; the thread blocks that
    /// were on the SMs by then are read again, and not simulated.
    ///
    /// # Errors
    /// It is no such state, or the kernel cannot be launched.
    pub fn restore(
        &mut self,
        mut state: &[u8],
        under_way: Option<(&Kernel, Option<&Reuse>)>,
    ) -> Result<(), SmError> {
        // What is drawn of a launch depends on its number.
        self.launches = BorshDeserialize::deserialize(&mut state)?;
        if let Some((kernel, reuse)) = under_way {
            self.launch(kernel, reuse)?;
            self.sms.iter_mut().try_for_each(Sm::start)?;
        }
        Checkpoint::restore(self, &mut state)?;
        self.sms.iter_mut().try_for_each(Sm::catch_up)
    }

    /// The part that is drawn of a launch; nothing if it is simulated whole.
    fn plan(&self, kernel: &Kernel) -> Result<Option<ClusterPlan>, SmError> {
        let Some(Sampled { sampling, .. }) = &self.sampling else { return Ok(None) };
        let resident = Occupancy::new(kernel.header(), &self.config, &self.design)?.residents as u64;
        let (blocks, sms) = (kernel.header().block_count(), self.sms.len() as u64);
        Ok(ClusterPlan::new(*sampling, self.launches, blocks, resident, sms))
    }

    fn finish_kernel(&mut self) -> Result<(), SmError> {
        let Some(UnderWay { header, plan }) = self.under_way.take() else { return Ok(()) };
        let (mut counters, mut stalls) = (Counters::default(), Stalls::default());
        let (mut blocks, mut resident_blocks, mut drawings) = (0, 0, vec![]);
        for finished in self.sms.iter_mut().filter_map(Sm::finish) {
            let cycles = counters.cycles.max(finished.counters.cycles);
            counters.add(&finished.counters);
            counters.cycles = cycles;
            stalls.add(&finished.stalls);
            blocks += finished.blocks;
            resident_blocks = finished.resident_blocks;
            drawings.extend(finished.drawing);
        }
        counters.fed_cycles /= self.sms.len() as u64;
        if let Some(sampled) = &mut self.sampling {
            match &plan {
                Some(plan) => {
                    let draw = observe(plan, &drawings, counters);
                    let (read, grid) = (draw.stream().blocks, header.block_count());
                    if read != grid {
                        return Err(SmError::PartOfGrid { kernel: header.name, blocks: read, grid });
                    }
                    sampled.blocks += read;
                    sampled.draws.push(draw);
                }
                None => {
                    sampled.blocks += blocks;
                    sampled.whole.add(&counters);
                }
            }
        }
        self.launches += 1;
        self.kernels.push(KernelStatistics {
            name: header.name,
            id: header.id,
            blocks,
            resident_blocks,
            summary: Summary::new(counters, stalls),
        });
        Ok(())
    }

    /// Counters of all SMs; cycles are those of one, and those until the last block's launch their mean.
    fn counters(&self) -> (Counters, Stalls) {
        let (mut counters, mut stalls) = (Counters::default(), Stalls::default());
        for sm in &self.sms {
            counters.add(&sm.machine.context.records.counters);
            stalls.add(&sm.machine.context.records.stalls);
        }
        counters.cycles = self.cycle;
        counters.fed_cycles /= self.sms.len() as u64;
        (counters, stalls)
    }

    /// For all SMs, under a design that switches blocks or if asked for.
    fn residency(&self) -> Option<ResidentBlocks> {
        let observed = self.sms.iter().any(|sm| sm.machine.context.records.usage.is_some());
        let wanted = observed || self.design.switches();
        let mut residency = ResidentBlocks::default();
        self.sms.iter().for_each(|sm| residency.add(&sm.machine.context.records.blocks));
        wanted.then_some(residency)
    }

    fn set_sthld(&mut self, sthld: u32) {
        self.sthld = sthld;
        self.sms.iter_mut().for_each(|sm| sm.machine.context.set_sthld(sthld));
    }

    fn end_interval(&mut self) {
        let interval = self.present_interval();
        self.intervals.push(interval);
        self.sms.iter_mut().for_each(|sm| sm.machine.context.memory.end_interval());
        let (counters, _) = self.counters();
        let instructions = counters.warp_instructions - self.interval_start.warp_instructions;
        self.interval_start = counters;
        if let Some(controller) = &mut self.controller {
            controller.end_interval(instructions as u32);
            let sthld = controller.sthld();
            self.set_sthld(sthld);
        }
    }

    fn present_interval(&self) -> Interval {
        let counted = self.counters().0.since(&self.interval_start);
        Interval {
            cycle: self.cycle,
            ipc: ratio(counted.warp_instructions, counted.cycles),
            hit_ratio: ratio(counted.hits, counted.operand_reads),
            sthld: self.sthld,
            state: self.controller.as_ref().map_or(0, |controller| controller.state() as u32),
            lrt_entries: ratio(counted.lrt_entry_cycles, counted.cycles * self.sms.len() as u64),
            lrt_peak: self
                .sms
                .iter()
                .filter_map(|sm| sm.machine.context.memory.lrt_peak())
                .max()
                .unwrap_or(0),
        }
    }

    /// The sample's estimates of the whole run.
    fn estimates(&self) -> Option<Sample> {
        let Sampled { sampling: Sampling { every, seed }, draws, whole, blocks } = self.sampling.as_ref()?;
        let simulated_blocks = self.kernels.iter().map(|kernel| kernel.blocks).sum();
        let draws = Draws { draws, whole: *whole };
        let (instructions, reads) = (draws.warp_instructions(), draws.operand_reads());
        let cycles = draws.cycles();
        let hits = draws.events(|counters| counters.hits, Auxiliary::OperandReads);
        Some(Sample {
            seed: *seed,
            every: *every,
            launches: self.kernels.len() as u64,
            sampled_launches: draws.draws.len() as u64,
            blocks: *blocks,
            simulated_blocks,
            share: ratio(simulated_blocks, *blocks),
            cycles,
            warp_instructions: instructions,
            ipc: cycles.divides(instructions as f64),
            operand_reads: reads,
            hits,
            hit_ratio: hits.scaled(if reads == 0 { 0.0 } else { 1.0 / reads as f64 }),
            bank_reads: draws.events(|counters| counters.bank_reads, Auxiliary::OperandReads),
            bank_writes: draws.events(|counters| counters.bank_writes, Auxiliary::Instructions),
        })
    }

    /// The statistics of everything run. `engine` names what ran the sub-cores' hardware, `divergences`
    /// is the number of cycles in which two engines in lockstep differed.
    pub fn statistics(&self, engine: &str, divergences: u64) -> Statistics {
        let mut intervals = self.intervals.clone();
        if self.cycle > self.interval_start.cycles {
            intervals.push(self.present_interval());
        }
        let (counters, stalls) = self.counters();
        Statistics {
            design: self.design.name(),
            engine: engine.into(),
            seed: self.seed,
            summary: Summary::new(counters, stalls),
            residency: self.residency(),
            energy_pj: EventEnergies::default().of(&self.design, &self.config, &counters),
            divergences,
            errors: self.sms.iter().flat_map(|sm| sm.machine.context.records.errors.clone()).collect(),
            sample: self.estimates(),
            intervals,
            kernels: self.kernels.clone(),
            config: self.config.clone(),
        }
    }
}

impl<E: RunsSubCore + Send> Gpu<E> {
    /// As [`Gpu::advance`], SMs side by side on the threads there are.
    pub fn advance_in_parallel(&mut self, until: u64) -> Result<bool, SmError> {
        self.advance_by(until, side_by_side)
    }
}

fn one_by_one<E: RunsSubCore>(sms: &mut [Sm<E>], end: u64) -> Result<bool, SmError> {
    sms.iter_mut().try_fold(true, |over, sm| Ok(sm.run_until(end)? && over))
}

fn side_by_side<E: RunsSubCore + Send>(sms: &mut [Sm<E>], end: u64) -> Result<bool, SmError> {
    // Of several errors the first SM's, whichever thread came to one first.
    let results: Vec<Result<bool, SmError>> = sms.par_iter_mut().map(|sm| sm.run_until(end)).collect();
    results.into_iter().try_fold(true, |over, result| Ok(result? && over))
}

/// SMs that share L2. Each runs by itself until it needs a reply that is not known; then what they have asked
/// is answered, as far as no SM can ask anything before it any more.
fn in_rounds<E: RunsSubCore>(
    sms: &mut [Sm<E>],
    partitions: &mut Partitions,
    end: u64,
    run_all: RunAll<E>,
) -> Result<bool, SmError> {
    let mut order: Vec<(u64, usize)> = Vec::new();
    loop {
        let over = run_all(sms, end)?;
        if sms.iter().all(|sm| sm.reached(end).is_none() && sm.exchange().is_empty()) {
            return Ok(over);
        }
        // The two SMs that are furthest behind: what an SM asks is before all that others may still ask.
        let mut behind = [(u64::MAX, usize::MAX); 2];
        for (number, sm) in sms.iter().enumerate() {
            let place = (sm.reached(end).unwrap_or(u64::MAX), number);
            if place < behind[0] {
                behind = [place, behind[0]];
            } else if place < behind[1] {
                behind[1] = place;
            }
        }
        order.clear();
        for (number, sm) in sms.iter().enumerate() {
            let others = behind[usize::from(behind[0].1 == number)];
            let asked = sm.exchange().open().map(|cycle| (cycle, number));
            order.extend(asked.take_while(|&place| place < others));
        }
        order.sort_unstable();
        for &(_, number) in &order {
            sms[number].machine.context.memory.unit.l2.answer(partitions);
        }
    }
}

/// SMs that share L2 and take turns. What they share is lent to the one whose turn it is.
fn in_turns<E: RunsSubCore>(
    sms: &mut [Sm<E>],
    partitions: &mut Option<Box<Partitions>>,
    end: u64,
) -> Result<bool, SmError> {
    sms.iter_mut().try_for_each(Sm::start)?;
    let mut over = vec![false; sms.len()];
    loop {
        let runs = |&(number, sm): &(usize, &Sm<E>)| !over[number] && sm.now() < end;
        let next = sms.iter().enumerate().filter(runs).min_by_key(|(_, sm)| sm.now());
        let Some((number, _)) = next else { return Ok(over.iter().all(|&over| over)) };
        let sm = &mut sms[number];
        partitions.iter_mut().for_each(|partitions| partitions.forget(sm.now()));
        sm.machine.context.memory.unit.l2.partitions = partitions.take();
        let result = sm.take_turn(end);
        *partitions = sm.machine.context.memory.unit.l2.partitions.take();
        over[number] = result?;
    }
}
