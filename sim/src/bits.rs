//! Sets as bit masks.

/// Bit i: element i is set. There are 8 at most.
#[inline]
pub fn mask<const N: usize>(bits: &[bool; N]) -> u8 {
    let mut bytes = [0; 8];
    for (byte, &bit) in bytes.iter_mut().zip(bits) {
        *byte = bit.into();
    }
    // Byte i, shifted left by 56 - 7 i, has its bit at place 56 + i; no two bits meet on the way.
    (u64::from_le_bytes(bytes).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

/// Element i: bit i is set.
#[inline]
pub fn flags(set: u8) -> [bool; 8] {
    // Of eight copies of the set, byte i keeps bit i.
    let copies = u64::from(set) * 0x0101_0101_0101_0101;
    let bytes = (copies & 0x8040_2010_0804_0201).to_le_bytes();
    let mut flags = [false; 8];
    for (flag, byte) in flags.iter_mut().zip(bytes) {
        *flag = byte != 0;
    }
    flags
}

/// The numbers of the bits that are set, lowest first.
#[inline]
pub fn members(set: impl Into<u32>) -> impl Iterator<Item = usize> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_has_the_members_that_were_set() {
        for set in 0..=u8::MAX {
            let bits: [bool; 8] = std::array::from_fn(|bit| set >> bit & 1 == 1);
            assert_eq!((mask(&bits), flags(set)), (set, bits));
            assert!(members(set).eq((0..8).filter(|&bit| bits[bit])));
        }
        assert_eq!(mask(&[false, true, true]), 0b110);
    }
}
