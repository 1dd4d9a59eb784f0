//! Tensor cores.
//!
//! A fragment is a part of a matrix per lane, register by register. Lane l stands for row (or column)
//! l / 4; l mod 4 counts registers' worth of elements along the other dimension.

use std::hint::black_box;

use super::{half, single};

/// A register of all lanes.
type Lanes = [u32; 32];

/// Four elements of a row in the even columns, and those in the odd ones. Fragments C and D have the even ones in
/// one register and the odd ones in another, both in lanes 4 × row to 4 × row + 3.
type Row = [[f64; 4]; 2];

/// The lower and the upper halves of words.
#[inline(always)]
fn halves<const N: usize>(words: &[u32; N]) -> [[f64; N]; 2] {
    let mut values = [[0.0; N]; 2];
    for (part, values) in values.iter_mut().enumerate() {
        for (value, word) in values.iter_mut().zip(words) {
            *value = half::value((word >> (16 * part)) as u16);
        }
    }
    values
}

/// The product of a 16×8 and an 8×8 matrix in half precision, plus a matrix whose rows `addends` gives, to
/// `finish`; both are told the half of the rows and the row's first lane.
///
/// Products are exact and are added to the element of C in double precision; the sum is rounded where
/// it is stored. How the hardware truncates inside is not public.
#[inline(always)]
fn multiply_add_1688(
    a: [&Lanes; 2],
    b: &Lanes,
    add_product: impl Fn(f64, f64, f64) -> f64,
    addends: impl Fn(usize, usize, &mut Row),
    mut finish: impl FnMut(usize, usize, &Row),
) {
    // Of two rows of B each, the even columns and the odd ones; a column is in four lanes. They are moved before
    // they are widened, which the compiler would do the other way round.
    let mut pairs = [[0; 8]; 4];
    for (pair, words) in pairs.iter_mut().enumerate() {
        for i in 0..4 {
            words[i] = b[8 * i + pair];
            words[4 + i] = b[8 * i + 4 + pair];
        }
    }
    let mut right = [[0.0; 8]; 8];
    for (words, rows) in black_box(pairs).iter().zip(right.chunks_exact_mut(2)) {
        rows.copy_from_slice(&halves(words));
    }
    for (half, register) in a.into_iter().enumerate() {
        let left = halves(register);
        for row in 0..8 {
            // The compiler would take several rows at once, and transpose them for it.
            let lane = 4 * black_box(row) % 32;
            let mut sums = [[0.0; 4]; 2];
            addends(half, lane, &mut sums);
            for (k, right) in right.iter().enumerate() {
                let factor = left[k % 2][lane + k / 2];
                for (sum, &other) in sums.as_flattened_mut().iter_mut().zip(right) {
                    *sum = add_product(*sum, factor, other);
                }
            }
            finish(half, lane, &sums);
        }
    }
}

/// Adds a product of two halves. It is exact, so that it does not matter whether it is made by an instruction of
/// its own; a fused one is used where the processor has it.
macro_rules! add_product {
    () => {
        |sum: f64, a: f64, b: f64| {
            if multiversion::target::target_cfg_f!(target_feature = "fma") {
                a.mul_add(b, sum)
            } else {
                sum + a * b
            }
        }
    };
}

/// `HMMA.1688.F32`: D = A × B + C with C and D in single precision.
#[multiversion::multiversion(targets("x86_64+avx2+fma"))]
pub fn hmma_1688_f32(a: [&Lanes; 2], b: &Lanes, c: [&Lanes; 4], d: &mut [Lanes; 4]) {
    let addends = |half: usize, lane: usize, sums: &mut Row| {
        for (sums, register) in sums.iter_mut().zip(&c[2 * half..]) {
            for (sum, &bits) in sums.iter_mut().zip(&register[lane..lane + 4]) {
                *sum = f64::from(f32::from_bits(bits));
            }
        }
    };
    let finish = |half: usize, lane: usize, sums: &Row| {
        for (sums, register) in sums.iter().zip(&mut d[2 * half..]) {
            for (&sum, bits) in sums.iter().zip(&mut register[lane..lane + 4]) {
                let value = sum as f32;
                *bits = if value.is_nan() { single::NAN } else { value.to_bits() };
            }
        }
    };
    multiply_add_1688(a, b, add_product!(), addends, finish);
}

