//! Listings of Turing machine code, as `nvdisasm -hex` prints them.

use crate::error::Result;

/// A listing: kernels, constants and global variables.
pub struct Module {}

impl Module {
    /// Parses a listing. `file` names it in errors.
    pub fn parse(file: &str, text: &str) -> Result<Module> {
        let _ = text;
        todo!("{file}")
    }
}
