// SPDX-License-Identifier: Apache-2.0
//! Inputs in words.

use std::fmt::Debug;

use indicatif::HumanCount;

/// A number with thousands separated.
pub fn grouped(number: impl TryInto<u64, Error: Debug>) -> String {
    HumanCount(number.try_into().expect("a count")).to_string()
}

/// A count of what has a regular plural: 1 pair, 1,024 inputs.
pub fn counted(count: impl TryInto<u64, Error: Debug>, one: &str) -> String {
    match grouped(count) {
        count if count == "1" => format!("{count} {one}"),
        count => format!("{count} {one}s"),
    }
}

/// The sides of something: 1,300 × 41.
pub fn extent<T: TryInto<u64, Error: Debug>>(sides: impl IntoIterator<Item = T>) -> String {
    sides.into_iter().map(grouped).collect::<Vec<_>>().join(" × ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_counts_and_extents() {
        assert_eq!(
            [0, 999, 1000, 42_764, 1_000_000].map(grouped),
            ["0", "999", "1,000", "42,764", "1,000,000"]
        );
        assert_eq!([1, 2, 1024].map(|count| counted(count, "pair")), ["1 pair", "2 pairs", "1,024 pairs"]);
        assert_eq!(extent([1300, 41]), "1,300 × 41");
    }
}
