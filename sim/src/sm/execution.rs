// SPDX-License-Identifier: Apache-2.0
//! Which unit executes an instruction, and how long it takes there.

use gpurf_trace::{Memory, MemorySpace, StaticInstruction, Unit};

use crate::config::{Config, ConstantUnit, Control, ControlUnit, Timing};

/// The work that an instruction asks of the units.
pub(super) struct Execution {
    pub unit: Unit,
    pub timing: Timing,
    /// Present if it goes to the load/store unit.
    pub memory: Option<Memory>,
}

impl Execution {
    pub fn of(instruction: &StaticInstruction, config: &Config) -> Execution {
        let StaticInstruction { unit, memory, .. } = *instruction;
        let reads_constants = memory.is_some_and(|memory| memory.space == MemorySpace::Constant);
        let through_memory =
            config.constant.unit == ConstantUnit::LoadStore || config.memory.has_address_units();
        if reads_constants && !through_memory {
            return Execution { unit: Unit::Int, timing: config.int, memory: None };
        }
        if instruction.exit || instruction.base() == "BAR" {
            let unit = match config.control.unit {
                ControlUnit::Int => Unit::Int,
                ControlUnit::Branch => Unit::Branch,
            };
            let Control { latency, initiation, .. } = config.control;
            return Execution { unit, timing: Timing { latency, initiation }, memory };
        }
        let timing = match unit {
            Unit::Int => config.int,
            Unit::Fp32 if is_half(instruction.base()) => config.half,
            Unit::Fp32 => config.fp32,
            Unit::Fp64 => config.fp64,
            Unit::Sfu => config.sfu,
            Unit::Tensor => config.tensor,
            // Its own timing lies in memory; of a sub-core it takes an instruction a cycle.
            Unit::LoadStore => Timing { latency: 1, initiation: 1 },
            Unit::Branch => config.branch,
            Unit::Uniform => config.uniform,
        };
        Execution { unit, timing, memory }
    }
}

/// Half precision, on the data path of single precision: `HADD2`, `HFMA2`, `VHMNMX` and their like.
fn is_half(base: &str) -> bool {
    base.starts_with('H') || base.starts_with("VH")
}
