// SPDX-License-Identifier: Apache-2.0
//! A profile of workloads for FineReg's study: which ones scheduling limits, and which registers or shared
//! memory. R Table II.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use comfy_table::Table;
use gpurf_sim::config::Config;
use gpurf_sim::sm::{Limit, SmError};
use gpurf_trace::Workload;
use gpurf_workloads::Options;

use super::arguments::Arguments;
use crate::input::Input;
use crate::output::{grouped, table};

/// R's types.
const TYPE_S: &str = "Type-S";
const TYPE_R: &str = "Type-R";

/// Workloads whose blocks fit on the SM, by type, and what is to be said of them.
pub struct Sorted {
    pub inputs: Vec<Input>,
    pub groups: BTreeMap<String, Vec<String>>,
    pub heading: String,
}

/// Sorts the inputs of a study.
pub fn sorted(inputs: Vec<Input>, arguments: &Arguments, config: &Config) -> Result<Sorted> {
    let (mut profiles, mut fitting, mut left_out) = (vec![], vec![], vec![]);
    let mut groups: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for input in inputs {
        let workload = input.workload(&arguments.emulation, Options::default())?;
        match Profile::of(&workload, config)? {
            Some(profile) => {
                groups.entry(profile.kind.into()).or_default().push(input.name().into());
                profiles.push((input.name().to_string(), profile));
                fitting.push(input);
            }
            None => left_out.push(input.name().to_string()),
        }
    }
    let table = by_limit(&profiles);
    let mut heading = format!("Workloads by what limits their thread blocks (R Table II)\n{table}\n");
    if !left_out.is_empty() {
        heading += &format!("\nLeft out, a block does not fit on the SM: {}\n", left_out.join(", "));
    }
    Ok(Sorted { inputs: fitting, groups, heading })
}

/// The demand of a workload on the SM.
struct Profile {
    kind: &'static str,
    /// The number of blocks of kernels that are limited by each: scheduling, registers, shared memory.
    blocks: [u64; 3],
    /// Resident blocks in the mean over its blocks, as far as the launch has them, and blocks of its largest
    /// launch.
    resident: f64,
    largest: u64,
    /// Most registers of a thread.
    registers: u32,
}

impl Profile {
    /// The type of a workload is that of most of its blocks. `None` if a block of it does not fit on the SM.
    fn of(workload: &Workload, config: &Config) -> Result<Option<Profile>> {
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
        let kind = if scheduling >= by_registers + by_shared { TYPE_S } else { TYPE_R };
        let resident = resident as f64 / blocks.iter().sum::<u64>().max(1) as f64;
        Ok(Some(Profile { kind, blocks, resident, largest, registers }))
    }

    /// There are more blocks than can be resident: at least one more for each.
    fn has_enough(&self) -> bool {
        self.largest as f64 >= 2.0 * self.resident
    }
}

fn by_limit(profiles: &[(String, Profile)]) -> Table {
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
    for (name, profile) in profiles {
        let blocks = profile.blocks.map(grouped);
        let enough = if profile.has_enough() { "yes" } else { "no" };
        let cells =
            [grouped(profile.largest), format!("{:.1}", profile.resident), profile.registers.to_string()];
        rows.add_row([&[name.clone(), profile.kind.into()][..], &blocks, &cells, &[enough.into()]].concat());
    }
    rows
}
