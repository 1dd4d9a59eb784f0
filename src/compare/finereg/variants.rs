//! What is run: each design, those that R tunes by application with several settings, and more on request.

use gpurf_sim::config::Config;
use gpurf_sim::sm::Design;

use crate::compare::jobs::{Outcome, Variant};

/// Settings among which the best for each workload counts: R §VI-A.
const DRAM_CTAS: [usize; 3] = [2, 8, 32];
const SHARES: [[usize; 2]; 3] = [[15, 80], [25, 65], [40, 50]];

/// The runs whose best counts as the design's.
pub fn of(design: Design) -> Vec<Variant> {
    match design.name().as_str() {
        "baseline" => vec![Variant { observe: true, ..Variant::plain(design) }],
        "reg-dram" => DRAM_CTAS
            .iter()
            .map(|ctas| Variant::set(design, &[&format!("finereg.dram_ctas={ctas}")]))
            .collect(),
        "vt-regmutex" => {
            let set = |[srp, brs]: &[usize; 2]| {
                Variant::set(design, &[&format!("finereg.srp={srp}"), &format!("finereg.brs={brs}")])
            };
            SHARES.iter().map(set).collect()
        }
        _ => vec![Variant::plain(design)],
    }
}

/// FineReg with other shares of ACRF and PCRF (R Fig. 17), and with each decision where R is silent the other way.
pub fn ablations(config: &Config) -> Vec<Variant> {
    let registers = config.sm.registers / 32;
    let shares = [2, 3, 5, 6].map(|eighths| format!("pcrf_entries={}", registers * eighths / 8 / 32 * 32));
    let others: [&[&str]; 7] = [
        &["finereg.prefer=ready"],
        &["finereg.ready=all"],
        &["finereg.context_cycles=0"],
        &["finereg.context_cycles=8"],
        &["next_latency=1"],
        &["finereg.acrf_port=true"],
        &["finereg.acrf_port=true", "next_latency=1"],
    ];
    let shares = shares.iter().map(|share| Variant::set(Design::FINEREG, &[share]));
    shares.chain(others.map(|settings| Variant::set(Design::FINEREG, settings))).collect()
}

/// For each workload the run with the highest IPC, under the design's own name.
pub fn best(design: Design, outcomes: &[Outcome]) -> Vec<Outcome> {
    let labels: Vec<String> = of(design).into_iter().map(|variant| variant.label).collect();
    let mut best: Vec<Outcome> = vec![];
    for outcome in outcomes.iter().filter(|outcome| labels.contains(&outcome.label)) {
        match best.iter_mut().find(|known| known.workload == outcome.workload) {
            Some(known) if known.ipc >= outcome.ipc => {}
            Some(known) => *known = outcome.clone(),
            None => best.push(outcome.clone()),
        }
    }
    best.iter_mut().for_each(|outcome| outcome.label = design.name());
    best
}
