// SPDX-License-Identifier: Apache-2.0
//! Sets as bit masks.

use gpurf_blocks::{WarpSet, MAX_WARPS};

/// Bit i: element i is set. There are 8 at most.
#[inline]
pub fn mask<const N: usize>(bits: &[bool; N]) -> u8 {
    const { assert!(N <= 8) };
    let mut bytes = [0; 8];
    for (byte, &bit) in bytes.iter_mut().zip(bits) {
        *byte = bit.into();
    }
    // Byte i, shifted left by 56 - 7 i, has its bit at place 56 + i; no two bits meet on the way.
    (u64::from_le_bytes(bytes).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

/// The same of warps.
#[inline]
pub fn warp_mask(warps: &[bool; MAX_WARPS]) -> WarpSet {
    let (low, high) = warps.split_first_chunk::<8>().expect("more than 8 warps");
    let high = high.first_chunk::<8>().expect("16 warps");
    WarpSet::from(mask(low)) | WarpSet::from(mask(high)) << 8
}

/// Element i: bit i is set. There are 8 at most.
#[inline]
pub fn flags<const N: usize>(set: u8) -> [bool; N] {
    *FLAGS[usize::from(set)].first_chunk().expect("there are 8 at most")
}

/// For every set, what [`flags`] makes of it.
static FLAGS: [[bool; 8]; 256] = {
    let mut flags = [[false; 8]; 256];
    let mut place = 0;
    while place < 8 * 256 {
        flags[place / 8][place % 8] = (place / 8) >> (place % 8) & 1 == 1;
        place += 1;
    }
    flags
};

/// How many members a set has.
#[inline]
pub fn count(set: u8) -> u64 {
    COUNTS[usize::from(set)].into()
}

/// For every set, what [`count`] makes of it: not all processors that this runs on count bits.
static COUNTS: [u8; 256] = {
    let mut counts = [0; 256];
    let mut set = 1;
    while set < 256 {
        counts[set] = counts[set / 2] + set as u8 % 2;
        set += 1;
    }
    counts
};

/// The same of lanes, which mostly all are members or none.
#[inline]
pub fn count_lanes(lanes: u32) -> u64 {
    match lanes {
        0 => 0,
        u32::MAX => 32,
        some => some.count_ones().into(),
    }
}

/// The bits of a set as booleans, as [`flags`], for warps.
#[inline]
pub fn warp_flags(warps: WarpSet) -> [bool; MAX_WARPS] {
    let [low, high] = warps.to_le_bytes();
    let mut all = [false; MAX_WARPS];
    all[..8].copy_from_slice(&flags::<8>(low));
    all[8..].copy_from_slice(&flags::<8>(high));
    all
}

/// Bit i: byte i is this one.
#[inline]
pub fn equal(bytes: &[u8; 8], byte: u8) -> u8 {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let differs = u64::from_le_bytes(*bytes) ^ (u64::from(byte) * 0x0101_0101_0101_0101);
    // Of each byte the highest bit is set if any of its bits is; no carry leaves the byte.
    let any = ((differs & LOW) + LOW) | differs;
    (((!any & !LOW) >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

/// The same of more bytes.
#[inline]
pub fn equal_of_16(bytes: &[u8; 16], byte: u8) -> u16 {
    let (low, high) = bytes.split_first_chunk::<8>().expect("more than 8 bytes");
    let high = high.first_chunk::<8>().expect("16 bytes");
    u16::from(equal(low, byte)) | u16::from(equal(high, byte)) << 8
}

/// The same of twice as many.
#[inline]
pub fn equal_of_32(bytes: &[u8; 32], byte: u8) -> u32 {
    let (low, high) = bytes.split_first_chunk::<16>().expect("more than 16 bytes");
    let high = high.first_chunk::<16>().expect("32 bytes");
    u32::from(equal_of_16(low, byte)) | u32::from(equal_of_16(high, byte)) << 16
}

/// Puts a member into a set or takes it out.
#[inline]
pub fn set(members: &mut u8, member: usize, is_in: bool) {
    *members = *members & !(1 << member) | u8::from(is_in) << member;
}

/// The lowest `count` of up to 8 members.
#[inline]
pub fn all(count: usize) -> u8 {
    ((1u32 << count) - 1) as u8
}

/// The lowest member, if there is one.
#[inline]
pub fn first(set: u16) -> Option<usize> {
    (set != 0).then(|| set.trailing_zeros() as usize)
}

/// The first member from number `start` on, around.
#[inline]
pub fn first_from(set: impl Into<u32>, start: usize) -> Option<usize> {
    let set = set.into();
    let from_start = set >> start << start;
    let first = if from_start != 0 { from_start } else { set };
    (set != 0).then(|| first.trailing_zeros() as usize)
}

/// The numbers of the bits that are set, lowest first.
#[inline]
pub fn members(set: impl Into<u64>) -> impl Iterator<Item = usize> {
    let mut rest = set.into();
    std::iter::from_fn(move || {
        if rest == 0 {
            return None;
        }
        let member = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        Some(member)
    })
}

/// The same of a wide set, which takes longer.
pub fn wide_members(mut set: u128) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let member = (set != 0).then(|| set.trailing_zeros() as usize);
        set &= set.wrapping_sub(1);
        member
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_has_the_members_that_were_set() {
        for set in 0..=u8::MAX {
            let bits: [bool; 8] = std::array::from_fn(|bit| set >> bit & 1 == 1);
            assert_eq!(
                (mask(&bits), flags(set), flags(set)),
                (set, bits, [bits[0], bits[1], bits[2], bits[3]])
            );
            assert_eq!(count(set), u64::from(set.count_ones()));
            assert!(members(set).eq((0..8).filter(|&bit| bits[bit])));
            assert!(wide_members(u128::from(set) << 99).eq(members(set).map(|member| member + 99)));
        }
        for warps in 0..=WarpSet::MAX {
            let bits: [bool; MAX_WARPS] = std::array::from_fn(|warp| warps >> warp & 1 == 1);
            assert_eq!((warp_mask(&bits), warp_flags(warps)), (warps, bits));
        }
        assert_eq!(mask(&[false, true, true]), 0b110);
        assert_eq!((all(0), all(3), all(8)), (0, 0b111, u8::MAX));
    }

    #[test]
    fn equal_bytes_are_found() {
        for byte in 0..=u8::MAX {
            for other in [0, 1, 0x7f, 0x80, 0x81, 0xff, byte ^ 1, byte ^ 0x80] {
                let bytes: [u8; 16] = std::array::from_fn(|place| if place % 3 == 1 { byte } else { other });
                let expected =
                    (0..16).filter(|&place| bytes[place] == byte).fold(0, |set, place| set | 1 << place);
                assert_eq!(equal_of_16(&bytes, byte), expected);
                assert_eq!(equal(bytes.first_chunk().unwrap(), byte), expected as u8);
                let mut twice = [other; 32];
                twice[16..].copy_from_slice(&bytes);
                let low = if other == byte { 0xffff } else { 0 };
                assert_eq!(equal_of_32(&twice, byte), low | u32::from(expected) << 16);
            }
        }
    }

    #[test]
    fn a_set_is_searched_around() {
        for set in 0..=u8::MAX {
            for start in 0..8 {
                let mut around = (start..8).chain(0..start);
                assert_eq!(first_from(set, start), around.find(|member| set >> member & 1 == 1));
            }
        }
    }
}
