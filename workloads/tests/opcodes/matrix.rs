// SPDX-License-Identifier: Apache-2.0
//! Tensor cores and the loads that feed them, against plain matrices. Fragments lie in the lanes as
//! PTX documents for `mma.m16n8k8`, `mma.m8n8k16`, `mma.m8n8k32` and `ldmatrix`.

use crate::support::Trial;

/// Puts values of two 16-bit elements into words.
fn pack(low: u16, high: u16) -> u32 {
    u32::from(high) << 16 | u32::from(low)
}

#[test]
fn ldsm_spreads_matrices_over_the_lanes() {
    // Lane l stores row l of 32: eight elements, all different.
    let element = |row: usize, column: usize| (row * 8 + column) as u16 ^ 0x5a5a;
    let words: [Vec<u32>; 4] = std::array::from_fn(|word| {
        (0..32).map(|row| pack(element(row, 2 * word), element(row, 2 * word + 1))).collect()
    });
    // Rows lie in shared memory in an order of their own.
    let place = |row: usize| (row * 11 + 5) % 32;
    let stores: Vec<u32> = (0..32).map(|row| 16 * place(row) as u32).collect();
    // Lane 8 i + j gives the address of row j of matrix i; the rows it asks for are shuffled as well.
    let asked = |lane: usize| (lane * 5 + 3) % 32;
    let loads: Vec<u32> = (0..32).map(|lane| 16 * place(asked(lane)) as u32).collect();
    for (shape, transposed) in [("M88", false), ("MT88", true)] {
        for count in [1, 2, 4] {
            let suffix = if count == 1 { String::new() } else { format!(".{count}") };
            let code = format!("STS.128 [R8+0x200], R4\nLDSM.16.{shape}{suffix} R12, [R9+0x200]");
            let mut trial = Trial::new(code).input("R8", &stores).input("R9", &loads);
            for (place, words) in ["R4", "R5", "R6", "R7"].into_iter().zip(&words) {
                trial = trial.input(place, words);
            }
            let found = trial.outputs(["R12", "R13", "R14", "R15"]);
            for lane in 0..32 {
                for (matrix, found) in found.iter().enumerate() {
                    let at = |row: usize, column: usize| element(asked(8 * matrix + row), column);
                    let (row, column) = (lane / 4, lane % 4 * 2);
                    let expected = match transposed {
                        _ if matrix >= count => 0,
                        false => pack(at(row, column), at(row, column + 1)),
                        true => pack(at(column, row), at(column + 1, row)),
                    };
                    assert_eq!(found[lane], expected, "{shape}{suffix}: matrix {matrix}, lane {lane}");
                }
            }
        }
    }
}

/// Small numbers, exact in half precision with their products and sums.
fn halves(seed: u64, count: usize) -> Vec<f32> {
    let mut random = fastrand::Rng::with_seed(seed);
    (0..count).map(|_| random.i32(-16..=16) as f32 / 4.0).collect()
}

fn half_bits(value: f32) -> u16 {
    half::f16::from_f32(value).to_bits()
}

