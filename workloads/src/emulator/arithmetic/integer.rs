// SPDX-License-Identifier: Apache-2.0
//! Integers and bits.

/// `LOP3`: any function of three bits. Bit `4a + 2b + c` of the table is its value there.
#[inline]
pub fn lop3(a: u32, b: u32, c: u32, table: u8) -> u32 {
    let value = |row: u32| u32::from(table >> row & 1).wrapping_neg();
    let choose = |bits: u32, one: u32, zero: u32| zero ^ bits & (one ^ zero);
    let given_ab = |row: u32| choose(c, value(row + 1), value(row));
    let given_a = |row: u32| choose(b, given_ab(row + 2), given_ab(row));
    choose(a, given_a(4), given_a(0))
}

/// How `PRMT` reads its selector; named as in assembly.
#[allow(clippy::upper_case_acronyms)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PermuteMode {
    /// Four bits per byte of the result: its source, and whether to copy only the sign of that.
    Index,
    /// Four bytes forward from the selected one.
    F4E,
    /// Four bytes backward from the selected one.
    B4E,
    /// The selected byte four times.
    RC8,
    /// Bytes from the left, down to the selected one, which fills the rest.
    ECL,
    /// Bytes from the right, up to the selected one, which fills the rest.
    ECR,
    /// The selected half twice.
    RC16,
}

/// `PRMT Rd, a, selector, b`: each byte of the result is one of the 8 bytes of `b:a`.
#[inline]
pub fn prmt(a: u32, b: u32, selector: u32, mode: PermuteMode) -> u32 {
    let bytes = u64::from(b) << 32 | u64::from(a);
    let first = selector & 3;
    let mut result = 0;
    for position in 0..4 {
        let index = match mode {
            PermuteMode::Index => selector >> (4 * position) & 7,
            PermuteMode::F4E => first + position,
            PermuteMode::B4E => first.wrapping_sub(position) & 7,
            PermuteMode::RC8 => first,
            PermuteMode::ECL => first.max(position),
            PermuteMode::ECR => first.min(position),
            PermuteMode::RC16 => (first & 1) * 2 + (position & 1),
        };
        let byte = (bytes >> (8 * index)) as u8;
        let sign_only = mode == PermuteMode::Index && selector >> (4 * position + 3) & 1 != 0;
        let byte = if sign_only { ((byte as i8) >> 7) as u8 } else { byte };
        result |= u32::from(byte) << (8 * position);
    }
    result
}

/// The type a `SHF` names: how far it shifts at most, and what enters from the left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunnelType {
    U32,
    S32,
    U64,
    S64,
}

/// The modifiers of a `SHF`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunnelMode {
    /// `.L` rather than `.R`.
    pub left: bool,
    /// `.W`: the distance is taken modulo the width of the type, else it stops at that width.
    pub wrap: bool,
    /// `.HI`: the result is the upper word of the shifted pair, else the lower one.
    pub high: bool,
    pub kind: FunnelType,
}

/// `SHF Rd, low, distance, high`: a word of the shifted pair `high:low`.
#[inline]
pub fn funnel(low: u32, distance: u32, high: u32, mode: FunnelMode) -> u32 {
    let width = match mode.kind {
        FunnelType::U32 | FunnelType::S32 => 32,
        FunnelType::U64 | FunnelType::S64 => 64,
    };
    let signed = matches!(mode.kind, FunnelType::S32 | FunnelType::S64);
    let distance = if mode.wrap { distance % width } else { distance.min(width) };
    let pair = u64::from(high) << 32 | u64::from(low);
    let shifted = match (mode.left, signed) {
        (true, _) => pair.checked_shl(distance).unwrap_or(0),
        (false, false) => pair.checked_shr(distance).unwrap_or(0),
        (false, true) => (pair as i64 >> distance.min(63)) as u64,
    };
    if mode.high {
        (shifted >> 32) as u32
    } else {
        shifted as u32
    }
}

/// `FLO`: the position of the highest one, for signed operands of the highest bit that differs from
/// the sign; all ones if there is none. With `.SH` the distance from that bit to the top.
#[inline]
pub fn find_leading_one(value: u32, signed: bool, shift: bool) -> u32 {
    let value = if signed && (value as i32) < 0 { !value } else { value };
    match value.checked_ilog2() {
        None => u32::MAX,
        Some(position) if shift => 31 - position,
        Some(position) => position,
    }
}

