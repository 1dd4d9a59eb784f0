// SPDX-License-Identifier: Apache-2.0
//! The condition that a `DEPBAR` waits for, which stands in its operands rather than in its control bits.

use borsh::{BorshDeserialize, BorshSerialize};

/// `DEPBAR.LE SB5, 0x1, {2,0}`: until dependence counter 5 is 1 or less, and counters 0 and 2 are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct DependenceLimit {
    /// A dependence counter, 0 to 5.
    pub counter: u8,
    /// The highest value of it at which the condition holds.
    pub value: u8,
    /// Bit c: counter c must be 0.
    pub mask: u8,
}

/// A warp's dependence counters, and the values of one.
const COUNTERS: u8 = 6;
const VALUES: u8 = 64;

impl DependenceLimit {
    /// From an instruction as a listing has it. `None` if it has no such condition.
    pub fn of_code(code: &str) -> Option<DependenceLimit> {
        let (_, rest) = code.split_once("DEPBAR.LE")?;
        let (condition, set) = rest.split_once('{').unwrap_or((rest, ""));
        let counter = |text: &str| text.parse::<u8>().ok().filter(|&counter| counter < COUNTERS);
        let mut operands = condition.split(',').map(str::trim);
        let counter_name = operands.next()?.strip_prefix("SB")?;
        let value = u8::from_str_radix(operands.next()?.strip_prefix("0x")?, 16).ok();
        let set = set.split('}').next()?;
        let numbers = set.split(',').map(str::trim).filter(|number| !number.is_empty());
        let mask = numbers.map(|number| counter(number).map(|counter| 1u8 << counter));
        Some(DependenceLimit {
            counter: counter(counter_name)?,
            value: value.filter(|&value| value < VALUES)?,
            mask: mask.collect::<Option<Vec<u8>>>()?.into_iter().fold(0, |mask, bit| mask | bit),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_stand_in_operands() {
        let limit = |counter, value, mask| Some(DependenceLimit { counter, value, mask });
        assert_eq!(DependenceLimit::of_code("DEPBAR.LE SB5, 0x1"), limit(5, 1, 0));
        assert_eq!(DependenceLimit::of_code("@!P0 DEPBAR.LE SB0, 0x3f, {4,2,1} "), limit(0, 63, 0b1_0110));
        assert_eq!(DependenceLimit::of_code("DEPBAR.LE SB0, 0x0, {3}"), limit(0, 0, 0b1000));
        for none in
            ["NOP", "DEPBAR", "DEPBAR {5,4}", "DEPBAR.LE SB6, 0x0", "DEPBAR.LE SB0, 0x40", "DEPBAR.LE SB0"]
        {
            assert_eq!(DependenceLimit::of_code(none), None, "{none}");
        }
    }
}