#[test]
fn hmma_multiplies_matrices_of_halves() {
    // A: 16 × 8, B: 8 × 8, C: 16 × 8, by rows.
    let (a, b, c) = (halves(1, 128), halves(2, 64), halves(3, 128));
    let product = |row: usize, column: usize| {
        c[row * 8 + column] + (0..8).map(|k| a[row * 8 + k] * b[k * 8 + column]).sum::<f32>()
    };
    let lanes =
        |f: &dyn Fn(usize, usize) -> u32| (0..32).map(|lane| f(lane / 4, lane % 4 * 2)).collect::<Vec<u32>>();
    let half_a = |row: usize, column: usize| half_bits(a[row * 8 + column]);
    let half_b = |row: usize, column: usize| half_bits(b[row * 8 + column]);
    let half_c = |row: usize, column: usize| half_bits(c[row * 8 + column]);
    let inputs = [
        ("R4", lanes(&|row, column| pack(half_a(row, column), half_a(row, column + 1)))),
        ("R5", lanes(&|row, column| pack(half_a(row + 8, column), half_a(row + 8, column + 1)))),
        ("R6", lanes(&|row, column| pack(half_b(column, row), half_b(column + 1, row)))),
        ("R8", lanes(&|row, column| c[row * 8 + column].to_bits())),
        ("R9", lanes(&|row, column| c[row * 8 + column + 1].to_bits())),
        ("R10", lanes(&|row, column| c[(row + 8) * 8 + column].to_bits())),
        ("R11", lanes(&|row, column| c[(row + 8) * 8 + column + 1].to_bits())),
        ("R12", lanes(&|row, column| pack(half_c(row, column), half_c(row, column + 1)))),
        ("R13", lanes(&|row, column| pack(half_c(row + 8, column), half_c(row + 8, column + 1)))),
    ];
    let code = "
        HMMA.1688.F32 R20, R4, R6, R8
        HMMA.1688.F16 R24, R4, R6, R12
        HMMA.1688.F32 R28, R4, R6, RZ
        HMMA.1688.F32 R8, R4.reuse, R6.reuse, R8";
    let mut trial = Trial::new(code);
    for (place, values) in &inputs {
        trial = trial.input(place, values);
    }
    let places =
        ["R20", "R21", "R22", "R23", "R24", "R25", "R28", "R29", "R30", "R31", "R8", "R9", "R10", "R11"];
    let found = trial.outputs(places);
    for lane in 0..32 {
        let (row, column) = (lane / 4, lane % 4 * 2);
        for (i, (row, column)) in [(row, column), (row, column + 1), (row + 8, column), (row + 8, column + 1)]
            .into_iter()
            .enumerate()
        {
            let expected = product(row, column);
            assert_eq!(f32::from_bits(found[i][lane]), expected, "row {row}, column {column}");
            let half = (found[4 + i / 2][lane] >> (16 * (i % 2))) as u16;
            assert_eq!(half::f16::from_bits(half).to_f32(), expected, "row {row}, column {column}");
            assert_eq!(f32::from_bits(found[6 + i][lane]), expected - c[row * 8 + column]);
            // Instead of its addend.
            assert_eq!(f32::from_bits(found[10 + i][lane]), expected);
        }
    }
}

#[test]
fn imma_multiplies_matrices_of_bytes_and_nibbles() {
    for (name, depth, bits) in [("8816", 16, 8u32), ("8832", 32, 4)] {
        for (a_signed, b_signed) in [(true, true), (false, false), (true, false), (false, true)] {
            for saturate in [false, true] {
                let kind = |signed: bool| format!("{}{bits}", if signed { 'S' } else { 'U' });
                let suffix = if saturate { ".SAT" } else { "" };
                let code = format!(
                    "IMMA.{name}.{}.{}{suffix} R10, R4.ROW, R5.COL, R6",
                    kind(a_signed),
                    kind(b_signed)
                );
                let mut random = fastrand::Rng::with_seed(u64::from(bits));
                let mut list = || (0..32).map(|_| random.u32(..)).collect::<Vec<u32>>();
                // Lane l holds elements of row l / 4 of A, of column l / 4 of B, and two of row l / 4 of C.
                let (a, b) = (list(), list());
                let mut c = [list(), list()];
                c[0][3] = i32::MAX as u32;
                c[1][9] = i32::MIN as u32;
                let trial =
                    Trial::new(&*code).input("R4", &a).input("R5", &b).input("R6", &c[0]).input("R7", &c[1]);
                let found = trial.outputs(["R10", "R11"]);
                let element = |fragment: &[u32], vector: usize, k: usize, signed: bool| {
                    let per_lane = 32 / bits as usize;
                    let field = fragment[vector * 4 + k / per_lane] >> (bits as usize * (k % per_lane));
                    let field = i64::from(field & ((1 << bits) - 1));
                    if signed && field >> (bits - 1) != 0 {
                        field - (1 << bits)
                    } else {
                        field
                    }
                };
                for lane in 0..32 {
                    for j in 0..2 {
                        let (row, column) = (lane / 4, lane % 4 * 2 + j);
                        let product: i64 = (0..depth)
                            .map(|k| element(&a, row, k, a_signed) * element(&b, column, k, b_signed))
                            .sum();
                        let exact = product + i64::from(c[j][lane] as i32);
                        let expected = if saturate {
                            exact.clamp(i32::MIN.into(), i32::MAX.into()) as u32
                        } else {
                            exact as u32
                        };
                        assert_eq!(found[j][lane], expected, "{code}: row {row}, column {column}");
                    }
                }
            }
        }
    }
}
