// SPDX-License-Identifier: Apache-2.0
//! The registers that an instruction reads and writes, as the rules count them.

use std::collections::BTreeSet;

use gpurf_trace::{Register, StaticInstruction};

use super::rules::Rules;

/// The tag of a free way, beyond all registers. RFC-sim widens RZ into it.
pub(super) const EMPTY: u16 = 256;
const RZ: u16 = 255;

/// Base opcodes of real instructions that RFC-sim's table does not have.
const UNKNOWN_TO_RFC_SIM: &str = "ACQBULK ARRIVES BGMMA CGAERRBAR CS2UR DMMA ELECT ENDCOLLECTIVE F2FP F2IP FENCE FMNMX3 \
    HGMMA HMNMX2 I2FP IGMMA ISET LDGDEPBAR LDGSTS PREEXIT QGMMA QMMA REDAS REDG REDUX SHL STAS STSM SUQUERY SYNCS \
    UBLKCP UBLKPF UBLKRED UCGABAR_ARV UCGABAR_WAIT UF2FP UIMNMX ULEPC USETMAXREG UTMACCTL UTMACMDFLUSH UTMALDG UTMAPF \
    UTMAREDG UTMASTG UVIMNMX VHMNMX VIADD VIADDMNMX VIMNMX VIMNMX3 WARPGROUP WARPGROUPSET";

/// A register that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its number.
    pub register: u16,
    /// Number of its operand among the sources that a trace lists.
    pub position: u8,
    /// The compiler's reuse flag.
    pub flagged: bool,
}

/// The registers of an instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstructionRegisters {
    /// Registers that it reads.
    pub sources: Vec<Source>,
    /// Registers that it writes.
    pub destinations: Vec<u16>,
    /// It is passed over altogether.
    pub skipped: bool,
}

impl InstructionRegisters {
    /// The operands of an instruction. `positions`, where a file gives them, are its flagged source operands,
    /// one bit each.
    pub fn new(place: &StaticInstruction, rules: &Rules, positions: Option<u8>) -> InstructionRegisters {
        if rules.long_lines_skipped && place.pc >= 0x10000 {
            return InstructionRegisters { skipped: true, ..InstructionRegisters::default() };
        }
        let (named, destinations) = match rules.operands_named_once {
            true => named_once(place),
            false => all_registers(place, rules.zero_register_counts),
        };
        let mut operands = InstructionRegisters { destinations, ..InstructionRegisters::default() };
        let mut seen = BTreeSet::new();
        for (register, position) in named {
            if rules.repetitions_count || seen.insert(register) {
                let flagged = is_flagged(place, rules, positions, register, position);
                operands.sources.push(Source { register, position, flagged });
            }
        }
        if !rules.zero_register_counts {
            operands.sources.retain(|source| source.register < RZ);
            operands.destinations.retain(|&register| register < RZ);
        }
        operands
    }

    /// Returns true if the instruction names this register.
    pub fn name(&self, register: u16) -> bool {
        self.destinations.contains(&register) || self.sources.iter().any(|source| source.register == register)
    }
}

fn is_flagged(
    place: &StaticInstruction,
    rules: &Rules,
    positions: Option<u8>,
    register: u16,
    position: u8,
) -> bool {
    let bit = |bits: u32| position < 32 && bits >> position & 1 == 1;
    match positions {
        Some(positions) => bit(positions.into()),
        None if rules.flags_by_slot => bit(place.control.reuse().into()),
        None => {
            let index = place.sources.iter().position(|known| u16::from(known.0) == register);
            index.is_some_and(|index| place.is_reused(index))
        }
    }
}

/// Number of each vector register, RZ included, and its place among them.
fn vectors(place: &StaticInstruction) -> Vec<u16> {
    let number = |register: &Register| match register {
        Register::Vector(id) => Some(u16::from(id.0)),
        Register::Uniform(_) => None,
    };
    place.named_sources.iter().filter_map(number).collect()
}

