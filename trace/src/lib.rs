// SPDX-License-Identifier: Apache-2.0
//! Instruction streams: types, Accel-Sim reader and writer, reuse distances.
//!
//! A [`Workload`] is a program run: copies and [`Kernel`]s in order. It comes from an Accel-Sim
//! trace ([`open()`]) or from a program that builds it in memory ([`Kernel::in_memory`]), and it can
//! be written as a trace ([`write()`]). A kernel is read one [`ThreadBlock`] at a time through a
//! [`KernelReader`], which also holds the [`Program`]: every place in the machine code once, its
//! operands decoded and widened to all registers read and written. A [`DynamicInstruction`] is
//! then a few bytes: which place, which lanes, which addresses, which operands are near.
//!
//! ```
//! use gpurf_trace::{
//!     Command, Instruction, Kernel, KernelHeader, Program, Register, RegisterId, ThreadBlock, Workload,
//! };
//!
//! let mut program = Program::default();
//! let load = program.intern(&Instruction {
//!     pc: 0,
//!     opcode: "LDG.E.64.SYS",
//!     destination: Some(Register::vector(2)),
//!     sources: &[Register::vector(4)],
//!     width: 8,
//!     immediates: [0, 0],
//! })?;
//! assert_eq!(program[load].destinations[..], [2, 3].map(RegisterId));
//! assert_eq!(program[load].sources[..], [4, 5].map(RegisterId));
//!
//! let mut block = ThreadBlock::new([0, 0, 0]);
//! block.begin_warp(0);
//! block.push(load, 0b11, &[0x1000, 0x1008]);
//!
//! let header = KernelHeader { name: "k".into(), grid: [1; 3], block: [32, 1, 1], ..Default::default() };
//! let kernel = Kernel::in_memory(header, program, vec![block]);
//! let workload = Workload { name: "w".into(), commands: vec![Command::Kernel(kernel)] };
//! for kernel in workload.kernels() {
//!     let mut reader = kernel.open()?;
//!     while let Some(block) = reader.next_block()? {
//!         assert_eq!(block.instruction_count(), 1);
//!     }
//! }
//! # Ok::<(), gpurf_trace::Error>(())
//! ```

#![warn(missing_docs)]

mod analysis;
mod block;
mod control;
mod control_bits;
mod decoder;
mod dependence_limit;
mod error;
mod fields;
mod grid;
mod grouped;
mod gzip;
mod header;
mod intervals;
mod kernel;
mod lines;
pub mod liveness;
mod named;
mod notes;
mod opcode;
mod open;
mod program;
mod raw;
mod registers;
pub mod reuse;
mod rule;
mod trace_file;
mod tracez;
mod widen;
mod writer;

pub use block::{Addresses, DynamicInstruction, Lanes, Operands, ThreadBlock, Warp, WARP_SIZE};
pub use control::Control;
pub use control_bits::{ControlBits, ListedControl};
pub use dependence_limit::DependenceLimit;
pub use error::{Error, Result};
pub use intervals::Intervals;
pub use kernel::{BlockSource, Command, Kernel, KernelHeader, KernelReader, Workload, MOST_SHARED_MEMORY};
pub use liveness::Liveness;
pub use opcode::{Memory, MemoryAccess, MemorySpace, OpcodeError, Unit};
pub use open::{files, open, open_with};
pub use program::{ExactOperands, Instruction, Program, StaticInstruction};
pub use registers::{Positions, Register, RegisterId, RegisterSet, Registers};
pub use reuse::{Reuse, ReuseMode};
pub use writer::{write, write_up_to};
