// SPDX-License-Identifier: Apache-2.0
//! Turns the addresses of a warp's lanes into the accesses that memory performs.

use borsh::{BorshDeserialize, BorshSerialize};

use crate::config::LINE;

/// Bytes of a sector, the unit of transfer between caches.
pub(in crate::sm) const SECTOR: u64 = 32;
/// Sectors of a line.
pub(super) const SECTORS: usize = (LINE / SECTOR) as usize;

/// Bytes of one cache line that a warp accesses together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
struct LineAccess {
    /// Address of the line divided by its size.
    line: u64,
    /// One bit each.
    bytes: u128,
}

/// Bytes of one sector that a warp accesses together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(in crate::sm) struct SectorAccess {
    pub line: u64,
    pub sector: usize,
    /// One bit each.
    pub bytes: u32,
}

/// The sectors that an instruction touches. It is kept from one instruction to the next, for its room.
#[derive(Default, BorshSerialize, BorshDeserialize)]
pub(super) struct Coalescer {
    lines: Vec<LineAccess>,
}

impl Coalescer {
    /// Takes the lines and sectors in which `width` bytes at each of the addresses lie.
    pub fn coalesce(&mut self, addresses: impl Iterator<Item = u64>, width: u64) {
        self.lines.clear();
        let width = width.clamp(1, LINE);
        for address in addresses {
            let (line, offset) = (address / LINE, address % LINE);
            let bytes = u128::MAX >> (LINE - width);
            self.add(line, bytes << offset);
            if offset + width > LINE {
                self.add(line + 1, bytes >> (LINE - offset));
            }
        }
        // As Accel-Sim performs them: from the highest address on.
        if !self.lines.is_sorted_by(|one, next| one.line > next.line) {
            self.lines.sort_unstable_by_key(|access| std::cmp::Reverse(access.line));
        }
    }

    /// The sectors that the last instruction touches, highest address first.
    pub fn sectors(&self) -> impl Iterator<Item = SectorAccess> + '_ {
        self.lines.iter().flat_map(|&LineAccess { line, bytes }| {
            let of_sector = move |sector: usize| (bytes >> (SECTOR as usize * sector)) as u32;
            let sectors =
                (0..SECTORS).rev().map(move |sector| SectorAccess { line, sector, bytes: of_sector(sector) });
            sectors.filter(|access| access.bytes != 0)
        })
    }

    fn add(&mut self, line: u64, bytes: u128) {
        // Neighbouring lanes mostly share a line: look at the latest first.
        match self.lines.iter_mut().rev().find(|access| access.line == line) {
            Some(access) => access.bytes |= bytes,
            None => self.lines.push(LineAccess { line, bytes }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sectors(addresses: &[u64], width: u64) -> Vec<(u64, usize, u32)> {
        let mut coalescer = Coalescer::default();
        coalescer.coalesce(addresses.iter().copied(), width);
        coalescer.sectors().map(|SectorAccess { line, sector, bytes }| (line, sector, bytes)).collect()
    }

    fn lanes(address: impl Fn(u64) -> u64) -> Vec<u64> {
        (0..32).map(address).collect()
    }

    #[test]
    fn consecutive_words_take_one_line() {
        let expected: Vec<_> = (0..4).rev().map(|sector| (0x20, sector, u32::MAX)).collect();
        assert_eq!(sectors(&lanes(|lane| 0x1000 + 4 * lane), 4), expected);
    }

    #[test]
    fn one_address_takes_one_sector_and_strides_take_more() {
        assert_eq!(sectors(&lanes(|_| 0x1044), 4), [(0x20, 2, 0xf0)]);
        let strided = sectors(&lanes(|lane| 128 * lane), 4);
        assert_eq!((strided.len(), strided[0], strided[31]), (32, (31, 0, 0xf), (0, 0, 0xf)));
        assert_eq!(sectors(&lanes(|lane| 8 * lane), 4).len(), 8);
    }

    #[test]
    fn a_misaligned_access_touches_both_sectors() {
        assert_eq!(sectors(&[0x7e], 4), [(1, 0, 0b11), (0, 3, 0xc000_0000)]);
        assert_eq!(sectors(&lanes(|lane| 256 * lane + 0x7c), 16).len(), 64);
        assert_eq!(sectors(&[0], 128).len(), 4);
    }
}
