// SPDX-License-Identifier: Apache-2.0
//! One instruction line to one instruction.
//!
//! Between program counter and addresses, a line says the same at every execution of its
//! instruction. Each such text is parsed once; from then on it is recognised by comparison, and
//! only mask and addresses are read.
//!
//! A line that is not as expected is looked at again: its words may have other blanks between them than one
//! space, and tracers before November 2020 give the addresses of all active lanes, though the mask leaves out
//! the lanes whose guard predicate is false.

use std::collections::HashMap;

use arrayvec::ArrayVec;

use crate::block::WARP_SIZE;
use crate::error::Error;
use crate::fields::{decimal, hexadecimal, number, show, single_spaced, Fields};
use crate::lines::Lines;
use crate::opcode::OpcodeError;
use crate::program::{Instruction, Program};
use crate::registers::Register;

/// Why a line cannot be decoded; the caller adds file and line.
pub(crate) enum LineError {
    Garbled(String),
    Opcode(OpcodeError),
}

impl LineError {
    fn garbled(what: &str, found: &[u8]) -> LineError {
        LineError::Garbled(format!("{what} expected, `{}` found", show(found)))
    }
}

/// An error in the line read last.
pub(crate) fn line_error(lines: &Lines, error: LineError) -> Error {
    match error {
        LineError::Garbled(reason) => lines.garbled(reason),
        LineError::Opcode(cause) => Error::Opcode { path: lines.path().into(), line: lines.number(), cause },
    }
}

/// Decodes the instruction lines of one file.
pub(crate) struct Decoder {
    /// Fields before the program counter.
    skipped_fields: usize,
    /// Immediates at the end of a line: none before version 5, one in it, two after it.
    immediate_fields: usize,
    heads: HashMap<u32, Vec<Head>, PcHashing>,
    /// Mask of the line decoded last.
    mask: u32,
    /// For a line whose words are not one space apart.
    scratch: Vec<u8>,
}

/// The rest of a line behind its head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tail {
    /// Addresses, if its width is not zero, then immediates.
    Addresses,
    /// Where a tensor copy reads and writes, then immediates, which are not set. The copy is the memory
    /// unit's work, and no lane has an address.
    TensorCopy,
    /// Nothing: the line marks a part of the program that a simulator may repeat, and is no instruction.
    Mark,
}

/// The part of a line from destination count to memory width, met at one program counter.
struct Head {
    text: Box<[u8]>,
    opcode: Box<str>,
    destination: Option<Register>,
    sources: Vec<Register>,
    width: u16,
    tail: Tail,
    /// Index in the program, by immediates.
    indices: Vec<([i64; 2], u32)>,
}

impl Decoder {
    pub fn new(tracer_version: u32, skipped_fields: usize) -> Decoder {
        Decoder {
            skipped_fields,
            immediate_fields: tracer_version.saturating_sub(4) as usize,
            heads: HashMap::default(),
            mask: 0,
            scratch: vec![],
        }
    }

    /// Static index and mask of the instruction in `line`, if it has one; its addresses are appended to
    /// `pool`.
    #[inline]
    pub fn decode(
        &mut self,
        line: &[u8],
        program: &mut Program,
        pool: &mut Vec<u64>,
    ) -> Result<Option<(u32, u32)>, LineError> {
        let start = pool.len();
        match self.decode_single_spaced(line, program, pool) {
            Err(error) => {
                pool.truncate(start);
                self.decode_again(line, error, program, pool)
            }
            decoded => decoded,
        }
    }

    /// As [`Decoder::decode`], after an error that other blanks between the words may have made.
    #[cold]
    fn decode_again(
        &mut self,
        line: &[u8],
        error: LineError,
        program: &mut Program,
        pool: &mut Vec<u64>,
    ) -> Result<Option<(u32, u32)>, LineError> {
        let mut scratch = std::mem::take(&mut self.scratch);
        let decoded = match single_spaced(line, &mut scratch) {
            true => self.decode_single_spaced(&scratch, program, pool),
            false => Err(error),
        };
        self.scratch = scratch;
        decoded
    }

