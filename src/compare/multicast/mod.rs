//! The evaluation of inter-warp multicasting: traffic of every tile, performance of the layers of two
//! networks, and what the load request table needs. I §5.2.

mod claims;
mod layers;
mod plots;
mod tables;

use std::path::PathBuf;

use anyhow::{bail, ensure, Result};
use gpurf_sim::sm::Design;

use super::finding::Finding;
use super::jobs::{self, Outcome, Variant};
use super::study::Study;
use super::Arguments;
use crate::input::Input;
use crate::Verdict;
use layers::Layer;

/// The compared designs, the one that the others are compared with first.
const DESIGNS: [Design; 4] = [Design::BASELINE, Design::DARSIE, Design::IWMA, Design::IWMA_DARSIE];

/// Constants that differ: how often a fragment is loaded.
const TURING: &str = "mlds.transfers=1";
const VOLTA: &str = "mlds.transfers=2";

/// Sizes of the load request table that are tried.
const ENTRIES: [usize; 6] = [16, 32, 64, 96, 128, 192];

/// Outcomes of the parts of the study.
#[derive(serde::Serialize)]
struct Results {
    tiles: Vec<Outcome>,
    layers: Vec<Outcome>,
    /// With `--ablations`: tables of several sizes, both searches.
    tables: Vec<Outcome>,
}

impl Results {
    fn all(&self) -> impl Iterator<Item = &Outcome> {
        self.tiles.iter().chain(&self.layers).chain(&self.tables)
    }
}

/// What the paper reports.
pub fn claimed() -> Vec<Finding> {
    let nothing = Results { tiles: vec![], layers: vec![], tables: vec![] };
    tables::findings(&nothing, &layers::all())
}

/// Runs the products and prints the tables.
pub fn run(mut arguments: Arguments) -> Result<Verdict> {
    ensure!(
        arguments.designs.is_empty() && !arguments.sthld && arguments.csv.is_none(),
        "--study multicast: --designs, --sthld and --csv belong to another study; leave them out",
    );
    arguments.machine.config.get_or_insert_with(|| PathBuf::from("multicast-next"));
    let config = arguments.machine.load()?;
    let tiles = chosen(&arguments.input, layers::tiles(), Input::name);
    let layers = chosen(&arguments.input, layers::all(), |layer: &Layer| layer.name.as_str());
    if tiles.is_empty() && layers.is_empty() {
        bail!(
            "{}: neither tiles nor layers; there are {}",
            arguments.input.join(" "),
            layers::tiles().iter().map(Input::name).map(String::from).collect::<Vec<_>>().join(", ")
                + ", "
                + &layers::all().into_iter().map(|layer| layer.name).collect::<Vec<_>>().join(", "),
        );
    }
    let inputs: Vec<_> = layers.iter().map(Layer::input).collect();
    let results = Results {
        tiles: jobs::run(&tiles, &[on(TURING), on(VOLTA)].concat(), &config, &arguments)?,
        layers: jobs::run(&inputs, &on(VOLTA), &config, &arguments)?,
        tables: match arguments.ablations {
            true => jobs::run(&tiles, &table_variants(), &config, &arguments)?,
            false => vec![],
        },
    };
    arguments.json.write(&results)?;
    if arguments.json.leaves_tables() {
        tables::print(&results, &layers, &config);
    }
    if let Some(folder) = &arguments.out {
        let names = tiles.iter().chain(&inputs).map(|input| input.name().to_string()).collect();
        let findings = tables::findings(&results, &layers);
        Study::new("multicast", names, findings, plots::all(&results)).save(folder)?;
    }
    Ok(jobs::verdict(results.all()))
}

/// Those that are named, all if nothing is.
fn chosen<T>(names: &[String], all: Vec<T>, name: impl Fn(&T) -> &str) -> Vec<T> {
    let is_chosen = |one: &T| names.is_empty() || names.iter().any(|chosen| chosen == name(one));
    all.into_iter().filter(is_chosen).collect()
}

/// All designs where a fragment is loaded so often.
fn on(generation: &str) -> Vec<Variant> {
    DESIGNS.map(|design| variant(design, &[generation])).to_vec()
}

/// Tables of several sizes, searched in both ways, against no multicasting.
fn table_variants() -> Vec<Variant> {
    let tables = ["cam", "scan"].into_iter().flat_map(|search| {
        ENTRIES.map(|entries| {
            let settings = [format!("lrt_entries={entries}"), format!("search={search}")];
            variant(Design::IWMA, &[VOLTA, &settings[0], &settings[1]])
        })
    });
    std::iter::once(variant(Design::BASELINE, &[VOLTA])).chain(tables).collect()
}

/// A design against the baseline of the same generation. Intervals are short, to see the table fill.
fn variant(design: Design, settings: &[&str]) -> Variant {
    let mut variant = Variant::set(design, settings);
    variant.reference = format!("{} {}", Design::BASELINE.name(), settings[0]);
    variant.settings.push("interval=500".into());
    variant
}

/// A run and the one it is compared with.
fn against_reference<'a>(
    outcomes: &'a [Outcome],
    outcome: &Outcome,
    generation: &str,
) -> Option<&'a Outcome> {
    let label = format!("{} {generation}", Design::BASELINE.name());
    outcomes.iter().find(|other| other.workload == outcome.workload && other.label == label)
}

/// Transfers between register files and L1 or shared memory.
fn traffic(outcome: &Outcome) -> u64 {
    let counters = &outcome.counters;
    counters.shared_loads + counters.shared_stores + counters.global_loads + counters.global_stores
}

fn traffic_bytes(outcome: &Outcome) -> u64 {
    let counters = &outcome.counters;
    counters.shared_load_bytes
        + counters.shared_store_bytes
        + counters.global_load_bytes
        + counters.global_store_bytes
}

/// Change over the reference, %.
fn change(value: f64, reference: f64) -> f64 {
    100.0 * (value / reference - 1.0)
}

/// Change of the traffic, %.
fn traffic_change(outcome: &Outcome, reference: &Outcome) -> f64 {
    change(traffic(outcome) as f64, traffic(reference) as f64)
}

/// Change of the instructions per cycle, %.
fn performance_change(outcome: &Outcome, reference: &Outcome) -> f64 {
    change(outcome.ipc, reference.ipc)
}
