// SPDX-License-Identifier: Apache-2.0
//! Energies of designs under workloads as tables.

use comfy_table::Table;
use gpurf_synth::power::{Mean, Role};

use crate::output::{grouped, table};
use gpurf_power::stage::StageRun;

/// With so many digits, and the standard error.
pub fn with_error(Mean { mean, error }: Mean, digits: usize) -> String {
    format!("{mean:.digits$} ± {error:.digits$}")
}

/// Energies of a run's parts.
pub fn parts(run: &StageRun) -> Table {
    let names = [&run.design, "fJ in a cycle", "share"];
    let mut rows = table(&[&names[..], &Role::ALL.map(Role::name)].concat());
    let all = run.all.mean.max(f64::MIN_POSITIVE);
    let mut row = |name: &str, mean: Mean, roles: [String; Role::ALL.len()]| {
        let first = [name.to_string(), with_error(mean, 1), format!("{:.1}%", 100.0 * mean.mean / all)];
        rows.add_row(first.into_iter().chain(roles));
    };
    for part in &run.parts {
        let of = |role: Role| part.roles.get(&role).map_or("-".into(), |mean| format!("{:.1}", mean.mean));
        row(&part.name, part.all, Role::ALL.map(of));
    }
    let of_role = |role: Role| {
        let energies = run.parts.iter().filter_map(|part| part.roles.get(&role));
        format!("{:.1}", energies.map(|energy| energy.mean).sum::<f64>())
    };
    row("all", run.all, Role::ALL.map(of_role));
    rows
}

/// The note below a run's table.
pub fn note(run: &StageRun, period_ns: f64) -> String {
    let (events, checks) = (&run.events, &run.checks);
    format!(
        "{}, {}: {} windows of {} cycles out of {}; {} pJ for each warp instruction, {} pJ for each operand read. Beside it \
         {:.1} fJ leak from the cells and {:.1} fJ from the banks in a cycle of {period_ns} ns. {} values of operands are those \
         of the emulator, {} were never written.",
        run.workload,
        run.design,
        run.windows,
        run.window_cycles,
        grouped(events.cycles),
        with_error(run.per_instruction(run.all), 2),
        with_error(run.per_operand(run.all), 2),
        run.cell_leakage.mean,
        run.memory_leakage.mean,
        grouped(checks.checked_values),
        grouped(checks.uninitialised_reads),
    )
}

/// The nets that cost most.
pub fn nets(run: &StageRun, count: usize) -> Table {
    let mut rows = table(&[&format!("net of {}", run.design), "fJ in a cycle"]);
    for (name, energy) in run.nets.iter().take(count) {
        rows.add_row([name.clone(), format!("{energy:.2}")]);
    }
    rows
}

/// Energies of a warp instruction, a row for each workload, beside that of the first design.
pub fn beside(runs: &[StageRun]) -> Table {
    let (designs, workloads) = names(runs);
    let first = format!("{} pJ", designs[0]);
    let others = designs[1..].iter().flat_map(|design| [format!("{design} pJ"), "change".to_string()]);
    let header: Vec<String> = ["workload".to_string(), first].into_iter().chain(others).collect();
    let mut rows = table(&header.iter().map(String::as_str).collect::<Vec<_>>());
    let mut changes: Vec<Vec<Mean>> = vec![vec![]; designs.len() - 1];
    for workload in &workloads {
        let energy = |design| of(runs, design, workload).map(|run| run.per_instruction(run.all));
        let Some(reference) = energy(designs[0]) else { continue };
        let mut row = vec![workload.to_string(), with_error(reference, 2)];
        for (design, changes) in designs[1..].iter().zip(&mut changes) {
            let Some(other) = energy(design) else { continue };
            let change = change(other, reference);
            row.extend([with_error(other, 2), percent(change)]);
            changes.push(change);
        }
        rows.add_row(row);
    }
    if workloads.len() > 1 {
        let means = changes.iter().flat_map(|changes| [String::new(), percent(Mean::over(changes))]);
        rows.add_row(["mean".to_string(), String::new()].into_iter().chain(means));
    }
    rows
}

