//! Icarus.
pub struct Icarus;
