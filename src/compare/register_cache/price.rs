// SPDX-License-Identifier: Apache-2.0
//! The area that it costs to keep reads from the register file: register caches in the SM beside the
//! caching collectors of the other papers. C gives no area.

use std::collections::BTreeMap;

use anyhow::Result;
use comfy_table::{CellAlignment, Table};
use gpurf_blocks::{Parameters, LANES, SUB_CORES};
use gpurf_hw::catalogue;
use gpurf_power::register_cache::{RegisterCacheEnergy, MODULE};
use gpurf_sim::config::Config;
use gpurf_sim::energy::{measured, EventEnergies};
use gpurf_sim::register_traffic::{Configuration, Reach};
use gpurf_sim::sm::{Design, HardwarePart};
use gpurf_sim::statistics::Counters;
use gpurf_synth::{Options, Structure, Synthesis, MEMORY_BIT_UM2};
use gpurf_verilog::Hierarchy;
use rayon::prelude::*;
use serde::Serialize;

use crate::compare::arguments::Arguments;
use crate::compare::jobs::{self, Variant};
use crate::compare::outcome::Outcome;
use crate::compare::plot::{Plot, Point, PointGroup};
use crate::compare::series::{percent, Series};
use crate::input::Input;
use crate::output::{progress, table};
use crate::power::table::with_error;
use crate::synth::{options, synthesize, Design as Synthesized};
use crate::verilog::hierarchy;

/// C Table IV, and one of each kind of C Table V's products that the SM runs in seconds.
const IN_SM: [&str; 10] =
    ["bfs", "b+tree", "gaussian", "hotspot", "kmeans", "nn", "lud", "pathfinder", "hgemm", "igemm"];

/// A design: what it saves, as means over the workloads in percent, and what a sub-core's collectors and
/// cache take.
#[derive(Serialize)]
pub struct Price {
    label: String,
    /// Series of the plot.
    family: &'static str,
    reads_avoided: f64,
    writes_avoided: f64,
    /// Change of the instructions per cycle over the baseline.
    ipc: f64,
    /// Change of the energy over the baseline, with C Table III's energies for collectors of any size, and
    /// with those of collectors of their own size.
    energy: f64,
    energy_by_size: f64,
    /// With energies of this hardware's netlists, if they were asked for and there are any for its
    /// collectors.
    energy_measured: Option<f64>,
    gate_equivalents: f64,
    /// The memory bits of the cache's values, which are no cells.
    memory_bits: u64,
    /// Cells, and memory at an estimate for each bit.
    area_um2: f64,
}

/// The costs of all of it.
#[derive(Default, Serialize)]
pub struct Prices {
    pub designs: Vec<Price>,
    /// Energies of accesses of register caches, if they were measured.
    pub caches: Caches,
}

/// Energies of register caches, each with the designs that have it.
#[derive(Default, Serialize)]
pub struct Caches(Vec<(Vec<String>, RegisterCacheEnergy)>);

/// All designs with registers of so many bits, and what their runs counted.
pub fn run(arguments: &Arguments, width: usize) -> Result<(Prices, Vec<Outcome>)> {
    let config = arguments.machine.load()?;
    let inputs = match arguments.input.is_empty() && arguments.inputs.is_none() {
        true => IN_SM.iter().map(|name| Input::find(name)).collect::<Result<Vec<_>>>()?,
        false => arguments.inputs()?,
    };
    let (families, variants): (Vec<_>, Vec<_>) = variants().into_iter().unzip();
    let outcomes = jobs::run(&inputs, |_| variants.clone(), &config, arguments)?;
    let hardware = hardware(&variants, &config, width, arguments.structure.structure())?;
    let caches = match arguments.energy {
        true => Caches::measure(&variants, &config, arguments.seed)?,
        false => Caches::default(),
    };
    let rows = families.into_iter().zip(&variants).zip(hardware);
    let baseline_by_size = by_size(&Variant::plain(Design::BASELINE), &config)?;
    let prices = rows.map(|((family, variant), (cells, memory_bits))| {
        let mean = |value: &dyn Fn(&Outcome, &Outcome) -> f64| {
            let value = |outcome: &Outcome, baseline: &Outcome| Some(100.0 * value(outcome, baseline));
            Series::new(&outcomes, &variant.label, "baseline", value).average()
        };
        let energy_by_size = by_size(variant, &config)?;
        let mean_measured = || {
            let change = |outcome: &Outcome, baseline: &Outcome| {
                let of = |outcome: &Outcome| caches.energy(outcome, &config);
                Some(100.0 * (of(outcome)? / of(baseline)? - 1.0))
            };
            let series = Series::new(&outcomes, &variant.label, "baseline", change);
            (!series.values.is_empty()).then(|| series.average())
        };
        let sum = |of: fn(&Synthesis) -> f64| -> f64 {
            cells.iter().map(|(synthesis, count)| *count as f64 * of(synthesis)).sum()
        };
        Ok(Price {
            label: variant.label.clone(),
            family,
            reads_avoided: mean(&|outcome, _| {
                1.0 - outcome.counters.bank_reads as f64 / outcome.counters.operand_reads as f64
            }),
            writes_avoided: mean(&|outcome, _| {
                let (written, results) =
                    (outcome.counters.rc_lane_file_writes, outcome.counters.rc_lane_writes);
                if results == 0 {
                    0.0
                } else {
                    1.0 - written as f64 / results as f64
                }
            }),
            ipc: mean(&|outcome, baseline| outcome.ipc / baseline.ipc - 1.0),
            energy: mean(&|outcome, baseline| outcome.energy_pj.total / baseline.energy_pj.total - 1.0),
            energy_by_size: mean(&|outcome, baseline| {
                energy_by_size(&outcome.counters) / baseline_by_size(&baseline.counters) - 1.0
            }),
            energy_measured: arguments.energy.then(mean_measured).flatten(),
            gate_equivalents: sum(|synthesis| synthesis.gate_equivalents),
            memory_bits,
            area_um2: sum(|synthesis| synthesis.area_um2) + memory_bits as f64 * MEMORY_BIT_UM2,
        })
    });
    let designs = prices.collect::<Result<_>>()?;
    Ok((Prices { designs, caches }, outcomes))
}

