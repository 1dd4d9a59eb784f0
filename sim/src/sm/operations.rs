// SPDX-License-Identifier: Apache-2.0
//! Instructions as a sub-core without collectors is told of them: which way each goes, and how long its
//! result takes.

use gpurf_blocks::{OPERANDS, READS, READ_BANKS};
use gpurf_trace::{Control, DependenceLimit, RegisterId, StaticInstruction, Unit};

use super::decoded::Decoded;
use super::error::SmError;
use crate::bits::members;
use crate::config::{Config, FrontKind, Organisation, Timing};
use crate::design::{Dependences, Design};
use crate::modern::{bank_of, CounterLimit, Operation, NO_COUNTER};

/// A round of an instruction as it enters a sub-core without collectors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entering {
    /// Warp, base and payload are to be set.
    pub head: Operation,
    /// Sources of the hardware that each source of the round is, a bit each: a register may be several
    /// operands.
    pub places: [u8; READS],
    /// Cycles for which it keeps the input of its unit.
    pub initiation: u8,
}

/// The rules by which operations are made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operations {
    /// The stream must have control bits.
    follows_control: bool,
}

/// The ways of instructions of fixed latency, of memory instructions, and of all others of variable latency:
/// a bit for their queue.
const FIXED: u8 = 0;
const MEMORY: u8 = 1;
const OTHERS: u8 = 2;

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

/// Where results come from that reach each other's consumers in one cycle less than others'. The hardware
/// tells four apart.
#[derive(Clone, Copy, PartialEq)]
enum Pipe {
    Int,
    Fp32,
    Half,
    Uniform,
    Branch,
    /// Results of variable latency, which no instruction finds on their way.
    Others,
}

/// The pipe of instructions of variable latency. Uniform and branch instructions share it: hardly any of them
/// writes a register.
pub(super) const OTHER_PIPE: u8 = 3;

impl Pipe {
    fn number(self) -> u8 {
        match self {
            Pipe::Int => 0,
            Pipe::Fp32 => 1,
            Pipe::Half => 2,
            Pipe::Uniform | Pipe::Branch | Pipe::Others => OTHER_PIPE,
        }
    }
}

