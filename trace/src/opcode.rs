// SPDX-License-Identifier: Apache-2.0
//! The opcode table: which execution unit an instruction uses, what memory it touches, and how
//! its operands widen.
//!
//! It covers the base opcodes (the part before the first dot) of NVIDIA's published instruction
//! set tables for Maxwell, Pascal, Volta, Turing, Ampere, Ada, Hopper and Blackwell, and a few unpublished
//! ones that compilers emit. A base opcode outside it is an error: guessing its operands would silently
//! falsify every register-file count.
//!
//! **Units.** Integer, FP32 (with FP16, which shares its data path), FP64, tensor and uniform
//! follow the names. Three choices are ours:
//! - The special-function unit also converts between number formats (`F2F F2I I2F FRND`) and
//!   counts bits (`POPC FLO BREV`): CUDA's throughput table gives them its rate, 16 lanes a cycle.
//!   The packed conversions (`F2FP I2FP ..`) run at integer rate.
//! - `Branch` is the whole control path: jumps, convergence barriers, `BAR`, fences, waits and
//!   hints. None of them touches data memory in this model.
//! - `SHFL`, `S2R`, `VOTE` and their like are `Int`, as in Accel-Sim's public opcode maps.
//!
//! **Memory.** An instruction has [`Memory`] exactly when its unit is [`Unit::LoadStore`]. Textures
//! and surfaces count as global memory; the tracer gives no addresses for them, nor for `LDC`.
//! Blackwell's tensor memory is none of these spaces: what moves data there is the tensor unit's.

use crate::rule::Rule;

/// The execution unit an instruction is issued to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Unit {
    /// Integer arithmetic, logic, moves.
    Int = 0,
    /// Single and half precision.
    Fp32 = 1,
    /// Double precision.
    Fp64 = 2,
    /// Special functions, conversions, bit counts.
    Sfu = 3,
    /// Matrix multiply-accumulate.
    Tensor = 4,
    /// Everything with [`Memory`].
    LoadStore = 5,
    /// Control flow, barriers, fences.
    Branch = 6,
    /// The uniform datapath.
    Uniform = 7,
}

impl Unit {
    /// All units, in the order of their numbers.
    pub const ALL: [Unit; 8] = [
        Unit::Int,
        Unit::Fp32,
        Unit::Fp64,
        Unit::Sfu,
        Unit::Tensor,
        Unit::LoadStore,
        Unit::Branch,
        Unit::Uniform,
    ];
}

/// The memory space an instruction addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemorySpace {
    /// The device's memory.
    Global,
    /// A thread block's scratchpad.
    Shared,
    /// A thread's own, in the device's memory.
    Local,
    /// Constants of a launch.
    Constant,
    /// Generic addresses: [`KernelHeader::space_of`](crate::KernelHeader::space_of) tells each one's space.
    Generic,
}

/// The effect of an instruction on memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum MemoryAccess {
    /// Registers are written from memory.
    Load,
    /// Memory is written from registers.
    Store,
    /// Memory is read, changed and written at once.
    Atomic,
}

/// Space and access of a memory instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Memory {
    /// Which memory.
    pub space: MemorySpace,
    /// The effect on that memory.
    pub access: MemoryAccess,
}

/// An opcode that cannot be turned into register operands.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
// The message of a variant says what it is, and what its fields are.
#[allow(missing_docs)]
pub enum OpcodeError {
    #[error(
        "unknown opcode `{opcode}`: which registers it uses cannot be told; leave its kernel out of the list"
    )]
    Unknown { opcode: String },

    #[error(
        "`{opcode}` has no known matrix shape: which registers it uses cannot be told; leave its kernel out of the list"
    )]
    Shape { opcode: String },
}

/// An entry of the table, for a base opcode.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub unit: Unit,
    pub rule: Rule,
    pub memory: Option<Memory>,
}

/// A SASS opcode such as `LDG.E.64.SYS`: base, then modifiers.
#[derive(Clone, Copy)]
pub(crate) struct Opcode<'a>(pub &'a str);

impl<'a> Opcode<'a> {
    pub fn base(self) -> &'a str {
        self.0.split('.').next().unwrap_or_default()
    }

    pub fn modifiers(self) -> impl Iterator<Item = &'a str> {
        self.0.split('.').skip(1)
    }

    pub fn has(self, modifier: &str) -> bool {
        self.modifiers().any(|found| found == modifier)
    }

    pub fn has_any(self, modifiers: &[&str]) -> bool {
        self.modifiers().any(|found| modifiers.contains(&found))
    }

    pub fn entry(self) -> Result<Entry, OpcodeError> {
        let base = self.base();
        let row = TABLE.iter().find(|row| row.0.split_ascii_whitespace().any(|name| name == base));
        match row {
            Some(&(_, unit, rule, memory)) => Ok(Entry { unit, rule, memory }),
            None => Err(OpcodeError::Unknown { opcode: self.0.into() }),
        }
    }
}

