// SPDX-License-Identifier: Apache-2.0
//! Block diagrams: a module's parts, and the signals by which they hang together, as its kernel has them.
//! `diagram ccu` draws the module at its default parameters.
//!
//! The diagram is an N² chart. The parts stand on the diagonal. A part sends along its row, and what a column
//! holds goes into the part of that column: every arrow has a place of its own for its names, however many
//! parts there are.

use std::fmt::Write;

use anyhow::{ensure, Context, Result};
use gpurf_blocks::Parameters;
use gpurf_hw::catalogue::find;
use gpurf_testbenches::workbench;
use gpurf_verilog::{Node, Structure};

use super::project::Project;

/// The folder of the pictures, under that of the documents.
pub const FOLDER: &str = "diagrams";

/// Names that an arrow shows at most, and a box for registers.
const NAMES: usize = 6;
/// Height of a line of text, and width of a letter.
const LINE: usize = 14;
const LETTER: usize = 7;
/// Space around the text of a box, and between boxes.
const MARGIN: usize = 6;
const GAP: usize = 14;

/// The picture, which is drawn with it.
pub fn text(project: &Project, module: &str) -> Result<String> {
    find(module)?;
    let bench = workbench(module, &Parameters { width: 32, ..Parameters::default() });
    let structure = Structure::of(&*bench.block())?.with_context(|| format!("{module} has no kernel"))?;
    ensure!(!structure.parts.is_empty(), "{module} has no parts");
    let file = format!("{FOLDER}/{module}.svg");
    let path = project.root.join("docs").join(&file);
    project.pictures.borrow_mut().insert(path, picture(&structure));
    Ok(format!(
        "![Parts of {module} and the signals between them]({file})\n\nA part sends along its row. The names in its \
         column go into it.\n"
    ))
}

/// A box with its lines of text: a part on the diagonal, or names of signals.
struct Text(Vec<String>);

impl Text {
    fn width(&self) -> usize {
        let letters = self.0.iter().map(|line| line.chars().count()).max().unwrap_or(0);
        2 * MARGIN + letters * LETTER
    }

    fn height(&self) -> usize {
        2 * MARGIN + self.0.len() * LINE
    }
}

/// The structure as an N² chart.
fn picture(structure: &Structure) -> String {
    let nodes = nodes(structure);
    let parts: Vec<Text> = nodes.iter().map(|node| label(structure, node)).collect();
    let count = nodes.len();
    let mut flows: Vec<(usize, usize, Text)> = vec![];
    for ((from, to), signals) in &structure.flows {
        let place = |node: &Node| nodes.iter().position(|known| known == node);
        if let (Some(row), Some(column)) = (place(from), place(to)) {
            let prefix = format!("{}_", name(from));
            let signals = signals.iter().map(|signal| signal.strip_prefix(&prefix).unwrap_or(signal));
            flows.push((row, column, Text(shortened(signals, NAMES))));
        }
    }
    let size = |own: usize, others: &mut dyn Iterator<Item = usize>| own.max(others.max().unwrap_or(0)) + GAP;
    let widths: Vec<usize> = (0..count)
        .map(|column| {
            let mut into = flows.iter().filter(|flow| flow.1 == column).map(|flow| flow.2.width());
            size(parts[column].width(), &mut into)
        })
        .collect();
    let heights: Vec<usize> = (0..count)
        .map(|row| {
            let mut from = flows.iter().filter(|flow| flow.0 == row).map(|flow| flow.2.height());
            size(parts[row].height(), &mut from)
        })
        .collect();
    let middle = |sizes: &[usize], place: usize| sizes[..place].iter().sum::<usize>() + sizes[place] / 2;
    let (x, y) = (|column: usize| middle(&widths, column), |row: usize| middle(&heights, row));
    let (width, height) = (widths.iter().sum::<usize>(), heights.iter().sum::<usize>());
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"monospace\" font-size=\"11.5\">\n<defs><marker id=\"end\" markerWidth=\"8\" markerHeight=\"8\" refX=\"7\" \
         refY=\"4\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#666\"/></marker></defs>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    for (row, column, _) in &flows {
        let half = parts[*column].height() / 2;
        let end = if row < column { y(*column) - half } else { y(*column) + half };
        let _ = writeln!(
            svg,
            "<path d=\"M{} {}H{}V{end}\" fill=\"none\" stroke=\"#999\" marker-end=\"url(#end)\"/>",
            x(*row),
            y(*row),
            x(*column)
        );
    }
    for (row, column, names) in &flows {
        draw(&mut svg, names, x(*column), y(*row), "fill=\"#f4f4f4\"");
    }
    for (place, part) in parts.iter().enumerate() {
        draw(&mut svg, part, x(place), y(place), "fill=\"#dbe9f6\" stroke=\"#2171b5\"");
    }
    svg + "</svg>\n"
}