    fn decode_single_spaced(
        &mut self,
        line: &[u8],
        program: &mut Program,
        pool: &mut Vec<u64>,
    ) -> Result<Option<(u32, u32)>, LineError> {
        let mut fields = Fields(line);
        for _ in 0..self.skipped_fields {
            fields.next();
        }
        let pc = fields.next();
        let pc = hexadecimal(pc)
            .and_then(|pc| u32::try_from(pc).ok())
            .ok_or_else(|| LineError::garbled("a hexadecimal program counter", pc))?;
        let mask = fields.next();
        let mask = hexadecimal(mask)
            .filter(|_| mask.len() == 8)
            .ok_or_else(|| LineError::garbled("an 8-digit lane mask", mask))? as u32;

        let heads = self.heads.entry(pc).or_default();
        let position = match heads.iter().position(|head| head.starts(fields.0)) {
            Some(position) => position,
            None => {
                heads.push(Head::parse(fields, self.immediate_fields)?);
                heads.len() - 1
            }
        };
        let head = &mut heads[position];
        let mut fields = Fields(fields.0.get(head.text.len() + 1..).unwrap_or_default());

        let immediates = match head.tail {
            Tail::Addresses => {
                let start = pool.len();
                let before = fields;
                let read = read_tail(&mut fields, head.width, mask, self.immediate_fields, pool);
                read.or_else(|error| {
                    pool.truncate(start);
                    let lanes = OfActiveLanes { mask, before: self.mask };
                    lanes.read(before, self.immediate_fields, pool).ok_or(error)
                })?
            }
            Tail::TensorCopy => check_numbers(fields)?,
            Tail::Mark => return Ok(None),
        };
        self.mask = mask;
        let known = head.indices.iter().find(|(met, _)| *met == immediates);
        let index = match known {
            Some(&(_, index)) => index,
            None => head.intern(pc, immediates, program)?,
        };
        Ok(Some((index, mask)))
    }
}

impl Head {
    /// Returns true if a line goes on with this text.
    fn starts(&self, rest: &[u8]) -> bool {
        rest.starts_with(&self.text) && matches!(rest.get(self.text.len()), None | Some(b' '))
    }

    /// Parses `nd [Rd] opcode ns [Rs..] width`, of a line that ends with so many immediates.
    fn parse(line: Fields, immediate_fields: usize) -> Result<Head, LineError> {
        let mut fields = line;
        let destination = match fields.next() {
            b"0" => None,
            b"1" => Some(register(fields.next())?),
            found => return Err(LineError::garbled("destination count 0 or 1", found)),
        };
        let opcode = fields.next();
        let opcode = std::str::from_utf8(opcode)
            .ok()
            .filter(|opcode| opcode.starts_with(|first: char| first.is_ascii_uppercase()))
            .filter(|opcode| opcode.bytes().all(|byte| byte.is_ascii_graphic()))
            .ok_or_else(|| LineError::garbled("an opcode", opcode))?;
        let count = fields.next();
        let count = number::<u8>(count)
            .filter(|&count| count <= 16)
            .ok_or_else(|| LineError::garbled("a source count", count))?;
        let sources = (0..count).map(|_| register(fields.next())).collect::<Result<_, _>>()?;
        let is_warpgroup_matrix = opcode.contains("GMMA");
        // Whether it commits a group comes first, in traces since 2025.
        if is_warpgroup_matrix && numbers(fields) == immediate_fields + 2 {
            fields.next();
        }
        let width = fields.next();
        let may_copy = opcode.starts_with("UTMA") || opcode.starts_with("UBLK");
        let tail = match Fields(fields.0).next() {
            _ if matches!(opcode, "REPLAY_START" | "REPLAY_END") => Tail::Mark,
            // The address of its barrier, or an address mode of tensor copies.
            [b'0', b'x', ..] if may_copy => Tail::TensorCopy,
            b"3" | b"4" if may_copy && width != b"0" => Tail::TensorCopy,
            _ => Tail::Addresses,
        };
        let width = number::<u32>(width)
            .filter(|&width| width <= 128 || tail == Tail::TensorCopy)
            .ok_or_else(|| LineError::garbled("a memory width in bytes", width))?;
        // Of these two no lane has an address.
        let width = if is_warpgroup_matrix || tail == Tail::TensorCopy { 0 } else { width as u16 };
        let text = line.0[..line.0.len() - fields.0.len()].trim_ascii_end();
        Ok(Head {
            text: text.into(),
            opcode: opcode.into(),
            destination,
            sources,
            width,
            tail,
            indices: Vec::new(),
        })
    }

    fn intern(&mut self, pc: u32, immediates: [i64; 2], program: &mut Program) -> Result<u32, LineError> {
        let instruction = Instruction {
            pc,
            opcode: &self.opcode,
            destination: self.destination,
            sources: &self.sources,
            width: self.width,
            immediates,
        };
        let index = program.intern(&instruction).map_err(LineError::Opcode)?;
        self.indices.push((immediates, index));
        Ok(index)
    }
}

