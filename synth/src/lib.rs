//! Synthesis with Yosys, and the papers' overheads beside measured ones.
