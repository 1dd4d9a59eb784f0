//! Register values: 32 bits where a token stands for a warp's register, 1024 where hardware is built.

use std::fmt;

/// A register value of [`Data::WIDTH`] bits in plain Rust, little end first.
pub trait Data: Copy + Default + PartialEq + fmt::Debug + Send + 'static {
    const WIDTH: usize;

    fn words(&self) -> &[u32];
    fn words_mut(&mut self) -> &mut [u32];
}

impl Data for u32 {
    const WIDTH: usize = 32;

    fn words(&self) -> &[u32] {
        std::slice::from_ref(self)
    }

    fn words_mut(&mut self) -> &mut [u32] {
        std::slice::from_mut(self)
    }
}

/// A value of `N` words of 32 bits: 32 of them are one register of a warp.
#[derive(Clone, Copy, PartialEq)]
pub struct Wide<const N: usize>(pub [u32; N]);

impl<const N: usize> Default for Wide<N> {
    fn default() -> Self {
        Wide([0; N])
    }
}

impl<const N: usize> fmt::Debug for Wide<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "0x")?;
        self.0.iter().rev().try_for_each(|word| write!(f, "{word:08x}"))
    }
}

impl<const N: usize> Data for Wide<N> {
    const WIDTH: usize = 32 * N;

    fn words(&self) -> &[u32] {
        &self.0
    }

    fn words_mut(&mut self) -> &mut [u32] {
        &mut self.0
    }
}
