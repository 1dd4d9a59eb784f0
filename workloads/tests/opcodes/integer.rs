// SPDX-License-Identifier: Apache-2.0
//! Integer arithmetic: carries, products, comparisons, bits.

use crate::support::{long_words, words, Trial};

#[test]
fn sums_of_three_carry_twice() {
    let [a, b, c] = words::<3>(1);
    for signs in 0..8u32 {
        let operand =
            |bit: u32, name: &str| if signs >> bit & 1 != 0 { format!("-{name}") } else { name.into() };
        let code =
            format!("IADD3 R10, P0, P1, {}, {}, {}", operand(0, "R4"), operand(1, "R5"), operand(2, "R6"));
        let [sum, first, second] =
            Trial::new(code).input("R4", &a).input("R5", &b).input("R6", &c).outputs(["R10", "P0", "P1"]);
        for i in 0..a.len() {
            // A negated word is its complement and one more.
            let term = |bit: u32, word: u32| match signs >> bit & 1 {
                0 => u64::from(word),
                _ => u64::from(!word) + 1,
            };
            let exact = term(0, a[i]) + term(1, b[i]) + term(2, c[i]);
            assert_eq!(sum[i], exact as u32);
            let carry = (exact >> 32) as u32;
            assert_eq!((first[i], second[i]), ((carry >= 1).into(), (carry >= 2).into()), "{signs:b} {i}");
        }
    }
}

#[test]
fn immediates_and_constants_are_added_as_they_are() {
    let [a, _] = words::<2>(2);
    let [sum, carry] = Trial::new("IADD3 R10, P0, R4, -0x1, RZ").input("R4", &a).outputs(["R10", "P0"]);
    for i in 0..a.len() {
        assert_eq!((sum[i], carry[i]), (a[i].wrapping_sub(1), (a[i] != 0).into()));
    }
    // Block size in x: 32.
    let difference = Trial::new("IADD3 R10, R4, -c[0x0][0x0], 0x5").input("R4", &a).output("R10");
    assert!(a.iter().zip(&difference).all(|(a, difference)| a.wrapping_sub(27) == *difference));
}

#[test]
fn long_sums_and_differences_carry_from_word_to_word() {
    let [a, b, c] = long_words::<3>(3);
    let trial = |code: &str| {
        let trial = Trial::new(code).input64("R4", "R5", &a).input64("R6", "R7", &b).input64("R8", "R9", &c);
        trial.output64("R10", "R11")
    };
    type Formula = fn(u64, u64, u64) -> u64;
    let cases: [(&str, Formula); 6] = [
        ("IADD3 R10, P0, R4, R6, RZ\nIADD3.X R11, R5, R7, RZ, P0, !PT", |a, b, _| a.wrapping_add(b)),
        ("IADD3 R10, P0, R4, -R6, RZ\nIADD3.X R11, R5, ~R7, RZ, P0, !PT", |a, b, _| a.wrapping_sub(b)),
        ("IADD3 R10, P3, RZ, -R4, RZ\nIADD3.X R11, RZ, ~R5, RZ, P3, !PT", |a, _, _| a.wrapping_neg()),
        ("IADD3 R10, P0, P1, R4, R6, R8\nIADD3.X R11, R5, R7, R9, P0, P1", |a, b, c| {
            a.wrapping_add(b).wrapping_add(c)
        }),
        ("IADD3 R10, P0, P1, R4, -R6, -R8\nIADD3.X R11, R5, ~R7, ~R9, P0, P1", |a, b, c| {
            a.wrapping_sub(b).wrapping_sub(c)
        }),
        ("IADD3 R10, P0, R4, 0x7, RZ\nIMAD.X R11, RZ, RZ, R5, P0", |a, _, _| a.wrapping_add(7)),
    ];
    for (code, formula) in cases {
        for (i, sum) in trial(code).into_iter().enumerate() {
            assert_eq!(sum, formula(a[i], b[i], c[i]), "{code}: {:#x} {:#x} {:#x}", a[i], b[i], c[i]);
        }
    }
}