/// `BMSK`: ones in `width` bits from `start` up. Both count modulo 32 with `.W`, else they stop at 32.
#[inline]
pub fn bit_mask(start: u32, width: u32, wrap: bool) -> u32 {
    let limit = |count: u32| if wrap { count % 32 } else { count.min(32) };
    let ones = (1u64 << limit(width)) - 1;
    (ones << limit(start)) as u32
}

/// `SGXT`: the lower `bits` bits, extended by their sign or by zeros. The count is taken modulo 32
/// with `.W`, else it stops at 32; none are zero.
#[inline]
pub fn sign_extend(value: u32, bits: u32, signed: bool, wrap: bool) -> u32 {
    let bits = if wrap { bits % 32 } else { bits.min(32) };
    let top = u64::from(value) << (64 - bits.max(1));
    match (bits, signed) {
        (0, _) => 0,
        (_, true) => (top as i64 >> (64 - bits)) as u32,
        (_, false) => (top >> (64 - bits)) as u32,
    }
}

/// A byte of a word as a number.
#[inline]
fn byte(word: u32, index: usize, signed: bool) -> i32 {
    let byte = word.to_le_bytes()[index];
    if signed {
        i32::from(byte as i8)
    } else {
        i32::from(byte)
    }
}

/// `IDP.4A`: the dot product of two vectors of four bytes, plus `c`.
#[inline]
/// `IDP.2A`: the dot product of the halves of `a` and the two lower bytes of `b`, plus `c`.
pub fn dot_product_2(a: u32, b: u32, c: u32, a_signed: bool, b_signed: bool) -> u32 {
    let half = |i: u32| {
        let half = (a >> (16 * i)) as u16;
        if a_signed {
            half as i16 as u32
        } else {
            half.into()
        }
    };
    let byte = |i: u32| {
        let byte = (b >> (8 * i)) as u8;
        if b_signed {
            byte as i8 as u32
        } else {
            byte.into()
        }
    };
    (0..2).fold(c, |sum, i| sum.wrapping_add(half(i).wrapping_mul(byte(i))))
}

pub fn dot_product_4(a: u32, b: u32, c: u32, a_signed: bool, b_signed: bool) -> u32 {
    let product: i32 = (0..4).map(|index| byte(a, index, a_signed) * byte(b, index, b_signed)).sum();
    c.wrapping_add(product as u32)
}

/// `VABSDIFF` before its addition.
#[inline]
pub fn absolute_difference(a: u32, b: u32, signed: bool) -> u32 {
    if signed {
        (a as i32).abs_diff(b as i32)
    } else {
        a.abs_diff(b)
    }
}

/// `VABSDIFF4`: the absolute differences of four bytes, side by side, or with `.ACC` their sum plus `c`.
#[inline]
pub fn absolute_difference_4(a: u32, b: u32, c: u32, signed: bool, accumulate: bool) -> u32 {
    let difference = |index| byte(a, index, signed).abs_diff(byte(b, index, signed));
    if accumulate {
        (0..4).fold(c, |sum, index| sum.wrapping_add(difference(index)))
    } else {
        (0..4).fold(0, |word, index| word | difference(index) << (8 * index))
    }
}

/// The type `I2I` and `I2IP` saturate to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Narrow {
    S4,
    U4,
    S8,
    U8,
    S16,
    U16,
}

/// The nearest value of a narrow type to a signed word, extended to a word as its type demands.
#[inline]
pub fn saturate(value: u32, to: Narrow) -> u32 {
    let (least, most) = match to {
        Narrow::S4 => (-8, 7),
        Narrow::U4 => (0, 15),
        Narrow::S8 => (i32::from(i8::MIN), i32::from(i8::MAX)),
        Narrow::U8 => (0, i32::from(u8::MAX)),
        Narrow::S16 => (i32::from(i16::MIN), i32::from(i16::MAX)),
        Narrow::U16 => (0, i32::from(u16::MAX)),
    };
    (value as i32).clamp(least, most) as u32
}