/// The assumed energy of an access of a bank.
#[derive(Clone, Copy)]
enum Banks {
    /// So many times what CACTI says.
    Times(f64),
    /// The same with writes that cost what reads do.
    WritesAsReads(f64),
}

/// The mean change of each design's energy over the first one's if an access of a bank cost so many times
/// what CACTI says, also with writes that cost no more than reads, and how many times that must be for no
/// change.
pub fn sensitivity(runs: &[StageRun]) -> Table {
    let (designs, _) = names(runs);
    let mut rows = table(&[&["access of a bank, times"][..], &designs[1..]].concat());
    let mut add = |name: String, banks: Banks| {
        let changes =
            designs[1..].iter().map(|design| format!("{:+.1}%", 100.0 * mean_change(runs, design, banks)));
        rows.add_row([name].into_iter().chain(changes));
    };
    for factor in [0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0] {
        add(format!("{factor}"), Banks::Times(factor));
    }
    for factor in [1.0, 4.0] {
        add(format!("{factor}, writes as reads"), Banks::WritesAsReads(factor));
    }
    let even = designs[1..].iter().map(|design| {
        match break_even(|factor| mean_change(runs, design, Banks::Times(factor))) {
            Some(factor) => format!("{factor:.2}"),
            None => "–".into(),
        }
    });
    rows.add_row(["no change at".to_string()].into_iter().chain(even));
    rows
}

/// Mean energies of a warp instruction under each design by part, and what it does.
pub fn shares(runs: &[StageRun]) -> Table {
    let (designs, workloads) = names(runs);
    let header = designs.iter().map(|design| format!("{design} pJ"));
    let header: Vec<String> = ["part".to_string()].into_iter().chain(header).collect();
    let mut rows = table(&header.iter().map(String::as_str).collect::<Vec<_>>());
    let mean = |design: &str, value: &dyn Fn(&StageRun) -> f64| {
        let runs: Vec<&StageRun> = runs.iter().filter(|run| run.design == design).collect();
        runs.iter().map(|run| value(run)).sum::<f64>() / runs.len().min(workloads.len()) as f64
    };
    let mut add = |name: &str, value: &dyn Fn(&StageRun) -> f64| {
        let cells = designs.iter().map(|design| format!("{:.2}", mean(design, value)));
        rows.add_row([name.to_string()].into_iter().chain(cells));
    };
    add("bank reads", &StageRun::bank_reads_pj);
    add("bank writes", &StageRun::bank_writes_pj);
    for (name, is_in) in PARTS {
        add(name, &|run| {
            let parts = run.parts[1..].iter().filter(|part| is_in(&part.name));
            parts.map(|part| run.per_instruction(part.all).mean).sum()
        });
    }
    add("all", &|run| run.per_instruction(run.all).mean);
    add("sources of an instruction", &|run| run.of_instruction(run.events.operand_reads));
    add("of them found", &|run| run.of_instruction(run.events.hits));
    add("results", &|run| run.of_instruction(run.events.bank_writes));
    add("of them into a collector", &|run| run.of_instruction(run.events.cache_writes));
    rows
}

