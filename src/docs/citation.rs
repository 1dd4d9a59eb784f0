// SPDX-License-Identifier: Apache-2.0
//! Places in the papers, as declarations of modules and rules of scenarios cite them: `W §3.2, F §III-C`,
//! `I 3.1, Fig. 8a: requests of four sub-cores`.

use std::fmt;

/// Letters of the papers.
pub const PAPERS: [&str; 6] = ["W", "F", "I", "R", "C", "H"];

/// A section, figure or table of a paper. Sections go before figures, and each kind by its number.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CitedPlace {
    kind: Kind,
    /// `IV-B3` as 4, the code of b, 3.
    order: Vec<u32>,
    number: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Section,
    Figure,
    Table,
}

impl CitedPlace {
    fn new(kind: Kind, number: &str) -> Self {
        CitedPlace { kind, order: order(number), number: number.to_string() }
    }

    /// Returns true if another place is this one or a part of it: §IV-B3 is in §IV-B, and Fig. 8a in Fig. 8.
    pub fn contains(&self, other: &CitedPlace) -> bool {
        self.kind == other.kind && other.order.starts_with(&self.order)
    }
}

impl fmt::Display for CitedPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            Kind::Section => "§",
            Kind::Figure => "Fig. ",
            Kind::Table => "Table ",
        };
        write!(f, "{kind}{}", self.number)
    }
}

/// Every number and letter of a place by its value.
fn order(number: &str) -> Vec<u32> {
    let mut order = vec![];
    for part in number.split(['.', '-']) {
        if order.is_empty() && part.chars().all(|letter| "IVX".contains(letter)) {
            order.push(roman(part));
            continue;
        }
        let digits = |text: &str| text.chars().take_while(char::is_ascii_digit).count();
        let (first, rest) = part.split_at(digits(part));
        order.extend(first.parse::<u32>());
        let mut letters = rest.chars();
        order.extend(letters.next().map(|letter| u32::from(letter.to_ascii_lowercase())));
        order.extend(letters.as_str().parse::<u32>());
    }
    order
}

fn roman(number: &str) -> u32 {
    let values = number.chars().map(|letter| match letter {
        'I' => 1,
        'V' => 5,
        _ => 10,
    });
    let add = |(sum, after), value| (if value < after { sum - value } else { sum + value }, value);
    values.rev().fold((0, 0), add).0
}

/// The places of one paper that a text cites before its first colon, ranges written out.
pub fn places(text: &str, paper: &str) -> Vec<CitedPlace> {
    let text = marked(text);
    let (mut cited, mut kind, mut range) = (false, None, false);
    let mut places: Vec<CitedPlace> = vec![];
    for word in citation(&text).split_whitespace().map(bare) {
        if PAPERS.contains(&word) {
            cited = word == paper;
        } else if let Some(number) = word.strip_prefix('§').filter(|_| cited) {
            if let (true, Some(first)) = (range, places.last().cloned()) {
                places.extend(between(&first.number, number));
            }
            places.push(CitedPlace::new(Kind::Section, number));
        } else if let Some(kind) = kind.filter(|_| cited) {
            places.push(CitedPlace::new(kind, word));
        }
        range = word == "to";
        kind = match word {
            "Fig." => Some(Kind::Figure),
            "Table" => Some(Kind::Table),
            _ => None,
        };
    }
    places
}

/// The sections between two that differ in the last number only.
fn between(first: &str, last: &str) -> Vec<CitedPlace> {
    let (Some((chapter, first)), Some((_, last))) = (first.rsplit_once('.'), last.rsplit_once('.')) else {
        return vec![];
    };
    let (Ok(first), Ok(last)) = (first.parse::<u32>(), last.parse::<u32>()) else { return vec![] };
    (first + 1..last).map(|number| CitedPlace::new(Kind::Section, &format!("{chapter}.{number}"))).collect()
}

/// A text with a § before every section that it cites before its first colon.
pub fn marked(text: &str) -> String {
    let (mut cites, mut before) = (false, "");
    let mut words: Vec<String> = vec![];
    let head = citation(text);
    for (word, next) in head.split(' ').zip(head.split(' ').skip(1).chain([""])) {
        let is_paper = PAPERS.contains(&word) && is_place(next);
        let of_figure = ["Fig.", "Table"].contains(&before);
        let is_section = cites && !of_figure && is_number(bare(word));
        cites = is_paper || (cites && (is_place(word) || of_figure || ["to", "and"].contains(&word)));
        words.push(if is_section && !is_paper { format!("§{word}") } else { word.to_string() });
        before = word;
    }
    words.join(" ") + &text[head.len()..]
}

/// Returns true if a word is a place, or the first of the two words of one.
fn is_place(word: &str) -> bool {
    word.starts_with('§') || ["Fig.", "Table"].contains(&word) || is_number(bare(word))
}

/// Returns true if a word is the number of a section: `3.1`, `IV-B3`.
fn is_number(word: &str) -> bool {
    word.starts_with(|letter: char| letter.is_ascii_digit() || "IVX".contains(letter))
        && word.chars().all(|letter| letter.is_ascii_digit() || "IVX.-ABCDEFGH".contains(letter))
}

/// The part before the first colon.
fn citation(text: &str) -> &str {
    text.split(':').next().unwrap_or(text)
}

fn bare(word: &str) -> &str {
    word.trim_end_matches([',', ';'])
}
