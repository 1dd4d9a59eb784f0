//! How long a collector is held: what a faster operand stage brings in instructions per cycle, and what it costs in
//! area and path. F §II gives no hold time, and says that 8 OCUs instead of 2 gain 7.1% (F §I).

mod plot;
mod tables;

use std::array::from_fn;

use anyhow::{ensure, Result};
use gpurf_hw::catalogue;
use gpurf_sim::config::Config;
use gpurf_sim::sm::Design;
use gpurf_synth::Synthesis;
use serde::Serialize;

use super::finding::{Finding, Here};
use super::jobs::{self, Outcome, Variant};
use super::series::Series;
use super::study::Study;
use super::Arguments;
use crate::synth::{options, synthesize};
use crate::verilog::hierarchy;
use crate::Verdict;

/// What makes an operand stage faster by a cycle each: parameter, and what the stage is called that has it and those
/// before it.
const SWITCHES: [(&str, &str); 3] = [
    ("grant_at_issue", "grant at issue"),
    ("issue_on_dispatch", "issue on dispatch"),
    ("dispatch_on_arrival", "dispatch on arrival"),
];

/// An operand stage. `hold`: cycles for which an instruction with one missing source holds its collector, if nothing is
/// in its way.
#[derive(Serialize)]
struct Step {
    name: &'static str,
    settings: [String; SWITCHES.len()],
    hold: usize,
}

/// F's point of calibration: so many collectors, and the gain in percent.
const MANY: &str = "collectors=8";
const CLAIMED_GAIN: f64 = 7.1;

/// Designs, each with the stage that it is made of.
const DESIGNS: [(Design, &str); 3] =
    [(Design::BASELINE, "ocu_stage"), (Design::MALEKEH, "ccu_stage"), (Design::BOW, "boc_stage")];

impl Step {
    /// The slowest one first.
    fn all() -> Vec<Step> {
        let names = ["all wait"].into_iter().chain(SWITCHES.map(|(_, name)| name));
        let step = |(fast, name)| Step {
            name,
            settings: from_fn(|place| format!("{}={}", SWITCHES[place].0, place < fast)),
            hold: SWITCHES.len() + 1 - fast,
        };
        names.enumerate().map(step).collect()
    }

    fn variant(&self, design: Design, more: &[&str]) -> Variant {
        let settings = self.settings.iter().map(String::as_str).chain(more.iter().copied());
        Variant::set(design, &settings.collect::<Vec<_>>())
    }

    fn baseline(&self) -> Variant {
        self.variant(Design::BASELINE, &[])
    }
}

/// Change of the instructions per cycle over another variant, in percent, as mean over the workloads.
fn gain(outcomes: &[Outcome], variant: &Variant, reference: &Variant) -> f64 {
    let change = |outcome: &Outcome, reference: &Outcome| Some(100.0 * (outcome.ipc / reference.ipc - 1.0));
    Series::new(outcomes, &variant.label, &reference.label, change).average()
}

/// What a step brings, as means over the workloads, and costs.
#[derive(Serialize)]
struct Row {
    #[serde(flatten)]
    step: Step,
    designs: Vec<Gain>,
    /// Gain of 8 OCUs over 2, in percent.
    eight_ocus: f64,
    /// Of the stages, in the order of the designs.
    hardware: Vec<Synthesis>,
}

/// A design under a step.
#[derive(Serialize)]
struct Gain {
    design: String,
    /// Change of the instructions per cycle over the baseline with the slowest stage, in percent.
    over_slowest: f64,
    /// The same over the baseline with the same stage.
    over_baseline: f64,
    /// In percent.
    hit_ratio: f64,
}

