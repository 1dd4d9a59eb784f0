// SPDX-License-Identifier: Apache-2.0
//! The commands that README and the pages print run as they are printed.
//!
//! A code block marked `sh` holds commands, page by page in the order of the page, in a copy of the project.
//! Behind a command stands about how long it takes, as in `gpurf doctor  # a second`; a description may stand
//! between: `# all modules: minutes`. Those of a second run with the other tests, and all of them in
//! `make soak`. A block marked `text` has commands that need something of the reader's, which they name
//! `path/to/...`. A block marked `console` shows a command behind `$ ` and lines of what it prints, in their
//! order; `...` stands for lines that are left out.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use assert_cmd::cargo::cargo_bin;
use rayon::prelude::*;
use tempfile::TempDir;

use super::links::{documents, root, Document};

/// How long a command takes on two processors that do nothing else.
const TIMES: [&str; 4] = ["a second", "seconds", "minutes", "hours"];

/// Programs whose commands say how long they take, and run only if they are in a block of commands.
const PROGRAMS: [&str; 13] = [
    "gpurf ",
    "cargo ",
    "pip ",
    "tools/",
    "benchmarks/",
    ".venv",
    "make",
    "nvcc ",
    "nvdisasm ",
    "python3 ",
    "valgrind ",
    "workflow/",
    "chromium ",
];

struct Printed {
    line: usize,
    command: String,
    time: Option<&'static str>,
    /// Lines that the page shows of its output.
    shown: Vec<String>,
}

impl Printed {
    /// Returns true if the command runs a program, settings of the environment before it left out.
    fn is_of_a_program(&self) -> bool {
        let words: Vec<&str> = self.command.split(' ').skip_while(|word| word.contains('=')).collect();
        PROGRAMS.iter().any(|program| words.join(" ").starts_with(program))
    }

    fn is_quick(&self) -> bool {
        !self.is_of_a_program() || self.time == Some(TIMES[0])
    }
}

/// The time that a comment ends with.
fn time(comment: &str) -> Option<&'static str> {
    let last = comment.rsplit(": ").next().unwrap_or_default().trim().trim_start_matches("# ");
    TIMES.into_iter().find(|time| *time == last)
}

/// A line of a block, if it has a command.
fn command(line: usize, text: &str) -> Option<Printed> {
    let (command, comment) = text.split_once(" # ").unwrap_or((text, ""));
    let command = command.trim_end().to_string();
    let is_command = !command.is_empty() && !command.starts_with('#');
    is_command.then(|| Printed { line, command, time: time(comment), shown: vec![] })
}

/// The commands of blocks of this kind; a backslash continues a line.
fn printed(document: &Document, kind: &str) -> Vec<Printed> {
    let mut printed = vec![];
    let mut block: Option<&str> = None;
    let mut begun: Option<(usize, String)> = None;
    for (number, line) in document.text.lines().enumerate() {
        match (line.strip_prefix("```"), block) {
            (Some(_), Some(_)) => block = None,
            (Some(name), None) => block = Some(name),
            (None, Some("console")) if kind == "sh" => match line.strip_prefix("$ ") {
                Some(line) => printed.extend(command(number + 1, line)),
                None if line == "..." => {}
                None => printed.last_mut().expect("a command comes first").shown.push(line.into()),
            },
            (None, Some(name)) if name == kind => {
                let (first, before) = begun.take().unwrap_or((number + 1, String::new()));
                if let Some(part) = line.strip_suffix('\\') {
                    begun = Some((first, before + part));
                    continue;
                }
                printed.extend(command(first, &(before + line)));
            }
            _ => {}
        }
    }
    printed
}

/// A copy of what git has of the project, with the programs that were built for it beside.
fn copied() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let copy = "git ls-files -z | xargs -0 cp --parents --target-directory \"$1\"";
    let status = Command::new("sh").args(["-c", copy, "sh"]).arg(folder.path()).current_dir(root()).status();
    assert!(status.expect("it starts").success(), "the project could not be copied");
    let link = |from: &Path, to: &Path| std::os::unix::fs::symlink(from, to).expect("a link");
    for name in [".venv", ".venv-cuda"] {
        if root().join(name).exists() {
            link(&root().join(name), &folder.path().join(name));
        }
    }
    // The tool that is tested is where `make` would have built it, and the benches' results where they would
    // be.
    let target = folder.path().join("target");
    fs::create_dir_all(target.join("release")).expect("created");
    link(&cargo_bin("gpurf"), &target.join("release/gpurf"));
    if root().join("target/criterion").exists() {
        link(&root().join("target/criterion"), &target.join("criterion"));
    }
    folder
}

