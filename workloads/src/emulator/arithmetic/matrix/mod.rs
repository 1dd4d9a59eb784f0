// SPDX-License-Identifier: Apache-2.0
//! Tensor cores.
//!
//! A fragment is a part of a matrix per lane, register by register. Lane l stands for row (or column)
//! l / 4; l mod 4 counts registers' worth of elements along the other dimension.

mod half_product;
mod quad_product;

use gpurf_trace::Lanes;

use super::{half, single};

pub use half_product::{hmma_1688_f16, hmma_1688_f32};
pub use quad_product::QuadProduct;

/// `IMMA.8816` on bytes, `IMMA.8832` on integers of four bits: the product of an 8×K and a K×8 matrix of
/// integers of `BITS` bits, plus an 8×8 matrix of words. `.SAT` stops at the ends of the range of words. A
/// register holds 32 / `BITS` consecutive elements of a row of A, or of a column of B; C two of a row.
#[inline]
pub fn imma<const BITS: u32, const K: usize>(
    a: &Lanes,
    b: &Lanes,
    c: &[Lanes; 2],
    a_signed: bool,
    b_signed: bool,
    saturate: bool,
) -> [Lanes; 2] {
    let unpack = |lanes: &Lanes, signed: bool| {
        let per_register = (32 / BITS) as usize;
        let mut rows = [[0i32; K]; 8];
        for (lane, &word) in lanes.iter().enumerate() {
            for element in 0..per_register {
                let top = word << (32 - BITS - BITS * element as u32);
                let value = if signed { top as i32 >> (32 - BITS) } else { (top >> (32 - BITS)) as i32 };
                rows[lane / 4][lane % 4 * per_register + element] = value;
            }
        }
        rows
    };
    let (rows, columns) = (unpack(a, a_signed), unpack(b, b_signed));
    let mut result = *c;
    for (register, lanes) in result.iter_mut().enumerate() {
        for (lane, word) in lanes.iter_mut().enumerate() {
            let (row, column) = (&rows[lane / 4], &columns[lane % 4 * 2 + register]);
            let product: i32 = row.iter().zip(column).map(|(a, b)| a * b).sum();
            let sum = *word as i32;
            *word = if saturate { sum.saturating_add(product) } else { sum.wrapping_add(product) } as u32;
        }
    }
    result
}

/// `BMMA.88128.XOR.POPC`: each element of C plus the number of bits in which a row of A and a column of B,
/// of 128 bits each, differ.
pub fn bmma_88128(a: &Lanes, b: &Lanes, c: &[Lanes; 2]) -> [Lanes; 2] {
    let mut result = *c;
    for (register, lanes) in result.iter_mut().enumerate() {
        for (lane, word) in lanes.iter_mut().enumerate() {
            let (row, column) = (lane / 4, lane % 4 * 2 + register);
            let different = (0..4).map(|i| (a[4 * row + i] ^ b[4 * column + i]).count_ones());
            *word = word.wrapping_add(different.sum());
        }
    }
    result
}

