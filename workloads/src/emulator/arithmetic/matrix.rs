//! Tensor cores, and the loads that feed them.
//!
//! A fragment is a part of a matrix per lane, register by register. Lane l stands for row (or column)
//! l / 4; l mod 4 counts registers' worth of elements along the other dimension.

use super::{half, single};

/// A register of all lanes.
type Lanes = [u32; 32];

/// The product of a 16×8 and an 8×8 matrix in half precision, plus a 16×8 matrix.
///
/// Products are exact and are added to the element of C in double precision; the sum is rounded where
/// it is stored. How the hardware truncates inside is not public.
#[inline]
fn multiply_add_1688(a: &[Lanes; 2], b: &Lanes, c: &mut [[f64; 8]; 16]) {
    let mut left = [[0.0; 8]; 16];
    let mut right = [[0.0; 8]; 8];
    for lane in 0..32 {
        let (group, pair) = (lane / 4, 2 * (lane % 4));
        for upper in 0..2 {
            let shift = 16 * upper;
            left[group][pair + upper] = half::to_f32((a[0][lane] >> shift) as u16);
            left[group + 8][pair + upper] = half::to_f32((a[1][lane] >> shift) as u16);
            right[pair + upper][group] = f64::from(half::to_f32((b[lane] >> shift) as u16));
        }
    }
    for (sums, left) in c.iter_mut().zip(&left) {
        for (&factor, right) in left.iter().zip(&right) {
            for (sum, other) in sums.iter_mut().zip(right) {
                *sum += f64::from(factor) * other;
            }
        }
    }
}

/// `HMMA.1688.F32`: D = A × B + C with C and D in single precision.
pub fn hmma_1688_f32(a: &[Lanes; 2], b: &Lanes, c: &[Lanes; 4]) -> [Lanes; 4] {
    let mut sums = [[0.0; 8]; 16];
    let place = |lane: usize, register: usize| (lane / 4 + register / 2 * 8, lane % 4 * 2 + register % 2);
    for (register, lanes) in c.iter().enumerate() {
        for (lane, &bits) in lanes.iter().enumerate() {
            let (row, column) = place(lane, register);
            sums[row][column] = f64::from(f32::from_bits(bits));
        }
    }
    multiply_add_1688(a, b, &mut sums);
    let mut result = [[0; 32]; 4];
    for (register, lanes) in result.iter_mut().enumerate() {
        for (lane, bits) in lanes.iter_mut().enumerate() {
            let (row, column) = place(lane, register);
            let value = sums[row][column] as f32;
            *bits = if value.is_nan() { single::NAN } else { value.to_bits() };
        }
    }
    result
}

/// `HMMA.1688.F16`: D = A × B + C with C and D in half precision, two elements to a register.
pub fn hmma_1688_f16(a: &[Lanes; 2], b: &Lanes, c: &[Lanes; 2]) -> [Lanes; 2] {
    let mut sums = [[0.0; 8]; 16];
    for (register, lanes) in c.iter().enumerate() {
        for (lane, &bits) in lanes.iter().enumerate() {
            let (row, column) = (lane / 4 + 8 * register, lane % 4 * 2);
            sums[row][column] = half::value(bits as u16);
            sums[row][column + 1] = half::value((bits >> 16) as u16);
        }
    }
    multiply_add_1688(a, b, &mut sums);
    let mut result = [[0; 32]; 2];
    for (register, lanes) in result.iter_mut().enumerate() {
        for (lane, bits) in lanes.iter_mut().enumerate() {
            let (row, column) = (lane / 4 + 8 * register, lane % 4 * 2);
            *bits = half::from_pair([sums[row][column], sums[row][column + 1]]);
        }
    }
    result
}

/// The product of an 8×K and a K×8 matrix of integers of `BITS` bits, plus an 8×8 matrix of words. A
/// register holds 32 / `BITS` consecutive elements of a row of A, or of a column of B; C two of a row.
#[inline]
fn imma<const BITS: u32, const K: usize>(
    a: &Lanes,
    b: &Lanes,
    c: &[Lanes; 2],
    signed: [bool; 2],
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
    let (rows, columns) = (unpack(a, signed[0]), unpack(b, signed[1]));
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

/// `IMMA.8816`: D = A × B + C for bytes and words. `.SAT` stops at the ends of the range of words.
pub fn imma_8816(
    a: &Lanes,
    b: &Lanes,
    c: &[Lanes; 2],
    a_signed: bool,
    b_signed: bool,
    saturate: bool,
) -> [Lanes; 2] {
    imma::<8, 16>(a, b, c, [a_signed, b_signed], saturate)
}

/// `IMMA.8832`: D = A × B + C for integers of four bits, and words.
pub fn imma_8832(
    a: &Lanes,
    b: &Lanes,
    c: &[Lanes; 2],
    a_signed: bool,
    b_signed: bool,
    saturate: bool,
) -> [Lanes; 2] {
    imma::<4, 32>(a, b, c, [a_signed, b_signed], saturate)
}

/// Where a lane of an `LDSM.M88` finds its word of matrix `matrix`, the elements of which are halves:
/// the lane whose address is that of the row, and bytes from there.
#[inline]
pub fn load_matrices(lane: usize, matrix: usize) -> (usize, u32) {
    (8 * matrix + lane / 4, 4 * (lane % 4) as u32)
}

/// Where a lane of an `LDSM.MT88`, which transposes, finds the lower and the upper half of its word.
#[inline]
pub fn load_matrices_transposed(lane: usize, matrix: usize) -> [(usize, u32); 2] {
    let (row, column) = (8 * matrix + lane % 4 * 2, 2 * (lane / 4) as u32);
    [(row, column), (row + 1, column)]
}
