// SPDX-License-Identifier: Apache-2.0
//! The report of a testbench that failed. Failures in which the same thing differs are one. The report has
//! the first place where each is seen, the ports of that cycle, and the command that shows it as a
//! waveform.

use std::fmt::{self, Write};

use gpurf_blocks::{Field, Parameters, PortLayout, PortName};
use gpurf_hw::catalogue::find;

use crate::{EngineKind, TrialOutcome};

/// The ports of the cycle in which something was wrong, as text.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// Clock cycles since the start.
    pub cycle: u64,
    /// Inputs that are not zero.
    pub inputs: String,
    /// Outputs of the first engine that are not zero.
    pub outputs: String,
}

impl Seen {
    pub(crate) fn new(cycle: u64, layout: &PortLayout, inputs: &[u32], outputs: &[u32]) -> Self {
        Seen { cycle, inputs: ports(&layout.inputs, inputs), outputs: ports(&layout.outputs, outputs) }
    }
}

/// Ports that are not zero, in the order of their declaration.
fn ports(fields: &[Field], words: &[u32]) -> String {
    let is_shown = |field: &&Field| field.of(words).iter().any(|&word| word != 0);
    let shown = fields.iter().filter(is_shown);
    let shown = shown.map(|field| format!("{}={}", field.name, field.hexadecimal(words)));
    let shown = shown.collect::<Vec<_>>().join(" ");
    match shown.is_empty() {
        true => "all zero".into(),
        false => shown,
    }
}

/// The kind of a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// Two engines gave different outputs.
    Differs {
        /// The engine that differs from the first one, by its place.
        place: usize,
        /// The first port in which they do.
        port: PortName,
        /// Value that the first engine gave.
        first: String,
        /// Value that the other one gave.
        other: String,
    },
    /// The first engine gave something else than is expected.
    Unexpected(String),
}

/// One scenario that failed, or random stimulus that did.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The scenario and its rule; none under random stimulus.
    pub scenario: Option<(&'static str, &'static str)>,
    /// The kind of the failure.
    pub wrong: Wrong,
    /// The ports at that time.
    pub seen: Seen,
}

impl Failure {
    /// The failure that random stimulus found, if it found one.
    pub fn of(outcome: &TrialOutcome) -> Option<Failure> {
        let divergence = outcome.divergence.clone().map(|(place, found)| Wrong::Differs {
            place,
            port: found.port,
            first: found.first,
            other: found.second,
        });
        let unexpected = outcome.violation.clone().map(|(_, reason)| Wrong::Unexpected(reason));
        let wrong = divergence.or(unexpected)?;
        Some(Failure { scenario: None, wrong, seen: outcome.seen.clone() })
    }

    /// One line: where, and what.
    pub fn line(&self, engines: &[EngineKind]) -> String {
        let what = match &self.wrong {
            Wrong::Differs { place, port, first, other } => {
                format!("{port} is {first} in {} and {other} in {}", engines[0], engines[*place])
            }
            Wrong::Unexpected(what) => what.clone(),
        };
        let cycle = self.seen.cycle;
        match self.scenario {
            Some((name, rule)) => format!("{name} ({rule}): cycle {cycle}: {what}"),
            None => format!("cycle {cycle}: {what}"),
        }
    }

    fn is_alike(&self, other: &Failure) -> bool {
        match (&self.wrong, &other.wrong) {
            (Wrong::Differs { place, port, .. }, Wrong::Differs { place: place_2, port: port_2, .. }) => {
                (place, port) == (place_2, port_2)
            }
            (wrong, other) => wrong == other,
        }
    }
}

/// All that failed in one testbench.
pub struct Failures<'a> {
    /// The module by its name.
    pub module: &'a str,
    /// The ones that it ran with.
    pub parameters: &'a Parameters,
    /// The engines; the others were held against the first.
    pub engines: &'a [EngineKind],
    /// Other Verilog or options of the command that shows them.
    pub options: &'a str,
    /// How many scenarios were played.
    pub scenarios: usize,
    /// The seed of random stimulus.
    pub seed: u64,
    /// In the order in which they were found.
    pub failures: &'a [Failure],
}

impl fmt::Display for Failures<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut groups: Vec<Vec<&Failure>> = vec![];
        for failure in self.failures {
            match groups.iter_mut().find(|group| group[0].is_alike(failure)) {
                Some(group) => group.push(failure),
                None => groups.push(vec![failure]),
            }
        }
        for (number, group) in groups.iter().enumerate() {
            if number > 0 {
                f.write_char('\n')?;
            }
            self.write_group(f, group)?;
        }
        Ok(())
    }
}

impl Failures<'_> {
    fn write_group(&self, f: &mut fmt::Formatter<'_>, group: &[&Failure]) -> fmt::Result {
        let Failure { scenario, wrong, seen } = group[0];
        let Seen { cycle, inputs, outputs } = seen;
        match wrong {
            Wrong::Differs { place, port, first, other } => {
                let [one, two] = [self.engines[0], self.engines[*place]];
                write!(f, "{}: {port} differs: {first} in {one}, {other} in {two}", self.module)?;
            }
            Wrong::Unexpected(what) => write!(f, "{}: {what}", self.module)?,
        }
        let in_scenarios = group.iter().filter(|failure| failure.scenario.is_some()).count();
        let is_random = in_scenarios < group.len();
        let random = format!("under random stimulus of seed {}", self.seed);
        match (in_scenarios, is_random) {
            (0, _) => writeln!(f, ", {random}, cycle {cycle}")?,
            (count, false) => writeln!(f, ", in {count} of {} scenarios", self.scenarios)?,
            (count, true) => writeln!(f, ", in {count} of {} scenarios and {random}", self.scenarios)?,
        }
        if let Some((name, rule)) = scenario {
            writeln!(f, "  first scenario: {name} ({rule}), cycle {cycle}")?;
        }
        writeln!(f, "  inputs of the cycle: {inputs}")?;
        writeln!(f, "  outputs of {}: {outputs}", self.engines[0])?;
        writeln!(f, "  see it: {}", self.command(group[0]))
    }

    /// Draws a waveform of the failure: of the RTL, or of the engine that differs if it is another one.
    fn command(&self, failure: &Failure) -> String {
        let module = self.module;
        let named = find(module).map(|entry| entry.parameters()).unwrap_or_default();
        let mut command = format!("gpurf testbench {module}{}", settings(named, self.parameters));
        let engine = match failure.wrong {
            Wrong::Differs { place, .. } => self.engines[place],
            Wrong::Unexpected(_) => self.engines[0],
        };
        if !matches!(engine, EngineKind::Rtl | EngineKind::Model) {
            write!(command, " --engines {engine}").expect("a text");
        }
        command += self.options;
        match failure.scenario {
            Some((name, _)) => write!(command, " --scenario {name}").expect("a text"),
            None => {
                let cycles = failure.seen.cycle + 1;
                write!(command, " --seed {} --cycles {cycles}", self.seed).expect("a text");
            }
        }
        write!(command, " --waveform {module}.vcd").expect("a text");
        command
    }
}

/// The options that set parameters: ` --set KEY=VALUE` for each of those named that is not the default.
pub fn settings(named: &[&str], parameters: &Parameters) -> String {
    let default = Parameters::default();
    let set = named.iter().filter_map(|name| {
        let value = parameters.text_of(name);
        (value != default.text_of(name)).then(|| format!(" --set {name}={value}"))
    });
    set.collect()
}
