//! Which workloads scheduling limits, and which registers or shared memory: R Table II.

use anyhow::{Context, Result};
use comfy_table::Table;
use gpurf_sim::config::Config;
use gpurf_sim::sm::{Limit, SmError};
use gpurf_trace::Workload;

use crate::output::{grouped, table};

/// R's types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Type-S: limited by scheduling.
    S,
    /// Type-R: limited by registers or shared memory.
    R,
}

/// What a workload asks of the SM.
pub struct Profile {
    pub workload: String,
    pub kind: Kind,
    /// Of its blocks, those of kernels that are limited by each: scheduling, registers, shared memory.
    blocks: [u64; 3],
    /// Resident blocks in the mean over its blocks, as far as the launch has them, and blocks of its largest launch.
    resident: f64,
    largest: u64,
    /// Most registers of a thread.
    registers: u32,
}

impl Profile {
    /// The type of a workload is that of most of its blocks. `None` if a block of it does not fit on the SM.
    pub fn of(workload: &Workload, config: &Config) -> Result<Option<Profile>> {
        let (mut blocks, mut resident, mut largest, mut registers) = ([0; 3], 0, 0, 0);
        for kernel in workload.kernels() {
            let header = kernel.header();
            let (limit, most) = match Limit::of(header, config) {
                Err(SmError::BlockTooLarge { .. }) => return Ok(None),
                found => found.with_context(|| workload.name.clone())?,
            };
            let count = header.block_count();
            blocks[limit as usize] += count;
            resident += count * count.min(most as u64);
            largest = count.max(largest);
            registers = registers.max(header.nregs);
        }
        let [scheduling, by_registers, by_shared] = blocks;
        let kind = if scheduling >= by_registers + by_shared { Kind::S } else { Kind::R };
        let resident = resident as f64 / blocks.iter().sum::<u64>().max(1) as f64;
        let workload = workload.name.clone();
        Ok(Some(Profile { workload, kind, blocks, resident, largest, registers }))
    }

    /// As the tool names the workload.
    pub fn named(self, name: &str) -> Profile {
        Profile { workload: name.into(), ..self }
    }

    /// There are more blocks than can be resident: at least one more for each.
    pub fn has_enough(&self) -> bool {
        self.largest as f64 >= 2.0 * self.resident
    }
}

/// All workloads and their types.
pub fn print(profiles: &[Profile]) -> Table {
    let mut rows = table(&[
        "workload",
        "type",
        "blocks limited by scheduling",
        "by registers",
        "by shared memory",
        "largest launch",
        "resident",
        "registers",
        "enough blocks",
    ]);
    for profile in profiles {
        let kind = match profile.kind {
            Kind::S => "S",
            Kind::R => "R",
        };
        let blocks = profile.blocks.map(grouped);
        let enough = if profile.has_enough() { "yes" } else { "no" };
        let cells =
            [grouped(profile.largest), format!("{:.1}", profile.resident), profile.registers.to_string()];
        let cells =
            [&[profile.workload.clone(), kind.into()][..], &blocks, &cells, &[enough.into()]].concat();
        rows.add_row(cells);
    }
    rows
}
