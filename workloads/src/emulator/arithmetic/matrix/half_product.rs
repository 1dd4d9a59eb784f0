// SPDX-License-Identifier: Apache-2.0
//! `HMMA.1688`: the product of a 16×8 and an 8×8 matrix in half precision, plus a 16×8 matrix.
//!
//! Products are exact and are added to the element of C in double precision, one after the other along the
//! dimension that is summed over; the sum is rounded where it is stored. How the hardware truncates inside is
//! not public. Both ways to compute it give the same bits.

use super::{half, single, Lanes};

/// Elements of C or D. Of each half of the rows, those in even columns, then those in odd ones: lane l has
/// those of row l / 4 and columns 2 (l mod 4) and the next.
type Sums = [[f64; 32]; 4];

/// D = A × B + C with C and D in single precision.
pub fn hmma_1688_f32(a: [&Lanes; 2], b: &Lanes, c: [&Lanes; 4], d: &mut [Lanes; 4]) {
    #[cfg(target_arch = "x86_64")]
    if vector::is_there() {
        // SAFETY: the processor has the instructions.
        return unsafe { vector::hmma_1688_f32(a, b, c, d) };
    }
    let mut sums = c.map(|register| register.map(|bits| f64::from(f32::from_bits(bits))));
    multiply_add(a, b, &mut sums);
    for (register, sums) in d.iter_mut().zip(&sums) {
        for (bits, &sum) in register.iter_mut().zip(sums) {
            let value = sum as f32;
            *bits = if value.is_nan() { single::NAN } else { value.to_bits() };
        }
    }
}

/// D = A × B + C with C and D in half precision, two elements to a register.
pub fn hmma_1688_f16(a: [&Lanes; 2], b: &Lanes, c: [&Lanes; 2], d: &mut [Lanes; 2]) {
    let [[even, odd], [lower_even, lower_odd]] = c.map(halves);
    let mut sums = [even, odd, lower_even, lower_odd];
    #[cfg(target_arch = "x86_64")]
    if vector::is_there() {
        // SAFETY: the processor has the instructions.
        unsafe { vector::multiply_add(a, b, &mut sums) };
    } else {
        multiply_add(a, b, &mut sums);
    }
    #[cfg(not(target_arch = "x86_64"))]
    multiply_add(a, b, &mut sums);
    for (register, sums) in d.iter_mut().zip(sums.chunks_exact(2)) {
        for (lane, word) in register.iter_mut().enumerate() {
            *word = half::from_pair([sums[0][lane], sums[1][lane]]);
        }
    }
}

/// The lower and the upper halves of words.
fn halves(words: &Lanes) -> [[f64; 32]; 2] {
    [words.map(|word| half::value(word as u16)), words.map(|word| half::value((word >> 16) as u16))]
}

/// Adds the products on any processor.
fn multiply_add(a: [&Lanes; 2], b: &Lanes, sums: &mut Sums) {
    let columns = halves(b);
    for (number, sums) in sums.iter_mut().enumerate() {
        let rows = halves(a[number / 2]);
        for (lane, sum) in sums.iter_mut().enumerate() {
            let (row, column) = (lane / 4, lane % 4 * 2 + number % 2);
            for k in 0..8 {
                *sum += rows[k % 2][4 * row + k / 2] * columns[k % 2][4 * column + k / 2];
            }
        }
    }
}

/// With vector instructions that processors of this architecture mostly have, four elements at once.
#[cfg(target_arch = "x86_64")]
mod vector {
    use std::arch::x86_64::*;
    use std::array::from_fn;

    use super::{single, Lanes, Sums};

    pub fn is_there() -> bool {
        is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("f16c")
    }

    /// The eight halves in four lanes.
    #[inline]
    #[target_feature(enable = "avx2,f16c")]
    unsafe fn widen(words: &[u32]) -> __m256 {
        assert!(words.len() >= 4);
        // SAFETY: four words are there.
        unsafe { _mm256_cvtph_ps(_mm_loadu_si128(words.as_ptr().cast())) }
    }

