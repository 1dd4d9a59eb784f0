// SPDX-License-Identifier: Apache-2.0
//! Energies of units for each of their events, as `gpurf power MODULE... --json FILE` has them. A table names
//! the arguments of that command, the file last.

use anyhow::{ensure, Context, Result};
use gpurf_blocks::Parameters;
use gpurf_sim::config::Config;
use gpurf_synth::power::Role;
use gpurf_synth::{Memories, Ports};
use serde::Deserialize;

use super::markdown::markdown;
use super::project::Project;
use crate::output::{grouped, table as rows_of};
use crate::power::Arguments;

/// An event in a module, and its ports, each as often as it counts.
type Event = (&'static str, &'static str, &'static [(&'static str, u64)]);

const EVENTS: [Event; 4] = [
    ("rmu", "switch", &[("done", 1)]),
    ("rmu", "register that goes out or comes back", &[("pcrf_write", 1), ("pcrf_read", 1)]),
    (
        "iwmu",
        "load that leaves",
        &[
            ("multicast", 2),
            ("released_repeat", 1),
            ("released_barrier", 1),
            ("released_age", 1),
            ("rejected", 1),
        ],
    ),
    ("iwmu", "two loads that become one", &[("multicast", 1)]),
];

/// The figures of a module that a table needs.
#[derive(Deserialize)]
struct UnitFigures {
    module: String,
    cycles: u64,
    library: String,
    clock_gating: bool,
    stimulus: String,
    roles: Vec<RoleFigures>,
    operations: Vec<Operation>,
    width: usize,
    #[serde(default)]
    registers: Vec<Behind>,
}

/// Registers behind a clock gate.
#[derive(Deserialize)]
struct Behind {
    register: String,
    bits: usize,
    writes: f64,
    input_changes: f64,
}

#[derive(Deserialize)]
struct RoleFigures {
    role: Role,
    energy: Dynamic,
}

/// The energies of a cycle.
#[derive(Deserialize)]
struct Dynamic {
    internal_fj: f64,
    switching_fj: f64,
}

#[derive(Deserialize)]
struct Operation {
    port: String,
    count: u64,
}

impl UnitFigures {
    /// Circumstances that tell it from others of the same module.
    fn circumstances(&self) -> String {
        let gates = if self.clock_gating { "with" } else { "without" };
        format!("{}, {gates} clock gates", self.stimulus)
    }

    fn count(&self, ports: &[(&str, u64)]) -> u64 {
        let of = |port: &str| self.operations.iter().find(|operation| operation.port == port);
        ports.iter().filter_map(|(port, times)| Some(times * of(port)?.count)).sum()
    }

    /// Over the run, in picojoules.
    fn dynamic(&self, is_one: impl Fn(Role) -> bool) -> f64 {
        let parts = self.roles.iter().filter(|part| is_one(part.role)).map(|part| &part.energy);
        1e-3 * self.cycles as f64 * parts.map(|energy| energy.internal_fj + energy.switching_fj).sum::<f64>()
    }
}

/// The file that a command wrote.
struct Written<'a> {
    said: String,
    file: &'a str,
    reports: Vec<UnitFigures>,
}

impl Written<'_> {
    fn by<'a>(project: &Project, command: &'a str) -> Result<Written<'a>> {
        let said = format!("gpurf power {command}");
        let words: Vec<&str> = command.split(' ').collect();
        crate::arguments_of::<Arguments>("power", &words)
            .with_context(|| format!("`{said}` is no command"))?;
        let (_, file) = command.split_once("--json ").with_context(|| format!("`{said}` writes no file"))?;
        let text = std::fs::read_to_string(project.root.join(file)).with_context(|| file.to_string())?;
        let reports: Vec<UnitFigures> = serde_json::from_str(&text).with_context(|| file.to_string())?;
        for report in &reports {
            let cycles = format!("--cycles {} ", report.cycles);
            ensure!(command.contains(&cycles), "{file} is of {cycles}; run `{said}`");
        }
        ensure!(!reports.is_empty(), "{file} is empty; run `{said}`");
        Ok(Written { said, file, reports })
    }
}

/// Energy of a cycle, by the purpose of the cells, in the first module of each of some commands. `;` parts
/// the commands.
pub fn stimuli(project: &Project, commands: &str) -> Result<String> {
    let written = commands.split("; ").map(|command| Written::by(project, command));
    let written: Vec<Written> = written.collect::<Result<_>>()?;
    let stimuli: Vec<String> =
        written.iter().map(|it| format!("{}, pJ", it.reports[0].circumstances())).collect();
    let mut rows =
        rows_of(&std::iter::once("a cycle of").chain(stimuli.iter().map(|it| &it[..])).collect::<Vec<_>>());
    let mut add = |name: &str, is_one: &dyn Fn(Role) -> bool| {
        let of_cycle = written.iter().map(|it| &it.reports[0]).map(|report| match report.dynamic(is_one) {
            0.0 => "–".to_string(),
            energy => format!("{:.2}", energy / report.cycles as f64),
        });
        rows.add_row(std::iter::once(name.to_string()).chain(of_cycle));
    };
    let has =
        |role: &Role| written.iter().any(|it| it.reports[0].roles.iter().any(|part| part.role == *role));
    for role in Role::ALL.into_iter().filter(has) {
        add(role.name(), &|of| of == role);
    }
    add("all", &|_| true);
    let said: Vec<String> = written.iter().map(|it| format!("`{}`", it.said)).collect();
    let first = &written[0].reports[0];
    Ok(format!("{}: {}.\n\n{}", said.join(", "), first.library, markdown(&rows, &[])))
}

