// SPDX-License-Identifier: Apache-2.0
//! The house style, as far as a program can tell: how comments open, how long sentences and lines are, and
//! which words stand in for others. CONTRIBUTING.md has all of it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use gpurf_hw::catalogue::{catalogue, find};
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
/// Words of prose in all pages, without those that are generated.
const ALL_WORDS: usize = 50_000;
/// Words of prose and tables in a page that is read from its beginning to its end.
const PAGE_WORDS: usize = 4_000;
/// A code span that is longer is not broken.
const SPAN: usize = 60;

/// Lines of a page that are sentences: neither generated, nor code, nor a table.
fn prose(text: &str) -> Vec<(usize, &str)> {
    let (mut is_code, mut is_generated) = (false, false);
    let lines = text.lines().enumerate().filter(|(_, line)| {
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

fn phrases(places: &mut Vec<String>, place: &str, line: &str) {
    let line = line.to_lowercase();
    for (phrase, better) in PHRASES {
        let is_there = line.match_indices(phrase).any(|(at, _)| {
            let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
            !is_letter(line[..at].chars().next_back()) && !is_letter(line[at + phrase.len()..].chars().next())
        });
        if is_there {
            places.push(format!("{place}: \"{phrase}\": write {better}"));
        }
    }
}

/// Whoever quotes a phrase to forbid it may write it.
const RULES: [&str; 2] = ["CONTRIBUTING.md", "tests/docs/style.rs"];

/// A line that could be broken. Links and long code spans are not.
fn is_long(line: &str) -> bool {
    let has_span = line.split('`').skip(1).step_by(2).any(|span| span.chars().count() > SPAN);
    line.chars().count() > COLUMNS && !has_span && !line.contains("](")
}

fn of_pages(places: &mut Vec<String>) {
    for document in documents() {
        let name = document.path.display().to_string();
        let lines = prose(&document.text);
        for (number, line) in &lines {
            let place = format!("{name}:{number}");
            if is_long(line) {
                places.push(format!("{place}: over {COLUMNS} columns"));
            }
            if !RULES.contains(&name.as_str()) {
                phrases(places, &place, line);
            }
        }
        for (line, words) in sentences(&lines) {
            if words > WORDS {
                places.push(format!("{name}:{line}: a sentence of {words} words"));
            }
        }
    }
}

fn of_sources(places: &mut Vec<String>) {
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

fn source(places: &mut Vec<String>, path: &Path, text: &str) {
    let mut is_comment = false;
    // A module's page includes the text at the head of its file.
    if path.starts_with("hw/src") {
        let head = |line: &str| {
            line.strip_prefix("//!").map_or(String::new(), |text| text[text.len().min(1)..].into())
        };
        let head = text.lines().map(head).collect::<Vec<_>>().join("\n");
        for (line, words) in sentences(&prose(&head)).into_iter().filter(|(_, words)| *words > WORDS) {
            places.push(format!("{}:{line}: a sentence of {words} words", path.display()));
        }
    }
    for (number, line) in text.lines().enumerate() {
        let place = format!("{}:{}", path.display(), number + 1);
        let line = line.trim_end();
        let comment = line.trim_start();
        let text = comment.strip_prefix("///").or(comment.strip_prefix("//!"));
        if let (Some(text), false) = (text, is_comment) {
            if text.split_whitespace().next().is_some_and(|word| OPENINGS.contains(&word)) {
                places.push(format!("{place}: it opens with neither noun nor verb:{text}"));
            }
        }
        is_comment = text.is_some();
        if comment.starts_with("//") {
            let is_row = comment.starts_with("//! |");
            if line.chars().count() > COLUMNS && !is_row && !comment.contains("](") {
                places.push(format!("{place}: over {COLUMNS} columns"));
            }
            phrases(places, &place, comment);
        }
    }
}

#[test]
fn the_house_style_is_kept() {
    let mut places = vec![];
    of_pages(&mut places);
    of_sources(&mut places);
    assert!(places.is_empty(), "the house style (CONTRIBUTING.md) is not kept:\n{}", places.join("\n"));
}

/// Reference is looked up, and not read.
#[test]
fn pages_can_be_read() {
    let summary = fs::read_to_string(root().join("docs/SUMMARY.md")).expect("the book's contents");
    let reference = summary.split("# Reference").nth(1).and_then(|rest| rest.split("\n# ").next());
    let reference = reference.expect("a part of the book");
    let (mut all, mut long) = (0, vec![]);
    for Document { path, text } in documents() {
        // History and contents are no prose.
        if ["CHANGELOG.md", "docs/SUMMARY.md"].contains(&&*path.to_string_lossy()) {
            continue;
        }
        let count = |text: &str| text.split_whitespace().count();
        all += prose(&text).iter().map(|(_, line)| count(line)).sum::<usize>();
        let shown = text.lines().filter(|line| !line.starts_with("<!--"));
        let words = shown.map(count).sum::<usize>();
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        if words > PAGE_WORDS && !reference.contains(&format!("({name})")) {
            long.push(format!("{}: {words} words", path.display()));
        }
    }
    assert!(long.is_empty(), "longer than {PAGE_WORDS} words, and no reference: {}", long.join(", "));
    assert!(all <= ALL_WORDS, "{all} words of prose: at most {ALL_WORDS}");
}

/// A module's text stands at the head of its file, and its page includes it.
#[test]
fn pages_of_modules_include_their_text() {
    let included: Vec<String> = documents()
        .iter()
        .flat_map(|document| document.text.lines().map(String::from).collect::<Vec<_>>())
        .filter_map(|line| Some(line.strip_prefix("<!-- generated: module ")?.strip_suffix(" -->")?.into()))
        .collect();
    let sources: Vec<&str> =
        included.iter().map(|name| find(name).unwrap_or_else(|error| panic!("{error}")).source).collect();
    let missing: BTreeSet<&str> =
        catalogue().iter().map(|entry| entry.source).filter(|source| !sources.contains(source)).collect();
    assert!(missing.is_empty(), "no page includes the text of {missing:?}");
    for (place, source) in sources.iter().enumerate() {
        assert!(!sources[..place].contains(source), "{source}: its text stands twice");
    }
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
    let mut places = vec![];
    let long = format!("// {}\n", "x".repeat(COLUMNS));
    source(
        &mut places,
        Path::new("a/b.rs"),
        &format!("/// Of a thing, in the place of another.\n{long}/// A thing.\n/// Of.\n"),
    );
    let said = |what: &str| places.iter().filter(|place| place.contains(what)).count();
    assert_eq!(
        (places.len(), said("a/b.rs:1: it opens"), said("instead of"), said("a/b.rs:2: over")),
        (3, 1, 1, 1)
    );
}
