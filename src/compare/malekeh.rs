//! What Malekeh's study shows beside its file: how the energy depends on estimates, and the STHLD controller on a curve.

use comfy_table::Table;
use gpurf_blocks::Parameters;
use gpurf_sim::energy::Energies;
use gpurf_sim::issue::{Curve, SthldController, Walk, WalkStep};
use gpurf_sim::sm::Design;

use super::evaluation::Evaluation;
use super::plot::{Line, Plot};
use super::series::{percent, Series};
use crate::output::table;

/// How the energy saved by Malekeh depends on the estimates.
pub fn sensitivity(evaluation: &Evaluation) -> Option<Table> {
    let (malekeh, baseline) = (Design::MALEKEH.name(), &evaluation.designs[0]);
    let config = &evaluation.config;
    let mut rows = table(&["part", "x 0.5", "x 1", "x 2"]);
    let mut any = false;
    for part in ["banks", "crossbar", "collectors", "cache over collector", "tags", "arbitration"] {
        let at = [0.5, 1.0, 2.0].map(|factor| {
            let energies = Energies::default().scaled(part, factor).expect("a part that there is");
            Series::new(&evaluation.outcomes, &malekeh, &baseline.label, |run, reference| {
                let with = energies.of(&Design::MALEKEH, config, &run.counters).total;
                let without = energies.of(&baseline.design, config, &reference.counters).total;
                Some(100.0 * (with / without - 1.0))
            })
        });
        any |= !at[0].values.is_empty();
        let [half, one, two] = at.map(|series| percent(series.average()));
        rows.add_row([part.to_string(), half, one, two]);
    }
    any.then_some(rows)
}

/// STHLD on a synthetic curve of IPC whose knee lies at 10, moves to 5 and to 20, with its level. F Fig. 9.
pub fn curves() -> Plot {
    const INTERVAL: usize = 1000;
    const PHASE: usize = 60;
    let curve = |level, knee| (Curve { level, knee, slope: 0.05 }, PHASE);
    let mut controller = SthldController::new(&Parameters { interval: INTERVAL, ..Parameters::default() });
    let phases = [curve(2.0, 10), curve(1.9, 5), curve(2.0, 20)];
    let walk = Walk::new(&mut controller, INTERVAL, &phases, 0.005, 1);
    let points = |of: fn(&WalkStep) -> u32| {
        let steps = walk.steps.iter().enumerate();
        steps.flat_map(move |(at, step)| [at, at + 1].map(|x| (x as f64, f64::from(of(step)))))
    };
    let lines = vec![
        Line::new("STHLD", points(|step| step.sthld)).bold(),
        Line::new("knee of the curve", points(|step| step.knee)),
    ];
    let title = "STHLD on a synthetic curve, 0.5% noise, 5% steps of level (reconstructed state table)";
    Plot::lines("sthld_curves", title, ["interval", "STHLD"], lines)
}
