//! How long a collector is held: what a faster operand stage brings in instructions per cycle, and what it costs in
//! area and path. F §II gives no hold time, and says that 8 OCUs instead of 2 gain 7.1% (F §I).

mod plot;
mod tables;

use anyhow::{ensure, Result};
use gpurf_blocks::Parameters;
use gpurf_hw::catalogue;
use gpurf_sim::sm::Design;
use gpurf_synth::Synthesis;
use serde::Serialize;

use super::jobs::{self, Outcome, Variant};
use super::series::Series;
use super::Arguments;
use crate::output::write;
use crate::synth::{options, synthesize};
use crate::verilog::hierarchy;
use crate::Verdict;

/// An operand stage, the slower ones first. `hold`: cycles for which an instruction with one missing source holds its
/// collector, if nothing is in its way.
#[derive(Serialize)]
struct Step {
    name: &'static str,
    settings: [&'static str; 3],
    hold: u32,
}

const STEPS: [Step; 4] = [
    Step {
        name: "all wait",
        settings: ["grant_at_issue=false", "issue_on_dispatch=false", "dispatch_on_arrival=false"],
        hold: 4,
    },
    Step {
        name: "grant at issue",
        settings: ["grant_at_issue=true", "issue_on_dispatch=false", "dispatch_on_arrival=false"],
        hold: 3,
    },
    Step {
        name: "issue on dispatch",
        settings: ["grant_at_issue=true", "issue_on_dispatch=true", "dispatch_on_arrival=false"],
        hold: 2,
    },
    Step {
        name: "dispatch on arrival",
        settings: ["grant_at_issue=true", "issue_on_dispatch=true", "dispatch_on_arrival=true"],
        hold: 1,
    },
];

/// F's point of calibration: so many collectors.
const MANY: &str = "collectors=8";

/// Designs, each with the stage that it is made of.
const DESIGNS: [(Design, &str); 3] =
    [(Design::BASELINE, "ocu_stage"), (Design::MALEKEH, "ccu_stage"), (Design::BOW, "boc_stage")];

impl Step {
    fn variant(&self, design: Design, more: &[&str]) -> Variant {
        Variant::set(design, &[&self.settings[..], more].concat())
    }

    /// Change of the instructions per cycle over another variant, in percent, workload by workload.
    fn gain(&self, outcomes: &[Outcome], variant: &Variant, reference: &Variant) -> Series {
        Series::new(outcomes, &variant.label, &reference.label, |outcome, reference| {
            Some(100.0 * (outcome.ipc / reference.ipc - 1.0))
        })
    }
}

/// What a step brings, as means over the workloads, and costs.
#[derive(Serialize)]
struct Row {
    #[serde(flatten)]
    step: &'static Step,
    designs: Vec<Gain>,
    /// Gain of 8 OCUs over 2, in percent.
    eight_ocus: f64,
    /// Of the stages, in the order of the designs.
    hardware: Vec<Synthesis>,
}

/// A design under a step.
#[derive(Serialize)]
struct Gain {
    design: &'static str,
    /// Change of the instructions per cycle over the baseline with the slowest stage, in percent.
    over_slowest: f64,
    /// The same over the baseline with the same stage.
    over_baseline: f64,
    /// In percent.
    hit_ratio: f64,
}

impl Row {
    fn new(step: &'static Step, outcomes: &[Outcome], hardware: Vec<Synthesis>) -> Row {
        let baseline = step.variant(Design::BASELINE, &[]);
        let slowest = STEPS[0].variant(Design::BASELINE, &[]);
        let gain = |(design, _): (Design, &str)| {
            let variant = step.variant(design, &[]);
            let hit_ratio = |outcome: &Outcome, _: &Outcome| Some(100.0 * outcome.hit_ratio);
            Gain {
                design: design.name,
                over_slowest: step.gain(outcomes, &variant, &slowest).average(),
                over_baseline: step.gain(outcomes, &variant, &baseline).average(),
                hit_ratio: Series::new(outcomes, &variant.label, &baseline.label, hit_ratio).average(),
            }
        };
        let many = step.variant(Design::BASELINE, &[MANY]);
        Row {
            step,
            designs: DESIGNS.map(gain).into(),
            eight_ocus: step.gain(outcomes, &many, &baseline).average(),
            hardware,
        }
    }
}

#[derive(Serialize)]
struct Results<'a> {
    rows: &'a [Row],
    outcomes: &'a [Outcome],
}

pub fn run(arguments: &Arguments) -> Result<Verdict> {
    ensure!(
        arguments.designs.is_empty() && !arguments.sthld && !arguments.ablations && arguments.csv.is_none(),
        "--study operand-stage: --designs, --sthld, --ablations and --csv belong to another study; leave them out",
    );
    let config = arguments.machine.load()?;
    let inputs = arguments.inputs()?;
    let of_step = |step: &'static Step| {
        let designs = DESIGNS.into_iter().map(|(design, _)| step.variant(design, &[]));
        designs.chain([step.variant(Design::BASELINE, &[MANY])])
    };
    let variants: Vec<Variant> = STEPS.iter().flat_map(of_step).collect();
    let outcomes = jobs::run(&inputs, &variants, &config, arguments)?;
    let mut hardware = match arguments.area {
        Some(width) => hardware(&config.hardware, width)?,
        None => STEPS.iter().map(|_| vec![]).collect(),
    };
    let rows: Vec<Row> = STEPS
        .iter()
        .zip(hardware.drain(..))
        .map(|(step, hardware)| Row::new(step, &outcomes, hardware))
        .collect();

    arguments.json.write(&Results { rows: &rows, outcomes: &outcomes })?;
    if arguments.json.leaves_tables() {
        tables::print(&rows, inputs.len(), arguments.area);
    }
    if let Some(folder) = &arguments.out {
        write(&folder.join("operand_stage.svg"), plot::over_hold_time(&rows)?.as_bytes())?;
        println!("Plot and results: {}", folder.display());
    }
    Ok(jobs::verdict(&outcomes))
}

/// The stages of every step.
fn hardware(parameters: &Parameters, width: usize) -> Result<Vec<Vec<Synthesis>>> {
    let mut designs = vec![];
    for step in &STEPS {
        for (_, module) in DESIGNS {
            let mut parameters = *parameters;
            parameters.set("width", &width.to_string())?;
            for setting in step.settings {
                let (name, value) = setting.split_once('=').expect("a setting");
                parameters.set(name, value)?;
            }
            let entry = catalogue::find(module).expect("a stage of the catalogue");
            designs.push((hierarchy(entry, &parameters)?, true));
        }
    }
    let mut results = synthesize(&designs, &options(None)?)?.into_iter();
    Ok(STEPS.iter().map(|_| results.by_ref().take(DESIGNS.len()).collect()).collect())
}
