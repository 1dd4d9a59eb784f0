// SPDX-License-Identifier: Apache-2.0
//! Targets that the documents point to exist: files, headings, and the tests and benches of commands.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Folders that commands write, and what is hidden, hold nothing that a document could point to.
const WRITTEN: [&str; 2] = ["out", "target"];

pub struct Document {
    /// From the root of the repository.
    pub path: PathBuf,
    pub text: String,
}

impl Document {
    fn read(path: PathBuf) -> Self {
        let text = fs::read_to_string(root().join(&path));
        let text = text.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Document { path, text }
    }

    /// The lines outside of code blocks.
    fn prose(&self) -> String {
        let mut in_block = false;
        let mut prose = String::new();
        for line in self.text.lines() {
            let is_fence = line.trim_start().starts_with("```");
            in_block ^= is_fence;
            if !in_block && !is_fence {
                prose += line;
                prose += "\n";
            }
        }
        prose
    }

    /// Headings as links name them.
    fn anchors(&self) -> BTreeSet<String> {
        let prose = self.prose();
        let headings = prose.lines().filter(|line| line.starts_with('#'));
        headings.map(|line| anchor(line.trim_start_matches('#'))).collect()
    }

    /// Targets of links within the repository.
    fn links(&self) -> Vec<String> {
        let prose = self.prose();
        let targets = prose.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next());
        targets.filter(|target| !target.contains("://")).map(str::to_string).collect()
    }

    /// Words between backticks.
    fn code(&self) -> Vec<String> {
        let prose = self.prose();
        let spans = prose.lines().flat_map(|line| line.split('`').skip(1).step_by(2));
        let words = spans.flat_map(str::split_whitespace);
        words.map(|word| word.trim_end_matches(['.', ',', ';', ':']).to_string()).collect()
    }
}

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The page from which mdBook takes the order of its pages.
const SUMMARY: &str = "docs/SUMMARY.md";

/// README.md, CONTRIBUTING.md, the pages, and what explains the papers' files and the dialect's rules.
pub fn documents() -> Vec<Document> {
    let mut paths: Vec<PathBuf> =
        ["README.md", "CONTRIBUTING.md", "papers/README.md", "hw/rtl/src/rtl/rules.md"]
            .map(PathBuf::from)
            .into();
    for entry in root().join("docs").read_dir().expect("the pages") {
        let name = entry.expect("a page").file_name();
        paths.push(Path::new("docs").join(name));
    }
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    paths.sort();
    paths.into_iter().map(Document::read).collect()
}

/// A heading as GitHub writes its anchor.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
    kept.map(|letter| if letter == ' ' { '-' } else { letter }).flat_map(char::to_lowercase).collect()
}

/// A path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut plain, component| {
        match component {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            part => plain.push(part),
        }
        plain
    })
}

#[test]
fn links_lead_to_files_and_headings() {
    let mut broken = vec![];
    let documents = documents();
    for document in &documents {
        let folder = document.path.parent().expect("a file is in a folder");
        for link in document.links() {
            let (file, heading) = link.split_once('#').unwrap_or((&link, ""));
            let path = match file {
                "" => document.path.clone(),
                file => plain(&folder.join(file)),
            };
            let target = documents.iter().find(|document| document.path == path);
            let is_there = root().join(&path).exists()
                && (heading.is_empty() || target.is_some_and(|target| target.anchors().contains(heading)));
            if !is_there {
                broken.push(format!("{}: {link}", document.path.display()));
            }
        }
    }
    assert!(broken.is_empty(), "links that lead nowhere:\n{}", broken.join("\n"));
}