impl Row {
    fn new(step: Step, slowest: &Variant, outcomes: &[Outcome], hardware: Vec<Synthesis>) -> Row {
        let baseline = step.baseline();
        let gains = |(design, _): (Design, &str)| {
            let variant = step.variant(design, &[]);
            let hit_ratio = |outcome: &Outcome, _: &Outcome| Some(100.0 * outcome.hit_ratio);
            Gain {
                design: design.name(),
                over_slowest: gain(outcomes, &variant, slowest),
                over_baseline: gain(outcomes, &variant, &baseline),
                hit_ratio: Series::new(outcomes, &variant.label, &baseline.label, hit_ratio).average(),
            }
        };
        let many = step.variant(Design::BASELINE, &[MANY]);
        let eight_ocus = gain(outcomes, &many, &baseline);
        let designs = DESIGNS.map(gains).into();
        Row { step, designs, eight_ocus, hardware }
    }
}

#[derive(Serialize)]
struct Results<'a> {
    rows: &'a [Row],
    outcomes: &'a [Outcome],
}

/// What the paper reports.
pub fn claimed() -> Vec<Finding> {
    findings(&[], &Config::default())
}

pub fn run(arguments: &Arguments) -> Result<Verdict> {
    ensure!(
        arguments.designs.is_empty() && !arguments.sthld && !arguments.ablations && arguments.csv.is_none(),
        "--study operand-stage: --designs, --sthld, --ablations and --csv belong to another study; leave them out",
    );
    let config = arguments.machine.load()?;
    let inputs = arguments.inputs()?;
    let steps = Step::all();
    let of_step = |step: &Step| {
        let designs = DESIGNS.into_iter().map(|(design, _)| step.variant(design, &[]));
        designs.chain([step.variant(Design::BASELINE, &[MANY])]).collect::<Vec<_>>()
    };
    let variants: Vec<Variant> = steps.iter().flat_map(of_step).collect();
    let outcomes = jobs::run(&inputs, &variants, &config, arguments)?;
    let hardware = match arguments.area {
        Some(width) => hardware(&steps, &config, width)?,
        None => steps.iter().map(|_| vec![]).collect(),
    };
    let slowest = steps[0].baseline();
    let row = |(step, hardware)| Row::new(step, &slowest, &outcomes, hardware);
    let rows: Vec<Row> = steps.into_iter().zip(hardware).map(row).collect();

    arguments.json.write(&Results { rows: &rows, outcomes: &outcomes })?;
    if arguments.json.leaves_tables() {
        tables::print(&rows, inputs.len(), arguments.area);
    }
    if let Some(folder) = &arguments.out {
        let names = inputs.iter().map(|input| input.name().to_string()).collect();
        Study::new("operand-stage", names, findings(&rows, &config), plot::all(&rows)).save(folder)?;
    }
    Ok(jobs::verdict(&outcomes))
}

/// F's point of calibration under every step, that of the machine itself first.
fn findings(rows: &[Row], config: &Config) -> Vec<Finding> {
    let is_other =
        |row: &Row| !config.with(&row.step.settings).is_ok_and(|with| with.hardware == config.hardware);
    let mut rows: Vec<&Row> = rows.iter().collect();
    rows.sort_by_key(|row| is_other(row));
    let here = rows.iter().map(|row| Here { condition: row.step.name.into(), value: Some(row.eight_ocus) });
    let finding = Finding {
        paper: "F".into(),
        section: "§I".into(),
        what: "baseline, IPC with 8 OCUs in place of 2, change in %".into(),
        claimed: CLAIMED_GAIN,
        is_change: true,
        here: here.collect(),
    };
    vec![finding]
}

/// The stages of every step.
fn hardware(steps: &[Step], config: &Config, width: usize) -> Result<Vec<Vec<Synthesis>>> {
    let mut designs = vec![];
    for step in steps {
        let mut parameters = config.with(&step.settings)?.hardware;
        parameters.set("width", &width.to_string())?;
        for (_, module) in DESIGNS {
            let entry = catalogue::find(module).expect("a stage of the catalogue");
            designs.push((hierarchy(entry, &parameters)?, true));
        }
    }
    let mut results = synthesize(&designs, &options(None)?)?.into_iter();
    Ok(steps.iter().map(|_| results.by_ref().take(DESIGNS.len()).collect()).collect())
}
