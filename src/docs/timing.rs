// SPDX-License-Identifier: Apache-2.0
//! Timing diagrams: ports of a module over the cycles of a scenario, as its reference model answers them.
//! `timing ccu far_before_near; issue, warp, ready` names the ports, in the order from the top.

use std::fmt::Write;

use anyhow::{bail, Context, Result};
use gpurf_blocks::{Field, Parameters, PortLayout};
use gpurf_hw::catalogue::find;
use gpurf_testbenches::{workbench, EngineKind};

use super::project::Project;

/// The folder of the pictures, under that of the documents.
pub const FOLDER: &str = "timing";

/// Cycles that are drawn at most.
const CYCLES: usize = 32;

const NAMES: usize = 190;
const CYCLE: usize = 66;
const ROW: usize = 30;
const HIGH: usize = 18;

/// The picture, which is drawn with it.
pub fn text(project: &Project, about: &str) -> Result<String> {
    let (which, ports) = about.split_once("; ").context("name a module, a scenario and ports")?;
    let (module, scenario) = which.split_once(' ').context("name a module and a scenario")?;
    find(module)?;
    let bench = workbench(module, &Parameters { width: 32, ..Parameters::default() });
    let samples = bench.sample_scenario(EngineKind::Model, scenario)?;
    let PortLayout { inputs, outputs } = bench.layout();
    let mut rows = vec![];
    for port in ports.split(", ") {
        let named = |fields: &[Field]| fields.iter().find(|field| field.name.to_string() == port).cloned();
        let values: Vec<Vec<u32>> = match (named(inputs), named(outputs)) {
            (Some(field), _) => samples.iter().map(|sample| words(&sample.inputs, &field)).collect(),
            (None, Some(field)) => samples.iter().map(|sample| words(&sample.outputs, &field)).collect(),
            (None, None) => bail!("{module} has no port `{port}`; `gpurf verilog {module}` shows them"),
        };
        rows.push((port, named(inputs).is_some(), values));
    }
    let file = format!("{FOLDER}/{module}_{scenario}.svg");
    let path = project.root.join("docs").join(&file);
    project.pictures.borrow_mut().insert(path, picture(&rows, samples.len().min(CYCLES)));
    Ok(format!("![Ports of {module} in the cycles of {scenario}]({file})\n"))
}

fn words(sample: &[u32], field: &Field) -> Vec<u32> {
    field.of(sample).to_vec()
}

/// Rows of names and values. A port that is never more than 1 is a line, another one has its values in boxes.
fn picture(rows: &[(&str, bool, Vec<Vec<u32>>)], cycles: usize) -> String {
    let (width, height) = (NAMES + cycles * CYCLE + 10, (rows.len() + 1) * ROW + 10);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"monospace\" font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    for cycle in 0..cycles {
        let x = NAMES + cycle * CYCLE;
        let middle = x + CYCLE / 2;
        let _ = writeln!(
            svg,
            "<text x=\"{middle}\" y=\"18\" text-anchor=\"middle\" fill=\"#666\">{cycle}</text>"
        );
        let _ = writeln!(svg, "<path d=\"M{x} 24V{height}\" stroke=\"#ddd\"/>");
    }
    for (number, (name, is_input, values)) in rows.iter().enumerate() {
        let top = (number + 1) * ROW;
        let (low, y) = (top + HIGH, top + HIGH - 4);
        // Outputs are what the module answers.
        let weight = if *is_input { "normal" } else { "bold" };
        let end = NAMES - 10;
        let _ = writeln!(
            svg,
            "<text x=\"{end}\" y=\"{y}\" text-anchor=\"end\" font-weight=\"{weight}\">{name}</text>"
        );
        let values = &values[..cycles];
        match values.iter().all(|value| value.iter().skip(1).all(|word| *word == 0) && value[0] <= 1) {
            true => {
                let level = |value: &Vec<u32>| if value[0] == 1 { top } else { low };
                let mut path = format!("M{NAMES} {}", level(&values[0]));
                for (cycle, value) in values.iter().enumerate() {
                    let _ = write!(path, "V{}H{}", level(value), NAMES + (cycle + 1) * CYCLE);
                }
                let _ = writeln!(
                    svg,
                    "<path d=\"{path}\" fill=\"none\" stroke=\"#2171b5\" stroke-width=\"1.5\"/>"
                );
            }
            false => boxes(&mut svg, values, top),
        }
    }
    svg + "</svg>\n"
}

/// A box for each run of equal values; zero is left empty.
fn boxes(svg: &mut String, values: &[Vec<u32>], top: usize) {
    let mut first = 0;
    while first < values.len() {
        let length = values[first..].iter().take_while(|value| **value == values[first]).count();
        let (x, width) = (NAMES + first * CYCLE, length * CYCLE);
        let (middle, y) = (x + width / 2, top + HIGH - 4);
        let _ = writeln!(
            svg,
            "<rect x=\"{x}\" y=\"{top}\" width=\"{width}\" height=\"{HIGH}\" fill=\"#f7fbff\" stroke=\"#2171b5\"/>"
        );
        let digits: String = values[first].iter().rev().map(|word| format!("{word:08x}")).collect();
        let digits = digits.trim_start_matches('0');
        if !digits.is_empty() {
            let _ = writeln!(svg, "<text x=\"{middle}\" y=\"{y}\" text-anchor=\"middle\">{digits}</text>");
        }
        first += length;
    }
}

#[cfg(test)]
mod tests {
    use super::picture;

    #[test]
    fn bits_are_lines_and_numbers_are_boxes() {
        let values = |list: &[u32]| list.iter().map(|value| vec![*value]).collect::<Vec<_>>();
        let rows = [("bit", true, values(&[0, 1, 1])), ("number", false, values(&[0, 26, 26]))];
        let drawn = picture(&rows, 3);
        assert!(drawn.contains("<path d=\"M190 48V48H256V30H322V30H388\""), "{drawn}");
        assert_eq!(drawn.matches("<rect x=").count(), 2, "a box for each run of equal values");
        assert!(
            drawn.contains(">1a</text>") && drawn.contains("font-weight=\"bold\">number</text>"),
            "{drawn}"
        );
    }
}
