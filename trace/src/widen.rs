// SPDX-License-Identifier: Apache-2.0
//! From the registers a trace names to the registers an instruction reads and writes.
//!
//! A tracer names only the first register of each operand, in the order of the machine code, and
//! leaves constants, immediates and predicates out: neither widths nor operand positions are in
//! the trace. Each opcode's [`Rule`] gives them back. Where a position stays ambiguous the rule
//! states its choice. `RZ` is never widened and never reported; uniform registers keep their
//! place in the named list but take no vector register.
//!
//! Multi-register operands are aligned on real hardware (pairs to even registers), which the rules
//! use where an operand may be a pair or not.

use std::cmp::Ordering;

use crate::opcode::{Opcode, OpcodeError};
use crate::registers::{Positions, Register, RegisterId, Registers};
use crate::rule::Rule;

/// Destination and source registers, sources deduplicated in the order first named.
pub(crate) struct RegisterLists {
    pub destinations: Registers,
    pub sources: Registers,
    /// For each source, the number of the source operand that first has it.
    pub positions: Positions,
}

/// Applies `rule` to the named operands.
pub(crate) fn widen(
    opcode: Opcode,
    rule: Rule,
    destination: Option<Register>,
    sources: &[Register],
    immediates: [i64; 2],
) -> Result<RegisterLists, OpcodeError> {
    let mut operands = Builder {
        destinations: Registers::new(),
        sources: Registers::new(),
        positions: Positions::new(),
        operand: 0,
    };

    // Put what the trace calls destination and sources where the machine code has them.
    let (destination, sources) = match rule {
        Rule::Read | Rule::ReadPair => {
            let count = if rule == Rule::Read { 1 } else { 2 };
            if let Some(register) = destination {
                operands.read(register, count);
            }
            (None, sources)
        }
        Rule::PredicateFirst | Rule::Match | Rule::AddressQuery | Rule::Atomic if destination.is_none() => {
            match sources.split_first() {
                Some((first, rest)) => (Some(*first), rest),
                None => (None, sources),
            }
        }
        _ => (destination, sources),
    };

    let sources = match (rule, sources.split_first()) {
        (Rule::TwoDestinations, Some((second, rest))) => {
            operands.write(*second, 1);
            rest
        }
        _ => sources,
    };
    if let Some(destination) = destination {
        operands.write(destination, destination_width(opcode, rule)?);
    }
    for (position, &register) in sources.iter().enumerate() {
        let width = source_width(opcode, rule, destination, sources, position, immediates)?;
        operands.read(register, width);
    }
    let Builder { destinations, sources, positions, .. } = operands;
    Ok(RegisterLists { destinations, sources, positions })
}

struct Builder {
    destinations: Registers,
    sources: Registers,
    positions: Positions,
    /// Source operands so far.
    operand: u8,
}

impl Builder {
    fn write(&mut self, register: Register, count: usize) {
        Self::append(&mut self.destinations, register, count);
    }

    fn read(&mut self, register: Register, count: usize) {
        Self::append(&mut self.sources, register, count);
        let added = self.sources.len() - self.positions.len();
        self.positions.extend(std::iter::repeat_n(self.operand, added));
        self.operand += 1;
    }

    fn append(list: &mut Registers, register: Register, count: usize) {
        let Register::Vector(first) = register else { return };
        // RZ starts an empty range, and nothing widens into it.
        for register in (first.0..RegisterId::RZ.0).take(count).map(RegisterId) {
            if !list.contains(&register) {
                list.push(register);
            }
        }
    }
}

fn destination_width(opcode: Opcode, rule: Rule) -> Result<usize, OpcodeError> {
    Ok(match rule {
        Rule::Pairs | Rule::PairDestination => 2,
        Rule::ClockRead => pair_if(!opcode.has("32")),
        Rule::Multiply => pair_if(opcode.has("WIDE")),
        Rule::Conversion => pair_if(conversion_is_wide(opcode).0),
        Rule::Matrix => Fragments::of(opcode)?.c,
        Rule::WarpgroupMatrix => warpgroup_accumulators(opcode)?,
        Rule::LoadTensor => tensor_registers(opcode),
        Rule::Load | Rule::Atomic | Rule::Reduction => data_width(opcode),
        Rule::LoadMatrices => matrices(opcode),
        _ => 1,
    })
}