/// `I2IP`: two saturated words, `a` above `b`. Above them stand as many of the lower bits of `c` as there is
/// room for.
#[inline]
pub fn pack(a: u32, b: u32, c: u32, to: Narrow) -> u32 {
    let (a, b) = (saturate(a, to), saturate(b, to));
    match to {
        Narrow::S4 | Narrow::U4 => c << 8 | (a & 0xf) << 4 | b & 0xf,
        Narrow::S8 | Narrow::U8 => c << 16 | (a & 0xff) << 8 | b & 0xff,
        Narrow::S16 | Narrow::U16 => a << 16 | b & 0xffff,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EDGES: [u32; 10] =
        [0, 1, 2, 0x7f, 0x80, 0x1234_5678, 0x7fff_ffff, 0x8000_0000, 0xcafe_f00d, 0xffff_ffff];

    #[test]
    fn lop3_follows_every_table() {
        let (a, b, c) = (0xf0f0_aa55, 0xcccc_1234, 0xaaaa_9e3b);
        for table in 0..=u8::MAX {
            let result = lop3(a, b, c, table);
            for bit in 0..32 {
                let index = (a >> bit & 1) << 2 | (b >> bit & 1) << 1 | c >> bit & 1;
                assert_eq!(result >> bit & 1, u32::from(table) >> index & 1, "table {table:#x}, bit {bit}");
            }
        }
        // As the compiler writes them.
        assert_eq!(lop3(a, b, 0, 0xc0), a & b);
        assert_eq!(lop3(a, b, 0, 0x3c), a ^ b);
        assert_eq!(lop3(0, b, 0, 0x33), !b);
        assert_eq!(lop3(a, b, c, 0xfe), a | b | c);
        assert_eq!(lop3(a, b, c, 0x96), a ^ b ^ c);
    }

    #[test]
    fn prmt_picks_bytes_by_nibbles() {
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..10_000 {
            let (a, b, selector) = (random.u32(..), random.u32(..), random.u32(..));
            let source = [a.to_le_bytes(), b.to_le_bytes()].concat();
            let expected = [0, 1, 2, 3].map(|position| {
                let nibble = (selector >> (4 * position)) as usize;
                match (source[nibble & 7], nibble & 8) {
                    (byte, 0) => byte,
                    (128.., _) => 0xff,
                    _ => 0,
                }
            });
            assert_eq!(prmt(a, b, selector, PermuteMode::Index).to_le_bytes(), expected);
        }
        // `__byte_perm`: two halves side by side.
        assert_eq!(prmt(0x1111_2222, 0x3333_4444, 0x5410, PermuteMode::Index), 0x4444_2222);
    }

    #[test]
    fn prmt_has_the_modes_of_the_manual() {
        // The nibble for each byte of the result, most significant first, by the lower selector bits.
        let manual = [
            (PermuteMode::F4E, [0x3210, 0x4321, 0x5432, 0x6543]),
            (PermuteMode::B4E, [0x5670, 0x6701, 0x7012, 0x0123]),
            (PermuteMode::RC8, [0x0000, 0x1111, 0x2222, 0x3333]),
            (PermuteMode::ECL, [0x3210, 0x3211, 0x3222, 0x3333]),
            (PermuteMode::ECR, [0x0000, 0x1110, 0x2210, 0x3210]),
            (PermuteMode::RC16, [0x1010, 0x3232, 0x1010, 0x3232]),
        ];
        let (a, b) = (0x8391_a2b3, 0xc4d5_e6f7);
        for (mode, nibbles) in manual {
            for (selector, nibbles) in nibbles.into_iter().enumerate() {
                // Other bits of the selector do not matter.
                let result = prmt(a, b, selector as u32 | 0xffff_fffc, mode);
                assert_eq!(result, prmt(a, b, nibbles, PermuteMode::Index), "{mode:?} {selector}");
            }
        }
    }

    #[test]
    fn funnel_shifts_pairs_of_words() {
        let distances = (0..70).chain([95, 96, 127, 128, 255, 256, 0x8000_0000, u32::MAX]);
        let mut random = fastrand::Rng::with_seed(2);
        for distance in distances {
            for _ in 0..50 {
                let (low, high) = (random.u32(..), random.u32(..));
                let pair = u128::from(high) << 32 | u128::from(low);
                let sign = if high >> 31 != 0 { u128::MAX << 64 } else { 0 };
                for (kind, width, extended) in [
                    (FunnelType::U32, 32, pair),
                    (FunnelType::S32, 32, pair | sign),
                    (FunnelType::U64, 64, pair),
                    (FunnelType::S64, 64, pair | sign),
                ] {
                    for wrap in [false, true] {
                        let by = if wrap { distance % width } else { distance.min(width) };
                        let left = ((pair << by) as u64, true);
                        let right = ((extended >> by) as u64, false);
                        for (shifted, left) in [left, right] {
                            let word = |upper| {
                                funnel(low, distance, high, FunnelMode { left, wrap, high: upper, kind })
                            };
                            assert_eq!(word(false), shifted as u32, "{kind:?} {wrap} {left} {distance}");
                            assert_eq!(
                                word(true),
                                (shifted >> 32) as u32,
                                "{kind:?} {wrap} {left} {distance}"
                            );
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn find_leading_one_looks_from_the_top() {
        for value in EDGES.into_iter().chain((0..32).map(|bit| 1 << bit)) {
            for signed in [false, true] {
                let sign = signed && value >> 31 != 0;
                let position = (0..32).rev().find(|&bit| (value >> bit & 1 != 0) != sign);
                let expected = position.unwrap_or(u32::MAX);
                assert_eq!(find_leading_one(value, signed, false), expected, "{value:#x}");
                let distance = position.map_or(u32::MAX, |position| 31 - position);
                assert_eq!(find_leading_one(value, signed, true), distance, "{value:#x}");
            }
        }
    }

    #[test]
    fn masks_and_extensions_go_bit_by_bit() {
        for wrap in [false, true] {
            let limit = |count: u32| if wrap { count & 31 } else { count };
            for start in (0..40).chain([64, 255, u32::MAX]) {
                for width in (0..40).chain([64, 255, u32::MAX]) {
                    let (first, count) = (u64::from(limit(start)), u64::from(limit(width)));
                    let expected = (0..32u32).fold(0, |mask, bit| {
                        mask | u32::from(u64::from(bit) >= first && u64::from(bit) < first + count) << bit
                    });
                    assert_eq!(bit_mask(start, width, wrap), expected, "{start} {width} {wrap}");
                }
            }
            for value in EDGES {
                for bits in (0..40).chain([64, 255, u32::MAX]) {
                    for signed in [false, true] {
                        let kept = limit(bits);
                        let sign = signed && kept > 0 && kept <= 32 && value >> (kept - 1) & 1 != 0;
                        let expected = (0..32).fold(0, |word, bit| {
                            let one = if bit < kept { value >> bit & 1 != 0 } else { sign };
                            word | u32::from(one) << bit
                        });
                        assert_eq!(sign_extend(value, bits, signed, wrap), expected, "{value:#x} {bits}");
                    }
                }
            }
        }
    }

    #[test]
    fn bytes_are_multiplied_and_subtracted_as_numbers() {
        let mut random = fastrand::Rng::with_seed(3);
        for _ in 0..10_000 {
            let (a, b, c) = (random.u32(..), random.u32(..), random.u32(..));
            let number = |word: u32, index: u32, signed: bool| {
                let byte = i64::from(word / (1 << (8 * index)) % 256);
                if signed && byte >= 128 {
                    byte - 256
                } else {
                    byte
                }
            };
            for (a_signed, b_signed) in [(false, false), (false, true), (true, false), (true, true)] {
                let product: i64 = (0..4).map(|i| number(a, i, a_signed) * number(b, i, b_signed)).sum();
                assert_eq!(dot_product_4(a, b, c, a_signed, b_signed), (product + i64::from(c)) as u32);
            }
            for signed in [false, true] {
                let differences = [0, 1, 2, 3].map(|i| (number(a, i, signed) - number(b, i, signed)).abs());
                let side_by_side = u32::from_le_bytes(differences.map(|difference| difference as u8));
                assert_eq!(absolute_difference_4(a, b, c, signed, false), side_by_side);
                let sum = differences.iter().sum::<i64>() + i64::from(c);
                assert_eq!(absolute_difference_4(a, b, c, signed, true), sum as u32);
            }
            assert_eq!(absolute_difference(a, b, false), i64::from(a).abs_diff(i64::from(b)) as u32);
            let difference = i64::from(a as i32) - i64::from(b as i32);
            assert_eq!(absolute_difference(a, b, true), difference.unsigned_abs() as u32);
        }
    }

    #[test]
    fn packing_saturates() {
        for (to, least, most) in [
            (Narrow::S8, -128, 127),
            (Narrow::U8, 0, 255),
            (Narrow::S16, -32768, 32767),
            (Narrow::U16, 0, 65535),
        ] {
            for value in
                [i32::MIN, -32769, -32768, -129, -128, -1, 0, 1, 127, 128, 255, 256, 65535, 65536, i32::MAX]
            {
                let expected = if value < least {
                    least
                } else if value > most {
                    most
                } else {
                    value
                };
                assert_eq!(saturate(value as u32, to), expected as u32, "{value} to {to:?}");
            }
        }
        // Four words to four bytes, as matrix multiplications store them.
        let upper = pack(3, (-2i32) as u32, 0, Narrow::S8);
        assert_eq!(pack(300, (-300i32) as u32, upper, Narrow::S8), 0x03fe_7f80);
        assert_eq!(pack((-1i32) as u32, 40_000, 99, Narrow::S16), 0xffff_7fff);
    }
}
