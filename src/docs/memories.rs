// SPDX-License-Identifier: Apache-2.0
//! Tables of the energies of memories, from what `tools/cacti` wrote.

use anyhow::{Context, Result};
use gpurf_blocks::Parameters;
use gpurf_sim::energy::EventEnergies;
use gpurf_sim::register_traffic;
use gpurf_synth::{Memories, MemoryRun, Ports, ProcessNode};

use super::markdown::markdown;
use super::project::Project;
use crate::output::{grouped, table};

/// From the root of the repository.
const FIGURES: &str = "synth/memories.toml";

/// Columns of [`accesses`].
const ACCESSES: [&str; 5] = ["rows", "bits", "ports", "read fJ", "write fJ"];

/// Memories that stand for something in the hardware, at the usual node.
pub fn hardware(project: &Project, _: &str) -> Result<String> {
    let memories = read(project)?;
    let behind = ["leakage nW a bit", "area µm²", "access ns"];
    let mut rows = table(&[&["memory"][..], &ACCESSES, &behind].concat());
    let usual = memories.runs.iter().filter(|one| one.node_nm.is_none() && one.cell.is_none());
    for (one, of) in usual.filter_map(|one| Some((one, one.of.as_ref()?))) {
        let search =
            one.search_fj.map_or(String::new(), |search| format!("; a search takes {} fJ", whole(search)));
        let behind = [
            format!("{:.1}", one.leakage_nw / bits(one)),
            whole(one.area_um2),
            format!("{:.2}", one.access_ns),
        ];
        rows.add_row([format!("{of}{search}")].into_iter().chain(accesses(one)).chain(behind));
    }
    let Memories { tool, commit, repository, node_nm, temperature_k, cell, optimized, wires, .. } = &memories;
    Ok(format!(
        "`tools/cacti`: {tool}, [{}]({repository}/tree/{commit}); {node_nm} nm, {temperature_k} K, {cell} cells and periphery, one \
         bank, optimized for {optimized}, wires {wires}.\n\n{}",
        &commit[..7],
        markdown(&rows, &[])
    ))
}

/// How the rule for other sizes does, each memory of CACTI's from the others.
pub fn rule(project: &Project, _: &str) -> Result<String> {
    let header =
        ["ports", "figure", "memories", "power of rows", "power of width", "mean error", "largest", "of"];
    let mut rows = table(&header);
    let mut errors = read(project)?.errors();
    errors.sort_by_key(|one| one.ports.reads);
    for one in errors {
        rows.add_row([
            one.ports.to_string(),
            one.figure.to_string(),
            one.memories.to_string(),
            format!("{:.2}", one.by_rows),
            format!("{:.2}", one.by_width),
            format!("{:.1}%", one.mean_percent),
            format!("{:.1}%", one.worst_percent),
            format!("{} × {}", one.worst.0, one.worst.1),
        ]);
    }
    Ok(markdown(&rows, &[]))
}

/// Factors from node to node, and what CACTI has in their place.
pub fn nodes(project: &Project, _: &str) -> Result<String> {
    let memories = read(project)?;
    let header = [
        "node nm",
        "supply V",
        "energy",
        "CACTI: reads",
        "writes",
        "area",
        "bit cell",
        "ideally",
        "CACTI",
        "leakage",
        "CACTI",
    ];
    let mut rows = table(&header);
    let mut known: Vec<u32> = ProcessNode::all().map(|node| node.nm()).collect();
    known.extend(memories.runs.iter().filter(|one| one.kind.is_none()).filter_map(|one| one.node_nm));
    known.sort_by(|a, b| b.cmp(a));
    known.dedup();
    for nm in known {
        let node = ProcessNode::of(nm).ok();
        let by_rule =
            |factor: fn(&ProcessNode) -> f64| node.as_ref().map_or("–".into(), |node| short(factor(node)));
        let by_cacti = |figure: fn(&MemoryRun) -> f64| range(&memories, nm, figure);
        rows.add_row([
            nm.to_string(),
            by_rule(ProcessNode::volts),
            by_rule(ProcessNode::energy),
            by_cacti(|one| one.read_fj),
            by_cacti(|one| one.write_fj),
            by_rule(ProcessNode::area),
            by_rule(ProcessNode::bit_cell_area),
            by_rule(ProcessNode::ideal_area),
            by_cacti(|one| one.area_um2),
            by_rule(ProcessNode::leakage),
            by_cacti(|one| one.leakage_nw),
        ]);
    }
    Ok(markdown(&rows, &[]))
}

/// The same memories of other transistors.
pub fn cells(project: &Project, _: &str) -> Result<String> {
    let memories = read(project)?;
    let behind = ["leakage nW a bit", "access ns"];
    let mut rows = table(&[&["cells", "periphery"][..], &ACCESSES, &behind].concat());
    let others = memories.runs.iter().filter(|one| one.cell.is_some());
    let mut sizes: Vec<&MemoryRun> = vec![];
    for one in others {
        if !sizes.iter().any(|size| is_same_size(size, one)) {
            sizes.push(one);
        }
    }
    for size in sizes {
        let of_size = memories.runs.iter().filter(|one| one.node_nm.is_none() && one.kind.is_none());
        for one in of_size.filter(|one| is_same_size(one, size)) {
            let usual = || memories.cell.clone();
            let transistors = [&one.cell, &one.periphery].map(|kind| kind.clone().unwrap_or_else(usual));
            let behind = [format!("{:.3}", one.leakage_nw / bits(one)), format!("{:.2}", one.access_ns)];
            rows.add_row(transistors.into_iter().chain(accesses(one)).chain(behind));
        }
    }
    Ok(markdown(&rows, &[]))
}

