// SPDX-License-Identifier: Apache-2.0
//! Where the words of local memory lie.
//!
//! A trace names the address of a local variable, which is the same for every thread that has it. Memory
//! keeps word w of the thread t of an SM at (w x threads + t) x 4, so that the lanes of a warp find theirs
//! side by side.

use crate::bits::wide_members;

const WORD: u64 = 4;
/// Keeps local memory apart from the rest.
const BASE: u64 = 1 << 56;

/// Threads of a warp as an SM numbers them.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::sm) struct Threads {
    /// The warp's first.
    pub first: u64,
    /// Active lanes, one bit each.
    pub mask: u32,
    /// Threads that the SM has room for.
    pub count: u64,
}

/// The addresses of the words that the lanes access; `addresses` are those of the active ones. Less than a
/// word is an access to the word.
pub(super) fn words<'a>(
    addresses: &'a [u64],
    width: u64,
    threads: &'a Threads,
) -> impl Iterator<Item = u64> + 'a {
    let lanes = wide_members(threads.mask.into()).zip(addresses);
    lanes.flat_map(move |(lane, address)| {
        let thread = threads.first + lane as u64;
        let first = address / WORD;
        (first..first + width.div_ceil(WORD)).map(move |word| BASE + (word * threads.count + thread) * WORD)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lanes_of_a_warp_lie_side_by_side() {
        let threads = Threads { first: 32, mask: 0b110, count: 256 };
        let found: Vec<u64> = words(&[0x10, 0x10], 8, &threads).map(|address| address - BASE).collect();
        assert_eq!(
            found,
            [4, 5]
                .map(|word| (word * 256 + 33) * 4)
                .into_iter()
                .chain([4, 5].map(|word| (word * 256 + 34) * 4))
                .collect::<Vec<_>>()
        );
    }
}
