// SPDX-License-Identifier: Apache-2.0
//! Cycles that were measured on a real GPU, and the file that holds them.

use std::fmt;
use std::path::Path;

use anyhow::{anyhow, bail, ensure, Context, Result};
use serde::{Deserialize, Serialize};

use super::hw_perf;
use crate::input::Size;

/// Kernels that were measured on a card.
#[derive(Debug)]
pub struct Measurements {
    pub card: Card,
    pub kernels: Vec<Measured>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Card {
    pub name: String,
    /// Such as `sm_70`. Programs run here as code for `sm_75`, or as their traces have it.
    pub architecture: String,
    pub clock_mhz: f64,
    /// Where the cycles come from.
    pub source: String,
    /// The preset, or the file, with the constants of the card.
    pub machine: String,
    /// All caches were empty at each launch, as Nsight Compute leaves them, rather than as the one before
    /// left them.
    #[serde(default)]
    pub caches_emptied: bool,
}

/// A kernel's cycles on the card.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measured {
    pub suite: String,
    pub program: String,
    /// The arguments, for people.
    pub input: String,
    /// The name of the function, mangled or not.
    pub kernel: String,
    pub launch: Launch,
    pub cycles: f64,
    pub place: Place,
}

/// Where the program is had here.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// A folder of the folder of traces.
    Trace(String),
    /// A built-in workload.
    Workload { name: String, size: Size },
    /// Nowhere, and why.
    NotRun(String),
}

/// The launch of the kernel in its program that was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Launch {
    /// The number among the launches of the kernel, from 1.
    Number(u64),
    /// The mean of all of them.
    Mean,
}

impl fmt::Display for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Launch::Number(number) => write!(f, "{number}"),
            Launch::Mean => f.write_str("mean"),
        }
    }
}

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    card: Card,
    #[serde(default)]
    kernel: Vec<WrittenKernel>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenKernel {
    suite: String,
    program: String,
    #[serde(default)]
    input: String,
    kernel: String,
    #[serde(default = "mean")]
    launch: toml::Value,
    cycles: f64,
    trace: Option<String>,
    workload: Option<String>,
    size: Option<Size>,
    not_run: Option<String>,
}

fn mean() -> toml::Value {
    "mean".into()
}

impl Place {
    /// As one line of several says.
    pub fn of(
        trace: Option<String>,
        workload: Option<String>,
        size: Option<Size>,
        not_run: Option<String>,
    ) -> Result<Place> {
        match (trace, workload, size, not_run) {
            (Some(trace), None, None, None) => Ok(Place::Trace(trace)),
            (None, Some(name), size, None) => {
                ensure!(
                    gpurf_workloads::suite::named(&name).is_some(),
                    "workload = \"{name}\": there is no such built-in workload; `gpurf names workloads` lists them"
                );
                Ok(Place::Workload { name, size: size.unwrap_or_default() })
            }
            (None, None, None, Some(reason)) => Ok(Place::NotRun(reason)),
            _ => bail!(
                "give one of trace, workload (perhaps with size) and not_run, which say where the program is had"
            ),
        }
    }
}

impl Measurements {
    /// Returns true if the file holds cycles of a card, and none of a simulator.
    pub fn is_named_so(path: &Path) -> bool {
        path.extension().is_some_and(|extension| extension == "toml" || extension == "csv")
    }

    pub fn read(path: &Path) -> Result<Measurements> {
        let origin = path.display();
        let text = std::fs::read_to_string(path).with_context(|| {
            format!("{origin}: the file of measured cycles cannot be read; check it. {}", hw_perf::WHERE)
        })?;
        let measurements = match path.extension().is_some_and(|extension| extension == "csv") {
            true => hw_perf::parse(&text).with_context(|| origin.to_string())?,
            false => Measurements::parse(&text).with_context(|| origin.to_string())?,
        };
        ensure!(
            !measurements.kernels.is_empty(),
            "{origin}: there is no kernel in it; give a [[kernel]] for each"
        );
        for Measured { kernel, cycles, .. } in &measurements.kernels {
            ensure!(
                *cycles >= 1.0 && cycles.is_finite(),
                "{origin}: kernel `{kernel}`: cycles = {cycles}; leave the kernel out"
            );
        }
        Ok(measurements)
    }

