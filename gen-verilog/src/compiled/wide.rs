// SPDX-License-Identifier: Apache-2.0
//! Arithmetic on values of many limbs, which compiled code calls.

use std::slice::{from_raw_parts, from_raw_parts_mut};

use super::layout::LIMB;

/// Copies so many limbs; tells whether they were others.
///
/// # Safety
/// Both places have as many limbs, and do not overlap unless they are one.
pub unsafe extern "C" fn moved(to: *mut u64, from: *const u64, limbs: usize) -> u8 {
    if std::ptr::eq(to, from) {
        return 0;
    }
    // Safety: the caller's. Ports stand at addresses of words of 32 bits.
    let (to, from) = unsafe {
        (from_raw_parts_mut(to.cast::<u32>(), 2 * limbs), from_raw_parts(from.cast::<u32>(), 2 * limbs))
    };
    let differs = to != from;
    if differs {
        to.copy_from_slice(from);
    }
    differs as u8
}

/// Limbs of a value of so many bits, and the bits of the last.
fn shape(width: usize) -> (usize, u64) {
    let limbs = width.div_ceil(LIMB);
    (limbs, u64::MAX >> (LIMB * limbs - width))
}

/// Sets `to` to the sum of two values.
///
/// # Safety
/// All have the limbs of `width`, and `to` is none of the others.
pub unsafe extern "C" fn add(to: *mut u64, one: *const u64, other: *const u64, width: usize) {
    let (limbs, last) = shape(width);
    // Safety: the caller's.
    let (to, one, other) =
        unsafe { (from_raw_parts_mut(to, limbs), from_raw_parts(one, limbs), from_raw_parts(other, limbs)) };
    let mut carry = false;
    for limb in 0..limbs {
        let (sum, first) = one[limb].overflowing_add(other[limb]);
        let (sum, second) = sum.overflowing_add(carry as u64);
        (to[limb], carry) = (sum, first | second);
    }
    to[limbs - 1] &= last;
}

/// Sets `to` to the difference of two values.
///
/// # Safety
/// As of [`add`].
pub unsafe extern "C" fn sub(to: *mut u64, one: *const u64, other: *const u64, width: usize) {
    let (limbs, last) = shape(width);
    // Safety: the caller's.
    let (to, one, other) =
        unsafe { (from_raw_parts_mut(to, limbs), from_raw_parts(one, limbs), from_raw_parts(other, limbs)) };
    let mut borrow = false;
    for limb in 0..limbs {
        let (difference, first) = one[limb].overflowing_sub(other[limb]);
        let (difference, second) = difference.overflowing_sub(borrow as u64);
        (to[limb], borrow) = (difference, first | second);
    }
    to[limbs - 1] &= last;
}

/// Sets `to` to the low bits of the product of two values.
///
/// # Safety
/// As of [`add`].
pub unsafe extern "C" fn mul(to: *mut u64, one: *const u64, other: *const u64, width: usize) {
    let (limbs, last) = shape(width);
    // Safety: the caller's.
    let (to, one, other) =
        unsafe { (from_raw_parts_mut(to, limbs), from_raw_parts(one, limbs), from_raw_parts(other, limbs)) };
    to.fill(0);
    for low in 0..limbs {
        let mut carry = 0;
        for high in 0..limbs - low {
            let product = one[low] as u128 * other[high] as u128 + to[low + high] as u128 + carry as u128;
            to[low + high] = product as u64;
            carry = (product >> LIMB) as u64;
        }
    }
    to[limbs - 1] &= last;
}