/// `HMMA.1688.F16`: D = A × B + C with C and D in half precision, two elements to a register.
#[multiversion::multiversion(targets("x86_64+avx2+fma"))]
pub fn hmma_1688_f16(a: [&Lanes; 2], b: &Lanes, c: [&Lanes; 2], d: &mut [Lanes; 2]) {
    let addends = |half: usize, lane: usize, sums: &mut Row| {
        for (i, word) in c[half][lane..lane + 4].iter().enumerate() {
            sums[0][i] = half::value(*word as u16);
            sums[1][i] = half::value((word >> 16) as u16);
        }
    };
    let finish = |half: usize, lane: usize, sums: &Row| {
        for (i, word) in d[half][lane..lane + 4].iter_mut().enumerate() {
            *word = half::from_pair([sums[0][i], sums[1][i]]);
        }
    };
    multiply_add_1688(a, b, add_product!(), addends, finish);
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

/// `HMMA.884`: the four products of an 8×4 and a 4×8 matrix, one for each four lanes of the lower half of
/// the warp with the four that are 16 above.
///
/// Lane l of the lower four stands for row (or column) l mod 4, of the upper for 4 + l mod 4. By row, a lane
/// has the four elements of its row of A, else the rows' elements of column l mod 4 from its half of the
/// rows; of B likewise with columns.
pub struct QuadProduct {
    left: [[[f64; 4]; 8]; 4],
    /// By column.
    right: [[[f64; 4]; 8]; 4],
}

/// Which of the four products a lane takes part in, and whether it is one of the upper lanes of it.
fn quad(lane: usize) -> (usize, usize) {
    (lane % 16 / 4, lane / 16)
}

impl QuadProduct {
    pub fn new(a: [&Lanes; 2], a_by_row: bool, b: [&Lanes; 2], b_by_row: bool) -> QuadProduct {
        // Both as lists of four along the dimension that is summed over.
        let unpack = |registers: [&Lanes; 2], whole: bool| {
            let mut lists = [[[0.0; 4]; 8]; 4];
            for lane in 0..32 {
                let (quad, upper) = quad(lane);
                for i in 0..4 {
                    let value = half::value((registers[i / 2][lane] >> (16 * (i % 2))) as u16);
                    if whole {
                        lists[quad][4 * upper + lane % 4][i] = value;
                    } else {
                        lists[quad][4 * upper + i][lane % 4] = value;
                    }
                }
            }
            lists
        };
        QuadProduct { left: unpack(a, a_by_row), right: unpack(b, !b_by_row) }
    }

    fn element(&self, quad: usize, row: usize, column: usize, addend: f64) -> f64 {
        let pairs = self.left[quad][row].iter().zip(&self.right[quad][column]);
        pairs.fold(addend, |sum, (a, b)| sum + a * b)
    }

    /// Registers 2 n and 2 n + 1 of the eight of C and D in single precision.
    pub fn add_singles(&self, c: [&Lanes; 2], step: usize) -> [Lanes; 2] {
        self.to_singles(step, |register, lane, _| f64::from(f32::from_bits(c[register][lane])))
    }

    /// As `add_singles`, with C in half precision and its registers as `add_halves` has them: 0 and 1 in the
    /// first two steps, 2 and 3 in the others.
    pub fn add_halves_to_singles(&self, c: [&Lanes; 2], step: usize) -> [Lanes; 2] {
        self.to_singles(step, |_, lane, (row, column)| {
            let word = c[column % 4 / 2][lane / 4 * 4 + row % 4];
            half::value((word >> (16 * (column % 2))) as u16)
        })
    }

    /// The addend is that of a register, a lane and its row and column.
    fn to_singles(&self, step: usize, addend: impl Fn(usize, usize, (usize, usize)) -> f64) -> [Lanes; 2] {
        std::array::from_fn(|register| {
            let i = 2 * step + register;
            std::array::from_fn(|lane| {
                let (quad, upper) = quad(lane);
                let (row, column) = (4 * upper + (i & 2) + (lane & 1), (i & 4) + (lane & 2) + (i & 1));
                let addend = addend(register, lane, (row, column));
                let value = self.element(quad, row, column, addend) as f32;
                if value.is_nan() {
                    single::NAN
                } else {
                    value.to_bits()
                }
            })
        })
    }

    /// Registers 2 n and 2 n + 1 of the four of C and D in half precision, two elements each.
    pub fn add_halves(&self, c: [&Lanes; 2], step: usize) -> [Lanes; 2] {
        std::array::from_fn(|register| {
            std::array::from_fn(|lane| {
                let (quad, upper) = quad(lane);
                let row = 4 * upper + lane % 4;
                half::from_pair(std::array::from_fn(|part| {
                    let column = 4 * step + 2 * register + part;
                    let addend = half::value((c[register][lane] >> (16 * part)) as u16);
                    self.element(quad, row, column, addend)
                }))
            })
        })
    }
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
                    let imma = if bits == 8 { imma_8816 } else { imma_8832 };
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
