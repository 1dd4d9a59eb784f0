// SPDX-License-Identifier: Apache-2.0
//! The Python module: its own tests under pytest, and its notebook.
//!
//! `tools/python` installs what they need into `.venv`; where it is missing, these tests are skipped. The
//! native part is the library that Cargo built for this test, so that nothing is compiled a second time.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use gpurf_fixtures::missing;
use tempfile::TempDir;

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Python with these modules, or the test is skipped.
#[track_caller]
fn python(modules: &[&str]) -> Option<PathBuf> {
    let path = package().join("../.venv/bin/python3");
    let import = format!("import {}", modules.join(", "));
    let has = Command::new(&path).args(["-c", &import]).output().is_ok_and(|output| output.status.success());
    if !has {
        let modules = modules.join(", ");
        missing(format!(".venv/bin/python3 with {modules}"), "tools/python");
        return None;
    }
    Some(path)
}

/// A folder with the module as it is installed.
fn installed() -> TempDir {
    let test = std::env::current_exe().expect("a path");
    let folder = test.parent().expect("a folder");
    let library =
        [folder, folder.parent().expect("a folder")].map(|folder| folder.join("libgpurf_python.so"));
    let library =
        library.into_iter().find(|path| path.exists()).expect("Cargo builds the library for its tests");
    let site = tempfile::tempdir().expect("a folder");
    let module = site.path().join("gpurf");
    fs::create_dir(&module).expect("created");
    for entry in fs::read_dir(package().join("gpurf")).expect("the module") {
        let path = entry.expect("a file").path();
        if path.is_file() {
            fs::copy(&path, module.join(path.file_name().expect("a name"))).expect("copied");
        }
    }
    fs::copy(library, module.join("_native.abi3.so")).expect("copied");
    site
}

fn run(python: &Path, site: &TempDir, arguments: &[&str]) -> Output {
    let mut command = Command::new(python);
    // Python looks in its own folder first, and beside this test lies a module without its native part.
    command.current_dir(site).env("PYTHONPATH", site.path()).env("PYTHONDONTWRITEBYTECODE", "1");
    command.args(arguments).output().expect("it starts")
}

fn said(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned()).concat()
}

#[test]
fn its_own_tests_pass() {
    let Some(python) = python(&["pytest", "pandas"]) else { return };
    let tests = package().join("tests").display().to_string();
    let output = run(&python, &installed(), &["-m", "pytest", "-q", "-p", "no:cacheprovider", &tests]);
    assert!(output.status.success(), "{}", said(&output));
}

#[test]
fn the_command_line_is_the_tools() {
    let Some(python) = python(&["sys"]) else { return };
    let site = installed();
    let version = run(&python, &site, &["-m", "gpurf", "--version"]);
    assert!(
        said(&version).starts_with(concat!("gpurf ", env!("CARGO_PKG_VERSION"), ", commit ")),
        "{}",
        said(&version)
    );
    let unusable = run(&python, &site, &["-m", "gpurf", "sim", "nowhere"]);
    assert_eq!(unusable.status.code(), Some(2), "{}", said(&unusable));
    assert!(said(&unusable).starts_with("error: nowhere: "), "{}", said(&unusable));
}

/// The picture in the documents is what the notebook draws.
#[test]
fn the_notebook_runs() {
    let Some(python) = python(&["nbclient", "ipykernel", "matplotlib", "pandas"]) else { return };
    let out = tempfile::tempdir().expect("a folder");
    let [script, path] =
        [&package().join("examples/run.py"), out.path()].map(|path| path.display().to_string());
    let output = run(&python, &installed(), &[&script, "--out", &path]);
    assert!(output.status.success(), "{}", said(&output));
    let drawn = fs::read_to_string(out.path().join("kernel_to_plot.svg")).expect("a plot");
    assert!(drawn.contains("</svg>"));
    // Numbers and not pixels: other versions of Matplotlib draw otherwise.
    let [drawn, kept] = [out.path(), &package().join("../docs")]
        .map(|folder| fs::read_to_string(folder.join("kernel_to_plot.csv")).expect("the plot's numbers"));
    assert_eq!(drawn, kept, "docs/kernel_to_plot.csv is stale; python/examples/run.py writes it");
}

/// From nothing but the tree: minutes, for everything is compiled as for a release.
#[test]
#[ignore = "compiles everything for a release"]
fn pip_installs_it_from_the_tree() {
    let Some(python) = python(&["venv"]) else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let fresh = folder.path().join("bin/python3");
    let run = |program: &Path, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).current_dir(&folder).output().expect("it starts");
        assert!(output.status.success(), "{arguments:?}: {}", said(&output));
        said(&output)
    };
    run(&python, &["-m", "venv", &folder.path().display().to_string()]);
    run(&fresh, &["-m", "pip", "install", "-q", &package().display().to_string()]);
    let printed =
        run(&fresh, &["-c", "import gpurf; print(gpurf.Module('ocu', engine='rtl').step()['ready'])"]);
    assert_eq!(printed.trim(), "False");
    let version = run(&folder.path().join("bin/gpurf"), &["--version"]);
    assert!(version.starts_with(concat!("gpurf ", env!("CARGO_PKG_VERSION"), ", commit ")), "{version}");
}
