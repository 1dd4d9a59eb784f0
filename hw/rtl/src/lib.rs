//! Attribute and derive macros of gpurf's rust-hdl dialect.
