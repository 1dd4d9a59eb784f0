// SPDX-License-Identifier: Apache-2.0
//! Where built models and synthesized modules are kept, so that a design is compiled once.

use std::path::PathBuf;

use sha2::{Digest, Sha256};

use crate::tools;

/// The folder of [`tools::cache_folder`], or a temporary one.
pub fn folder() -> PathBuf {
    tools::cache_folder().unwrap_or_else(|| std::env::temp_dir().join("gpurf"))
}

/// A name for what is built from these texts: SHA-256, the same on every machine.
pub fn key(texts: &[&str]) -> String {
    // A byte that stands in no text keeps ("ab", "c") and ("a", "bc") apart.
    let hash = texts.iter().fold(Sha256::new(), |hash, text| hash.chain_update(text).chain_update([0xff]));
    format!("{:x}", hash.finalize())
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
