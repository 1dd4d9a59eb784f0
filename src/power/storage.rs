// SPDX-License-Identifier: Apache-2.0
//! Energies of collectors whose values lie in flip-flops, in latches, or in a memory.

use anyhow::{Context, Result};
use comfy_table::Table;
use gpurf_blocks::{Parameters, LANES};
use gpurf_synth::power::Mean;
use gpurf_synth::{Memories, MemoryEnergy, Ports};

use super::table::{change, percent};
use crate::output::table;
use gpurf_power::stage::{MeasuredStages, StageRun};

/// The parts of a stage that are latches: of a cache table, and of an OCU.
const LATCHES: [&str; 2] = ["collectors.cache_table.entry_latch", "collectors.slot_latch"];
/// The part in which caching collectors have their operand multiplexers.
const MULTIPLEXERS: &str = "collectors";

/// Operands that F's design finds, of all (F §VI-B1).
const HITS: f64 = 0.464;

/// A memory instead of latches and multiplexers.
#[derive(Clone, Copy)]
struct Memory<'a> {
    energy: &'a MemoryEnergy,
}

impl Memory<'_> {
    /// A run with latches, as it would be with this memory; none if it has no latches.
    fn in_place(&self, run: &StageRun) -> Option<Mean> {
        let of_part = |name: &str| run.parts.iter().find(|part| part.name == name).map(|part| part.all);
        let latches = LATCHES.iter().find_map(|name| of_part(name))?;
        let is_caching = of_part(LATCHES[0]).is_some();
        let multiplexers = of_part(MULTIPLEXERS).filter(|_| is_caching).unwrap_or_default();
        let per_cycle = 1.0 / run.events.cycles as f64;
        let (reads, writes) =
            (run.events.dispatched_operands, run.events.bank_reads + run.events.cache_writes);
        let accesses = reads as f64 * self.energy.read_fj + writes as f64 * self.energy.write_fj;
        let without = run.all.mean - latches.mean - multiplexers.mean;
        Some(Mean { mean: without + accesses * per_cycle, error: run.all.error })
    }
}

/// How the collectors of a measurement are built.
fn storage(measured: &MeasuredStages) -> String {
    let of = |name: &str| {
        let setting = |setting: &&String| setting.split_once('=').is_some_and(|(key, _)| key == name);
        let found = measured.settings.iter().rfind(setting);
        found.and_then(|setting| setting.split_once('=')).map(|(_, value)| value.to_string())
    };
    let kind = of("storage").unwrap_or("flip_flops".to_string()).replace('_', "-");
    match of("isolation").as_deref() {
        Some("writes") => format!("{kind}, inputs rest"),
        Some("operands") => format!("{kind}, inputs and operands rest"),
        _ => kind,
    }
}

/// A row for each design and each way to build its collectors: the mean change of energy over the first
/// design, built in the same way and as the first file has it. Memories stand instead of latches, one
/// with a port for each operand and one with one port.
pub fn of_storages(files: &[MeasuredStages]) -> Result<Table> {
    let mut rows = table(&[
        "design",
        "values in",
        "workloads",
        "change over the first design, built alike",
        "over the first design as the first row has it",
        "of it, if F's hits cost nothing",
    ]);
    let Parameters { entries, slots, .. } = Parameters::default();
    let memories = Memories::default();
    let access =
        |reads| memories.access(entries, LANES * u32::BITS as usize, Ports { shared: 0, reads, writes: 1 });
    let kinds = [(access(slots)?, slots), (access(1)?, 1)];
    let first = files.first().and_then(|file| file.runs.first()).context("nothing was measured")?;
    let reference = &first.design;
    let plain = |run: &StageRun| Some(run.all);
    for measured in files {
        let named = storage(measured);
        let mut add = |design: &str, named: &str, energy: &dyn Fn(&StageRun) -> Option<Mean>| {
            let of_design = measured.runs.iter().filter(|run| run.design == design);
            let changes = of_design.filter_map(|run| {
                let found = run.per_instruction(energy(run)?);
                let over = |file: &MeasuredStages, energy: &dyn Fn(&StageRun) -> Option<Mean>| {
                    let is_one =
                        |other: &&StageRun| other.design == *reference && other.workload == run.workload;
                    let other = file.runs.iter().find(is_one)?;
                    Some(change(found, other.per_instruction(energy(other)?)))
                };
                Some((over(measured, energy), over(&files[0], &plain)))
            });
            let (alike, first): (Vec<Option<Mean>>, Vec<Option<Mean>>) = changes.unzip();
            let mean = |changes: &[Option<Mean>]| {
                let changes: Vec<Mean> = changes.iter().copied().flatten().collect();
                match changes.is_empty() {
                    true => "–".to_string(),
                    false => percent(Mean::over(&changes)),
                }
            };
            // A hit then saves its read, and its share of all cells; a write is not saved.
            let saved = measured.runs.iter().filter(|run| run.design == design).filter_map(|run| {
                let all = run.per_instruction(energy(run)?).mean;
                Some(-HITS * (1.0 - run.bank_writes_pj() / all))
            });
            let saved: Vec<f64> = saved.collect();
            let ceiling = match design == reference {
                true => format!("{:+.1}%", 100.0 * saved.iter().sum::<f64>() / saved.len() as f64),
                false => "–".to_string(),
            };
            if !first.is_empty() {
                let row = [design, named, &first.len().to_string(), &mean(&alike), &mean(&first), &ceiling];
                rows.add_row(row.map(str::to_string));
            }
        };
        for design in super::table::designs(&measured.runs) {
            add(design, &named, &plain);
            if measured.settings.iter().any(|setting| setting == "storage=latches") {
                for (energy, ports) in &kinds {
                    let memory = Memory { energy };
                    add(design, &format!("a memory of {ports}R1W"), &|run| memory.in_place(run));
                }
            }
        }
    }
    Ok(rows)
}
