// SPDX-License-Identifier: Apache-2.0
//! Names that are close to one that is not there.

use strsim::{jaro_winkler, osa_distance};

/// Names that are less alike are no suggestion.
const ALIKE: f64 = 0.8;
/// More suggestions help nobody.
const MOST: usize = 3;
/// Longer lists of names are no help in a message.
const LETTERS: usize = 300;

/// A remedy for an unknown name, to be put behind the problem: the names that are close to it, or all names
/// if they are few. `list` is a sentence that tells where all of them are listed.
pub fn suggestion<'a>(name: &str, known: impl IntoIterator<Item = &'a str>, list: &str) -> String {
    of(name, &known.into_iter().collect::<Vec<_>>(), list)
}

fn of(name: &str, known: &[&str], list: &str) -> String {
    let wanted = name.to_lowercase();
    let likeness = |known: &str| {
        let known = known.to_lowercase();
        let is_part =
            wanted.len() > 1 && known.contains(&wanted) || known.len() > 2 && wanted.contains(&known);
        // A letter too many, missing or wrong, or two letters swapped.
        match is_part || osa_distance(&wanted, &known) == 1 {
            true => 1.0,
            false => jaro_winkler(&wanted, &known),
        }
    };
    let mut close: Vec<(f64, &str)> = known.iter().map(|known| (likeness(known), *known)).collect();
    close.retain(|(likeness, _)| *likeness >= ALIKE);
    // Names that are equally alike stay in their order.
    close.sort_by(|one, other| other.0.total_cmp(&one.0));
    close.truncate(MOST);
    match &close.iter().map(|(_, known)| *known).collect::<Vec<_>>()[..] {
        [] if known.join(", ").len() <= LETTERS => format!("; there are {}", known.join(", ")),
        [] => format!(". {list}"),
        [one] => format!("; did you mean {one}? {list}"),
        [first @ .., last] => format!("; did you mean {} or {last}? {list}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_close_are_suggested_and_few_are_listed() {
        let known = ["sgemm", "hgemm", "lrt_scan", "lrt_cam", "operand_stage", "ccu", "ccu_stage"];
        let of = |name| suggestion(name, known, "There is a list");
        assert_eq!(of("sgem"), "; did you mean sgemm? There is a list");
        assert_eq!(of("lrt"), "; did you mean lrt_scan or lrt_cam? There is a list");
        assert_eq!(of("stage"), "; did you mean operand_stage or ccu_stage? There is a list");
        assert_eq!(of("cuc"), "; did you mean ccu? There is a list");
        assert_eq!(of("CCU"), "; did you mean ccu or ccu_stage? There is a list");
        assert_eq!(of("zzz"), format!("; there are {}", known.join(", ")));
        let many: Vec<String> = (100..200).map(|number| format!("name_{number}")).collect();
        assert_eq!(
            suggestion("zzz", many.iter().map(String::as_str), "There is a list"),
            ". There is a list"
        );
    }
}
