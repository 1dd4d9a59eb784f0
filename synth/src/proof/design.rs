// SPDX-License-Identifier: Apache-2.0
//! A hierarchy of modules as proofs read it.

use gpurf_verilog::{Hierarchy, VerilogModule};

use crate::mutants::rows;

/// A memory keeps its ports only, and answers anything.
pub fn without_rows(module: &VerilogModule) -> String {
    match module.code.split_once("\n);\n").filter(|_| rows(module).is_some()) {
        Some((head, _)) => format!("{}\n);\nendmodule\n", head.replace("output reg", "output wire")),
        None => module.code.clone(),
    }
}

/// A signal inside a module.
pub struct Signal {
    /// Its name once the hierarchy is flat.
    pub name: String,
    /// The declaration behind its kind: `[31:0]`, or nothing for one bit.
    pub range: String,
}

/// The signals of a path, the name behind those of the instances around it; one for each element where a step
/// is an array of instances.
pub fn signals_of(hierarchy: &Hierarchy, path: &str) -> Vec<Signal> {
    let (mut signals, steps) = (vec![], Vec::from_iter(path.split('.')));
    search(hierarchy, hierarchy.top_module(), &steps, String::new(), &mut signals);
    signals
}

fn search(
    hierarchy: &Hierarchy,
    module: &VerilogModule,
    steps: &[&str],
    scope: String,
    signals: &mut Vec<Signal>,
) {
    let within = |name: &str| hierarchy.modules.iter().find(|module| module.name == name);
    match steps {
        [name] => {
            let range = module.code.lines().find_map(|line| declared(line, name));
            signals.extend(range.map(|range| Signal { name: format!("{scope}{name}"), range }));
        }
        [array, each, rest @ ..] if elements(&module.code, array).is_some() => {
            let (count, element) = elements(&module.code, array).expect("checked");
            for number in 0..count {
                if let Some(module) = within(element) {
                    search(hierarchy, module, rest, format!("{scope}{array}[{number}].{each}."), signals);
                }
            }
        }
        [instance, rest @ ..] => {
            let ending = format!(" {instance} (");
            let name = module.code.lines().find_map(|line| line.trim_start().strip_suffix(&ending));
            if let Some(module) = name.and_then(within) {
                search(hierarchy, module, rest, format!("{scope}{instance}."), signals);
            }
        }
        [] => {}
    }
}

/// The number of elements of an array of instances, and their module.
fn elements<'a>(code: &'a str, array: &str) -> Option<(usize, &'a str)> {
    let (before, after) = code.split_once(&format!(") begin : {array}\n"))?;
    let (_, bound) = before.lines().next_back()?.split_once("; n < ")?;
    Some((bound.split(';').next()?.parse().ok()?, after.split_whitespace().next()?))
}

/// The range of a signal, if a line declares it.
fn declared(line: &str, name: &str) -> Option<String> {
    let line = line.trim().trim_end_matches([';', ',']);
    let line = ["input ", "output "].iter().find_map(|kind| line.strip_prefix(kind)).unwrap_or(line);
    let line = ["wire", "reg"].iter().find_map(|kind| line.strip_prefix(kind))?;
    let range = line.strip_suffix(name)?.trim();
    (line.ends_with(&format!(" {name}")) && (range.is_empty() || range.starts_with('[')))
        .then(|| range.to_string())
}

#[cfg(test)]
mod tests {
    use super::{declared, elements};

    #[test]
    fn declarations_are_read() {
        assert_eq!(declared("  reg [4*8-1:0] entry_tag;", "entry_tag").as_deref(), Some("[4*8-1:0]"));
        assert_eq!(declared("  output wire ready,", "ready").as_deref(), Some(""));
        assert_eq!(declared("  reg [3:0] entry_tag_d;", "d"), None);
        assert_eq!(declared("  assign ready = 1'd1;", "ready"), None);
    }

    #[test]
    fn arrays_of_instances_are_read() {
        let code = "    for (n = 0; n < 12; n = n + 1) begin : queues\n      queue_x2 each (\n";
        assert_eq!(elements(code, "queues"), Some((12, "queue_x2")));
        assert_eq!(elements(code, "each"), None);
    }
}
