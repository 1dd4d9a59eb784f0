// SPDX-License-Identifier: Apache-2.0
//! The types of what a kernel's functions take and return.

/// A value of a type that is said: `#[rtl]` writes the value of a function where it is called, and this
/// around its arguments and itself.
pub fn typed<T>(value: T) -> T {
    value
}
