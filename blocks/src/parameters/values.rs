// SPDX-License-Identifier: Apache-2.0
//! Possible values of a parameter.

use std::fmt;

/// The possible values of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// These numbers, in rising order.
    OneOf(&'static [usize]),
    /// Every number from the first to the last in steps.
    Range {
        /// The least number.
        first: usize,
        /// The largest number.
        last: usize,
        /// How far apart they are.
        step: usize,
    },
    /// These names, whose places are their numbers.
    Names(&'static [&'static str]),
    /// A value that a TOML file describes; the text says what the file has.
    File(&'static str),
}

impl Values {
    /// The largest number.
    ///
    /// # Panics
    /// If these are no numbers.
    pub const fn largest(&self) -> usize {
        match self {
            Values::OneOf(numbers) => numbers[numbers.len() - 1],
            Values::Range { last, .. } => *last,
            Values::Names(_) | Values::File(_) => panic!("only numbers have a largest"),
        }
    }

    /// The least number.
    ///
    /// # Panics
    /// If these are no numbers.
    pub const fn least(&self) -> usize {
        match self {
            Values::OneOf(numbers) => numbers[0],
            Values::Range { first, .. } => *first,
            Values::Names(_) | Values::File(_) => panic!("only numbers have a least"),
        }
    }

    /// Returns true if the number is among the values.
    pub fn contains(&self, number: usize) -> bool {
        match *self {
            Values::OneOf(numbers) => numbers.contains(&number),
            Values::Range { first, last, step } => {
                (first..=last).contains(&number) && (number - first) % step == 0
            }
            Values::Names(_) | Values::File(_) => false,
        }
    }

    /// Every possible value as text, in order; nothing for a file.
    pub fn texts(&self) -> Box<dyn DoubleEndedIterator<Item = String>> {
        match *self {
            Values::OneOf(numbers) => Box::new(numbers.iter().map(usize::to_string)),
            Values::Range { first, last, step } => {
                let count = (last - first) / step;
                Box::new((0..=count).map(move |index| (first + index * step).to_string()))
            }
            Values::Names(names) => Box::new(names.iter().map(|name| name.to_string())),
            Values::File(_) => Box::new(std::iter::empty()),
        }
    }
}

impl fmt::Display for Values {
    /// As a sentence goes on: `4, 8 or 16`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Values::OneOf(_) | Values::Names(_) => {
                let texts: Vec<String> = self.texts().collect();
                let (last, others) = texts.split_last().expect("some value is possible");
                match others {
                    [] => f.write_str(last),
                    _ => write!(f, "{} or {last}", others.join(", ")),
                }
            }
            Values::Range { first, last, step: 1 } => write!(f, "{first} to {last}"),
            Values::Range { first, last, step } => write!(f, "{first} to {last} in steps of {step}"),
            Values::File(what) => f.write_str(what),
        }
    }
}