fn register(text: &[u8]) -> Result<Register, LineError> {
    let parsed = match text {
        [b'R', digits @ ..] => number(digits).map(Register::vector),
        [b'U', b'R', digits @ ..] => number(digits).map(Register::Uniform),
        _ => None,
    };
    parsed.ok_or_else(|| LineError::garbled("a register", text))
}

/// Reads one address per lane of the mask, then immediates, and what may follow them.
#[inline]
fn read_tail(
    fields: &mut Fields,
    width: u16,
    mask: u32,
    immediate_fields: usize,
    pool: &mut Vec<u64>,
) -> Result<[i64; 2], LineError> {
    if width > 0 {
        read_addresses(fields, mask, pool)?;
    }
    let immediates = read_immediates(fields, immediate_fields)?;
    check_values(*fields)?;
    Ok(immediates)
}

/// Reads one address per active lane in any of the three compressions.
fn read_addresses(fields: &mut Fields, mask: u32, pool: &mut Vec<u64>) -> Result<(), LineError> {
    let lanes = mask.count_ones();
    match fields.next() {
        // Every address.
        b"0" => {
            for _ in 0..lanes {
                pool.push(address(fields.next())?);
            }
        }
        // First address and stride.
        b"1" if !is_run(mask) => return Err(LineError::Garbled("the lanes are not in a row".into())),
        b"1" => {
            let mut current = address(fields.next())?;
            let stride = offset(fields.next())?;
            for _ in 0..lanes {
                pool.push(current);
                current = current.wrapping_add_signed(stride);
            }
        }
        // First address, then differences from lane to lane.
        b"2" => {
            let mut current = address(fields.next())?;
            if lanes > 0 {
                pool.push(current);
            }
            for _ in 1..lanes {
                current = current.wrapping_add_signed(offset(fields.next())?);
                pool.push(current);
            }
        }
        found => return Err(LineError::garbled("address mode 0, 1 or 2", found)),
    }
    Ok(())
}

/// Returns true if no lane is left out between the first and the last.
fn is_run(lanes: u32) -> bool {
    let lowest = lanes & lanes.wrapping_neg();
    lanes & lanes.wrapping_add(lowest) == 0
}

#[inline]
fn address(field: &[u8]) -> Result<u64, LineError> {
    hexadecimal(field)
        .filter(|_| field.starts_with(b"0x"))
        .ok_or_else(|| LineError::garbled("an address", field))
}

#[inline]
fn offset(field: &[u8]) -> Result<i64, LineError> {
    decimal(field).ok_or_else(|| LineError::garbled("an address difference", field))
}

/// Reads immediates. The first tracers of version 6 wrote one of the two. Inlined, since every line has them.
#[inline(always)]
fn read_immediates(fields: &mut Fields, count: usize) -> Result<[i64; 2], LineError> {
    let mut immediates = [0; 2];
    for (place, immediate) in immediates[..count].iter_mut().enumerate() {
        let before = *fields;
        let field = fields.next();
        match decimal(field) {
            Some(value) => *immediate = value,
            None if place == 1 && begins_values(field) => *fields = before,
            None => return Err(LineError::garbled("a decimal immediate", field)),
        }
    }
    Ok(immediates)
}

/// After the immediates come nothing, version 6's register values, or the values a store wrote.
/// Values are of no use here.
#[inline]
fn check_values(mut rest: Fields) -> Result<(), LineError> {
    if rest.is_empty() {
        return Ok(());
    }
    let field = rest.next();
    match begins_values(field) {
        true => Ok(()),
        false => Err(LineError::garbled("the end of the line", field)),
    }
}

fn begins_values(field: &[u8]) -> bool {
    matches!(field, b"NoVal" | b"Val" | b"STORE_DATA")
}

/// Decimal numbers up to the end of the line or the values there.
fn numbers(mut fields: Fields) -> usize {
    let mut count = 0;
    while decimal(fields.next()).is_some() {
        count += 1;
    }
    count
}

/// Checks that all up to the end of the line or the values there are numbers; they stand for no immediates.
fn check_numbers(mut fields: Fields) -> Result<[i64; 2], LineError> {
    while !fields.is_empty() {
        match fields.next() {
            field if begins_values(field) => break,
            field if decimal(field).or(hexadecimal(field).map(|_| 0)).is_some() => {}
            field => return Err(LineError::garbled("a number of a tensor copy", field)),
        }
    }
    Ok([0; 2])
}

