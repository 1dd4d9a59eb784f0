// SPDX-License-Identifier: Apache-2.0
//! State diagrams: steps of a register of few values, as the RTL took them in all scenarios and under random
//! stimulus. `states rmu state` names the module and the register.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use anyhow::{ensure, Context, Result};
use gpurf_blocks::Parameters;
use gpurf_hw::catalogue::find;
use gpurf_testbenches::tap::RecordingOptions;
use gpurf_testbenches::{workbench, Course, EngineKind};
use layout::backends::svg::SVGWriter;
use layout::gv::{DotParser, GraphBuilder};
use vcd::{Command, Parser, ScopeItem, Value};

use super::diagrams::FOLDER;
use super::project::Project;

/// Cycles of random stimulus.
const CYCLES: u64 = 10_000;

/// The picture, which is drawn with it.
pub fn text(project: &Project, about: &str) -> Result<String> {
    let (module, register) = about.split_once(' ').context("name a module and a register")?;
    find(module)?;
    // Intervals so short that few cycles have many.
    let bench = workbench(module, &Parameters { width: 32, interval: 50, ..Parameters::default() });
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("states.vcd");
    let scopes = ["top".to_string()];
    let options = RecordingOptions { path: &path, cycles: 0..u64::MAX, scopes: &scopes, loads: false };
    let mut courses: Vec<Course> =
        bench.scenarios().into_iter().map(|(name, _)| Course::Scenario(name.to_string())).collect();
    courses.push(Course::Random { seed: 1, cycles: CYCLES });
    let mut steps = BTreeSet::new();
    for course in &courses {
        bench.draw(EngineKind::Rtl, course, &options)?;
        let shown = values(&path, register)?;
        ensure!(!shown.is_empty(), "{module} has no register `{register}`");
        steps.extend(shown.windows(2).map(|pair| (pair[0].clone(), pair[1].clone())));
    }
    let file = format!("{FOLDER}/{module}_states.svg");
    let path = project.root.join("docs").join(&file);
    project.pictures.borrow_mut().insert(path, picture(&graph(&steps))?);
    Ok(format!(
        "![States of {module}]({file})\n\nSteps that the RTL took in all scenarios and in {CYCLES} cycles of random \
         stimulus.\n"
    ))
}

fn graph(steps: &BTreeSet<(String, String)>) -> String {
    let mut graph = "digraph {\n  rankdir=LR;\n  node [shape=box];\n".to_string();
    for (from, to) in steps {
        let _ = writeln!(graph, "  \"{from}\" -> \"{to}\";");
    }
    graph + "}\n"
}

/// The values that a signal takes, one after the other. The signal is the module's own.
fn values(path: &Path, name: &str) -> Result<Vec<String>> {
    let mut parser = Parser::new(BufReader::new(File::open(path)?));
    let header = parser.parse_header()?;
    let modules = header.items.iter().filter_map(|item| match item {
        ScopeItem::Scope(module) => Some(&module.items),
        _ => None,
    });
    let code = modules.flatten().find_map(|item| match item {
        ScopeItem::Var(variable) if variable.reference == name => Some(variable.code),
        _ => None,
    });
    let mut values = vec![];
    for command in parser {
        match command? {
            Command::ChangeString(changed, value) if Some(changed) == code => values.push(value),
            Command::ChangeVector(changed, bits) if Some(changed) == code => {
                let number = bits.iter().fold(0u64, |number, bit| number << 1 | u64::from(bit == Value::V1));
                values.push(number.to_string());
            }
            _ => {}
        }
    }
    Ok(values)
}
/// Draws a graph in Graphviz' language.
fn picture(graph: &str) -> Result<String> {
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
