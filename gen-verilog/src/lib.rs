//! Verilog export, and the emitted Verilog run as an engine.