/// A line with the addresses of all active lanes. The mask has the lanes whose guard predicate holds.
struct OfActiveLanes {
    mask: u32,
    /// The mask of the line before.
    before: u32,
}

impl OfActiveLanes {
    /// Reads the addresses of the mask's lanes into `pool`, and immediates. `None` if the line is not of this
    /// kind.
    fn read(&self, mut fields: Fields, immediate_fields: usize, pool: &mut Vec<u64>) -> Option<[i64; 2]> {
        let mut addresses = ArrayVec::<u64, { WARP_SIZE as usize }>::new();
        match fields.next() {
            b"0" => {
                while fields.0.starts_with(b"0x") {
                    addresses.try_push(address(fields.next()).ok()?).ok()?;
                }
            }
            b"2" => {
                let mut current = address(fields.next()).ok()?;
                addresses.push(current);
                for _ in 0..numbers(fields).checked_sub(immediate_fields)? {
                    current = current.wrapping_add_signed(decimal(fields.next())?);
                    addresses.try_push(current).ok()?;
                }
            }
            b"1" if !is_run(self.mask) => {
                let (mut current, stride) = (address(fields.next()).ok()?, decimal(fields.next())?);
                let is_known = self.before & self.mask == self.mask && is_run(self.before);
                let first = if is_known { self.before } else { self.mask }.trailing_zeros();
                for lane in first..WARP_SIZE {
                    if self.mask >> lane & 1 == 1 {
                        pool.push(current);
                    }
                    current = current.wrapping_add_signed(stride);
                }
                return self.read_end(fields, immediate_fields);
            }
            _ => return None,
        }
        let active = self.active(addresses.len() as u32)?;
        let of_lane = |lane: u32| addresses[(active & ((1 << lane) - 1)).count_ones() as usize];
        pool.extend((0..WARP_SIZE).filter(|lane| self.mask >> lane & 1 == 1).map(of_lane));
        self.read_end(fields, immediate_fields)
    }

    fn read_end(&self, mut fields: Fields, immediate_fields: usize) -> Option<[i64; 2]> {
        let immediates = read_immediates(&mut fields, immediate_fields).ok()?;
        check_values(fields).ok()?;
        Some(immediates)
    }

    /// So many lanes, among them those of the mask. The line does not say which: those of the line before if
    /// they can be, else the first ones, else those of the mask and the first others.
    fn active(&self, count: u32) -> Option<u32> {
        if count < self.mask.count_ones() || count == 0 {
            return None;
        }
        let first = u32::MAX >> (WARP_SIZE - count);
        let possible = |lanes: &u32| lanes.count_ones() == count && lanes & self.mask == self.mask;
        let known = [self.before, first].into_iter().find(possible);
        known.or_else(|| {
            let others = (0..WARP_SIZE).map(|lane| 1 << lane).filter(|lane| self.mask & lane == 0);
            let missing = count - self.mask.count_ones();
            Some(others.take(missing as usize).fold(self.mask, |lanes, lane| lanes | lane))
        })
    }
}

/// Program counters are small multiples of 8 or 16: one multiplication spreads them.
#[derive(Clone, Copy, Default)]
struct PcHashing;

impl std::hash::BuildHasher for PcHashing {
    type Hasher = PcHasher;

    fn build_hasher(&self) -> PcHasher {
        PcHasher(0)
    }
}

struct PcHasher(u64);

