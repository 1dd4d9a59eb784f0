//! Testbenches of the register cache and its parts.

use crate::Random;

gpurf_hw::dialect::modules!("src/register_cache");

/// Numbers of registers spread over all bits: some at random, each with neighbours that differ in one bit.
fn registers(random: &mut Random, count: usize) -> Vec<u32> {
    let mut registers = vec![];
    while registers.len() < count {
        let register = random.below(256) as u32;
        registers.extend([register, register ^ 1 << random.below(8)]);
    }
    registers
}

/// Lanes: all, any, few, or one.
fn lanes(random: &mut Random) -> u32 {
    match random.below(8) {
        0 => random.word(),
        1 => random.word() & random.word() & random.word(),
        2..5 => 1 << random.below(32),
        _ => !0,
    }
}
