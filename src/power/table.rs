//! Energies of designs under workloads as tables.

use comfy_table::Table;
use gpurf_synth::power::Role;

use super::designs::{Mean, Run};
use crate::output::{grouped, table};

/// With so many digits, and the standard error.
fn with_error(Mean { mean, error }: Mean, digits: usize) -> String {
    format!("{mean:.digits$} ± {error:.digits$}")
}

/// What a run's parts take.
pub fn parts(run: &Run) -> Table {
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

/// What is said below a run's table.
pub fn note(run: &Run, period_ns: f64) -> String {
    let counts = &run.counts;
    format!(
        "{}, {}: {} windows of {} cycles out of {}; {} pJ for each warp instruction, {} pJ for each operand read. Beside it \
         {:.1} fJ leak from the cells and {:.1} fJ from the banks in a cycle of {period_ns} ns. {} values of operands are those \
         of the emulator, {} were never written.",
        run.workload,
        run.design,
        run.windows,
        run.window_cycles,
        grouped(counts.cycles),
        with_error(run.per_instruction(run.all), 2),
        with_error(run.per_operand(run.all), 2),
        run.cell_leakage.mean,
        run.memory_leakage.mean,
        grouped(counts.checked_values),
        grouped(counts.uninitialised_reads),
    )
}

/// The nets that cost most.
pub fn nets(run: &Run, count: usize) -> Table {
    let mut rows = table(&[&format!("net of {}", run.design), "fJ in a cycle"]);
    for (name, energy) in run.nets.iter().take(count) {
        rows.add_row([name.clone(), format!("{energy:.2}")]);
    }
    rows
}

/// Energies of a warp instruction, a row for each workload, beside that of the first design.
pub fn beside(runs: &[Run]) -> Table {
    let mut designs: Vec<&str> = vec![];
    for run in runs {
        if !designs.contains(&run.design.as_str()) {
            designs.push(&run.design);
        }
    }
    let first = format!("{} pJ", designs[0]);
    let others = designs[1..].iter().flat_map(|design| [format!("{design} pJ"), "change".to_string()]);
    let names: Vec<String> = ["workload".to_string(), first].into_iter().chain(others).collect();
    let mut rows = table(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let mut changes: Vec<Vec<Mean>> = vec![vec![]; designs.len() - 1];
    for reference in runs.iter().filter(|run| run.design == designs[0]) {
        let energy = reference.per_instruction(reference.all);
        let mut row = vec![reference.workload.clone(), with_error(energy, 2)];
        for (design, changes) in designs[1..].iter().zip(&mut changes) {
            let same = |run: &&Run| run.design == **design && run.workload == reference.workload;
            let Some(run) = runs.iter().find(same) else { continue };
            let other = run.per_instruction(run.all);
            let change = change(other, energy);
            row.extend([with_error(other, 2), percent(change)]);
            changes.push(change);
        }
        rows.add_row(row);
    }
    if changes.iter().any(|changes| changes.len() > 1) {
        let means = changes.iter().flat_map(|changes| ["".to_string(), percent(Mean::over(changes))]);
        rows.add_row(["mean".to_string(), String::new()].into_iter().chain(means));
    }
    rows
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