/// Energy of a run under a design whose collectors have energies of their own size, in pJ.
fn by_size(variant: &Variant, config: &Config) -> Result<impl Fn(&Counters) -> f64> {
    let (config, design) = (config.with(&variant.settings)?, variant.design);
    let energies = EventEnergies::default().by_size(&design.parameters(&config, 0));
    Ok(move |counters: &Counters| energies.of(&design, &config, counters).total)
}

impl Caches {
    /// Each cache once, whatever designs have it.
    fn measure(variants: &[Variant], config: &Config, seed: u64) -> Result<Caches> {
        let mut distinct: BTreeMap<String, (Vec<String>, Parameters)> = BTreeMap::new();
        for variant in variants.iter().filter(|variant| variant.design.register_cache.is_some()) {
            // Registers of all lanes.
            let parameters = parameters(variant, config, Parameters::default().width)?;
            let top = hierarchy(catalogue::find(MODULE)?, &parameters)?.top;
            distinct.entry(top).or_insert((vec![], parameters)).0.push(variant.label.clone());
        }
        let options = Options { clock_gating: true, ..options(None)? };
        let bar = progress(distinct.len() as u64, "register caches");
        let distinct: Vec<_> = distinct.into_values().collect();
        let measured = distinct.into_par_iter().map(|(labels, parameters)| {
            let energy = RegisterCacheEnergy::measure(&parameters, &options, seed);
            bar.inc(1);
            Ok((labels, energy?))
        });
        let measured = measured.collect::<Result<_>>()?;
        bar.finish_and_clear();
        Ok(Caches(measured))
    }

    /// The energy of a run, in picojoules. `None` if its collectors, or its cache, were not measured.
    fn energy(&self, outcome: &Outcome, config: &Config) -> Option<f64> {
        let design = outcome.design();
        let stage = measured::of_stage(&design, config)?.of(&design, config, &outcome.counters);
        let of_cache = match design.register_cache {
            None => 0.0,
            Some(_) => {
                let (_, each) = self.0.iter().find(|(labels, _)| labels.contains(&outcome.label))?;
                each.of(&outcome.counters, SUB_CORES * config.sms)
            }
        };
        Some(stage.total - stage.register_cache + of_cache)
    }

    /// A row for each cache.
    pub fn table(&self) -> Option<Table> {
        let (_, first) = self.0.first()?;
        let events = first.events.iter().map(|(name, _)| *name);
        let header: Vec<&str> = ["register cache, pJ", "every cycle"].into_iter().chain(events).collect();
        let mut rows = table(&[&header[..], &["read of a bank", "write of a bank"]].concat());
        for (labels, energy) in &self.0 {
            let idle = [labels.join(", "), format!("{:.2}", energy.idle)];
            let events = energy.events.iter().map(|(_, each)| with_error(*each, 2));
            let banks = [energy.bank_read, energy.bank_write].map(|each| format!("{each:.2}"));
            rows.add_row(idle.into_iter().chain(events).chain(banks));
        }
        Some(rows)
    }
}

