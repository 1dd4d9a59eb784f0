// SPDX-License-Identifier: Apache-2.0
//! A kernel ready to execute.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use gpurf_trace::{Liveness, Program};

use super::arithmetic::Widening;
use super::decode;
use super::intern::intern;
use super::operation::{Control, Decoded, Operation};
use crate::error::{readable, Cause, Error, FaultPlace, Result};
use crate::listing::{Instruction, Kernel, Module, Operand};

pub(crate) struct Code {
    pub kernel: Kernel,
    pub decoded: Vec<Decoded>,
    /// All instructions of the kernel, in address order.
    pub program: Program,
    /// True if its blocks can see each other's writes, so that their order matters.
    pub serial: bool,
    /// Found when first asked for.
    pub live: OnceLock<Arc<Liveness>>,
}

impl Code {
    /// # Errors
    /// An instruction that the emulator does not know.
    pub fn new(kernel: &Kernel, widening: Widening, place: &dyn Fn(&str) -> u64) -> Result<Code> {
        let mut program = Program::default();
        let mut decoded = Vec::with_capacity(kernel.instructions.len());
        for instruction in &kernel.instructions {
            let instruction = &placed(instruction, place);
            let fault = |message| Error::Fault {
                place: FaultPlace {
                    kernel: kernel.name.clone(),
                    pc: instruction.pc,
                    instruction: instruction.text.clone(),
                    block: None,
                    warp: None,
                    lane: None,
                },
                message,
                cause: Cause::Unknown,
            };
            let decoding = decode::decode(instruction, kernel.registers, widening).map_err(fault)?;
            intern(&mut program, instruction, &decoding).map_err(|error| fault(error.to_string()))?;
            decoded.push(decoding.decoded);
        }
        let serial = decoded.iter().any(|decoded| match &decoded.operation {
            Operation::Access(access) => access.crosses_blocks(),
            // It may allocate memory.
            Operation::Control(Control::CallAbsolute { .. } | Control::CallLibrary { .. }) => true,
            _ => false,
        });
        let kernel = kernel.clone();
        Ok(Code { kernel, decoded, program, serial, live: OnceLock::new() })
    }
}

/// An instruction with halves of addresses instead of the names they are of.
fn placed<'a>(instruction: &'a Instruction, place: &dyn Fn(&str) -> u64) -> Cow<'a, Instruction> {
    if !instruction.operands.iter().any(|operand| matches!(operand, Operand::Half { .. })) {
        return Cow::Borrowed(instruction);
    }
    let mut placed = instruction.clone();
    for operand in &mut placed.operands {
        if let Operand::Half { symbol, addend, upper } = operand {
            let address = place(symbol).wrapping_add(*addend);
            *operand = Operand::Integer(if *upper { address >> 32 } else { address & 0xffff_ffff } as i64);
        }
    }
    Cow::Owned(placed)
}

impl Module {
    /// Returns an error unless a kernel of it can be executed.
    ///
    /// # Errors
    /// The line or the instruction that is not understood.
    pub fn check(&self, kernel: &Kernel) -> Result<()> {
        if let Some((line, message)) = &kernel.defect {
            let message = format!("kernel {}: {message}", readable(&kernel.name));
            return Err(Error::Listing { file: self.file.clone(), line: *line, message });
        }
        Code::new(kernel, Widening::default(), &|_| 0).map(|_| ())
    }
}
