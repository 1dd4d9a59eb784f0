// SPDX-License-Identifier: Apache-2.0
//! The cost of a warp's access to shared memory.

/// Words of a shared-memory access that are served together: one for each lane.
const WORDS: usize = 32;
/// Bytes of a word of a shared-memory bank.
pub(super) const WORD: u64 = 4;

/// The cost of one access to shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sm) struct SharedCost {
    /// Cycles that shared memory is busy.
    pub cycles: u64,
    /// The ones of them that are lost to bank conflicts.
    pub conflicts: u64,
}

/// The cost of an access of `width` bytes per lane; there is at least one address.
///
/// Lanes that name the same word share its access; different words in one bank take a cycle each.
/// An access of 8 or 16 bytes per lane is served in two or four parts. Each part covers as many lanes as 32
/// words allow. `banks` is a power of two up to 64.
pub(in crate::sm) fn shared_cost(addresses: &[u64], width: u64, banks: usize) -> SharedCost {
    let words_per_lane = width.div_ceil(WORD).clamp(1, WORDS as u64) as usize;
    let parts = addresses.chunks(WORDS / words_per_lane);
    let part_count = parts.len() as u64;
    let cycles = parts.map(|part| part_cycles(part, words_per_lane, banks)).sum::<u64>();
    SharedCost { cycles, conflicts: cycles - part_count }
}

fn part_cycles(addresses: &[u64], words_per_lane: usize, banks: usize) -> u64 {
    let mut words = [0; WORDS];
    let width = WORD * words_per_lane as u64;
    // What lies at a multiple of its width is a word of as many wider banks.
    let offsets = addresses.iter().fold(0, |bits, address| bits | address) & (width - 1);
    if words_per_lane <= banks && width.is_power_of_two() && offsets == 0 {
        let shift = width.trailing_zeros();
        words.iter_mut().zip(addresses).for_each(|(word, address)| *word = address >> shift);
        return word_cycles(&mut words[..addresses.len()], banks / words_per_lane);
    }
    let mut count = 0;
    for &address in addresses {
        for word in 0..words_per_lane as u64 {
            words[count] = address / WORD + word;
            count += 1;
        }
    }
    word_cycles(&mut words[..count], banks)
}

/// The most different words of one bank.
fn word_cycles(words: &mut [u64], banks: usize) -> u64 {
    // Mostly no two words are in one bank, whose number is that of its word.
    let mut of_bank = [0; 64];
    words.iter().for_each(|&word| of_bank[word as usize & (banks - 1)] = word);
    if words.iter().all(|&word| of_bank[word as usize & (banks - 1)] == word) {
        return 1;
    }
    words.sort_unstable();
    let mut load = [0u8; 64];
    let mut previous = None;
    for &word in words.iter() {
        if previous != Some(word) {
            load[word as usize & (banks - 1)] += 1;
            previous = Some(word);
        }
    }
    u64::from(load.into_iter().max().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lanes(address: impl Fn(u64) -> u64) -> Vec<u64> {
        (0..32).map(address).collect()
    }

    fn shared_cycles(addresses: &[u64], width: u64, banks: usize) -> u64 {
        shared_cost(addresses, width, banks).cycles
    }

    #[test]
    fn shared_memory_conflicts_are_words_per_bank() {
        assert_eq!(shared_cycles(&lanes(|lane| 4 * lane), 4, 32), 1);
        assert_eq!(shared_cycles(&lanes(|_| 64), 4, 32), 1, "a broadcast");
        assert_eq!(shared_cycles(&lanes(|lane| 8 * lane), 4, 32), 2);
        assert_eq!(shared_cycles(&lanes(|lane| 128 * lane), 4, 32), 32);
        assert_eq!(shared_cycles(&lanes(|lane| lane), 1, 32), 1, "four lanes to a word");
        assert_eq!(shared_cycles(&lanes(|lane| 4 * (33 * lane % 1024)), 4, 32), 1, "padded columns");
    }

    #[test]
    fn wide_accesses_are_served_in_parts() {
        assert_eq!(shared_cycles(&lanes(|lane| 8 * lane), 8, 32), 2);
        assert_eq!(shared_cycles(&lanes(|lane| 16 * lane), 16, 32), 4);
        assert_eq!(shared_cycles(&lanes(|_| 0), 16, 32), 4, "one cycle for each part");
        let cost = shared_cost(&lanes(|lane| 16 * lane), 8, 32);
        assert_eq!(cost, SharedCost { cycles: 4, conflicts: 2 });
    }
}