type Row = (&'static str, Unit, Rule, Option<Memory>);

const fn memory(space: MemorySpace, access: MemoryAccess) -> Option<Memory> {
    Some(Memory { space, access })
}

use borsh::{BorshDeserialize, BorshSerialize};
use MemoryAccess::{Atomic, Load, Store};
use MemorySpace::{Constant, Generic, Global, Local, Shared};

/// Base opcodes, unit, operand rule, memory.
#[rustfmt::skip]
const TABLE: &[Row] = &[
    // Single precision.
    ("FADD FADD32I FCHK FFMA FFMA32I FMNMX FMNMX3 FMUL FMUL32I FSEL FSET FSETP FSWZADD \
      FCMP FHADD FHFMA FSWZ",
        Unit::Fp32, Rule::Single, None),
    // Two values, in a register pair.
    ("FADD2 FFMA2 FMUL2",
        Unit::Fp32, Rule::Pairs, None),
    // Half precision: two values to a register. `HFMA2.MMA` is an FMA-pipe variant, no matrix.
    ("HADD2 HADD2_32 HADD2_32I HFMA2 HFMA2_32 HFMA2_32I HMNMX2 HMUL2 HMUL2_32 HMUL2_32I HSET2 HSETP2 VHMNMX",
        Unit::Fp32, Rule::Single, None),
    // Double precision: every operand is a register pair.
    ("DADD DFMA DMNMX DMUL DSETP",
        Unit::Fp64, Rule::Pairs, None),
    ("DSET",
        Unit::Fp64, Rule::PairSources, None),
    // Special functions. `MUFU.RCP64H` and `RSQ64H` work on the upper word alone.
    ("MUFU FLO POPC BREV RRO",
        Unit::Sfu, Rule::Single, None),
    ("F2F F2I I2F I2I FRND",
        Unit::Sfu, Rule::Conversion, None),
    // Matrices.
    ("HMMA IMMA BMMA DMMA QMMA OMMA",
        Unit::Tensor, Rule::Matrix, None),
    ("HGMMA IGMMA BGMMA QGMMA",
        Unit::Tensor, Rule::WarpgroupMatrix, None),
    // Blackwell's tensor memory: to registers and from them.
    ("LDT LDTM",
        Unit::Tensor, Rule::LoadTensor, None),
    ("STT STTM",
        Unit::Tensor, Rule::StoreTensor, None),
    // Integer.
    ("BMSK IABS IADD IADD3 IADD32I IDP IDP4A IMNMX IMUL32I ISCADD ISCADD32I ISET ISETP LEA LOP LOP32I \
      SGXT SHF SHL SHR VABSDIFF VABSDIFF4 VIADD VIADDMNMX VIMNMX VIMNMX3 \
      BFE BFI ICMP IMADSP ISAD ISUB VADD VMAD VMNMX VSET VSETP VSHL VSHR XMAD",
        Unit::Int, Rule::Single, None),
    ("IMAD IMUL",
        Unit::Int, Rule::Multiply, None),
    // Packed conversions.
    ("F2FP F2IP I2FP I2IP",
        Unit::Int, Rule::Single, None),
    // Moves, predicates, lanes, special registers.
    ("MOV MOV32I MOVM PRMT SEL PLOP3 PSETP P2R R2P VOTE B2R S2R CSMTEST CSET CSETP PSET",
        Unit::Int, Rule::Single, None),
    ("LOP3 SHFL",
        Unit::Int, Rule::PredicateFirst, None),
    ("MATCH",
        Unit::Int, Rule::Match, None),
    ("QSPC",
        Unit::Int, Rule::AddressQuery, None),
    ("CS2R",
        Unit::Int, Rule::ClockRead, None),
    ("LEPC GETLMEMBASE",
        Unit::Int, Rule::PairDestination, None),
    // Loads.
    ("LDG LDGMC",
        Unit::LoadStore, Rule::Load, memory(Global, Load)),
    ("LD",
        Unit::LoadStore, Rule::Load, memory(Generic, Load)),
    ("LDS",
        Unit::LoadStore, Rule::Load, memory(Shared, Load)),
    ("LDL",
        Unit::LoadStore, Rule::Load, memory(Local, Load)),
    ("LDC",
        Unit::LoadStore, Rule::Load, memory(Constant, Load)),
    ("LDSM",
        Unit::LoadStore, Rule::LoadMatrices, memory(Shared, Load)),
    ("LDGSTS",
        Unit::LoadStore, Rule::CopyToShared, memory(Global, Load)),
    // Stores.
    ("STG",
        Unit::LoadStore, Rule::Store, memory(Global, Store)),
    ("ST",
        Unit::LoadStore, Rule::Store, memory(Generic, Store)),
    ("STS STAS",
        Unit::LoadStore, Rule::Store, memory(Shared, Store)),
    ("STL",
        Unit::LoadStore, Rule::Store, memory(Local, Store)),
    ("STSM",
        Unit::LoadStore, Rule::StoreMatrices, memory(Shared, Store)),
    // Atomics. A reduction is an atomic that returns nothing.
    ("ATOMG",
        Unit::LoadStore, Rule::Atomic, memory(Global, Atomic)),
    ("ATOM",
        Unit::LoadStore, Rule::Atomic, memory(Generic, Atomic)),
    ("RED REDG",
        Unit::LoadStore, Rule::Reduction, memory(Global, Atomic)),
    ("ATOMS REDAS REDS SYNCS",
        Unit::LoadStore, Rule::Reduction, memory(Shared, Atomic)),
    // Textures and surfaces: the component mask is not in a trace, so nothing is widened.
    ("TEX TLD TLD4 TMML TXD TXQ SULD SUQUERY",
        Unit::LoadStore, Rule::Single, memory(Global, Load)),
    ("TEXS TLDS TLD4S",
        Unit::LoadStore, Rule::TwoDestinations, memory(Global, Load)),
    ("SUST",
        Unit::LoadStore, Rule::Single, memory(Global, Store)),
    ("SUATOM SURED",
        Unit::LoadStore, Rule::Single, memory(Global, Atomic)),
    // Control flow.
    ("BRA BREAK BSSY BSYNC BPT EXIT JMP KILL RTT YIELD ELECT ENDCOLLECTIVE PREEXIT BRXU JMXU BMOV RPCMOV \
      BRK CAL CONT JCAL LONGJMP PBK PCNT PEXIT PLONGJMP PRET RAM SAM SSY SYNC",
        Unit::Branch, Rule::Single, None),
    ("BRX JMX CALL RET SETLMEMBASE",
        Unit::Branch, Rule::ReadPair, None),
    ("WARPSYNC NANOSLEEP BAR SETCTAID R2B",
        Unit::Branch, Rule::Read, None),
    // Fences, waits, hints, cache control.
    ("ACQBULK ACQSHMINIT ARRIVES CGAERRBAR DEPBAR ERRBAR FENCE LDGDEPBAR MEMBAR NOP PMTRIG UCGABAR_ARV UCGABAR_WAIT \
      USETMAXREG VOTE_VTG WARPGROUP WARPGROUPSET",
        Unit::Branch, Rule::Single, None),
    ("CCTL CCTLL CCTLT",
        Unit::Branch, Rule::Addresses, None),
    // Uniform datapath, with its bridges from vector registers and its bulk copies.
    ("R2UR REDUX CREDUX S2UR CS2UR",
        Unit::Uniform, Rule::Single, None),
    ("UBMSK UBREV UCLEA UF2FP UFLO UIADD3 UIMAD UIMNMX UISETP ULDC ULEA ULEPC ULOP ULOP3 ULOP32I UMOV UP2UR \
      UPLOP3 UPOPC UPRMT UPSETP UR2UP USEL USGXT USHF USHL USHR UVIMNMX VOTEU \
      LDCU MOV64IUR UF2F UF2I UF2IP UFADD UFFMA UFMNMX UFMUL UFRND UFSEL UFSET UFSETP UGETNEXTWORKID UI2F UI2FP \
      UI2I UI2IP UIABS UMEMSETS UMOV32I UREDGR USETSHMSZ USTGR UVIADD UVIMNMX3 UVIRTCOUNT",
        Unit::Uniform, Rule::Single, None),
    ("UTCATOMSWS UTCBAR UTCCP UTCHMMA UTCIMMA UTCMXQMMA UTCOMMA UTCQMMA UTCSHIFT",
        Unit::Uniform, Rule::Single, None),
    ("UBLKCP UBLKPF UBLKRED UTMACCTL UTMACMDFLUSH UTMALDG UTMAPF UTMAREDG UTMASTG",
        Unit::Uniform, Rule::Single, None),
];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn each_base_opcode_stands_once_and_memory_means_load_store() {
        let mut seen = HashSet::new();
        for (names, unit, _, memory) in TABLE {
            assert_eq!(*unit == Unit::LoadStore, memory.is_some(), "{names}");
            for name in names.split_ascii_whitespace() {
                assert!(seen.insert(name), "{name} stands twice");
            }
        }
    }

    #[test]
    fn units_are_numbered_in_order() {
        for (number, unit) in Unit::ALL.into_iter().enumerate() {
            assert_eq!(unit as usize, number);
        }
    }

    #[test]
    fn an_unknown_opcode_is_named() {
        let error = Opcode("FROB.WIDE").entry().unwrap_err();
        assert!(error.to_string().contains("`FROB.WIDE`"), "{error}");
    }
}