/// Runs these commands of a page, and gives back the first that fails with what it said.
fn run(document: &Document, commands: &[Printed]) -> Result<(), String> {
    let folder = copied();
    let mut script = String::from("set -o pipefail\nat=$PWD\n");
    for Printed { line, command, .. } in commands {
        writeln!(
            script,
            "echo {line} > \"$at/.line\"
{{ {command}
}} > \"$at/.said_{line}\" 2>&1 || exit 1"
        )
        .expect("a text");
    }
    let programs = cargo_bin("gpurf").parent().expect("a folder").to_path_buf();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").expect("a path"));
    let mut shell = Command::new("bash");
    shell.args(["-c", &script]).current_dir(&folder).env("PATH", path).env("HOME", home(folder.path()));
    let status = shell.status().expect("bash starts");
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap_or_default();
    if status.success() {
        for Printed { line, command, shown, .. } in commands {
            let said = read(&format!(".said_{line}"));
            let mut lines = said.lines();
            if let Some(missing) = shown.iter().find(|shown| !lines.any(|line| line == *shown)) {
                let path = document.path.display();
                return Err(format!("{path}:{line}: `{command}` does not print `{missing}`, but:\n{said}"));
            }
        }
        return Ok(());
    }
    let line = read(".line").trim().parse().unwrap_or(0);
    let command = commands.iter().find(|command| command.line == line).map_or("", |found| &found.command);
    let said = read(&format!(".said_{line}"));
    Err(format!("{}:{line}: `{command}` fails:\n{said}", document.path.display()))
}

/// A home of its own, for what commands write there, with the caches and the toolchain of the real one.
fn home(folder: &Path) -> std::path::PathBuf {
    let home = folder.join(".home");
    fs::create_dir_all(&home).expect("created");
    if let Some(real) = std::env::var_os("HOME").map(std::path::PathBuf::from) {
        for name in [".cache", ".cargo", ".rustup"] {
            let place = home.join(name);
            if real.join(name).exists() && !place.exists() {
                std::os::unix::fs::symlink(real.join(name), place).expect("a link");
            }
        }
    }
    home
}

fn run_all(is_wanted: impl Fn(&Printed) -> bool + Sync) {
    let failed: Vec<String> = documents()
        .par_iter()
        .filter_map(|document| {
            let commands: Vec<Printed> = printed(document, "sh").into_iter().filter(&is_wanted).collect();
            if commands.is_empty() {
                return None;
            }
            run(document, &commands).err()
        })
        .collect();
    assert!(failed.is_empty(), "printed commands that do not run:\n{}", failed.join("\n"));
}

#[test]
fn quick_commands_run_as_printed() {
    run_all(Printed::is_quick);
}

/// Whole suites and studies: `make` and its targets, which are tried by themselves, are left out.
#[test]
#[ignore = "hours"]
fn all_commands_run_as_printed() {
    run_all(|printed| !printed.command.starts_with("make"));
}

#[test]
fn printed_commands_say_how_long_they_take() {
    let mut wrong = vec![];
    for document in documents() {
        for printed in printed(&document, "sh") {
            let place = format!("{}:{}: {}", document.path.display(), printed.line, printed.command);
            if printed.is_of_a_program() && printed.time.is_none() {
                wrong.push(format!("{place}: no time; a comment ends with one of: {}", TIMES.join(", ")));
            }
            if printed.command.contains("path/to") {
                wrong.push(format!("{place}: names a path of the reader's; mark the block as `text`"));
            }
        }
        for printed in printed(&document, "") {
            if printed.is_of_a_program() {
                let place = format!("{}:{}", document.path.display(), printed.line);
                wrong.push(format!("{place}: `{}`: mark the block as `sh`", printed.command));
            }
        }
        let templates = printed(&document, "text");
        for printed in templates.iter().filter(|printed| printed.is_of_a_program()) {
            let is_template = templates.iter().any(|printed| printed.command.contains("path/to"));
            if !is_template {
                let place = format!("{}:{}", document.path.display(), printed.line);
                wrong.push(format!("{place}: `{}` could run: mark the block as `sh`", printed.command));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// `make` and a target of the Makefile, or a script of the project.
#[test]
fn targets_and_scripts_exist() {
    let makefile = fs::read_to_string(root().join("Makefile")).expect("the Makefile");
    let mut wrong = vec![];
    for document in documents() {
        for Printed { line, command, .. } in printed(&document, "sh") {
            let words: Vec<&str> = command.split(' ').filter(|word| !word.contains('=')).collect();
            let is_there = match words[..] {
                ["make"] => true,
                ["make", target, ..] => makefile.contains(&format!("\n{}:", target.trim_end_matches(';'))),
                [script, ..] if script.starts_with("tools/") => root().join(script).exists(),
                _ => true,
            };
            if !is_there {
                wrong.push(format!("{}:{line}: {command}", document.path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
