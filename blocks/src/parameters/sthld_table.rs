// SPDX-License-Identifier: Apache-2.0
//! Transitions of the STHLD controller, read from TOML: W §7, F §IV-B3.

use std::sync::LazyLock;

use borsh::{BorshDeserialize, BorshSerialize};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::parameter::{Parameter, ParameterError, ParameterValue};
use crate::STHLD_STATES;

/// The project's reconstruction of the papers' figure.
const RECONSTRUCTION: &str = include_str!("../../config/sthld.toml");

/// The controller's actions in each state; the TOML file documents the fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(deny_unknown_fields)]
pub struct SthldTable {
    /// Number of the reconstruction of the papers' figure; 0 stands for the papers' own table.
    pub reconstruction: usize,
    /// STHLD, in cycles, saturates at 0 and here.
    pub maximum: u32,
    /// A change of IPC of less than one part in so many is small.
    pub inverse_threshold: u32,
    /// The edges out of each state, state 1 first.
    pub state: [Edges; STHLD_STATES],
}

/// The ways out of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(deny_unknown_fields)]
pub struct Edges {
    /// After a small change of IPC.
    pub small: Transition,
    /// After a large one.
    pub large: Transition,
}

/// One edge of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(deny_unknown_fields)]
pub struct Transition {
    /// 1 to 6.
    pub next: u32,
    /// Added to STHLD.
    pub step: i32,
}

impl Default for SthldTable {
    /// `config/sthld.toml`.
    fn default() -> Self {
        static TABLE: LazyLock<SthldTable> = LazyLock::new(|| {
            SthldTable::parse(RECONSTRUCTION, "blocks/config/sthld.toml")
                .expect("the embedded table is valid")
        });
        *TABLE
    }
}

impl SthldTable {
    /// Reads a table; `origin` names the text in messages.
    pub fn parse(text: &str, origin: &str) -> Result<Self, ParameterError> {
        let refused = |reason: String| ParameterError(format!("{origin}: {reason}"));
        let table: SthldTable = toml::from_str(text).map_err(|error| refused(error.to_string()))?;
        let SthldTable { maximum, inverse_threshold, .. } = table;
        if !(1..=31).contains(&maximum) {
            return Err(refused(format!("maximum = {maximum} is not possible; it is 1 to 31")));
        }
        if !(1..=63).contains(&inverse_threshold) {
            let is = format!("inverse_threshold = {inverse_threshold} is not possible; it is 1 to 63");
            return Err(refused(is));
        }
        for (index, Edges { small, large }) in table.state.iter().enumerate() {
            for Transition { next, step } in [small, large] {
                let state = index + 1;
                if !(1..=STHLD_STATES as u32).contains(next) {
                    return Err(refused(format!("state {state}: next = {next} is no state; it is 1 to 6")));
                }
                if step.unsigned_abs() > 31 {
                    return Err(refused(format!(
                        "state {state}: step = {step} is not possible; it is −31 to 31"
                    )));
                }
            }
        }
        Ok(table)
    }
}

impl ParameterValue for SthldTable {
    fn parse(text: &str, parameter: &Parameter) -> Result<Self, ParameterError> {
        let file = std::fs::read_to_string(text)
            .map_err(|error| ParameterError(format!("{} ({error})", parameter.refused(text))))?;
        SthldTable::parse(&file, text)
    }

    fn text(&self) -> String {
        match self.reconstruction {
            0 => "the papers' own".into(),
            number => format!("reconstruction {number}"),
        }
    }

    /// The table's own number if it is the default, else a digest: tables in files may bear any number.
    fn number(&self) -> usize {
        if *self == SthldTable::default() {
            return self.reconstruction;
        }
        let bytes = borsh::to_vec(self).expect("numbers can be written");
        let digest = Sha256::digest(bytes);
        u32::from_be_bytes([digest[0], digest[1], digest[2], digest[3]]) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(from: &str, to: &str) -> String {
        assert!(RECONSTRUCTION.contains(from));
        SthldTable::parse(&RECONSTRUCTION.replacen(from, to, 1), "table.toml").unwrap_err().0
    }

    #[test]
    fn the_embedded_table_has_the_papers_frame() {
        let table = SthldTable::default();
        assert_eq!(table.inverse_threshold, 50);
        // "Remains in state 6 until a large IPC change is detected", then a speculative step into state 3.
        assert_eq!(table.state[5].small, Transition { next: 6, step: 0 });
        assert_eq!(table.state[5].large.next, 3);
        assert!(table.state[5].large.step > 0);
    }

    #[test]
    fn impossible_tables_are_refused_with_place_and_remedy() {
        assert_eq!(
            message("maximum = 31", "maximum = 32"),
            "table.toml: maximum = 32 is not possible; it is 1 to 31"
        );
        assert!(message("inverse_threshold = 50", "inverse_threshold = 64").contains("1 to 63"));
        assert!(message("next = 5", "next = 7").contains("state 4: next = 7 is no state"));
        assert!(message("step = -4", "step = -32").contains("state 3: step = -32"));
        assert!(message("maximum", "most").contains("most"));
        let last = RECONSTRUCTION.find("[[state]] # 6").expect("six states");
        let five = SthldTable::parse(&RECONSTRUCTION[..last], "table.toml").unwrap_err().0;
        assert!(five.contains("length 5") && five.contains("6"), "{five}");
    }
}
