// SPDX-License-Identifier: Apache-2.0
//! Instructions as a sub-core without collectors is told of them: which way each goes, and how long its
//! result takes.

use gpurf_blocks::{MAX_SLOTS, OPERANDS, READ_BANKS};
use gpurf_trace::{StaticInstruction, Unit};

use super::decoded::{Decoded, Round};
use super::error::SmError;
use crate::config::{Config, Organisation, Timing};
use crate::design::{Dependences, Design};
use crate::modern::{bank_of, Operation, Path};

/// The rules by which operations are made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operations {
    /// The stream must have control bits.
    follows_control: bool,
}

/// The queue of memory instructions, and that of all others of variable latency.
const MEMORY: Path = Path::Queue(0);
const OTHERS: Path = Path::Queue(1);

/// Instructions beside those of memory, special functions and double precision whose latency the compiler
/// does not count: those that occur in our listings name a dependence counter.
const UNCOUNTED: [&str; 13] = [
    "S2R", "S2UR", "CS2UR", "R2UR", "FCHK", "SHFL", "MATCH", "REDUX", "CREDUX", "B2R", "QSPC", "CSMTEST",
    "MOVM",
];
/// Instructions of the integer pipe by the latencies that the compiler counts, though their type is the
/// FP32 unit's.
const INTEGER_PIPE: [&str; 6] = ["FSETP", "FSET", "FSEL", "FMNMX", "FMNMX3", "FCMP"];
/// The other way round.
const FP32_PIPE: [&str; 3] = ["IMAD", "IMUL", "XMAD"];

/// The cycles in which compilers think that an instruction of fixed latency reads its sources (H §5.3). One
/// of variable latency reads outside of them, and would come too early for a result that more of them delay.
const COMPILED_WINDOW: usize = 3;

/// Where results come from that reach each other's consumers in one cycle less than others'.
#[derive(Clone, Copy)]
enum Pipe {
    Int,
    Fp32,
    Half,
    Uniform,
    Branch,
    /// Results of variable latency, which no instruction finds on their way.
    Others,
}

impl Operations {
    /// Under a design without collectors. It has two banks, and a scheduler of each sub-core's own.
    pub fn of(design: &Design, config: &Config) -> Result<Option<Operations>, SmError> {
        if !design.reads_in_window() {
            return Ok(None);
        }
        let refused = |key, value| Err(SmError::Window { design: design.name(), key, value });
        if config.hardware.banks != READ_BANKS {
            return refused("banks", "2");
        }
        if config.organisation != Organisation::SubCores {
            return refused("organisation", "sub-cores");
        }
        if config.hardware.read_window != COMPILED_WINDOW {
            return refused("read_window", "3");
        }
        Ok(Some(Operations { follows_control: design.dependences == Dependences::ControlBits }))
    }

    /// Adds what is told of an instruction, whose result then takes as long as the compiler counts.
    pub fn add(
        &self,
        decoded: &mut Decoded,
        instruction: &StaticInstruction,
        config: &Config,
    ) -> Result<(), &'static str> {
        let mut control = instruction.control;
        if self.follows_control && !control.is_known() {
            return Err("its stream has no control bits");
        }
        // A limit that is not 0 is in no stream; none of the counters being above it implies that it is kept.
        if instruction.base() == "DEPBAR" {
            control = control.with_wait_mask(u8::MAX);
        }
        let (path, unit, pipe) = way(instruction, decoded.unit);
        let tensor = instruction.unit == Unit::Tensor;
        let fixed = path == Path::Fixed && !tensor;
        if fixed {
            let latency = match pipe {
                Pipe::Int => config.fixed.int,
                Pipe::Fp32 => config.fixed.fp32,
                Pipe::Half => config.fixed.half,
                Pipe::Uniform => config.fixed.uniform,
                Pipe::Branch | Pipe::Others => config.fixed.branch,
            };
            let initiation = match pipe {
                Pipe::Int => config.int.initiation,
                Pipe::Fp32 => config.fp32.initiation,
                _ => decoded.timing.initiation,
            };
            decoded.timing = Timing { latency, initiation };
        }
        decoded.unit = unit;
        let mut results = [0; READ_BANKS];
        if fixed {
            decoded.destinations.iter().for_each(|&register| results[bank_of(register)] += 1);
        }
        let last = decoded.last_round();
        let operations = (0..=last).map(|number| Operation {
            unit,
            pipe: pipe as u8,
            initiation: decoded.timing.initiation.min(u8::MAX.into()) as u8,
            path,
            tensor,
            // What the compiler says is said of the last round.
            control: if number == last { control } else { control.with_no_counters() },
            results: if number == last { results } else { [0; READ_BANKS] },
            ..reads(decoded.round(number), instruction)
        });
        decoded.operations = operations.collect();
        Ok(())
    }
}

/// Which way an instruction goes, to which unit, and the pipe of its results.
fn way(instruction: &StaticInstruction, unit: u8) -> (Path, u8, Pipe) {
    let (base, control) = (instruction.base(), instruction.control);
    if instruction.unit == Unit::Tensor {
        return (Path::Fixed, unit, Pipe::Others);
    }
    let is_counted = control.write_barrier().is_none() && control.read_barrier().is_none();
    match instruction.unit {
        // It comes behind the reads of memory instructions before it: the compiler relies on that.
        _ if instruction.barrier => (MEMORY, unit, Pipe::Others),
        _ if instruction.memory.is_some() && unit == Unit::LoadStore as u8 => (MEMORY, unit, Pipe::Others),
        Unit::LoadStore | Unit::Sfu | Unit::Fp64 => (OTHERS, unit, Pipe::Others),
        _ if !is_counted || UNCOUNTED.contains(&base) => (OTHERS, unit, Pipe::Others),
        _ if INTEGER_PIPE.contains(&base) => (Path::Fixed, Unit::Int as u8, Pipe::Int),
        _ if FP32_PIPE.contains(&base) => (Path::Fixed, Unit::Fp32 as u8, Pipe::Fp32),
        Unit::Fp32 if base.starts_with('H') || base.starts_with("VH") => (Path::Fixed, unit, Pipe::Half),
        Unit::Fp32 => (Path::Fixed, unit, Pipe::Fp32),
        Unit::Int => (Path::Fixed, unit, Pipe::Int),
        Unit::Uniform => (Path::Fixed, unit, Pipe::Uniform),
        Unit::Branch | Unit::Tensor => (Path::Fixed, unit, Pipe::Branch),
    }
}

/// The reads of a round, each in the first pass in which its slot has none of the same bank.
fn reads(round: &Round, instruction: &StaticInstruction) -> Operation {
    let mut operation = Operation { count: round.sources().len() as u8, ..Operation::default() };
    let mut taken = [[0u8; READ_BANKS]; OPERANDS];
    for (index, &register) in round.sources().iter().enumerate() {
        let slots = instruction.slots[usize::from(round.first) + index];
        let slot = (slots.trailing_zeros() as usize).min(OPERANDS - 1);
        let pass = &mut taken[slot][bank_of(register)];
        operation.registers[index] = register;
        operation.slots[index] = slots;
        operation.passes[index] = *pass;
        operation.last_pass = operation.last_pass.max(*pass);
        *pass += 1;
    }
    const { assert!(MAX_SLOTS <= 8) };
    operation
}
