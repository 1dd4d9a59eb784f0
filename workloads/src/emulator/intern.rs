// SPDX-License-Identifier: Apache-2.0
//! Instructions of a listing as a tracer would name them.

use gpurf_trace::{Control, DependenceLimit, ExactOperands, OpcodeError, Program};

use super::decode::Decoding;
use super::operation::Operation;
use crate::listing::{Address, Constant, Instruction, Operand, RegisterFile};

/// Adds an instruction of a listing to a program, as a tracer would name it, with the registers it
/// really reads and writes.
pub(super) fn intern(
    program: &mut Program,
    instruction: &Instruction,
    decoding: &Decoding,
) -> Result<u32, OpcodeError> {
    // A tracer takes the first operand, if it is a register, for the destination, and registers after
    // it and in addresses for sources. Uniform registers it leaves out.
    let mut destination = None;
    let mut sources = Vec::new();
    let (mut immediate, mut constant) = (0, None);
    for (position, operand) in instruction.operands.iter().enumerate() {
        match operand {
            Operand::Register(register) if register.file == RegisterFile::Vector => {
                let register = gpurf_trace::Register::vector(register.index);
                if position == 0 {
                    destination = Some(register)
                } else {
                    sources.push(register)
                }
            }
            Operand::Memory(address) => sources.extend(address.register.map(gpurf_trace::Register::vector)),
            Operand::Constant(named) => {
                sources.extend(named.address.register.map(gpurf_trace::Register::vector));
                constant = constant.or_else(|| place_of(named));
            }
            Operand::Integer(value) => immediate = *value,
            _ => {}
        }
    }
    let width = match &decoding.decoded.operation {
        Operation::Access(access) => access.traced_bytes(),
        _ => 0,
    };
    let named = gpurf_trace::Instruction {
        pc: instruction.pc,
        opcode: &instruction.opcode,
        destination,
        sources: &sources,
        width,
        immediates: [immediate, 0],
    };
    let exact = ExactOperands {
        destinations: decoding.destinations.clone(),
        sources: decoding.sources.clone(),
        slots: decoding.slots.clone(),
        control: match instruction.control.is_known() {
            true => instruction.control,
            false => Control::of_reuse(decoding.reuse),
        },
        limit: DependenceLimit::of_code(&instruction.text),
        constant,
    };
    program.intern_exact(&named, exact)
}

/// Where a constant lies, if that is no register's: see [`gpurf_trace::StaticInstruction::constant`].
fn place_of(constant: &Constant) -> Option<u32> {
    let Address { register, uniform, offset, .. } = constant.address;
    let offset = u16::try_from(offset).ok().filter(|_| register.is_none() && uniform.is_none());
    offset.map(|offset| u32::from(constant.bank) << 16 | u32::from(offset))
}