fn source_width(
    opcode: Opcode,
    rule: Rule,
    destination: Option<Register>,
    sources: &[Register],
    position: usize,
    immediates: [i64; 2],
) -> Result<usize, OpcodeError> {
    let register = sources[position];
    let last = position + 1 == sources.len();
    Ok(match rule {
        Rule::Pairs | Rule::PairSources => 2,
        Rule::Match => pair_if(opcode.has("U64")),
        Rule::Multiply => {
            let immediate = immediates.iter().any(|&value| value != 0);
            let addend = position == 2 || (position == 1 && last && immediate);
            pair_if(opcode.has_any(&["WIDE", "HI"]) && addend && is_even(register))
        }
        Rule::Conversion => pair_if(conversion_is_wide(opcode).1),
        Rule::Matrix => {
            let fragments = Fragments::of(opcode)?;
            match position {
                0 => fragments.a,
                1 => fragments.b,
                2 => fragments.c,
                _ => 1,
            }
        }
        // The sums go where they came from. Behind them a sparse product has the register that says which
        // elements A has.
        Rule::WarpgroupMatrix => {
            let sums = sources.iter().position(|&source| Some(source) == destination);
            match position.cmp(&sums.unwrap_or(sources.len() - 1)) {
                Ordering::Less => 4,
                Ordering::Equal => warpgroup_accumulators(opcode)?,
                Ordering::Greater => 1,
            }
        }
        Rule::Load | Rule::LoadMatrices | Rule::Addresses | Rule::AddressQuery => {
            address_width(opcode, register)
        }
        Rule::CopyToShared if last => address_width(opcode, register),
        Rule::Store if last => data_width(opcode),
        Rule::StoreMatrices if last => matrices(opcode),
        Rule::StoreTensor if last => tensor_registers(opcode),
        Rule::Store | Rule::StoreMatrices => address_width(opcode, register),
        Rule::Atomic | Rule::Reduction if position == 0 => address_width(opcode, register),
        Rule::Atomic | Rule::Reduction => data_width(opcode),
        _ => 1,
    })
}

fn pair_if(wide: bool) -> usize {
    1 + usize::from(wide)
}

fn is_even(register: Register) -> bool {
    matches!(register, Register::Vector(number) if number.0 % 2 == 0)
}

/// Registers of the data of a load, store or atomic.
fn data_width(opcode: Opcode) -> usize {
    if opcode.has("256") {
        8
    } else if opcode.has("128") {
        4
    } else {
        pair_if(opcode.has_any(&["64", "U64", "S64", "F64"]))
    }
}

/// `.E` marks an extended, 64-bit address, held in a pair. An odd register can only be a 32-bit
/// offset to a uniform base.
fn address_width(opcode: Opcode, register: Register) -> usize {
    pair_if(opcode.has("E") && is_even(register))
}

/// Matrices moved by `LDSM.16.M88.4` and its like: one register each.
fn matrices(opcode: Opcode) -> usize {
    if opcode.has("4") {
        4
    } else {
        pair_if(opcode.has("2"))
    }
}

/// Registers moved by `LDTM.16dp256bit.x4` and its like: those of the shape, as often as it is repeated.
fn tensor_registers(opcode: Opcode) -> usize {
    let repeated = opcode.modifiers().find_map(|modifier| modifier.strip_prefix('x')?.parse().ok());
    let of_shape = match opcode.modifiers().find(|modifier| modifier.contains("dp")) {
        Some(shape) if shape.contains("256") => 4,
        Some(shape) if shape.contains("128") => 2,
        _ => 1,
    };
    // More than any instruction has: the number is not to overflow.
    of_shape * repeated.unwrap_or(1).min(256)
}

