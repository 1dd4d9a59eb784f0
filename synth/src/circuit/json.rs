// SPDX-License-Identifier: Apache-2.0
//! Yosys's JSON of a flat module.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::Net;

#[derive(Deserialize)]
struct Document {
    modules: BTreeMap<String, serde_json::Value>,
}

/// A module without submodules.
#[derive(Deserialize)]
pub struct NetlistModule {
    pub ports: BTreeMap<String, JsonPort>,
    pub cells: BTreeMap<String, JsonCell>,
    netnames: BTreeMap<String, NetName>,
}

#[derive(Deserialize)]
pub struct JsonPort {
    pub direction: String,
    pub bits: Vec<Bit>,
}

#[derive(Deserialize)]
pub struct JsonCell {
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(default)]
    pub parameters: BTreeMap<String, serde_json::Value>,
    pub connections: BTreeMap<String, Vec<Bit>>,
}

#[derive(Deserialize)]
struct NetName {
    bits: Vec<Bit>,
}

/// A net by its number, or a constant.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Bit {
    Net(Net),
    Constant(String),
}

impl Bit {
    /// Yosys' numbers begin behind those of the constants. What is undefined is zero.
    pub fn net(&self) -> Net {
        match self {
            Bit::Net(net) => *net,
            Bit::Constant(value) => (value == "1") as Net,
        }
    }
}

impl NetlistModule {
    pub fn parse(text: &str, top: &str) -> Result<NetlistModule> {
        let mut document: Document =
            serde_json::from_str(text).context("the JSON of Yosys cannot be read")?;
        let module = document.modules.remove(top).with_context(|| format!("Yosys wrote no module {top}"))?;
        serde_json::from_value(module).context("the module in the JSON of Yosys cannot be read")
    }

    /// A name of each net, by its number: one that the design gives before one that Yosys made, and a short
    /// one.
    pub fn names(&self) -> Vec<String> {
        let mut names = vec!["0".to_string(), "1".to_string()];
        let better = |new: &str, old: &str| {
            old.is_empty() || (is_made(new), new.len(), new) < (is_made(old), old.len(), old)
        };
        for (name, net) in &self.netnames {
            for (place, bit) in net.bits.iter().enumerate() {
                let Bit::Net(number) = bit else { continue };
                let name = if net.bits.len() == 1 { name.clone() } else { format!("{name}[{place}]") };
                let number = *number as usize;
                names.resize(names.len().max(number + 1), String::new());
                if better(&name, &names[number]) {
                    names[number] = name;
                }
            }
        }
        let pins = self.cells.values().flat_map(|cell| cell.connections.values().flatten());
        let most = pins.chain(self.ports.values().flat_map(|port| &port.bits)).map(Bit::net).max();
        names.resize(names.len().max(most.unwrap_or(0) as usize + 1), String::new());
        names
    }
}

/// Returns true if Yosys made a name: `u17` or `u17[3]`, behind an instance or not.
pub fn is_made(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name);
    let last = last.split('[').next().unwrap_or(last);
    last.starts_with('$') || last.strip_prefix('u').is_some_and(|rest| rest.parse::<u64>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_design_are_told_from_made_ones() {
        for made in ["u17", "queues[0].each.u17", "queues[0].each.u17[3]", "$abc$1"] {
            assert!(is_made(made), "{made}");
        }
        for own in ["unit[2]", "u", "queues[0].each.oldest[1]", "units"] {
            assert!(!is_made(own), "{own}");
        }
    }
}
