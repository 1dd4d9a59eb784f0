// SPDX-License-Identifier: Apache-2.0
//! `gpurf synth` by module: which runs of Yosys it makes, counted by a program that stands in front of Yosys.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use assert_cmd::Command;
use gpurf_fixtures::skipped;
use gpurf_synth::nangate;
use gpurf_verilog::tools::Tool;
use serde_json::Value;
use tempfile::TempDir;

/// A cache that has the cell library alone, and a Yosys that is counted.
struct Bench {
    folder: TempDir,
}

impl Bench {
    /// None, after saying why, without Yosys or a cell library.
    #[track_caller]
    fn new() -> Option<Self> {
        let ready = Tool::Yosys
            .find()
            .map_err(anyhow::Error::from)
            .and_then(|yosys| Ok((yosys, nangate::liberty()?)));
        let (yosys, library) = match ready {
            Ok(ready) => ready,
            Err(error) => {
                skipped(format!("{error:#}"));
                return None;
            }
        };
        let folder = tempfile::tempdir().expect("a folder");
        fs::copy(&library, folder.path().join(library.file_name().expect("a file"))).expect("copied");
        let bench = Bench { folder };
        let counted = bench.path("bin/yosys");
        fs::create_dir(bench.path("bin")).expect("made");
        let text = format!(
            "#!/bin/sh\n[ -f script.ys ] && grep ^hierarchy script.ys >> {}\nexec {} \"$@\"\n",
            bench.path("runs").display(),
            yosys.display()
        );
        fs::write(&counted, text).expect("written");
        fs::set_permissions(&counted, fs::Permissions::from_mode(0o755)).expect("set");
        Some(bench)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The results, and the tops of the runs of Yosys, without their parameters.
    fn synth(&self, arguments: &[&str]) -> (Value, Vec<String>) {
        let _ = fs::remove_file(self.path("runs"));
        let path = format!("{}:{}", self.path("bin").display(), std::env::var("PATH").expect("a PATH"));
        let mut command = Command::cargo_bin("gpurf").expect("the tool is built");
        command.arg("synth").args(arguments).args(["--json", "-"]);
        let output =
            command.env("PATH", path).env("GPURF_CACHE", self.folder.path()).output().expect("it starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let runs = fs::read_to_string(self.path("runs")).unwrap_or_default();
        let top = |line: &str| {
            let top = line.split_whitespace().last().expect("hierarchy -check -top TOP");
            let known = gpurf_hw::catalogue::catalogue().iter().map(|entry| entry.name);
            known
                .filter(|name| top.starts_with(name))
                .max_by_key(|name| name.len())
                .unwrap_or(top)
                .to_string()
        };
        let mut runs: Vec<String> = runs.lines().map(top).collect();
        runs.sort();
        (serde_json::from_slice(&output.stdout).expect("JSON"), runs)
    }
}

#[test]
fn each_module_is_mapped_once_and_those_that_change_anew() {
    let Some(bench) = Bench::new() else { return };
    let (first, runs) = bench.synth(&["warp_scheduler", "collector_allocator", "--by-module"]);
    // An age matrix in the one, an LFSR in the other; each design is joined.
    let all = [
        "age_matrix",
        "collector_allocator",
        "collector_allocator",
        "lfsr",
        "warp_scheduler",
        "warp_scheduler",
    ];
    assert_eq!(runs, all);
    assert_eq!(first[0]["structure"], "kept");

    let (again, runs) = bench.synth(&["warp_scheduler", "collector_allocator", "--by-module"]);
    assert_eq!(runs, Vec::<String>::new());
    assert_eq!(first, again);

    let set = ["--set", "collectors=4"];
    let (other, runs) = bench.synth(&[&["warp_scheduler", "--by-module"][..], &set].concat());
    assert_eq!(runs, ["warp_scheduler", "warp_scheduler"], "the age matrix has as many entries as before");
    assert_ne!(other[0]["area_um2"], first[0]["area_um2"]);

    let (flattened, runs) = bench.synth(&["warp_scheduler"]);
    assert_eq!(runs, ["warp_scheduler"], "its modules are mapped");
    assert_eq!(flattened[0]["structure"], "flattened");
    assert_eq!(flattened[0]["modules"], first[0]["modules"]);
}
