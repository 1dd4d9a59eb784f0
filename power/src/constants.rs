// SPDX-License-Identifier: Apache-2.0
//! Energies per event, as the simulation counts events, from what was measured in windows of all runs.
//!
//! What the cells of a part take in a window is fitted to what happened in it; the accesses of memories have
//! CACTI's energies.

use std::fmt::Write as _;

use anyhow::{ensure, Result};
use gpurf_sim::sm::{Design, KeptOperands};
use gpurf_sim::stage_recording::Events;
use gpurf_synth::power::{fitted, Mean};

use crate::stage::{MeasuredStages, StageRun};

/// How often something happened in a window.
type Count = fn(&Events) -> u64;

const CYCLES: Count = |events| events.cycles;
const READS: Count = |events| events.bank_reads;
const WRITES: Count = |events| events.bank_writes;
/// Values that come into a collector: from a bank, or from what writes the banks.
const ENTERED: Count = |events| events.bank_reads + events.cache_writes;
const DISPATCHED: Count = |events| events.dispatched_operands;
/// The tags of a collector are searched for every source and every result.
const SEARCHES: Count = |events| events.operand_reads + events.bank_writes;
/// In a bypassing collector a hit is moved: read, and written.
const ENTERED_OR_MOVED: Count = |events| ENTERED(events) + events.hits;
const DISPATCHED_OR_MOVED: Count = |events| DISPATCHED(events) + events.hits;

