// SPDX-License-Identifier: Apache-2.0
//! The project's own kernels: those of the built-in workloads, and those that its tests launch.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use gpurf_workloads::suite::hgemm::{run_tile, TILES};
use gpurf_workloads::suite::{Size, SUITE};
use gpurf_workloads::{Device, Module, Options};

use crate::report::{CorpusReport, Outcome};
use crate::Result;

/// Runs every workload, and products with every tile. A kernel is right if all workloads that launch it have
/// the answer of their reference.
pub fn workloads() -> Result<CorpusReport> {
    // Of a listing's kernel: what is wrong with it.
    let mut launched: BTreeMap<(String, String), Option<String>> = BTreeMap::new();
    let mut run = |name: &str, run: &dyn Fn(&mut Device) -> gpurf_workloads::Result<()>| {
        let mut device = Device::new(Options { stream: false, ..Options::default() });
        let wrong = run(&mut device).err().map(|error| format!("{name}: {error}"));
        for (file, kernel) in device.launched() {
            let known = launched.entry((file.to_string(), kernel.to_string())).or_default();
            *known = known.take().or(wrong.clone());
        }
    };
    for workload in SUITE {
        run(workload.name, &|device| (workload.run)(device, Size::Small));
    }
    for tile in TILES {
        run(tile.kernel, &|device| run_tile(device, tile, 328, 264, 208));
    }
    let mut report = CorpusReport::default();
    for path in listings("kernels")? {
        for (file, name, outcome) in kernels(&path)? {
            let launched = launched.get(&(file, name.clone()));
            let outcome = outcome.unwrap_or(match launched {
                Some(None) => Outcome::Right,
                Some(Some(message)) => Outcome::Wrong(message.clone()),
                None => Outcome::Wrong("no workload launches it to its end".into()),
            });
            report.add(name, outcome);
        }
    }
    Ok(report)
}

/// Runs the tests that launch compiled kernels. A kernel is right if all tests that launch it pass.
pub fn tests() -> Result<CorpusReport> {
    let launches = tempfile::NamedTempFile::new()?;
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo.args(["test", "-p", "gpurf-workloads", "--no-fail-fast"]);
    let output = cargo
        .args(["--test", "compiled", "--test", "launch_files"])
        .env("GPURF_LAUNCHES", launches.path())
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let failed: BTreeSet<&str> =
        text.lines().filter_map(|line| line.strip_prefix("test ")?.strip_suffix(" ... FAILED")).collect();
    if !text.contains("test result: ") {
        return Err(format!("the tests do not run: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    let launches = fs::read_to_string(launches.path())?;
    let mut tests: BTreeMap<(&str, &str), BTreeSet<&str>> = BTreeMap::new();
    for line in launches.lines() {
        if let [test, file, kernel] = line.split('\t').collect::<Vec<_>>()[..] {
            tests.entry((file, kernel)).or_default().insert(test);
        }
    }
    let mut report = CorpusReport::default();
    for path in listings("tests/listings")? {
        for (file, name, outcome) in kernels(&path)? {
            let outcome = outcome.unwrap_or(match tests.get(&(&file, &name)) {
                None => Outcome::Wrong("no test launches it".into()),
                Some(tests) => match tests.iter().find(|test| failed.contains(**test)) {
                    Some(test) => Outcome::Wrong(format!("test {test} fails")),
                    None => Outcome::Right,
                },
            });
            report.add(format!("{file}: {name}"), outcome);
        }
    }
    Ok(report)
}

fn listings(folder: &str) -> Result<Vec<PathBuf>> {
    let mut paths = vec![];
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder))? {
        paths.push(entry?.path());
    }
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "sass"));
    paths.sort();
    Ok(paths)
}

/// The kernels of a listing: its file's name, theirs, and what refuses them.
fn kernels(path: &Path) -> Result<Vec<(String, String, Option<Outcome>)>> {
    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let module = Module::parse(&file, &fs::read_to_string(path)?)?;
    // Functions in sections of their own have no parameters.
    let kernels = module.kernels.iter().filter(|kernel| kernel.parameters.is_some());
    let all = kernels
        .map(|kernel| (file.clone(), kernel.name.clone(), module.check(kernel).err().map(Outcome::of)));
    Ok(all.collect())
}
