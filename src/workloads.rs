//! `gpurf workloads`: the built-in workloads and what they consist of.

use std::collections::HashSet;

use anyhow::Result;
use clap::Args;

use crate::output::{grouped, table};
use crate::{input, Verdict};

#[derive(Args)]
#[command(after_help = "Example:\n  gpurf workloads")]
pub struct Arguments {}

pub fn run(_: Arguments) -> Result<Verdict> {
    let mut rows = table(&["workload", "kernels", "warp instructions", "operand reads each", "registers"]);
    for (name, _) in input::BUILT_IN {
        let workload = input::open(name)?;
        let (mut kernels, mut instructions, mut reads, mut registers) = (0, 0, 0, 0);
        for kernel in workload.kernels() {
            let mut reader = kernel.open()?;
            kernels += 1;
            registers = registers.max(reader.header().nregs);
            while let Some(block) = reader.next_block()? {
                for instruction in block.warps.iter().flat_map(|warp| &warp.instructions) {
                    let sources = &reader.program()[instruction.static_index].sources;
                    reads += sources.iter().collect::<HashSet<_>>().len() as u64;
                    instructions += 1;
                }
            }
        }
        let each = format!("{:.2}", reads as f64 / instructions as f64);
        rows.add_row([
            name.to_string(),
            grouped(kernels),
            grouped(instructions),
            each,
            registers.to_string(),
        ]);
    }
    println!("{rows}");
    for (name, what) in input::BUILT_IN {
        println!("{name}: {what}");
    }
    Ok(Verdict::Holds)
}