/// A box around this middle.
fn draw(svg: &mut String, text: &Text, x: usize, y: usize, style: &str) {
    let (width, height) = (text.width(), text.height());
    let (left, top) = (x - width / 2, y - height / 2);
    let _ = writeln!(
        svg,
        "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" rx=\"3\" {style}/>"
    );
    for (number, line) in text.0.iter().enumerate() {
        let base = top + MARGIN + (number + 1) * LINE - 4;
        let _ = writeln!(svg, "<text x=\"{x}\" y=\"{base}\" text-anchor=\"middle\">{line}</text>");
    }
}

/// Inputs, registers, parts in the order of their declaration, outputs; only those that values go through.
fn nodes(structure: &Structure) -> Vec<Node> {
    let is_used = |node: &Node| structure.flows.keys().any(|(from, to)| from == node || to == node);
    let parts = structure.parts.iter().map(|part| Node::Part(part.name.clone()));
    let around = |node: Node| is_used(&node).then_some(node);
    let first = around(Node::Inputs).into_iter().chain(around(Node::Registers));
    first.chain(parts).chain(around(Node::Outputs)).collect()
}

fn label(structure: &Structure, node: &Node) -> Text {
    Text(match node {
        Node::Inputs => vec!["inputs".to_string()],
        Node::Outputs => vec!["outputs".to_string()],
        Node::Registers => {
            let names = structure.registers.iter();
            [vec!["registers".to_string()], shortened(names, NAMES)].concat()
        }
        Node::Part(name) => {
            let part = structure.parts.iter().find(|part| part.name == *name).expect("it is a part");
            // Its parameters at this width are in no name of a page.
            let module = part.module.trim_end_matches("_w32");
            let count = if part.count > 1 { format!(" × {}", part.count) } else { String::new() };
            let module = (module != name).then(|| module.to_string());
            [format!("{name}{count}")].into_iter().chain(module).collect()
        }
    })
}

fn name(node: &Node) -> &str {
    match node {
        Node::Part(name) => name,
        Node::Inputs | Node::Outputs | Node::Registers => "",
    }
}

/// Names one below the other, and how many more there are.
fn shortened<S: AsRef<str>>(names: impl ExactSizeIterator<Item = S>, most: usize) -> Vec<String> {
    let more = names.len().saturating_sub(most);
    let mut lines: Vec<String> = names.take(most).map(|name| name.as_ref().to_string()).collect();
    lines.extend((more > 0).then(|| format!("and {more} more")));
    lines
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use gpurf_verilog::PartOfModule;

    use super::*;

    #[test]
    fn parts_are_boxes_and_flows_are_arrows_with_names() {
        let part = PartOfModule { name: "table".into(), module: "cache_table_w32".into(), count: 2 };
        let signals = (0..NAMES + 1).map(|number| format!("s{number}"));
        let flows = [
            ((Node::Inputs, Node::Part("table".into())), signals.collect::<BTreeSet<_>>()),
            ((Node::Part("table".into()), Node::Outputs), BTreeSet::from(["table_hit".to_string()])),
        ];
        let structure = Structure { parts: vec![part], registers: vec![], flows: flows.into() };
        let drawn = picture(&structure);
        for text in ["inputs", "table × 2", "cache_table", "s0", "s5", "and 1 more", "hit", "outputs"] {
            assert!(drawn.contains(&format!(">{text}</text>")), "{text}: {drawn}");
        }
        assert!(!drawn.contains(">s6<"), "{drawn}");
        // Three parts, the names of two arrows and the page; two arrows.
        assert_eq!((drawn.matches("<rect").count(), drawn.matches("marker-end").count()), (3 + 2 + 1, 2));
    }

    /// No box stands in another's way: each has a row and a column of its own.
    #[test]
    fn boxes_do_not_overlap() {
        let part = |name: &str| PartOfModule { name: name.into(), module: name.into(), count: 1 };
        let names = ["a", "a_long_name_of_a_part", "c"];
        let all: Vec<Node> = names.iter().map(|name| Node::Part(name.to_string())).collect();
        let pairs = all.iter().flat_map(|from| all.iter().map(move |to| (from.clone(), to.clone())));
        let flows = pairs.filter(|(from, to)| from != to);
        let flows = flows.map(|pair| (pair, BTreeSet::from(["signal".to_string(), "other".to_string()])));
        let parts = names.map(part).into();
        let drawn = picture(&Structure { parts, registers: vec![], flows: flows.collect() });
        let number = |line: &str, name: &str| -> usize {
            let value = line.split(&format!(" {name}=\"")).nth(1).expect("it has it");
            value.split('"').next().expect("a number").parse().expect("a number")
        };
        let boxes: Vec<[usize; 4]> = drawn
            .lines()
            .filter(|line| line.starts_with("<rect x="))
            .map(|line| ["x", "y", "width", "height"].map(|name| number(line, name)))
            .collect();
        assert_eq!(boxes.len(), 9);
        let is_apart =
            |one: usize, size: usize, other: usize, its: usize| one + size <= other || other + its <= one;
        for (number, [x, y, width, height]) in boxes.iter().enumerate() {
            for [left, top, wide, high] in &boxes[number + 1..] {
                assert!(is_apart(*x, *width, *left, *wide) || is_apart(*y, *height, *top, *high), "{drawn}");
            }
        }
    }
}
