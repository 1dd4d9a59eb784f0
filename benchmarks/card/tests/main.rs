// SPDX-License-Identifier: Apache-2.0
//! Windows as machine code, beside what NVIDIA's compiler and disassembler make of the same instructions.

mod disassembled;
mod listings;
