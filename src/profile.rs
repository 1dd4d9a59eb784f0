// SPDX-License-Identifier: Apache-2.0
//! The composition of an instruction stream.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::AddAssign;

use anyhow::Result;
use gpurf_trace::reuse::Histogram;
use gpurf_trace::{Control, Kernel, Unit, Workload};
use rayon::prelude::*;
use serde::Serialize;

/// Counts over a whole workload.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Profile {
    pub name: String,
    /// Different kernels, and launches of them.
    pub kernels: u64,
    pub launches: u64,
    pub thread_blocks: u64,
    pub warp_instructions: u64,
    /// Active lanes, over all instructions.
    pub active_lanes: u64,
    /// Registers per thread, of the kernel that needs most.
    pub registers: u32,
    /// Source registers, RZ apart, each once per instruction.
    pub operand_reads: u64,
    /// Instructions with a `.reuse` flag.
    pub reuse_flags: u64,
    /// Instructions by unit.
    pub units: BTreeMap<&'static str, u64>,
    /// Instructions by opcode without modifiers.
    pub opcodes: BTreeMap<String, u64>,
    /// Operands, sources and destinations, whose value is read again, by reuse distance.
    pub reuses: BTreeMap<u32, u64>,
    /// Operands whose value is not read again.
    pub without_reuse: u64,
    /// By kernel, what the compiler's control bits say of its instructions; none of a kernel without them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub control: BTreeMap<String, ControlCounts>,
}

/// Instructions that were executed, by what their control bits say.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct ControlCounts {
    pub instructions: u64,
    /// Stall counts, summed up.
    pub stall_cycles: u64,
    /// Instructions that give the next cycle to another warp.
    pub yields: u64,
    /// Instructions that name a dependence counter for their results.
    pub write_barriers: u64,
    /// Instructions that name one for their sources.
    pub read_barriers: u64,
    /// Instructions that wait for dependence counters.
    pub waits: u64,
    /// Instructions that leave an operand in the reuse cache.
    pub reuse: u64,
}

impl ControlCounts {
    fn add(&mut self, control: Control, times: u64) {
        let when = |is: bool| if is { times } else { 0 };
        self.instructions += times;
        self.stall_cycles += times * u64::from(control.stall());
        self.yields += when(control.yields());
        self.write_barriers += when(control.write_barrier().is_some());
        self.read_barriers += when(control.read_barrier().is_some());
        self.waits += when(control.wait_mask() != 0);
        self.reuse += when(control.reuse() != 0);
    }
}

impl AddAssign for ControlCounts {
    fn add_assign(&mut self, other: ControlCounts) {
        self.instructions += other.instructions;
        self.stall_cycles += other.stall_cycles;
        self.yields += other.yields;
        self.write_barriers += other.write_barriers;
        self.read_barriers += other.read_barriers;
        self.waits += other.waits;
        self.reuse += other.reuse;
    }
}

impl Profile {
    pub fn of(workload: &Workload) -> Result<Profile> {
        let kernels: Vec<_> = workload.kernels().collect();
        let parts: Vec<_> = kernels.par_iter().map(|kernel| Profile::of_kernel(kernel)).collect();
        let names: BTreeSet<_> = kernels.iter().map(|kernel| &kernel.header().name).collect();
        let mut whole =
            Profile { name: workload.name.clone(), kernels: names.len() as u64, ..Profile::default() };
        for part in parts {
            whole += part?;
        }
        Ok(whole)
    }

    fn of_kernel(kernel: &Kernel) -> Result<Profile> {
        let mut reader = kernel.open()?;
        let mut profile = Profile { launches: 1, registers: reader.header().nregs, ..Profile::default() };
        let mut executions: Vec<u64> = Vec::new();
        let mut histogram = Histogram::default();
        let mut control = ControlCounts::default();
        while let Some(block) = reader.next_block()? {
            profile.thread_blocks += 1;
            profile.warp_instructions += block.instruction_count();
            executions.resize(reader.program().instructions().len(), 0);
            for instruction in block.warps.iter().flat_map(|warp| &warp.instructions) {
                executions[instruction.static_index as usize] += 1;
                profile.active_lanes += u64::from(instruction.mask.count_ones());
            }
            histogram.add(reader.program(), &block);
        }
        for (instruction, times) in reader.program().instructions().iter().zip(executions) {
            if times > 0 {
                profile.operand_reads += times * instruction.sources.len() as u64;
                profile.reuse_flags += if instruction.has_reuse() { times } else { 0 };
                *profile.units.entry(unit_name(instruction.unit)).or_default() += times;
                *profile.opcodes.entry(instruction.base().into()).or_default() += times;
                if instruction.control.is_known() {
                    control.add(instruction.control, times);
                }
            }
        }
        if control.instructions > 0 {
            profile.control.insert(reader.header().name.clone(), control);
        }
        profile.reuses = histogram.reuses;
        profile.without_reuse = histogram.without_reuse;
        Ok(profile)
    }

    /// A count per warp instruction.
    pub fn per_instruction(&self, count: u64) -> f64 {
        ratio(count, self.warp_instructions)
    }

    /// Share of the reuses that are at a distance of `distance` at most.
    pub fn reuses_within(&self, distance: u32) -> f64 {
        ratio(self.reuses.range(..=distance).map(|(_, count)| count).sum(), self.reuses.values().sum())
    }
}

impl AddAssign for Profile {
    /// Name and number of kernels stay.
    fn add_assign(&mut self, other: Profile) {
        self.launches += other.launches;
        self.thread_blocks += other.thread_blocks;
        self.warp_instructions += other.warp_instructions;
        self.active_lanes += other.active_lanes;
        self.registers = self.registers.max(other.registers);
        self.operand_reads += other.operand_reads;
        self.reuse_flags += other.reuse_flags;
        self.without_reuse += other.without_reuse;
        add(&mut self.units, other.units);
        add(&mut self.opcodes, other.opcodes);
        add(&mut self.reuses, other.reuses);
        for (kernel, counts) in other.control {
            *self.control.entry(kernel).or_default() += counts;
        }
    }
}

fn add<K: Ord>(sums: &mut BTreeMap<K, u64>, counts: BTreeMap<K, u64>) {
    for (key, count) in counts {
        *sums.entry(key).or_default() += count;
    }
}

/// `part` of `whole`; 0 of nothing.
fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        return 0.0;
    }
    part as f64 / whole as f64
}

/// A unit as tables and JSON name it.
pub fn unit_name(unit: Unit) -> &'static str {
    match unit {
        Unit::Int => "int",
        Unit::Fp32 => "fp32",
        Unit::Fp64 => "fp64",
        Unit::Sfu => "sfu",
        Unit::Tensor => "tensor",
        Unit::LoadStore => "load/store",
        Unit::Branch => "branch",
        Unit::Uniform => "uniform",
    }
}