#[test]
fn sums_of_96_bits_carry_through_the_middle() {
    let [a, b] = long_words::<2>(4);
    let [high_a, high_b] =
        words::<2>(5).map(|list| list.into_iter().cycle().take(a.len()).collect::<Vec<_>>());
    for (code, negate) in [
        ("IADD3 R10, P0, R4, R6, RZ\nIADD3.X R11, P1, R5, R7, RZ, P0, !PT\nIADD3.X R12, R8, R9, RZ, P1, !PT", false),
        ("IADD3 R10, P0, R4, -R6, RZ\nIADD3.X R11, P0, R5, ~R7, RZ, P0, !PT\nIADD3.X R12, R8, ~R9, RZ, P0, !PT", true),
    ] {
        let trial = Trial::new(code).input64("R4", "R5", &a).input64("R6", "R7", &b);
        let [low, middle, high] = trial.input("R8", &high_a).input("R9", &high_b).outputs(["R10", "R11", "R12"]);
        for i in 0..a.len() {
            let a = u128::from(high_a[i]) << 64 | u128::from(a[i]);
            let b = u128::from(high_b[i]) << 64 | u128::from(b[i]);
            let exact = if negate { a.wrapping_sub(b) } else { a.wrapping_add(b) };
            let words = [exact as u32, (exact >> 32) as u32, (exact >> 64) as u32];
            assert_eq!([low[i], middle[i], high[i]], words, "{a:#x} {b:#x}");
        }
    }
}

#[test]
fn lea_shifts_and_adds_over_two_words() {
    let [a, b] = long_words::<2>(6);
    for shift in [0, 1, 2, 3, 4, 17, 31] {
        let code = format!("LEA R10, P0, R4, R6, {shift:#x}\nLEA.HI.X R11, R4, R7, R5, {shift:#x}, P0");
        let sums = Trial::new(code).input64("R4", "R5", &a).input64("R6", "R7", &b).output64("R10", "R11");
        for i in 0..a.len() {
            assert_eq!(sums[i], (a[i] << shift).wrapping_add(b[i]), "{shift}: {:#x} {:#x}", a[i], b[i]);
        }
        // A 32-bit index, extended by its sign.
        let code = format!("LEA R10, P0, R4, R6, {shift:#x}\nLEA.HI.X.SX32 R11, R4, R7, {shift:#x}, P0");
        let sums = Trial::new(code).input64("R4", "R5", &a).input64("R6", "R7", &b).output64("R10", "R11");
        for i in 0..a.len() {
            let index = i64::from(a[i] as i32) as u64;
            assert_eq!(sums[i], (index << shift).wrapping_add(b[i]), "{shift}: {index:#x} {:#x}", b[i]);
        }
        // The upper word alone, as divisions by powers of two use it.
        let code = format!("LEA.HI R10, R4, R6, R5, {shift:#x}\nLEA.HI.SX32 R11, R4, R6, {shift:#x}");
        let trial = Trial::new(code).input64("R4", "R5", &a).input64("R6", "R7", &b);
        let [plain, signed] = trial.outputs(["R10", "R11"]);
        for i in 0..a.len() {
            assert_eq!(plain[i], ((a[i] << shift >> 32) as u32).wrapping_add(b[i] as u32));
            let extended = (i64::from(a[i] as i32) << shift >> 32) as u32;
            assert_eq!(signed[i], extended.wrapping_add(b[i] as u32));
        }
        let code = format!("LEA R10, -R4, R6, {shift:#x}");
        let differences = Trial::new(code).input64("R4", "R5", &a).input64("R6", "R7", &b).output("R10");
        for i in 0..a.len() {
            assert_eq!(differences[i], (b[i] as u32).wrapping_sub((a[i] as u32) << shift));
        }
    }
}

