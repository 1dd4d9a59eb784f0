//! Arrays of signals and registers.

/// `length` new elements. Unlike `vec![element; length]` it gives every signal an identity of its own,
/// by which rust-hdl finds those that nothing drives.
pub fn array<T: Default>(length: usize) -> Vec<T> {
    (0..length).map(|_| T::default()).collect()
}
