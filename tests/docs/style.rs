// SPDX-License-Identifier: Apache-2.0
//! The house style, as far as a program can tell: how comments open, how long sentences are, what words stand
//! in for others, and how long lines are. CONTRIBUTING.md has all of it.
//!
//! `style.csv` has the places of each kind that are left, by folder or page. They may become fewer and never
//! more: `UPDATE_EXPECT=1 cargo test docs::style` writes the file when they have.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use walkdir::WalkDir;

use super::links::{documents, root, Document};

/// Words that a comment of an item does not open with.
const OPENINGS: [&str; 5] = ["Of", "What", "Whether", "That", "Those"];

/// What is said otherwise, and how.
const PHRASES: [(&str, &str); 5] = [
    ("in the place of", "instead of"),
    ("but for", "except for"),
    ("anew", "again"),
    ("of which", "whose, that"),
    ("for ever", "forever"),
];

const COLUMNS: usize = 110;
const WORDS: usize = 25;
/// Such a sentence is no better for its reader if it is the only one.
const MOST_WORDS: usize = 40;

const KEPT: &str = "tests/docs/style.csv";

/// How many places there are, by where and kind, and where each is.
#[derive(Default)]
struct Places(BTreeMap<(String, &'static str), Vec<String>>);

impl Places {
    fn add(&mut self, group: &str, kind: &'static str, place: String) {
        self.0.entry((group.to_string(), kind)).or_default().push(place);
    }
}

/// Lines of a page that are sentences: neither generated, nor code, nor a table.
fn prose(document: &Document) -> Vec<(usize, &str)> {
    let (mut is_code, mut is_generated) = (false, false);
    let lines = document.text.lines().enumerate().filter(|(_, line)| {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
            return false;
        }
        is_generated |= line.starts_with("<!-- generated: ");
        let is_prose = !is_code && !is_generated && !line.trim_start().starts_with('|');
        is_generated &= !line.starts_with("<!-- end");
        is_prose
    });
    lines.map(|(number, line)| (number + 1, line)).collect()
}

/// Sentences with the line in which they begin: they end with a mark, with a paragraph, or where an item of a
/// list begins.
fn sentences(lines: &[(usize, &str)]) -> Vec<(usize, usize)> {
    let mut sentences = vec![];
    let (mut begin, mut words, mut last) = (0, 0, 0);
    let mut end = |begin: &mut usize, words: &mut usize| {
        if *words > 0 {
            sentences.push((*begin, *words));
        }
        *words = 0;
    };
    for (number, line) in lines {
        let text = line.trim_start();
        let numbered = text.split_once(". ").filter(|(number, _)| number.parse::<u32>().is_ok());
        let is_item = text.starts_with("- ") || numbered.is_some();
        if text.is_empty() || is_item || text.starts_with('#') || *number > last + 1 {
            end(&mut begin, &mut words);
        }
        last = *number;
        // The target of a link is no word.
        let text = numbered.map_or(text, |(_, text)| text).trim_start_matches('#');
        for word in text.split_whitespace().filter(|word| *word != "-") {
            if words == 0 {
                begin = *number;
            }
            words += 1;
            let target = word.find("](").map(|at| at + 1..at + word[at..].find(')').map_or(0, |end| end + 1));
            let mut bare = word.to_string();
            if let Some(target) = target.filter(|target| !target.is_empty()) {
                bare.replace_range(target, "");
            }
            let bare = bare.trim_end_matches([')', '*', '"', '`', ']']);
            if bare.ends_with(['.', '!', '?', ':']) {
                end(&mut begin, &mut words);
            }
        }
    }
    end(&mut begin, &mut words);
    sentences
}

fn phrases(places: &mut Places, group: &str, place: &str, line: &str) {
    let line = line.to_lowercase();
    for (phrase, better) in PHRASES {
        let is_there = line.match_indices(phrase).any(|(at, _)| {
            let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
            !is_letter(line[..at].chars().next_back()) && !is_letter(line[at + phrase.len()..].chars().next())
        });
        if is_there {
            places.add(group, "phrase", format!("{place}: \"{phrase}\": write {better}"));
        }
    }
}

/// Whoever quotes a phrase to forbid it may write it.
const RULES: [&str; 2] = ["CONTRIBUTING.md", "tests/docs/style.rs"];

fn of_pages(places: &mut Places) {
    for document in documents() {
        let name = document.path.display().to_string();
        let lines = prose(&document);
        for (number, line) in &lines {
            let place = format!("{name}:{number}");
            // A link is not broken.
            if line.chars().count() > COLUMNS && !line.contains("](") {
                places.add(&name, "line", place.clone());
            }
            if !RULES.contains(&name.as_str()) {
                phrases(places, &name, &place, line);
            }
        }
        for (line, words) in sentences(&lines) {
            if words > MOST_WORDS {
                places.add(&name, "endless", format!("{name}:{line}: {words} words"));
            }
            if words > WORDS {
                places.add(&name, "sentence", format!("{name}:{line}: {words} words"));
            }
        }
    }
}

fn of_sources(places: &mut Places) {
    let is_skipped = |name: &str| ["target", "out", "broken"].contains(&name) || name.starts_with('.');
    let entries = WalkDir::new(root())
        .sort_by_file_name()
        .into_iter()
        .filter_entry(move |entry| entry.depth() == 0 || !is_skipped(&entry.file_name().to_string_lossy()));
    for entry in entries.map(|entry| entry.expect("a file")) {
        let path = entry.path().strip_prefix(root()).expect("it is in the project");
        if path.extension().is_none_or(|extension| extension != "rs")
            || RULES.contains(&&*path.to_string_lossy())
        {
            continue;
        }
        source(places, path, &fs::read_to_string(entry.path()).expect("a source"));
    }
}

fn source(places: &mut Places, path: &Path, text: &str) {
    let group = path.components().next().expect("a folder").as_os_str().to_string_lossy().into_owned();
    let mut is_comment = false;
    for (number, line) in text.lines().enumerate() {
        let place = format!("{}:{}", path.display(), number + 1);
        let line = line.trim_end();
        let comment = line.trim_start();
        let text = comment.strip_prefix("///").or(comment.strip_prefix("//!"));
        if let (Some(text), false) = (text, is_comment) {
            if text.split_whitespace().next().is_some_and(|word| OPENINGS.contains(&word)) {
                places.add(&group, "opening", format!("{place}:{text}"));
            }
        }
        is_comment = text.is_some();
        if comment.starts_with("//") {
            if line.chars().count() > COLUMNS {
                places.add(&group, "line", place.clone());
            }
            phrases(places, &group, &place, comment);
        }
    }
}

#[test]
fn the_house_style_is_kept() {
    let mut places = Places::default();
    of_pages(&mut places);
    of_sources(&mut places);

    let path = root().join(KEPT);
    let counted: BTreeMap<(String, &str), usize> =
        places.0.iter().map(|(key, places)| (key.clone(), places.len())).collect();
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        let lines = counted.iter().map(|((group, kind), count)| format!("{group},{kind},{count}\n"));
        fs::write(&path, format!("where,kind,places\n{}", lines.collect::<String>())).expect("written");
    }
    let kept = fs::read_to_string(&path).expect("the places that are left");
    let kept: BTreeMap<(String, String), usize> = kept
        .lines()
        .skip(1)
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            ((cells[0].to_string(), cells[1].to_string()), cells[2].parse().expect("a number"))
        })
        .collect();
    let mut wrong = vec![];
    for ((group, kind), count) in &counted {
        let may = kept.get(&(group.clone(), kind.to_string())).copied().unwrap_or(0);
        if *count > may {
            let places = &places.0[&(group.clone(), *kind)];
            wrong.push(format!("{group}, {kind}: {count}, and {may} before:\n  {}", places.join("\n  ")));
        }
    }
    assert!(wrong.is_empty(), "the house style (CONTRIBUTING.md) is not kept:\n{}", wrong.join("\n"));
}

#[test]
fn sentences_are_found_where_they_begin_and_end() {
    let text = "One two\nthree. Four `a.b` five:\n\n- six\n- seven [eight](x.md) nine.\n1. ten\n# Eleven\n";
    let lines: Vec<(usize, &str)> =
        text.lines().enumerate().map(|(number, line)| (number + 1, line)).collect();
    assert_eq!(sentences(&lines), [(1, 3), (2, 3), (4, 1), (5, 3), (6, 1), (7, 1)]);
}

#[test]
fn openings_phrases_and_long_lines_are_found() {
    let mut places = Places::default();
    let long = format!("// {}\n", "x".repeat(COLUMNS));
    source(
        &mut places,
        Path::new("a/b.rs"),
        &format!("/// Of a thing, in the place of another.\n{long}/// A thing.\n/// Of.\n"),
    );
    let kinds: Vec<_> =
        places.0.iter().map(|((group, kind), places)| (group.as_str(), *kind, places.len())).collect();
    assert_eq!(kinds, [("a", "line", 1), ("a", "opening", 1), ("a", "phrase", 1)]);
}
