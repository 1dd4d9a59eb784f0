// SPDX-License-Identifier: Apache-2.0
//! Reports of Yosys: its statistics as JSON, and the longest path.

use std::collections::BTreeMap;

use anyhow::{anyhow, Context, Result};
use serde_json::Value;

/// The cells directly in a module by kind, as `stat -json` counts them; the second value is Yosys and its
/// version.
pub fn own_cells(text: &str, module: &str) -> Result<(BTreeMap<String, u64>, String)> {
    let stat = json(text)?;
    let types = of(&stat, module)?["num_cells_by_type"].as_object();
    let types = types.context("Yosys reports no cells by type")?;
    let count = |(kind, count): (&String, &Value)| Ok((plain(kind), number(count)?));
    let cells = types.iter().map(count).collect::<Result<_>>()?;
    Ok((cells, stat["creator"].as_str().unwrap_or("Yosys").to_string()))
}

/// Bits of the memories directly in a module.
pub fn own_memory_bits(text: &str, module: &str) -> Result<u64> {
    number(&of(&json(text)?, module)?["num_memory_bits"])
}

fn of<'a>(stat: &'a Value, module: &str) -> Result<&'a Value> {
    let modules = stat["modules"].as_object().context("Yosys reports no modules")?;
    let found = modules.iter().find(|(name, _)| plain(name) == module);
    Ok(found.with_context(|| format!("Yosys reports nothing about module {module}"))?.1)
}

/// Reads what `stat -json` wrote.
///
/// Yosys 0.23 puts lines of its plain report between those of the JSON: they begin like no line of JSON.
fn json(text: &str) -> Result<Value> {
    let lines = text.lines().filter(|line| line.trim_start().starts_with(['{', '}', '"']));
    let text = lines.collect::<Vec<_>>().join("\n");
    serde_json::from_str(&text).context("the statistics of Yosys cannot be read")
}

fn number(value: &Value) -> Result<u64> {
    value.as_u64().or_else(|| value["count"].as_u64()).with_context(|| format!("Yosys counts {value}"))
}

fn plain(name: &str) -> String {
    name.trim_start_matches('\\').to_string()
}

/// The length of the longest path that `ltp` reports.
pub fn parse_depth(text: &str) -> Result<u64> {
    // No path at all means no logic.
    let Some((_, rest)) = text.split_once("(length=") else {
        return Ok(0);
    };
    let digits = rest.split(')').next().unwrap_or("");
    digits.parse().map_err(|_| anyhow!("the longest path of Yosys cannot be read: length={digits}"))
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// As Yosys 0.23 writes it for three levels, its stray lines included.
    pub const STAT: &str = r#"{
   "creator": "Yosys 0.23 (git sha1 7ce5011c24b)",
   "modules": {
      "\\top": {
         "num_memory_bits":   0,
         "num_cells_by_type": {
            "NAND2_X1": 2,
            "middle": 2
         }
      },
      "\\middle": {
         "num_memory_bits":   0,
         "num_cells_by_type": {
            "DFF_X1": 1,
            "leaf": 3
         }
      },
      "\\leaf": {
         "num_memory_bits":   16,
         "num_cells_by_type": {
            "$mem_v2": 1,
            "INV_X1": 4
         }
      }
   },
       leaf                          3
      "design": {
         "num_cells":         0
      }
}"#;

    #[test]
    fn cells_are_those_of_the_module_alone() {
        let (cells, tool) = own_cells(STAT, "middle").unwrap();
        assert_eq!(tool, "Yosys 0.23 (git sha1 7ce5011c24b)");
        assert_eq!(cells, BTreeMap::from([("DFF_X1".to_string(), 1), ("leaf".to_string(), 3)]));
        assert_eq!(["top", "leaf"].map(|module| own_memory_bits(STAT, module).unwrap()), [0, 16]);
    }

    #[test]
    fn a_missing_module_is_named() {
        assert!(own_cells(STAT, "bottom").unwrap_err().to_string().contains("module bottom"));
    }

    #[test]
    fn the_depth_is_the_longest_path() {
        assert_eq!(parse_depth("Longest topological path in top (length=9):\n    0: \\a").unwrap(), 9);
        assert_eq!(parse_depth("nothing").unwrap(), 0);
    }
}
