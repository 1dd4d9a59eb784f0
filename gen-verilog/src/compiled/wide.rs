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
    let (to, from) =
        unsafe { (from_raw_parts_mut(to.cast::<u32>(), 2 * limbs), from_raw_parts(from.cast::<u32>(), 2 * limbs)) };
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
