// SPDX-License-Identifier: Apache-2.0
//! Arrays of signals, registers and blocks.

/// `length` new elements. Unlike `vec![element; length]` it gives every signal an identity of its own,
/// by which rust-hdl finds those that nothing drives.
pub fn array<T: Default>(length: usize) -> Vec<T> {
    array_of(length, &mut |_| T::default())
}

/// `length` elements, made from their numbers.
// Of any function, instead of one function's type: this is compiled for each kind of element, not for
// each field of each block of every width.
pub fn array_of<T>(length: usize, element: &mut dyn FnMut(usize) -> T) -> Vec<T> {
    let mut elements = Vec::with_capacity(length);
    for number in 0..length {
        elements.push(element(number));
    }
    elements
}
