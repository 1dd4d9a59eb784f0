// SPDX-License-Identifier: Apache-2.0
//! The head of a module: where it comes from, what it does, how it is driven.

use super::contract::ContractRule;
use super::lines::{comment, filled};
use super::scope::Scope;
use super::signals::{Role, Signals, Vector};
use super::style::Origin;
use crate::writer;

/// The license of the project, as SPDX names it.
const LICENSE: &str = env!("CARGO_PKG_LICENSE");

/// The head of a module.
pub fn text(scope: &Scope, signals: &Signals, contract: &[ContractRule]) -> String {
    let style = &signals.style;
    let identity = &scope.identity;
    let mut text = String::new();
    if style.origin.is_some() {
        text += &format!("// SPDX-License-Identifier: {LICENSE}\n//\n");
    }
    text += &comment("", &format!("{}: {}", identity.verilog_name, plain(&identity.origin)));
    if let Some(origin) = &style.origin {
        text += &comment("", &format!("Made by {}, with", writer()));
        text += &format!("//   {}\n", origin.command);
    }
    if !identity.values.is_empty() {
        text += "//\n// Parameters:\n";
        for (name, value) in &identity.values {
            text += &format!("//   {name} = {value}\n");
        }
    }
    text += &about(&identity.about, &identity.values);
    if let Some(reset) = signals.vectors.iter().find(|vector| vector.is_reset && vector.role == Role::Input) {
        let level = if style.reset.is_low { "low" } else { "high" };
        let words =
            format!("Reset: `{}`, synchronous, active {level}; one cycle before the first use.", reset.name);
        text += &format!("//\n{}", comment("", &words));
    }
    for (is_of_driver, head) in [(true, "Whoever drives it avoids:"), (false, "It never happens inside:")] {
        let mut rules = contract.iter().filter(|rule| rule.is_of_driver == is_of_driver).peekable();
        if rules.peek().is_some() {
            text += &format!("//\n// {head}\n");
            rules.for_each(|rule| text += &item(&plain(&rule.text)));
        }
    }
    if let Some(origin) = &style.origin {
        text += &papers(origin, &format!("{} {}", identity.origin, identity.about));
    }
    if signals.vectors.iter().any(Vector::is_packed) {
        let blank = if text.lines().count() > 1 { "//\n" } else { "" };
        text += &format!("{blank}// Arrays are packed: element 0 has the lowest bits.\n");
    }
    text
}

/// Markdown of a module's file as lines of comment. A section whose heading names a setting in brackets is
/// left out of modules with another value.
fn about(markdown: &str, values: &[(String, String)]) -> String {
    let mut text = String::new();
    let mut paragraph: Vec<&str> = vec![];
    let (mut is_code, mut is_left_out) = (false, false);
    let end = |paragraph: &mut Vec<&str>, text: &mut String| {
        if let Some(first) = paragraph.first() {
            let words = paragraph.join(" ");
            *text += &match bullet(first) {
                Some((mark, _)) => listed(mark, &plain(bullet(&words).map_or("", |(_, rest)| rest))),
                None => format!("//\n{}", comment("", &plain(&words))),
            };
            paragraph.clear();
        }
    };
    for line in markdown.lines() {
        if let (Some(heading), false) = (line.strip_prefix("# "), is_code) {
            end(&mut paragraph, &mut text);
            let (title, setting) = heading.split_once(" (`").unwrap_or((heading, ""));
            let setting = setting.strip_suffix("`)").and_then(|setting| setting.split_once('='));
            is_left_out = setting
                .is_some_and(|(name, value)| values.iter().any(|(known, has)| known == name && has != value));
            if !is_left_out {
                text += &format!("//\n// {}:\n", plain(title));
            }
        } else if is_left_out {
        } else if line.starts_with("```") {
            end(&mut paragraph, &mut text);
            is_code = !is_code;
        } else if line.starts_with('|') {
            if !line.contains("---") {
                text += &format!("//   {}\n", plain(line));
            }
        } else if is_code {
            text += format!("//   {}", plain(line)).trim_end();
            text.push('\n');
        } else if line.trim().is_empty() {
            end(&mut paragraph, &mut text);
        } else {
            if bullet(line).is_some() {
                end(&mut paragraph, &mut text);
            }
            paragraph.push(line.trim());
        }
    }
    end(&mut paragraph, &mut text);
    text
}