#[test]
fn products_have_all_their_words() {
    let [a, b, c] = words::<3>(7);
    let [d] = words::<1>(8).map(|list| list.into_iter().cycle().take(a.len()).collect::<Vec<_>>());
    let code = "
        IMAD R10, R4, R5, R6
        IMAD.HI R11, R4, R5, R6
        IMAD.HI.U32 R12, R4, R5, R6
        IMAD.WIDE R14, R4, R5, R6
        IMAD.WIDE.U32 R16, P0, R4, R5, R6
        IMAD.WIDE.U32.X R18, P1, R4, R5, R6, P0
        IMAD R20, R4, -0x3, -R6
        IMAD.WIDE.U32 R22, R4, 0xcccccccd, RZ
        IMAD.SHL.U32 R24, R4, 0x10, RZ
        IMAD.MOV R25, RZ, RZ, -R4
        IMAD R26, -R4, R5, RZ
        IMAD.U32 R27, R4, R5, RZ";
    let places = [
        "R10", "R11", "R12", "R14", "R15", "R16", "R17", "P0", "R18", "R19", "P1", "R20", "R22", "R23",
        "R24", "R25", "R26", "R27",
    ];
    let found =
        Trial::new(code).input("R4", &a).input("R5", &b).input("R6", &c).input("R7", &d).outputs(places);
    for i in 0..a.len() {
        let (a, b, c, d) = (a[i], b[i], c[i], d[i]);
        let pair = u64::from(d) << 32 | u64::from(c);
        let signed = (i128::from(a as i32) * i128::from(b as i32) + i128::from(pair as i64)) as u64;
        let unsigned = u128::from(a) * u128::from(b) + u128::from(pair);
        let carry = (unsigned >> 64) as u32;
        let again = unsigned + u128::from(carry);
        let expected = [
            a.wrapping_mul(b).wrapping_add(c),
            (signed >> 32) as u32,
            (unsigned >> 32) as u32,
            signed as u32,
            (signed >> 32) as u32,
            unsigned as u32,
            (unsigned >> 32) as u32,
            carry,
            again as u32,
            (again >> 32) as u32,
            (again >> 64) as u32,
            a.wrapping_mul(3).wrapping_neg().wrapping_sub(c),
            a.wrapping_mul(0xcccc_cccd),
            ((u64::from(a) * 0xcccc_cccd) >> 32) as u32,
            a << 4,
            a.wrapping_neg(),
            a.wrapping_neg().wrapping_mul(b),
            a.wrapping_mul(b),
        ];
        for (number, place) in places.iter().enumerate() {
            assert_eq!(found[number][i], expected[number], "{place}: {a:#x} {b:#x} {c:#x} {d:#x}");
        }
    }
}

#[test]
fn comparisons_join_their_operand() {
    let [a, b] = words::<2>(9);
    let joined: Vec<u32> = (0..a.len()).map(|i| (i / 3 % 2) as u32).collect();
    type Test = fn(std::cmp::Ordering) -> bool;
    let tests: [(&str, Test); 6] = [
        ("LT", |order| order.is_lt()),
        ("LE", |order| order.is_le()),
        ("GT", |order| order.is_gt()),
        ("GE", |order| order.is_ge()),
        ("EQ", |order| order.is_eq()),
        ("NE", |order| order.is_ne()),
    ];
    for (name, test) in tests {
        for (combine, join) in
            [("AND", (|a, b| a & b) as fn(bool, bool) -> bool), ("OR", |a, b| a | b), ("XOR", |a, b| a ^ b)]
        {
            let code = format!(
                "ISETP.{name}.{combine} P0, P1, R4, R5, P4\nISETP.{name}.U32.{combine} P2, P3, R4, R5, !P4"
            );
            let trial = Trial::new(code).input("R4", &a).input("R5", &b).input("P4", &joined);
            let found = trial.outputs(["P0", "P1", "P2", "P3"]);
            for i in 0..a.len() {
                let signed = test((a[i] as i32).cmp(&(b[i] as i32)));
                let unsigned = test(a[i].cmp(&b[i]));
                let operand = joined[i] != 0;
                let expected = [
                    join(signed, operand),
                    join(!signed, operand),
                    join(unsigned, !operand),
                    join(!unsigned, !operand),
                ];
                assert_eq!(
                    [0, 1, 2, 3].map(|p| found[p][i] != 0),
                    expected,
                    "{name}.{combine} {} {}",
                    a[i],
                    b[i]
                );
            }
        }
    }
}

