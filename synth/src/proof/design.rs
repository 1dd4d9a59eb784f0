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

/// The declaration of a signal within a module, behind its kind: `[31:0]`, or nothing for one bit. `path` is its name behind those
/// of the instances around it.
pub fn range_of(hierarchy: &Hierarchy, path: &str) -> Option<String> {
    let mut module = hierarchy.top_module();
    let mut steps = path.split('.').peekable();
    while let Some(step) = steps.next() {
        if steps.peek().is_none() {
            return module.code.lines().find_map(|line| declared(line, step));
        }
        let ending = format!(" {step} (");
        let name = module.code.lines().find_map(|line| line.trim_start().strip_suffix(&ending))?;
        module = hierarchy.modules.iter().find(|module| module.name == name)?;
    }
    None
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
    use super::declared;

    #[test]
    fn declarations_are_read() {
        assert_eq!(declared("  reg [4*8-1:0] entry_tag;", "entry_tag").as_deref(), Some("[4*8-1:0]"));
        assert_eq!(declared("  output wire ready,", "ready").as_deref(), Some(""));
        assert_eq!(declared("  reg [3:0] entry_tag_d;", "d"), None);
        assert_eq!(declared("  assign ready = 1'd1;", "ready"), None);
    }
}