/// Designs by series of the plot.
fn variants() -> Vec<(&'static str, Variant)> {
    let mut variants = vec![("collectors", Variant::plain(Design::BASELINE))];
    for design in [Design::TRADITIONAL, Design::MALEKEH, Design::MALEKEH_PR, Design::BOW] {
        variants.push(("collectors", Variant::plain(design)));
    }
    for (family, tag_lanes) in [("cache, tags per warp", LANES), ("cache, tags per thread", 1)] {
        for configuration in Configuration::table_vi(Reach::Cache) {
            let configuration = Configuration { tag_lanes, ..configuration };
            let label = Configuration { reach: Reach::Set, ..configuration }.label();
            let settings = configuration.settings();
            variants.push((family, Variant { label, settings, ..Variant::plain(Design::REGISTER_CACHE) }));
        }
    }
    for design in [Design::RFC, Design::SOFTWARE_RFC, Design::LTRF] {
        variants.push(("caches of active warps", Variant::plain(design)));
    }
    variants
}

/// The parameters of a design's hardware, with registers of so many bits.
fn parameters(variant: &Variant, config: &Config, width: usize) -> Result<Parameters> {
    Ok(Parameters { width, ..variant.design.parameters(&config.with(&variant.settings)?, 0) })
}

/// The modules synthesized for a sub-core under a design, and bits of its memory.
fn parts(variant: &Variant, config: &Config, width: usize) -> Result<(Vec<HardwarePart>, u64)> {
    Ok(variant.design.storage(parameters(variant, config, width)?))
}

/// For each design, syntheses of its parts with their number, and bits of memory.
type Hardware = (Vec<(Synthesis, usize)>, u64);

fn hardware(
    variants: &[Variant],
    config: &Config,
    width: usize,
    structure: Structure,
) -> Result<Vec<Hardware>> {
    let parts = variants.iter().map(|variant| parts(variant, config, width)).collect::<Result<Vec<_>>>()?;
    let verilog = |part: &HardwarePart| {
        hierarchy(catalogue::find(part.module).expect("in the catalogue"), &part.parameters)
    };
    let tops = parts.iter().map(|(parts, _)| parts.iter().map(verilog).collect::<Result<Vec<_>>>());
    let tops = tops.collect::<Result<Vec<_>>>()?;
    let mut distinct: Vec<Synthesized> = vec![];
    for (hierarchy, part) in tops.iter().flatten().zip(parts.iter().flat_map(|(parts, _)| parts)) {
        if distinct.iter().all(|other| other.hierarchy.top != hierarchy.top) {
            // SAT sweeping takes very long on tables that compare all of their entries with every source.
            let sat_sweeping = part.module != "tag_array";
            let hierarchy = hierarchy.clone();
            distinct.push(Synthesized { hierarchy, memories: vec![], sat_sweeping, structure });
        }
    }
    let results = synthesize(&distinct, &options(None)?)?;
    let found = |hierarchy: &Hierarchy| {
        results.iter().find(|result| result.top == hierarchy.top).expect("it was synthesized").clone()
    };
    let hardware = tops.iter().zip(&parts).map(|(tops, (parts, memory_bits))| {
        (tops.iter().map(found).zip(parts.iter().map(|part| part.count)).collect(), *memory_bits)
    });
    Ok(hardware.collect())
}

/// A row per design.
pub fn table_of(prices: &[Price], width: usize) -> Table {
    let mut lines = table(&[
        "design",
        "reads avoided, %",
        "writes avoided, %",
        "IPC, %",
        "energy, %",
        "energy, %,\nby size",
        "energy, %,\nmeasured",
        &format!("{width} bits: GE"),
        "memory bits",
        "area, µm²",
    ]);
    lines.column_mut(0).expect("the design").set_cell_alignment(CellAlignment::Left);
    for price in prices {
        lines.add_row([
            price.label.clone(),
            percent(price.reads_avoided),
            percent(price.writes_avoided),
            percent(price.ipc),
            percent(price.energy),
            percent(price.energy_by_size),
            price.energy_measured.map_or("–".into(), percent),
            format!("{:.0}", price.gate_equivalents),
            price.memory_bits.to_string(),
            format!("{:.0}", price.area_um2),
        ]);
    }
    lines
}

/// Reads of the register file that are avoided over the area, a point per design.
pub fn plot(prices: &[Price]) -> Plot {
    let groups = prices.chunk_by(|one, next| one.family == next.family).map(|prices| PointGroup {
        name: prices[0].family.into(),
        points: prices.iter().map(Price::point).collect(),
    });
    let axes = ["area of a sub-core's collectors and cache, 1,000 µm²", "reads avoided, %"];
    Plot::scatter("reads_over_area", "Register-file reads avoided, %", axes, groups.collect())
}

impl Price {
    fn point(&self) -> Point {
        let name = self.label.replace(" tags per warp", "");
        Point { name, x: self.area_um2 / 1000.0, y: self.reads_avoided }
    }
}
