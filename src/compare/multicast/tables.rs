//! Results for people.

use gpurf_sim::config::Config;
use gpurf_sim::gemm_traffic::Tiling;
use gpurf_sim::sm::Design;
use gpurf_workloads::suite::hgemm::{Tile, TILES};

use super::claims::{self, Claim, Quantity};
use super::layers::{ideal_cycles, tile_name, Layer, Model};
use super::{
    against_reference, performance_change, traffic_bytes, traffic_change, Results, DESIGNS, ENTRIES, TURING,
    VOLTA,
};
use crate::compare::finding::{findings_table, Finding, Here};
use crate::compare::jobs::Outcome;
use crate::compare::series::percent;
use crate::output::table;

/// The clock that bandwidths are given for, GHz. I table 2.
const CLOCK: f64 = 1.13;

pub fn print(results: &Results, layers: &[Layer], config: &Config) {
    if !results.tiles.is_empty() {
        for (generation, fragment_loads) in [(TURING, 1), (VOLTA, 2)] {
            print_traffic(&results.tiles, generation, fragment_loads);
        }
        print_occupancy(&results.tiles);
    }
    if !layers.is_empty() {
        print_layers(&results.layers, layers, config);
    }
    if !results.tables.is_empty() {
        print_tables(&results.tables);
    }
    println!("What the paper reports\n{}\n", findings_table(&findings(results, layers)));
}

fn find<'a>(outcomes: &'a [Outcome], workload: &str, label: &str) -> Option<&'a Outcome> {
    outcomes.iter().find(|outcome| outcome.workload == workload && outcome.label == label)
}

fn tiling(tile: &Tile) -> Tiling {
    let Tile { block_m, block_n, block_k, warp_m, warp_n, .. } = *tile;
    Tiling { block_m, block_n, block_k, warp_m, warp_n }
}

/// Change of the traffic of a main loop under a design, as derived.
fn derived(tile: &Tile, fragment_loads: u64, sharing: gpurf_sim::sm::SharedLoads) -> f64 {
    let tiling = tiling(tile);
    let apart = tiling.step(fragment_loads, DESIGNS[0].shared_loads()).sum();
    super::change(tiling.step(fragment_loads, sharing).sum() as f64, apart as f64)
}

fn print_traffic(outcomes: &[Outcome], generation: &str, fragment_loads: u64) {
    let name = if fragment_loads == 1 { "once, as on Turing" } else { "twice, as on Volta (I §2.4)" };
    println!(
        "Transfers between register files and L1 or shared memory, each fragment loaded {name}: baseline by kind, \
         change under the designs in %, in brackets as derived for the main loop (I Fig. 13)"
    );
    let designs: Vec<String> = DESIGNS[1..].iter().map(Design::name).collect();
    let kinds = ["tile", "shared loads", "shared stores", "global loads", "global stores"];
    let mut rows = table(&kinds.into_iter().chain(designs.iter().map(String::as_str)).collect::<Vec<_>>());
    for tile in TILES {
        let workload = tile_name(tile);
        let label = |design: &str| format!("{design} {generation}");
        let Some(baseline) = find(outcomes, &workload, &label(&DESIGNS[0].name())) else { continue };
        let counters = &baseline.counters;
        let kinds =
            [counters.shared_loads, counters.shared_stores, counters.global_loads, counters.global_stores];
        let mut row = vec![workload.clone()];
        row.extend(kinds.map(|count| count.to_string()));
        row.extend(DESIGNS[1..].iter().map(|design| {
            let found = find(outcomes, &workload, &label(&design.name()));
            let found = found.map_or(f64::NAN, |outcome| traffic_change(outcome, baseline));
            format!("{} ({})", percent(found), percent(derived(tile, fragment_loads, design.shared_loads())))
        }));
        rows.add_row(row);
    }
    println!("{rows}\n");
}

/// Most entries of the load request table in use.
fn peak(outcome: &Outcome) -> u32 {
    outcome.intervals.iter().map(|interval| interval.lrt_peak).max().unwrap_or(0)
}

fn print_occupancy(outcomes: &[Outcome]) {
    println!("Load request table under iwma: entries in use (I §3.3, §5.2.3), how loads left it");
    let mut rows = table(&[
        "tile",
        "fragments loaded",
        "loads between barriers",
        "most entries",
        "average",
        "requests",
        "in pairs %",
        "found it full %",
        "too old %",
    ]);
    for tile in TILES {
        for (generation, times) in [(TURING, 1), (VOLTA, 2)] {
            let Some(outcome) = find(outcomes, &tile_name(tile), &format!("iwma {generation}")) else {
                continue;
            };
            let counters = &outcome.counters;
            let share = |count: u64| percent(100.0 * count as f64 / counters.multicast_requests as f64);
            rows.add_row([
                tile_name(tile),
                if times == 1 { "once" } else { "twice" }.into(),
                tiling(tile).loads_between_barriers(times).to_string(),
                peak(outcome).to_string(),
                percent(counters.lrt_entry_cycles as f64 / counters.cycles as f64),
                counters.multicast_requests.to_string(),
                share(2 * counters.multicasts),
                share(counters.lrt_rejections),
                share(counters.lrt_aged),
            ]);
        }
    }
    println!("{rows}\n");
}