/// Returns true for destination and source of a conversion if they are 64 bits wide.
///
/// `F2F` names both types, destination first; `FRND` one for both; `F2I` and `I2F` leave out the
/// 32-bit ones, but a floating-point and an integer type cannot be confused.
fn conversion_is_wide(opcode: Opcode) -> (bool, bool) {
    let wide_float = opcode.has("F64");
    let wide_integer = opcode.has_any(&["S64", "U64"]);
    match opcode.base() {
        "F2I" => (wide_integer, wide_float),
        "I2F" => (wide_float, wide_integer),
        "F2F" => {
            let mut types = opcode
                .modifiers()
                .filter(|name| name.starts_with(['F', 'B']) && name.ends_with(['2', '4', '6']));
            let destination = types.next();
            let source = types.next().or(destination);
            (destination == Some("F64"), source == Some("F64"))
        }
        _ => {
            let wide = wide_float || wide_integer;
            (wide, wide)
        }
    }
}

/// Registers per lane of the operands A, B and C (and D, which is like C) of a matrix product.
#[derive(Clone, Copy)]
struct Fragments {
    a: usize,
    b: usize,
    c: usize,
}

impl Fragments {
    /// From shape `MNK` and element types, such as `HMMA.1688.F32` or `IMMA.8816.S8.S8`.
    fn of(opcode: Opcode) -> Result<Fragments, OpcodeError> {
        if opcode.base() == "HMMA" && opcode.has("884") {
            return Ok(Fragments { a: 2, b: 2, c: 2 });
        }
        let [m, n, k] = opcode
            .modifiers()
            .find_map(shape)
            .ok_or_else(|| OpcodeError::Shape { opcode: opcode.0.into() })?;
        let element = match opcode.base() {
            "DMMA" => 64,
            "HMMA" if opcode.has("TF32") => 32,
            "HMMA" => 16,
            "IMMA" if opcode.has_any(&["S4", "U4"]) => 4,
            "OMMA" => 4,
            "BMMA" => 1,
            _ => 8,
        };
        let accumulator = match opcode.base() {
            "DMMA" => 64,
            "HMMA" | "QMMA" | "OMMA" if !opcode.has("F32") => 16,
            _ => 32,
        };
        // A sparse A stores half its elements.
        let stored = if opcode.has("SP") { 2 } else { 1 };
        Ok(Fragments {
            a: registers_per_lane(m * k * element / stored),
            b: registers_per_lane(k * n * element),
            c: registers_per_lane(m * n * accumulator),
        })
    }
}

/// 32 lanes of 32 bits hold 1024 bits.
fn registers_per_lane(bits: usize) -> usize {
    bits.div_ceil(1024)
}

/// M, N and K of a shape such as `16x8x16`, or `16816` without separators: M is 16 or 8, N is 8, the rest is
/// K.
fn shape(modifier: &str) -> Option<[usize; 3]> {
    let modifier = &modifier.replace('x', "");
    let (m, rest) = match modifier.strip_prefix("16") {
        Some(rest) => (16, rest),
        None => (8, modifier.strip_prefix('8')?),
    };
    let k = rest.strip_prefix('8')?.parse().ok()?;
    Some([m, 8, k])
}

