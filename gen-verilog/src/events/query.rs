// SPDX-License-Identifier: Apache-2.0
//! Events asked for by name and values: `hit#3,warp=3`.

use std::str::FromStr;

use super::Occurrence;

/// Which events are meant, and which one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// `hit`
    pub kind: String,
    /// The first one is 1.
    pub number: u64,
    /// Values that it has: those of its declaration, or the number of an instance, `collector=1` for
    /// `collectors_1`.
    pub values: Vec<(String, u64)>,
}

impl FromStr for Query {
    type Err = String;

    fn from_str(text: &str) -> Result<Query, String> {
        let mut parts = text.split(',');
        let head = parts.next().unwrap_or_default();
        let (kind, number) = match head.split_once('#') {
            None => (head, 1),
            Some((kind, number)) => match number.parse() {
                Ok(number) if number > 0 => (kind, number),
                _ => return Err(format!("{kind}#{number}: events are counted from 1, as in {kind}#3")),
            },
        };
        let values = parts.map(|part| {
            let (name, value) =
                part.split_once('=').ok_or_else(|| format!("{part}: write NAME=NUMBER, as in warp=3"))?;
            let digits = if name == "register" { value.strip_prefix('R').unwrap_or(value) } else { value };
            let value = digits.parse().map_err(|_| format!("{part}: {value} is no number"))?;
            Ok((name.to_string(), value))
        });
        Ok(Query { kind: kind.into(), number, values: values.collect::<Result<_, String>>()? })
    }
}

impl Query {
    /// Tells if it is an event that is meant.
    pub fn matches(&self, event: &Occurrence) -> bool {
        let has = |(name, value): &(String, u64)| {
            event.field(name) == Some(*value) || is_in(event.path(), name, *value)
        };
        event.kind() == self.kind && self.values.iter().all(has)
    }
}

/// Tells if an instance of this name and number is on a path.
fn is_in(path: &[String], name: &str, number: u64) -> bool {
    path.iter().any(|step| {
        let (instance, index) = step.rsplit_once('_').unwrap_or((step, ""));
        instance.strip_suffix('s').unwrap_or(instance) == name && index.parse() == Ok(number)
    })
}
