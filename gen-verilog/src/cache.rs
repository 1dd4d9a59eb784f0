//! Where built models and synthesized modules are kept, so that a design is compiled once.

use std::path::PathBuf;

use crate::tools;

/// The folder of [`tools::cache_folder`], or a temporary one.
pub fn folder() -> PathBuf {
    tools::cache_folder().unwrap_or_else(|| std::env::temp_dir().join("gpurf"))
}

/// A name for what is built from these texts: 128-bit FNV-1a, the same on every machine.
pub fn key(texts: &[&str]) -> String {
    const PRIME: u128 = 0x0000000001000000000000000000013b;
    let mut hash: u128 = 0x6c62272e07bb014262b821756295c58d;
    for text in texts {
        // A byte that stands in no text keeps ("ab", "c") and ("a", "bc") apart.
        for byte in text.bytes().chain([0xff]) {
            hash = (hash ^ byte as u128).wrapping_mul(PRIME);
        }
    }
    format!("{hash:032x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_tell_texts_and_their_borders_apart() {
        assert_eq!(key(&["ab", "c"]), key(&["ab", "c"]));
        assert_ne!(key(&["ab", "c"]), key(&["a", "bc"]));
        assert_ne!(key(&["ab"]), key(&["ab", ""]));
    }
}