impl Operations {
    /// Under a design without collectors. It has two banks, and a scheduler of each sub-core's own.
    pub fn of(design: &Design, config: &Config) -> Result<Option<Operations>, SmError> {
        if !design.reads_in_window() {
            let refused =
                |key, value, other| Err(SmError::Collectors { design: design.name(), key, value, other });
            if config.memory.has_address_units() {
                return refused("memory.pipeline", "address_units", "queues");
            }
            if config.front.kind == FrontKind::Caches {
                return refused("front.kind", "caches", "ideal");
            }
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
        let fixed = &config.fixed;
        let mut latencies = [fixed.int, fixed.fp32, fixed.half, fixed.uniform, fixed.branch];
        latencies.sort_unstable();
        let latencies = latencies.chunk_by(|one, other| one == other).count();
        let ports = config.hardware.result_ports;
        if latencies > ports {
            return Err(SmError::ResultPorts { design: design.name(), latencies, ports });
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
        // A trace does not have its condition. That all counters are 0 implies any.
        if instruction.base() == "DEPBAR" && instruction.limit.is_none() {
            control = control.with_wait_mask(u8::MAX);
        }
        let tensor = instruction.unit == Unit::Tensor;
        let mut results = [0; READ_BANKS];
        decoded.destinations.iter().for_each(|&register| results[bank_of(register)] += 1);
        let (mut queue, unit, mut pipe) = way(instruction, decoded.unit);
        if queue == FIXED && !tensor && results.iter().any(|&results| results > 1) {
            // A bank reserves one place for an instruction.
            (queue, pipe) = (OTHERS, Pipe::Others);
        }
        let fixed = queue == FIXED && !tensor;
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
        let rounds = places(instruction, queue);
        decoded.divide(instruction, rounds.iter().map(Vec::len));
        let last = rounds.len() - 1;
        let operations = rounds.iter().enumerate().map(|(number, places)| {
            let is_last = number == last;
            let mut head = self.told(control, (number == 0, is_last));
            (head.queue, head.tensor, head.reuse) = (queue, tensor, control.reuse());
            if is_last && self.follows_control {
                let limit = instruction.limit;
                head.limit = limit.map(|DependenceLimit { counter, value, mask }| CounterLimit {
                    counter,
                    value,
                    mask,
                });
            }
            (head.instruction.unit, head.instruction.pipe) = (unit, pipe.number());
            if fixed && is_last {
                head.writes = (0..READ_BANKS).fold(0, |set, bank| set | u8::from(results[bank] > 0) << bank);
            }
            let first = rounds[..number].iter().map(Vec::len).sum::<usize>();
            let mut entering = Entering { head, places: [0; READS], initiation: 1 };
            for (source, &place) in places.iter().enumerate() {
                entering.places[source] = place;
                entering.head.instruction.sources.valid |= place;
                let registers = &mut entering.head.instruction.sources.registers;
                members(place).for_each(|place| registers[place] = instruction.sources[first + source].0);
            }
            if is_last {
                entering.initiation = decoded.timing.initiation.min(u8::MAX.into()) as u8;
            }
            entering
        });
        decoded.operations = operations.collect();
        Ok(())
    }

    /// A round as the control bits have it: counters that go up and stall count belong to the last one,
    /// counters that are waited for to the first.
    fn told(&self, control: Control, (is_first, is_last): (bool, bool)) -> Operation {
        let mut told = Operation { stall: 1, counters: [NO_COUNTER; 2], ..Operation::default() };
        if !self.follows_control {
            return told;
        }
        if is_first {
            told.wait_mask = control.wait_mask();
        }
        if is_last {
            (told.stall, told.yields) = (control.stall(), control.yields());
            let counters = [control.write_barrier(), control.read_barrier()];
            told.counters = counters.map(|counter| counter.unwrap_or(NO_COUNTER));
        }
        told
    }
}

/// Which way an instruction goes, to which unit, and the pipe of its results.
fn way(instruction: &StaticInstruction, unit: u8) -> (u8, u8, Pipe) {
    let (base, control) = (instruction.base(), instruction.control);
    if instruction.unit == Unit::Tensor {
        return (FIXED, unit, Pipe::Others);
    }
    let is_counted = control.write_barrier().is_none() && control.read_barrier().is_none();
    match instruction.unit {
        // It comes behind the reads of memory instructions before it: the compiler relies on that.
        _ if instruction.barrier => (MEMORY, unit, Pipe::Others),
        _ if instruction.memory.is_some() && unit == Unit::LoadStore as u8 => (MEMORY, unit, Pipe::Others),
        Unit::LoadStore | Unit::Sfu | Unit::Fp64 => (OTHERS, unit, Pipe::Others),
        _ if !is_counted || UNCOUNTED.contains(&base) => (OTHERS, unit, Pipe::Others),
        _ if INTEGER_PIPE.contains(&base) => (FIXED, Unit::Int as u8, Pipe::Int),
        _ if FP32_PIPE.contains(&base) => (FIXED, Unit::Fp32 as u8, Pipe::Fp32),
        Unit::Fp32 if base.starts_with('H') || base.starts_with("VH") => (FIXED, unit, Pipe::Half),
        Unit::Fp32 => (FIXED, unit, Pipe::Fp32),
        Unit::Int => (FIXED, unit, Pipe::Int),
        Unit::Uniform => (FIXED, unit, Pipe::Uniform),
        Unit::Branch | Unit::Tensor => (FIXED, unit, Pipe::Branch),
    }
}

/// Where the sources of each round stand: each in its operands and its bank, as far as none before it stands
/// there. What goes through a queue leaves the reuse cache alone, and any operand is right for it.
fn places(instruction: &StaticInstruction, queue: u8) -> Vec<Vec<u8>> {
    let (mut rounds, mut taken) = (vec![vec![]], 0);
    for (&register, &slots) in instruction.sources.iter().zip(&instruction.slots) {
        let operands = if queue == FIXED { slots & 7 } else { 0 };
        let place = place(register, operands, taken).unwrap_or_else(|| {
            rounds.push(vec![]);
            taken = 0;
            place(register, operands, 0).expect("a round has room for a source")
        });
        taken |= place;
        rounds.last_mut().expect("there is a round").push(place);
    }
    rounds
}

/// The sources of the hardware that a register of these operands is, unless one is taken; without operands,
/// the first that is free.
fn place(register: RegisterId, operands: u8, taken: u8) -> Option<u8> {
    let of = |operand: usize| 1 << (READ_BANKS * operand + bank_of(register));
    if operands == 0 {
        return (0..OPERANDS).map(of).find(|place| taken & place == 0);
    }
    let all = members(operands).map(of).fold(0, |all: u8, place| all | place);
    (all & taken == 0).then_some(all)
}