    /// Gives `finish` each four sums of a register, with its number and the first of their lanes; `addend`
    /// says what they start with. The products are exact, so that it does not matter that they are fused with
    /// the additions.
    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn multiply(
        a: [&Lanes; 2],
        b: &Lanes,
        addend: impl Fn(usize, usize) -> __m256d,
        mut finish: impl FnMut(usize, usize, __m256d),
    ) {
        // SAFETY: values go from registers to arrays as large as they are.
        unsafe {
            let mut columns = [[0f32; 8]; 8];
            for (column, words) in columns.iter_mut().zip(b.chunks_exact(4)) {
                _mm256_storeu_ps(column.as_mut_ptr(), widen(words));
            }
            for (half, register) in a.into_iter().enumerate() {
                let mut rows = [[0f64; 8]; 8];
                for (row, words) in rows.iter_mut().zip(register.chunks_exact(4)) {
                    let values = widen(words);
                    _mm256_storeu_pd(row.as_mut_ptr(), _mm256_cvtps_pd(_mm256_castps256_ps128(values)));
                    let upper = _mm256_extractf128_ps::<1>(values);
                    _mm256_storeu_pd(row[4..].as_mut_ptr(), _mm256_cvtps_pd(upper));
                }
                for odd in 0..2 {
                    let number = 2 * half + odd;
                    let right: [__m256d; 8] = from_fn(|k| {
                        let [a, b, c, d] = from_fn(|pair| columns[2 * pair + odd][k]);
                        _mm256_cvtps_pd(_mm_setr_ps(a, b, c, d))
                    });
                    // Four rows at a time hide how long an addition takes.
                    for (group, rows) in rows.chunks_exact(4).enumerate() {
                        let lane = |i| 16 * group + 4 * i;
                        let mut sums: [__m256d; 4] = from_fn(|i| addend(number, lane(i)));
                        for (k, right) in right.iter().enumerate() {
                            for (sum, row) in sums.iter_mut().zip(rows) {
                                *sum = _mm256_fmadd_pd(_mm256_set1_pd(row[k]), *right, *sum);
                            }
                        }
                        for (i, sum) in sums.into_iter().enumerate() {
                            finish(number, lane(i), sum);
                        }
                    }
                }
            }
        }
    }

    #[target_feature(enable = "avx2,fma,f16c")]
    pub unsafe fn hmma_1688_f32(a: [&Lanes; 2], b: &Lanes, c: [&Lanes; 4], d: &mut [Lanes; 4]) {
        // SAFETY: four lanes are read and written, from the first of four on.
        unsafe {
            let nan = _mm_castsi128_ps(_mm_set1_epi32(single::NAN as i32));
            let addend = |number: usize, lane: usize| {
                _mm256_cvtps_pd(_mm_loadu_ps(c[number][lane..lane + 4].as_ptr().cast()))
            };
            multiply(a, b, addend, |number, lane, sums| {
                let values = _mm256_cvtpd_ps(sums);
                let values = _mm_blendv_ps(values, nan, _mm_cmpunord_ps(values, values));
                _mm_storeu_ps(d[number][lane..lane + 4].as_mut_ptr().cast(), values);
            });
        }
    }

    #[target_feature(enable = "avx2,fma,f16c")]
    pub unsafe fn multiply_add(a: [&Lanes; 2], b: &Lanes, sums: &mut Sums) {
        let addends = *sums;
        // SAFETY: four lanes are read and written, from the first of four on.
        unsafe {
            let addend =
                |number: usize, lane: usize| _mm256_loadu_pd(addends[number][lane..lane + 4].as_ptr());
            multiply(a, b, addend, |number, lane, values| {
                _mm256_storeu_pd(sums[number][lane..lane + 4].as_mut_ptr(), values);
            });
        }
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use std::array::from_fn;

    /// Any bits, with infinities, NaN and subnormal values among them.
    #[test]
    fn both_ways_give_the_same_bits() {
        if !vector::is_there() {
            return;
        }
        let mut random = fastrand::Rng::with_seed(3);
        for round in 0..4000 {
            // Rounds without infinities and NaN: these spread through rows and columns.
            let mask = if round % 2 == 0 { u32::MAX } else { 0xbbff_bbff };
            let mut register = || -> Lanes { from_fn(|_| random.u32(..) & mask) };
            let (a, b) = ([register(), register()], register());
            let addends: Sums = from_fn(|_| register().map(|bits| f64::from(f32::from_bits(bits))));
            let [mut any, mut vectors] = [addends; 2];
            multiply_add(a.each_ref(), &b, &mut any);
            // SAFETY: the processor has the instructions.
            unsafe { vector::multiply_add(a.each_ref(), &b, &mut vectors) };
            let bits = |sums: &Sums| {
                sums.map(|sums| sums.map(|sum| if sum.is_nan() { u64::MAX } else { sum.to_bits() }))
            };
            assert_eq!(bits(&any), bits(&vectors));

            let c: [Lanes; 4] = from_fn(|_| register());
            let mut d = [[0; 32]; 4];
            hmma_1688_f32(a.each_ref(), &b, c.each_ref(), &mut d);
            let mut sums = c.map(|register| register.map(|bits| f64::from(f32::from_bits(bits))));
            multiply_add(a.each_ref(), &b, &mut sums);
            let rounded = |sum: f64| if sum.is_nan() { single::NAN } else { (sum as f32).to_bits() };
            assert_eq!(d, sums.map(|sums| sums.map(rounded)));
        }
    }
}
