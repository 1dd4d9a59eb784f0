// SPDX-License-Identifier: Apache-2.0
//! Constants of the formats of numbers that several of them need.

/// The one NaN of single precision that instructions produce.
pub const SINGLE_NAN: u32 = 0x7fff_ffff;
/// The one NaN of half precision that instructions produce.
pub const HALF_NAN: u16 = 0x7fff;
/// The least normal number of half precision, 2^-14.
pub const HALF_MIN_NORMAL: f64 = 1.0 / 16384.0;

/// A value of half precision; free of branches and always inlined, for the matrix instructions.
#[inline(always)]
pub fn half_to_f32(bits: u16) -> f32 {
    // With exponent and significand in their places, a power of two makes up for the other bias, and
    // normalizes what is subnormal.
    let bits = u32::from(bits);
    let magnitude = f32::from_bits((bits & 0x7fff) << 13) * f32::from_bits((127 + 127 - 15) << 23);
    // An exponent of all ones stays one.
    let special = if bits & 0x7c00 == 0x7c00 { 0x7f80_0000 } else { 0 };
    f32::from_bits(magnitude.to_bits() | special | (bits & 0x8000) << 16)
}

/// A value of half precision.
#[inline(always)]
pub fn half_value(bits: u16) -> f64 {
    f64::from(half_to_f32(bits))
}
