//! The hardware: rust-hdl modules, one per file.