    fn parse(text: &str) -> Result<Measurements> {
        let Written { card, kernel: kernels } =
            toml::from_str(text).map_err(|error| anyhow!("{}", error.to_string().trim_end()))?;
        let kernels = kernels.into_iter().map(|written| {
            let WrittenKernel {
                suite,
                program,
                input,
                kernel,
                launch,
                cycles,
                trace,
                workload,
                size,
                not_run,
            } = written;
            let key = || format!("kernel `{kernel}` of {program}");
            let launch = match &launch {
                toml::Value::String(text) if text == "mean" => Launch::Mean,
                toml::Value::Integer(number @ 1..) => Launch::Number(*number as u64),
                other => bail!("{}: launch = {other}: give its number, from 1, or \"mean\"", key()),
            };
            let place = Place::of(trace, workload, size, not_run).with_context(key)?;
            Ok(Measured { suite, program, input, kernel, launch, cycles, place })
        });
        Ok(Measurements { card, kernels: kernels.collect::<Result<_>>()? })
    }
}

/// The name of a function without its parameters: of `_Z5findKlP5knode`, and of `findK`.
pub fn function_of(name: &str) -> &str {
    let Some(mangled) = name.strip_prefix("_Z") else { return name };
    // In a namespace the last name counts.
    let mut rest = mangled.strip_prefix('N').unwrap_or(mangled);
    let mut last = name;
    while let Some(length) = rest.find(|c: char| !c.is_ascii_digit()).filter(|&length| length > 0) {
        let Ok(characters) = rest[..length].parse::<usize>() else { break };
        let Some(function) = rest[length..].get(..characters) else { break };
        last = function;
        rest = &rest[length + characters..];
        if !mangled.starts_with('N') {
            break;
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_have_their_names() {
        for (name, function) in [
            ("findK", "findK"),
            ("_Z5findKlP5knodelPlS1_PiP6recordS3_", "findK"),
            ("_Z21mergeSortSharedKernelILj1EEvPjS0_S0_S0_j", "mergeSortSharedKernel"),
            ("_ZN3cub6detail9reductionEPf", "reduction"),
            ("_Z", "_Z"),
            ("_Z99short", "_Z99short"),
        ] {
            assert_eq!(function_of(name), function, "{name}");
        }
    }

    const CARD: &str = "[card]\nname = \"made up\"\narchitecture = \"sm_75\"\nclock_mhz = 1000\n\
                        source = \"made up\"\nmachine = \"modern-turing\"\n";

    #[test]
    fn a_file_of_a_card_is_read() {
        let text = format!(
            "{CARD}[[kernel]]\nsuite = \"a\"\nprogram = \"p\"\nkernel = \"k\"\nlaunch = 2\ncycles = 12.5\n\
             workload = \"vectoradd\"\n\
             [[kernel]]\nsuite = \"a\"\nprogram = \"q\"\nkernel = \"l\"\ncycles = 7\ntrace = \"q-1\"\n"
        );
        let Measurements { card, kernels } = Measurements::parse(&text).unwrap();
        assert_eq!((card.name.as_str(), card.clock_mhz, card.caches_emptied), ("made up", 1000.0, false));
        let vectoradd = Place::Workload { name: "vectoradd".into(), size: Size::Small };
        assert_eq!(
            (kernels[0].launch, kernels[0].cycles, &kernels[0].place),
            (Launch::Number(2), 12.5, &vectoradd)
        );
        assert_eq!((kernels[1].launch, &kernels[1].place), (Launch::Mean, &Place::Trace("q-1".into())));
    }

    #[test]
    fn a_file_that_says_too_little_or_too_much_is_refused_by_name() {
        let kernel = "[[kernel]]\nsuite = \"a\"\nprogram = \"p\"\nkernel = \"k\"\ncycles = 1\n";
        for (more, parts) in [
            ("", vec!["kernel `k` of p", "trace, workload"]),
            ("trace = \"t\"\nnot_run = \"no\"\n", vec!["kernel `k` of p", "trace, workload"]),
            ("trace = \"t\"\nlaunch = 0\n", vec!["launch = 0", "from 1"]),
            ("workload = \"nowhere\"\n", vec!["nowhere", "gpurf names workloads"]),
            ("workload = \"nn\"\nsize = \"huge\"\n", vec!["huge", "medium"]),
            ("trace = 5\n", vec!["line", "string"]),
        ] {
            let error = format!("{:#}", Measurements::parse(&format!("{CARD}{kernel}{more}")).unwrap_err());
            for part in parts {
                assert!(error.contains(part), "{more}: `{part}` is not in: {error}");
            }
        }
        let error = Measurements::parse("[card]\nname = \"made up\"\n").unwrap_err().to_string();
        assert!(error.contains("architecture"), "{error}");
    }
}