#[test]
fn comparisons_of_pairs_start_below() {
    let [a, mut b] = long_words::<2>(10);
    // Equal words, too.
    for i in 0..a.len() {
        b[i] = match i % 4 {
            0 => a[i],
            1 => a[i] & !0xffff_ffff | b[i] & 0xffff_ffff,
            2 => a[i] & 0xffff_ffff | b[i] & !0xffff_ffff,
            _ => b[i],
        };
    }
    type Test = fn(std::cmp::Ordering) -> bool;
    let tests: [(&str, Test); 6] = [
        ("LT", |order| order.is_lt()),
        ("LE", |order| order.is_le()),
        ("GT", |order| order.is_gt()),
        ("GE", |order| order.is_ge()),
        ("EQ", |order| order.is_eq()),
        ("NE", |order| order.is_ne()),
    ];
    for (name, test) in tests {
        let code = format!(
            "ISETP.{name}.U32.AND P0, PT, R4, R6, PT
             ISETP.{name}.U32.AND.EX P1, P2, R5, R7, PT, P0
             ISETP.{name}.AND.EX P3, P4, R5, R7, PT, P0
             ISETP.{name}.OR.EX P5, PT, R5, R7, P0"
        );
        let trial = Trial::new(code).input64("R4", "R5", &a).input64("R6", "R7", &b);
        let found = trial.outputs(["P1", "P2", "P3", "P4", "P0", "P5"]);
        for i in 0..a.len() {
            // Where the lower words' result is not named it is true.
            let upper = [a[i], b[i]].map(|value| (value >> 32) as i32);
            let above = upper[0] == upper[1] || test(upper[0].cmp(&upper[1]));
            assert_eq!(found[5][i] != 0, above || found[4][i] != 0, "{name} {:#x} {:#x}", a[i], b[i]);
            let (unsigned, signed) = (test(a[i].cmp(&b[i])), test((a[i] as i64).cmp(&(b[i] as i64))));
            let expected = [unsigned, !unsigned, signed, !signed];
            assert_eq!([0, 1, 2, 3].map(|p| found[p][i] != 0), expected, "{name} {:#x} {:#x}", a[i], b[i]);
        }
    }
}

#[test]
fn funnels_shift_in_every_form() {
    let [low, distance, high] = words::<3>(11);
    for left in [true, false] {
        for wrap in ["", ".W"] {
            for (kind, width, signed) in
                [("U32", 32, false), ("S32", 32, true), ("U64", 64, false), ("S64", 64, true)]
            {
                for upper in ["", ".HI"] {
                    let way = if left { "L" } else { "R" };
                    let code = format!("SHF.{way}{wrap}.{kind}{upper} R10, R4, R5, R6");
                    let trial =
                        Trial::new(&*code).input("R4", &low).input("R5", &distance).input("R6", &high);
                    for (i, found) in trial.output("R10").into_iter().enumerate() {
                        let by = if wrap.is_empty() { distance[i].min(width) } else { distance[i] % width };
                        let pair = u128::from(u64::from(high[i]) << 32 | u64::from(low[i]));
                        let sign = if signed && high[i] >> 31 != 0 { u128::MAX << 64 } else { 0 };
                        let shifted = if left { pair << by } else { (pair | sign) >> by };
                        let expected = if upper.is_empty() { shifted } else { shifted >> 32 } as u32;
                        assert_eq!(found, expected, "{code}: {:#x} {} {:#x}", low[i], distance[i], high[i]);
                    }
                }
            }
        }
    }
}