/// Sets `to` to a value moved up by so many bits.
///
/// # Safety
/// Both have the limbs of `width`, and are not one.
pub unsafe extern "C" fn shift_left(to: *mut u64, of: *const u64, amount: u64, width: usize) {
    let (limbs, last) = shape(width);
    // Safety: the caller's.
    let (to, of) = unsafe { (from_raw_parts_mut(to, limbs), from_raw_parts(of, limbs)) };
    let amount = amount.min(width as u64) as usize;
    let (skipped, bits) = (amount / LIMB, amount % LIMB);
    for limb in 0..limbs {
        let at = |limb: Option<usize>| limb.and_then(|limb| of.get(limb)).copied().unwrap_or(0);
        let high = at(limb.checked_sub(skipped)) << bits;
        let low = if bits > 0 { at(limb.checked_sub(skipped + 1)) >> (LIMB - bits) } else { 0 };
        to[limb] = high | low;
    }
    to[limbs - 1] &= last;
}

/// Sets `to` to a value moved down by so many bits.
///
/// # Safety
/// As of [`shift_left`].
pub unsafe extern "C" fn shift_right(to: *mut u64, of: *const u64, amount: u64, width: usize) {
    let (limbs, _) = shape(width);
    // Safety: the caller's.
    let (to, of) = unsafe { (from_raw_parts_mut(to, limbs), from_raw_parts(of, limbs)) };
    let amount = amount.min(width as u64) as usize;
    let (skipped, bits) = (amount / LIMB, amount % LIMB);
    for limb in 0..limbs {
        let at = |limb: usize| of.get(limb).copied().unwrap_or(0);
        let low = at(limb + skipped) >> bits;
        let high = if bits > 0 { at(limb + skipped + 1) << (LIMB - bits) } else { 0 };
        to[limb] = low | high;
    }
}

#[cfg(test)]
mod tests {
    use num_bigint::BigUint;
    use proptest::prelude::*;

    use super::*;
    use crate::emit::expression::Binary;

    const WIDTH: usize = 150;
    const LIMBS: usize = 3;

    fn number(limbs: &[u64]) -> BigUint {
        let words = limbs.iter().flat_map(|limb| [*limb as u32, (limb >> 32) as u32]);
        BigUint::new(words.collect())
    }

    fn value() -> impl Strategy<Value = [u64; LIMBS]> {
        let limb = prop_oneof![Just(0), Just(u64::MAX), any::<u64>()];
        [limb.clone(), limb.clone(), limb]
            .prop_map(|[low, middle, high]| [low, middle, high & (u64::MAX >> (LIMB * LIMBS - WIDTH))])
    }

    proptest! {
        #[test]
        fn arithmetic_is_that_of_large_numbers(one in value(), other in value(), amount in 0u64..200) {
            type Function = unsafe extern "C" fn(*mut u64, *const u64, *const u64, usize);
            let sums: [(Function, Binary); 3] = [(add, Binary::Add), (sub, Binary::Sub), (mul, Binary::Mul)];
            for (function, operator) in sums {
                let mut found = [7; LIMBS];
                // Safety: all have the limbs of the width.
                unsafe { function(found.as_mut_ptr(), one.as_ptr(), other.as_ptr(), WIDTH) };
                let wanted = operator.of_values(&number(&one), &number(&other), WIDTH);
                prop_assert_eq!(number(&found), wanted, "{:?}", operator);
            }
            type Shift = unsafe extern "C" fn(*mut u64, *const u64, u64, usize);
            let shifts: [(Shift, Binary); 2] =
                [(shift_left, Binary::ShiftLeft), (shift_right, Binary::ShiftRight)];
            for (function, operator) in shifts {
                let mut found = [7; LIMBS];
                // Safety: as above.
                unsafe { function(found.as_mut_ptr(), one.as_ptr(), amount, WIDTH) };
                let wanted = operator.of_values(&number(&one), &BigUint::from(amount), WIDTH);
                prop_assert_eq!(number(&found), wanted, "{:?} by {}", operator, amount);
            }
            let mut copy = other;
            // Safety: as above.
            let differs = unsafe { moved(copy.as_mut_ptr(), one.as_ptr(), LIMBS) };
            prop_assert_eq!((copy, differs), (one, u8::from(one != other)));
        }
    }
}
