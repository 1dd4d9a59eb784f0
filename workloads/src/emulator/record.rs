//! What a block executed, as an instruction stream.

use gpurf_trace::{ExactOperands, OpcodeError, Program, ThreadBlock};

use super::access::Touched;
use super::decode::Decoding;
use super::operation::Operation;
use super::Code;
use crate::listing::{Instruction, Operand, RegisterFile};

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
    let mut immediate = 0;
    for (position, operand) in instruction.operands.iter().enumerate() {
        match operand {
            Operand::Register(register) if register.file == RegisterFile::Vector => {
                let register = gpurf_trace::Register::Vector(register.index);
                if position == 0 {
                    destination = Some(register)
                } else {
                    sources.push(register)
                }
            }
            Operand::Memory(address) => sources.extend(address.register.map(gpurf_trace::Register::Vector)),
            Operand::Constant(constant) => {
                sources.extend(constant.address.register.map(gpurf_trace::Register::Vector));
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
        reuse: decoding.reuse,
        reuse_slots: instruction.reuse_slots,
    };
    program.intern_exact(&named, exact)
}

/// Collects what the warps of a block execute.
pub(super) struct Recorder {
    warps: Vec<Recording>,
}

#[derive(Default)]
struct Recording {
    /// Instruction, lanes, number of addresses, digest.
    instructions: Vec<(u32, u32, u8, Option<u64>)>,
    addresses: Vec<u64>,
}

impl Recorder {
    pub fn new(warps: usize) -> Recorder {
        Recorder { warps: (0..warps).map(|_| Recording::default()).collect() }
    }

    #[inline]
    pub fn push(&mut self, warp: usize, index: u32, mask: u32, touched: &Touched) {
        let recording = &mut self.warps[warp];
        recording.instructions.push((index, mask, touched.count as u8, touched.digest));
        recording.addresses.extend_from_slice(&touched.addresses[..touched.count]);
    }

    pub fn finish(self, id: [u32; 3], code: &Code) -> ThreadBlock {
        let mut block = ThreadBlock::new(id);
        for (number, recording) in self.warps.into_iter().enumerate() {
            block.begin_warp(number as u32);
            let mut rest = &recording.addresses[..];
            for (index, mask, count, digest) in recording.instructions {
                let (addresses, after) = rest.split_at(count.into());
                rest = after;
                debug_assert!(count == 0 || code.program[index].width != 0);
                match digest {
                    Some(digest) => block.push_digested(index, mask, addresses, digest),
                    None => block.push(index, mask, addresses),
                }
            }
        }
        block
    }
}
