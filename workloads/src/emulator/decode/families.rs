// SPDX-License-Identifier: Apache-2.0
//! Turing's opcodes that are executed, by the function that decodes them.

use super::Decoder;
use crate::emulator::operation::{Access, Operation};

/// Makes an operation of an instruction, whose opcode up to the first dot is given.
type Decode = fn(&mut Decoder, &str) -> Result<Operation, String>;

/// A decoder of alike opcodes.
pub(crate) struct FamilyDecoder {
    pub name: &'static str,
    pub opcodes: &'static [&'static str],
    decode: Decode,
}

#[rustfmt::skip]
pub(crate) const FAMILIES: &[FamilyDecoder] = &[
    FamilyDecoder {
        name: "moves and logic",
        opcodes: &["MOV", "SEL", "FSEL", "PRMT", "LOP3", "PLOP3", "P2R", "R2P", "S2R", "CS2R", "LEPC", "MOVM"],
        decode: |decoder, base| decoder.moves(base).map(Operation::Compute),
    },
    FamilyDecoder {
        name: "integers",
        opcodes: &[
            "IADD3", "IADD", "IMAD", "IMUL", "ISETP", "IMNMX", "IABS", "LEA", "SHF", "FLO", "POPC", "BREV", "BMSK",
            "SGXT", "IDP", "VABSDIFF", "VABSDIFF4", "I2I", "I2IP",
        ],
        decode: |decoder, base| decoder.integer(base).map(Operation::Compute),
    },
    FamilyDecoder {
        name: "single and double precision",
        opcodes: &[
            "FADD", "FMUL", "FFMA", "FSETP", "FSET", "FMNMX", "FCHK", "MUFU", "DADD", "DMUL", "DFMA", "DSETP",
        ],
        decode: |decoder, base| decoder.float(base).map(Operation::Compute),
    },
    FamilyDecoder {
        name: "half precision",
        opcodes: &["HADD2", "HMUL2", "HFMA2", "HSETP2", "HSET2"],
        decode: |decoder, base| decoder.half(base).map(Operation::Compute),
    },
    FamilyDecoder {
        name: "tensor cores",
        opcodes: &["HMMA", "IMMA", "BMMA"],
        decode: |decoder, base| decoder.matrix(base).map(Operation::Compute),
    },
    FamilyDecoder {
        name: "conversions",
        opcodes: &["F2F", "F2I", "I2F", "FRND"],
        decode: |decoder, base| decoder.convert(base).map(Operation::Compute),
    },
    FamilyDecoder {
        name: "uniform",
        opcodes: &[
            "UIADD3", "UIMAD", "UISETP", "ULEA", "ULOP3", "UMOV", "USEL", "USHF", "UPLOP3", "UPRMT", "UFLO",
            "UPOPC", "UBREV", "USGXT", "UBMSK", "UP2UR", "UR2UP",
        ],
        // The uniform datapath does what the vector datapath does, once per warp.
        decode: |decoder, base| match base {
            "UP2UR" => operation(decoder, "P2R"),
            "UR2UP" => operation(decoder, "R2P"),
            _ => operation(decoder, &base[1..]),
        },
    },
    FamilyDecoder {
        name: "between uniform and vector",
        opcodes: &["ULDC", "R2UR", "S2UR"],
        decode: |decoder, base| match decoder.indexed_constant() {
            true => decoder.load_constant().map(Operation::Access),
            false => decoder.moves(base).map(Operation::Compute),
        },
    },
    FamilyDecoder {
        name: "between lanes",
        opcodes: &["SHFL", "VOTE", "VOTEU", "MATCH"],
        decode: |decoder, base| decoder.cross_lane(base).map(Operation::Compute),
    },
    FamilyDecoder {
        name: "memory",
        opcodes: &[
            "LDG", "STG", "LDS", "STS", "LDL", "STL", "LD", "ST", "LDC", "LDSM", "ATOMG", "ATOMS", "ATOM", "RED", "QSPC",
        ],
        decode: |decoder, base| decoder.access(base).map(Operation::Access),
    },
    FamilyDecoder {
        name: "textures",
        opcodes: &["TEX", "TLD", "TLD4", "TXD", "TXQ"],
        decode: |decoder, _| decoder.texture().map(|texture| Operation::Access(Access::Texture(texture))),
    },
    FamilyDecoder {
        name: "surfaces",
        opcodes: &["SULD", "SUST", "SURED", "SUATOM"],
        decode: |decoder, _| decoder.surface().map(|surface| Operation::Access(Access::Surface(surface))),
    },
    FamilyDecoder {
        name: "control",
        opcodes: &[
            "BRA", "BRX", "CALL", "RET", "EXIT", "BSSY", "BSYNC", "BREAK", "BMOV", "WARPSYNC", "BAR", "B2R",
            "NANOSLEEP",
        ],
        decode: |decoder, base| decoder.control(base).map(Operation::Control),
    },
    FamilyDecoder {
        name: "traps",
        opcodes: &["BPT", "KILL"],
        decode: |decoder, _| Ok(Operation::Control(decoder.trap())),
    },
    FamilyDecoder {
        name: "without effect here",
        opcodes: &["NOP", "DEPBAR", "MEMBAR", "ERRBAR", "CCTL", "YIELD", "PMTRIG"],
        decode: |decoder, _| decoder.nothing().map(Operation::Control),
    },
];

/// The operation of an instruction with this opcode.
pub(super) fn operation(decoder: &mut Decoder, base: &str) -> Result<Operation, String> {
    match FAMILIES.iter().find(|family| family.opcodes.contains(&base)) {
        Some(family) => (family.decode)(decoder, base),
        None => Err(format!(
            "opcode `{}` is not known to the emulator; what it executes is listed in docs/emulator.md",
            decoder.instruction.opcode
        )),
    }
}
