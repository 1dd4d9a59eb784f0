// SPDX-License-Identifier: Apache-2.0
//! Warp schedulers: a row each, which says all that tells one from the others. Reference model, hardware and
//! testbench ask the row.

use std::io;

use borsh::{BorshDeserialize, BorshSerialize};
use serde::{Serialize, Serializer};

use super::parameter::{Parameter, ParameterError, ParameterValue};

/// Which ready warp goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scheduling {
    /// As the command line has it.
    pub name: &'static str,
    /// The warp issued last goes before all others.
    pub is_greedy: bool,
    /// Warps with data in a collector go before those without.
    pub prefers_data: bool,
    /// The order among equals.
    pub order: WarpOrder,
}

/// An order of warps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarpOrder {
    /// The oldest first.
    Age,
    /// In turn.
    Turn,
}

macro_rules! rows {
    ($($(#[$doc:meta])+ $constant:ident = $row:expr;)+) => {
        impl Scheduling {
            $($(#[$doc])+ pub const $constant: Scheduling = $row;)+

            /// All rows.
            pub const ALL: &[Scheduling] = &[$(Scheduling::$constant),+];

            /// Their names.
            pub const NAMES: &[&str] = &[$(Scheduling::$constant.name),+];
        }
    };
}

rows! {
    /// The warp issued last; else the oldest of those with data in a collector; else the oldest. F §IV-B1.
    MALEKEH = Scheduling { name: "malekeh", is_greedy: true, prefers_data: true, order: WarpOrder::Age };
    /// Greedy, then oldest: the warp issued last; else the oldest.
    GTO = Scheduling { name: "gto", is_greedy: true, prefers_data: false, order: WarpOrder::Age };
    /// Loose round robin: in turn, passing over those that are not ready.
    LRR = Scheduling { name: "lrr", is_greedy: false, prefers_data: false, order: WarpOrder::Turn };
}

impl Scheduling {
    /// The row of this name.
    pub fn of_name(name: &str) -> Option<Scheduling> {
        Scheduling::ALL.iter().find(|row| row.name == name).copied()
    }
}

impl ParameterValue for Scheduling {
    fn parse(text: &str, parameter: &Parameter) -> Result<Self, ParameterError> {
        Scheduling::of_name(text).ok_or_else(|| ParameterError(parameter.refused(text)))
    }

    fn text(&self) -> String {
        self.name.into()
    }

    /// The place among all rows. A row that stands elsewhere comes behind them.
    fn number(&self) -> usize {
        Scheduling::ALL.iter().position(|row| row == self).unwrap_or(Scheduling::ALL.len())
    }
}

impl Serialize for Scheduling {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}

impl BorshSerialize for Scheduling {
    fn serialize<W: io::Write>(&self, writer: &mut W) -> io::Result<()> {
        BorshSerialize::serialize(self.name, writer)
    }
}

impl BorshDeserialize for Scheduling {
    fn deserialize_reader<R: io::Read>(reader: &mut R) -> io::Result<Self> {
        let name = String::deserialize_reader(reader)?;
        let unknown =
            || io::Error::new(io::ErrorKind::InvalidData, format!("no warp scheduler is called `{name}`"));
        Scheduling::of_name(&name).ok_or_else(unknown)
    }
}
