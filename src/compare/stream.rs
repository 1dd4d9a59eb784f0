// SPDX-License-Identifier: Apache-2.0
//! Numbers of the instruction stream itself that a study compares, beside those that runs count.

use anyhow::Result;
use gpurf_sim::config::OperandSelection;
use gpurf_trace::{Command, Unit, Workload, WARP_SIZE};
use serde::{Deserialize, Serialize};

use crate::profile::{unit_name, Profile};

/// Metrics that are about the stream.
pub const METRICS: [&str; 6] =
    ["beyond_3", "beyond_10", "tensor_instructions", "registers", "block_kb", "block_registers"];

/// Counts of a whole workload; shares in percent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stream {
    /// Reuses at a distance of more than 3, and of more than 10.
    pub beyond_3: f64,
    pub beyond_10: f64,
    /// Instructions of the tensor unit.
    pub tensor_instructions: f64,
    /// Registers of a thread, in the mean over the thread blocks.
    pub registers: f64,
    /// Registers and shared memory of a thread block in KB, in the mean over them, and the registers' share.
    pub block_kb: f64,
    pub block_registers: f64,
}

impl Stream {
    pub fn of(workload: &Workload, operands: OperandSelection) -> Result<Stream> {
        let profile = match operands {
            OperandSelection::Registers => Profile::of(workload)?,
            OperandSelection::Named => Profile::of(&with_named_operands(workload))?,
        };
        let tensor = profile.units.get(unit_name(Unit::Tensor)).copied().unwrap_or_default();
        let (mut blocks, mut registers, mut register_bytes, mut shared_bytes) = (0, 0, 0, 0);
        for header in workload.kernels().map(|kernel| kernel.header()) {
            let (count, of_thread) = (header.block_count(), u64::from(header.nregs));
            blocks += count;
            registers += count * of_thread;
            register_bytes += count * u64::from(header.warps_per_block() * WARP_SIZE) * of_thread * 4;
            shared_bytes += count * u64::from(header.shared_memory);
        }
        let per_block = |sum: u64| sum as f64 / blocks.max(1) as f64;
        let bytes = register_bytes + shared_bytes;
        Ok(Stream {
            beyond_3: 100.0 * (1.0 - profile.reuses_within(3)),
            beyond_10: 100.0 * (1.0 - profile.reuses_within(10)),
            tensor_instructions: 100.0 * profile.per_instruction(tensor),
            registers: per_block(registers),
            block_kb: per_block(bytes) / 1024.0,
            block_registers: 100.0 * register_bytes as f64 / bytes.max(1) as f64,
        })
    }
}

/// The same launches with operands as their traces name them.
pub fn with_named_operands(workload: &Workload) -> Workload {
    let named = |command: &Command| match command {
        Command::Kernel(kernel) => Command::Kernel(kernel.with_named_operands()),
        copy => copy.clone(),
    };
    Workload { name: workload.name.clone(), commands: workload.commands.iter().map(named).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{EmulationArguments, Input};
    use gpurf_workloads::Options;

    fn stream(name: &str, operands: OperandSelection) -> Stream {
        let workload =
            Input::find(name).unwrap().workload(&EmulationArguments::default(), Options::default()).unwrap();
        Stream::of(&workload, operands).unwrap()
    }

    #[test]
    fn named_operands_change_the_reuses_and_nothing_else() {
        let [own, named] =
            [OperandSelection::Registers, OperandSelection::Named].map(|operands| stream("hgemm", operands));
        assert!(named.beyond_3 < own.beyond_3 && named.beyond_10 < own.beyond_10, "{named:?} {own:?}");
        let shares = Stream { beyond_3: own.beyond_3, beyond_10: own.beyond_10, ..named };
        assert_eq!(shares, own);
        assert!(own.tensor_instructions > 10.0);
    }

    #[test]
    fn a_block_has_its_warps_registers_and_shared_memory() {
        // vectoradd: no shared memory, so registers are all of it.
        let found = stream("vectoradd", OperandSelection::Registers);
        assert_eq!((found.block_registers, found.tensor_instructions), (100.0, 0.0));
        assert_eq!(found.block_kb % (found.registers * 128.0 / 1024.0), 0.0, "whole warps");
    }
}
