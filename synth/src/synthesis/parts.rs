// SPDX-License-Identifier: Apache-2.0
//! A Verilog source taken apart, so that each of its modules can be mapped by itself.
//!
//! Of the modules below it a module needs to know the ports, which stand in their headers.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{ensure, Context, Result};

/// A module by itself.
#[derive(Debug, PartialEq)]
pub struct SeparateModule {
    pub name: String,
    /// Its Verilog, behind black boxes in place of the modules that it instances. Comments, which change
    /// nothing, are left out.
    pub source: String,
}

/// The module `top` and all below it, the top first.
///
/// # Errors
/// If the source does not have the module, or a module below it has parameters: it is another one wherever it
/// is instanced with others.
pub fn parts(source: &str, top: &str) -> Result<Vec<SeparateModule>> {
    let source = without_comments(source);
    let (directives, modules) = modules(&source);
    let mut parts = vec![];
    let mut known = BTreeSet::from([top]);
    let mut open = vec![top];
    while let Some(name) = open.pop() {
        let module = modules.get(name).with_context(|| format!("there is no module {name}"))?;
        ensure!(
            name == top || !module.words.contains("parameter"),
            "module {name} has parameters and cannot be mapped by itself; write it with their values"
        );
        let mut text = directives.clone();
        for (child, below) in modules.iter().filter(|(child, _)| **child != name) {
            if module.words.contains(child) {
                text += &format!("(* blackbox *)\n{}\nendmodule\n", below.header);
                if known.insert(child) {
                    open.push(child);
                }
            }
        }
        parts.push(SeparateModule { name: name.to_string(), source: text + &module.text });
    }
    Ok(parts)
}

struct Module<'a> {
    /// From `module` to the end of the ports.
    header: &'a str,
    /// All of it, with attributes before it.
    text: String,
    words: BTreeSet<&'a str>,
}

/// Modules by name, and the directives between them.
fn modules(source: &str) -> (String, BTreeMap<&str, Module<'_>>) {
    let mut directives = String::new();
    let mut modules = BTreeMap::new();
    // The end of the last module, where this one begins, and what has been read of it.
    let (mut end, mut begin, mut words) = (0, None, vec![]);
    for (place, word) in self::words(source) {
        match (word, begin) {
            ("module", None) => begin = Some(place),
            ("endmodule", Some(start)) => {
                let after = place + word.len();
                let is_directive = |line: &&str| line.trim_start().starts_with('`');
                let (lines, attributes): (Vec<_>, Vec<_>) =
                    source[end..start].lines().partition(is_directive);
                lines.iter().for_each(|line| directives += &format!("{line}\n"));
                let whole = &source[start..after];
                let header = &whole[..whole.find(';').map_or(whole.len(), |semicolon| semicolon + 1)];
                if let Some(name) = words.first() {
                    let text = format!("{}\n{whole}\n", attributes.join("\n").trim());
                    modules.insert(*name, Module { header, text, words: words.iter().copied().collect() });
                }
                (end, begin) = (after, None);
                words.clear();
            }
            (_, Some(_)) => words.push(word),
            _ => {}
        }
    }
    (directives, modules)
}

/// Names and keywords with their places; strings are left out.
fn words(source: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_part = |character: char| character.is_alphanumeric() || matches!(character, '_' | '$');
    let mut place = 0;
    std::iter::from_fn(move || loop {
        let rest = &source[place..];
        let first = rest.chars().next()?;
        let begin = place;
        if first == '"' {
            place += string(rest);
        } else if is_part(first) {
            place += rest.find(|character| !is_part(character)).unwrap_or(rest.len());
            return Some((begin, &source[begin..place]));
        } else {
            place += first.len_utf8();
        }
    })
}

/// Bytes of the string that a text begins with.
fn string(text: &str) -> usize {
    let mut escaped = true;
    let end = text.find(|character| {
        let is_end = character == '"' && !escaped;
        escaped = character == '\\' && !escaped;
        is_end
    });
    end.map_or(text.len(), |end| end + 1)
}

fn without_comments(source: &str) -> String {
    let mut text = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(place) = rest.find(['/', '"']) {
        text += &rest[..place];
        rest = &rest[place..];
        let (kept, length) = match rest.as_bytes() {
            [b'"', ..] => (true, string(rest)),
            [b'/', b'/', ..] => (false, rest.find('\n').unwrap_or(rest.len())),
            [b'/', b'*', ..] => (false, rest.find("*/").map_or(rest.len(), |end| end + 2)),
            _ => (true, 1),
        };
        text += if kept { &rest[..length] } else { " " };
        rest = &rest[length..];
    }
    text += rest;
    // Nothing is left of lines that had a comment alone.
    text.lines().map(str::trim_end).filter(|line| !line.is_empty()).map(|line| format!("{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "`default_nettype none
        // leaf, used by unused
        module leaf(input wire a, output wire b); /* module b */ assign b = a; endmodule
        module unused(input a, output b); leaf one(a, b); endmodule
        (* keep *)
        module middle (
          input wire [1:0] a, // leaf
          output wire [1:0] b
        );
          initial $display(\"endmodule // \\\" top\");
          leaf low(.a(a[0]), .b(b[0])), high(.a(a[1]), .b(b[1]));
        endmodule
        module top(input [1:0] a, output [1:0] b); middle in(a, b); endmodule";

    #[test]
    fn a_module_sees_the_ports_of_those_below_it() {
        let parts = parts(SOURCE, "top").unwrap();
        let names: Vec<_> = parts.iter().map(|part| part.name.as_str()).collect();
        assert_eq!(names, ["top", "middle", "leaf"]);
        let [top, middle, leaf] = &parts[..] else { unreachable!() };
        assert!(
            top.source.starts_with("`default_nettype none\n(* blackbox *)\nmodule middle ("),
            "{}",
            top.source
        );
        assert!(
            top.source.contains("output wire [1:0] b\n        );\nendmodule\n")
                && !top.source.contains("leaf")
        );
        assert!(
            middle.source.contains("(* keep *)\nmodule middle")
                && middle.source.contains("endmodule // \\\" top")
        );
        assert_eq!(middle.source.matches("blackbox").count(), 1);
        assert!(leaf
            .source
            .ends_with("module leaf(input wire a, output wire b);   assign b = a; endmodule\n"));
    }

    #[test]
    fn comments_and_the_insides_of_others_change_nothing() {
        let before = parts(SOURCE, "top").unwrap();
        let changed =
            SOURCE.replace("// leaf\n", "// another comment, 'quoted \" too\n").replace("b = a", "b = !a");
        let after = parts(&changed, "top").unwrap();
        assert_eq!(before[..2], after[..2]);
        assert_ne!(before[2], after[2]);
        let ports = parts(&SOURCE.replace("input wire a,", "input wire a, input wire c,"), "top").unwrap();
        assert_eq!(before[0], ports[0]);
        assert_ne!(before[1], ports[1], "other ports of a module below");
    }

    #[test]
    fn what_cannot_be_taken_apart_is_named() {
        let message = |source: &str| parts(source, "top").unwrap_err().to_string();
        assert_eq!(message("module b; endmodule"), "there is no module top");
        let with = "module a #(parameter W = 1) (input [W-1:0] b); endmodule module top(input b); a #(1) c(b); endmodule";
        assert!(message(with).starts_with("module a has parameters"));
    }
}