fn print_layers(outcomes: &[Outcome], layers: &[Layer], config: &Config) {
    println!(
        "Layers on one SM, each fragment loaded twice (I Fig. 12): bandwidth that they would need to keep the \
         tensor cores busy, memory-I/O unit busy, change of the instructions per cycle"
    );
    let mut rows = table(&[
        "layer",
        "m x n x k",
        "tile",
        "needed GB/s",
        "iwma",
        "IPC",
        "I/O busy %",
        "tensor %",
        "iwma: IPC %",
        "darsie",
        "iwma-darsie",
    ]);
    for layer in layers {
        let of = |design: &str| find(outcomes, &layer.name, &format!("{design} {VOLTA}"));
        let Some(baseline) = of("baseline") else { continue };
        let shape = layer.shape();
        let ideal = ideal_cycles(layer.tile(), shape, config.tensor.initiation);
        let needed = |outcome: &Outcome| percent(CLOCK * traffic_bytes(outcome) as f64 / ideal as f64);
        let cycles = baseline.counters.cycles as f64;
        let change = |design| {
            of(design).map_or(String::new(), |outcome| percent(performance_change(outcome, baseline)))
        };
        rows.add_row([
            layer.name.clone(),
            shape.map(|size| size.to_string()).join(" x "),
            tile_name(layer.tile()),
            needed(baseline),
            of("iwma").map_or(String::new(), needed),
            format!("{:.3}", baseline.ipc),
            percent(100.0 * baseline.counters.io_cycles as f64 / cycles),
            percent(100.0 * ideal as f64 / cycles),
            change("iwma"),
            change("darsie"),
            change("iwma-darsie"),
        ]);
    }
    println!("{rows}\n");
}

fn print_tables(outcomes: &[Outcome]) {
    println!("iwma with smaller tables, each fragment loaded twice: change of traffic and of IPC, %");
    let mut header = vec!["tile".to_string(), "search".into()];
    header.extend(ENTRIES.map(|entries| entries.to_string()));
    let mut rows = table(&header.iter().map(String::as_str).collect::<Vec<_>>());
    for tile in TILES {
        for search in ["cam", "scan"] {
            let mut row = vec![tile_name(tile), search.into()];
            row.extend(ENTRIES.map(|entries| {
                let label = format!("iwma {VOLTA} lrt_entries={entries} search={search}");
                let found = find(outcomes, &tile_name(tile), &label);
                let pair = found.and_then(|found| Some((found, against_reference(outcomes, found, VOLTA)?)));
                pair.map_or(String::new(), |(found, reference)| {
                    let (traffic, performance) =
                        (traffic_change(found, reference), performance_change(found, reference));
                    format!("{} {}", percent(traffic), percent(performance))
                })
            }));
            if row.iter().skip(2).any(|cell| !cell.is_empty()) {
                rows.add_row(row);
            }
        }
    }
    println!("{rows}\n");
}

/// What the paper reports, beside what was measured with fragments loaded twice, and once.
pub fn findings(results: &Results, layers: &[Layer]) -> Vec<Finding> {
    let names = |model: Option<Model>| {
        let of_model =
            layers.iter().filter(move |layer: &&Layer| model.is_none_or(|model| layer.model == model));
        of_model.map(|layer| layer.name.clone()).collect::<Vec<_>>()
    };
    let tiles: Vec<_> = TILES.iter().map(tile_name).collect();
    let finding = |quantity: Quantity, claim: Claim| {
        let (outcomes, workloads) = match (quantity, claim.of.as_deref()) {
            (Quantity::Performance, None) => (&results.layers, names(None)),
            (Quantity::Performance, Some("resnet")) => (&results.layers, names(Some(Model::ResNet152))),
            (Quantity::Performance, Some(_)) => (&results.layers, names(Some(Model::BertLarge))),
            (_, None) => (&results.tiles, tiles.clone()),
            (_, Some(tile)) => (&results.tiles, vec![tile.to_string()]),
        };
        let here = |condition: &str, generation: &str| {
            let values = workloads.iter().filter_map(|workload| {
                let outcome = find(outcomes, workload, &format!("{} {generation}", claim.design))?;
                let reference = against_reference(outcomes, outcome, generation)?;
                Some(value(quantity, outcome, reference, generation))
            });
            let values: Vec<f64> = values.collect();
            let value = (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64);
            Here { condition: condition.into(), value }
        };
        let of = claim.of.as_deref().unwrap_or("average");
        Finding {
            paper: "I".into(),
            section: claim.section.clone(),
            what: format!("{}, {}, {of}", claim.design, what(quantity)),
            claimed: claim.claimed,
            is_change: matches!(quantity, Quantity::Traffic | Quantity::Performance),
            here: vec![here("here", VOLTA), here("here, fragments loaded once", TURING)],
        }
    };
    let quantities = [Quantity::Traffic, Quantity::Performance, Quantity::Entries, Quantity::Loads];
    let claims = quantities
        .into_iter()
        .flat_map(|quantity| claims::of(quantity).into_iter().map(move |claim| (quantity, claim)));
    claims.map(|(quantity, claim)| finding(quantity, claim)).collect()
}

fn what(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::Traffic => "traffic, change in %",
        Quantity::Performance => "IPC, change in %",
        Quantity::Entries => "entries needed",
        Quantity::Loads => "loads between barriers",
    }
}

fn value(quantity: Quantity, outcome: &Outcome, reference: &Outcome, generation: &str) -> f64 {
    let times = if generation == VOLTA { 2 } else { 1 };
    match quantity {
        Quantity::Traffic => traffic_change(outcome, reference),
        Quantity::Performance => performance_change(outcome, reference),
        Quantity::Entries => peak(outcome).into(),
        Quantity::Loads => TILES
            .iter()
            .find(|tile| tile_name(tile) == outcome.workload)
            .map_or(f64::NAN, |tile| tiling(tile).loads_between_barriers(times) as f64),
    }
}