/// Accumulator registers per lane of `HGMMA.64x64x16.F32`: M × N values over 128 lanes.
fn warpgroup_accumulators(opcode: Opcode) -> Result<usize, OpcodeError> {
    let values = opcode.modifiers().find_map(|modifier| {
        let mut sizes = modifier.split('x').map(|size| size.parse::<usize>().ok());
        match (sizes.next()??, sizes.next()??, sizes.next()??) {
            (m @ ..=64, n @ ..=256, _) => Some(m * n / 128),
            _ => None,
        }
    });
    let values = values.ok_or_else(|| OpcodeError::Shape { opcode: opcode.0.into() })?;
    let half = opcode.base() != "IGMMA" && !opcode.has("F32");
    Ok(if half { values / 2 } else { values })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Widens `"D OPCODE S S ..."`, the order of a trace line; `-` for no destination.
    fn widened(text: &str, immediate: i64) -> (Vec<u8>, Vec<u8>) {
        let register = |name: &str| match name.strip_prefix("UR") {
            Some(number) => Register::Uniform(number.parse().unwrap()),
            None => Register::vector(name[1..].parse().unwrap()),
        };
        let mut words = text.split(' ');
        let destination = words.next().filter(|&word| word != "-").map(register);
        let opcode = Opcode(words.next().unwrap());
        let sources: Vec<_> = words.map(register).collect();
        let rule = opcode.entry().unwrap().rule;
        let operands = widen(opcode, rule, destination, &sources, [immediate, 0]).unwrap();
        let numbers = |registers: Registers| registers.iter().map(|register| register.0).collect();
        (numbers(operands.destinations), numbers(operands.sources))
    }

    #[track_caller]
    fn check(text: &str, destinations: &[u8], sources: &[u8]) {
        assert_eq!(widened(text, 0), (destinations.to_vec(), sources.to_vec()), "{text}");
    }

    #[test]
    fn single_registers_lose_rz_and_repetition() {
        check("R3 FFMA R3 R0 R3", &[3], &[3, 0]);
        check("R255 IADD3 R4 R255 R4", &[], &[4]);
        check("R10 IMAD R10 UR4 R3", &[10], &[10, 3]);
    }

    #[test]
    fn memory_instructions_widen_data_and_addresses() {
        check("R0 LDG.E.U8 R4", &[0], &[4, 5]);
        check("R4 LDG.E.128.SYS R8", &[4, 5, 6, 7], &[8, 9]);
        check("R4 LDG.E R7", &[4], &[7]);
        check("- STG.E.64 R2 R12", &[], &[2, 3, 12, 13]);
        check("- STG.E R4 R255", &[], &[4, 5]);
        check("- STG.E UR4 R6", &[], &[6]);
        check("R4 LDS.U.128 R44", &[4, 5, 6, 7], &[44]);
        check("- STS.64 R4 R6", &[], &[4, 6, 7]);
        check("- STL.64 R1 R4", &[], &[1, 4, 5]);
        check("R4 LDC.64", &[4, 5], &[]);
        check("R4 LDSM.16.M88.4 R2", &[4, 5, 6, 7], &[2]);
        check("R4 LDSM.16.MT88.2 R2", &[4, 5], &[2]);
        check("- LDGSTS.E.BYPASS.128 R5 R2", &[], &[5, 2, 3]);
    }

    #[test]
    fn atomics_find_the_destination_behind_a_predicate() {
        check("- ATOMG.E.ADD.STRONG.GPU R3 R4 R6", &[3], &[4, 5, 6]);
        check("- ATOMG.E.CAS.64.STRONG.GPU R2 R4 R6 R8", &[2, 3], &[4, 5, 6, 7, 8, 9]);
        check("- RED.E.ADD.F32.FTZ.RN.STRONG.GPU R2 R7", &[], &[2, 3, 7]);
        check("R5 ATOMS.ADD R2 R3", &[5], &[2, 3]);
        check("- SHFL.BFLY R5 R4", &[5], &[4]);
        check("- LOP3.LUT R255 R0 R255", &[], &[0]);
    }

    #[test]
    fn instructions_of_maxwell_and_blackwell_have_their_registers() {
        check("R4 XMAD.PSL.CBCC R5 R6 R7", &[4], &[5, 6, 7]);
        check("R4 BFE.U32 R5 R6", &[4], &[5, 6]);
        check("R2 TEXS R0 R4 R5", &[0, 2], &[4, 5]);
        check("R255 TEXS R8 R8 R9", &[8], &[8, 9]);
        check("- SSY", &[], &[]);
        check("R0 DSET.BF.LT.AND R2 R4", &[0], &[2, 3, 4, 5]);
        check("R2 FFMA2 R4 R6 R8", &[2, 3], &[4, 5, 6, 7, 8, 9]);
        check("R4 LDTM.x8 UR4", &[4, 5, 6, 7, 8, 9, 10, 11], &[]);
        check("R4 LDTM.16dp128bit.x2 UR4", &[4, 5, 6, 7], &[]);
        check("- STTM.x2 UR4 R8", &[], &[8, 9]);
        check("- UTCHMMA UR4 UR6 UR8", &[], &[]);
        check("R2 LDGMC.E.ADD.F16x8.RN R4", &[2], &[4, 5]);
        check("R24 LDTM.x64 UR4", &(24..88).collect::<Vec<u8>>(), &[]);
        check("- STTM.x128 UR4 R8", &[], &(8..136).collect::<Vec<u8>>());
    }

    #[test]
    fn wide_multiplication_finds_its_addend() {
        check("R4 IMAD.WIDE.U32 R0 R7 R2", &[4, 5], &[0, 7, 2, 3]);
        check("R4 IMAD.WIDE R6 R8", &[4, 5], &[6, 8]);
        assert_eq!(widened("R28 IMAD.WIDE R28 R4", 264), (vec![28, 29], vec![28, 4, 5]));
        assert_eq!(widened("R28 IMAD.WIDE R28 R5", 264), (vec![28, 29], vec![28, 5]));
        check("R3 IMAD.HI.U32 R3 R5 R2", &[3], &[3, 5, 2]);
        check("R3 IMAD.HI.U32 R7 R5 R2", &[3], &[7, 5, 2, 3]);
        check("R3 IMAD.X R255 R255 R17", &[3], &[17]);
    }

    #[test]
    fn doubles_and_conversions_are_pairs() {
        check("R2 DFMA R4 R6 R8", &[2, 3], &[4, 5, 6, 7, 8, 9]);
        check("- DSETP.GT.AND R2 R255", &[], &[2, 3]);
        check("R5 MUFU.RCP64H R7", &[5], &[7]);
        check("R2 F2F.F64.F32 R4", &[2, 3], &[4]);
        check("R2 F2F.F32.F64 R4", &[2], &[4, 5]);
        check("R2 F2I.S64.F64.TRUNC R4", &[2, 3], &[4, 5]);
        check("R2 F2I.F64.TRUNC R4", &[2], &[4, 5]);
        check("R2 I2F.F64 R4", &[2, 3], &[4]);
        check("R2 I2F.U64.RP R4", &[2], &[4, 5]);
        check("R2 FRND.F64.FLOOR R4", &[2, 3], &[4, 5]);
        check("R3 F2I.FTZ.U32.TRUNC.NTZ R2", &[3], &[2]);
        check("R24 CS2R", &[24, 25], &[]);
        check("R24 CS2R.32", &[24], &[]);
    }

    #[test]
    fn matrix_fragments_follow_the_shape() {
        let counts = |opcode: &str| {
            let Fragments { a, b, c } = Fragments::of(Opcode(opcode)).unwrap();
            [a, b, c]
        };
        for (opcode, expected) in [
            ("HMMA.884.F32.F32.STEP0", [2, 2, 2]),
            ("HMMA.1688.F32", [2, 1, 4]),
            ("HMMA.1688.F16", [2, 1, 2]),
            ("HMMA.16816.F32", [4, 2, 4]),
            ("HMMA.16816.F16", [4, 2, 2]),
            ("HMMA.16816.F32.BF16", [4, 2, 4]),
            ("HMMA.1684.F32.TF32", [2, 1, 4]),
            ("HMMA.1688.F32.TF32", [4, 2, 4]),
            ("HMMA.SP.16816.F32", [2, 2, 4]),
            ("IMMA.8816.S8.S8", [1, 1, 2]),
            ("IMMA.8832.S4.S4", [1, 1, 2]),
            ("IMMA.16816.S8.S8", [2, 1, 4]),
            ("IMMA.16832.S8.S8", [4, 2, 4]),
            ("IMMA.16864.S4.S4", [4, 2, 4]),
            ("BMMA.88128.XOR.POPC", [1, 1, 2]),
            ("BMMA.168256.AND.POPC", [4, 2, 4]),
            ("DMMA.884", [2, 2, 4]),
            ("DMMA.8x8x4", [2, 2, 4]),
            ("DMMA.16x8x16", [16, 8, 8]),
            ("QMMA.16832.F32.E4M3.E4M3", [4, 2, 4]),
            ("OMMA.SF.16864.F32.E2M1.E2M1.UE4M3.4X", [4, 2, 4]),
        ] {
            assert_eq!(counts(opcode), expected, "{opcode}");
        }
        check("R8 HMMA.1688.F32 R4 R12 R8", &[8, 9, 10, 11], &[4, 5, 12, 8, 9, 10, 11]);
    }

    #[test]
    fn every_register_has_the_position_of_its_operand() {
        let positions = |text: &str| {
            let mut words = text.split(' ');
            let opcode = Opcode(words.next().unwrap());
            let sources: Vec<_> = words.map(|name| Register::vector(name[1..].parse().unwrap())).collect();
            let operands = widen(opcode, opcode.entry().unwrap().rule, None, &sources, [0; 2]).unwrap();
            operands.positions.to_vec()
        };
        assert_eq!(positions("HMMA.1688.F32 R4 R12 R8"), [0, 0, 1, 2, 2, 2, 2]);
        assert_eq!(positions("STG.E.64 R2 R12"), [0, 0, 1, 1]);
        assert_eq!(positions("FFMA R3 R255 R3"), [0], "RZ takes a position, and a repetition has the first");
        assert_eq!(positions("FFMA R3 R255 R4"), [0, 2]);
        assert_eq!(positions("LOP3.LUT R255 R0 R1"), [0, 1], "the first is the destination");
    }

    #[test]
    fn a_matrix_without_shape_is_refused() {
        assert!(matches!(Fragments::of(Opcode("HMMA.F32")), Err(OpcodeError::Shape { .. })));
        let shapeless =
            widen(Opcode("HGMMA.F32"), Rule::WarpgroupMatrix, Some(Register::vector(24)), &[], [0; 2]);
        assert!(matches!(shapeless, Err(OpcodeError::Shape { .. })));
    }

    #[test]
    fn a_warpgroup_has_its_sums_in_place() {
        let registers = |runs: &[(u8, u8)]| -> Vec<u8> {
            runs.iter().flat_map(|&(first, count)| first..first + count).collect()
        };
        let sums = registers(&[(24, 128)]);
        check("R24 HGMMA.64x256x16.F32 UR4 R24", &sums, &sums);
        check("R24 HGMMA.64x256x16.F32 R8 UR4 R24", &sums, &registers(&[(8, 4), (24, 128)]));
        check("R24 HGMMA.64x64x16.F32.BF16 UR4 R255", &registers(&[(24, 32)]), &[]);
        check("R24 HGMMA.64x64x16.F16 UR4 R24", &registers(&[(24, 16)]), &registers(&[(24, 16)]));
        check(
            "R24 HGMMA.SP.64x8x32.F32 R8 UR4 R24 R3",
            &registers(&[(24, 4)]),
            &registers(&[(8, 4), (24, 4), (3, 1)]),
        );
        check(
            "R24 QGMMA.64x16x32.F32.E4M3.E4M3 R8 UR4 R40",
            &registers(&[(24, 8)]),
            &registers(&[(8, 4), (40, 8)]),
        );
    }

    #[test]
    fn a_destination_that_is_read_becomes_a_source() {
        check("R136 RET.REL.NODEC", &[], &[136, 137]);
        check("R4 BRX", &[], &[4, 5]);
        check("R4 WARPSYNC", &[], &[4]);
        check("R20 LEPC", &[20, 21], &[]);
    }

    #[test]
    fn nothing_widens_into_rz() {
        check("R254 LDC.64 R255", &[254], &[]);
    }
}
