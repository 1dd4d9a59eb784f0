// SPDX-License-Identifier: Apache-2.0
//! Each opcode against a formula of its own, through listing, decoder and executor.

#[allow(dead_code)]
mod convert;
mod float;
mod integer;
mod lanes;
mod logic;
mod matrix;
mod memory;
mod uniform;