/// The composition of each design's energy, as shares of the first design's energy under the same workload,
/// and how many operands it finds: means over the workloads.
pub fn balance(runs: &[StageRun]) -> Table {
    let (designs, workloads) = names(runs);
    let first = format!("% of the energy of {}", designs[0]);
    let mut rows = table(&[&[first.as_str()], &designs[..]].concat());
    let mean = |design: &str, value: &dyn Fn(&StageRun, &StageRun) -> f64| {
        let both =
            workloads.iter().filter_map(|name| Some((of(runs, design, name)?, of(runs, designs[0], name)?)));
        let values: Vec<f64> = both.map(|(run, first)| value(run, first)).collect();
        values.iter().sum::<f64>() / values.len() as f64
    };
    let mut add = |name: &str, value: &dyn Fn(&StageRun, &StageRun) -> f64| {
        let cells = designs.iter().map(|design| format!("{:.1}", 100.0 * mean(design, value)));
        rows.add_row([name.to_string()].into_iter().chain(cells));
    };
    let whole = |run: &StageRun| run.per_instruction(run.all).mean;
    add("reads of banks", &|run, first| run.bank_reads_pj() / whole(first));
    add("writes of banks", &|run, first| run.bank_writes_pj() / whole(first));
    add("cells", &|run, first| run.per_instruction(run.cells).mean / whole(first));
    add("all", &|run, first| whole(run) / whole(first));
    add("operands found, of all", &|run, _| run.events.hits as f64 / run.events.operand_reads as f64);
    rows
}

/// True if a part of the stage is one of those that a row adds up.
type IsOne = fn(&str) -> bool;

/// Purposes of the stage's cells.
const PARTS: [(&str, IsOne); 4] = [
    ("collectors", |part| part.starts_with("collectors")),
    ("crossbar, and operands leaving", |part| part == "crossbar"),
    ("arbiters and queues", |part| part.contains("arbiter") || part.starts_with("lfsr")),
    ("logic of the banks", |part| part.starts_with("banks")),
];

/// Designs, each once, in the order of their first runs.
pub fn designs(runs: &[StageRun]) -> Vec<&str> {
    names(runs).0
}

/// Designs and workloads, each once, in the order of their first runs.
fn names(runs: &[StageRun]) -> (Vec<&str>, Vec<&str>) {
    let (mut designs, mut workloads): (Vec<&str>, Vec<&str>) = (vec![], vec![]);
    for run in runs {
        for (names, name) in [(&mut designs, &run.design), (&mut workloads, &run.workload)] {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
    }
    (designs, workloads)
}

fn of<'a>(runs: &'a [StageRun], design: &str, workload: &str) -> Option<&'a StageRun> {
    runs.iter().find(|run| run.design == design && run.workload == workload)
}

/// The mean change of a design's energy over the first one's, over all workloads, with banks that cost this.
fn mean_change(runs: &[StageRun], design: &str, banks: Banks) -> f64 {
    let (designs, workloads) = names(runs);
    let energy = |design, workload| {
        let run = of(runs, design, workload)?;
        let memories = match banks {
            Banks::Times(factor) => factor * run.memories.mean,
            Banks::WritesAsReads(factor) => {
                let accesses = (run.events.bank_reads + run.events.bank_writes) as f64;
                factor * run.bank_read_fj * accesses / run.events.cycles as f64
            }
        };
        Some(run.per_instruction(Mean::exact(run.cells.mean + memories)).mean)
    };
    let changes = workloads
        .iter()
        .filter_map(|workload| Some(energy(design, *workload)? / energy(designs[0], *workload)? - 1.0));
    let changes: Vec<f64> = changes.collect();
    changes.iter().sum::<f64>() / changes.len() as f64
}

/// Where a function that falls or rises is zero, between a thousandth and a thousand.
fn break_even(change: impl Fn(f64) -> f64) -> Option<f64> {
    let (mut low, mut high) = (1e-3, 1e3);
    if change(low).signum() == change(high).signum() {
        return None;
    }
    for _ in 0..60 {
        let middle = f64::sqrt(low * high);
        if change(middle).signum() == change(low).signum() {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(low)
}

/// One energy over another, less one. The two runs have their windows at places of their own.
pub fn change(of: Mean, over: Mean) -> Mean {
    let ratio = of.mean / over.mean;
    let error = ratio * ((of.error / of.mean).powi(2) + (over.error / over.mean).powi(2)).sqrt();
    Mean { mean: ratio - 1.0, error }
}

pub fn percent(change: Mean) -> String {
    format!("{:+.1}% ± {:.1}", 100.0 * change.mean, 100.0 * change.error)
}