/// The mark of an item of a list, and what follows it.
fn bullet(line: &str) -> Option<(&str, &str)> {
    let (mark, rest) = line.split_once(' ')?;
    match mark.strip_suffix('.') {
        _ if ["*", "-"].contains(&mark) => Some(("*", rest)),
        Some(number) => number.parse::<u32>().is_ok().then_some((mark, rest)),
        None => None,
    }
}

fn item(words: &str) -> String {
    listed("*", words)
}

fn listed(mark: &str, words: &str) -> String {
    let margin = format!("//   {}", " ".repeat(mark.len()));
    filled(&format!("//   {mark}"), words.split_whitespace(), &margin)
}

/// The papers that a text cites, in full.
fn papers(origin: &Origin, text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().map(|word| word.trim_start_matches('(')).collect();
    // With or without the sign of a section.
    let is_place = |word: &str| {
        let number = word.trim_start_matches('\u{a7}');
        number.starts_with(|letter: char| letter.is_ascii_digit() || "IVX".contains(letter))
            || ["Fig", "Table"].iter().any(|kind| number.starts_with(kind))
    };
    let is_cited = |letter: &str| words.windows(2).any(|pair| pair[0] == letter && is_place(pair[1]));
    let cited = origin.papers.iter().filter(|(letter, _)| is_cited(letter));
    let lines: String = cited.map(|(letter, paper)| item(&format!("{letter}: {}", plain(paper)))).collect();
    match lines.is_empty() {
        true => lines,
        false => format!("//\n// Papers:\n{lines}"),
    }
}

/// A text in letters that every tool reads, without links and bold letters.
fn plain(text: &str) -> String {
    let mut letters = String::new();
    let text = text.replace("**", "");
    let mut rest = &text[..];
    while let Some(letter) = rest.chars().next() {
        let (inside, after) = match link(rest) {
            Some((inside, after)) => (inside, after),
            None => {
                rest = &rest[letter.len_utf8()..];
                match letter {
                    '\u{a7}' => {}
                    '\u{d7}' => letters.push('x'),
                    '\u{b7}' => letters.push('*'),
                    '\u{2013}' | '\u{2212}' => letters.push('-'),
                    letter if letter.is_ascii() => letters.push(letter),
                    _ => letters.push('?'),
                }
                continue;
            }
        };
        letters.push_str(&plain(inside));
        rest = after;
    }
    letters
}

/// The words of a link at the beginning of a text, and what follows: `[words](target)`, or a name alone.
fn link(text: &str) -> Option<(&str, &str)> {
    let (inside, after) = text.strip_prefix('[')?.split_once(']')?;
    match after.strip_prefix('(').and_then(|target| target.split_once(')')) {
        Some((_, after)) => Some((inside, after)),
        None => (inside.starts_with('`') && inside.ends_with('`')).then_some((inside, after)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_their_words() {
        let text =
            "as [`Ccu`], [`Ocu`](super::Ocu) and [the flow (\u{a7}II)](../synthesis.md#flow) have `e[0]` (1)";
        assert_eq!(plain(text), "as `Ccu`, `Ocu` and the flow (II) have `e[0]` (1)");
    }

    #[test]
    fn a_section_of_a_setting_is_left_out_of_others() {
        let text = "A cell.\n\n# Timing\n\nAt once.\n\n# Two ports (`ports=2`)\n\nBoth.\n\n# Cost\n\n| a | b |\n|---|---|\n| 1 | 2 |";
        let of = |ports: &str| about(text, &[("ports".into(), ports.into())]);
        let both = of("2");
        let section = "//\n// Two ports:\n//\n// Both.\n";
        assert!(both.contains(section) && both.contains("//\n// Timing:\n//\n// At once.\n"), "{both}");
        assert_eq!(of("1"), both.replace(section, ""));
        assert!(both.ends_with("// Cost:\n//   | a | b |\n//   | 1 | 2 |\n"), "{both}");
    }
}