/// `MOVM.16.MT88`: an 8×8 matrix of halves, two of a row to a lane, becomes its transpose.
pub fn transpose_88(matrix: &Lanes) -> Lanes {
    let element = |row: usize, column: usize| matrix[4 * row + column / 2] >> (16 * (column % 2)) & 0xffff;
    std::array::from_fn(|lane| {
        let (row, column) = (lane / 4, lane % 4 * 2);
        element(column, row) | element(column + 1, row) << 16
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emulator::arithmetic::{rounding, Rounding};
    use std::array::from_fn;

    /// The register and the bit from which the halves of a 16-row matrix stand in fragments A, C and D.
    fn half_place(row: usize, column: usize) -> (usize, usize, usize) {
        (row / 8, row % 8 * 4 + column / 2, column % 2 * 16)
    }

    fn half_fragment(matrix: &[[u16; 8]; 16]) -> [Lanes; 2] {
        let mut fragment = [[0; 32]; 2];
        for (row, elements) in matrix.iter().enumerate() {
            for (column, &element) in elements.iter().enumerate() {
                let (register, lane, bit) = half_place(row, column);
                fragment[register][lane] |= u32::from(element) << bit;
            }
        }
        fragment
    }

    /// B: columns are to lanes what rows are in A.
    fn right_fragment(matrix: &[[u16; 8]; 8]) -> Lanes {
        let transposed = from_fn(|row| from_fn(|column| if row < 8 { matrix[column][row] } else { 0 }));
        half_fragment(&transposed)[0]
    }

    /// The register and lane of an element of C or D in single precision.
    fn single_place(row: usize, column: usize) -> (usize, usize) {
        (row / 8 * 2 + column % 2, row % 8 * 4 + column / 2)
    }

    /// Multiples of 2^-11 below 1 that a half holds, as halves and as integers.
    fn random_half(random: &mut fastrand::Rng) -> (u16, i64) {
        let integer = random.i64(-2047..=2047);
        (::half::f16::from_f32(integer as f32 / 2048.0).to_bits(), integer)
    }

    type Random = ([[u16; 8]; 16], [[u16; 8]; 8], [[i64; 8]; 16]);

    /// Matrices A and B, and their product in multiples of 2^-22.
    fn random_product(random: &mut fastrand::Rng) -> Random {
        let a: [[_; 8]; 16] = from_fn(|_| from_fn(|_| random_half(random)));
        let b: [[_; 8]; 8] = from_fn(|_| from_fn(|_| random_half(random)));
        let product = from_fn(|row| from_fn(|column| (0..8).map(|k| a[row][k].1 * b[k][column].1).sum()));
        (a.map(|row| row.map(|(bits, _)| bits)), b.map(|row| row.map(|(bits, _)| bits)), product)
    }

    #[test]
    fn half_matrices_are_multiplied_and_rounded_once() {
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..200 {
            let (a, b, product) = random_product(&mut random);
            let (a, b) = (half_fragment(&a), right_fragment(&b));
            let addends: [[_; 8]; 16] = from_fn(|_| from_fn(|_| random_half(&mut random)));

            // Single precision, with addends of more bits than the sum keeps.
            let mut c = [[0; 32]; 4];
            for (row, elements) in addends.iter().enumerate() {
                for (column, (_, integer)) in elements.iter().enumerate() {
                    let (register, lane) = single_place(row, column);
                    c[register][lane] = (*integer as f32 * 2f32.powi(-26)).to_bits();
                }
            }
            let mut d = [[0; 32]; 4];
            hmma_1688_f32(a.each_ref(), &b, c.each_ref(), &mut d);
            for row in 0..16 {
                for column in 0..8 {
                    let (register, lane) = single_place(row, column);
                    let sum = 16 * product[row][column] + addends[row][column].1;
                    let expected = sum as f32 * 2f32.powi(-26);
                    assert_eq!(f32::from_bits(d[register][lane]), expected, "{row}, {column}");
                }
            }

            // Half precision.
            let c = half_fragment(&addends.map(|row| row.map(|(bits, _)| bits)));
            let mut d = [[0; 32]; 2];
            hmma_1688_f16(a.each_ref(), &b, c.each_ref(), &mut d);
            for row in 0..16 {
                for column in 0..8 {
                    let (register, lane, bit) = half_place(row, column);
                    let sum = product[row][column] + 2048 * addends[row][column].1;
                    let expected = rounding::to_half(sum as f64 * 2f64.powi(-22), Rounding::Nearest);
                    assert_eq!((d[register][lane] >> bit) as u16, expected, "{row}, {column}");
                }
            }
        }
    }

    #[test]
    fn half_matrices_spread_infinities_and_nan() {
        let mut a = [[0x3c00; 8]; 16];
        a[0][3] = 0x7c00;
        a[1][4] = 0x7e00;
        let (a, mut d) = (half_fragment(&a), [[0; 32]; 4]);
        hmma_1688_f32(a.each_ref(), &right_fragment(&[[0x3c00; 8]; 8]), [&[0; 32]; 4], &mut d);
        // Rows 0, 1 and 2, columns 0 and 1.
        assert_eq!([d[0][0], d[1][0]], [f32::INFINITY.to_bits(); 2]);
        assert_eq!([d[0][4], d[1][4]], [single::NAN; 2]);
        assert_eq!([d[0][8], d[1][8]], [8f32.to_bits(); 2]);
    }

    #[test]
    fn integer_matrices_are_multiplied() {
        let mut random = fastrand::Rng::with_seed(2);
        for round in 0..200 {
            for (a_signed, b_signed) in [(false, false), (false, true), (true, false), (true, true)] {
                for bits in [8, 4] {
                    let inner = 128 / bits;
                    let saturate = round % 2 == 0;
                    let mut element = |signed: bool| {
                        let value = random.i64(0..1 << bits);
                        if signed {
                            value - (1 << (bits - 1))
                        } else {
                            value
                        }
                    };
                    let a: Vec<Vec<i64>> =
                        (0..8).map(|_| (0..inner).map(|_| element(a_signed)).collect()).collect();
                    // By columns.
                    let b: Vec<Vec<i64>> =
                        (0..8).map(|_| (0..inner).map(|_| element(b_signed)).collect()).collect();
                    let fragment = |rows: &[Vec<i64>]| {
                        let mut lanes = [0u32; 32];
                        for (row, elements) in rows.iter().enumerate() {
                            for (k, &element) in elements.iter().enumerate() {
                                let (word, place) = (k * bits / 32, k * bits % 32);
                                lanes[4 * row + word] |= (element as u32 & ((1 << bits) - 1)) << place;
                            }
                        }
                        lanes
                    };
                    let edges = [i32::MIN, i32::MAX, i32::MAX - 100, 0, 12_345];
                    let c: [Lanes; 2] = from_fn(|_| from_fn(|_| edges[random.usize(..edges.len())] as u32));
                    let imma = if bits == 8 { imma::<8, 16> } else { imma::<4, 32> };
                    let d = imma(&fragment(&a), &fragment(&b), &c, a_signed, b_signed, saturate);
                    for row in 0..8 {
                        for column in 0..8 {
                            let (register, lane) = single_place(row, column);
                            let product: i64 = a[row].iter().zip(&b[column]).map(|(a, b)| a * b).sum();
                            let sum = product + i64::from(c[register][lane] as i32);
                            let expected =
                                if saturate { sum.clamp(i32::MIN.into(), i32::MAX.into()) } else { sum };
                            assert_eq!(d[register][lane], expected as u32, "{row}, {column}");
                        }
                    }
                }
            }
        }
    }
}