/// One register for each operand that the trace names, and the fragments that RFC-sim gives matrix
/// instructions of any shape: HMMA 2, 1 and 4 registers, and 4 written; IMMA 1, 1 and 2, and 2 written.
fn named_once(place: &StaticInstruction) -> (Vec<(u16, u8)>, Vec<u16>) {
    let named = vectors(place);
    let destination = match place.named_destination {
        Some(Register::Vector(id)) => Some(u16::from(id.0)),
        _ => None,
    };
    let fragments: Option<[u16; 4]> = match place.base() {
        "HMMA" => Some([2, 1, 4, 4]),
        "IMMA" => Some([1, 1, 2, 2]),
        _ => None,
    };
    // RFC-sim takes the fourth register for the result, which it is where three are read.
    let registers: Vec<u16> = named.iter().copied().chain(destination).collect();
    match (fragments, &registers[..], destination) {
        (Some([a, b, c, d]), &[first_a, first_b, first_c, first_d, ..], Some(_)) => {
            let operand = |first: u16, count: u16, position| {
                (first..first + count).map(move |number| (number, position))
            };
            let sources = operand(first_a, a, 0).chain(operand(first_b, b, 1)).chain(operand(first_c, c, 2));
            (sources.collect(), (first_d..first_d + d).collect())
        }
        _ => (named.into_iter().zip(0..).collect(), destination.into_iter().collect()),
    }
}

/// All registers of every operand. A repeated operand repeats its registers.
fn all_registers(place: &StaticInstruction, zero_register: bool) -> (Vec<(u16, u8)>, Vec<u16>) {
    let mut sources: Vec<(u16, u8)> =
        place.sources.iter().map(|id| id.0.into()).zip(place.positions.iter().copied()).collect();
    let first_time = sources.clone();
    // Where the trace lists the destination first among the sources, operands count from behind it.
    let shift = usize::from(place.named_destination.is_none() && !place.destinations.is_empty());
    let named = place.named_sources.get(shift..).unwrap_or_default();
    for (position, register) in named.iter().enumerate() {
        match named[..position].iter().position(|earlier| earlier == register) {
            _ if *register == Register::RZ && zero_register => sources.push((RZ, position as u8)),
            _ if *register == Register::RZ => {}
            Some(earlier) => {
                let again = first_time.iter().filter(|(_, of)| usize::from(*of) == earlier);
                sources.extend(again.map(|&(number, _)| (number, position as u8)));
            }
            None => {}
        }
    }
    sources.sort_by_key(|&(_, position)| position);
    let mut destinations: Vec<u16> = place.destinations.iter().map(|id| id.0.into()).collect();
    if place.named_destination == Some(Register::RZ) && zero_register {
        destinations.push(RZ);
    }
    (sources, destinations)
}

/// Why RFC-sim would end at this instruction, and what is done instead.
pub(super) fn objection(
    place: &StaticInstruction,
    operands: &InstructionRegisters,
    flags_matter: bool,
) -> Option<String> {
    let base = place.base();
    let matrix = matches!(base, "HMMA" | "IMMA") && place.named_destination.is_some();
    if operands.skipped {
        None
    } else if UNKNOWN_TO_RFC_SIM.split_ascii_whitespace().any(|unknown| unknown == base) {
        Some(format!("its table has no opcode {base}; counted as any other instruction"))
    } else if matches!(place.named_destination, Some(Register::Uniform(_))) {
        Some(format!("it cannot read the uniform destination of {base}; counted without it"))
    } else if matrix && vectors(place).len() < 3 {
        Some(format!("it wants three source registers of {base}; counted as they stand"))
    } else if operands.destinations.iter().any(|&register| register >= EMPTY) {
        Some(format!(
            "it widens a destination of {base} beyond R255, which leaves its cache unless mapping \
                      interleaves; counted in the last set"
        ))
    } else if flags_matter && operands.sources.iter().any(|source| source.position > 3) {
        Some(format!("it has no reuse flag for the fifth source of {base}; counted as not flagged"))
    } else {
        None
    }
}
