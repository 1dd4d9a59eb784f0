// SPDX-License-Identifier: Apache-2.0
//! Tests of synthesis, netlists and power, as one program.

mod contract;
mod known_proofs;
mod liberty;
mod memories;
mod monitor;
mod mutants;
mod power;
mod registers;
mod synthesis;
