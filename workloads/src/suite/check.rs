// SPDX-License-Identifier: Apache-2.0
//! Answers against references.

use crate::error::{Error, Result};

/// How far a floating-point answer may be off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Times the magnitude of the expected value.
    pub relative: f64,
    /// Added to that.
    pub absolute: f64,
}

/// Fails unless every value of `actual` is the expected one. `what` names the answer in the error.
pub fn expect_equal<T: PartialEq + std::fmt::Debug>(what: &str, actual: &[T], expected: &[T]) -> Result<()> {
    same_length(what, actual.len(), expected.len())?;
    match actual.iter().zip(expected).position(|(actual, expected)| actual != expected) {
        None => Ok(()),
        Some(index) => Err(Error::Answer {
            message: format!("{what}[{index}] is {:?}, expected {:?}", actual[index], expected[index]),
        }),
    }
}

/// Fails unless every value of `actual` is within `tolerance` of the expected one.
pub fn expect_close<T: Copy + Into<f64>>(
    what: &str,
    actual: &[T],
    expected: &[T],
    tolerance: Tolerance,
) -> Result<()> {
    same_length(what, actual.len(), expected.len())?;
    for (index, (&actual, &expected)) in actual.iter().zip(expected).enumerate() {
        let (actual, expected): (f64, f64) = (actual.into(), expected.into());
        let allowed = tolerance.absolute + tolerance.relative * expected.abs();
        // A NaN is never close.
        let is_close = (actual - expected).abs() <= allowed;
        if !is_close {
            let message = format!("{what}[{index}] is {actual}, expected {expected} within {allowed:e}");
            return Err(Error::Answer { message });
        }
    }
    Ok(())
}

fn same_length(what: &str, actual: usize, expected: usize) -> Result<()> {
    if actual == expected {
        return Ok(());
    }
    Err(Error::Answer { message: format!("{what} has {actual} values, expected {expected}") })
}
