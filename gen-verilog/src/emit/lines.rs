// SPDX-License-Identifier: Apache-2.0
//! Long lines, broken where a reader would break them.

/// Most characters of a line.
pub const LONGEST: usize = 100;

/// The same text with lines of at most [`LONGEST`] characters, as far as they have places to break.
pub fn broken(text: &str) -> String {
    let mut lines = vec![];
    for line in text.lines() {
        let margin = line.len() - line.trim_start().len();
        break_line(line.to_string(), margin, &mut lines);
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Words as lines of comment.
pub fn comment(margin: &str, words: &str) -> String {
    filled(&format!("{margin}//"), words.split_whitespace(), &format!("{margin}//"))
}

/// Words in lines that start with `head`, and the further ones with `margin`.
pub fn filled<'a>(head: &str, words: impl Iterator<Item = &'a str>, margin: &str) -> String {
    let mut lines = vec![head.to_string()];
    let mut is_empty = true;
    for word in words {
        let line = lines.last_mut().expect("there is a line");
        if !is_empty && line.len() + 1 + word.len() > LONGEST {
            lines.push(format!("{margin} {word}"));
        } else {
            line.push(' ');
            line.push_str(word);
        }
        is_empty = false;
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn break_line(line: String, margin: usize, to: &mut Vec<String>) {
    if line.len() <= LONGEST {
        return to.push(line);
    }
    let own = line.len() - line.trim_start().len();
    if let Some(end) = end_of_head(line.trim_start()) {
        let (head, rest) = line.split_at(own + end);
        let rest = rest.trim_start();
        if !rest.is_empty() && rest != "begin" {
            break_line(head.to_string(), margin, to);
            return break_line(format!("{}{rest}", " ".repeat(margin + 2)), margin + 2, to);
        }
    }
    match best_break(&line, own) {
        Some(place) => {
            to.push(line[..place].trim_end().to_string());
            break_line(format!("{}{}", " ".repeat(margin + 4), line[place..].trim_start()), margin, to);
        }
        None => to.push(line),
    }
}

/// Where the parentheses after `if` or `for` close.
fn end_of_head(line: &str) -> Option<usize> {
    let starts = ["if (", "for (", "else if (", "end else if ("];
    starts.iter().find(|start| line.starts_with(**start))?;
    let mut depth = 0;
    for (place, letter) in line.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' if depth == 1 => return Some(place + 1),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The last of the outermost places before an operator within reach.
fn best_break(line: &str, margin: usize) -> Option<usize> {
    let operators = ["& ", "| ", "^ ", "+ ", "- ", "== ", "!= ", "? ", ": "];
    let mut depth = 0;
    let mut best: Option<(i32, usize)> = None;
    for (place, letter) in line.char_indices() {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ' ' if place > LONGEST => break,
            ' ' if place > margin + 16 => {
                let rest = &line[place + 1..];
                let is_outermost = best.is_none_or(|(known, _)| depth <= known);
                if is_outermost && operators.iter().any(|operator| rest.starts_with(operator)) {
                    best = Some((depth, place));
                }
            }
            _ => {}
        }
    }
    best.map(|(_, place)| place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_and_operators_are_places_to_break() {
        let (a, b) = ("a".repeat(50), "b".repeat(50));
        assert_eq!(broken(&format!("  if ({a}) x = {b};")), format!("  if ({a})\n    x = {b};\n"));
        assert_eq!(
            broken(&format!("  x = ({a} & c) | ({b} & d);")),
            format!("  x = ({a} & c)\n      | ({b} & d);\n")
        );
        assert_eq!(broken("  x = a & b;"), "  x = a & b;\n");
    }
}