/// The constants of the simulation beside what these figures give, in picojoules.
pub fn constants(project: &Project, _: &str) -> Result<String> {
    let memories = read(project)?;
    let header = [
        "access",
        "constant: read pJ",
        "write",
        "of a bank's",
        "memory at 45 nm: read pJ",
        "write",
        "of a bank's",
        "memory",
    ];
    let mut rows = table(&header);
    let constants = EventEnergies::default();
    let bank = memories.access(256, 1024, Ports::ONE)?;
    let of_registers = [
        ("bank", constants.bank_read, constants.bank_write, 256),
        ("operand collector", constants.collector_read, constants.collector_write, 8),
        ("caching collector", constants.cache_read, constants.cache_write, 8),
        ("bypassing collector", constants.bypass_read, constants.bypass_write, 24),
    ];
    let (old_bank, new_bank) = (constants.bank_read, bank.read_fj);
    for (name, read, write, registers) in of_registers {
        let new = memories.access(registers, 1024, Ports::ONE)?;
        rows.add_row([
            format!("{name}, 1,024 bits"),
            format!("{read:.1}"),
            format!("{write:.1}"),
            format!("{:.2}", read / old_bank),
            format!("{:.1}", 1e-3 * new.read_fj),
            format!("{:.1}", 1e-3 * new.write_fj),
            format!("{:.2}", new.read_fj / new_bank),
            format!("{registers} × 1,024: {}", new.source),
        ]);
    }
    let mut searched = table(&[
        "memory of C, per access",
        "C Table III: read pJ",
        "write",
        "CACTI at 22 nm: read pJ",
        "write",
        "at 45 nm: read pJ",
        "write",
    ]);
    let table_iii = register_traffic::EnergyTable::default();
    for ways in [2, 4, 8] {
        let (read, write) = table_iii.of_bank(&Parameters { rc_ways: ways, ..Parameters::default() });
        searched.add_row(
            [format!("cache of 8 KB, {ways} ways, 128 bits"), format!("{read:.2}"), format!("{write:.2}")]
                .into_iter()
                .chain(at(&memories, Some(22), |one| one.ways == Some(ways))?)
                .chain(at(&memories, None, |one| one.ways == Some(ways))?),
        );
    }
    let file = [old_bank, constants.bank_write].map(|energy| format!("{:.2}", energy / 32.0));
    searched.add_row(
        ["register file of 64 KB, 32 bits".to_string()]
            .into_iter()
            .chain(file)
            .chain(at(&memories, Some(22), |one| one.kind.is_none() && one.of.is_some())?)
            .chain(["–".to_string(), "–".to_string()]),
    );
    Ok(markdown(&rows, &[]) + "\n" + &markdown(&searched, &[]))
}

/// Energies of a read and of a write of a memory at a node, in picojoules.
fn at(memories: &Memories, node: Option<u32>, is_one: impl Fn(&MemoryRun) -> bool) -> Result<[String; 2]> {
    let found = memories.runs.iter().find(|one| one.node_nm == node && one.ways != Some(0) && is_one(one));
    let found = found.with_context(|| format!("{FIGURES} lacks a memory; run tools/cacti"))?;
    Ok([found.read_fj, found.write_fj].map(|energy| format!("{:.2}", 1e-3 * energy)))
}

fn read(project: &Project) -> Result<Memories> {
    Memories::read(&project.root.join(FIGURES))
}

/// Its size and ports, and what an access takes: see [`ACCESSES`].
fn accesses(one: &MemoryRun) -> [String; ACCESSES.len()] {
    let [rows, width] = [one.rows, one.width].map(|count| grouped(count as u64));
    [rows, width, one.ports().to_string(), whole(one.read_fj), whole(one.write_fj)]
}

fn bits(one: &MemoryRun) -> f64 {
    (one.rows * one.width) as f64
}

fn is_same_size(one: &MemoryRun, other: &MemoryRun) -> bool {
    (one.rows, one.width, one.ports()) == (other.rows, other.width, other.ports())
}

/// Least and greatest of CACTI's factors from the usual node to another, over the memories that it was run
/// for at both.
fn range(memories: &Memories, nm: u32, figure: fn(&MemoryRun) -> f64) -> String {
    let is_plain = |one: &&MemoryRun| one.kind.is_none() && one.cell.is_none();
    let there = memories.runs.iter().filter(is_plain).filter(|one| one.node_nm == Some(nm));
    let factors = there.filter_map(|one| {
        let usual = memories
            .runs
            .iter()
            .filter(is_plain)
            .find(|here| here.node_nm.is_none() && is_same_size(here, one));
        Some(figure(one) / figure(usual?))
    });
    let factors: Vec<f64> = factors.collect();
    let (least, greatest) = factors
        .iter()
        .fold((f64::MAX, 0.0_f64), |(least, greatest), one| (least.min(*one), greatest.max(*one)));
    if factors.is_empty() {
        return "–".into();
    }
    format!("{} to {}", short(least), short(greatest))
}

fn short(factor: f64) -> String {
    format!("{factor:.2}")
}

fn whole(value: f64) -> String {
    grouped(value.round() as u64)
}