#[test]
fn bits_are_counted_found_and_masked() {
    let [a, b] = words::<2>(12);
    let code = "
        POPC R10, R4
        BREV R11, R4
        FLO.U32 R12, R4
        FLO R13, R4
        FLO.U32.SH R14, R4
        IABS R15, R4
        BMSK R16, R4, R5
        SGXT R17, R4, R5
        SGXT.U32 R18, R4, R5
        IMNMX R19, R4, R5, PT
        IMNMX.U32 R20, R4, R5, !PT
        IMNMX R21, -R4, R5, !PT
        POPC R22, ~R4";
    let places = ["R10", "R11", "R12", "R13", "R14", "R15", "R16", "R17", "R18", "R19", "R20", "R21", "R22"];
    let found = Trial::new(code).input("R4", &a).input("R5", &b).outputs(places);
    for i in 0..a.len() {
        let (a, b) = (a[i], b[i]);
        let bits = (0..32).map(|bit| a >> bit & 1);
        let sign = a >> 31;
        let ones = |start: u32, width: u32| {
            (0..32u64).fold(0u32, |mask, bit| {
                mask | u32::from(bit >= start.into() && bit < u64::from(start) + u64::from(width)) << bit
            })
        };
        let kept = ones(0, b);
        let negative = b > 0 && b < 32 && a >> (b - 1) & 1 != 0;
        let expected = [
            bits.clone().sum(),
            bits.clone().fold(0, |word, bit| word << 1 | bit),
            bits.clone().rposition(|bit| bit == 1).map_or(u32::MAX, |bit| bit as u32),
            bits.clone().rposition(|bit| bit != sign).map_or(u32::MAX, |bit| bit as u32),
            bits.clone().rposition(|bit| bit == 1).map_or(u32::MAX, |bit| 31 - bit as u32),
            if sign == 1 { a.wrapping_neg() } else { a },
            ones(a, b),
            a & kept | if negative { !kept } else { 0 },
            a & kept,
            (a as i32).min(b as i32) as u32,
            a.max(b),
            (a.wrapping_neg() as i32).max(b as i32) as u32,
            32 - a.count_ones(),
        ];
        for (number, place) in places.iter().enumerate() {
            assert_eq!(found[number][i], expected[number], "{place}: {a:#x} {b:#x}");
        }
    }
}

#[test]
fn bytes_are_multiplied_and_packed() {
    let [a, b, c] = words::<3>(13);
    let code = "
        IDP.4A.S8.S8 R10, R4, R5, R6
        IDP.4A.U8.U8 R11, R4, R5, R6
        IDP.4A.S8.U8 R12, R4, R5, R6
        VABSDIFF R13, R4, R5, R6
        VABSDIFF.U32 R14, R4, R5, R6
        VABSDIFF4.U8 R15, R4, R5, RZ
        VABSDIFF4.U8.ACC R16, R4, R5, R6
        I2IP.S8.S32.SAT R17, R4, R5, R6
        I2IP.U8.S32.SAT R18, R4, R5, R6
        I2IP.S4.S32.SAT R19, R4, R5, R6.24
        I2IP.U4.S32.SAT R20, R4, R5, RZ.24";
    let places = ["R10", "R11", "R12", "R13", "R14", "R15", "R16", "R17", "R18", "R19", "R20"];
    let found = Trial::new(code).input("R4", &a).input("R5", &b).input("R6", &c).outputs(places);
    for i in 0..a.len() {
        let (a, b, c) = (a[i], b[i], c[i]);
        let signed = |word: u32, byte: usize| i64::from(word.to_le_bytes()[byte] as i8);
        let unsigned = |word: u32, byte: usize| i64::from(word.to_le_bytes()[byte]);
        let bytes = [0, 1, 2, 3];
        let dot = |x: fn(u32, usize) -> i64, y: fn(u32, usize) -> i64| {
            (bytes.map(|byte| x(a, byte) * y(b, byte)).iter().sum::<i64>() + i64::from(c)) as u32
        };
        let differences = bytes.map(|byte| unsigned(a, byte).abs_diff(unsigned(b, byte)) as u8);
        let saturated = |word: u32, least: i32, most: i32| {
            (word as i32).clamp(least, most) as u32 & (most - least) as u32
        };
        let expected = [
            dot(signed, signed),
            dot(unsigned, unsigned),
            dot(signed, unsigned),
            (a as i32).abs_diff(b as i32).wrapping_add(c),
            a.abs_diff(b).wrapping_add(c),
            u32::from_le_bytes(differences),
            c.wrapping_add(differences.iter().map(|&difference| u32::from(difference)).sum()),
            saturated(a, -128, 127) << 8 | saturated(b, -128, 127) | c << 16,
            saturated(a, 0, 255) << 8 | saturated(b, 0, 255) | c << 16,
            saturated(a, -8, 7) << 4 | saturated(b, -8, 7) | c << 8,
            saturated(a, 0, 15) << 4 | saturated(b, 0, 15),
        ];
        for (number, place) in places.iter().enumerate() {
            assert_eq!(found[number][i], expected[number], "{place}: {a:#x} {b:#x} {c:#x}");
        }
    }
}