impl std::hash::Hasher for PcHasher {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u32(u32::from(byte));
        }
    }

    fn write_u32(&mut self, value: u32) {
        self.0 = (self.0 ^ u64::from(value)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registers::RegisterId;

    fn decode(version: u32, line: &str) -> Result<(Program, u32, Vec<u64>), String> {
        let mut decoder = Decoder::new(version, if version < 3 { 4 } else { 0 });
        let mut program = Program::default();
        let mut pool = Vec::new();
        match decoder.decode(line.as_bytes(), &mut program, &mut pool) {
            Ok(decoded) => {
                let (index, mask) = decoded.expect("an instruction");
                assert_eq!(index, 0);
                Ok((program, mask, pool))
            }
            Err(LineError::Garbled(reason)) => Err(reason),
            Err(LineError::Opcode(error)) => Err(error.to_string()),
        }
    }

    #[test]
    fn each_version_has_its_fields() {
        for (version, line, immediates) in [
            (2, "3 0 0 7 00a0 ffffffff 1 R3 IMAD 2 R6 R3 0 ", [0, 0]),
            (3, "00a0 ffffffff 1 R3 IMAD 2 R6 R3 0 ", [0, 0]),
            (4, "00a0 ffffffff 1 R3 IMAD 2 R6 R3 0 ", [0, 0]),
            (5, "00a0 ffffffff 1 R3 IMAD 2 R6 R3 0 -7 ", [-7, 0]),
            (6, "00a0 ffffffff 1 R3 IMAD 2 R6 R3 0 3 192 NoVal ", [3, 192]),
            (6, "00a0 ffffffff 1 R3 IMAD 2 R6 R3 0 3 192 Val 1 5 ", [3, 192]),
        ] {
            let (program, mask, pool) = decode(version, line).unwrap();
            let instruction = &program[0];
            assert_eq!((instruction.pc, mask), (0xa0, u32::MAX));
            assert_eq!(&*instruction.opcode, "IMAD");
            assert_eq!(instruction.named_destination, Some(Register::vector(3)));
            assert_eq!(instruction.sources[..], [6, 3].map(RegisterId));
            assert_eq!(instruction.immediates, immediates);
            assert!(pool.is_empty());
        }
    }

    #[test]
    fn addresses_come_in_three_modes() {
        for (mode, addresses) in [
            ("0 0x10 0x30 0x20", vec![0x10, 0x30, 0x20]),
            ("1 0x10 -4", vec![0x10, 0xc, 0x8]),
            ("2 0x10 0 8", vec![0x10, 0x10, 0x18]),
        ] {
            let line = format!("0000 0000000e 1 R2 LDG.E 1 R4 4 {mode} 9 ");
            let (program, _, pool) = decode(5, &line).unwrap();
            assert_eq!(pool, addresses);
            assert_eq!(program[0].immediates, [9, 0]);
        }
        let (_, mask, pool) = decode(3, "0000 00000000 1 R2 LDG.E 1 R4 4 1 0x0 0 ").unwrap();
        assert_eq!((mask, pool.len()), (0, 0));
    }

    #[test]
    fn store_data_is_passed_over() {
        let line = "0000 00000001 0 STG.E.SYS 2 R6 R9 4 1 0x8 4 0 STORE_DATA I32 1 REG0:T0:0x1 ";
        assert_eq!(decode(5, line).unwrap().2, [8]);
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (line, reason) in [
            ("", "program counter expected"),
            ("zz ffffffff 0 EXIT 0 0 0 ", "program counter expected, `zz` found"),
            ("0000 ffff 0 EXIT 0 0 0 ", "8-digit lane mask expected, `ffff` found"),
            ("0000 ffffffff 2 R1 R2 MOV 0 0 0 ", "destination count 0 or 1"),
            ("0000 ffffffff 1 X1 MOV 0 0 0 ", "a register expected, `X1`"),
            ("0000 ffffffff 1 R256 MOV 0 0 0 ", "a register expected, `R256`"),
            ("0000 ffffffff 0 EXIT x 0 0 ", "source count expected, `x`"),
            ("0000 ffffffff 0 EXIT 0 y 0 ", "memory width in bytes expected, `y`"),
            ("0000 ffffffff 0 EXIT 0 0 ", "decimal immediate expected, `` found"),
            ("0000 ffffffff 0 EXIT 0 0 0 7 ", "end of the line expected, `7`"),
            ("0000 ffffffff 0 FROB 0 0 0 ", "unknown opcode `FROB`"),
            ("0000 00000001 1 R2 LDG.E 1 R4 4 3 0x0 0 0 ", "address mode"),
            ("0000 00000003 1 R2 LDG.E 1 R4 4 0 0x0 ", "an address expected"),
        ] {
            let error = decode(5, line).expect_err(line);
            assert!(error.contains(reason), "{line}: {error}");
        }
    }

    #[test]
    fn instructions_at_one_place_are_told_apart() {
        let mut decoder = Decoder::new(5, 0);
        let (mut program, mut pool) = (Program::default(), Vec::new());
        let mut index = |line: &str| {
            let result = decoder.decode(line.as_bytes(), &mut program, &mut pool);
            result.ok().expect("a good line").expect("an instruction").0
        };
        assert_eq!(index("0000 ffffffff 0 EXIT 0 0 0 "), 0);
        assert_eq!(index("0000 ffffffff 0 EXIT 0 0 1 "), 1);
        assert_eq!(index("0000 ffffffff 0 BRA 0 0 1 "), 2);
        assert_eq!(index("0010 ffffffff 0 EXIT 0 0 0 "), 3);
        assert_eq!(index("0000 00000000 0 EXIT 0 0 0 "), 0);
    }
}
