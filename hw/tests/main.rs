//! What all hardware is made with.

mod wires;
