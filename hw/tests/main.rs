//! What all hardware is made with.

mod waveform;
mod wires;
