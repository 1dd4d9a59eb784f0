//! Tests of synthesis, netlists and power, as one program.

mod contract;
mod liberty;
mod memories;
mod mutants;
mod power;
mod registers;
mod synthesis;