/// The book has every page once.
#[test]
fn the_summary_has_every_page() {
    let summary = Document::read(SUMMARY.into());
    let mut links: Vec<String> = summary.links().into_iter().filter(|link| !link.is_empty()).collect();
    let pages = documents().into_iter().map(|document| document.path);
    let pages = pages.filter(|path| path.starts_with("docs") && path != Path::new(SUMMARY));
    let mut pages: Vec<String> =
        pages.map(|path| path.file_name().expect("a name").to_string_lossy().into_owned()).collect();
    pages.extend(["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(|page| format!("../{page}")));
    links.sort();
    pages.sort();
    assert_eq!(links, pages);
}

#[test]
fn paths_in_backticks_exist() {
    let mut tops = BTreeSet::new();
    let mut names = BTreeSet::new();
    for entry in root().read_dir().expect("the repository") {
        let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
        if !name.starts_with('.') && !WRITTEN.contains(&name.as_str()) {
            collect_names(&root().join(&name), &mut names);
            tops.insert(name);
        }
    }
    let mut missing = vec![];
    for document in documents() {
        for word in document.code() {
            // `hw/src/GROUP/NAME.rs` stands for many.
            let stands_for_many = word.split(['/', '.']).any(|part| {
                part.contains('*')
                    || (part.len() > 1 && part.chars().all(|letter| letter.is_ascii_uppercase()))
            });
            let is_missing = match word.split_once('/') {
                Some((top, _)) => tops.contains(top) && !stands_for_many && !root().join(&word).exists(),
                None => word.ends_with(".rs") && !names.contains(&word),
            };
            if is_missing {
                missing.push(format!("{}: {word}", document.path.display()));
            }
        }
    }
    assert!(missing.is_empty(), "paths that do not exist:\n{}", missing.join("\n"));
}

/// The names of all files below a path.
fn collect_names(path: &Path, names: &mut BTreeSet<String>) {
    match path.read_dir() {
        Ok(entries) => entries.for_each(|entry| collect_names(&entry.expect("an entry").path(), names)),
        Err(_) => {
            let name = path.file_name().expect("a file has a name");
            names.insert(name.to_string_lossy().into_owned());
        }
    }
}

#[test]
fn commands_name_tests_and_benches_that_exist() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("the workspace");
    let manifest: toml::Table = manifest.parse().expect("it is TOML");
    let members = manifest["workspace"]["members"].as_array().expect("a list");
    let folders: Vec<PathBuf> =
        members.iter().map(|path| root().join(path.as_str().expect("a path"))).collect();
    let folder = |package: &str| -> Option<PathBuf> {
        let is_named = |folder: &&PathBuf| {
            let text = fs::read_to_string(folder.join("Cargo.toml")).expect("a member's manifest");
            text.contains(&format!("name = \"{package}\""))
        };
        folders.iter().find(is_named).cloned()
    };
    let mut missing = vec![];
    for document in documents() {
        let words: Vec<&str> = document
            .text
            .split_whitespace()
            .map(|word| word.trim_matches(['`', ')', '(', ',', '.', ';']))
            // A module's tests keep theirs.
            .map(|word| if word.ends_with("::") { word } else { word.trim_matches([':', '`', ')']) })
            .collect();
        for (place, _) in words.iter().enumerate().filter(|(_, word)| **word == "cargo") {
            let command = &words[place..words.len().min(place + 8)];
            let after = |name: &str| {
                let place = command.iter().position(|word| *word == name)?;
                command.get(place + 1).copied()
            };
            let package = match after("-p") {
                Some(package) => folder(package),
                None => Some(root().to_path_buf()),
            };
            for (option, kind) in [("--test", "tests"), ("--bench", "benches"), ("--example", "examples")] {
                let Some(name) = after(option) else { continue };
                let is_there = package.as_ref().is_some_and(|package| {
                    let target = package.join(kind).join(name);
                    target.with_extension("rs").exists() || target.join("main.rs").exists()
                });
                if !is_there {
                    missing.push(format!("{}: {}", document.path.display(), command.join(" ")));
                }
            }
            // What else picks tests names a module of the package's one program, and perhaps a test in it.
            let filter =
                command.iter().find(|word| word.contains("::")).filter(|_| after("--test").is_none());
            if let (Some(filter), Some(package)) = (filter, &package) {
                let (module, test) = filter.split_once("::").expect("it has one");
                // A package of nothing but tests has them beside its manifest.
                let folders = [package.join("tests"), package.clone()];
                let text = folders.into_iter().flat_map(|folder| {
                    let module = folder.join(module);
                    [module.with_extension("rs"), module.join("mod.rs")].map(fs::read_to_string)
                });
                let is_test = |text: &String| {
                    let named = |kind: &str| text.contains(&format!("{kind} {test}"));
                    test.is_empty() || named("fn") || named("mod")
                };
                if !text.flatten().any(|text| is_test(&text)) {
                    missing.push(format!("{}: {}", document.path.display(), command.join(" ")));
                }
            }
            if package.is_none() {
                missing.push(format!("{}: {}", document.path.display(), command.join(" ")));
            }
        }
    }
    assert!(missing.is_empty(), "commands that name what does not exist:\n{}", missing.join("\n"));
}
