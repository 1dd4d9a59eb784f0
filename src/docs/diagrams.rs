// SPDX-License-Identifier: Apache-2.0
//! Block diagrams: a module's parts, and the signals by which they hang together, as its kernel has them.
//! `diagram ccu` draws the module at its default parameters.

use std::collections::BTreeSet;
use std::fmt::Write;

use anyhow::{ensure, Context, Result};
use gpurf_blocks::Parameters;
use gpurf_hw::catalogue::find;
use gpurf_testbenches::workbench;
use gpurf_verilog::{Node, Structure};
use layout::backends::svg::SVGWriter;
use layout::gv::{DotParser, GraphBuilder};

use super::project::Project;

/// The folder of the pictures, under that of the documents.
pub const FOLDER: &str = "diagrams";

/// Names that an arrow shows at most, and parts of a module whose arrows show any: more would not be read.
const NAMES: usize = 3;
const PARTS: usize = 4;
/// Names of registers that a box shows at most.
const REGISTERS: usize = 8;

/// The picture, which is drawn with it.
pub fn text(project: &Project, module: &str) -> Result<String> {
    find(module)?;
    let bench = workbench(module, &Parameters { width: 32, ..Parameters::default() });
    let structure = Structure::of(&*bench.block())?.with_context(|| format!("{module} has no kernel"))?;
    ensure!(!structure.parts.is_empty(), "{module} has no parts");
    let file = format!("{FOLDER}/{module}.svg");
    let path = project.root.join("docs").join(&file);
    project.pictures.borrow_mut().insert(path, picture(&graph(&structure))?);
    Ok(format!("![Parts of {module} and the signals between them]({file})\n"))
}

/// The structure in Graphviz' language.
fn graph(structure: &Structure) -> String {
    let mut nodes: BTreeSet<&Node> = structure.flows.keys().flat_map(|(from, to)| [from, to]).collect();
    let parts: Vec<Node> = structure.parts.iter().map(|part| Node::Part(part.name.clone())).collect();
    nodes.extend(&parts);
    let mut graph = "digraph {\n  rankdir=LR;\n  node [shape=box];\n".to_string();
    for node in nodes {
        let label = match node {
            Node::Inputs => "inputs".to_string(),
            Node::Outputs => "outputs".to_string(),
            Node::Registers => {
                let names = shortened(structure.registers.iter(), REGISTERS);
                format!("registers\\n{names}")
            }
            Node::Part(name) => {
                let part = structure.parts.iter().find(|part| part.name == *name).expect("it is a part");
                // Its parameters at this width are in no name of a page.
                let module = part.module.trim_end_matches("_w32");
                let module = if module == name { String::new() } else { format!("\\n{module}") };
                let count = if part.count > 1 { format!(" × {}", part.count) } else { String::new() };
                format!("{name}{count}{module}")
            }
        };
        let _ = writeln!(graph, "  \"{}\" [label=\"{label}\"];", name(node));
    }
    for ((from, to), signals) in &structure.flows {
        let prefix = format!("{}_", name(from));
        let signals = signals.iter().map(|signal| signal.strip_prefix(&prefix).unwrap_or(signal));
        let label = match structure.parts.len() {
            ..=PARTS => format!(" [label=\"{}\"]", shortened(signals, NAMES)),
            _ => String::new(),
        };
        let _ = writeln!(graph, "  \"{}\" -> \"{}\"{label};", name(from), name(to));
    }
    graph + "}\n"
}

fn name(node: &Node) -> &str {
    match node {
        Node::Inputs => "inputs ",
        Node::Outputs => "outputs ",
        Node::Registers => "registers ",
        Node::Part(name) => name,
    }
}

/// Names one below the other, and how many more there are.
fn shortened<S: AsRef<str>>(names: impl ExactSizeIterator<Item = S>, most: usize) -> String {
    let more = names.len().saturating_sub(most);
    let mut lines: Vec<String> = names.take(most).map(|name| name.as_ref().to_string()).collect();
    lines.extend((more > 0).then(|| format!("and {more} more")));
    lines.join("\\n")
}

/// Draws a graph in Graphviz' language.
pub fn picture(graph: &str) -> Result<String> {
    let tree = DotParser::new(graph).process().map_err(|error| anyhow::anyhow!("{error}"))?;
    let mut builder = GraphBuilder::new();
    builder.visit_graph(&tree);
    let mut svg = SVGWriter::new();
    builder.get().do_it(false, false, false, &mut svg);
    let svg = svg.finalize();
    let (head, rest) = svg.split_once("<defs>").context("the picture has a head")?;
    let (definitions, rest) = rest.split_once("<style>").context("it has styles")?;
    let (styles, rest) = rest.split_once("</style>").context("they end")?;
    // They come in any order.
    let mut styles: Vec<&str> = styles.trim().lines().collect();
    styles.sort_unstable();
    let styles = styles.join("\n");
    // On a dark page the picture has to be white.
    let white = "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>";
    Ok(format!("{head}{white}\n<defs>{definitions}<style>\n{styles}\n</style>{rest}\n"))
}

#[cfg(test)]
mod tests {
    use gpurf_verilog::PartOfModule;

    use super::*;

    #[test]
    fn parts_are_boxes_and_flows_are_arrows() {
        let part = PartOfModule { name: "table".into(), module: "cache_table_w32".into(), count: 2 };
        let signals = ["a", "b", "c", "d"].map(String::from);
        let flows = [
            ((Node::Inputs, Node::Part("table".into())), BTreeSet::from(signals)),
            ((Node::Part("table".into()), Node::Outputs), BTreeSet::from(["table_hit".to_string()])),
        ];
        let structure = Structure { parts: vec![part], registers: vec![], flows: flows.into() };
        let graph = graph(&structure);
        assert!(graph.contains("\"table\" [label=\"table × 2\\ncache_table\"]"), "{graph}");
        assert!(graph.contains("\"inputs \" -> \"table\" [label=\"a\\nb\\nc\\nand 1 more\"]"), "{graph}");
        assert!(graph.contains("\"table\" -> \"outputs \" [label=\"hit\"]"), "{graph}");
        let drawn = picture(&graph).unwrap();
        assert!((0..8).all(|_| picture(&graph).unwrap() == drawn), "it is the same each time");
        assert_eq!(drawn.matches("<rect").count(), 1 + 3, "{drawn}");
    }
}