/// Energy of a cycle in the first module of each of some commands, which `;` parts, and energy of the
/// inputs of its values behind clock gates. Those in which the written value stands first are told apart.
pub fn inputs(project: &Project, commands: &str) -> Result<String> {
    let written = commands.split("; ").map(|command| Written::by(project, command));
    let written: Vec<Written> = written.collect::<Result<_>>()?;
    let header = [
        "module",
        "pJ in a cycle",
        "values",
        "writes of each in a cycle",
        "changes of an input",
        "of them each write",
    ];
    let mut rows = rows_of(&header);
    for it in &written {
        let report = &it.reports[0];
        let is_value = |one: &&Behind| one.bits == report.width && !one.register.contains("held");
        let values: Vec<&Behind> = report.registers.iter().filter(is_value).collect();
        let mean = |of: fn(&Behind) -> f64| {
            values.iter().map(|one| of(one)).sum::<f64>() / values.len().max(1) as f64
        };
        let (writes, changes) = (mean(|one| one.writes), mean(|one| one.input_changes));
        let settings = it.said.split(" --set ").skip(1).filter_map(|rest| rest.split(' ').next());
        let settings: Vec<&str> = settings.filter(|setting| !setting.starts_with("width=")).collect();
        rows.add_row([
            [&[report.module.as_str()][..], &settings].concat().join(", "),
            format!("{:.2}", report.dynamic(|_| true) / report.cycles as f64),
            values.len().to_string(),
            format!("{writes:.3}"),
            format!("{changes:.3}"),
            format!("{:.1}", changes / writes),
        ]);
    }
    let said: Vec<String> = written.iter().map(|it| format!("`{}`", it.said)).collect();
    let first = &written[0].reports[0];
    Ok(format!("{}: {}, {} bits.\n\n{}", said.join(", "), first.library, first.width, markdown(&rows, &[])))
}

/// Energy of each event, and of the accesses that stand beside it.
pub fn table(project: &Project, command: &str) -> Result<String> {
    let Written { said, file, reports } = Written::by(project, command)?;
    let mut rows = rows_of(&["module", "event", "of them", "pJ each", "clock", "other cells", "memories"]);
    for (module, name, ports) in EVENTS {
        let report = reports.iter().find(|report| report.module == module);
        let report = report.with_context(|| format!("{file} lacks {module}; run `{said}`"))?;
        let count = report.count(ports);
        let each = |is_one: fn(Role) -> bool| match report.dynamic(is_one) {
            0.0 => "–".to_string(),
            energy => format!("{:.1}", energy / count as f64),
        };
        rows.add_row([
            module.to_string(),
            name.to_string(),
            grouped(count),
            each(|_| true),
            each(|role| role == Role::Clock),
            each(|role| role != Role::Clock && role != Role::Memories),
            each(|role| role == Role::Memories),
        ]);
    }
    let first = &reports[0];
    Ok(format!(
        "`{said}`: {}, {}, {} cycles.\n\n{}\n{}",
        first.library,
        first.stimulus,
        grouped(first.cycles),
        markdown(&rows, &[]),
        markdown(&beside(&Memories::default())?, &[])
    ))
}

/// Accesses that a unit makes necessary or saves.
fn beside(memories: &Memories) -> Result<comfy_table::Table> {
    let mut rows = rows_of(&["access", "memory", "pJ"]);
    let parameters = Parameters::default();
    let bank = memories.access(parameters.rows, parameters.width, Ports::ONE)?;
    let mut add = |name: &str, memory: String, fj: f64| {
        rows.add_row([name.to_string(), memory, format!("{:.1}", 1e-3 * fj)]);
    };
    add("read of a register from its bank", bank.source.clone(), bank.read_fj);
    add("write of a register into its bank", bank.source.clone(), bank.write_fj);
    let Config { sm, shared, .. } = Config::default();
    let words = sm.shared_memory as usize / 4 / shared.banks;
    let one = memories.access(words, 32, Ports::ONE)?;
    let of_all = format!("{} banks of {words} × 32: {}", shared.banks, one.source);
    add("read of 128 bytes from shared memory", of_all, shared.banks as f64 * one.read_fj);
    Ok(rows)
}
