//! What all hardware is made with.

mod accepted;
mod wires;
