// SPDX-License-Identifier: Apache-2.0
//! Logic, moves, selections, predicates.

use crate::support::{words, Trial};

/// Any function of three bits, bit by bit.
fn by_table(table: u32, a: u32, b: u32, c: u32) -> u32 {
    (0..32).fold(0, |word, bit| {
        let row = (a >> bit & 1) << 2 | (b >> bit & 1) << 1 | c >> bit & 1;
        word | (table >> row & 1) << bit
    })
}

#[test]
fn lop3_follows_every_table_and_tests_its_result() {
    let [a, b, c] = words::<3>(21).map(|list| list[..128].to_vec());
    let joined: Vec<u32> = (0..a.len()).map(|i| (i / 5 % 2) as u32).collect();
    for table in 0..256 {
        let code = format!(
            "LOP3.LUT P0, R10, R4, R5, R6, {table:#x}, P4
             LOP3.LUT.PAND P1, RZ, R4, R5, R6, {table:#x}, P4
             LOP3.LUT P2, RZ, R4, R5, R6, {table:#x}, !PT
             LOP3.LUT R11, R4, 0xff00ff, ~R6, {table:#x}, !PT"
        );
        let trial = Trial::new(code).input("R4", &a).input("R5", &b).input("R6", &c).input("P4", &joined);
        let found = trial.outputs(["R10", "P0", "P1", "P2", "R11"]);
        for i in 0..a.len() {
            let result = by_table(table, a[i], b[i], c[i]);
            let (set, operand) = (result != 0, joined[i] != 0);
            let expected = [
                result,
                (set | operand).into(),
                (set & operand).into(),
                set.into(),
                by_table(table, a[i], 0x00ff_00ff, !c[i]),
            ];
            assert_eq!([0, 1, 2, 3, 4].map(|place| found[place][i]), expected, "table {table:#x}");
        }
    }
}

#[test]
fn plop3_follows_two_tables_at_once() {
    let bit = |shift: usize| -> Vec<u32> { (0..32).map(|lane| (lane >> shift & 1) as u32).collect() };
    for table in 0..256u32 {
        let other = table.wrapping_mul(37).wrapping_add(11) & 0xff;
        let code = format!("PLOP3.LUT P3, P4, P0, !P1, P2, {table:#x}, {other:#x}");
        let trial = Trial::new(code).input("P0", &bit(0)).input("P1", &bit(1)).input("P2", &bit(2));
        let [first, second] = trial.outputs(["P3", "P4"]);
        for lane in 0..32u32 {
            let row = (lane & 1) << 2 | (!lane >> 1 & 1) << 1 | lane >> 2 & 1;
            let expected = (table >> row & 1, other >> row & 1);
            assert_eq!((first[lane as usize], second[lane as usize]), expected, "table {table:#x}");
        }
    }
}

#[test]
fn plop3_takes_signs_of_registers() {
    let [a, b, _] = words::<3>(23);
    let bit: Vec<u32> = (0..32).map(|lane| lane & 1).collect();
    for (table, not) in [(0x80, ""), (0x17, ""), (0xca, ""), (0x80, "!"), (0xca, "!")] {
        let code = format!("PLOP3.LUT P3, PT, {not}R9.SIGN, P0, R10.SIGN, {table:#x}, 0x0");
        let trial = Trial::new(code).input("R9", &a[..32]).input("R10", &b[..32]).input("P0", &bit);
        let [result] = trial.outputs(["P3"]);
        for lane in 0..32 {
            let first = if not.is_empty() { a[lane] } else { !a[lane] };
            let row = (first >> 31) << 2 | bit[lane] << 1 | b[lane] >> 31;
            assert_eq!(result[lane], table >> row & 1, "table {table:#x}, {not}, lane {lane}");
        }
    }
}

#[test]
fn prmt_picks_bytes_in_every_mode() {
    let [a, selector, b] = words::<3>(22);
    // Nibbles of the result's bytes, most significant first, by the lower bits of the selector.
    let modes = [
        ("F4E", [0x3210, 0x4321, 0x5432, 0x6543]),
        ("B4E", [0x5670, 0x6701, 0x7012, 0x0123]),
        ("RC8", [0x0000, 0x1111, 0x2222, 0x3333]),
        ("ECL", [0x3210, 0x3211, 0x3222, 0x3333]),
        ("ECR", [0x0000, 0x1110, 0x2210, 0x3210]),
        ("RC16", [0x1010, 0x3232, 0x1010, 0x3232]),
    ];
    let bytes = |a: u32, b: u32, nibbles: u32| {
        let source = [a.to_le_bytes(), b.to_le_bytes()].concat();
        u32::from_le_bytes([0, 4, 8, 12].map(|shift| {
            let nibble = nibbles >> shift & 15;
            let byte = source[nibble as usize & 7];
            match nibble & 8 {
                0 => byte,
                _ => 0u8.wrapping_sub(byte >> 7),
            }
        }))
    };
    let trial =
        |code: &str| Trial::new(code).input("R4", &a).input("R5", &selector).input("R6", &b).output("R10");
    for (i, found) in trial("PRMT R10, R4, R5, R6").into_iter().enumerate() {
        assert_eq!(found, bytes(a[i], b[i], selector[i]), "{:#x}", selector[i]);
    }
    for (i, found) in trial("PRMT R10, R4, 0x9b41, R6").into_iter().enumerate() {
        assert_eq!(found, bytes(a[i], b[i], 0x9b41));
    }
    for (mode, nibbles) in modes {
        for (i, found) in trial(&format!("PRMT.{mode} R10, R4, R5, R6")).into_iter().enumerate() {
            assert_eq!(
                found,
                bytes(a[i], b[i], nibbles[selector[i] as usize & 3]),
                "{mode} {:#x}",
                selector[i]
            );
        }
    }
}

#[test]
fn predicates_go_to_bits_and_back() {
    let [a, b] = words::<2>(23);
    let code = "
        P2R R9, PR, RZ, 0x7f
        R2P PR, R4, 0x7f
        P2R R10, PR, R5, 0x2f
        R2P PR, R5, 0x15
        P2R R11, PR, RZ, 0x7f";
    let [before, mixed, after] =
        Trial::new(code).input("R4", &a).input("R5", &b).outputs(["R9", "R10", "R11"]);
    for i in 0..a.len() {
        assert_eq!(before[i], 0);
        assert_eq!(mixed[i], b[i] & !0x2f | a[i] & 0x2f);
        assert_eq!(after[i], b[i] & 0x15 | a[i] & 0x6a);
    }
}

#[test]
fn predicates_go_to_bytes_and_back() {
    let [a, b] = words::<2>(25);
    let code = "
        R2P PR, R4.B1, 0x7f
        P2R.B3 R9, PR, R5, 0x6d
        R2P PR, R5.B3, 0x13
        P2R.B2 R10, PR, RZ, 0x7f";
    let [upper, third] = Trial::new(code).input("R4", &a).input("R5", &b).outputs(["R9", "R10"]);
    for i in 0..a.len() {
        let second = a[i] >> 8;
        assert_eq!(upper[i], b[i] & !0x6d00_0000 | (second & 0x6d) << 24);
        assert_eq!(third[i], (b[i] >> 24 & 0x13 | second & 0x6c) << 16);
    }
}

#[test]
fn uniform_predicates_go_to_bits_and_back() {
    for (value, other) in [(0x55u32, 0x0f), (0x2a, 0x70), (0x7f, 0)] {
        let [value, other] = [value, other].map(|word| vec![word; 32]);
        let code = "
            UR2UP UPR, UR4, 0x7f
            UP2UR UR6, UPR, UR5, 0x3c
            UR2UP UPR, UR5, 0x3
            UP2UR UR7, UPR, URZ, 0x7f";
        let [mixed, after] =
            Trial::new(code).input("UR4", &value).input("UR5", &other).outputs(["UR6", "UR7"]);
        assert_eq!(mixed[0], other[0] & !0x3c | value[0] & 0x3c);
        assert_eq!(after[0], other[0] & 3 | value[0] & 0x7c);
    }
}

#[test]
fn moves_and_selections() {
    let [a, b] = words::<2>(24);
    let chosen: Vec<u32> = (0..a.len()).map(|i| (i / 7 % 2) as u32).collect();
    let code = "
        MOV R10, R4
        MOV R11, 0xdeadbeef
        MOV R12, c[0x0][0x0]
        SEL R13, R4, R5, P0
        SEL R14, R4, -0x2, !P0
        FSEL R15, -R4, |R5|, P0
        FSEL R16, R4, -1.5, P0
        CS2R R18, SRZ
        @!P0 MOV R10, R5
        MOV RZ, R4
        MOV R17, RZ";
    let places = ["R10", "R11", "R12", "R13", "R14", "R15", "R16", "R17", "R18", "R19"];
    let found = Trial::new(code).input("R4", &a).input("R5", &b).input("P0", &chosen).outputs(places);
    for i in 0..a.len() {
        let (a, b, first) = (a[i], b[i], chosen[i] != 0);
        let choose = |yes: u32, no: u32| if first { yes } else { no };
        let expected = [
            choose(a, b),
            0xdead_beef,
            32,
            choose(a, b),
            choose(-2i32 as u32, a),
            choose(a ^ 0x8000_0000, b & 0x7fff_ffff),
            choose(a, (-1.5f32).to_bits()),
            0,
            0,
            0,
        ];
        for (number, place) in places.iter().enumerate() {
            assert_eq!(found[number][i], expected[number], "{place}: {a:#x} {b:#x} {first}");
        }
    }
}
