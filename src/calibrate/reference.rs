// SPDX-License-Identifier: Apache-2.0
//! A file of cycles, and the traces that they belong to.

use crate::output::say;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail, ensure, Context, Result};
use gpurf_trace::{Command, Workload};
use serde::Deserialize;

/// The cycles of one variant, by folder of traces.
pub struct Reference {
    path: PathBuf,
    traces: BTreeMap<String, Vec<ReferenceKernel>>,
}

pub struct ReferenceKernel {
    /// In its folder.
    pub file: String,
    pub name: String,
    /// The resource that bounds it.
    pub group: String,
    pub cycles: u64,
}

/// A folder of traces: its copies and those of its kernels that the reference has.
pub struct Set {
    pub trace: String,
    pub commands: Vec<CalibrationStep>,
}

pub enum CalibrationStep {
    Copy { address: u64, bytes: u64 },
    Kernel { trace: gpurf_trace::Kernel, reference: ReferenceKernel },
}

/// The file, as far as it is read.
#[derive(Deserialize)]
struct Written {
    traces: BTreeMap<String, Vec<WrittenKernel>>,
}

#[derive(Deserialize)]
struct WrittenKernel {
    file: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    group: String,
    cycles: BTreeMap<String, u64>,
}

impl Reference {
    pub fn read(path: &Path, variant: &str) -> Result<Reference> {
        let origin = path.display();
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("{origin}: the file of cycles cannot be read; check it"))?;
        let written: Written = serde_json::from_str(&text).map_err(|error| {
            anyhow!("{origin}: {error}; see `gpurf calibrate --help` for what the file holds")
        })?;
        let mut traces = BTreeMap::new();
        for (trace, kernels) in written.traces {
            let kernels = kernels.into_iter().map(|kernel| {
                let WrittenKernel { file, name, group, cycles } = kernel;
                let key = format!("{origin}: traces.{trace}, `{file}`: cycles.{variant}");
                let names: Vec<_> = cycles.keys().map(String::as_str).collect();
                match cycles.get(variant) {
                    Some(0) => bail!("{key} is 0; leave the kernel out"),
                    Some(&cycles) => Ok(ReferenceKernel { file, name, group, cycles }),
                    None => bail!("{key} is not there; choose another --variant, of {}", names.join(", ")),
                }
            });
            traces.insert(trace.clone(), kernels.collect::<Result<Vec<_>>>()?);
        }
        ensure!(!traces.is_empty(), "{origin}: `traces` is empty; it holds kernels by folder of traces");
        Ok(Reference { path: path.into(), traces })
    }

    /// Opens the traces.
    pub fn open(self, folder: &Path) -> Result<Vec<Set>> {
        let origin = self.path.display();
        let open = |(trace, kernels): (String, Vec<ReferenceKernel>)| {
            let path = folder.join(&trace);
            ensure!(
                path.is_dir(),
                "{origin}: traces.{trace}: {} is no folder; name the one that holds it with --traces DIR",
                path.display()
            );
            let key = |file: &str| format!("{origin}: traces.{trace}, `{file}`");
            let note = |note: &str| say!("note: {note}");
            let workload =
                gpurf_trace::open_with(&path, note).with_context(|| format!("{origin}: traces.{trace}"))?;
            let mut headers = vec![];
            for ReferenceKernel { file, .. } in &kernels {
                let kernel = gpurf_trace::open_with(path.join(file), note).with_context(|| key(file))?;
                headers.extend(kernel.kernels().map(|kernel| kernel.header().clone()));
            }
            let mut references: Vec<_> = headers.into_iter().zip(kernels).collect();
            let mut commands = vec![];
            let Workload { commands: listed, .. } = workload;
            for command in listed {
                match command {
                    Command::MemcpyHtoD { address, bytes } => {
                        commands.push(CalibrationStep::Copy { address, bytes })
                    }
                    Command::Kernel(kernel) => {
                        let place = references.iter().position(|(header, _)| header == kernel.header());
                        if let Some(place) = place {
                            let (_, reference) = references.remove(place);
                            commands.push(CalibrationStep::Kernel { trace: kernel, reference });
                        }
                    }
                }
            }
            if let Some((_, ReferenceKernel { file, .. })) = references.first() {
                bail!("{}: the folder's list of kernels has it not, or not as often", key(file));
            }
            Ok(Set { trace, commands })
        };
        self.traces.into_iter().map(open).collect()
    }
}