/// The energies per event, in picojoules.
pub struct Constants(Vec<(&'static str, Mean)>);

/// Energy of some parts' cells for each of some events, in picojoules, over all windows of these runs.
/// `known` is taken from each window first: energy accounted for elsewhere, for each event of another kind.
fn fit(runs: &[&StageRun], parts: fn(&str) -> bool, counts: &[Count], known: &[(f64, Count)]) -> Vec<Mean> {
    let mut values = vec![];
    let mut terms = vec![vec![]; counts.len()];
    for run in runs {
        for sample in &run.samples {
            let in_cycle = |count: &Count| count(&sample.events) as f64 / sample.events.cycles as f64;
            // The first part is that of the memories, which have no cells.
            let cells = run.parts[1..].iter().zip(&sample.cells).filter(|(part, _)| parts(&part.name));
            let known: f64 = known.iter().map(|(each, count)| each * in_cycle(count)).sum();
            values.push(1e-3 * cells.map(|(_, energy)| energy).sum::<f64>() - known);
            terms.iter_mut().zip(counts).for_each(|(term, count)| term.push(in_cycle(count)));
        }
    }
    fitted(&terms, &values)
}

/// The constants of a bypassing collector.
#[derive(Default)]
struct Bypass {
    crossbar_growth: Mean,
    read: Mean,
    write: Mean,
    idle: Mean,
}

impl Constants {
    /// The ones of a bypassing collector are zero if none was measured.
    ///
    /// # Errors
    /// If there is no run of an operand or of a caching collector.
    pub fn of(measured: &MeasuredStages) -> Result<Constants> {
        // Of the first design that has them: one netlist.
        let of_kind = |keeps: KeptOperands| -> Vec<&StageRun> {
            let is_it = |design: Design| !design.reads_in_window() && design.collector.keeps == keeps;
            let has = |run: &&StageRun| run.design.parse().is_ok_and(is_it);
            let first = measured.runs.iter().find(has);
            measured.runs.iter().filter(|run| first.is_some_and(|first| run.design == first.design)).collect()
        };
        let [operand, caching, bypassing] =
            [KeptOperands::Nothing, KeptOperands::Values, KeptOperands::Window].map(of_kind);
        for (runs, example) in [(&operand, "baseline"), (&caching, "malekeh")] {
            ensure!(!runs.is_empty(), "--constants needs an operand and a caching collector; add {example}");
        }
        // Banks, arbiter and crossbar are the same between two collectors of either kind.
        let between_two: Vec<&StageRun> = operand.iter().chain(&caching).copied().collect();
        let banks = fit(&between_two, |part| part.starts_with("banks"), &[CYCLES, READS, WRITES], &[]);
        let arbiter = fit(&between_two, is_arbiter, &[CYCLES, READS], &[]);
        let crossbar = fit(&between_two, is_crossbar, &[CYCLES, ENTERED, DISPATCHED], &[]);
        // An operand that leaves its collector crosses the stage's multiplexer: a part of the read of a
        // collector.
        let (crossing, leaving) = (crossbar[1], crossbar[2]);
        // Under operand collectors every operand enters and leaves: what is spent goes to the write of the
        // collector.
        let collector = fit(&operand, is_collector, &[CYCLES, ENTERED], &[]);
        let cache = fit(&caching, is_collector, &[CYCLES, ENTERED, DISPATCHED, SEARCHES], &[]);
        let bypass = match bypassing.first() {
            None => Bypass::default(),
            Some(first) => {
                let many = fit(&bypassing, is_crossbar, &[CYCLES, ENTERED, DISPATCHED], &[]);
                let more = first.collectors.saturating_sub(operand[0].collectors).max(1) as f64;
                let growth = (many[1] + many[2]).mean / (crossing + leaving).mean - 1.0;
                // A search costs what it does in a caching collector: the simulation has one energy for both.
                let counts = [CYCLES, ENTERED_OR_MOVED, DISPATCHED_OR_MOVED];
                let own = fit(&bypassing, is_collector, &counts, &[(cache[3].mean, SEARCHES)]);
                Bypass {
                    crossbar_growth: Mean::exact(growth.max(0.0) / more),
                    read: own[2] + many[2],
                    write: own[1],
                    idle: own[0].scaled(1.0 / first.collectors as f64),
                }
            }
        };
        let memory = |of: fn(&StageRun) -> f64| Mean::exact(1e-3 * of(operand[0]));
        let of_each = |runs: &[&StageRun]| 1.0 / runs[0].collectors as f64;
        Ok(Constants(vec![
            ("bank_read", memory(|run| run.bank_read_fj) + banks[1]),
            ("bank_write", memory(|run| run.bank_write_fj) + banks[2]),
            ("crossbar", crossing),
            ("crossbar_growth", bypass.crossbar_growth),
            ("collector_read", leaving),
            ("collector_write", collector[1]),
            ("cache_read", cache[2] + leaving),
            ("cache_write", cache[1]),
            ("bypass_read", bypass.read),
            ("bypass_write", bypass.write),
            ("tag_search", cache[3]),
            ("arbitration", arbiter[1]),
            ("stage_idle", banks[0] + arbiter[0] + crossbar[0]),
            ("collector_idle", collector[0].scaled(of_each(&operand))),
            ("cache_idle", cache[0].scaled(of_each(&caching))),
            ("bypass_idle", bypass.idle),
        ]))
    }

    /// As a file of the simulation's configuration; `command` is what made it.
    pub fn toml(&self, measured: &MeasuredStages, command: &str, memories: &str) -> String {
        let windows: u64 = measured.runs.iter().map(|run| run.windows).sum();
        let mut text = format!(
            "# Dynamic energy of the register file per event, in pJ, for one register of a warp (1024 bits), measured in netlists of\n\
             # this hardware. `idle`: in every cycle. Behind each stands its standard error. Zeros were not measured, or\n\
             # are less than their error.\n#\n# {command}\n#\n\
             # {}, {}; memories: {memories}. {windows} windows.\n\n",
            measured.library,
            measured.yosys.split(" (").next().unwrap_or(&measured.yosys),
        );
        for (name, Mean { mean, error }) in &self.0 {
            let _ = writeln!(text, "{:<27} # {error:.3}", format!("{name} = {mean:.3}"));
        }
        text
    }
}

fn is_arbiter(part: &str) -> bool {
    part.contains("arbiter") || part.starts_with("lfsr")
}

/// Returns true for the parts that stand in the stage itself.
fn is_crossbar(part: &str) -> bool {
    part == "crossbar"
}

fn is_collector(part: &str) -> bool {
    part.starts_with("collectors")
}
